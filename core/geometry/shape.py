"""A character prepared once, for fitting and binding alike."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from ..errors import BadMesh
from .distance import DistanceField, distance_field
from .frame import Frame, unit_frame
from .gaps import NO_GAPS, Gaps, bridge_gaps
from .grid import grid_around
from .mesh import VANISHING, Mesh, check_mesh, used_vertices, vertex_components, weld
from .orientation import orient_faces
from .seams import find_cracks
from .solid import solidify_pieces
from .voxels import SAMPLE_SPACING, sample_surface, thin_samples

STRAY = 1e3  # sizes of the character beyond which a vertex without faces is moved in


@dataclass(frozen=True, eq=False)
class Shape:
    """What fitting and binding both need to know of a mesh.

    frame : object space <-> unit frame
    mesh : welded, consistently oriented, unit frame
    welded_of_vertex : (V,) for each vertex of the original mesh, its vertex in `mesh`
    field : signed distance of the solid, unit frame
    body : the same, but where loose parts are joined as thick as they are: limbs as a skeleton runs through them
    gaps : between the solid's pieces, unit frame
    """

    frame: Frame
    mesh: Mesh
    welded_of_vertex: np.ndarray
    field: DistanceField
    body: DistanceField
    gaps: Gaps = NO_GAPS

    def __post_init__(self):
        object.__setattr__(self, "welded_of_vertex",
                           frozen(self.welded_of_vertex, np.int64, (None,), "welded_of_vertex"))


def prepare_steps(mesh: Mesh, *, resolution: int = 128,
                  rotation: np.ndarray | None = None) -> Generator[tuple[str, float], None, Shape]:
    """Weld, rescale and orient a mesh, decide its solid and compute its distance field. [BP07] section 3.1.

    resolution : voxels along the longest side. 128 keeps the field's error below 0.003 and limbs of radius 0.01 apart.
    rotation : (3, 3) object axes to character axes, if the mesh does not stand Z up and face -Y.
    Yields (stage, fraction). Raises BadMesh or ShapeTooThin.
    """
    yield "Welding", 0.0
    check_mesh(mesh)
    welded = weld(mesh)
    if len(welded.mesh.faces) == 0:
        raise BadMesh(f"No face of '{mesh.name}' has an area. Check its scale, or select the character's mesh.")
    frame, unit = _into_frame(welded.mesh, rotation)
    unit = orient_faces(unit, find_cracks(unit, vertex_components(unit)))
    yield "Deciding the solid", 0.2
    grid = grid_around(used_vertices(unit), 1.0 / resolution)
    points, faces = thin_samples(grid, *sample_surface(unit, SAMPLE_SPACING * grid.spacing))
    solid, gaps = solidify_pieces(unit, grid, points)
    yield "Measuring distances", 0.5
    field = distance_field(unit, grid, solid, points, faces)
    body = field
    if len(gaps.ends):
        whole = bridge_gaps(solid, gaps, is_thin=False)
        whole = whole | whole[::-1] if (solid == solid[::-1]).all() else whole
        body = distance_field(unit, grid, whole, points, faces)
    return Shape(frame, unit, welded.welded_of_vertex, field, body, gaps.placed(grid))


@VANISHING
def _into_frame(mesh: Mesh, rotation: np.ndarray | None) -> tuple[Frame, Mesh]:
    """The frame, and the mesh in it to 12 digits. Loose vertices may be anywhere, even nowhere; they come near."""
    frame = unit_frame(mesh, rotation)
    reach = STRAY * frame.scale
    vertices = np.where(np.isfinite(mesh.vertices), mesh.vertices, frame.origin)
    vertices = np.clip(vertices, frame.origin - reach, frame.origin + reach)
    return frame, Mesh(np.round(frame.to_unit(vertices), 12), mesh.faces, mesh.name, mesh.part_of_vertex)

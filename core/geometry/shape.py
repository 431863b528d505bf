"""A character prepared once, for fitting and binding alike."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import frozen
from .base import NO_BASE, Base, base_faces, without_base
from .blocks import drawn_apart
from .distance import DistanceField, distance_field
from .frame import Frame, unit_frame
from .gaps import NO_GAPS, Gaps, bridge_gaps
from .grid import Grid, grid_around
from .mesh import VANISHING, Mesh, check_mesh, used_vertices, vertex_components, weld_faces
from .orientation import orient_faces
from .seams import find_cracks
from .solid import solidify_pieces
from .voxels import SAMPLE_SPACING, sample_surface, thin_samples

RESOLUTION = 128  # voxels along the longest side
STEPS = 3  # of a base, one on the other
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
    base : what the figure stands on, which is in none of these; its vertices count as the nearest ones of the figure
    """

    frame: Frame
    mesh: Mesh
    welded_of_vertex: np.ndarray
    field: DistanceField
    body: DistanceField
    gaps: Gaps = NO_GAPS
    base: Base = NO_BASE

    def __post_init__(self):
        object.__setattr__(self, "welded_of_vertex",
                           frozen(self.welded_of_vertex, np.int64, (None,), "welded_of_vertex"))


def prepare_steps(mesh: Mesh, *, resolution: int = RESOLUTION, rotation: np.ndarray | None = None,
                  has_base: bool = True) -> Generator[tuple[str, float], None, Shape]:
    """Weld, rescale and orient a mesh, decide its solid and compute its distance field. [BP07] section 3.1.

    resolution : voxels along the longest side. 128 keeps the field's error below 0.003 and limbs of radius 0.01 apart.
    rotation : (3, 3) object axes to character axes, if the mesh does not stand Z up and face -Y.
    has_base : whether a base is looked for; False: what the figure seems to stand on is part of it
    Yields (stage, fraction). Raises BadMesh or ShapeTooThin.
    """
    yield "Welding", 0.0
    check_mesh(mesh)
    welded = weld_faces(drawn_apart(mesh))
    figure, of_vertex, base = welded.mesh, welded.welded_of_vertex, NO_BASE
    yield "Deciding the solid", 0.2
    body = _Voxels.of(figure, rotation, resolution)
    for _ in range(STEPS if has_base else 0):
        under = base_faces(body.mesh, body.grid, body.solid)
        if under is None:
            break
        rest, number, rows = without_base(figure, of_vertex, under)
        rows = np.setdiff1d(rows, base.rows)  # those of an upper step count as vertices near it
        base, figure, of_vertex = base.joined(rows, figure.vertices[of_vertex[rows]]), rest, number
        body = _Voxels.of(figure, rotation, resolution)
    yield "Measuring distances", 0.5
    field = whole = distance_field(body.mesh, body.grid, body.solid, body.points, body.faces)
    if len(body.gaps.ends):
        joined = bridge_gaps(body.solid, body.gaps, is_thin=False)
        joined = joined | joined[::-1] if (body.solid == body.solid[::-1]).all() else joined
        if not np.array_equal(joined, body.solid):  # the bridges may lie in the solid, and measuring takes long
            whole = distance_field(body.mesh, body.grid, joined, body.points, body.faces)
    return Shape(body.frame, body.mesh, of_vertex, field, whole, body.gaps.placed(body.grid),
                 replace(base, points=body.frame.to_unit(base.points)))


def figure_on_base(mesh: Mesh, rotation: np.ndarray) -> Mesh | None:
    """The figure of a mesh alone, welded, object space, if it stands on a base when it is turned so; else None.

    rotation : (3, 3) object axes to character axes.  Raises BadMesh or ShapeTooThin.
    """
    welded = weld_faces(mesh)
    body = _Voxels.of(welded.mesh, rotation, RESOLUTION)
    under = base_faces(body.mesh, body.grid, body.solid)
    return None if under is None else without_base(welded.mesh, welded.welded_of_vertex, under)[0]


@dataclass(frozen=True, eq=False)
class _Voxels:
    """A welded mesh in its unit frame, and its solid; samples of its surface and the faces they lie on."""

    frame: Frame
    mesh: Mesh
    grid: Grid
    points: np.ndarray
    faces: np.ndarray
    solid: np.ndarray
    gaps: Gaps

    @classmethod
    def of(cls, welded: Mesh, rotation: np.ndarray | None, resolution: int) -> _Voxels:
        """With so many voxels along the longest side."""
        frame, unit = _into_frame(welded, rotation)
        unit = orient_faces(unit, find_cracks(unit, vertex_components(unit)))
        grid = grid_around(used_vertices(unit), 1.0 / resolution)
        points, faces = thin_samples(grid, *sample_surface(unit, SAMPLE_SPACING * grid.spacing))
        return cls(frame, unit, grid, points, faces, *solidify_pieces(unit, grid, points))


@VANISHING
def _into_frame(mesh: Mesh, rotation: np.ndarray | None) -> tuple[Frame, Mesh]:
    """The frame, and the mesh in it to 12 digits. Loose vertices may be anywhere, even nowhere; they come near."""
    frame = unit_frame(mesh, rotation)
    reach = STRAY * frame.scale
    vertices = np.where(np.isfinite(mesh.vertices), mesh.vertices, frame.origin)
    vertices = np.clip(vertices, frame.origin - reach, frame.origin + reach)
    return frame, mesh.moved(np.round(frame.to_unit(vertices), 12))

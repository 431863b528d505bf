"""From a prepared character and a rig to skin weights."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from scipy import sparse

from ..errors import BadRig
from ..geometry.mesh import is_used, vertex_components
from ..geometry.seams import join_parts, loose_bonds, seam_edges
from ..geometry.shape import Shape
from ..skeleton.rig import Rig
from ..skeleton.twist import twist_groups, without_twists
from ..steps import run
from .bases import stand_on_base, without_base_bones
from .beards import follow_chin
from .eyes import eye_balls, give_eyes, without_eyes
from .fingers import deal_fingers, finger_groups, without_fingers
from .geodesic import (
    GeodesicDistances,
    cell_distances,
    handle_seeds,
    needed_reach,
    suitable_resolution,
    vertex_distances,
)
from .girdles import gird
from .handles import Handles, skin_handles
from .heat import heat_weights
from .islands import fill_bare, stiffen_parts
from .layers import follow_beneath
from .methods import METHODS
from .mirror import Partners, mirror_partners, mirrored
from .papers import bones_alone, geodesic_paper, heat_paper
from .skulls import hold_skull
from .things import give_things, hold, things_of, without_things
from .twists import deal_twists
from .voxel_tree import VoxelTree, voxel_tree
from .weights import SkinWeights, limit_crowded, limit_influences
from .wheels import give_wheels, wheel_rows, without_wheels
from .wholes import whole_parts

PAPERS = {"heat_paper": heat_paper, "geodesic_paper": geodesic_paper}
# Characters made of many closed pieces hide bones from the skin: beyond these shares of it, geodesic weights fit
# artists' better than heat filled in from around.
_UNSEEN, _HIDDEN = 0.03, 0.16
_WITHIN = 0.01  # the body: deeper than any hole's lid lies off the skin that was there
_ROWS = 4096  # vertices at a time: what they need stays in the processor's cache


@dataclass(frozen=True)
class BindOptions:
    """What an artist may choose about a bind.

    influences : bones a vertex may follow; game engines take 4
    least : share below which a bone is dropped; 1 % cannot be seen
    rigid_parts : loose parts that mostly follow one bone follow it wholly
    layers : clothes take the weights of what they are worn close over
    resolution : finest voxels along the longest side, 32 to 1024, or "auto": what the thinnest limbs and narrowest gaps
        of this body need, 96 to 256 (384 and 512 gain nothing measurable)
    penalty : how much dearer a way along the skin is than one inside; the paper's 4
    alpha : 0 blends widely over joints, 1 hardly; 0.3 fits artists' weights best (the paper's is 0.1)
    Raises ValueError for what is no such number.
    """

    influences: int = 4
    least: float = 0.01
    rigid_parts: bool = True
    layers: bool = True
    resolution: int | str = "auto"
    penalty: float = 4.0
    alpha: float = 0.3

    def __post_init__(self):
        if self.resolution != "auto" and not (isinstance(self.resolution, Integral) and 32 <= self.resolution <= 1024):
            raise ValueError('resolution is "auto" or a whole number between 32 and 1024')
        if not (isinstance(self.influences, Integral) and self.influences >= 1 and 1 <= self.penalty < np.inf):
            raise ValueError("influences is a whole number and, like penalty, at least 1")
        if not (0 <= self.least <= 1 and 0 <= self.alpha <= 1):
            raise ValueError("least and alpha lie between 0 and 1")


Steps = Generator[tuple[str, float], None, SkinWeights]


def bind_shape(shape: Shape, rig: Rig, method: str = "auto", options: BindOptions | None = None) -> SkinWeights:
    """Skin weights of every original vertex to the deforming bones of a rig; no vertex is left without.

    method : "heat", "geodesic", or "auto": heat, unless much of the skin sees no bone; `reason` says why.
        "heat_paper", "geodesic_paper": as [BP07] and [DL14] wrote it, to compare with. Of the options they heed only
        `influences`, of which the first has as many as there are bones and the second at most 4, and `least`: 0 in both
    Raises BadRig if the rig has no bone to bind to.
    """
    return run(bind_shape_steps(shape, rig, method, options))


def bind_shape_steps(shape: Shape, rig: Rig, method: str = "auto", options: BindOptions | None = None,
                     fitted: Rig | None = None) -> Steps:
    """As `bind_shape`, yielding (stage, fraction) on the way.

    fitted : the rig with all bones that move skin, where some of `rig` do not because their weights stay: what hangs on
        the body or is held is known by it, and hands and limbs are dealt among all of its fingers and twist bones
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    if len(rig.names) == 0:
        raise BadRig("The skeleton has no bones. Add bones, or fit one of the presets.")
    options = BindOptions() if options is None else options
    yield "Reading the skeleton", 0.0
    if method in PAPERS:
        handles = bones_alone(skin_handles(shape, without_base_bones(shape, rig)))
        yield "Binding as published", 0.1
        weights = fill_bare(shape.mesh, PAPERS[method](shape, handles), handles)
        matrix = stand_on_base(shape, rig, _handed_out(shape, rig, handles, weights, options, fades=False))
        return SkinWeights(matrix, rig.names, method)
    fitted = rig if fitted is None else fitted
    rig = rig if fitted is rig else _with_small_bones(rig, fitted)
    whole, rig = rig, _plain(shape, rig, fitted)
    handles = skin_handles(shape, rig)
    report: dict[str, float] = {}
    reason = ""
    part, seams = _parts(shape)
    partners = None
    if method != "geodesic":
        yield "Warming the skin", 0.1
        weights, report = heat_weights(shape.mesh, shape.field, handles, seams)
        if method == "auto":
            method, reason = _choose(report)
        if method == "heat":
            partners = mirror_partners(shape.mesh, handles)
    if method == "geodesic":
        binding = yield from geodesic_binding_steps(shape, rig, options, handles, options.alpha)
        weights = binding.distances.weights(options.alpha, 2 * options.influences)
    yield "Tidying the weights", 0.85
    matrix = tidy(shape, rig, handles, weights, options, part, partners)
    if options.rigid_parts:
        matrix = follow_chin(shape, rig, gird(shape, rig, matrix), part)
        matrix = limit_crowded(matrix, options.influences, least=options.least)
    if whole is not rig:
        yield "Dealing the small bones", 0.95
        matrix = _dealt(shape, whole, matrix, options, fitted, part)
    else:
        matrix = hold(shape, whole, matrix, options.influences, options.least)
    return SkinWeights(matrix, rig.names, method, reason, report)


def _with_small_bones(rig: Rig, fitted: Rig) -> Rig:
    """The rig in which fingers and twist bones move skin as they were fitted, where their hand or limb does."""
    deform = rig.deform.copy()
    for carrier, small in [*((group.hand, group.fingers) for group in finger_groups(fitted)),
                           *((group.limb, group.bones) for group in twist_groups(fitted))]:
        deform[small] |= deform[carrier]
    return replace(rig, deform=deform)


def _plain(shape: Shape, rig: Rig, fitted: Rig) -> Rig:
    """The rig as it is bound first: hands move what fingers move, limbs what their twist bones move, the head eyes, the
    body what hangs on it; nothing moves a base or wheels."""
    fingers, twists, balls = finger_groups(rig), twist_groups(rig), eye_balls(shape, rig)
    things = things_of(shape, fitted)
    if len(shape.base.rows):
        rig = without_base_bones(shape, rig)
    if wheels := wheel_rows(shape, rig):
        rig = without_wheels(rig, wheels)
    if not (fingers or twists or balls or things):
        return rig
    return without_things(without_eyes(without_twists(without_fingers(rig, fingers), twists), balls), things)


def _dealt(shape: Shape, rig: Rig, matrix: sparse.csr_matrix, options: BindOptions, fitted: Rig, part: np.ndarray
           ) -> sparse.csr_matrix:
    """(V, B) weights of the plain rig, dealt among fingers, twist bones, eyes, things, wheels and a base.

    part : (V,) of the welded mesh, as `_parts` gives it
    """
    matrix = deal_fingers(shape, rig, finger_groups(rig), matrix, options.influences, options.least)
    frame, points = shape.frame, shape.mesh.vertices[shape.welded_of_vertex]
    unit = replace(rig, heads=frame.to_unit(rig.heads), tails=frame.to_unit(rig.tails))
    if groups := twist_groups(rig):
        wholes = whole_parts(shape.mesh, part, shape.welded_of_vertex, matrix)
        matrix = deal_twists(points, unit, groups, matrix, options.influences, options.least, wholes)
    matrix = hold(shape, rig, matrix, options.influences, options.least)
    matrix = give_eyes(shape, eye_balls(shape, rig), matrix)
    matrix = give_things(shape, rig, things_of(shape, fitted), matrix, options.influences, options.least)
    if wheels := wheel_rows(shape, rig):
        matrix = give_wheels(shape, wheels, matrix)
    return stand_on_base(shape, rig, matrix)


def _choose(report: dict[str, float]) -> tuple[str, str]:
    if report["unseen"] > _UNSEEN and report["hidden"] > _HIDDEN:
        return "geodesic", (f"{report['hidden']:.0%} of the skin has something between itself and its nearest bone, "
                            "as in characters made of many pieces")
    return "heat", f"{1 - report['hidden']:.0%} of the skin has nothing between itself and its nearest bone"


def _parts(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """(V,) connected part of each vertex of the welded mesh, seams sewn up, and (E, 2) the seams.

    Vertices inside the body that lost their faces, what is left of an eye, are tied to those around them.
    """
    part = vertex_components(shape.mesh)
    if part.max(initial=0) == 0:
        return part, np.zeros((0, 2), np.int64)
    loose = np.flatnonzero(~is_used(shape.mesh))
    loose = loose[shape.field.sample(shape.mesh.vertices[loose]) < -_WITHIN]
    seams = np.concatenate([seam_edges(shape.mesh, part), loose_bonds(shape.mesh, loose)])
    return join_parts(part, seams), seams


def tidy(shape: Shape, rig: Rig, handles: Handles, weights: np.ndarray, options: BindOptions, part: np.ndarray,
         partners: Partners | None = None) -> sparse.csr_matrix:
    """Fill, hold at the skull, stiffen, dress, mirror, prune and limit (V, K) weights of the welded mesh, and hand them
    to the original vertices.

    part : (V,) as `_parts` gives it;  partners : whose weights are to mirror each other, None leaves them
    """
    weights = hold_skull(shape, rig, handles, fill_bare(shape.mesh, weights, handles))
    if options.rigid_parts:
        weights = stiffen_parts(shape.mesh, part, weights, handles)
    if options.layers:
        weights = follow_beneath(shape.mesh, part, weights)
    return _handed_out(shape, rig, handles, mirrored(weights, partners), options)


def _handed_out(shape: Shape, rig: Rig, handles: Handles, weights: np.ndarray, options: BindOptions, *,
                fades: bool = True) -> sparse.csr_matrix:
    """(V, B) weights of the original vertices, pruned and limited, from (V, K) of the welded mesh."""
    matrix = sparse.vstack([
        limit_influences(weights[start:start + _ROWS], options.influences, least=options.least, fades=fades)
        for start in range(0, len(weights), _ROWS)
    ]).tocsr()
    count = len(handles.bones)
    place = sparse.csr_matrix((np.ones(count), (np.arange(count), handles.bones)), shape=(count, len(rig.names)))
    matrix, of_vertex = (matrix @ place).tocsr(), shape.welded_of_vertex
    is_same = len(of_vertex) == len(weights) and (of_vertex == np.arange(len(weights))).all()
    return matrix if is_same else matrix[of_vertex]


@dataclass(frozen=True, eq=False)
class GeodesicBinding:
    """Voxels and ways of a character, kept so that weights can be drawn anew at once. [DL14] section 9.

    tree : the body's cells;  ways : (K, C) distance of each cell from each handle;  distances : of the vertices
    """

    shape: Shape
    rig: Rig
    handles: Handles
    tree: VoxelTree
    ways: np.ndarray
    distances: GeodesicDistances

    def weights(self, alpha: float, options: BindOptions | None = None) -> SkinWeights:
        """Weights for another falloff. No distance is computed anew."""
        options = BindOptions() if options is None else options
        drawn = self.distances.weights(alpha, 2 * options.influences)
        part = _parts(self.shape)[0]
        matrix = tidy(self.shape, self.rig, self.handles, drawn, options, part)
        return SkinWeights(_dealt(self.shape, self.rig, matrix, options, self.rig, part), self.rig.names, "geodesic")


def geodesic_binding_steps(shape: Shape, rig: Rig, options: BindOptions, handles: Handles | None = None,
                           softest: float = 0.0) -> Generator[tuple[str, float], None, GeodesicBinding]:
    """Cut the body into voxels and measure the ways through it, yielding (stage, fraction). [DL14] algorithm 1.

    softest : the lowest alpha that weights will be drawn with; the higher it is, the fewer ways are measured
    """
    handles = skin_handles(shape, _plain(shape, rig, rig)) if handles is None else handles
    yield "Filling the body with voxels", 0.2
    resolution = options.resolution
    if isinstance(resolution, str):
        resolution = suitable_resolution(handles, shape.field, shape.mesh.area)
    tree = voxel_tree(shape.mesh, handle_seeds(handles, 0.5 / resolution)[0], resolution=resolution)
    yield "Measuring distances inside the body", 0.5
    ways = cell_distances(tree, handles, penalty=options.penalty, reach=needed_reach(softest))
    yield "Weighing vertices", 0.85
    distances = vertex_distances(tree, ways, shape.mesh.vertices).values
    even = GeodesicDistances(mirrored(distances, mirror_partners(shape.mesh, handles)))
    return GeodesicBinding(shape, rig, handles, tree, ways, even)

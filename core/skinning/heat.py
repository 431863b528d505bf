"""Heat weights: the equilibrium of a skin warmed by the bones under it. [BP07] section 4."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from ..geometry.coarsen import CoarseMesh, coarsen
from ..geometry.distance import DistanceField
from ..geometry.laplacian import cotangent_laplacian, graph_laplacian, laplacian_and_mass, lumped_mass
from ..geometry.mesh import Mesh, is_used
from ..geometry.normals import vertex_normals
from ..geometry.seams import seam_conductance
from .detour import STRONGER, lean_to_body, stray_contacts
from .handles import Handles
from .strays import LOST, stray_skin
from .visibility import Folds, visibility

# The paper's c is 1; artists' weights turn over in half that distance: 4 fits them best.
CONDUCTANCE = 4.0
# A mesh above this many vertices is solved on a coarser stand-in with clusters as small as its vertices are dense, and
# time stays near linear.
MOST_VERTICES = 20_000
# Up to so many every vertex has heat of its own, by which what its clusters say is bettered. There are this share of
# clusters then, and at least and at most so many.
_OWN_HEAT = 64_000
_COARSE_SHARE, _LEAST_COARSE, _MOST_COARSE = 0.4, 12_000, 20_000
_SWEEPS, _STEP = 4, 0.7  # of Jacobi: further sweeps gain ever less, and longer steps might overshoot
# Beyond, there are so many clusters, and where bones meet up to so many vertices of each have heat; more gain little.
_COARSE_VERTICES = 17_000
_ASKED = 6
_CANDIDATES = 10
# Up to so many vertices folds of the skin are looked for: the time grows with vertices times faces, 0.05 seconds here.
_FOLDED = 6_000
_SAME, _TIE = 1e-4, 2e-3  # handles are as near if their distances differ by a share up to _SAME, and not from _TIE
BARRED = 1e6  # unit frame: the reach of what may not warm a vertex
_NO_EDGES = np.zeros((0, 2), np.int64)


@dataclass(frozen=True, eq=False)
class HeatSources:
    """What warms each vertex.

    targets : (V, K) share of each handle in the heat, rows sum to 1, or 0 where no handle is visible
    conductance : (V,) H of the paper, 1 / length^2; 0 where no handle is visible
    seen : (V,) how much of the best visible handle is seen, 0 to 1;  nearest : (V,) how much of the nearest is
    """

    targets: np.ndarray
    conductance: np.ndarray
    seen: np.ndarray
    nearest: np.ndarray

    def report(self, skin: np.ndarray) -> dict[str, float]:
        """Shares of the vertices `skin` (V,) bool that see no handle ("unseen"), or not the nearest ("hidden")."""
        return {"unseen": float((1 - self.seen[skin]).mean()), "hidden": float((1 - self.nearest[skin]).mean())}


def heat_sources(vertices: np.ndarray, normals: np.ndarray, field: DistanceField, handles: Handles,
                 barred: np.ndarray | None = None, folds: Folds | None = None) -> HeatSources:
    """Find the nearest visible handle(s) of each vertex in the unit frame; `Handles.nearest` says what near is.

    barred : (V, S) bool, the segments that may not warm a vertex;  folds : the vertices' own skin, None to leave it out

    H = c / d^2 with d to the bone's axis, summed over equally near handles, and more where an arm merely touches the
    body. Handles nearly as near, or half hidden, count in part, so that the last bit of a coordinate decides nothing.
    A handle behind a fold of the vertex's own skin gives it no heat, and no further one does instead: the skin around
    knows better. Round ends hold all flesh within their thickness, a head its mouth. O(V S). [BP07] section 4.
    """
    distance, where, reach = handles.nearest(vertices, normals)
    reach = lean_to_body(handles, distance, where, reach)
    if barred is not None:
        reach = np.where(barred, BARRED, reach)
    order = np.argsort(reach, axis=1, kind="stable")[:, :_CANDIDATES]
    count = len(vertices)
    pull = np.zeros((count, len(handles.bones)))
    far = np.take_along_axis(reach, order, 1)
    seen = np.zeros(order.shape)  # or would be, if no fold were before it
    for rank in range(order.shape[1]):
        nearer = _nearer_by(far[:, rank, None], far[:, :rank])
        left = (1 - seen[:, :rank] * nearer).prod(1)
        open_ = np.flatnonzero((left > 0) & (far[:, rank] < BARRED))
        if len(open_) == 0:
            break
        segment = order[open_, rank]
        ends = handles.points(segment, where[open_, segment])
        seen[open_, rank] = visibility(field, vertices[open_], ends)
        clear = seen[open_, rank].copy()
        if folds is not None:
            ask = np.flatnonzero((clear > 0) & (handles.rounding[segment] == 0))
            clear[ask] *= 1 - folds.between(open_[ask], ends[ask])
        warmth = left[open_] * clear / np.maximum(distance[open_, segment], 0.003) ** 2
        handle = handles.owner[segment]
        pull[open_, handle] = np.maximum(pull[open_, handle], warmth)
    total = pull.sum(1)
    targets = np.divide(pull, total[:, None], out=np.zeros_like(pull), where=total[:, None] > 0)
    stray = stray_contacts(handles, field, vertices, order, distance, where, reach)
    return HeatSources(targets, CONDUCTANCE * total * (1 + STRONGER * stray), seen.max(1), seen[:, 0])


def _nearer_by(far: np.ndarray, others: np.ndarray) -> np.ndarray:
    """0 where `others` are as far as `far`, 1 where they are nearer by the share `_TIE` or more, between in between."""
    return np.clip((far / others - 1 - _SAME) / (_TIE - _SAME), 0.0, 1.0)


def heat_equilibrium(stiffness: sparse.spmatrix, mass: np.ndarray, sources: HeatSources) -> np.ndarray:
    """Solve (L + M H) w = M H p for all handles with one factorisation.

    stiffness : (V, V) Laplacian L;  mass : (V,) areas M.  Returns (V, K), rows sum to 1, or are 0 on connected parts
    that no source warms. Beside obtuse triangles a share may come out a little below 0, and is cut off there: raising
    the weights of their edges instead lets heat through too easily.
    """
    heat = mass * sources.conductance
    parts, part = connected_components(stiffness, directed=False)
    warm = (np.bincount(part, heat, parts) > 0)[part]
    weights = np.zeros_like(sources.targets)
    if not warm.any():
        return weights
    system = (stiffness + sparse.diags(heat)).tocsr()
    system = system.tocsc() if warm.all() else system[warm][:, warm].tocsc()
    # Panels are for matrices denser than a mesh's.
    factor = splu(system, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, relax=1, panel_size=1,
                  options={"SymmetricMode": True})
    solved = np.maximum(factor.solve(heat[warm, None] * sources.targets[warm]), 0.0)
    weights[warm] = solved / solved.sum(1, keepdims=True)
    return weights


def heat_weights(mesh: Mesh, field: DistanceField, handles: Handles, seams: np.ndarray = _NO_EDGES
                 ) -> tuple[np.ndarray, dict[str, float]]:
    """(V, K) share of every handle in every vertex of a unit-frame mesh, and how much of the skin saw what.

    seams : (E, 2) pairs of vertices between which heat passes although no face joins them
    Rows are zero where no heat arrives. Heavy meshes are solved on clusters of their vertices and carried over.
    """
    count = len(mesh.vertices)
    if count > max(MOST_VERTICES, _OWN_HEAT):
        return _heavy_weights(mesh, coarsen(mesh, _COARSE_VERTICES), field, handles, seams)
    normals = _sewn_normals(mesh, seams)
    stiffness, mass = laplacian_and_mass(mesh)
    loose = np.setdiff1d(seams, mesh.faces) if len(seams) else seams.ravel()
    if len(loose):
        normals[loose] = _out_of(field, mesh.vertices[loose])
        mass[loose] = mass.mean()
    folds = Folds.of(mesh) if count <= _FOLDED else None
    sources = heat_sources(mesh.vertices, normals, field, handles, folds=folds)
    stiffness = stiffness + _bonds(seams, count, seam_conductance(mesh, seams))
    sources = _without_strays(sources, mesh.vertices, normals, field, handles, stiffness, mass, folds)
    if count <= MOST_VERTICES:
        weights = heat_equilibrium(stiffness, mass, sources)
    else:
        clusters = int(np.clip(_COARSE_SHARE * count, _LEAST_COARSE, _MOST_COARSE))
        weights = _near_equilibrium(stiffness, mass, sources, coarsen(mesh, clusters), seams)
    return weights, sources.report(is_used(mesh))


def _near_equilibrium(stiffness: sparse.spmatrix, mass: np.ndarray, sources: HeatSources, coarse: CoarseMesh,
                      seams: np.ndarray) -> np.ndarray:
    """As `heat_equilibrium`, nearly: solved on clusters with the heat of all their vertices, carried over, then swept.

    What is lost on the way from clusters to vertices is of short range: a few sweeps of Jacobi's bring most of it back.
    What clusters lead too well or too badly stays.
    """
    heat, clusters = mass * sources.conductance, len(coarse.mesh.vertices)
    gather = sparse.csr_matrix((heat, (coarse.cluster, np.arange(len(heat)))), shape=(clusters, len(heat)))
    gathered, area = gather @ sources.targets, np.bincount(coarse.cluster, mass, clusters)
    own = gathered.sum(1)
    targets = gathered / np.maximum(own, np.finfo(float).tiny)[:, None]
    conductance = own / np.maximum(area, np.finfo(float).tiny)
    weights = _as_shares(coarse.interpolate(heat_equilibrium(
        _coarse_stiffness(coarse, seams)[0], area, HeatSources(targets, conductance, sources.seen, sources.nearest))))
    system = (stiffness + sparse.diags(heat)).tocsr()
    # beside obtuse triangles the others of a row outweigh its own entry, and steps by that would overshoot
    others = np.asarray(abs(system).sum(1)).ravel() - system.diagonal()
    step = _STEP / np.maximum(np.maximum(others, system.diagonal()), np.finfo(float).tiny)
    # in single precision: what a sweep changes is far more than its last bits, and half the numbers pass by
    system.data *= np.repeat(-step, np.diff(system.indptr))
    sweep = system.astype(np.float32)
    wanted, weights = ((step * heat)[:, None] * sources.targets).astype(np.float32), weights.astype(np.float32)
    for _ in range(_SWEEPS):
        change = sweep @ weights
        change += wanted
        weights += change
    return _as_shares(weights.astype(float))


def _heavy_weights(mesh: Mesh, coarse: CoarseMesh, field: DistanceField, handles: Handles, seams: np.ndarray
                   ) -> tuple[np.ndarray, dict[str, float]]:
    """As `heat_weights`, of a mesh that clusters stand in for.

    Clusters where bones meet ask their vertices which one warms them.
    """
    stiffness, crossing = _coarse_stiffness(coarse, seams)
    mass = lumped_mass(coarse.mesh)
    normals = _sewn_normals(coarse.mesh, crossing)
    sources = heat_sources(coarse.mesh.vertices, normals, field, handles)
    report = sources.report(is_used(coarse.mesh))
    sources = _asked(sources, coarse, mesh, field, handles, seams)
    sources = _without_strays(sources, coarse.mesh.vertices, normals, field, handles, stiffness, mass)
    solved = heat_equilibrium(stiffness, np.maximum(mass, 1e-3 * mass.mean()), sources)
    return _as_shares(coarse.interpolate(solved)), report


def _as_shares(weights: np.ndarray) -> np.ndarray:
    """The same (V, K), in place, within 0 and 1 and with rows that sum to 1, or are 0."""
    np.clip(weights, 0.0, 1.0, out=weights)
    weights /= np.maximum(weights.sum(1, keepdims=True), 1e-12)
    return weights


def _coarse_stiffness(coarse: CoarseMesh, seams: np.ndarray) -> tuple[sparse.spmatrix, np.ndarray]:
    """(C, C) Laplacian of the clusters, and (E, 2) the pairs of them that the fine mesh's seams sew together."""
    count = len(coarse.mesh.vertices)
    stiffness = cotangent_laplacian(coarse.mesh)
    a, b, c = coarse.mesh.faces.astype(np.int64).T  # a the lowest
    sides = np.concatenate([a * count + b, a * count + c, np.minimum(b, c) * count + np.maximum(b, c)])
    linked = np.zeros(len(coarse.edges), bool)
    linked[np.searchsorted(coarse.edges @ [count, 1], sides)] = True  # every side is among the edges, which are sorted
    crossing = np.sort(coarse.cluster[seams], axis=1)
    crossing = np.unique(crossing[crossing[:, 0] != crossing[:, 1]], axis=0)
    # limbs thinner than a cell have no faces left, only edges
    loose = np.concatenate([coarse.edges[~linked], crossing])
    return stiffness + _bonds(loose, count, np.ones(len(loose))), crossing


def _asked(sources: HeatSources, coarse: CoarseMesh, mesh: Mesh, field: DistanceField, handles: Handles,
           seams: np.ndarray) -> HeatSources:
    """The sources of clusters; where neighbours look to unlike handles, the mean of up to `_ASKED` vertices of each.

    mesh, seams : the fine ones
    """
    one, two = coarse.edges.T
    meets = np.zeros(len(sources.conductance), bool)
    meets[coarse.edges[(sources.targets[one] != sources.targets[two]).any(1)]] = True
    among = np.flatnonzero(meets[coarse.cluster])
    among = among[np.argsort(coarse.cluster[among], kind="stable")]
    cluster = coarse.cluster[among]
    size = np.bincount(cluster, minlength=len(meets))
    rank = np.arange(len(among)) - (np.cumsum(size) - size)[cluster]
    share = np.minimum(size, _ASKED)[cluster]
    is_asked = rank * share // size[cluster] != (rank - 1) * share // size[cluster]
    asked, cluster = among[is_asked], cluster[is_asked]
    own = heat_sources(mesh.vertices[asked], _some_normals(mesh, seams, asked), field, handles)
    mean = sparse.csr_matrix((1.0 / np.bincount(cluster)[cluster], (cluster, np.arange(len(asked)))),
                             shape=(len(meets), len(asked)))
    conductance = mean @ own.conductance
    targets = (mean @ (own.conductance[:, None] * own.targets)) / np.maximum(conductance, 1e-300)[:, None]
    return HeatSources(np.where(meets[:, None], targets, sources.targets),
                       np.where(meets, conductance, sources.conductance), sources.seen, sources.nearest)


def _without_strays(sources: HeatSources, vertices: np.ndarray, normals: np.ndarray, field: DistanceField,
                    handles: Handles, stiffness: sparse.spmatrix, mass: np.ndarray, folds: Folds | None = None
                    ) -> HeatSources:
    """The sources, where skin of the body looked to an arm beside it those of the bones that are left, and none for
    skin of an arm that looked to others: the skin around knows better."""
    arm = stray_skin(vertices, normals, sources.targets, handles, stiffness, mass)
    lost, stray = arm == LOST, np.flatnonzero(arm & ~LOST)
    if lost.any():
        sources = replace(sources, targets=np.where(lost[:, None], 0.0, sources.targets),
                          conductance=np.where(lost, 0.0, sources.conductance))
    if len(stray) == 0:
        return sources
    limb = handles.limb[handles.owner]
    barred = (limb > 0) & (limb & arm[stray, None] > 0)
    folds = None if folds is None else folds.only(stray)
    own = heat_sources(vertices[stray], normals[stray], field, handles, barred, folds)
    targets, conductance = sources.targets.copy(), sources.conductance.copy()
    seen = own.targets.any(1)  # the lining of a sleeve has nothing else to look to
    targets[stray[seen]], conductance[stray[seen]] = own.targets[seen], own.conductance[seen]
    return HeatSources(targets, conductance, sources.seen, sources.nearest)


def _sewn_normals(mesh: Mesh, seams: np.ndarray) -> np.ndarray:
    """(V, 3) vertex normals, those of the two rims of a seam averaged."""
    own = vertex_normals(mesh)
    summed = own.copy()
    np.add.at(summed, seams[:, 0], own[seams[:, 1]])
    np.add.at(summed, seams[:, 1], own[seams[:, 0]])
    length = np.linalg.norm(summed, axis=1, keepdims=True)
    return np.where(length > 1, summed / np.maximum(length, 1), summed)


def _some_normals(mesh: Mesh, seams: np.ndarray, some: np.ndarray) -> np.ndarray:
    """(N, 3) `_sewn_normals` of some vertices (N,), from the faces around them alone."""
    wanted = np.zeros(len(mesh.vertices), bool)
    wanted[some] = True
    seams = seams[wanted[seams].any(1)]
    wanted[seams] = True
    faces = mesh.faces[wanted.take(mesh.faces).any(1)]
    wanted[faces] = True
    number = np.cumsum(wanted) - 1
    return _sewn_normals(Mesh(mesh.vertices[wanted], number[faces]), number[seams])[number[some]]


def _out_of(field: DistanceField, points: np.ndarray) -> np.ndarray:
    """(N, 3) unit vectors the shortest way out of the solid, zero far from it."""
    way = field.gradient(points)
    return way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 0.1)


def _bonds(edges: np.ndarray, count: int, conductance: np.ndarray) -> sparse.csr_matrix:
    """(V, V) Laplacian of edges; 1 conducts like a square of the mesh."""
    return graph_laplacian(sparse.coo_matrix((conductance, edges.T), shape=(count, count)).tocsr())

"""Heat weights: the equilibrium of a skin warmed by the bones under it. [BP07] section 4."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from ..geometry.coarsen import coarsen
from ..geometry.distance import DistanceField
from ..geometry.laplacian import cotangent_laplacian, graph_laplacian, lumped_mass
from ..geometry.mesh import Mesh
from ..geometry.normals import vertex_normals
from .handles import Handles
from .visibility import is_visible

# The paper's c is 1; artists' weights turn over in half that distance: 4 fits them best.
CONDUCTANCE = 4.0
# A mesh above this many vertices is solved on a coarser stand-in: features below a hundredth of the body carry no
# weight of their own, and time stays near linear.
MOST_VERTICES = 16_000
_COARSE_VERTICES = 14_000
_CANDIDATES = 10
_NO_EDGES = np.zeros((0, 2), np.int64)


@dataclass(frozen=True, eq=False)
class HeatSources:
    """What warms each vertex.

    targets : (V, K) share of each handle in the heat, rows sum to 1, or 0 where no handle is visible
    conductance : (V,) H of the paper, 1 / length^2; 0 where no handle is visible
    hidden : (V,) bool, the nearest handle is not visible
    """

    targets: np.ndarray
    conductance: np.ndarray
    hidden: np.ndarray

    @property
    def unseen_share(self) -> float:
        """Share of the vertices that see no handle."""
        return float((self.conductance == 0).mean())

    @property
    def hidden_share(self) -> float:
        """Share of the vertices whose nearest handle is out of sight."""
        return float(self.hidden.mean())


def heat_sources(vertices: np.ndarray, normals: np.ndarray, field: DistanceField, handles: Handles) -> HeatSources:
    """Find the nearest visible handle(s) of each vertex in the unit frame; `Handles.nearest` says what near is.

    H = c k / d^2 with d to the bone's axis, k the number of equally near handles. O(V S). [BP07] section 4.
    """
    distance, where, reach = handles.nearest(vertices, normals)
    order = np.argsort(reach, axis=1, kind="stable")[:, :_CANDIDATES]
    count = len(vertices)
    targets = np.zeros((count, len(handles.bones)))
    nearest, axis, hidden = np.full(count, np.inf), np.ones(count), np.zeros(count, bool)
    for rank in range(order.shape[1]):
        segment = order[:, rank]
        far = np.take_along_axis(reach, segment[:, None], 1)[:, 0]
        open_ = np.flatnonzero(far <= nearest * (1 + 1e-4))
        picked = segment[open_]
        seen = is_visible(field, vertices[open_], handles.points(picked, where[open_, picked]))
        if rank == 0:
            hidden = ~seen
        open_, picked = open_[seen], picked[seen]
        fresh = ~np.isfinite(nearest[open_])
        axis[open_[fresh]] = distance[open_[fresh], picked[fresh]]
        nearest[open_] = np.minimum(nearest[open_], far[open_])
        targets[open_, handles.owner[picked]] = 1.0
    shared = targets.sum(1)
    targets /= np.maximum(shared, 1.0)[:, None]
    return HeatSources(targets, CONDUCTANCE * shared / np.maximum(axis, 0.003) ** 2, hidden)


def heat_equilibrium(stiffness: sparse.spmatrix, mass: np.ndarray, sources: HeatSources) -> np.ndarray:
    """Solve (L + M H) w = M H p for all handles with one factorisation.

    stiffness : (V, V) Laplacian L;  mass : (V,) areas M.  Returns (V, K), rows sum to 1, or are 0 on connected parts
    that no source warms.
    """
    heat = mass * sources.conductance
    parts, part = connected_components(stiffness, directed=False)
    warm = (np.bincount(part, heat, parts) > 0)[part]
    weights = np.zeros_like(sources.targets)
    if not warm.any():
        return weights
    system = (stiffness + sparse.diags(heat)).tocsr()[warm][:, warm].tocsc()
    factor = splu(system, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    solved = np.maximum(factor.solve(heat[warm, None] * sources.targets[warm]), 0.0)
    weights[warm] = solved / solved.sum(1, keepdims=True)
    return weights


def heat_weights(mesh: Mesh, field: DistanceField, handles: Handles, seams: np.ndarray = _NO_EDGES
                 ) -> tuple[np.ndarray, HeatSources]:
    """(V, K) share of every handle in every vertex of a unit-frame mesh, and what warmed it (or its stand-in).

    seams : (E, 2) pairs of vertices between which heat passes although no face joins them
    Rows are zero where no heat arrives. Heavy meshes are solved on clusters of their vertices and interpolated back.
    """
    if len(mesh.vertices) <= MOST_VERTICES:
        sources = heat_sources(mesh.vertices, _sewn_normals(mesh, seams), field, handles)
        stiffness = cotangent_laplacian(mesh, least=1e-3) + _bonds(seams, len(mesh.vertices))
        return heat_equilibrium(stiffness, lumped_mass(mesh), sources), sources
    coarse = coarsen(mesh, _COARSE_VERTICES)
    count = len(coarse.mesh.vertices)
    stiffness = cotangent_laplacian(coarse.mesh, least=1e-3)
    start, end = coarse.edges.T
    linked = np.asarray(stiffness[start, end]).ravel() != 0
    crossing = np.sort(coarse.cluster[seams], axis=1)
    crossing = np.unique(crossing[crossing[:, 0] != crossing[:, 1]], axis=0)
    # limbs thinner than a cell have no faces left, only edges
    stiffness = stiffness + _bonds(np.concatenate([coarse.edges[~linked], crossing]), count)
    mass = lumped_mass(coarse.mesh)
    sources = heat_sources(coarse.mesh.vertices, _sewn_normals(coarse.mesh, crossing), field, handles)
    solved = heat_equilibrium(stiffness, np.maximum(mass, 1e-3 * mass.mean()), sources)
    spread = coarse.prolongation @ solved
    spread /= np.maximum(spread.sum(1, keepdims=True), 1e-12)
    return spread, sources


def _sewn_normals(mesh: Mesh, seams: np.ndarray) -> np.ndarray:
    """(V, 3) vertex normals, those of the two rims of a seam averaged."""
    own = vertex_normals(mesh)
    summed = own.copy()
    np.add.at(summed, seams[:, 0], own[seams[:, 1]])
    np.add.at(summed, seams[:, 1], own[seams[:, 0]])
    length = np.linalg.norm(summed, axis=1, keepdims=True)
    return np.divide(summed, length, out=np.zeros_like(summed), where=length > 1e-9)


def _bonds(edges: np.ndarray, count: int) -> sparse.csr_matrix:
    """(V, V) Laplacian of edges that conduct like a square of the mesh."""
    return graph_laplacian(sparse.coo_matrix((np.ones(len(edges)), edges.T), shape=(count, count)).tocsr())

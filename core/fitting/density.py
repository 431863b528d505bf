"""Limb candidates clustered by density, and hands and feet corrected after the search. [W12]

A clump of possible limb ends that reaches high up is hair or a collar, not a hand: it goes as a whole. What the search
got wrong on one side is then set right by the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ..skeleton.reduce import ReducedTemplate
from .embedding import Embedding
from .graph import SphereGraph
from .penalties import PenaltyTable


@dataclass(frozen=True)
class DensityOptions:
    """Which steps of [W12] run, and its constants. All off: see `tests/benchmarks/wang_study.py`.

    clusters : drop clusters of limb candidates that reach above `threshold`, and lone candidates above it
    hands : trust the lower hand, move the higher one;  feet : move a foot that stands on the other's side
    whole_image : a moved joint goes to the mirror image of its partner. [W12] takes over the one coordinate that was
        wrong, a hand's height or a foot's x, and keeps the rest
    reach : body heights; candidates this close are neighbours. [W12]: larger takes in strangers, smaller leaves
        members behind
    least : candidates within reach, itself included, that make one the core of a cluster. In [W12] two are a cluster
    threshold : share of the body's height no hand is above. [W12]: held for most of its characters; a T-pose or long
        legs break it
    """

    clusters: bool = False
    hands: bool = False
    feet: bool = False
    whole_image: bool = False
    reach: float = 0.01
    least: int = 2
    threshold: float = 0.6


def density_clusters(points: np.ndarray, *, reach: float, least: int) -> np.ndarray:
    """(N,) cluster of each point, -1 for noise; clusters are numbered by their first core point. DBSCAN, O(N log N).

    Points with at least `least` points within `reach`, themselves included, are cores; cores within reach of each other
    share a cluster. Other points join the nearest core within reach, of equally near ones the first.
    """
    points = np.asarray(points, float).reshape(-1, 3)
    count = len(points)
    pairs = cKDTree(points).query_pairs(reach, output_type="ndarray") if count else np.zeros((0, 2), int)
    is_core = 1 + np.bincount(pairs.ravel(), minlength=count) >= least
    linked = pairs[is_core[pairs].all(1)]
    graph = sparse.coo_matrix((np.ones(len(linked)), linked.T), shape=(count, count))
    piece = connected_components(graph, directed=False)[1] if count else np.zeros(0, int)
    labels = np.full(count, -1)
    _, first, number = np.unique(piece[is_core], return_index=True, return_inverse=True)
    labels[is_core] = np.argsort(np.argsort(first))[number]
    either = np.concatenate([pairs, pairs[:, ::-1]])
    border, core = either[~is_core[either[:, 0]] & is_core[either[:, 1]]].T
    apart = np.linalg.norm(points[border] - points[core], axis=1)
    nearest = np.lexsort((core, apart, border))
    border, where = np.unique(border[nearest], return_index=True)
    labels[border] = labels[core[nearest][where]]
    return labels


def body_extent(graph: SphereGraph) -> tuple[float, float]:
    """(bottom, top) of the spheres, unit frame."""
    z = graph.points[:, 2]
    return float((z - graph.radii).min()), float((z + graph.radii).max())


def low_enough(graph: SphereGraph, places: np.ndarray, options: DensityOptions) -> np.ndarray:
    """The vertices among `places` (P,) whose whole cluster lies below the threshold. [W12] section 3.1.3.

    In a mirrored body a vertex stays only together with its mirror image.
    """
    bottom, top = body_extent(graph)
    points = graph.points[places]
    labels = density_clusters(points, reach=options.reach * (top - bottom), least=options.least)
    high = points[:, 2] > bottom + options.threshold * (top - bottom)
    dropped = high | np.isin(labels, labels[high & (labels >= 0)])
    kept = places[~dropped]
    return kept if graph.twins is None else kept[np.isin(graph.twins[kept], kept)]


def drop_high_clusters(graph: SphereGraph, reduced: ReducedTemplate, candidates: list[np.ndarray],
                       options: DensityOptions) -> list[np.ndarray]:
    """Candidates of all R joints with those of hands and feet that are too high taken out.

    Only ends of limbs that come in pairs are looked at: a head belongs up there. Where nothing would be left, nothing
    is taken out.
    """
    if not options.clusters:
        return candidates
    kept = list(candidates)
    for r in np.flatnonzero(reduced.is_leaf & (reduced.mirror >= 0)):
        low = low_enough(graph, candidates[r], options)
        kept[r] = low if len(low) else candidates[r]
    return kept


def correct_limbs(table: PenaltyTable, embedding: Embedding, options: DensityOptions) -> Embedding:
    """The embedding with one hand or foot of each pair set right by the other. [W12] section 3.2.

    Each goes to the nearest of its own candidates, so a pinned joint stays where it is pinned.
    """
    reduced, vertices = table.reduced, np.array(embedding.vertices)
    for r in np.flatnonzero(reduced.is_leaf & (reduced.mirror > np.arange(len(reduced.joints)))):
        pair = (int(r), int(reduced.mirror[r]))
        is_foot = bool(reduced.template.is_foot[reduced.joints[r]])
        if not (options.feet if is_foot else options.hands):
            continue
        wrong = _stray_foot(table, vertices, pair) if is_foot else _higher(table, vertices, pair)
        if wrong is not None:
            right = pair[0] if wrong == pair[1] else pair[1]
            wanted = _image(table, vertices, wrong, right, is_foot=is_foot, whole=options.whole_image)
            away = ((table.graph.points[table.candidates[wrong]] - wanted) ** 2).sum(1)
            vertices[wrong] = table.candidates[wrong][away.argmin()]
    if (vertices == embedding.vertices).all():
        return embedding
    placed = [int(np.searchsorted(c, v)) for c, v in zip(table.candidates, vertices, strict=True)]
    terms = table.explain(placed)
    return replace(embedding, vertices=vertices, terms=terms, penalty=float(sum(terms.values())))


def _higher(table: PenaltyTable, vertices: np.ndarray, pair: tuple[int, int]) -> int | None:
    """The joint of a pair that is placed higher, if one is."""
    low, high = sorted(pair, key=lambda r: table.graph.points[vertices[r], 2])
    return high if table.graph.points[vertices[low], 2] < table.graph.points[vertices[high], 2] else None


def _stray_foot(table: PenaltyTable, vertices: np.ndarray, pair: tuple[int, int]) -> int | None:
    """The foot of a pair on the other's side of the hips; None if neither is, or both are."""
    reduced, where = table.reduced, table.reduced.template.positions
    strays = []
    for r in pair:
        above = int(reduced.parents[r])
        side = np.sign(where[reduced.joints[r], 0] - where[reduced.joints[above], 0])
        if side * (table.graph.points[vertices[r], 0] - table.graph.points[vertices[above], 0]) < 0:
            strays.append(r)
    return strays[0] if len(strays) == 1 else None


def _image(table: PenaltyTable, vertices: np.ndarray, wrong: int, right: int, *, is_foot: bool,
           whole: bool) -> np.ndarray:
    """(3,) where the partner says a wrong joint should be."""
    points = table.graph.points
    middle = points[vertices[table.reduced.parents[right]], 0]
    mirrored = points[vertices[right]] * [-1, 1, 1] + [2 * middle, 0, 0]
    taken = np.array([True, True, True] if whole else [is_foot, False, not is_foot])
    return np.where(taken, mirrored, points[vertices[wrong]])

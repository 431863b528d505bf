"""Ends of limbs that are neither hands nor feet, and hands and feet corrected after the search. [W12]

A clump of possible limb ends that reaches high up is hair or a collar, not a hand: it goes as a whole. What the search
got wrong on one side is then set right by the other. What hangs from the head is hair however low it ends: that rule
is ours and needs no threshold on height.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from ..geometry.links import linked_parts
from ..skeleton.reduce import ReducedTemplate
from .candidates import middle_vertex
from .embedding import Embedding
from .graph import SphereGraph
from .paths import walk_paths
from .penalties import PenaltyTable


@dataclass(frozen=True)
class DensityOptions:
    """Which steps of [W12] run, and its constants; its steps are off, ours is on: `tests/benchmarks/wang_study.py`.

    hanging : drop limb candidates that hang from the head, ours. neck : a neck is at most this share as thick as head
        and trunk, stouter ones divide nothing;  climb : how far over the neck, on the way up to the head's top, the way
        to such a candidate leads; that of an arm growing out beside the neck does not;  arms : the rest must reach
        this share as far out sideways, or the neck was a waist
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

    hanging: bool = True
    neck: float = 0.85
    climb: float = 0.5
    arms: float = 0.35
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
    piece = linked_parts(count, *linked.T)
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


def hangs_from_head(graph: SphereGraph, places: np.ndarray, options: DensityOptions) -> np.ndarray:
    """(P,) bool: vertices that the trunk reaches through the neck and over the head.

    The neck is where the way up from the crotch (without a mirror plane: from the middle) to the highest sphere is
    thinnest compared with both sides. Nothing hangs if there is none, or if no arms would be left.
    """
    none, start = np.zeros(len(places), bool), middle_vertex(graph)
    top, z = graph.points[:, 2] + graph.radii, graph.points[:, 2]
    if graph.twins is not None and graph.twins[start] == start:
        on_plane = graph.twins == np.arange(len(top))
        top = np.where(on_plane, top, -np.inf)
        rise = graph.path(int(z.argmin()), int(top.argmax()))
        start = next(v for v in rise if on_plane[v])
    line = np.array(graph.path(start, int(top.argmax())))
    thick = graph.radii[line]
    sides = np.minimum(np.maximum.accumulate(thick), np.maximum.accumulate(thick[::-1])[::-1])
    at = int((thick / sides).argmin())
    if thick[at] > options.neck * sides[at]:
        return none
    walks = walk_paths(graph, np.full(len(places), start), places)
    highest = np.where(walks >= 0, z[walks], -np.inf).max(1)
    over = z[line[at]] + options.climb * (z[line[-1]] - z[line[at]])
    hanging = (walks == line[at]).any(1) & (highest >= over)
    if graph.twins is not None:
        hanging |= np.isin(places, graph.twins[places[hanging]])
    # A narrow waist is no neck: below a neck arms grow out of the trunk, not much shorter than hair is wide.
    out = np.abs(graph.points[places, 0] - graph.points[start, 0])
    arms = ~hanging & (walks == line[1]).any(1)
    return hanging if out[arms].max(initial=0.0) > options.arms * out[hanging].max(initial=0.0) else none


def drop_false_ends(graph: SphereGraph, reduced: ReducedTemplate, candidates: list[np.ndarray],
                    options: DensityOptions) -> list[np.ndarray]:
    """Candidates of all R joints, those of hands and feet less what hangs from the head or belongs to a high cluster.

    Only ends of limbs that come in pairs are looked at: a head belongs up there. Where nothing would be left, nothing
    is taken out.
    """
    kept = list(candidates)
    for r in np.flatnonzero(reduced.is_leaf & (reduced.mirror >= 0)):
        left = kept[r][~hangs_from_head(graph, kept[r], options)] if options.hanging else kept[r]
        low = low_enough(graph, left, options) if options.clusters else left
        kept[r] = low if len(low) else left
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

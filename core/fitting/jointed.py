"""Machines and toys of stiff parts: a limb bends where one part ends and the next begins."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.spatial import ConvexHull, cKDTree

from ..geometry.mesh import Mesh, vertex_components
from ..geometry.rims import rim_edges
from ..geometry.voxels import sample_surface
from .outline import Line

STEP = 0.01  # unit frame: between places at which it is asked which part a line runs in
CONVEX = 0.7  # volume over the hull's: a part that is closed and so convex does not bend
# A ball or a pin between two parts has less of a line than this share of either, and is round (its shortest side over
# its longest) or lies across (what it has of the line over its longest side). The last part moves with what it is on if
# it has so little of the line.
PIN, ROUND, ACROSS, END = 0.75, 0.5, 0.67, 0.25
# Of long parts the middle side has so little of the longest; sine of an angle between two that is none.
SLENDER, STRAIGHT = 0.67, 0.2
FLAT = 1e-4  # volume over the extent's cube: less is a sheet
LEAST, ALIKE = 0.02, 0.06  # unit frame: the shortest bone; how far limbs that mirror each other may be off
EVEN = np.linspace(0.0, 1.0, 17)


@dataclass(frozen=True)
class Span:
    """Of a line: the part that it runs in, from so far along the line to so far, and how much of that is its own."""

    part: int
    start: float
    end: float
    own: float


@dataclass(frozen=True, eq=False)
class _Form:
    """Of a part: whether it is stiff; its shortest and its middle side over its longest; this and (3,) its direction;
    (3,) the middle of the box around it along its sides."""

    is_stiff: bool
    round: float
    slender: float
    long: float
    axis: np.ndarray
    middle: np.ndarray


class StiffParts:
    """The parts of a mesh, unit frame, welded, and which of them are stiff."""

    def __init__(self, mesh: Mesh):
        part = vertex_components(mesh)
        self.mesh, self.count = mesh, int(part.max(initial=-1)) + 1
        if self.count < 2:
            return
        self.is_open = np.zeros(self.count, bool)
        self.is_open[part[rim_edges(mesh)[0].ravel()]] = True
        of_face = part[mesh.faces[:, 0]]
        self.order = np.argsort(of_face, kind="stable")
        self.begin = np.searchsorted(of_face[self.order], np.arange(self.count + 1))
        points, face = sample_surface(mesh, STEP)
        order = np.argsort(of_face[face], kind="stable")
        self.points, self.of_point = points[order], of_face[face[order]]
        self.tree = cKDTree(self.points)
        self.known: dict[int, _Form] = {}

    def joints(self, line: Line) -> np.ndarray | None:
        """(B + 1, 3) where a line begins, bends from part to part, and ends; None unless it runs through several stiff
        parts, one after the other, and through no others. What mirrors a limb bends as its mirror image."""
        if line.side == "R" and line.twin is not None and self.count > 1:
            both = _evenly(line.points) + _evenly(line.twin.points) * [1, -1, -1]
            plane = [np.median(both[:, 0]), 0, 0]
            if np.abs(both - plane).max() < ALIKE:
                there = self.joints(line.twin)
                return None if there is None else plane + there * [-1, 1, 1]
        spans = self._spans(line.points) if self.count > 1 else []
        if len(spans) < 2 or not all(self._form(span.part).is_stiff for span in spans):
            return None
        trunk = [] if line.parent is None else [span.part for span in self._spans(line.parent.points)]
        begin = line.points[0]
        while len(spans) > 1 and spans[0].part in trunk:
            begin, spans = self._between(spans[0].part, spans[1].part), spans[1:]
        return self._bends(line, begin, spans)

    def _bends(self, line: Line, begin: np.ndarray, spans: list[Span]) -> np.ndarray | None:
        """(B + 1, 3) as `joints`, for a line that begins there and has these spans.

        Where a ball or a pin lies between two parts they bend in its middle. A limb begins in the ball that it hangs
        on, and what is short at its end, as the pad of a foot, moves with what it is on.
        """
        def is_pin(one: int, *others: int) -> bool:
            form, own = self._form(spans[one].part), spans[one].own
            return (form.round > ROUND or own < ACROSS * form.long) and own < PIN * min(spans[k].own for k in others)

        limbs = [k for k in range(len(spans)) if not (0 < k < len(spans) - 1 and is_pin(k, k - 1, k + 1))]
        if len(limbs) > 1 and is_pin(limbs[0], limbs[1]):
            begin, limbs = self._form(spans[limbs[0]].part).middle, limbs[1:]
        if len(limbs) > 1 and spans[limbs[-1]].own < END * spans[limbs[-2]].own:
            limbs = limbs[:-1]
        places = [begin]
        for here, there in pairwise(limbs):
            pin = max(spans[here + 1:there], key=lambda span: span.own, default=None)
            places.append(self._between(spans[here].part, spans[there].part) if pin is None else
                          self._form(pin.part).middle)
        places.append(line.points[-1])
        kept = [k for k in range(len(places)) if k == 0 or np.linalg.norm(places[k] - places[k - 1]) > LEAST]
        return np.array(places)[kept] if len(kept) > 1 else None

    def _between(self, one: int, other: int) -> np.ndarray:
        """(3,) where two parts bend: where they are nearest to each other, or, of two long ones at an angle, where the
        lines through their middles meet: a knee bends at its pin, not at the hollow before it."""
        points, others = self._samples(one), self._samples(other)
        away, nearest = cKDTree(others).query(points)
        near = away < away.min() + 2 * STEP
        gap = (points[near].mean(0) + others[np.unique(nearest[near])].mean(0)) / 2
        a, b = self._form(one), self._form(other)
        normal = np.cross(a.axis, b.axis)
        if max(a.slender, b.slender) > SLENDER or np.linalg.norm(normal) < STRAIGHT:
            return gap
        far = b.middle - a.middle
        along = np.cross(far, b.axis) @ normal / (normal @ normal), np.cross(far, a.axis) @ normal / (normal @ normal)
        meet = (a.middle + along[0] * a.axis + b.middle + along[1] * b.axis) / 2
        return meet if np.linalg.norm(meet - gap) < min(a.long, b.long) / 2 else gap

    def _samples(self, part: int) -> np.ndarray:
        return self.points[slice(*np.searchsorted(self.of_point, [part, part + 1]))]

    def _spans(self, points: np.ndarray) -> list[Span]:
        """What of a line (K, 3) each part has, in order; parts that lie on another one have none."""
        length = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
        at = np.linspace(0.0, length, max(int(np.ceil(length / STEP)) + 1, 2))
        own = self.of_point[self.tree.query(_at(points, at))[1]]
        parts, number = np.unique(own, return_inverse=True)
        start, end = np.full(len(parts), np.inf), np.zeros(len(parts))
        np.minimum.at(start, number, at)
        np.maximum.at(end, number, at)
        much, order = STEP * np.bincount(number), np.lexsort((-end, start))
        spans: list[Span] = []
        for k in order:
            if not spans or end[k] > spans[-1].end:
                spans.append(Span(int(parts[k]), float(start[k]), float(end[k]), float(much[k])))
        return spans

    def _form(self, part: int) -> _Form:
        if part not in self.known:
            corner = self.mesh.vertices[self.mesh.faces[self.order[self.begin[part]:self.begin[part + 1]]]]
            points = np.unique(corner.reshape(-1, 3), axis=0)
            axes = np.linalg.svd(points - points.mean(0), full_matrices=False)[2]
            low, high = (end(points @ axes.T, axis=0) for end in (np.min, np.max))
            short, broad, long = np.sort(high - low)
            is_stiff = not self.is_open[part] and _fullness(corner, points) >= CONVEX
            self.known[part] = _Form(is_stiff, float(short / long), float(broad / long), float(long),
                                     axes[(high - low).argmax()], (low + high) / 2 @ axes)
        return self.known[part]


def _evenly(points: np.ndarray) -> np.ndarray:
    """(17, 3) places at even steps along a line (K, 3)."""
    return _at(points, EVEN * np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def _at(points: np.ndarray, along: np.ndarray) -> np.ndarray:
    """(N, 3) places so far along a line (K, 3)."""
    own = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return np.stack([np.interp(along, own, x) for x in points.T], 1)


def _fullness(corner: np.ndarray, points: np.ndarray) -> float:
    """The volume of a closed surface (F, 3, 3) over that of its convex hull; 0 for a flat one. points : its corners"""
    a, b, c = (corner - points[0]).transpose(1, 0, 2)
    volume = abs(float((a * np.cross(b, c)).sum())) / 6
    if volume < FLAT * float(np.linalg.norm(np.ptp(points, axis=0))) ** 3:
        return 0.0
    return volume / float(ConvexHull(points).volume)

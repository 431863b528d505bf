"""A loose thing as it is judged: samples of its surface, what it is fastened to and how it lies."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Piece:
    """A loose thing as samples of its surface, unit frame.

    points, normals : (N, 3);  areas : (N,);  rows : (M,) vertices of the welded mesh;  corners : (M, 3) where they lie
    away : (N,) to the body;  fast : (N,) bool, what lies nearest to the body
    votes : {bone: share of what is fast that lies at it};  hands : {hand: how far it is}
    upper : (N,) bool, what is fast at its upper end, if it is one part and most of that lies at the head; else nothing
    """

    points: np.ndarray
    normals: np.ndarray
    areas: np.ndarray
    rows: np.ndarray
    corners: np.ndarray
    away: np.ndarray
    fast: np.ndarray
    votes: dict[str, float]
    hands: dict[str, float]
    upper: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))

    def share(self, which: np.ndarray) -> float:
        """Of its area."""
        return float(self.areas[which].sum() / max(self.areas.sum(), 1e-300))

    def voted(self, *stems: str) -> float:
        """The votes for the bones of some parts of the body, both sides."""
        return sum(v for bone, v in self.votes.items() if bone.split(".")[0] in stems)

    def legs(self, side: str) -> float:
        """The votes for the bones of one leg."""
        return sum(self.votes.get(f"{stem}.{side}", 0.0) for stem in ("thigh", "shin", "foot", "toe"))

    @cached_property
    def middle(self) -> np.ndarray:
        """(3,) of its surface."""
        return np.average(self.points, axis=0, weights=self.areas)

    @cached_property
    def spread(self) -> np.ndarray:
        """(3,) standard deviations along its axes, the largest first."""
        off = (self.points - self.middle) * np.sqrt(self.areas / self.areas.sum())[:, None]
        return np.linalg.svd(off, compute_uv=False)

    @property
    def extent(self) -> float:
        """Its longest side."""
        return float(np.ptp(self.points, axis=0).max())

    @property
    def height(self) -> float:
        """From its lowest to its highest place."""
        return float(np.ptp(self.points[:, 2]))

    @property
    def held_at(self) -> float:
        """How high it is fastened, 0 at its lowest place to 1 at its highest."""
        mean = float(np.average(self.points[self.fast, 2], weights=self.areas[self.fast]))
        return (mean - float(self.points[:, 2].min())) / max(self.height, 1e-12)

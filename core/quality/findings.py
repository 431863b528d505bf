"""From measurements to words: what is good, what will do, what an artist would mend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..arrays import frozen
from .skin import Skin

COUNTED = 1e-3  # a weight below this is rounding, not an influence
SEEN = 0.05  # of a vertex's weight: smaller shares cannot be seen to bleed, to differ from side to side or at a seam


@dataclass(frozen=True)
class Limits:
    """From where on a value is no longer good, and from where on it is poor; `at_worst` likewise for one vertex."""

    fair: float
    poor: float
    at_worst: tuple[float, float] = (np.inf, np.inf)

    def verdict(self, value: float, worst: float = 0.0) -> str:
        """Of values that are better the smaller they are."""
        if value > self.poor or worst > self.at_worst[1]:
            return "poor"
        return "fair" if value > self.fair or worst > self.at_worst[0] else "good"


# Measured on the weights 37 characters came with from their artists, and on bad ones for the same characters: rigid,
# by distance through the air, 1 % of the vertices on a random bone, 10 % of all weight spread at random. In brackets
# the median, and the 9th decile of artists or 1st of bad ones.
#   stretch  artists 1.8 (2.3); rigid 7.0 (3.2), through the air 2.4 (1.7), random bones 38 (15), spread 2.4 (1.8)
#   its worst vertex  artists 2.1 (4.1); rigid 10 (4.0), random bones 75 (23)
#   bleed  artists 0 (0.0000, most 0.0004); through the air 0.0007, random bones 0.0059 (0.0016), spread 0.056 (0.033)
#   its worst vertex  artists 0 (0.03, most 0.10); random bones 1.0 (1.0)
#   volume lost  artists 0.41 (0.71); rigid 0.43 (0.91): depends more on the shape than on the weights
#   mirror  artists 0.003 (0.03); through the air 0.037, random bones 0.042 (0.036), spread 0.067 (0.066)
LIMITS = {
    "bare": Limits(0, 0),
    "influences": Limits(4, 8),
    "stretch": Limits(2.3, 3.0, (5.0, 8.0)),
    "volume": Limits(0.35, 0.85),  # not as artists do, but as it looks: two fifths gone is a fold
    "bleed": Limits(0.0005, 0.005, (0.12, 0.5)),
    "seams": Limits(0.0, 0.001),
    "mirror": Limits(0.05, 0.15),
}

# What is said, by verdict. The places are for the values of the finding, in their order.
WORDS = {
    "bare": {"good": "Every vertex follows a bone.",
             "poor": "{:d} vertices follow no bone and stay behind. Select them and bind again, or paint them."},
    "influences": {
        "good": "No vertex follows more than {:d} bones.",
        "fair": "Some vertices follow {:d} bones; most game engines keep 4. Weights > Limit Total mends it.",
        "poor": "Some vertices follow {:d} bones, too many to paint or to export. Weights > Limit Total mends it."},
    "stretch": {
        "good": "The skin stays together; nowhere more than {:.1f} times as long as at rest ({}).",
        "fair": "The skin is drawn out to {:.1f} times its length ({}).",
        "poor": "The skin is torn to {:.1f} times its length ({}): neighbours follow different bones."},
    "volume": {
        "good": "Joints keep their volume; least {0:.0%} at '{1}' ({2}).",
        "fair": "'{1}' keeps {0:.0%} of its volume ({2}), with Preserve Volume {3:.0%}.",
        "poor": "'{1}' collapses to {0:.0%} of its volume ({2}), with Preserve Volume to {3:.0%}. Widen the blend "
                "there, or add a twist or helper bone."},
    "bleed": {
        "good": "No weight reaches over from other limbs.",
        "fair": "Some vertices follow bones that are near through the air, but far through the body. Look at those "
                "marked.",
        "poor": "Weight of other limbs sticks to {:d} vertices, which will be dragged along. Remove it there, or bind "
                "them again."},
    "seams": {
        "good": "Seams stay closed.",
        "fair": "{:d} vertices at one place have different weights: a seam may open there.",
        "poor": "{:d} vertices at one place have different weights: seams open. Merge them by distance, or copy the "
                "weights across."},
    "mirror": {
        "good": "Left and right have the same weights.",
        "fair": "Left and right differ a little on {:d} vertices.",
        "poor": "Left and right differ on {:d} vertices. Symmetrise Weights mends it."},
}
ORDER = tuple(WORDS)
# The same of one vertex, and of a volume of which nothing is left.
ONE = {
    "bare": {"poor": "1 vertex follows no bone and stays behind. Select it and bind again, or paint it."},
    "bleed": {"poor": "Weight of other limbs sticks to 1 vertex, which will be dragged along. Remove it there, or bind "
                      "it again."},
    "mirror": {"fair": "Left and right differ a little on 1 vertex.",
               "poor": "Left and right differ on 1 vertex. Symmetrise Weights mends it."},
}
INSIDE_OUT = ("'{1}' turns inside out ({2}), with Preserve Volume it keeps {3:.0%} of its volume. Widen the blend "
              "there, or add a twist or helper bone.")


@dataclass(frozen=True, eq=False)
class Finding:
    """One thing the check looked at.

    key : what;  value : the number behind the verdict;  verdict : "good", "fair" or "poor"
    values : what the words are about;  vertices : where it is bad, the worst first, of the mesh given
    """

    key: str
    value: float
    verdict: str
    values: tuple
    vertices: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "vertices", frozen(self.vertices, np.int64, (None,), "vertices"))

    @property
    def words(self) -> str:
        """The verdict as an artist would say it, and what to do."""
        words = WORDS[self.key][self.verdict]
        if self.key == "volume":
            words = INSIDE_OUT if self.values[0] < 0 else words
            return words.format(max(self.values[0], 0.0), *self.values[1:3], max(self.values[3], 0.0))
        return (ONE.get(self.key, {}).get(self.verdict, words) if self.values[0] == 1 else words).format(*self.values)

    @property
    def told(self) -> float:
        """The number an artist looks for: the longest stretch, the volume that is kept; otherwise the value."""
        return self.values[0] if self.key in ("stretch", "volume") else self.value


def judge(skin: Skin, weights: sparse.csr_matrix, strains, stretch: np.ndarray, bled: np.ndarray,
          mirrored: tuple[np.ndarray, np.ndarray] | None, seams: np.ndarray) -> tuple[tuple[Finding, ...], np.ndarray]:
    """All findings, and (V,) how bad each vertex of the mesh given is, 0 to 1.

    weights : (V, B), rows brought to sum 1;  strains : of the poses;  stretch, bled : (W,) of the welded vertices
    mirrored : as `mirror_error` gives it;  seams : (V,)
    """
    of, used = skin.of_vertex, skin.used[skin.of_vertex]
    bare = (np.asarray(weights.sum(1)).ravel() < 0.5) & used
    counts = np.where(used, np.asarray((weights > COUNTED).sum(1)).ravel(), 0)
    found = [
        _finding("bare", float(bare.sum()), (int(bare.sum()),), bare.astype(float), 0.5),
        _finding("influences", float(counts.max(initial=0)), (int(counts.max(initial=0)),), counts,
                 LIMITS["influences"].fair),
        _stretch(strains, np.where(used, stretch[of], 1.0), stretch[skin.used])]
    volume = _volume(strains)
    if volume is not None:
        found.append(volume)
    bleeding = np.where(used, bled[of], 0.0)
    found.append(_finding("bleed", float(bled[skin.used].mean()), (int((bleeding > SEEN).sum()),), bleeding, SEEN))
    open_ = np.where(used, seams, 0.0)
    count = int((open_ > SEEN).sum())
    found.append(_finding("seams", count / max(int(used.sum()), 1), (count,), open_, SEEN))
    if mirrored is not None:
        apart = mirrored[0][of]
        value = float(mirrored[0][mirrored[1]].mean())
        found.append(_finding("mirror", value, (int((apart > SEEN).sum()),), apart, SEEN))
    drawn = np.clip((stretch[of] - 1.2) / (LIMITS["stretch"].poor - 1.2), 0, 1)
    badness = np.maximum.reduce([bare.astype(float), np.clip(2 * bleeding, 0, 1), np.clip(open_, 0, 1), drawn * used])
    return tuple(sorted(found, key=lambda f: ORDER.index(f.key))), badness


def _finding(key: str, value: float, values: tuple, of_vertex: np.ndarray, least: float) -> Finding:
    """A finding whose worst vertices are those above `least`; the largest value may decide the verdict alone."""
    order = np.argsort(-of_vertex, kind="stable")
    verdict = LIMITS[key].verdict(value, float(of_vertex.max(initial=0)))
    return Finding(key, value, verdict, values, order[:int((of_vertex > least).sum())])


def _stretch(strains, of_vertex: np.ndarray, used: np.ndarray) -> Finding:
    value = float(np.quantile(used, 0.99)) if len(used) else 1.0
    worst = max(strains, key=lambda s: s.worst, default=None)
    words = (worst.worst, worst.pose.name) if worst else (1.0, "rest")
    return _finding("stretch", value, words, of_vertex, LIMITS["stretch"].fair)


def _volume(strains) -> Finding | None:
    """The joint that keeps least; the value is what is lost. None if no joint is solid."""
    solid = [s for s in strains if s.volume is not None and not s.pose.is_general]
    if not solid:
        return None
    least = min(solid, key=lambda s: s.volume)
    lost = 1.0 - least.volume
    return Finding("volume", lost, LIMITS["volume"].verdict(lost),
                   (least.volume, least.joint, least.pose.name, least.preserved), np.zeros(0, np.int64))

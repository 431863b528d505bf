"""What bodies of a kind are like: how each joint lies from the one it hangs on. Data in presets/anatomy."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..arrays import frozen
from ..errors import BadTemplate
from ..seeing.landmarks import LANDMARKS
from ..skeleton.template import SkeletonTemplate

FORMAT, VERSION = "geppetto anatomy", 3
# How likely a joint is right that lies as no body's does.
ODDLY = 0.3
ANATOMY = Path(__file__).resolve().parents[2] / "presets" / "anatomy"


@dataclass(frozen=True, eq=False)
class JointTree:
    """How the joints of a kind of body lie to each other, in shares of its longest side.

    names : J joints, parents first;  parents : (J,) -1 for the first
    means (J, 3), precisions (J, 3, 3) : of the way from the parent to the joint, and the inverse of its covariance
    weight : of a way's log likelihood against the evidence's;  floor : least log likelihood of a way
    doubtful : (J,) how far off a joint is likely to be when it is as likely wrong as right;  slope : of its log odds
        against the logarithm of how far off it is likely to be
    odd : log likelihood of a way below which its joint is doubtful whatever is seen: right ones hardly ever have it
    between : {joint: {seen joint: share}} joints that lie between others, where artists agree least or the shape shows
        nothing; shares sum to one and may hold the joint as it is seen
    along : {joint: (from, to, share)} joints that lie in the middle of the flesh between two others
    lowest : {seen joint or one between: share} of the flesh above and below it, the least that lies below: a spine does
        not run through the belly
    """

    names: tuple[str, ...]
    parents: np.ndarray
    means: np.ndarray
    precisions: np.ndarray
    weight: float
    floor: float
    doubtful: np.ndarray
    slope: float
    odd: float
    between: dict[str, dict[str, float]]
    along: dict[str, tuple[str, str, float]]
    lowest: dict[str, float] = field(default_factory=dict)

    def __post_init__(self):
        count = len(self.names)
        object.__setattr__(self, "parents", frozen(self.parents, np.int64, (count,), "parents"))
        object.__setattr__(self, "means", frozen(self.means, np.float64, (count, 3), "means"))
        object.__setattr__(self, "doubtful", frozen(self.doubtful, np.float64, (count,), "doubtful"))
        object.__setattr__(self, "precisions", frozen(self.precisions, np.float64, (count, 3, 3), "precisions"))

    def without(self, gone: frozenset[str]) -> JointTree:
        """The tree of a body that lacks some joints and all that hang on them; what lay between them and others lies
        at what they hung on."""
        kept = [j for j, n in enumerate(self.names) if n not in gone]
        number = {j: i for i, j in enumerate(kept)} | {-1: -1}
        held: dict[str, str] = {}
        for j, name in enumerate(self.names):
            held[name] = held[self.names[self.parents[j]]] if name in gone else name
        between = {}
        for joint, row in self.between.items():
            own = between[joint] = dict.fromkeys((held[n] for n in row), 0.0)
            for n, share in row.items():
                own[held[n]] += share
        return replace(self, names=tuple(self.names[j] for j in kept), means=self.means[kept],
                       parents=np.array([number[int(self.parents[j])] for j in kept]), doubtful=self.doubtful[kept],
                       precisions=self.precisions[kept], between={j: r for j, r in between.items() if j not in gone},
                       along={j: way for j, way in self.along.items() if not gone & {j, *way[:2]}},
                       lowest={j: share for j, share in self.lowest.items() if j not in gone})

    def scaled(self, by: float) -> JointTree:
        """The tree of a body whose bones are so many times as long in its cube."""
        return replace(self, means=self.means * by, precisions=self.precisions / by**2)

    def ways(self, joint: int, parents: np.ndarray, places: np.ndarray) -> np.ndarray:
        """(N, M) weighted log likelihood of a joint's places (M, 3), its parent being at (N, 3).

        Student's t rather than Gaussian: bodies that nobody has seen are far from all others.
        """
        off = places[None] - parents[:, None] - self.means[joint]
        square = np.einsum("nmi,ij,nmj->nm", off, self.precisions[joint], off)
        return self.weight * np.maximum(-2.5 * np.log1p(square / 4), self.floor)

    def confidence(self, spread: np.ndarray, places: np.ndarray) -> np.ndarray:
        """(J,) how likely each joint is right: by how far off it is likely to be (J,), half where that is doubtful.

        Where no body is like that, by the places (J, 3) of all, at most ODDLY.
        """
        sure = 1 / (1 + (spread / self.doubtful) ** self.slope)
        for j, parent in enumerate(self.parents):
            if parent < 0:
                continue
            if self.ways(j, places[[parent]], places[[j]])[0, 0] < self.weight * self.odd:
                sure[j] = min(sure[j], ODDLY)
        return sure


def read_tree(path: str | Path) -> JointTree:
    """The tree of a file. Raises BadTemplate if it is not sound."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if (data["format"], data["version"]) != (FORMAT, VERSION):
            raise ValueError("another format or version")
        joints = data["joints"]
        names = tuple(joints)
        parents = [-1 if j["parent"] is None else names.index(j["parent"]) for j in joints.values()]
        if [p for p in parents if p < 0] != parents[:1] or any(p >= j for j, p in enumerate(parents)):
            raise ValueError("one joint, the first, has no parent, and parents come before children")
        covariances = np.array([j["covariance"] for j in joints.values()], float)
        if not (np.linalg.eigvalsh(covariances) > 0).all():
            raise ValueError("a covariance is not positive")
        between = {j: {str(n): float(share) for n, share in row.items()} for j, row in data["between"].items()}
        if any(not abs(sum(row.values()) - 1) < 1e-6 or not set(row) <= set(names) for row in between.values()):
            raise ValueError("the shares of a joint between others must be of seen joints and sum to one")
        along = {j: (str(a), str(b), float(share)) for j, (a, b, share) in data["along"].items()}
        if any(not {a, b} <= set(names) or not 0 <= share <= 1 for a, b, share in along.values()):
            raise ValueError("a joint along the flesh lies between two seen ones")
        lowest = {j: float(share) for j, share in data.get("lowest", {}).items()}
        if any(j not in {*names, *between} or not 0 <= share <= 1 for j, share in lowest.items()):
            raise ValueError("a lowest place is a share, of a joint that is seen or lies between others")
        means = np.array([j["mean"] for j in joints.values()], float)
        if not np.isfinite(means).all():
            raise ValueError("a mean is no number")
        if any(not j["spread"] > 0 for j in joints.values()):
            raise ValueError("a spread is positive")
        return JointTree(names, np.array(parents), means, np.linalg.inv(covariances),
                         doubtful=np.array([j["spread"] for j in joints.values()], float),
                         **{k: float(data[k]) for k in ("weight", "floor", "slope", "odd")},
                         between=between, along=along, lowest=lowest)
    except (OSError, KeyError, TypeError, ValueError, AttributeError, np.linalg.LinAlgError) as error:
        raise BadTemplate(f"The anatomy '{path}' is not sound: {error!r}. Install the extension again.") from error


@lru_cache(maxsize=8)
def load_tree(kind: str) -> JointTree:
    """The tree of a kind that ships, read once."""
    return read_tree(ANATOMY / f"{kind}.json")


def tree_of(template: SkeletonTemplate) -> str | None:
    """The kind of body whose tree places exactly the joints of a template; None if there is none."""
    for kind in LANDMARKS:
        tree = load_tree(kind)
        if {*tree.names, *tree.between, *tree.along} == set(template.names):
            return kind
    return None

"""The fingers of a hand: how many there are, which is the thumb, and where their joints lie.

The hand is looked at in a grid of its own. What sticks out of it, by ways through the flesh from the wrist, is a finger
if it is long enough for its thickness; the one that leaves the hand first is the thumb. Joints lie at shares of the way
from wrist to fingertip that artists' hands have in common.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..arrays import frozen
from ..geometry.shape import Shape
from ..geometry.symmetry import MirrorPlane
from ..skeleton.rig import Rig
from .branches import Branch, Rings, branches, cut_rings
from .hand_solid import FINER, HandSolid, from_wrist, hand_solid, hand_surface

# Fingers beside the thumb, by how many there are.
NAMES = {0: (), 1: ("fingers",), 2: ("index", "middle"), 3: ("index", "middle", "pinky"),
         4: ("index", "middle", "ring", "pinky")}
MOST = 4  # beside the thumb
MOST_SEEN = 9  # branches among which fingers are looked for

# All lengths below are in hands: from the wrist to the tip of the hand as the body's rig has it.
BEGIN = -0.3  # ways begin in the forearm: the thumb of a wrist placed too far out still leaves the hand behind it
LATEST = 0.3  # where a hand without a forearm begins at most
SHORTEST, LONGEST = 0.1, 0.7
FAINTEST = 0.3  # how much a finger it must be if so many are asked for
SLENDER = 0.8  # times as long as thick, at least; nails, knuckles and corners of mittens are below, fingers above 1.3
# Where else the wrist may be, in hands: joints at the wrist are right to about a tenth. It is looked for there if so
# many branches are nearly fingers: so much like one, ending so much nearer to the wrist. A cuff and a corner are two.
ELSEWHERE, SO_MANY, NEARLY = (-0.05, 0.05, -0.1, 0.1), 3, (0.7, 0.1)
FIRST = 0.4  # before this nothing that ends is a finger: cuffs, bracelets, the ends of sleeves
# Of the way from wrist to fingertip, where the knuckle is; but at least SET_BACK before the skin between two fingers.
# Learned on 110 hands of people made with MakeHuman; see tests/benchmarks/hands.py for what it reaches on others.
KNUCKLE = {"index": 0.60, "middle": 0.56, "ring": 0.56, "pinky": 0.63, "fingers": 0.56}
SET_BACK = 0.03
JOINTS = (0.0, 0.375, 0.675)  # of the way from knuckle to fingertip
THUMB = (0.28, 0.46, 0.76)  # of the way from wrist to the thumb's tip
# Unless a count was given, what sticks out is fingers only if it lies as they do. Chosen on hands with separated
# fingers of people made with MakeHuman: how parallel fingers are (cosine with their mean), the thickest over
# the thinnest, the furthest tip over the nearest, the width of their roots over all thicknesses. Held things differ.
PARALLEL, ALIKE, LEVEL, BESIDE = 0.8, 2.0, 1.45, (0.7, 2.0)
# Of a thumb beside a mitten: over the mitten's thickness; both point forwards (cosine with the hand).
THUMB_THICK, THUMB_ALONG, MITTEN_ALONG = (0.3, 1.3), 0.5, 0.7
BLUNT = 0.6  # rings of a fingertip smaller than this share of the others
SHORT = 2.8  # a finger so many times as long as thick, or less, and a mitten have two joints
SHORT_JOINTS = (0.0, 0.45)


@dataclass(frozen=True, eq=False)
class Finger:
    """One finger, thumb or mitten.

    name : "thumb", "index", "middle", "ring", "pinky", or "fingers" for all of a mitten's
    joints : (K + 1, 3) from the knuckle to the tip, unit frame; K bones;  bend : (3,) where the tip goes when it closes
    """

    name: str
    joints: np.ndarray
    bend: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "joints", frozen(self.joints, float, (None, 3), "joints"))
        object.__setattr__(self, "bend", frozen(self.bend, float, (3,), "bend"))


@dataclass(frozen=True, eq=False)
class Hand:
    """The fingers of one hand, thumb first, then from index to pinky; none where none shows.

    palm : (3,) unit vector out of the palm
    """

    side: str
    fingers: tuple[Finger, ...] = ()
    palm: np.ndarray | None = None

    def mirrored(self, plane: MirrorPlane) -> Hand:
        """The same hand of the other side."""
        turn = np.array([-1.0, 1.0, 1.0])
        fingers = tuple(Finger(f.name, plane.reflect(f.joints), f.bend * turn) for f in self.fingers)
        return Hand("R" if self.side == "L" else "L", fingers, None if self.palm is None else self.palm * turn)


def finger_likeness(length: float, thickness: float) -> float:
    """How much something that sticks out so far, and is so thick, is a finger: it is one from 1 on."""
    return min(length / SHORTEST, length / (SLENDER * thickness)) if length <= LONGEST else 0.0


def find_fingers(shape: Shape, rig: Rig, side: str, *, count: int | None = None) -> Hand:
    """The fingers of the hand of one side, "L" or "R".

    rig : of the body, object space, with the joints hand.L, hand_tip.L and their partners
    count : how many fingers to look for, thumb included, 0 to 5; None takes those that show. One is a mitten's
    """
    surface = hand_surface(shape, rig, side)
    hand = hand_solid(shape, rig, side, surface)
    finer = lambda: hand_solid(shape, rig, side, surface, FINER)  # noqa: E731 - told in one line
    return Hand(side) if hand is None else read_hand(hand, side, count=count, finer=finer)


def read_hand(hand: HandSolid, side: str, *, count: int | None = None,
              finer: Callable[[], HandSolid | None] | None = None) -> Hand:
    """The fingers of a hand in its own grid. count as for `find_fingers`.

    finer : gives the same hand in a finer grid, for one that shows all its fingers but one
    Where more branches are nearly fingers than were counted, the wrist may be off: the hand is read from other wrists
    near by as well, and the reading with most fingers is taken.
    """
    rings = _rings(hand)
    if rings is None or count == 0:
        return Hand(side)
    first = _read(hand, rings, side, count)
    if count is not None or len(first.fingers) > MOST:
        return first
    if len(first.fingers) == MOST and finer is not None and (fine := finer()) is not None:
        again = read_hand(fine, side)
        if len(again.fingers) > MOST:
            return again
    if not len(first.fingers) < len(_stumps(hand, rings, NEARLY[0], FIRST - NEARLY[1])) >= SO_MANY:
        return first
    moved = [from_wrist(hand, at) for at in ELSEWHERE]
    others = [_read(h, r, side, None) for h, r in zip(moved, map(_rings, moved), strict=True) if r is not None]
    return max([first, *(h for h in others if len(h.fingers) >= SO_MANY)], key=lambda h: len(h.fingers))


def _rings(hand: HandSolid) -> Rings | None:
    """The flesh of a hand by its ways from the forearm."""
    sources, start = _beginning(hand)
    return cut_rings(hand.solid, sources, hand.grid.spacing, start=start)


def _read(hand: HandSolid, rings: Rings, side: str, count: int | None) -> Hand:
    """The fingers of a hand whose wrist is right."""
    found = _fingers_of(hand, rings, count)
    if len(found) < 2:
        return Hand(side)
    thumb, others = _tell_thumb(hand, rings, found)
    if count is None and not _looks_like_a_hand(hand, rings, thumb, others):
        return Hand(side)
    palm, front = _palm(hand, rings, thumb, others)
    others = sorted(others, key=lambda b: -float(_place(hand, rings, b) @ front))[:MOST]
    fingers = [] if count == 1 else [_finger(hand, rings, thumb, "thumb", palm - front)]
    fingers += [_finger(hand, rings, b, name, palm) for b, name in zip(others, NAMES[len(others)], strict=True)]
    return Hand(side, tuple(fingers), palm @ hand.axes)


def _beginning(hand: HandSolid) -> tuple[np.ndarray, float]:
    """(nx, ny, nz) bool: the slice of the forearm where ways begin, and how far beyond BEGIN it lies.

    Of a hand that is a thing of its own, without a forearm, the ways begin where it does.
    """
    grid = hand.grid
    x, y, z = (grid.origin[k] + (np.arange(n) + 0.5) * grid.spacing for k, n in enumerate(grid.shape))
    round_ = np.hypot(y[:, None], z[None, :]) < 0.4
    first = int(np.abs(x - BEGIN).argmin())
    filled = np.flatnonzero((hand.solid & round_).any((1, 2)) & (x > x[first] - 1e-9) & (x < LATEST))
    at = int(filled[0]) if len(filled) else first
    slice_ = np.zeros(grid.shape, bool)
    slice_[at] = round_
    return slice_, float(x[at] - x[first])


def _fingers_of(hand: HandSolid, rings: Rings, count: int | None) -> list[Branch]:
    """What sticks out of a hand like a finger; or the so many that do so most, two at least.

    Of more than a hand has, or of some that do not lie as fingers do, those are taken that do: something is held.
    """
    least = 1.0
    if count is not None:
        every = _stumps(hand, rings, FAINTEST)
        likeness = sorted((finger_likeness(b.length, rings.thickness(b)) for b in every), reverse=True)
        least = likeness[min(max(count, 2), len(likeness)) - 1] if likeness else 1.0
    found = _stumps(hand, rings, least)
    most = MOST + 1 if count is None else max(count, 2)
    thick = np.log([rings.thickness(b) for b in found])
    off = np.abs(thick - np.median(thick)) if found else thick
    first = sorted(np.argsort(off, kind="stable")[:most].tolist())
    if count is None and len(found) >= MOST:
        sets = (chosen for size in (MOST + 1, MOST) for chosen in sorted(
            combinations(range(len(found))[:MOST_SEEN], size), key=lambda chosen: (off[list(chosen)].sum(), chosen)))
        for chosen in (first, *sets):
            own = [found[i] for i in chosen]
            if _looks_like_a_hand(hand, rings, *_tell_thumb(hand, rings, own)):
                return own
    return [found[i] for i in first]


def _stumps(hand: HandSolid, rings: Rings, least: float, first: float = FIRST) -> list[Branch]:
    """The branches of a hand that are fingers by `least` or more, and end beyond `first`. What ends behind the slice
    where ways begin is none: of a bent arm, ways go back through the elbow as well."""
    like = lambda length, thickness: finger_likeness(length, thickness) >= least  # noqa: E731 - used twice
    return [b for b in branches(rings, like)
            if b.stem >= 0 and len(b.rings) > 1 and b.end + BEGIN >= first and like(b.length, rings.thickness(b))
            and _place(hand, rings, b)[0] > BEGIN]


def _points(hand: HandSolid, rings: Rings, which) -> np.ndarray:
    """(N, 3) middles of rings in hand axes."""
    return hand.grid.centres(rings.middles[which])


def _place(hand: HandSolid, rings: Rings, branch: Branch) -> np.ndarray:
    """(3,) the middle of a branch."""
    return _points(hand, rings, branch.rings).mean(0)


def _tell_thumb(hand: HandSolid, rings: Rings, found: list[Branch]) -> tuple[Branch, list[Branch]]:
    """The thumb, and the other fingers: it leaves the hand early, and far from the root of any other."""
    root = np.array([_points(hand, rings, b.rings[-1:])[0] for b in found])
    apart = np.linalg.norm(root[:, None] - root, axis=2) + np.where(np.eye(len(found)), np.inf, 0.0)
    early = np.array([b.start for b in found]) - apart.min(1)
    first = min(range(len(found)), key=lambda i: (early[i], found[i].start, found[i].end))
    return found[first], [b for i, b in enumerate(found) if i != first]


def _looks_like_a_hand(hand: HandSolid, rings: Rings, thumb: Branch, others: list[Branch]) -> bool:
    """Whether what sticks out lies side by side as fingers do, or is a mitten's two ends."""
    along = np.array([_points(hand, rings, b.rings[:1])[0] - _points(hand, rings, b.rings[-1:])[0]
                      for b in (thumb, *others)])
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-12)
    mean = along[1:].mean(0) / max(float(np.linalg.norm(along[1:].mean(0))), 1e-12)
    thick = np.array([rings.thickness(b) for b in others])
    if len(others) == 1:
        low, high = THUMB_THICK
        return bool(low <= rings.thickness(thumb) / thick[0] <= high and along[0, 0] >= THUMB_ALONG
                    and mean[0] >= MITTEN_ALONG)
    roots = np.array([_points(hand, rings, b.rings[-1:])[0] for b in others])
    ends = [b.end for b in others]
    return bool((along[1:] @ mean).min() >= PARALLEL and thick.max() <= ALIKE * thick.min()
                and max(ends) <= LEVEL * min(ends)
                and BESIDE[0] <= float(np.ptp(roots, axis=0).max()) / thick.sum() <= BESIDE[1])


def _palm(hand: HandSolid, rings: Rings, thumb: Branch, others: list[Branch]) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors in hand axes: out of the palm, and across it towards the thumb.

    In the axes of a hand fingers point along x; of a left hand, and of a right hand seen in a mirror, the palm is where
    fingers cross thumb points to.
    """
    roots = np.array([_points(hand, rings, b.rings[-1:])[0] for b in others])
    tips = np.array([_points(hand, rings, b.rings[:1])[0] for b in others])
    along = (tips - roots).sum(0)
    along /= np.linalg.norm(along)
    aside = _points(hand, rings, thumb.rings[-1:])[0] - roots.mean(0)
    across = np.linalg.svd(roots - roots.mean(0))[2][0] if len(others) > 1 else aside
    across = across - along * (along @ across)
    across /= np.linalg.norm(across)
    below = _place(hand, rings, thumb) - np.mean([_place(hand, rings, b) for b in others], 0)
    if aside @ across + below @ np.cross(along, across) < 0:  # a thumb lies beside the first finger, or below the palm
        across = -across
    return np.cross(along, across), across


def _middle_line(hand: HandSolid, rings: Rings, branch: Branch) -> tuple[np.ndarray, np.ndarray]:
    """(N,) ways from the wrist and (N, 3) the middle of a finger there, from its root to its tip, hand axes.

    The last rings are a corner of the fingertip rather than its middle: the line goes on straight instead.
    """
    own = branch.rings[::-1]
    whole = np.flatnonzero(rings.sizes[own] >= BLUNT * np.median(rings.sizes[own]))
    own = own[:max(whole[-1] + 1, 2)]
    away, line = (rings.band[own] + 0.5) * rings.step + BEGIN, _points(hand, rings, own)
    for _ in range(2):
        line[1:-1] = (line[:-2] + line[1:-1] + line[2:]) / 3
    end = branch.end + BEGIN
    if len(own) > 1 and end > away[-1]:
        first = len(own) - 1 - max(len(own) // 3, 1)
        step = (line[-1] - line[first]) / np.linalg.norm(line[-1] - line[first])
        away, line = np.append(away, end), np.vstack([line, line[-1] + step * (end - away[-1])])
    return away, line


def _finger(hand: HandSolid, rings: Rings, branch: Branch, name: str, bend: np.ndarray) -> Finger:
    """The joints of one finger."""
    away, line = _middle_line(hand, rings, branch)
    if name == "fingers":  # the furthest place of a mitten is a corner
        line = line[0] + (away - away[0])[:, None] * _direction(line)
    end, start = branch.end + BEGIN, branch.start + BEGIN
    if name == "thumb":
        at = [share * end for share in THUMB]
    else:
        knuckle = min(KNUCKLE[name] * end, start - SET_BACK)
        is_short = name == "fingers" or end - knuckle <= SHORT * rings.thickness(branch)
        at = [knuckle + share * (end - knuckle) for share in (SHORT_JOINTS if is_short else JOINTS)]
    joints = np.array([np.interp(at, away, line[:, d]) for d in range(3)]).T
    inner = np.array(at) < away[0]  # inside the palm a finger goes on as it begins
    joints[inner] = line[0] - (away[0] - np.array(at)[inner])[:, None] * _direction(line)
    return Finger(name, hand.to_unit(np.vstack([joints, line[-1:]])), bend @ hand.axes)


def _direction(line: np.ndarray) -> np.ndarray:
    """(3,) unit vector along the first half of a line."""
    forth = line[min(len(line) - 1, max(len(line) // 2, 1))] - line[0]
    return forth / np.linalg.norm(forth)

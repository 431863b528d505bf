"""From a body's rig to one with the small parts the artist asked for."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from ..arrays import argwhere
from ..fitting.check import sentence
from ..fitting.fit import Fitter
from ..fitting.from_shape import ShapeTemplate
from ..fitting.options import FitOptions
from ..fitting.pins import read_place
from ..fitting.search import Skeletal
from ..geometry.balls import Balls
from ..geometry.shape import Shape
from ..geometry.symmetry import MirrorPlane
from ..hanging.find import find_things, wings_of
from ..hanging.thing import COLLECTION as THINGS
from ..hanging.thing import with_things
from ..skeleton.chain import Chain, finger_of, with_chains
from ..skeleton.eye import with_eyes
from ..skeleton.rig import Rig, doubtful
from ..skeleton.root import BASE, ON_BASE, ROOT, with_base, with_root
from ..skeleton.template import SkeletonTemplate
from ..skeleton.twist import MOST as MOST_TWISTS
from ..skeleton.twist import with_twists
from ..steps import run
from .eyes import balls_of, find_eyes
from .hand_solid import FINER, HandSolid, hand_solid, hand_surface, is_modelled_once
from .hands import MOST, Hand, read_hand
from .levels import LEVELS
from .limbs import find_limbs, is_limb_joint, without_bones

SIDES = ("L", "R")
ALIKE = 0.9  # share of two hands' flesh, one in the mirror, that lies in both, from which on they are one hand twice
LOW_BASE = 0.02  # unit frame: the bone of a base that is a flat sheet stands up by this much
SURE = 0.9  # what shows as fingers is fingers on more than nine in ten hands; see tests/benchmarks/hands.py


@dataclass(frozen=True)
class DetailOptions:
    """How far a skeleton goes into detail.

    level : "body", "hands" (fingers where they show, limbs that the skeleton does not know) or "full" (eyes, twist
        bones, what hangs on a body or is held by it, a root on the ground as well)
    fingers : on each hand, thumb included, 0 to 5; None takes those that show
    twists : in each limb of a full skeleton, 0 to 3; with two a forearm wrung by 90 degrees keeps 0.95 of its volume
    root : a bone on the ground under the hips; a full skeleton has it anyway
    without : names of things that get no bones: "cape", "prop_hand.R"; what is not there does not matter. "base": what
        the figure stands on is part of the body, and is prepared so
    """

    level: str = "hands"
    fingers: int | None = None
    twists: int = 2
    root: bool = False
    without: tuple[str, ...] = ()

    def __post_init__(self):
        if self.level not in LEVELS:
            raise ValueError(f"level is one of {', '.join(LEVELS)}, not {self.level!r}")
        if self.fingers is not None and not 0 <= self.fingers <= MOST + 1:
            raise ValueError(f"fingers lie between 0 and {MOST + 1}")
        if not 0 <= self.twists <= MOST_TWISTS:
            raise ValueError(f"twists lie between 0 and {MOST_TWISTS}")

    @property
    def has_base(self) -> bool:
        """Whether what a figure stands on is told from the body."""
        return BASE not in self.without

    @property
    def has_root(self) -> bool:
        """Whether there is a root on the ground."""
        return self.root or self.level == "full"


def may_pin(template: SkeletonTemplate, joint: str) -> bool:
    """Whether a joint of this name can be pinned in a template's fit: its own, a finger's, or a further limb's."""
    is_limb = is_limb_joint(joint) and not isinstance(template, ShapeTemplate)
    return joint in template.names or finger_of(joint) is not None or is_limb


class Grower:
    """A template's fit into a shape, with its small parts. Hands that pins do not move are looked at once.

    The same calls as a `Fitter` has: `steps`, `rig`, `shape`, `template`, `options`, `plane`, `skeletal`.
    """

    def __init__(self, shape: Shape, template: SkeletonTemplate, options: FitOptions = FitOptions(),
                 detail: DetailOptions = DetailOptions()):
        self.fitter, self.detail = Fitter(shape, template, options), detail
        self.shape, self.template, self.options = shape, template, options
        self._hands: dict[bytes, dict[str, Hand]] = {}
        self._balls: Balls | None = None
        self._limbs: list[Chain] | None = None

    @property
    def plane(self) -> MirrorPlane | None:
        """The mirror plane of a body with like sides."""
        return self.fitter.plane

    @property
    def skeletal(self) -> Skeletal:
        """The body's middle, mirrored if the body is."""
        return self.fitter.skeletal

    def steps(self, hints: Mapping[str, np.ndarray]) -> Generator[tuple[str, float], None, Rig]:
        """As `Fitter.steps`; hints may also name joints of chains, "index_2.L": those that are not there wait."""
        own = {n: read_place(self.shape.frame, n, p) for n, p in hints.items()
               if n not in self.template.names and may_pin(self.template, n)}
        rig = yield from self.fitter.steps({n: p for n, p in hints.items() if n not in own})
        if self.detail.level != "body":
            yield "Finding fingers and limbs", 0.95
            fingers = self._grown(rig, own)
            wings = []
            if not isinstance(self.template, ShapeTemplate):
                if self._limbs is None:  # of the body as it is read without pins, which may lead bones elsewhere
                    self._limbs = find_limbs(self.shape, self.fitter.rig({}) if len(hints) > len(own) else rig)
                if self.detail.level == "hands" or self._limbs:  # what has wings' bones is no limb
                    wings = [t for t in wings_of(self.shape, rig) if t.name not in self.detail.without]
                fingers = self._with_limbs(with_things(rig, wings, self.shape.frame), fingers, own)
            rig = fingers if self.detail.level == "full" else with_things(fingers, wings, self.shape.frame)
        if self.detail.level == "full":
            yield "Finding eyes and things", 0.98
            self._balls = balls_of(self.shape) if self._balls is None else self._balls
            things = find_things(self.shape, rig)
            rig = with_twists(with_eyes(rig, find_eyes(self.shape, rig, self._balls)), self.detail.twists)
            rig = with_things(rig, [t for t in things if t.name not in self.detail.without], self.shape.frame)
            rig = replace(rig, things=tuple(t.name for t in things))
        has_base = len(self.shape.base.rows) > 0 and self.detail.has_base
        if (self.detail.has_root or has_base) and ROOT not in rig.names:
            axes, origin = self.shape.frame.rotation, self.shape.frame.origin
            rig = with_root(rig, float(origin @ axes[2]), axes=axes)
        return self._on_base(rig) if has_base else rig

    def rig(self, hints: Mapping[str, np.ndarray] = MappingProxyType({})) -> Rig:
        """`steps` to their end."""
        return run(self.steps(hints))

    def _on_base(self, rig: Rig) -> Rig:
        """The rig with a bone for the base that the figure stands on."""
        low, high = self.shape.base.box
        middle, high = (low + high) / 2, np.maximum(high, low + LOW_BASE)
        ends = self.shape.frame.to_object(np.array([[*middle[:2], low[2]], [*middle[:2], high[2]]]))
        return replace(with_base(rig, ends[0], ends[1], THINGS), warnings=(*rig.warnings, sentence(ON_BASE)),
                       things=(*rig.things, BASE))

    def _grown(self, rig: Rig, pins: Mapping[str, np.ndarray]) -> Rig:
        sides = [s for s in SIDES if {f"hand.{s}", f"hand_tip.{s}"} <= rig.joints.keys() and f"hand.{s}" in rig.names]
        if self.detail.fingers is None:  # where the hand itself is in doubt, what sticks out may be anything
            unsure = {n[-1] for n in doubtful(rig) if n[:-2] in ("hand", "hand_tip")}
            sides = [s for s in sides if s not in unsure]
        if not sides:
            return rig
        hands = self._seen(rig, sides)
        chains = [c for s in sides for c in _chains(hands[s], rig, self.shape, s)]
        chains = _pinned(chains, pins, self._mirror())
        rig = with_chains(_palms(rig, chains), chains)
        return replace(rig, confidence=_sure(rig, pins),
                       warnings=(*rig.warnings, *_missing(rig, sides, self.detail.fingers)))

    def _with_limbs(self, plain: Rig, rig: Rig, pins: Mapping[str, np.ndarray]) -> Rig:
        """The rig with limbs that the skeleton does not know.  plain : without fingers, with wings"""
        chains = _pinned(without_bones(self._limbs or [], self.shape, plain), pins, self._mirror())
        if not chains:
            return rig
        names = ", ".join(f"'{chain.name}'" for chain in chains)
        told = (f"The body has limbs that the skeleton does not know; {names} got bones that follow the shape. Delete "
                "those you do not want: Update Rig leaves them out.")
        rig = with_chains(rig, chains)
        return replace(rig, confidence=_sure(rig, pins), warnings=(*rig.warnings, told))

    def _mirror(self):
        """(3,) object space -> its mirror image, None if pins of one side do not count for the other."""
        plane, frame = self.plane if self.options.mirror_pins else None, self.shape.frame
        return None if plane is None else lambda p: frame.to_object(plane.reflect(frame.to_unit(p)))

    def _seen(self, rig: Rig, sides: list[str]) -> dict[str, Hand]:
        """{side: its hand}. Two that are each other's mirror image are read once."""
        where = [np.array([rig.joints[f"{n}.{s}"] for n in ("hand", "hand_tip")]) for s in sides]
        key = np.concatenate([*where, rig.heads, rig.tails]).tobytes()
        if key not in self._hands:
            if len(self._hands) > 8:  # a wrist being dragged
                self._hands.clear()
            self._hands[key] = see_hands(self.shape, rig, sides, self.plane, self.detail.fingers)
        return self._hands[key]


def see_hands(shape: Shape, rig: Rig, sides: list[str], plane: MirrorPlane | None, count: int | None
              ) -> dict[str, Hand]:
    """{side: its hand}. Of a mirrored body whose hands look alike, the one with more fingers speaks for both.

    The right one is not read if the left one has all the fingers there can be, or was modelled once with it.
    """
    skin = {s: hand_surface(shape, rig, s) for s in sides}
    is_one = plane is not None and len(sides) == 2 and is_modelled_once(skin["L"], skin["R"])
    flesh = {s: hand_solid(shape, rig, s, skin[s]) for s in (sides[:1] if is_one else sides)}
    finer = lambda s: hand_solid(shape, rig, s, skin[s], FINER)  # noqa: E731 - told in one line
    read = lambda s: (Hand(s) if flesh[s] is None else  # noqa: E731 - used thrice
                      read_hand(flesh[s], s, count=count, finer=partial(finer, s)))
    if not is_one and (plane is None or len(sides) < 2 or not _are_alike(flesh["L"], flesh["R"], plane)):
        return {s: read(s) for s in sides}
    left = read("L")
    right = left.mirrored(plane) if is_one or len(left.fingers) > MOST else read("R")
    if len(right.fingers) > len(left.fingers):
        return {"L": right.mirrored(plane), "R": right}
    return {"L": left, "R": left.mirrored(plane)}


def _are_alike(left: HandSolid | None, right: HandSolid | None, plane: MirrorPlane) -> bool:
    """Whether two hands begin at mirrored places and their flesh is the same in the mirror."""
    if left is None or right is None or left.grid.spacing != right.grid.spacing:
        return False
    apart = np.linalg.norm(plane.reflect(left.origin[None])[0] - right.origin)
    if apart > 0.1 * left.length or abs(left.length - right.length) > 0.02 * left.length:
        return False
    mine, others = left.solid, right.solid
    points = left.grid.centres(argwhere(mine))
    held = right.grid.index_of(points)
    inside = (points > right.grid.origin).all(1)
    inside &= (points < right.grid.origin + right.grid.spacing * np.array(right.grid.shape)).all(1)
    both = np.count_nonzero(others[tuple(held.T)] & inside)
    return both >= ALIKE * max(np.count_nonzero(mine), np.count_nonzero(others))


def _chains(hand: Hand, rig: Rig, shape: Shape, side: str) -> list[Chain]:
    """A hand's fingers as chains on its bone."""
    out = []
    sure = min(SURE, rig.confidence.get(f"hand.{side}", 1.0))
    for finger in hand.fingers:
        ends = [*range(1, len(finger.joints)), "tip"]
        joints = tuple(f"{finger.name}_{k}.{side}" for k in ends)
        out.append(Chain(f"{finger.name}.{side}", f"hand.{side}", joints, shape.frame.to_object(finger.joints),
                         shape.frame.turn_to_object(finger.bend), sure, f"Fingers.{side}"))
    return out


def finger_counts(rig: Rig) -> dict[str, int]:
    """{side: how many fingers its hand has}, thumb counted; a mitten's are one."""
    return {s: sum(finger_of(c.joints[0]) is not None and c.name.endswith(s) for c in rig.chains) for s in SIDES}


def _missing(rig: Rig, sides: list[str], count: int | None) -> tuple[str, ...]:
    found = finger_counts(rig)
    if count is None:
        return tuple(f"Hand '{side}' shows no fingers, the other one shows {max(found.values())}: it may hold "
                     "something. If it has some, choose how many under Fingers." for side in sides
                     if found[side] == 0 and max(found.values()) > 1)
    if count == 1:
        return tuple(f"Hand '{side}' does not show the finger looked for. Part it in the mesh, or choose none."
                     for side in sides if not found[side])
    return tuple(f"Hand '{side}' shows {found[side]} of the {count} fingers looked for: they may be melted together. "
                 "Part them in the mesh, or choose fewer." for side in sides if found[side] < (count or 0))


def _palms(rig: Rig, chains: list[Chain]) -> Rig:
    """The rig whose hand bones end where the fingers begin; the joint at the tip of the hand stays where it is."""
    tails = rig.tails.copy()
    for bone in dict.fromkeys(c.parent for c in chains):
        knuckles = [c.places[0] for c in chains if c.parent == bone and not c.name.startswith("thumb")]
        if knuckles:
            tails[rig.names.index(bone)] = np.mean(knuckles, axis=0)
    return replace(rig, tails=tails)


def _pinned(chains: list[Chain], pins: Mapping[str, np.ndarray], mirror) -> list[Chain]:
    """The chains with the pinned joints in place. Those between move along evenly, the knuckle only if it is pinned; of
    a limb the tip too, which stands out where it is, while a finger goes along as one.

    mirror : function that mirrors (3,) places, for chains without pins whose partners have some; None leaves them
    """
    of = dict(pins)
    if mirror is not None:
        held = {joint for c in chains if set(c.joints) & pins.keys() for joint in c.joints}
        of |= {_other(n): mirror(p) for n, p in pins.items() if n[-2:] in (".L", ".R") and _other(n) not in held}
    return [replace(c, places=_spread(c, of)) if set(c.joints) & of.keys() else c for c in chains]


def _sure(rig: Rig, pins: Mapping[str, np.ndarray]) -> dict[str, float]:
    """The rig's confidence, pinned joints certain."""
    return rig.confidence | dict.fromkeys(sorted(pins.keys() & rig.joints.keys()), 1.0)


def _other(name: str) -> str:
    return name[:-1] + SIDES[1 - SIDES.index(name[-1])]


def _spread(chain: Chain, pins: Mapping[str, np.ndarray]) -> np.ndarray:
    places = chain.places
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    ends = (0, len(places) - 1) if is_limb_joint(chain.joints[0]) else (0,)
    held = [k for k, n in enumerate(chain.joints) if n in pins or k in ends]
    moved = np.array([pins[chain.joints[k]] - places[k] if chain.joints[k] in pins else np.zeros(3) for k in held])
    out = places + np.array([np.interp(along, along[held], moved[:, d]) for d in range(3)]).T
    for k in held:
        if chain.joints[k] in pins:
            out[k] = pins[chain.joints[k]]
    return out

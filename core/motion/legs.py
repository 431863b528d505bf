"""Legs: which bones they are, where they touch the ground, and how they reach for a place.

A leg is a chain that bends in one plane: the upper bone turns freely at the hip, the others about an axis they share.
It ends at the ankle, where a foot begins whose direction is a matter of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..geometry.rotation import between, cross, from_axis_angle, multiply, normalized, rotate
from ..skeleton.rig import Rig
from .sole import Skin, Sole, find_sole, has_heel

LIMBS = {"leg": (("thigh", "shin"), "foot", "toe"),
         "front": (("front_upper", "front_lower", "front_heel"), "front_foot", ""),
         "hind": (("hind_upper", "hind_lower", "hind_heel"), "hind_foot", "")}
HIGH_ANKLE = 0.22  # of the chain: an animal that stands on its toes has its ankle above this
STEEP = 1.25  # down to forward: a short-legged doll's foot goes down at half a right angle, a bird's at more
FOOT = 0.25  # of the chain: how long a foot is at most, whatever end its only bone is given by an exporter
SHORT = 0.3  # of that: a foot's bone that is shorter says nothing of the foot
BALL = 0.65  # of a sole, from the rear: what a foot without toes rolls over
IN_AIR = 0.15  # of the height of a leg: no peg reaches the ground that ends higher
STRAIGHTEST, SHARPEST = np.deg2rad(0.5), np.deg2rad(160)  # how far a knee may go; beyond, it would flip
ALMOST = 1e-6  # of the chain: nearer than this the ankle is where it should be
ROUNDS = 14  # of Newton's method on legs of three bones; two need none


@dataclass(frozen=True, eq=False)
class Leg:
    """One leg of a rig in the character's frame.

    chain : bones from the thigh down;  foot, toe : bones after it, -1 = none
    axis : (3,) at rest, about which a positive turn bends the knee;  signs : +1 or -1 for each hinge, which way it
    bends
    vectors : (n, 3) the chain's bones at rest, joint to joint, the last one to the ankle
    pivots : {bone: (3,)} points on the ground at rest, from the ankle: a foot's heel and ball, or a paw's tip
    toe_at, toe_tip : (3,) from the ankle to the toe's head, and from there to the ground under its end; None without a
    toe
    height : of the ankle above the ground;  sole : the skin it stands on, None if only its bones are known
    """

    name: str
    chain: tuple[int, ...]
    foot: int
    toe: int
    axis: np.ndarray
    signs: np.ndarray
    vectors: np.ndarray
    pivots: dict[int, np.ndarray]
    toe_at: np.ndarray | None
    toe_tip: np.ndarray | None
    height: float
    sole: Sole | None = None

    @cached_property
    def length(self) -> float:
        """Of the stretched chain and what stands below it: the unit of the leg's motions."""
        return self.reach + self.height

    @cached_property
    def reach(self) -> float:
        """Length of the stretched chain."""
        return float(np.linalg.norm(self.vectors, axis=1).sum())

    @cached_property
    def offsets(self) -> np.ndarray:
        """(P, 3) the pivots from the ankle, in their order."""
        return np.array(list(self.pivots.values())).reshape(-1, 3)

    @cached_property
    def held(self) -> np.ndarray:
        """(P, 3) what keeps its place while a pivot stands, from the ankle: the heel, or the joint of the toes, which
        the foot rolls about while they lie on the ground."""
        out = np.array(self.offsets)
        if self.toe_at is not None:
            out[-1] = self.toe_at
        return out

    @cached_property
    def rises(self) -> np.ndarray:
        """(P,) how high these are over the ground while they stand."""
        return self.held[:, 2] - self.offsets[:, 2]

    def lowest(self, foot: np.ndarray | None, toe: np.ndarray | None, last: np.ndarray) -> np.ndarray:
        """(T,) height over the ankle of what touches the ground first.

        foot, toe : (T, 4) their turns, None without;  last : (T, 4) turns of the chain's last bone
        """
        if self.sole is not None:
            return self.sole.lowest(last if foot is None else foot, toe, last)
        return np.zeros(len(last)) if foot is None else rotate(foot[:, None], self.offsets)[..., 2].min(1)

    @cached_property
    def stand(self) -> float:
        """How high the hip stands at rest, along the leg."""
        return float(np.linalg.norm(self.vectors.sum(0))) + self.height

    @cached_property
    def shortest(self) -> float:
        """From hip to ankle with every joint bent as far as it goes."""
        lean = np.cumsum(np.concatenate([[0.0], SHARPEST * self.signs]))
        size = np.linalg.norm(self.vectors, axis=1)
        return float(np.hypot((size * np.cos(lean)).sum(), (size * np.sin(lean)).sum()))


def ground_height(rig: Rig, roles: dict[str, int]) -> float:
    """The ground under a rig whose mesh is not known: the lowest joint of its legs, or the lowest end that is no
    farther below the last joint than a foot is high."""
    bones = [b for r, b in roles.items() if r.split(".")[0] in
             {n for chain, foot, toe in LIMBS.values() for n in (*chain, foot, toe)}]
    bones = bones or list(range(len(rig.names)))
    if not bones:
        return 0.0
    low = float(rig.heads[bones][:, 2].min())
    size = float(np.ptp(rig.heads[bones][:, 2]))
    ends = rig.tails[bones][:, 2]
    return float(min(low, ends[ends > low - 0.5 * FOOT * size].min(initial=low))) if size > 0 else float(
        min(low, ends.min()))


def find_legs(rig: Rig, roles: dict[str, int], ground: float, skin: Skin | None = None) -> list[Leg]:
    """The legs of a rig in the character's frame: those whose first two bones are known, in a fixed order.

    skin : what the rig moves, so that soles stand on the ground rather than bones
    A leg without a foot that ends in the air, beside one with a foot, is a stump.
    """
    legs = []
    for kind, (chain, foot, toe) in LIMBS.items():
        for side in "LR":
            bones = [roles[f"{n}.{side}"] for n in chain if f"{n}.{side}" in roles]
            is_stump = (f"{foot}.{side}" not in roles and f"{foot}.{'R' if side == 'L' else 'L'}" in roles and
                        _ends_in_air(rig, bones, ground))
            if len(bones) >= 2 and f"{chain[0]}.{side}" in roles and f"{chain[1]}.{side}" in roles and not is_stump:
                legs.append(_leg(rig, f"{kind}.{side}", bones, roles.get(f"{foot}.{side}", -1),
                                 roles.get(f"{toe}.{side}", -1), ground, skin))
    return [leg for leg in legs if leg.reach > 1e-9]


def _ends_in_air(rig: Rig, chain: list[int], ground: float) -> bool:
    """Whether the last of a leg's bones ends clearly above the ground."""
    if not chain:
        return False
    ends = np.vstack([rig.heads[chain], rig.tails[chain[-1:]]])
    return bool(ends[-1, 2] - ground > IN_AIR * np.ptp(ends[:, 2]))


def _leg(rig: Rig, name: str, chain: list[int], foot: int, toe: int, ground: float, skin: Skin | None) -> Leg:
    bones, ankle = chain, rig.heads[foot] if foot >= 0 else rig.tails[chain[-1]]
    reach = float(np.linalg.norm(np.diff(np.vstack([rig.heads[chain], ankle]), axis=0), axis=1).sum())
    is_high = foot >= 0 and toe >= 0 and rig.heads[foot][2] - ground > HIGH_ANKLE * reach and (
        skin is not None or _is_steep(rig.heads[toe] - rig.heads[foot]))
    if is_high and not (skin is not None and has_heel(skin, rig, foot, toe, ground)):
        bones = chain = [*chain, foot]
        foot, toe = toe, -1  # stands on its toes: what is called a foot is part of the leg
        ankle = rig.heads[foot]
    vectors = np.diff(np.vstack([rig.heads[chain], ankle]), axis=0)
    axis = _knee_axis(vectors[0])
    sole = None if skin is None else find_sole(skin, rig, chain, foot, toe, ankle)
    floor = ground if sole is None else float(ankle[2] + sole.points[:, 2].min())
    is_person = name.startswith("leg") and len(bones) == 2
    pivots, toe_at, toe_tip = _pivots(rig, chain, foot, toe, ankle, floor, sole, is_person)
    height = max(float(ankle[2]) - floor, 0.0) if foot >= 0 else 0.0
    return Leg(name, tuple(chain), foot, toe, axis, _signs(name, vectors, axis), vectors, pivots, toe_at, toe_tip,
               height, sole)


def _is_steep(foot: np.ndarray) -> bool:
    """Whether a foot goes down rather than forward, as an animal's does that stands on its toes."""
    return bool(-foot[2] > STEEP * np.linalg.norm(foot[:2]))


def _signs(name: str, vectors: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """+1 or -1 for each hinge: which way it is bent at rest, or, where it is straight, which way such joints bend."""
    bent = np.einsum("ji,i->j", cross(vectors[:-1], vectors[1:]), axis)
    size = np.linalg.norm(vectors[:-1], axis=1) * np.linalg.norm(vectors[1:], axis=1)
    usual = np.array([1.0] + [(-1.0) ** k for k in range(1, len(vectors) - 1)])  # knee back, hock forward
    signs = np.where(np.abs(bent) > 0.07 * np.maximum(size, 1e-300), np.sign(bent), usual)
    signs[0] = 1.0 if name.startswith("leg") else signs[0]  # a person's knee bends back, whatever the fit says
    return signs


def _pivots(rig: Rig, chain: list[int], foot: int, toe: int, ankle: np.ndarray, floor: float, sole: Sole | None,
            is_person: bool):
    """{bone: (3,)} where the leg stands, from the ankle; and of a toe its head and what is under its end."""
    under = lambda point: np.array([point[0], point[1], floor]) - ankle  # noqa: E731 - one line, used often
    if foot >= 0 and toe >= 0:
        ball = rig.heads[toe]
        heel = ankle - 0.3 * (ball - ankle)
        if sole is not None:  # no farther back than there is a heel
            forward = normalized((ball - ankle) * [1, 1, 0])
            rear = float((sole.points @ forward).min())
            heel = ankle + max(rear, float((heel - ankle) @ forward)) * forward
        toe_at = ball - ankle
        return {foot: under(heel), toe: under(ball)}, toe_at, under(rig.tails[toe]) - toe_at
    if foot < 0:
        return {chain[-1]: np.zeros(3)}, None, None
    if sole is not None:
        thin = 0.03 * np.linalg.norm(ankle - rig.heads[chain[0]])
        down = sole.points[sole.points[:, 2] < sole.points[:, 2].min() + thin]
        rear, front = down[:, 1].max(), down[:, 1].min()
        middle = (down[:, 0].min() + down[:, 0].max()) / 2
        return {foot: np.array([middle, rear + BALL * (front - rear), floor - ankle[2]])}, None, None
    along = (rig.tails[foot] - ankle) * [1, 1, 0]
    reach = float(np.linalg.norm(ankle - rig.heads[chain[0]]))
    size = float(np.linalg.norm(along))
    if is_person and (not SHORT < size / (FOOT * reach) <= 1 or along[1] > 0):  # exporters make last bones' ends up
        ahead = along / size if along[1] < 0 and size > SHORT * FOOT * reach else np.array([0.0, -1.0, 0.0])
        along = BALL * FOOT * reach * ahead
    return {foot: under(ankle + along)}, None, None


def _knee_axis(thigh: np.ndarray) -> np.ndarray:
    """The character's left, made square to the thigh."""
    along = normalized(thigh)
    axis = np.array([1.0, 0.0, 0.0]) - along[0] * along
    return normalized(axis) if np.linalg.norm(axis) > 0.1 else np.array([0.0, 1.0, 0.0])


def reach_for(leg: Leg, turns: np.ndarray, hip: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Turns in space of the leg's chain (T, n, 4) that bring its ankle to `target`, as near as it can.

    turns : (T, n, 4) the chain as the motion has it;  hip, target : (T, 3)
    The knee bends or straightens within its limits, all hinges alike, until the ankle is as far from the hip as the
    target; then the leg swings onto it by the shortest turn. So the leg keeps its plane, and of all poses that reach
    the target takes one near the motion's: the secondary goal of Choi & Ko (2000), without their iteration.
    """
    vectors = rotate(turns, leg.vectors)
    axis = rotate(turns[:, 0], leg.axis)
    present, distance = (np.linalg.norm(v, axis=-1) for v in (vectors.sum(1), target - hip))
    # A stretched knee turns a rounding error into its square root: what is there already stays.
    distance = np.where(np.abs(distance - present) < ALMOST * leg.reach, present, distance)
    bend = _bends(leg, vectors, axis, distance)
    lean = np.cumsum(np.concatenate([np.zeros((len(bend), 1)), bend], axis=1), axis=1)
    hinge = from_axis_angle(axis[:, None], lean)
    swing = between(rotate(hinge, vectors).sum(1), target - hip)
    return multiply(swing[:, None], multiply(hinge, turns))


def _bends(leg: Leg, vectors: np.ndarray, axis: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """(T, n - 1) how much further each hinge turns about `axis` so that hip and ankle are `distance` apart."""
    along = np.einsum("tni,ti->tn", vectors, axis)
    across = normalized(cross(axis, vectors[:, 0]))
    plane = np.stack([cross(across, axis), across], axis=1)
    flat = np.einsum("tni,tki->tnk", vectors, plane)  # in the leg's plane
    bent = _flat_angle(flat[:, :-1], flat[:, 1:]) * leg.signs
    wanted = np.maximum(distance**2 - along.sum(1)**2, 0.0)
    low = np.minimum(bent, STRAIGHTEST)
    if bent.shape[1] == 1:
        size = np.linalg.norm(flat, axis=-1)
        product = np.maximum(2 * size[:, 0] * size[:, 1], 1e-300)
        cos = np.clip((wanted - size[:, 0]**2 - size[:, 1]**2) / product, -1.0, 1.0)
        found = np.clip(np.arccos(cos)[:, None], low, np.maximum(bent, SHARPEST))
        return (found - bent) * leg.signs
    return (_share_bend(flat, bent, leg.signs, low, wanted) - bent) * leg.signs


def _flat_angle(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(...) the angle from one vector of a plane (..., 2) to another, -pi to pi.

    Not by complex numbers: numpy rounds their products differently depending on where in memory they lie.
    """
    return np.arctan2(start[..., 0] * end[..., 1] - start[..., 1] * end[..., 0],
                      start[..., 0] * end[..., 0] + start[..., 1] * end[..., 1])


def _share_bend(flat, bent, signs, low, wanted) -> np.ndarray:
    """Bends of more than one hinge, all changed by one amount as far as their limits allow. Newton, kept in a
    bracket."""
    high = np.maximum(bent, SHARPEST)
    least, most = (low - bent).min(1), (high - bent).max(1)
    step = np.zeros(len(bent))

    def square_at(step):
        new = np.clip(bent + step[:, None], low, high)
        lean = np.cumsum((new - bent) * signs, axis=1)
        cos, sin = np.cos(lean), np.sin(lean)
        turned = np.stack([cos * flat[:, 1:, 0] - sin * flat[:, 1:, 1],
                           sin * flat[:, 1:, 0] + cos * flat[:, 1:, 1]], axis=-1)
        end = flat[:, 0] + turned.sum(1)
        free = ((new > low) & (new < high)) * signs
        tails = np.cumsum(turned[:, ::-1], axis=1)[:, ::-1]  # what each hinge turns
        slope = 2 * ((end[:, None, 1] * tails[..., 0] - end[:, None, 0] * tails[..., 1]) * free).sum(1)
        return new, (end**2).sum(1) - wanted, slope

    for _ in range(ROUNDS):
        _, excess, slope = square_at(step)
        least = np.where(excess > 0, step, least)  # still too long: bend more
        most = np.where(excess > 0, most, step)
        safe = np.abs(slope) > 1e-12
        newton = step - excess / np.where(safe, slope, 1.0)
        inside = safe & (newton > least) & (newton < most)
        step = np.where(np.abs(excess) <= 1e-15 * wanted, step, np.where(inside, newton, (least + most) / 2))
    return square_at(step)[0]

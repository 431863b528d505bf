"""What two skeletons have to do with each other: whose bone follows whose, how large the one is to the other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..errors import BadMotion
from ..geometry.rotation import between, conjugate, from_matrix, identity, limited, multiply, rotate
from ..skeleton.bone_map import BoneMap, has_limbs
from ..skeleton.rig import Rig
from ..skeleton.words import doubts
from .arms import Arms
from .body import Body, body_of
from .clip import MotionClip
from .contacts import ContactOptions, Pivot, ankle_of, pivots_of, runs
from .fingers import Fingers
from .hold import HoldOptions
from .kinematics import Kinematics
from .legs import Leg, reach_for
from .lying import Hull, downness, laid_down
from .rest_pose import align
from .resting import Resting
from .sole import Skin
from .touch import Touches

# How far a joint may turn against its parent from the rest pose, degrees: what no body does is a fault of the map or
# the clip.
LIMITS = {
    "spine": 70,
    "chest": 70,
    "neck": 80,
    "head": 85,
    "shoulder": 60,
    "upper_arm": 175,
    "forearm": 165,
    "hand": 100,
    "thigh": 150,
    "shin": 165,
    "foot": 100,
    "toe": 80,
    "tail": 120,
}
# of a leg's length: if a bone's part of it differs by more, the leg is moved as a whole, not joint by joint
UNLIKE = 0.1
FLAT = np.cos(np.deg2rad(8))  # a foot without toes that is tipped further stands on its ball


@dataclass(frozen=True)
class RetargetOptions:
    """How a motion is transferred.

    hold : feet are held where they stand
    no_drift : a motion that goes nowhere ends where it began (`without_drift`)
    travel : False leaves out the way over the ground, as on a treadmill; None does where the source stays on the spot
    source_map, target_map : whose bone is what; None finds out;  carried : {bone of the target: bone that carries it},
    for controls that hang on the ground and whose place does not tell
    known : the target's bones are what they are taken for: none is in doubt
    skin : what the target moves, so that its soles stand on the ground;  ground : height under the target in its up
    direction, None: its soles or, without a skin, its lowest foot bone
    contacts, holding : when feet of the source stand, and how those of the target are held then
    """

    hold: bool = True
    no_drift: bool = False
    travel: bool | None = True
    source_map: BoneMap | None = None
    target_map: BoneMap | None = None
    known: bool = False
    carried: dict[str, str] | None = None
    skin: Skin | None = None
    ground: float | None = None
    contacts: ContactOptions = field(default_factory=ContactOptions)
    holding: HoldOptions = field(default_factory=HoldOptions)


class Transfer:
    """What two skeletons have to do with each other, worked out once.

    Raises BadMotion if they share too little to look alike.
    """

    def __init__(self, source: Rig, target: Rig, options: RetargetOptions = RetargetOptions(), *, name: str = "motion"):
        self.options = options
        self.source = body_of(source, options.source_map)
        self.target = body_of(target, options.target_map, options.ground, options.skin, options.carried)
        shared = [r for r in self.source.roles if r in self.target.roles]
        self._check(shared, name)
        bones = {(role, rig.names[body.roles[role]] if role in body.roles else role)
                 for rig, body in ((source, self.source), (target, self.target)) for role in doubts(rig, body.roles)
                 if not (options.known and body is self.target)}
        self.doubts = sorted(role.replace("_", " ") + (f" ('{bone}')" if bone != role else "") for role, bone in bones)
        self.bones_from = np.array([self.source.roles[r] for r in shared])
        self.bones_to = np.array([self.target.roles[r] for r in shared])
        self._aligned = align(self.source.rig, self.source.roles, self.target.rig, self.target.roles)[self.bones_to]
        self.fingers = Fingers(self.source.rig, self.source.roles, self.target.rig, self.target.roles)
        hands = [int(np.flatnonzero(self.bones_to == b)[0]) for b in self.fingers.hands]  # paired fingers' are shared
        self._of_hand = np.array(hands, int)
        self.following = _Following(self.target.kinematics, self.bones_to)
        legs = [b for leg in self.target.legs for b in (*leg.chain, leg.foot, leg.toe) if b >= 0]
        driven = np.concatenate([self.bones_to, legs, self.fingers.bones, self.fingers.bones_to]).astype(int)
        self.following_legs = _Following(self.target.kinematics, np.unique(driven))
        self.has_fingers = False  # until a clip is seen that moves them
        self.most = np.full(len(target.names), np.pi)
        for role, bone in self.target.roles.items():
            self.most[bone] = np.deg2rad(LIMITS.get(role.split(".")[0], 180))
        self.leg_pairs = {leg.name: leg for leg in self.source.legs}
        pairs = [(self.leg_pairs[leg.name], leg) for leg in self.target.legs if leg.name in self.leg_pairs]
        self.unlike = [(theirs, leg) for theirs, leg in pairs if _are_unlike(theirs, leg)]
        sizes = [leg.stand / theirs.stand if _are_unlike(theirs, leg) else leg.reach / theirs.reach
                 for theirs, leg in pairs]
        self.scale = float(np.mean(sizes)) if sizes else _size(self.target.rig) / _size(self.source.rig)
        # Hips stand as high over the ankles as the source's do, bent legs or straight, and these over their floor.
        self._anchors = _pelvis_rest(self.source), _pelvis_rest(self.target)
        if pairs and not self.unlike and all(leg.foot >= 0 and theirs.foot >= 0 for theirs, leg in pairs):
            for body, place, own in ((self.source, self._anchors[0], 0), (self.target, self._anchors[1], 1)):
                place[2] = body.ground + float(np.mean([pair[own].height for pair in pairs]))
        self.rolls = [_roll(self.leg_pairs.get(leg.name), leg) for leg in self.target.legs]
        skin = None if options.skin is None else options.skin.turned(self.target.axes)
        self._hull = Hull(skin, self.target.kinematics) if skin is not None and pairs else None
        self.arms = Arms(self.target, skin)
        self.touches = Touches(self.source, self.target, skin, self.arms)
        self.resting = Resting(self.source, self.target, skin, self.arms)
        self._turn_in = from_matrix(self.source.axes)
        self._turn_out = from_matrix(self.target.axes.T)

    def _check(self, shared, name) -> None:
        if not has_limbs(shared) and len(shared) < max(3, 0.5 * len(self.source.roles)):
            raise BadMotion(
                f"The motion '{name}' is for another kind of body: of its {len(self.source.rig.names)} bones this "
                f"skeleton knows only {len(shared)}. Choose a motion for its kind, or edit the bone map."
            )

    def turns_in(self, rotations: np.ndarray) -> np.ndarray:
        """The source's turns in space, character's frame."""
        turns = self.source.turning.turns(rotations)
        return _conjugated(self._turn_in, turns, self.source.axes)

    def pose(self, turns: np.ndarray, root: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The target's turns (..., B, 4) and root (..., 3), feet not yet held.  turns, root : the source's,
        character's frame."""
        body = self.target
        out = np.zeros((*turns.shape[:-2], len(body.rig.names), 4))
        out[..., 0] = 1.0
        out[..., self.bones_to, :] = multiply(turns[..., self.bones_from, :], self._aligned)
        self.following.carry(out)
        self.fingers.relax(out)
        if self.has_fingers:
            out[..., self.fingers.bones_to, :] = multiply(turns[..., self.fingers.bones_from, :],
                                                          self._aligned[self._of_hand])
        local = body.kinematics.local(out)
        held = limited(local, self.most)
        if held is not local:
            out = body.kinematics.turns(held)
        way = self.scale * (pelvis(self.source, turns, root) - self._anchors[0]) + self._anchors[1]
        place = way - pelvis(body, out, np.zeros_like(root))
        for theirs, leg in self.unlike:
            self._step_alike(theirs, leg, turns, root, out, place)
        return out, place

    def _step_alike(self, theirs: Leg, leg: Leg, turns, root, out, place) -> None:
        """Pose a leg of other proportions as a whole: hip to ankle turns and shortens as the source's does, in
        place."""
        source, target = self.source.kinematics, self.target.kinematics
        heads = source.heads(turns, root)
        span = ankle_of(theirs, turns, heads) - heads[..., theirs.chain[0], :]
        rest, own = theirs.vectors.sum(0), leg.vectors.sum(0)
        longer = np.linalg.norm(span, axis=-1, keepdims=True) / max(float(np.linalg.norm(rest)), 1e-12)
        swing = between(rest, span)
        hip = target.heads(out, place)[..., leg.chain[0], :]
        ankle = hip + longer * rotate(swing, own)
        stiff = np.broadcast_to(swing[..., None, :], (*swing.shape[:-1], len(leg.chain), 4))
        found = reach_for(leg, stiff.reshape(-1, len(leg.chain), 4), hip.reshape(-1, 3), ankle.reshape(-1, 3))
        out[..., list(leg.chain), :] = found.reshape(stiff.shape)

    def laid_down(self, turns: np.ndarray, root: np.ndarray, heads: np.ndarray, clip: MotionClip) -> np.ndarray:
        """The target's root (T, 3) with its body on the ground where the source's lies there.  heads : the source's"""
        if self._hull is None:
            return root
        hips = np.mean([heads[:, leg.chain[0], 2] for leg in self.source.legs], axis=0) - self.source.ground
        rest = float(_pelvis_rest(self.source)[2]) - self.source.ground
        lowest = heads[:, sorted(self.source.roles.values()), 2].min(1) - self.source.ground
        end = next((b for r in ("neck", "head", "chest") if (b := self.source.roles.get(r, -1)) >= 0), -1)
        trunk = np.ones(len(hips))
        if end >= 0:
            trunk = (heads[:, end, 2] - self.source.ground - hips) / max(
                float(self.source.rig.heads[end, 2] - _pelvis_rest(self.source)[2]), 1e-9)
        down = downness(hips, rest, trunk, lowest, leg_length(self.source))
        return laid_down(turns, root, down, self._hull, self.target.kinematics, self.target.ground, clip.rate,
                         clip.loop)

    def finished(self, turns: np.ndarray) -> np.ndarray:
        """The target's rotations of its turns: bones the motion does not know follow their parents."""
        self.following_legs.carry(turns)
        return self.target.kinematics.local(_conjugated(self._turn_out, turns, self.target.axes))

    def contacts(self, contacts: np.ndarray, feet, turns: np.ndarray | None = None) -> np.ndarray:
        """(..., P) contacts of the target's pivots, of those of the source's bones `feet`: heel for heel, ball for
        ball, and either for a foot that has but one.

        turns : (..., B, 4) the source's; where they tip a foot that has but one, the target's heel is off the ground
        """
        out = np.zeros((*contacts.shape[:-1], len(pivots_of(self.target.legs))), bool)
        column = {bone: i for i, bone in enumerate(feet)}
        for k, pivot in enumerate(pivots_of(self.target.legs)):
            theirs = self.leg_pairs.get(self.target.legs[pivot.leg].name)
            known = [column[b] for b in theirs.pivots if b in column] if theirs else []
            if known:
                leg = self.target.legs[pivot.leg]
                is_heel = pivot.bone == leg.foot and leg.toe >= 0
                mine = known if len(leg.pivots) == 1 else known[:1] if is_heel else known[-1:]
                out[..., k] = contacts[..., mine].any(-1)
                if is_heel and len(known) == 1 and turns is not None and theirs.foot >= 0:
                    out[..., k] &= rotate(turns[..., theirs.foot, :], np.array([0.0, 0.0, 1.0]))[..., 2] > FLAT
        return out

    def grounds(self, contacts: np.ndarray, levels: np.ndarray, feet) -> np.ndarray:
        """(T, L) height of the ground under each of the target's legs: that of what it stands on, and in between the
        lower of the places it comes from and goes to.

        contacts, levels : (T, P) of the source's bones `feet`: whether it stands, and the height of the target's ground
        """
        out = np.full((len(contacts), len(self.target.legs)), self.target.ground)
        column = {bone: i for i, bone in enumerate(feet)}
        for k, leg in enumerate(self.target.legs):
            theirs = self.leg_pairs.get(leg.name)
            mine = [column[b] for b in theirs.pivots if b in column] if theirs else []
            if not mine or (levels[:, mine] == self.target.ground).all():
                continue
            last = self.target.ground
            stands = runs(contacts[:, mine].any(1))
            before = 0
            for first, end in stands:
                held = contacts[first:end, mine]
                level = float(np.median(levels[first:end, mine][held]))
                out[before:first, k] = level if before == 0 else min(last, level)
                out[first:end, k] = last = level
                before = end
            out[before:, k] = last
        return out

    def pivots(self) -> list[Pivot]:
        """The target's pivots, in the order of the contacts' columns."""
        return pivots_of(self.target.legs)


def _are_unlike(theirs: Leg, leg: Leg) -> bool:
    """Whether two legs bend or are divided so differently that equal joint angles would be unequal steps.

    A person's leg is none of these: its bones point where the source's do, whatever their lengths.
    """
    if len(theirs.signs) != len(leg.signs) or (theirs.signs != leg.signs).any():
        return True
    parts = [np.linalg.norm(x.vectors, axis=1) / x.reach for x in (theirs, leg)]
    return not (leg.name.startswith("leg") and len(parts[0]) == 2) and bool(
        np.abs(parts[0] - parts[1]).max() > UNLIKE)


def _roll(theirs: Leg | None, leg: Leg) -> float:
    """Of the source's tilt of a foot on the ground, how much moves the ankle as far in leg lengths: 1, or less for a
    foot that is longer than the source's to its leg."""
    if theirs is None or theirs.toe_at is None or leg.toe_at is None:
        return 1.0
    sizes = [float(np.linalg.norm(x.toe_at[:2])) / x.reach for x in (theirs, leg)]
    return min(1.0, sizes[0] / max(sizes[1], 1e-12))


def leg_length(body: Body) -> float:
    """Of all its legs, in the mean; 1 without any."""
    return float(np.mean([leg.length for leg in body.legs])) if body.legs else 1.0


def pelvis(body: Body, turns: np.ndarray, root: np.ndarray) -> np.ndarray:
    """(..., 3) the middle between the hips; of a skeleton without legs, where its first root bone begins."""
    heads = body.kinematics.heads(turns, root)
    if not body.legs:
        return heads[..., int(np.argmax(body.kinematics.is_root)), :]
    return np.mean([heads[..., leg.chain[0], :] for leg in body.pelvis], axis=0)


def _pelvis_rest(body: Body) -> np.ndarray:
    if not body.legs:
        return np.array(body.rig.heads[int(np.argmax(body.kinematics.is_root))])
    return np.mean([body.rig.heads[leg.chain[0]] for leg in body.pelvis], axis=0)


class _Following:
    """Bones that nothing drives are carried along by the nearest one above them that is driven."""

    def __init__(self, kinematics: Kinematics, driven: np.ndarray):
        count = len(kinematics.parents)
        self._anchor = np.full(count, count)  # one past the end stands for "nothing turned"
        self._anchor[driven] = driven
        for level in kinematics.levels[1:]:
            left = level[self._anchor[level] == count]
            self._anchor[left] = self._anchor[kinematics.parents[left]]
        self._still = np.flatnonzero(self._anchor == count)
        self._loose = np.flatnonzero((self._anchor < count) & (self._anchor != np.arange(count)))

    def carry(self, turns: np.ndarray) -> None:
        """Write the turns of the carried bones, in place."""
        turns[..., self._still, :] = identity()
        turns[..., self._loose, :] = turns[..., self._anchor[self._loose], :]


def _conjugated(turn: np.ndarray, turns: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Turns seen from another frame; the same bits where the frames are one."""
    if np.array_equal(axes, np.eye(3)):
        return turns
    return multiply(multiply(turn, turns), conjugate(turn))


def _size(rig: Rig) -> float:
    points = np.concatenate([rig.heads, rig.tails])
    return max(float(np.ptp(points, axis=0).max()), 1e-12) if len(points) else 1.0

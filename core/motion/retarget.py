"""A motion of one skeleton, moved to another. [BP07] section 5.2 with the goals of Choi & Ko's online retargetting
(2000)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..geometry.rotation import rotate
from ..skeleton.rig import Rig
from .body import Body
from .clip import MotionClip, in_place
from .contacts import ContactOptions, detect_contacts, pivot_places, pivots_of, raised_contacts, runs
from .edit import without_drift
from .fidelity import Fidelity, fidelity
from .floor import floor_height, floor_lean
from .hold import hold_feet
from .transfer import RetargetOptions, Transfer, leg_length, pelvis
from .treadmill import belt_velocity, off_the_belt

AROUND = 1.0  # seconds of a loop's other rounds, before and after, that its held feet can depend on

def retarget(clip: MotionClip, rig: Rig, options: RetargetOptions = RetargetOptions(), *,
             transfer: Transfer | None = None) -> MotionClip:
    """The motion, done by another skeleton: its joints turn alike, its way is scaled by the legs' length, its feet
    stand.

    A loop stays a loop. A motion on the spot whose feet slide back as on a treadmill is first set on the ground.
    The clip's rig is the given one with every bone hung on what carries it (`skeleton.carried`): in most rigs the same.
    Contacts come with the clip or, where it has none, are detected. The clip's warnings say what is in doubt.
    Raises BadMotion, BadRig.  O(T B), all frames at once.
    """
    return retarget_told(clip, rig, options, transfer=transfer)[0]


def retarget_told(clip: MotionClip, rig: Rig, options: RetargetOptions = RetargetOptions(), *,
                  transfer: Transfer | None = None) -> tuple[MotionClip, Fidelity]:
    """`retarget`, and how much it kept of the source."""
    transfer = transfer or Transfer(clip.rig, rig, options, name=clip.name)
    source, target, turns_in = transfer.source, transfer.target, transfer.turns_in(clip.rotations)
    root_in = clip.root @ source.axes.T
    heads = source.kinematics.heads(turns_in, root_in)
    places = pivot_places(source.legs, turns_in, heads)
    named, length = _named_contacts(clip, source), leg_length(source)
    warnings, is_seen = list(clip.warnings), True
    if named is None:  # the floor is the motion's, wherever the rest pose stands
        way, is_seen = _to_the_floor(clip, source, places, heads, pelvis(source, turns_in, root_in))
        clip = clip.changed(root=clip.root + way @ source.axes)
        root_in, places, heads = root_in + way, places + way[:, None], heads + way[:, None]
    belt = belt_velocity(places, named, root_in, clip.rate, length, options.contacts, clip.loop,
                         clip.stride @ source.axes.T)
    if belt.any():
        clip = off_the_belt(clip, belt @ source.axes)
        root_in = clip.root @ source.axes.T
        gone = np.arange(len(places))[:, None, None] * belt / clip.rate
        places, heads = places - gone, heads - gone
    stride_in = clip.stride @ source.axes.T
    transfer.has_fingers = transfer.fingers.move(turns_in)
    turns, root = transfer.pose(turns_in, root_in)
    turns = transfer.arms.met(transfer.arms.kept_out(turns, clip.rate, clip.loop), source, (turns_in, heads))
    root = transfer.laid_down(turns, root, heads, clip)
    levels = np.full(places.shape[:2], target.ground)
    if named is None:
        least = float(np.linalg.norm(belt)) / (2 * length)  # feet on a belt are not steady
        sliding = replace(options.contacts, speed=max(options.contacts.speed, least))
        named, levels = _found_contacts(transfer, places, turns_in, heads, clip, length, stride_in, sliding)
    contacts = transfer.contacts(named, [p.bone for p in pivots_of(source.legs)], turns_in)
    root, stride = _way(transfer, root, stride_in, clip, options.no_drift)
    if options.hold and target.legs:
        grounds = transfer.grounds(named, levels, [p.bone for p in pivots_of(source.legs)])
        touched = transfer.touches.found(turns_in, heads, clip.rate, length, clip.loop, stride_in)
        contacts = contacts & ~transfer.touches.kneeling(touched[0])
        turns, root = _held(transfer, turns, root, contacts, grounds, touched,
                            (turns_in, heads), stride, clip)
    turns = transfer.arms.lifted(turns, root, target.ground, clip.rate, clip.loop)
    told = fidelity(source, target, (turns_in, heads), (turns, target.kinematics.heads(turns, root)), contacts,
                    clip.rate, belt)
    if not is_seen and not belt.any():  # on a belt nothing keeps still, but the feet's lowest places tell
        warnings.append("No foot was seen to stand on the floor: how high the body is over it is a guess.")
    if transfer.doubts:
        warnings.append(f"These parts of the body may have got a wrong bone, or none: {', '.join(transfer.doubts)}. "
                        "Open Bone Map, press Guess, and choose the right bones.")
    warnings += told.warnings()
    feet = tuple(rig.names[p.bone] for p in transfer.pivots())
    out = MotionClip(target.own, transfer.finished(turns), root @ target.axes, clip.rate, contacts, feet, clip.loop,
                     stride @ target.axes, clip.name, tuple(warnings))
    travels = not belt.any() if options.travel is None else options.travel
    return out if travels else _standing(out, target.axes), told


def _held(transfer: Transfer, turns: np.ndarray, root: np.ndarray, contacts: np.ndarray, grounds: np.ndarray,
          touched: tuple[np.ndarray, np.ndarray], seen: tuple[np.ndarray, np.ndarray], stride: np.ndarray,
          clip: MotionClip) -> tuple[np.ndarray, np.ndarray]:
    """Turns and root with feet held, and hands, elbows and knees; of a loop those of the middle one of some rounds,
    which does not know where it begins."""
    frames = len(root)
    times = 1 + 2 * int(np.ceil(AROUND * clip.rate / frames)) if clip.loop else 1
    rounds = (np.repeat(np.arange(times), frames) - times // 2)[:, None] * stride
    again = lambda x: np.tile(x, (times, *[1] * (x.ndim - 1)))  # noqa: E731 - one line, used often
    turns, root, contacts, grounds = again(turns), again(root) + rounds, again(contacts), again(grounds)
    stands, heights = again(touched[0]), transfer.scale * again(touched[1])
    touches, holding, legs = transfer.touches, transfer.options.holding, transfer.target.legs
    places = np.zeros((*stands.shape, 3))
    if stands.any():
        turns = touches.laid(turns, root, stands, heights, clip.rate, holding)
        places, moves = touches.locks(turns, root, stands, heights)
        feet = contacts.any(1)
        root = root + touches.shared(turns, root, moves, stands, feet, clip.rate, holding)
        turns = touches.hold(("knee",), turns, root, stands, places, heights, clip.rate, holding)
    turns, root = hold_feet(transfer.target.kinematics, legs, turns, root, contacts, clip.rate, grounds, holding,
                            transfer.rolls)
    turns = transfer.resting.held(turns, root, (again(seen[0]), again(seen[1])), clip.rate, holding)
    if stands.any():
        turns = touches.hold(("elbow", "hand"), turns, root, stands, places, heights, clip.rate, holding)
    turns, root = (x[frames * (times // 2):][:frames] for x in (turns, root))
    return turns, root


def _way(transfer: Transfer, root: np.ndarray, stride_in: np.ndarray, clip: MotionClip, no_drift: bool
         ) -> tuple[np.ndarray, np.ndarray]:
    """The target's way (T, 3) and stride (3,), without the source's drift if that is asked."""
    stride = transfer.scale * stride_in
    if not no_drift:
        return root, stride
    return without_drift(root, stride, clip.rate, leg_length(transfer.target), clip.loop)


def _to_the_floor(clip: MotionClip, source: Body, places, heads, hips) -> tuple[np.ndarray, bool]:
    """(T, 3) the way up or down that brings a motion to its skeleton's ground, and makes a floor that leans level; and
    whether feet were seen to stand on it."""
    length = leg_length(source)
    zero = 0.0 if np.array_equal(source.axes[2], [0, 0, 1]) else source.ground
    known = sorted(source.roles.values())
    floor, is_seen = floor_height(places, heads[:, known], clip.rate, length, (source.ground, zero))
    lean, where = floor_lean(places, clip.rate, length) if not clip.loop else (np.zeros(2), np.zeros(2))
    rise = source.ground - floor - (hips[:, :2] - where) @ lean
    return rise[:, None] * [0.0, 0.0, 1.0], is_seen


def _named_contacts(clip: MotionClip, source: Body) -> np.ndarray | None:
    """(T, P) the clip's contacts in the order of its skeleton's pivots; None if it tells of none of them."""
    column = {foot: i for i, foot in enumerate(clip.feet)}
    names = [clip.rig.names[p.bone] for p in pivots_of(source.legs)]
    if not any(n in column for n in names):
        return None
    none = np.zeros(len(clip.root), bool)
    return np.stack([clip.contacts[:, column[n]] if n in column else none for n in names], axis=1)


def _found_contacts(transfer: Transfer, places, turns, heads, clip: MotionClip, length: float, stride,
                    options: ContactOptions) -> tuple[np.ndarray, np.ndarray]:
    """(T, P) which of the source's pivots stand, and how high the target's ground is there: higher on stairs."""
    source, target = transfer.source, transfer.target
    pivots = pivots_of(source.legs)
    heels = [i for i, p in enumerate(pivots) if p.bone == source.legs[p.leg].foot and source.legs[p.leg].toe >= 0]
    found = detect_contacts(places, clip.rate, length, options, loop=clip.loop, stride=stride, floor=source.ground,
                            heels=heels)
    levels = np.full(found.shape, target.ground)
    if not clip.loop and found.shape[1]:
        leg_of = [p.leg for p in pivots]
        hips = np.stack([heads[:, source.legs[leg].chain[0]] for leg in leg_of], axis=1)
        feet = [source.legs[leg].foot if source.legs[leg].foot >= 0 else source.legs[leg].chain[-1] for leg in leg_of]
        level = rotate(turns[:, feet], np.array([0.0, 0.0, 1.0]))[..., 2] > np.cos(options.tipped)
        raised = raised_contacts(places, hips, level, found, leg_of, clip.rate, length, options)
        for pivot in range(found.shape[1]):
            for first, last in runs(raised[:, pivot]):
                rise = float(np.median(places[first:last, pivot, 2])) - source.ground
                if rise > 2 * options.height * length:
                    levels[first:last, pivot] += transfer.scale * rise
        found = found | raised
    return found, levels


def _standing(clip: MotionClip, axes: np.ndarray) -> MotionClip:
    """`in_place` for a rig in any frame."""
    turned = clip.changed(root=clip.root @ axes.T, stride=clip.stride @ axes.T)
    still = in_place(turned)
    return still.changed(root=still.root @ axes, stride=still.stride @ axes)

"""What a motion is worth: how much its feet slide, sink and float, and how far its joints are from another motion's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.geometry.rotation import angle, conjugate, multiply, rotate
from core.motion.body import turned_ankle
from core.motion.clip import MotionClip
from core.motion.contacts import pivot_places, runs
from core.motion.legs import Leg
from core.motion.sole import foot_skin, upward
from core.motion.transfer import Transfer
from core.skeleton.carried import ancestors

NEAR = 0.15  # seconds around a contact in which a foot may leave the source's pose to meet or leave its hold


@dataclass(frozen=True)
class Measures:
    """slide : leg lengths a second, mean over all contacts of their pivots' speed along the ground

    worst_slide : the largest
    sink, hover : leg lengths, deepest under the ground, highest above it while in contact: of the feet's skin where it
    is known, else of the pivots
    hem : leg lengths, deepest under the ground of all that follows a leg, trousers and gowns too
    angle : degrees, largest difference of a leg's bones from the source away from contacts
    flips : frames with a knee the wrong way
    """

    slide: float
    worst_slide: float
    sink: float
    hover: float
    angle: float
    flips: int
    hem: float


def measure(clip: MotionClip, source: MotionClip, transfer: Transfer) -> Measures:
    """Measures of a retargeted clip against the clip it came from."""
    body = transfer.target
    turns = _conjugate_in(transfer, clip)
    heads = body.kinematics.heads(turns, clip.root @ body.axes.T)
    places = pivot_places(body.legs, turns, heads)
    length = float(np.mean([leg.length for leg in body.legs])) if body.legs else 1.0
    stride = clip.stride @ body.axes.T
    after = np.concatenate([places[1:], places[:1] + stride]) if clip.loop else places[1:]
    contacts = clip.contacts
    both = contacts[:len(after)] & (np.concatenate([contacts[1:], contacts[:1]]) if clip.loop else contacts[1:])
    speed = np.linalg.norm((after - places[:len(after)])[..., :2], axis=-1) * clip.rate / length
    height = (places[..., 2] - body.ground) / length
    stands, hem = contacts, height
    if transfer.options.skin is not None and body.legs:
        height, hem, stands = _skin_heights(transfer, turns, heads, contacts, length)
    held = speed[both] if both.any() else np.zeros(1)
    return Measures(float(held.mean()), float(held.max()), float((-height).max(initial=0.0)),
                    float(np.where(stands, height, 0.0).max(initial=0.0)), _away(clip, source, transfer, turns),
                    int(sum(_flipped(leg, turns).sum() for leg in body.legs)), float((-hem).max(initial=0.0)))


def _skin_heights(transfer: Transfer, turns, heads, contacts, length: float):
    """(T, L) height over the ground of each foot's lowest vertex, and of each whole leg's, leg lengths; and whether the
    leg stands. Every vertex as Blender skins it."""
    body, skin = transfer.target, transfer.options.skin.turned(transfer.target.axes)
    feet: list[np.ndarray] = []
    whole: list[np.ndarray] = []
    stands: list[np.ndarray] = []
    column = 0
    for leg in body.legs:
        mine = {*leg.chain, leg.foot, leg.toe} - {-1}
        bones = [b for b in range(len(body.rig.names)) if b in mine or mine & set(ancestors(body.rig.parents, b))]
        ankle = turned_ankle(body.rig, leg)
        foot = foot_skin(skin, body.rig, leg.chain, leg.foot, leg.toe, ankle)[0]
        cloth = np.asarray(skin.weights[:, bones].sum(1)).ravel() > 0.5
        for which, out in ((foot, feet), (cloth | foot, whole)):
            high = _heights(skin, which, body.rig.heads, turns, heads)
            out.append((high - body.ground) / length)
        stands.append(contacts[:, column:column + len(leg.pivots)].any(1))
        column += len(leg.pivots)
    return np.stack(feet, 1), np.stack(whole, 1), np.stack(stands, 1)


def _heights(skin, which: np.ndarray, rest: np.ndarray, turns: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """(T,) height of the lowest of some vertices.  rest : (B, 3) the bones' heads at rest;  turns, heads : posed"""
    share = np.asarray(skin.weights[which].todense())
    high = np.zeros((len(turns), len(share)))
    for bone in np.flatnonzero(share.any(0)):  # of each vertex: the sum over its bones of how high they take it
        points = skin.vertices[which] - rest[bone]
        high += share[:, bone] * (upward(turns[:, bone]) @ points.T + heads[:, bone, 2:])
    return high.min(1, initial=np.inf) if len(share) else np.zeros(len(turns))


def _conjugate_in(transfer: Transfer, clip: MotionClip) -> np.ndarray:
    """The target clip's turns in the character's frame."""
    from_clip = Transfer(clip.rig, clip.rig, transfer.options)
    return from_clip.turns_in(clip.rotations)


def _away(clip: MotionClip, source: MotionClip, transfer: Transfer, turns: np.ndarray) -> float:
    """Largest angle, degrees, between the legs' bones and the source's, aligned, in frames far from any contact."""
    wanted, _ = transfer.pose(transfer.turns_in(source.rotations), source.root @ transfer.source.axes.T)
    reach = round(NEAR * clip.rate)
    worst = 0.0
    column = 0
    for leg in transfer.target.legs:
        mine = clip.contacts[:, column:column + len(leg.pivots)].any(1)
        column += len(leg.pivots)
        free = ~_widened(mine, reach, clip.loop)
        if free.any():
            chain = list(leg.chain)
            apart = angle(multiply(turns[free][:, chain], conjugate(wanted[free][:, chain])))
            worst = max(worst, float(np.rad2deg(apart.max())))
    return worst


def _widened(mask: np.ndarray, reach: int, loop: bool) -> np.ndarray:
    frames = len(mask)
    tiled = np.tile(mask, 3) if loop else mask
    out = np.zeros(len(tiled), bool)
    for first, last in runs(tiled):
        out[max(first - reach, 0):last + reach] = True
    return out[frames:2 * frames] if loop else out


def _flipped(leg: Leg, turns: np.ndarray) -> np.ndarray:
    """(T,) whether a joint of the leg bends the wrong way by more than a degree further than at rest."""
    chain = list(leg.chain)
    vectors = rotate(turns[:, chain], leg.vectors)
    axis = rotate(turns[:, chain[0]], leg.axis)
    bent = _bend(vectors, axis) * leg.signs
    rest = _bend(leg.vectors[None], leg.axis[None]) * leg.signs
    return (bent < np.minimum(rest, 0.0) - np.deg2rad(1)).any(1)


def _bend(vectors: np.ndarray, axis: np.ndarray) -> np.ndarray:
    across = np.cross(vectors[:, :-1], vectors[:, 1:])
    flat = vectors - np.einsum("tni,ti->tn", vectors, axis)[..., None] * axis[:, None]
    return np.arctan2(np.einsum("tni,ti->tn", across, axis), np.einsum("tni,tni->tn", flat[:, :-1], flat[:, 1:]))

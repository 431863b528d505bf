"""Motions in which hands meet, lie on a belly or stand on the ground."""

from __future__ import annotations

import numpy as np

from core.geometry.rotation import between, from_axis_angle, multiply
from core.motion.body import body_of
from core.motion.clip import MotionClip
from core.motion.clip_file import load_motion
from core.motion.kinematics import Kinematics

X = np.array([1.0, 0.0, 0.0])


def clapping() -> MotionClip:
    """Both hands brought together before the chest, and apart again."""
    rig = load_motion("idle").rig
    body, frames = Kinematics(rig), 30
    turns = np.tile([1.0, 0, 0, 0], (frames, len(rig.names), 1))
    close = np.sin(np.pi * np.arange(frames) / (frames - 1))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        upper, fore, hand = (rig.names.index(f"{n}.{side}") for n in ("upper_arm", "forearm", "hand"))
        ahead = from_axis_angle(np.array([0.0, 0.0, -sign]), np.full(frames, 1.35))
        inward = from_axis_angle(np.array([0.0, 0.0, -sign]), 1.35 + 1.1 * close)
        turns[:, upper] = ahead
        turns[:, [fore, hand]] = inward[:, None]
    return MotionClip(rig, body.local(turns), np.zeros((frames, 3)), 30.0)


def on_all_fours() -> MotionClip:
    """A person on hands and knees, all of it skating to and fro."""
    rig = load_motion("idle").rig
    body, roles = body_of(rig), body_of(rig).roles
    under = lambda top: [b for b in range(len(rig.names)) if body.kinematics.path[b, roles[top]]]  # noqa: E731
    poses = []
    for lean in np.deg2rad(np.linspace(40, 110, 71)):
        turns = np.tile(from_axis_angle(X, lean), (len(rig.names), 1))
        for s in "LR":
            turns[under(f"thigh.{s}")] = [1.0, 0, 0, 0]
            turns[under(f"shin.{s}")] = from_axis_angle(X, np.pi / 2)
            arm = rig.heads[roles[f"forearm.{s}"]] - rig.heads[roles[f"upper_arm.{s}"]]
            turns[under(f"upper_arm.{s}")] = between(arm, np.array([0.0, 0.0, -1.0]))
        heads = body.kinematics.heads(turns, np.zeros(3))
        low = [heads[roles["hand.L"], 2] - 0.02, heads[roles["shin.L"], 2]]
        poses.append((abs(low[0] - low[1]), turns, low[1]))
    _, turns, low = min(poses, key=lambda p: p[0])
    time = np.arange(60) / 30
    root = np.stack([0.03 * np.sin(4 * time), 0.05 * np.sin(3 * time), 0 * time - low + 0.03], 1)
    return MotionClip(rig, np.tile(body.kinematics.local(turns), (60, 1, 1)), root, 30.0)


def hand_before(distance: float) -> MotionClip:
    """A person whose left hand lies before its belly, so far from the line through the trunk."""
    rig = load_motion("idle").rig
    body, frames = body_of(rig), 40
    roles, kinematics = body.roles, body.kinematics
    turns = np.tile([1.0, 0, 0, 0], (len(rig.names), 1))
    reach = {r: np.linalg.norm(kinematics.offsets[roles[r]]) for r in ("forearm.L", "hand.L")}
    fore, hand = (roles[r] for r in ("forearm.L", "hand.L"))
    shoulder = rig.heads[roles["upper_arm.L"]]
    goal = np.array([0.02, rig.heads[roles["hips"], 1] - distance, rig.heads[roles["hips"], 2] + 0.16])
    across = np.array([-1.0, 0.0, 0.0])  # the hand points to the right
    wrist = goal - 0.5 * np.linalg.norm(kinematics.lengths[hand]) * across
    span = wrist - shoulder
    size, a, b = np.linalg.norm(span), reach["forearm.L"], reach["hand.L"]
    along = (size**2 + a**2 - b**2) / (2 * size)
    out = np.array([1.0, 0.4, 0.0])
    out -= (out @ span) * span / size**2
    elbow = shoulder + along * span / size + np.sqrt(max(a**2 - along**2, 0)) * out / np.linalg.norm(out)
    for bone, begin, end in ((roles["upper_arm.L"], shoulder, elbow), (fore, elbow, wrist),
                             (hand, wrist, wrist + across)):
        rest = kinematics.lengths[bone] if bone == hand else rig.heads[hand if bone == fore else fore] - rig.heads[bone]
        turn = between(rest, end - begin)
        for other in np.flatnonzero(kinematics.path[:, bone]):
            turns[other] = multiply(turn, [1.0, 0, 0, 0])
    return MotionClip(rig, np.tile(kinematics.local(turns), (frames, 1, 1)), np.zeros((frames, 3)), 30.0)

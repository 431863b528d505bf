"""Frame by frame: the same motion, feet that stand, nothing of the future."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.rotation import angle, conjugate, multiply
from core.motion.clip import repeated
from core.motion.clip_file import load_motion
from core.motion.measure import measure
from core.motion.online import OnlineRetarget
from core.motion.retarget import RetargetOptions, Transfer, retarget

from .bodies import person_rig


def streamed(clip, rig, options=RetargetOptions(), contacts=True):
    online = OnlineRetarget(clip.rig, rig, clip.rate, options)
    frames = [online.step(q, p, c if contacts else None) for q, p, c in zip(clip.rotations, clip.root, clip.contacts,
                                                                             strict=True)]
    whole = retarget(clip, rig, options)
    return whole.changed(rotations=np.array([f[0] for f in frames]), root=np.array([f[1] for f in frames]))


@pytest.mark.parametrize("name", ["walk", "sneak", "run", "idle"])
def test_feet_stand_and_nothing_jumps(name):
    clip = repeated(load_motion(name), 2).changed(loop=False)
    rig = person_rig(1)
    out = streamed(clip, rig)
    found = measure(out, clip, Transfer(clip.rig, rig))
    assert found.worst_slide <= 0.01 and found.sink < 0.005 and found.flips == 0
    steps = angle(multiply(out.rotations[1:], conjugate(out.rotations[:-1]))).max()
    wanted = angle(multiply(clip.rotations[1:], conjugate(clip.rotations[:-1]))).max()
    assert steps < 1.6 * wanted + np.deg2rad(3)


def test_on_its_own_skeleton_a_motion_is_itself():
    clip = load_motion("walk").changed(loop=False)
    own = streamed(clip, clip.rig)
    assert angle(multiply(own.rotations, conjugate(clip.rotations))).max() < 1e-3


def test_without_holding_it_is_the_whole_clips_transfer():
    clip = load_motion("dance")
    rig = person_rig()
    options = RetargetOptions(hold=False)
    np.testing.assert_allclose(
        streamed(clip, rig, options).rotations, retarget(clip, rig, options).rotations, atol=1e-9
    )


def test_contacts_are_detected_on_the_way():
    clip = repeated(load_motion("walk"), 2).changed(loop=False)
    rig = person_rig()
    found = measure(streamed(clip, rig, contacts=False), clip, Transfer(clip.rig, rig))
    assert found.slide < 0.05 and found.sink < 0.005


def test_a_restart_forgets():
    clip = load_motion("walk")
    rig = person_rig()
    online = OnlineRetarget(clip.rig, rig, clip.rate)
    first = online.step(clip.rotations[0], clip.root[0])
    for i in range(1, 10):
        online.step(clip.rotations[i], clip.root[i])
    online.restart()
    again = online.step(clip.rotations[0], clip.root[0])
    np.testing.assert_array_equal(first[0], again[0])

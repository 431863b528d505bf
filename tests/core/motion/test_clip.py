"""Clips and their files: what is kept, and what is refused in words."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.errors import BadMotion
from core.geometry.rotation import identity, multiply, normalized, rotate
from core.motion.clip import MotionClip, as_loop, in_place
from core.motion.clip_file import load_motion, motion_data, motion_from_data, motion_json, motion_names
from core.motion.kinematics import Kinematics
from tests.core.motion.bodies import preset_rig
from tests.motion_files import repeated


def still(frames: int = 5, **fields) -> MotionClip:
    rig = preset_rig("biped")
    return MotionClip(rig, identity(frames, len(rig.names)), np.zeros((frames, 3)), **fields)


def test_forward_kinematics_is_the_walk_up_the_parents(rng):
    rig = preset_rig("biped")
    local = normalized(rng.normal(size=(3, len(rig.names), 4)))
    root = rng.normal(size=(3, 3))
    kinematics = Kinematics(rig)
    turns = kinematics.turns(local)
    heads = kinematics.heads(turns, root)
    for frame in range(3):
        for bone, parent in enumerate(rig.parents):  # the naive twin
            if parent < 0:
                turn, head = local[frame, bone], rig.heads[bone] + root[frame]
            else:
                turn = multiply(turns[frame, parent], local[frame, bone])
                head = heads[frame, parent] + rotate(turns[frame, parent], rig.heads[bone] - rig.heads[parent])
            np.testing.assert_allclose(turns[frame, bone], turn, atol=1e-12)
            np.testing.assert_allclose(heads[frame, bone], head, atol=1e-12)
    np.testing.assert_allclose(kinematics.local(turns), local, atol=1e-12)
    rest = kinematics.turns(identity(len(rig.names)))
    np.testing.assert_allclose(kinematics.tails(rest, kinematics.heads(rest, np.zeros(3))), rig.tails, atol=1e-12)


@pytest.mark.parametrize(("change", "words"), [
    ({"rate": 0.0}, "rate above 0"), ({"rate": float("nan")}, "rate above 0"), ({"rate": -24}, "rate above 0")])
def test_a_clip_needs_a_rate(change, words):
    with pytest.raises(BadMotion, match=words):
        still(**change)


def test_a_clip_needs_frames_and_numbers():
    clip = still()
    with pytest.raises(BadMotion, match="no frames"):
        clip.changed(rotations=np.zeros((0, 21, 4)), root=np.zeros((0, 3)), contacts=None)
    broken = np.array(clip.rotations)
    broken[2, 4, 1] = np.nan
    with pytest.raises(BadMotion, match=r"frame 2 of bone 'head'"):
        clip.changed(rotations=broken)
    broken[2, 4] = 0
    with pytest.raises(BadMotion, match=r"length 0 at frame 2"):
        clip.changed(rotations=broken)
    with pytest.raises(BadMotion, match="no place at frame 3"):
        clip.changed(root=np.where(np.arange(5)[:, None] == 3, np.inf, np.zeros((5, 3))))
    with pytest.raises(ValueError, match="rotations must have shape"):
        clip.changed(rotations=np.zeros((5, 3, 4)))


def test_the_clip_does_not_share_its_arrays():
    root = np.zeros((5, 3))
    clip = still().changed(root=root)
    root[0] = 7
    assert clip.root[0, 0] == 0 and not clip.rotations.flags.writeable


@pytest.mark.parametrize("name", motion_names())
def test_files_come_back_as_they_were_written(name):
    clip = load_motion(name)
    again = motion_from_data(json.loads(motion_json(clip)))
    np.testing.assert_allclose(again.rotations, clip.rotations, atol=2e-7)
    np.testing.assert_allclose(again.root, clip.root, atol=1e-7)
    np.testing.assert_array_equal(again.contacts, clip.contacts)
    assert (again.feet, again.loop, again.rate, again.name, again.rig.names) == (
        clip.feet, clip.loop, clip.rate, clip.name, clip.rig.names)
    np.testing.assert_allclose(again.stride, clip.stride, atol=1e-7)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "x"}, "not a motion"),
        ({"version": 2}, "version 2"),
        ({"rate": "quick"}, '"rate"'),
        ({"root": [[0, 0]]}, '"root"'),
        ({"rotations": {"nobody": []}}, '"rotations"'),
        ({"bones": 3}, '"bones"'),
        ({"contacts": {"foot.L": "1"}}, '"contacts"'),
        ({"stride": [1]}, '"stride"'),
        ({"loop": "false"}, '"loop"'),
        ({"contacts": {"foot.L": [1] * len(load_motion("walk").root)}}, '"contacts"'),
        ({"strid": [1, 0, 0]}, 'no field "strid"'),
        ({"bones": motion_data(load_motion("walk"))["bones"][::-1]}, '"bones"'),
        ({"root": []}, "no frames|rotations"),
    ],
)
def test_broken_files_are_told_by_field(change, words):
    with pytest.raises(BadMotion, match=words):
        motion_from_data(motion_data(load_motion("walk")) | change)


def test_files_that_are_none(tmp_path):
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(BadMotion, match="not JSON"):
        load_motion(tmp_path / "a.json")
    with pytest.raises(BadMotion, match="cannot be read"):
        load_motion(tmp_path / "b.json")
    with pytest.raises(BadMotion, match=r"Choose one of: .*walk"):
        load_motion("moonwalk")


def test_a_treadmill_takes_the_travel_and_nothing_else():
    walk = load_motion("walk")
    still = in_place(walk)
    assert np.abs(still.stride).max() == 0 and np.ptp(still.root[:, 1]) < 0.1 * np.ptp(walk.root[:, 1])
    np.testing.assert_array_equal(still.root[:, 2], walk.root[:, 2])
    once = in_place(walk.changed(loop=False))
    assert abs(once.root[-1, 1] - once.root[0, 1]) < 0.1 * np.ptp(walk.root[:, 1])


def test_a_loop_repeats_and_travels_on():
    walk = load_motion("walk")
    twice = repeated(walk, 2)
    n = len(walk.root)
    np.testing.assert_allclose(twice.root[n:] - twice.root[:n], np.tile(walk.stride, (n, 1)), atol=1e-12)
    np.testing.assert_allclose(twice.stride, 2 * walk.stride)


def test_a_recorded_cycle_is_seen_to_be_a_loop():
    walk = load_motion("walk")
    n = len(walk.root)
    recorded = repeated(walk, 2).changed(loop=False, stride=np.zeros(3))
    recorded = recorded.changed(rotations=recorded.rotations[:n + 1], root=recorded.root[:n + 1],
                                contacts=recorded.contacts[:n + 1])
    loop = as_loop(recorded)
    assert loop.loop and len(loop.root) == n
    np.testing.assert_allclose(loop.stride, walk.stride, atol=1e-12)
    np.testing.assert_allclose(loop.rotations, walk.rotations, atol=1e-12)
    jump = load_motion("jump")  # ends as it begins, but at rest
    assert as_loop(jump) is jump and as_loop(loop) is loop and as_loop(still()).loop is False
    half = recorded.changed(rotations=recorded.rotations[:20], root=recorded.root[:20], contacts=recorded.contacts[:20])
    assert as_loop(half) is half


def test_on_the_spot_what_is_no_loop_ends_above_where_it_began():
    clip = load_motion("walk").changed(loop=False)
    found = in_place(clip)
    assert np.linalg.norm(clip.root[-1] - clip.root[0]) > 0.5
    np.testing.assert_allclose(found.root[-1, :2], found.root[0, :2], atol=1e-12)
    np.testing.assert_array_equal(found.root[:, 2], clip.root[:, 2])


def test_a_file_that_tells_no_stride_stays_where_it_is():
    data = motion_data(load_motion("idle"))
    data.pop("stride", None)
    np.testing.assert_array_equal(motion_from_data(data).stride, 0.0)

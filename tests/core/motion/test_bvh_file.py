"""Biovision files: what their words say, turns in the order of their channels, and files that are not whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.errors import BadMotion
from core.geometry.rotation import to_matrix
from core.motion.bvh_file import TIP, _frames, _posed, _skeleton, load_bvh

FILE = Path("some.bvh")
SKELETON = """HIERARCHY
ROOT Hips
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Left leg {
    OFFSET 0.5 -1 0 cm
    CHANNELS 3 Yrotation Zrotation Xrotation
    JOINT Hips
    {
      OFFSET 0 -2 0
      CHANNELS 4 Xrotation Zposition Yrotation Xposition
      End Site
      {
        OFFSET 0 0 4
      }
    }
  }
  joint Head
  {
    offset 0 0.5 0
    channels 0
  }
}
"""
CHANNELS = 13
UP = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # a file's Y is our Z


def motion(values: np.ndarray, time: str = "0.04") -> str:
    """What follows the skeleton."""
    lines = "\n".join(" ".join(f"{x:.6f}" for x in row) for row in values)
    return f"\nFrames: {len(values)}\nFrame Time: {time}\n{lines}\n"


def test_bones_begin_at_the_sum_of_offsets_and_end_at_the_farthest_child_the_end_or_a_little_on():
    joints, channels = _skeleton(FILE, SKELETON)
    rig, _, _ = _posed(joints, np.zeros((1, channels)))
    assert channels == CHANNELS
    assert rig.names == ("Hips", "Left leg", "Hips.001", "Head") and rig.parents.tolist() == [-1, 0, 1, 0]
    heads = np.array([[1, 2, 3], [1.5, 1, 3], [1.5, -1, 3], [1, 2.5, 3]])
    np.testing.assert_allclose(rig.heads, heads @ UP.T)
    np.testing.assert_allclose(rig.tails, [*heads[[1, 2]] @ UP.T, UP @ [1.5, -1, 7], UP @ [1, 2.5 + TIP * 0.5, 3]])
    alone, channels = _skeleton(FILE, "ROOT {\nCHANNELS 3 Xrotation Yrotation Zrotation\n}")
    rig, _, _ = _posed(alone, np.zeros((1, channels)))
    assert rig.names == ("joint 0",) and rig.tails.tolist() == [[0.0, 0.0, TIP]]


def test_channels_turn_one_after_the_other_in_their_order_and_places_take_the_offsets_place(rng):
    joints, channels = _skeleton(FILE, SKELETON)
    values = rng.uniform(-170, 170, (5, channels))
    _, turns, heads = _posed(joints, values)
    for frame, row in enumerate(values):
        root = Rotation.from_euler("ZXY", row[3:6], degrees=True).as_matrix()
        leg = root @ Rotation.from_euler("YZX", row[6:9], degrees=True).as_matrix()
        last = leg @ Rotation.from_euler("XY", row[[9, 11]], degrees=True).as_matrix()
        places = [row[:3], row[:3] + root @ [0.5, -1, 0], row[:3] + root @ [0, 0.5, 0]]
        places.insert(2, places[1] + leg @ [row[12], -2, row[10]])
        np.testing.assert_allclose(heads[frame], np.array(places) @ UP.T, atol=1e-9)
        for bone, turn in enumerate((root, leg, last, root)):
            np.testing.assert_allclose(to_matrix(turns[frame, bone]), UP @ turn @ UP.T, atol=1e-9)


def test_frames_are_as_many_numbers_as_announced_and_more_is_left_out(rng):
    values = rng.uniform(-99, 99, (3, CHANNELS)).round(6)
    found, rate = _frames(FILE, motion(values) + "1 2 3", CHANNELS)
    np.testing.assert_array_equal(found, values)
    assert rate == pytest.approx(25.0)


MOVED = "MOTION" + motion(np.zeros((2, CHANNELS)))


@pytest.mark.parametrize(("text", "words"), [
    ("some text", "no HIERARCHY or no MOTION"), (SKELETON, "no MOTION"), (MOVED, "HIERAR"),
    (SKELETON.replace("}", "", 1) + MOVED, "braces"),
    (SKELETON.replace("-1 0", "-1 none") + MOVED, "braces"),
    ("HIERARCHY\nOFFSET 1 2 3\nMOTION" + motion(np.zeros((2, 13))), "braces"),
    (SKELETON + "MOTION", "no frames"), (SKELETON + "MOTION" + motion(np.zeros((0, 13))), "no frames"),
    (SKELETON + "MOTION\nFrames: 2\nFrame Time:", "no frames"),
    *((SKELETON + "MOTION" + motion(np.zeros((2, 13)), time), f"frame time of {time} s")
      for time in ("0", "-1", "10", "long")),
    (SKELETON + "MOTION\nFrames: 2\nFrame Time: 9.9", "2 frames of 13 channels are announced, 0 are there"),
    (SKELETON + MOVED.replace("0.000000", "", 1), "announced, 1 are there"),
    (SKELETON + MOVED.replace("0.000000", "no", 1), "words where numbers"),
    (SKELETON + "MOTION" + motion(np.repeat([[0.0], [np.nan], [0]], 13, axis=1)), "in frame 1")])
def test_files_that_are_not_whole_are_told(text, words, tmp_path):
    path = tmp_path / "broken.bvh"
    path.write_text(text)
    with pytest.raises(BadMotion, match=words) as told:
        load_bvh(path)
    assert str(path) in str(told.value)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(BadMotion, match="cannot be read"):
        load_bvh(tmp_path / "nowhere.bvh")

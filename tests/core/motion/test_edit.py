"""Clips mirrored, cut, resampled and thinned."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadMotion
from core.geometry.rotation import angle, conjugate, multiply
from core.motion.clip_file import load_motion
from core.motion.edit import DRIFTS, kept_keys, mirrored, resampled, trimmed, without_drift
from core.motion.kinematics import Kinematics
from core.motion.retarget import RetargetOptions, retarget
from core.skeleton.preset import other_side
from tests.limits import turning_point


def test_a_mirrored_clip_is_the_mirror_image():
    clip = drifting("walk", np.array([0.3, -0.2, 0.1]))
    other, names, body = mirrored(clip), clip.rig.names, Kinematics(clip.rig)
    places, images = (body.heads(body.turns(c.rotations), c.root) for c in (clip, other))
    np.testing.assert_allclose(images, places[:, [names.index(other_side(n)) for n in names]] * [-1, 1, 1], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(other.rotations, axis=-1), 1, atol=1e-6)
    np.testing.assert_allclose(other.stride, np.array([-0.3, -0.2, 0.1]) + load_motion("walk").stride, atol=1e-12)
    feet = [clip.feet.index(other_side(foot)) for foot in clip.feet]
    np.testing.assert_array_equal(other.contacts, clip.contacts[:, feet])


def test_a_trimmed_clip_is_the_frames_between():
    jump = load_motion("jump")
    part = trimmed(jump, 10, 20)
    np.testing.assert_allclose(part.rotations, jump.rotations[10:21], atol=1e-12)
    np.testing.assert_array_equal(part.contacts, jump.contacts[10:21])
    assert trimmed(jump) is jump and not trimmed(load_motion("walk"), 3).loop
    assert len(trimmed(jump, 5, 10_000).root) == len(jump.root) - 5
    for first, last in ((7, 7), (20, 10), (500, -1), (-2, 5)):
        with pytest.raises(BadMotion, match="0 to"):
            trimmed(jump, first, last)
    for first, last in ((7, 7), (0, 0), (len(jump.root) - 1, -1)):
        with pytest.raises(BadMotion, match=f"only frame {first} is left of it, and a motion takes two"):
            trimmed(jump, first, last)


@pytest.mark.parametrize("name", ["walk", "jump"])
@pytest.mark.parametrize("rate", [12.0, 60.0, 90.0, 30.0])
def test_resampling_keeps_places_and_length(name, rate):
    clip = load_motion(name)
    out = resampled(clip, rate)
    assert out.seconds == pytest.approx(clip.seconds, abs=1 / min(rate, clip.rate)) and out.loop == clip.loop
    every = 3 if rate == 90 else 2
    if rate >= clip.rate and rate != clip.rate:
        shared = out.changed(rotations=out.rotations[::every], root=out.root[::every], contacts=out.contacts[::every])
        assert angle(multiply(conjugate(shared.rotations), clip.rotations)).max() < 1e-6
        np.testing.assert_allclose(shared.root, clip.root, atol=1e-9)
        assert np.abs(np.diff(out.root, axis=0)).max() < np.abs(np.diff(clip.root, axis=0)).max()
    np.testing.assert_array_equal(out.stride, clip.stride)
    with pytest.raises(BadMotion, match="rate"):
        resampled(clip, 0.5)


def test_lines_between_kept_keys_stay_within_the_tolerance(rng):
    times = np.cumsum(rng.uniform(0.5, 1.5, 300))
    values = np.cumsum(np.cumsum(rng.normal(size=(300, 4)), axis=0), axis=0) / 100
    before = 301
    for tolerance in (0.0, 0.01, 0.1, 1.0, 1e9):
        kept = kept_keys(times, values, tolerance)
        shown = np.stack([np.interp(times, times[kept], values[kept, k]) for k in range(4)], 1)
        assert np.linalg.norm(shown - values, axis=1).max() <= tolerance + 1e-12
        assert kept[0] == 0 and kept[-1] == 299 and len(kept) <= before
        before = len(kept)
    assert before == 2


def drifting(name, way):
    """A shipped motion that goes a way further, from its first frame to its last or in a round."""
    clip = load_motion(name)
    part = np.arange(len(clip.root)) / (len(clip.root) - (0 if clip.loop else 1))
    moved = clip.changed(root=clip.root + part[:, None] * way)
    return moved.changed(stride=clip.stride + way) if clip.loop else moved


@pytest.mark.parametrize("name", ["idle", "dance", "wave"])
def test_without_drift_a_motion_ends_where_it_began(name):
    clip, plain = drifting(name, np.array([0.12, -0.05, 0.0])), load_motion(name)
    gone = retarget(clip, clip.rig, RetargetOptions(no_drift=True, hold=False))
    np.testing.assert_allclose(gone.root, plain.root, atol=0.01)
    np.testing.assert_allclose(gone.stride, 0.0, atol=1e-9)
    assert np.abs(retarget(clip, clip.rig, RetargetOptions(hold=False)).root - gone.root).max() > 0.1


@pytest.mark.parametrize("name", ["walk", "run", "sneak"])
def test_what_travels_has_no_drift(name):
    clip = load_motion(name)
    kept, same = (retarget(clip, clip.rig, RetargetOptions(no_drift=no)) for no in (False, True))
    np.testing.assert_array_equal(kept.root, same.root)
    np.testing.assert_array_equal(kept.stride, same.stride)


@pytest.mark.parametrize(("loop", "seconds"), [(True, 0.5), (False, 0.4)])
def test_what_goes_faster_than_drift_is_travel_however_few_frames_it_has(loop, seconds):
    def drifts(speed: float) -> bool:
        way = np.array([speed * seconds, 0.0, 0.0])
        root = np.outer(np.arange(5) / 10.0, way / seconds)
        return bool(np.allclose(without_drift(root, way * loop, 10.0, 2.0, loop)[0], 0.0, atol=1e-9))

    assert turning_point(drifts, 0.001, 3.0) == pytest.approx(DRIFTS * 2.0, rel=0.02)


def test_no_more_keys_are_kept_than_lines_need():
    """Whatever the times between them: on one line two, on a roof three."""
    times = np.array([0.0, 0.1, 0.5, 2.0, 2.5, 7.0])
    line = times[:, None] * [3.0, -1.0]
    np.testing.assert_array_equal(kept_keys(times, line, 1e-9), [0, 5])
    np.testing.assert_array_equal(kept_keys(times, np.abs(times - 2.0)[:, None], 1e-9), [0, 3, 5])

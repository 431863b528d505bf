"""A belt under the feet is told from feet that stand, and from a body that goes over the ground."""

from __future__ import annotations

import numpy as np
import pytest

from core.motion.contacts import ContactOptions
from core.motion.treadmill import belt_velocity

FRAMES, RATE = 60, 30.0
BELT = np.array([0.3, 1.2, 0.0])  # leg lengths a second
CONTACTS = np.arange(FRAMES)[:, None] // 15 % 2 == [0, 1]  # one foot, then the other


def found(root=(0.0, 0.0, 0.0), stride=None, contacts=CONTACTS, belt=BELT) -> np.ndarray:
    """The belt seen under feet that slide with it where they stand, lifted and brought back where they do not.

    root : how far the body goes from the first frame to the last;  stride : of a loop
    """
    time = np.arange(FRAMES)[:, None] / RATE
    swing = np.where(CONTACTS[..., None], belt, -belt) / RATE
    places = np.cumsum(swing, axis=0) + np.where(CONTACTS, 0.0, 0.2)[..., None] * [0, 0, 1]
    way = 5.0 + time / time[-1] * np.asarray(root, float)  # far from the origin, which says nothing
    return belt_velocity(places, contacts, way, RATE, 1.0, ContactOptions(), stride is not None,
                         np.zeros(3) if stride is None else np.array(stride, float))


@pytest.mark.parametrize("motion", [{}, {"root": (0, 0, 3.0)}, {"stride": (0, 0, 0)},
                                    {"stride": (0, 0, 3.0), "root": (9, 9, 9)}, {"root": (0.3, 0, 0)},
                                    {"root": (0, -0.3, 0)}, {"stride": (0.3, 0, 0)}, {"stride": (0, -0.3, 0)}])
def test_feet_that_slide_under_a_body_that_drifts_little_or_only_rises_are_on_a_belt(motion):
    np.testing.assert_allclose(found(**motion), BELT, atol=0.02)


@pytest.mark.parametrize("motion", [{"root": (0, -3.0, 0)}, {"root": (3.0, 0, 0)}, {"stride": (0, -3.0, 0)},
                                    {"stride": (3.0, 0, 0)}])
def test_a_body_that_goes_over_the_ground_is_on_none(motion):
    assert not found(**motion).any()


@pytest.mark.parametrize("frames", [3, 4, 5])
def test_feet_tell_of_a_belt_from_four_frames_on_in_which_one_stands(frames):
    stands = np.zeros((FRAMES, 2), bool)
    stands[20:20 + frames, 1] = True
    assert found(contacts=stands & CONTACTS).any() == (frames > 3)


def test_feet_that_hardly_slide_are_on_none():
    assert not found(belt=0.2 * BELT).any()
    assert found(belt=0.5 * BELT).any()


def test_without_contacts_the_lowest_frames_count():
    np.testing.assert_allclose(found(contacts=None), BELT, atol=0.02)


@pytest.mark.parametrize("contacts", [None, np.zeros((FRAMES, 0), bool)])
@pytest.mark.parametrize("loop", [False, True])
def test_who_has_no_feet_is_on_none(contacts, loop):
    none = np.zeros((FRAMES, 0, 3))
    assert not belt_velocity(none, contacts, np.zeros((FRAMES, 3)), RATE, 1.0, ContactOptions(), loop, BELT).any()

"""From where on a warning is given: each limit is crossed slowly, and lies where it should."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.fitting.forewarning import (
    APART,
    HALF,
    _side_by_side,
    forewarn,
    forewarn_mesh,
    several_bodies,
    touching_bodies,
)
from core.geometry.frame import Frame
from core.geometry.mesh import Mesh
from core.seeing.limb_census import LimbCensus
from tests.core.skinning.solids import joined
from tests.limits import turning_point
from tests.shapes import box

SOUND = LimbCensus(1, True, 0.7, 0.0, (0.4, 0.4), True, False, False)


def about(value: float):
    return pytest.approx(value, rel=0.02)


@pytest.mark.parametrize(("kind", "words", "low", "high", "limit", "change"), [
    ("biped", "left arm is missing", 0.1, 0.4, 0.62 * 0.4, lambda v: {"reach": (v, 0.4)}),
    ("biped", "right arm is missing", 0.1, 0.4, 0.62 * 0.4, lambda v: {"reach": (0.4, v)}),
    ("biped", "arms touch", 0.2, 0.4, 0.28, lambda v: {"reach": (v, v), "touch": 0.5}),
    ("biped", "arms touch", 0.3, 0.8, 0.56, lambda v: {"reach": (0.25, 0.25), "armpit": v}),
    ("biped", "below the elbow", 0.3, 0.8, 0.6, lambda v: {"reach": (0.25, 0.25), "touch": v})])
def test_poses_are_warned_about_from_a_limit_on(kind, words, low, high, limit, change):
    told = lambda value: any(words in text for text in forewarn(replace(SOUND, **change(value)), kind))  # noqa: E731
    assert not forewarn(SOUND, "biped") and not forewarn(SOUND, "quadruped")
    assert turning_point(told, low, high) == about(limit)


def test_legs_arms_and_kinds_that_do_not_show_are_told():
    assert "legs touch" in forewarn(replace(SOUND, leg_pairs=0), "biped")[0]
    assert "no two arms stand out" in forewarn(replace(SOUND, arms=False), "biped")[0]
    assert "above the elbow" in forewarn(replace(SOUND, reach=(0.2, 0.2), touch=0.0, armpit=0.3), "biped")[0]
    assert not forewarn(SOUND, "unknown") and not forewarn(replace(SOUND, leg_pairs=0), "quadruped")


@pytest.mark.parametrize(("words", "low", "high", "limit", "frame"), [
    ("tiny", 1e-3, 1.0, 0.01, lambda v: Frame(np.zeros(3), v, np.eye(3))),
    ("huge", 1.0, 1e3, 100, lambda v: Frame(np.zeros(3), v, np.eye(3))),
    ("far from", 10.0, 1e3, 200, lambda v: Frame(np.array([0, v, 0]), 2.0, np.eye(3)))])
def test_places_and_sizes_are_warned_about_from_a_limit_on(words, low, high, limit, frame):
    block = box(divisions=2).mesh
    told = lambda value: any(words in text for text in forewarn_mesh(block, frame(value)))  # noqa: E731
    assert turning_point(told, low, high, steps=20) == about(limit)


@pytest.mark.parametrize(("size", "metres", "said"), [
    (190.0, 1.0, "huge"), (190.0, 0.01, ""), (190.0, 100.0, "huge"), (0.0019, 1.0, "tiny"), (0.0019, 1000.0, ""),
    (1.9, 0.001, ""), (1.9, 1000.0, "")])
def test_a_size_that_is_right_in_units_or_in_metres_is_right(size, metres, said):
    told = " ".join(forewarn_mesh(box(divisions=2).mesh, Frame(np.zeros(3), size, np.eye(3)), metres))
    assert ("huge" in told, "tiny" in told) == (said == "huge", said == "tiny")


def pillar(x: float, wide: float, tall: float, deep: float = 0.3, y: float = 0.0, low: float = 0.0) -> Mesh:
    return box((wide, deep, tall), (x, y, low + tall / 2), divisions=4).mesh


@pytest.mark.parametrize("mirrored", [1, -1])
@pytest.mark.parametrize(("low", "high", "limit", "make"), [
    (0.05, 1.0, 0.2 * 1.6, lambda v: joined(pillar(0, 0.5, 2.0), pillar(v, 0.5, 1.6))),
    (0.05, 1.0, 0.2 * 1.6, lambda v: joined(pillar(0, 0.5, 2.0), pillar(v, 0.9, 1.6))),
    (0.05, 1.0, 0.2 * 1.6, lambda v: joined(pillar(0, 0.5, 2.0), pillar(0.01, 0.5, 1.6, 0.9, v))),
    (1.1, 1.95, 0.8 * 2.0, lambda v: joined(pillar(0, 0.5, v), pillar(0.5, 0.5, 1.05), ball_on_top())),
    (0.5, 1.5, 1.0, lambda v: joined(pillar(0, 0.5, 2.0), pillar(0.6, 0.5, v))),
    (0.05, 0.5, 0.12 * 2.0, lambda v: joined(pillar(0, 0.5, 2.0), pillar(0.6, v, 2.0))),
    (0.0, 0.5, 0.1 * 2.0, lambda v: joined(pillar(0, 0.5, 2.0), pillar(0.6, 0.5, 1.3, low=v)))])
def test_two_that_touch_are_told_apart_from_a_limit_on(low, high, limit, make, mirrored):
    def told(value: float) -> bool:
        mesh = make(value)
        return touching_bodies(Mesh(mesh.vertices * [mirrored, mirrored, 1], mesh.faces))

    assert turning_point(told, low, high) == about(limit)


def ball_on_top() -> Mesh:
    """Something small that makes the whole 2 high."""
    return box((0.05, 0.05, 0.05), (0, 0, 1.975), divisions=2).mesh


def test_each_of_two_that_touch_has_its_share_of_the_skin():
    def told(size: float) -> bool:
        return touching_bodies(joined(pillar(0, 0.5, 2.0), pillar(0.6, 0.5, 2.0), pillar(9, size, 0.05, size)))

    two, one = 2 * (2 * (0.5 * 2 + 0.3 * 2) + 2 * 0.5 * 0.3), (2 * (0.5 * 2 + 0.3 * 2) + 2 * 0.5 * 0.3)
    size = turning_point(told, 0.5, 9.0)
    assert one / (two + 2 * size**2 + 4 * 0.05 * size) == about(0.15)


@pytest.mark.parametrize(("low", "high", "limit", "make"), [
    (0.5, 1.9, 1.0, lambda v: joined(pillar(0, 0.5, 2.0), pillar(2, 0.5, v))),
    (0.05, 0.5, 0.08 * 2.0, lambda v: joined(pillar(0, 0.5, 2.0), pillar(2, v, 2.0)))])
def test_two_bodies_apart_are_each_as_tall_and_thick_as_one(low, high, limit, make):
    assert turning_point(lambda value: several_bodies(make(value)), low, high) == about(limit)


@pytest.mark.parametrize(("scene", "are_two"), [(0.0, True), (2.0, True), (2.3, False)])
def test_bodies_on_steps_are_as_tall_as_the_tallest_if_nothing_else_is_in_the_scene(scene, are_two):
    """Two pillars, 0.9 high, on a whole that is 2 high: what is taller than that holds more than this mesh."""
    steps = joined(pillar(0, 0.5, 0.9), pillar(2, 0.5, 0.9, low=1.1))
    assert several_bodies(steps, scene) == are_two


@pytest.mark.parametrize("tall", [0.3, 1.0, 40.0])
def test_parts_stand_side_by_side_if_as_tall_as_characters_on_both_sides_of_a_gap(tall):
    def told(left: float, right: float, gap: float) -> bool:
        """Two parts on top of each other left of a gap, so high together, and two right of it."""
        low = np.array([[0, 0, 0], [0, 0, left / 2], [1 + gap, 0, 0], [1 + gap, 0, right / 2]])
        size = np.array([[1, 1, left / 2], [1, 1, left / 2], [1, 1, right / 2], [1, 1, right / 2]])
        return _side_by_side(tall * low, tall * (low + size), tall)

    assert told(0.9, 0.9, 0.5) and not told(0.9, 0.9, 0.0)
    assert turning_point(lambda v: told(v, 0.9, 0.5), 0.1, 0.9) == about(HALF)
    assert turning_point(lambda v: told(0.9, v, 0.5), 0.1, 0.9) == about(HALF)
    assert turning_point(lambda v: told(0.9, 0.9, v), 0.0, 0.01) == about(APART)



"""Eyes: two loose balls in the front of a head get a bone each, and nothing else does."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.detail.eyes import find_eyes
from core.detail.grow import DetailOptions
from core.geometry.balls import Balls, loose_balls
from core.geometry.frame import Frame
from core.geometry.mesh import Mesh, vertex_components
from core.pipeline import bind, fit, prepare
from core.skeleton.eye import EYES
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from tests.characters import person
from tests.limits import turning_point
from tests.shapes import ball as analytic_ball

BIPED = load_template("biped")
PERSON = person(vertices=2500)
HEAD = np.array(PERSON.joints["head_top"]) - PERSON.joints["head"]


def place(side: float, *, across: float = 0.28, ahead: float = 0.62, up: float = 0.45) -> np.ndarray:
    """(3,) where a ball is put, in lengths of the head from where it begins."""
    size = float(np.linalg.norm(HEAD))
    return np.array(PERSON.joints["head"]) + up * HEAD + size * np.array([side * across, -ahead, 0.0])


def ball(centre, radius: float, *, squash=(1.0, 1.0, 1.0), keep=lambda p: True) -> Mesh:
    base = analytic_ball(1.0, segments=16).mesh
    faces = base.faces[[bool(keep(p)) for p in base.vertices[base.faces].mean(1)]]
    used, faces = np.unique(faces, return_inverse=True)
    return Mesh(np.array(centre) + radius * base.vertices[used] * squash, faces.reshape(-1, 3))


def joined(*more: Mesh) -> Mesh:
    """The person with more parts."""
    meshes = [PERSON.mesh, *more]
    start = np.cumsum([0] + [len(m.vertices) for m in meshes])
    return Mesh(np.concatenate([m.vertices for m in meshes]),
                np.concatenate([m.faces + i for m, i in zip(meshes, start, strict=False)]), "person")


def pair(radius: float = 0.02, where=None, **shape) -> list[Mesh]:
    return [ball(place(side, **(where or {})), radius, **shape) for side in (1.0, -1.0)]


def eyes_of(mesh: Mesh):
    shape = prepare(mesh)
    rig = fit(mesh, BIPED, shape=shape)
    return find_eyes(shape, rig)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("radius", [0.012, 0.02, 0.035])
def test_two_balls_in_the_face_are_eyes(radius):
    eyes = eyes_of(joined(*pair(radius)))
    assert set(eyes) == {"L", "R"}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        np.testing.assert_allclose(eyes[side].centre, place(sign), atol=1e-4)
        assert eyes[side].radius == pytest.approx(radius, rel=0.05)


@pytest.mark.parametrize(("noise", "keep", "found"), [(0.055, lambda p: True, 1), (0.055, lambda p: p[1] < 0.1, 0),
                                                      (0.12, lambda p: True, 0)])
def test_a_whole_ball_may_be_rougher_than_half_a_one(noise, keep, found):
    base = ball((0, 0, 0), 1.0, keep=keep)
    rough = 1 + noise * np.random.default_rng(3).normal(size=(len(base.vertices), 1))
    mesh = Mesh(base.vertices * rough, base.faces)
    assert len(loose_balls(mesh, vertex_components(mesh)).parts) == found


@pytest.mark.slow
def test_larger_balls_below_the_head_are_not_taken_instead():
    eyes = eyes_of(joined(*pair(0.02), *pair(0.04, {"across": 0.5, "up": -0.8, "ahead": 0.8})))
    np.testing.assert_allclose(eyes["L"].centre, place(1.0), atol=1e-4)


@pytest.mark.slow
def test_half_a_ball_is_enough():
    halves = pair(0.02, keep=lambda p: p[1] < 0.1)
    eyes = eyes_of(joined(*halves))
    np.testing.assert_allclose(eyes["L"].centre, place(1.0), atol=1e-3)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("mesh", [
    PERSON.mesh,
    joined(ball(place(1.0), 0.02)),
    joined(*pair(0.02, squash=(1.0, 0.3, 1.0))),
    joined(ball(place(1.0), 0.015), ball(place(-1.0), 0.035)),
    joined(*pair(0.012, {"across": 0.7, "ahead": 0.0})),
    joined(*pair(0.02, {"ahead": -0.6})),
    joined(ball(np.array(PERSON.joints["hand.L"]), 0.03), ball(np.array(PERSON.joints["hand.R"]), 0.03)),
], ids=["no balls", "one", "buttons", "unlike", "ear rings", "at the back", "in the hands"])
def test_nothing_else_is(mesh):
    assert not eyes_of(mesh)


@pytest.mark.parametrize("length", [0.12, 0.3])
@pytest.mark.parametrize(("radius", "off", "found"), [
    (0.018, (0, 0.5), 0), (0.023, (0, 0.5), 2), (0.96, (0, 0.5), 2), (1.04, (0, 0.5), 0), (0.3, (-1.75, 0.5), 2),
    (0.3, (-1.85, 0.5), 0), (0.3, (0, 2.75), 2), (0.3, (0, 2.85), 0)])
def test_the_size_and_the_way_of_an_eye_count_in_lengths_of_the_head(length, radius, off, found):
    start = np.array([0.1, 0.2, 0.7])
    height, depth = (x.ravel() for x in np.meshgrid(length * np.arange(0, 3, 0.125), [0.0, 1.0]))
    sheet = Mesh(start + np.stack([0 * depth, depth, height], 1), np.arange(48).reshape(-1, 3))
    shape = SimpleNamespace(mesh=sheet, frame=Frame(np.zeros(3), 1.0, np.eye(3)))
    rig = Rig(("head",), (-1,), [start], [start + [0, 0, length]])
    middle, aside = start + length * np.array([0.0, *off]), length * np.array([0.6 * radius, 0.0, 0.0])
    balls = Balls([0, 1], [middle + aside, middle - aside], [length * radius] * 2)
    assert len(find_eyes(shape, rig, balls)) == found


def test_balls_are_told_from_lumps(rng):
    """A ball of any size, wherever it lies; or stretched a little; not a box, an egg or a disc."""
    centre = rng.normal(size=3)
    box = Mesh(centre + np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float),
               [[0, 1, 2], [4, 5, 6], [1, 2, 3]])
    for mesh, count in ((ball(centre, 0.3), 1), (ball(1e3 * centre, 1e-2), 1), (box, 0),
                        (ball(centre, 0.3, squash=(1, 1, 1.4)), 1),
                        (ball(centre, 0.3, squash=(1, 1, 2)), 0), (ball(centre, 0.3, keep=lambda p: p[2] > 0.7), 0)):
        found = loose_balls(mesh, vertex_components(mesh))
        assert len(found.parts) == count
        if count:
            longest = np.linalg.norm(mesh.vertices - found.centres[0], axis=1).max()
            assert found.radii[0] == pytest.approx(longest, rel=1e-3)


@pytest.mark.long
def test_an_eye_has_a_bone_in_its_middle_and_turns_as_one_piece():
    pupils = [ball(place(side) - [0, 0.017, 0], 0.006) for side in (1.0, -1.0)]
    mesh = joined(*pair(0.02), *pupils)
    shape = prepare(mesh)
    rig = fit(mesh, BIPED, shape=shape, detail=DetailOptions("full"))
    number = [rig.names.index(name) for name in EYES]
    assert [rig.names[rig.parents[b]] for b in number] == ["head", "head"]
    np.testing.assert_allclose(rig.heads[number], [place(1.0), place(-1.0)], atol=1e-4)
    np.testing.assert_allclose((rig.tails - rig.heads)[number] / 0.02, [[0, -1, 0]] * 2, atol=0.05)
    down = np.cross(rig.x_axes[number], (rig.tails - rig.heads)[number])
    assert (down[:, 2] < 0).all(), "a positive turn about X looks down"
    weights = bind(mesh, rig, shape=shape).matrix.toarray()
    first = len(PERSON.mesh.vertices)
    size = len(ball(place(1.0), 1.0).vertices)
    for k, bone in enumerate((*number, *number)):
        part = slice(first + k * size, first + (k + 1) * size)
        assert (weights[part, bone] == 1).all()
    assert (weights[:first, number] == 0).all()
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-12)


@pytest.mark.slow
def test_of_unlike_eyes_each_follows_its_bone_wholly_and_nothing_else_does():
    balls = [ball(place(1.0), 0.0131), ball(place(-1.0), 0.0269)]
    mesh = joined(*balls)
    shape = prepare(mesh)
    rig = fit(mesh, BIPED, shape=shape, detail=DetailOptions("full"))
    weights = bind(mesh, rig, shape=shape).matrix.toarray()
    part = vertex_components(mesh)
    for bone, number in zip(EYES, np.unique(part)[-2:], strict=True):
        np.testing.assert_array_equal(weights[:, rig.names.index(bone)], part == number)


@pytest.mark.long
def test_without_eyes_a_full_skeleton_has_none():
    assert not set(EYES) & set(fit(PERSON.mesh, BIPED, detail=DetailOptions("full")).names)


@pytest.mark.parametrize(("low", "high", "limit", "change"), [
    (0.5, 3.0, 1.0, lambda v: {"wide": v * 0.1}),  # balls stand apart by a radius at least
    (4.0, 9.0, 6.0, lambda v: {"wide": v * 0.1, "behind": 0.25}), (8.0, 20.0, 12.0, lambda v: {"wide": v * 0.1}),
    (0.01, 0.9, 0.35, lambda v: {"rise": 0.4 * v / np.sqrt(1 - v**2)}),
    (0.01, 0.6, 0.2 * 0.4 + 0.1, lambda v: {"aside": v}), (0.1, 1.5, 0.7, lambda v: {"unlike": v}),
    (-0.9, 0.0, -0.5, lambda v: {"up": v}), (0.2, 0.6, 0.32, lambda v: {"behind": v}),
    (0.05, 0.3, 0.15, lambda v: {"wide": 0.8, "behind": v})],
    ids=["beside", "apart", "wide", "level", "centred", "alike", "below", "front", "foremost"])
@pytest.mark.parametrize("length", [0.12, 0.3])
def test_two_balls_are_a_pair_of_eyes_up_to_a_limit(length, low, high, limit, change):
    """Lengths in heads: balls of radius 0.1 that are 0.4 apart, and begin 0.1 of the head's depth behind its front."""
    def are_eyes(value: float) -> bool:
        given = {"wide": 0.4, "rise": 0.0, "aside": 0.0, "unlike": 0.0, "up": 0.5, "behind": 0.1} | change(value)
        start = np.array([0.1, 0.2, 0.7])
        height, depth = (x.ravel() for x in np.meshgrid(length * np.arange(-3, 3, 0.125), [0.0, 1.0]))
        skin = Mesh(start + np.stack([0 * depth, length * depth, height], 1), np.arange(96).reshape(-1, 3))
        shape = SimpleNamespace(mesh=skin, frame=Frame(np.zeros(3), 1.0, np.eye(3)))
        rig = Rig(("head",), (-1,), [start], [start + [0, 0, length]])
        radii = 0.1 * np.array([1 + given["unlike"] / 2, 1 - given["unlike"] / 2])
        middle = np.array([given["aside"], given["behind"] + 0.1, given["up"]])
        half = np.array([given["wide"], 0.0, given["rise"]]) / 2
        balls = Balls([0, 1], start + length * np.array([middle + half, middle - half]), length * radii)
        return len(find_eyes(shape, rig, balls)) == 2

    assert turning_point(are_eyes, low, high) == pytest.approx(limit, rel=0.02)


LIDS = {  # what is kept of a ball around the eye, along X, Y (the eye looks to -Y) and Z
    "upper half": (lambda p: p[2] > 0, True), "upper third": (lambda p: p[2] > 0.35, True),
    "lower": (lambda p: p[2] < -0.3, True), "both lids in one": (lambda p: p[1] > -0.3, True),
    "cornea": (lambda p: True, False), "bulge": (lambda p: p[1] < -0.7, False),
    "light": (lambda p: p[1] < -0.5 and p[2] > 0.1 and abs(p[0] - 0.3) < 0.3, False)}


@pytest.mark.long
@pytest.mark.parametrize("lid", LIDS)
def test_lids_that_lie_over_an_eye_do_not_turn_with_it(lid):
    """A lid that follows the eye rolls into the head as it looks down."""
    keep, is_lid = LIDS[lid]
    mesh = joined(*pair(0.03), *pair(0.033, keep=keep))
    shape = prepare(mesh)
    rig = fit(mesh, BIPED, shape=shape, detail=DetailOptions(level="full"))
    assert set(EYES) <= set(rig.names)
    weights = bind(mesh, rig, shape=shape).matrix.toarray()[len(PERSON.mesh.vertices):]
    on_eyes = weights[:, [rig.names.index(eye) for eye in EYES]].sum(1)
    ball_size = 2 * len(pair(0.03)[0].vertices)
    assert (on_eyes[:ball_size] == 1).all()
    assert (on_eyes[ball_size:] == (0 if is_lid else 1)).all()

"""What a piece is called, on both sides of every limit."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.hanging.find import Piece, _cape, _holder, _is_cape, _is_on_back, _is_whole, _on_head, _prop, _thing
from core.skeleton.preset import load_template
from core.skeleton.template import rig_from_joints
from tests.limits import turning_point

BIPED = load_template("biped")
BODY = rig_from_joints(BIPED, BIPED.positions)
HEAD, CHEST, HIPS = (BODY.heads[BODY.names.index(name)] for name in ("head", "chest", "hips"))


def field(value: float):
    """A shape that is air, or flesh, everywhere."""
    return SimpleNamespace(field=SimpleNamespace(sample=lambda points: np.full(len(points), value)))


AIR, FLESH = field(1.0), field(-1.0)


def piece(middle, size, *, fast="top", away=0.1, votes=None, hands=None, step=0.01) -> Piece:
    """A box of samples of some size about its middle, fastened at its upper end, its lower end or all over."""
    axes = [np.linspace(-s / 2, s / 2, max(int(s / step), 1) + 1) if s else np.zeros(1) for s in size]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3) + np.asarray(middle)
    high = points[:, 2]
    held = {"top": high > high.max() - 0.011, "bottom": high < high.min() + 0.011,
            "all": np.ones(len(high), bool)}[fast]
    distance = np.where(held, min(away, 0.01), away)
    return Piece(points, np.tile([0.0, 1.0, 0.0], (len(points), 1)), np.ones(len(points)), np.arange(len(points)),
                 points, distance, held, votes or {}, hands or {})


def cape(**change) -> Piece:
    return piece(**{"middle": CHEST + [0, 0.1, -0.1], "size": (0.3, 0.0, 0.3), "votes": {"chest": 1.0}, **change})


@pytest.mark.parametrize("change, expected", [
    ({}, True), ({"size": (0.3, 0.0, 0.21)}, True), ({"size": (0.3, 0.0, 0.19)}, False), ({"fast": "bottom"}, False),
    ({"size": (0.15, 0.0, 0.3)}, False), ({"size": (0.2, 0.0, 0.3)}, True), ({"votes": {"chest": 0.78}}, False),
    ({"votes": {"chest": 0.41, "upper_arm.L": 0.41}}, True)])
def test_a_cape_is_a_wide_sheet_that_hangs_from_the_trunk(change, expected):
    assert _is_cape(AIR, cape(**change)) == expected
    assert not _is_cape(FLESH, cape(**change)), "there is air on both sides of a sheet"


def test_a_cape_has_as_many_chains_and_bones_as_it_is_wide_and_long():
    for size, chains, bones in (((0.12, 0, 0.25), 1, 2), ((0.3, 0, 0.33), 2, 3), ((0.5, 0, 0.9), 3, 5)):
        found = _cape(BODY, cape(size=size))
        assert (len(found.bones), found.parent) == (chains * bones, "chest") and (found.above < 0).sum() == chains
        np.testing.assert_allclose(found.shares.sum(1), 1)
        assert (found.heads[found.above >= 0] == found.tails[found.above[found.above >= 0]]).all()
        assert (found.tails[:, 2] < found.heads[:, 2]).all()
    low = {"middle": HIPS - [0, 0, 0.1], "size": (0.3, 0, 0.25)}
    for votes, parent in (({"hips": 0.7}, "hips"), ({"hips": 0.3, "spine": 0.4}, "hips"), ({"hips": 0.55}, "chest")):
        assert _cape(BODY, cape(**low, votes=votes)).parent == parent
    assert _cape(BODY, cape(votes={"hips": 0.9})).parent == "chest", "it is no lower than the hips"


@pytest.mark.parametrize("change, expected", [
    ({}, "hair"), ({"size": (0.02, 0.02, 0.14)}, None), ({"size": (0.02, 0.02, 0.16)}, "hair"),
    ({"size": (0.2, 0.02, 0.2)}, None), ({"fast": "all"}, None)])
def test_hair_is_a_slender_strand_that_hangs_from_the_head(change, expected):
    found = _on_head(FLESH, BODY, piece(**{"middle": HEAD, "size": (0.03, 0.02, 0.3), **change}))
    assert (found and found.name) == expected
    if found is not None:
        assert found.parent == "head" and len(found.bones) == (3 if not change else 2)


@pytest.mark.parametrize("aside, change, shape, expected", [
    (0.1, {}, FLESH, "ear.L"), (-0.1, {}, FLESH, "ear.R"), (0.02, {}, FLESH, None), (0.1, {}, AIR, None),
    (0.035, {}, FLESH, "ear.L"), (0.1, {"fast": "all"}, FLESH, None)])
def test_an_ear_stands_beside_the_middle_and_has_flesh_between_its_places(aside, change, shape, expected):
    found = _on_head(shape, BODY, piece(HEAD + [aside, 0, 0.2], (0.03, 0.02, 0.3), **{"fast": "bottom", **change}))
    assert (found and found.name) == expected


def test_most_of_what_lies_between_places_of_an_ear_is_in_it():
    ear = piece(HEAD, (0.03, 0.02, 0.3))
    for share, expected in ((0.72, True), (0.68, False)):
        inside = lambda points, share=share: np.where(np.arange(len(points)) < share * len(points), 0.0, 1.0)  # noqa: E731
        assert _is_whole(SimpleNamespace(field=SimpleNamespace(sample=inside)), ear) == expected
    low, high = ear.points.min(0) - 1e-9, ear.points.max(0) + 1e-9
    box = lambda points: np.where(((points > low) & (points < high)).all(1), -1.0, 1.0)  # noqa: E731
    assert _is_whole(SimpleNamespace(field=SimpleNamespace(sample=box)), ear)
    left, right = (piece(HEAD + [aside, 0, 0], (0.02, 0.02, 0.3)).points for aside in (-0.1, 0.1))
    antlers = replace(ear, points=np.concatenate([left, right]), areas=np.ones(2 * len(left)))
    points = lambda places: np.where(np.abs(places[:, 0] - HEAD[0]) > 0.08, -1.0, 1.0)  # noqa: E731
    assert not _is_whole(SimpleNamespace(field=SimpleNamespace(sample=points)), antlers), "there is air between them"


@pytest.mark.parametrize("change, expected", [
    ({}, True), ({"votes": {"chest": 0.75}}, False), ({"size": (0.14, 0.14, 0.14)}, False),
    ({"size": (0.16, 0.16, 0.16)}, True), ({"middle": CHEST + [0.09, 0.15, 0]}, True),
    ({"middle": CHEST + [0.11, 0.15, 0]}, False), ({"middle": CHEST + [0, 0.025, 0]}, False),
    ({"middle": CHEST + [0, -0.15, 0]}, False), ({"size": (0.3, 0.2, 0.48)}, True), ({"size": (0.3, 0.2, 0.52)}, False),
    ({"away": 0.02}, False), ({"size": (0.3, 0.0, 0.3)}, True), ({"size": (0.3, 0.0, 0.3), "fast": "all"}, False)])
def test_a_pack_is_thick_and_on_the_back_and_a_wing_hangs_by_little(change, expected):
    base = {"middle": CHEST + [0, 0.15, 0], "size": (0.2, 0.2, 0.2), "votes": {"chest": 1.0}, "step": 0.02}
    assert _is_on_back(BODY, piece(**base | change)) == expected


@pytest.mark.parametrize("change, is_out, expected", [
    ({}, True, "hand.L"), ({"hands": {"hand.L": 0.5, "hand.R": 0.6}}, True, None),
    ({"size": (0.02, 0.02, 0.14)}, True, None), ({"size": (0.02, 0.02, 0.16)}, True, "hand.L"), ({}, False, None),
    ({"votes": {"thigh.L": 0.11, "shin.R": 0.11}}, True, None), ({"votes": {"thigh.L": 0.5}}, True, "hand.L"),
    ({"votes": {"forearm.L": 0.9}}, False, "hand.L"), ({"votes": {"forearm.L": 0.7}}, False, None),
    ({"votes": {"forearm.L": 0.9}, "size": (0.02, 0.02, 0.28)}, False, None),
    ({"votes": {"forearm.R": 0.5, "hand.R": 0.4}, "hands": {"hand.L": 0.5, "hand.R": 0.6}}, True, "hand.R")])
def test_a_hand_holds_what_lies_in_it_or_is_fastened_on_its_arm(change, is_out, expected):
    base = {"middle": (0.5, 0, 0.5), "size": (0.02, 0.02, 0.4), "hands": {"hand.L": 0.0, "hand.R": 0.9}}
    assert _holder(piece(**base | change), is_out) == expected


@pytest.mark.parametrize("share, expected", [
    (0.61, None), (0.59, "hand.L")])
def test_no_hand_holds_what_hangs_on_the_head(share, expected):
    lock = piece((0.5, 0, 0.5), (0.02, 0.02, 0.4), votes={"head": share, "hand.L": 1 - share},
                 hands={"hand.L": 0.0, "hand.R": 0.9})
    assert _holder(lock, True) == expected
    assert _holder(replace(lock, upper=lock.fast), True) is None, "a plait that touches a hand further down"


def test_a_props_bone_goes_from_where_it_is_held_to_its_end():
    hand = BODY.names.index("hand.L")
    palm = 0.5 * (BODY.heads[hand] + BODY.tails[hand])
    sword = _prop(BODY, piece(palm + [0, 0, 0.2], (0.02, 0.02, 0.4), hands={"hand.L": 0.0}), "hand.L")
    assert sword.name == "prop_hand.L" and sword.bones == ("prop_hand.L",)
    np.testing.assert_allclose(sword.heads[0], palm)
    assert np.abs(sword.tails[0] - palm - [0, 0, 0.4]).max() < 0.011
    block = piece(CHEST + [0, 0.2, 0], (0.2, 0.2, 0.3))
    pack = _prop(BODY, block, "chest")
    start = block.points[block.fast].mean(0)
    np.testing.assert_allclose(pack.heads[0], start)
    np.testing.assert_allclose(pack.tails[0], 2 * block.middle - start)


def test_a_props_bone_goes_to_the_furthest_place_of_what_is_twice_as_long_as_wide():
    def ends_in_a_corner(long: float) -> bool:
        pole = piece(CHEST + [0, 0.2, 0], (0.1, 0.1, long), step=0.005)
        return bool(np.abs((_prop(BODY, pole, "chest").tails[0] - pole.middle)[:2]).max() > 0.02)

    assert turning_point(ends_in_a_corner, 0.12, 0.4) == pytest.approx(0.2, rel=0.03)


def test_what_nothing_says_is_no_thing():
    lock = {"middle": HEAD, "size": (0.03, 0.02, 0.3)}
    for votes, expected in (({"head": 0.65}, "hair"), ({"head": 0.55}, None)):
        found = _thing(FLESH, BODY, piece(**lock, votes=votes))
        assert (found and found.name) == expected
    assert _thing(FLESH, BODY, piece(**lock, votes={"head": 1.0}, away=0.025)) is None, "it lies on the body"
    assert _thing(AIR, BODY, cape()).name == "cape"
    pack = {"middle": CHEST + [0, 0.15, 0], "size": (0.2, 0.2, 0.2), "step": 0.02}
    for votes, parent in (({"hips": 0.6, "chest": 0.4}, "hips"), ({"hips": 0.4, "chest": 0.6}, "chest")):
        assert _thing(FLESH, BODY, piece(**pack, votes=votes)).parent == parent


@pytest.mark.long
@pytest.mark.parametrize(("change", "expected"), [
    ({}, "hair.L"), ({"upper": False}, None), ({"fast": "all"}, None),
    ({"size": (0.03, 0.03, 0.1)}, None), ({"size": (0.25, 0.03, 0.4)}, "hair.L"), ({"size": (0.3, 0.03, 0.4)}, None)])
def test_a_plait_that_lies_on_the_shoulder_too_hangs_from_the_head(change, expected):
    """Most of what is fast lies at the shoulder; what is fast at the upper end tells."""
    change = {"size": (0.03, 0.03, 0.4), "fast": "top", "upper": True} | change
    plait = piece(HEAD + [0.12, 0.05, -0.15], change["size"], fast=change["fast"],
                  votes={"shoulder.L": 0.6, "head": 0.3, "chest": 0.1})
    high = plait.points[:, 2] > plait.points[:, 2].max() - 0.05
    plait = replace(plait, upper=plait.fast & high & change["upper"])
    found = _thing(FLESH, BODY, plait)
    assert (found and found.name) == expected
    if found:
        lies = lambda share: replace(plait, away=np.where(np.linspace(0, 1, len(plait.away)) < share, 0.1, 0.01))  # noqa: E731
        assert turning_point(lambda share: _thing(FLESH, BODY, lies(share)) is None, 0.05, 0.95) == pytest.approx(
            0.2, abs=0.02), "some of it stands out from the body"

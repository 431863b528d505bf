"""What is a skirt, a girdle, or hangs on one, on both sides of every limit; where a skirt's bones lie."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.hanging import girdle
from core.hanging.girdle import _girds, _hangs, girded
from core.hanging.loose import Parts
from core.hanging.skirt import _around, _is_skirt, _Legs, _legs, _sections, _sectors, skirt_parts, skirts
from core.skeleton.rig import Rig
from tests.limits import turning_point

TOP, KNEE = 0.5, 0.27
LEGS = _Legs(*(np.array([[x, 0, TOP], [x, 0, KNEE], [x, 0, 0.05]]) for x in (0.1, -0.1)))
RING = np.arange(0.5, 160) * 360 / 160  # degrees from ahead to the left, ten places in each of 16 directions


def cloth(low: float = 0.2, top: float = TOP, angles=RING, radius: float = 0.2) -> np.ndarray:
    """(N, 3) samples of a tube around both legs, open where it has no angles."""
    z, angle = (one.ravel() for one in np.meshgrid(np.arange(low, top, 0.005), np.radians(angles), indexing="ij"))
    return np.stack([radius * np.sin(angle), -radius * np.cos(angle), z], 1)


def between(count: int, aside: float = 0.0, ends: tuple[float, float] = (0.2, 0.8), low: float = 0.2) -> np.ndarray:
    """(N, 3) so many samples in each slice of the cloth that lie between the legs, so far beside the line from leg to
    leg."""
    z, along = (one.ravel() for one in np.meshgrid(np.arange(low, TOP, 0.005), np.linspace(*ends, count)))
    return np.stack([0.2 * (along - 0.5), np.full(len(z), aside), z], 1)


def is_skirt(*points: np.ndarray) -> bool:
    return _is_skirt(np.concatenate(points), LEGS)


def test_a_skirt_goes_around_both_legs_and_hangs_below_the_hips():
    assert is_skirt(cloth())
    assert TOP - turning_point(lambda low: is_skirt(cloth(low)), 0.2, 0.49) == pytest.approx(0.08, abs=0.003)
    assert not is_skirt(cloth(0.55, 0.9)) and is_skirt(cloth(0.2, 0.9)), "what is above does not count"


@pytest.mark.parametrize("ahead", [0, 90, 200])
def test_a_slit_may_be_as_wide_as_one_of_sixteen_directions_and_wider_over_a_third_of_the_height(ahead):
    turned = (RING + 22.5 * round(ahead / 22.5)) % 360
    one, two = turned[10:], turned[20:]
    assert is_skirt(cloth(angles=one)) and not is_skirt(cloth(angles=two))
    slit = turning_point(lambda top: is_skirt(cloth(0.2, top, two), cloth(top, TOP)), 0.2, TOP)
    assert (slit - 0.2) / (TOP - 0.2) == pytest.approx(0.3, abs=0.07)


def test_there_is_next_to_nothing_between_the_legs_in_a_skirt_and_much_in_trousers():
    most = turning_point(lambda count: is_skirt(cloth(), between(round(count))), 1, 60)
    assert most / (160 + most) == pytest.approx(0.1, abs=0.01)
    assert turning_point(lambda aside: is_skirt(cloth(), between(60, aside)), 0.0, 0.1) == pytest.approx(0.02, rel=0.1)
    for ends, fits in (((0.0, 0.09), True), ((0.0, 0.14), False), ((0.91, 1.0), True), ((0.86, 1.0), False)):
        assert is_skirt(cloth(), between(120, ends=ends)) == fits, "what lies at the legs are stockings"


@pytest.mark.parametrize("apart", [0.4, 0.04])
def test_places_are_told_from_legs_however_close_together_these_stand(apart):
    legs = _Legs(*(np.array([[x, 0, TOP], [x, 0, KNEE], [x, 0, 0.05]]) for x in (apart / 2, -apart / 2)))
    points = np.array([[along * apart, 0.01, 0.3] for along in (-1.0, -0.25, 0.0, 0.25, 1.0)])
    _, away, along = _around(points, legs)
    np.testing.assert_allclose(along, [0, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(away, [np.hypot(apart / 2, 0.01), 0.01, 0.01, 0.01, np.hypot(apart / 2, 0.01)])


def test_a_skirts_bones_are_a_hand_long_and_the_shins_carry_some_where_it_reaches_below_the_knee():
    assert turning_point(lambda low: "shin" in _sections(TOP, low, KNEE)[1], 0.1, 0.4) == pytest.approx(0.25, abs=1e-3)
    for low, bones in ((0.45, 1), (0.32, 1), (0.29, 2)):
        places, limbs = _sections(TOP, low, KNEE)
        assert limbs == ["thigh"] * bones
        np.testing.assert_allclose(places, np.linspace(TOP, low, bones + 1))
    assert turning_point(lambda low: len(_sections(TOP, low, 0.0)[1]) == 1, 0.2, 0.45) == pytest.approx(
        TOP - 1.5 * 0.13, abs=1e-3)
    assert len(_sections(1.0, 0.05, 0.0)[1]) == 3
    for top, low, thighs, shins in ((TOP, 0.2, 2, 1), (TOP, 0.02, 2, 2), (0.4, 0.02, 1, 2), (2.0, 0.0, 2, 2)):
        places, found = _sections(top, low, KNEE)
        assert found == ["thigh"] * thighs + ["shin"] * shins
        np.testing.assert_allclose(places[:thighs + 1], np.linspace(top, KNEE, thighs + 1))
        np.testing.assert_allclose(places[thighs:], np.linspace(KNEE, low, shins + 1))


def test_the_way_around_a_skirt_is_shared_by_its_front_its_side_and_its_back():
    shares = _sectors(np.array([0.0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 330]))
    front, side, back = np.eye(3)
    np.testing.assert_allclose(shares, [front, front, (front + side) / 2, side, (side + back) / 2, back, back, back,
                                        (side + back) / 2, side, front], atol=1e-12)


def legged(shin_rises: float = 0.0, without: str = "") -> Rig:
    """A body of two legs, the feet of which lie so much above the knees."""
    bones = [(stem, side, x) for side, x in (("L", 0.1), ("R", -0.1)) for stem in ("thigh", "shin", "foot")]
    z = {"thigh": TOP, "shin": KNEE, "foot": KNEE + shin_rises if shin_rises else 0.05}
    kept = [(f"{stem}.{side}", [x, 0.1 * (stem == "foot"), z[stem]]) for stem, side, x in bones if stem != without]
    heads = np.array([place for _, place in kept])
    return Rig(tuple(name for name, _ in kept), [-1] * len(kept), heads, heads - [0, 0, 0.05])


def test_legs_go_down_all_the_way_also_of_one_who_kneels():
    for rises in (0.0, 0.1):
        legs = _legs(legged(rises))
        for leg, x in ((legs.left, 0.1), (legs.right, -0.1)):
            assert (np.diff(leg[:, 2]) < 0).all() and (leg[:, 0] == x).all()
            np.testing.assert_allclose(leg[:, 2], [TOP, KNEE, KNEE if rises else 0.05], atol=1e-8)
        assert legs.top == pytest.approx(TOP)
        np.testing.assert_allclose(legs.at(np.array([0.6, 0.4]))[0], [[0.1, 0]] * 2, atol=1e-8)


def test_of_the_loose_parts_of_who_has_two_legs_those_that_are_skirts_are_found():
    made = [cloth(0.6, 0.9), cloth(), 0.3 * cloth() + [0, 0, 0.2], cloth(0.1)]
    of_point, points = np.repeat(range(4), [len(one) for one in made]), np.concatenate(made)
    zeros = np.zeros(len(points))
    parts = Parts(zeros, np.array([0.5, 0.5, 0.09, 0.5]), points, points, of_point, zeros)
    assert skirt_parts(legged(), parts) == [1, 3]
    for without in ("thigh", "shin", "foot"):
        assert skirt_parts(legged(without=without), parts) == []
    assert turning_point(lambda size: 1 in skirt_parts(legged(), replace(parts, extents=np.full(4, size))), 0.05, 0.2
                         ) == pytest.approx(0.1, abs=0.001), "what is smaller is no thing"


def test_a_gowns_bones_go_from_thigh_to_shin_at_the_knees_middle_height():
    """One knee is higher than the other."""
    body, gown = legged(), cloth(0.05)
    rise = np.array([{"shin.L": 0.06, "shin.R": -0.02}.get(name, 0.0) for name in body.names])
    body, knee = replace(body, heads=body.heads + rise[:, None] * [0, 0, 1]), KNEE + 0.02
    parts = Parts(np.zeros(len(gown), int), np.array([0.5]), gown, gown, np.zeros(len(gown), int), np.ones(len(gown)))
    thing, = skirts(SimpleNamespace(mesh=SimpleNamespace(vertices=gown)), body, parts)
    assert (thing.parent, len(thing.bones)) == ("hips", 6 * 4) and (len(thing.rows) == len(gown))
    for limb in ("thigh.L", "thigh.R", "shin.L", "shin.R"):
        dealt = thing.shares[:, 1:][:, [on == limb for on in thing.on]].sum(1)
        np.testing.assert_allclose(thing.shares[:, 0] + dealt, 1)
    first = [k for k, (on, above) in enumerate(zip(thing.on, thing.above, strict=True)) if above < 0 and "shin" in on]
    assert len(first) == 6 and thing.heads[first, 2] == pytest.approx(knee, abs=0.01)
    for k, (name, on) in enumerate(zip(thing.bones, thing.on, strict=True)):
        assert on[-2:] == name[-2:] and (thing.heads[k, 0] > 0) == name.endswith(".L")
        assert (thing.tails[k, 2] < knee - 0.02) == on.startswith("shin")


TRUNK = Rig(("hips", "spine", "chest", "thigh.L", "thigh.R", "hand.L"), (-1, 0, 1, 0, 0, 2),
            [[0, 0, 0.5], [0, 0.02, 0.6], [0, 0.04, 0.7], [0.1, 0, 0.48], [-0.1, 0, 0.48], [0.5, 0, 0.5]],
            [[0, 0.02, 0.6], [0, 0.04, 0.7], [0, 0.06, 0.8], [0.1, 0, 0.27], [-0.1, 0, 0.27], [0.6, 0, 0.5]])


def belt(at: float = 0.55, high: float = 0.04, angles=RING, radius: float = 0.15, back: float = 0.01) -> np.ndarray:
    return cloth(at - high / 2, at + high / 2 + 1e-9, angles, radius) + [0, back, 0]


def test_a_girdle_is_a_flat_ring_around_the_trunk_between_hips_and_neck():
    assert _girds(belt(), TRUNK)
    girds_at = lambda at: _girds(belt(at, back=0.2 * (at - 0.5)), TRUNK)  # noqa: E731 - used twice
    assert turning_point(girds_at, 0.4, 0.55) == pytest.approx(0.48, abs=0.004), "the hip joints"
    assert turning_point(girds_at, 0.6, 0.9) == pytest.approx(0.8, abs=0.004), "the chest's upper end"
    high = turning_point(lambda high: _girds(belt(0.64, high, back=0.028), TRUNK), 0.04, 0.3)
    assert high / 0.3 == pytest.approx(0.5, abs=0.03)
    assert not _girds(belt(angles=RING[10:]), TRUNK), "it has something in each direction"


def test_nothing_of_a_girdle_lies_near_the_trunks_axis():
    inner = lambda radius: _girds(np.concatenate([belt(), belt(angles=RING[:40], radius=radius)]), TRUNK)  # noqa: E731
    assert turning_point(inner, 0.01, 0.15) / 0.15 == pytest.approx(0.4, abs=0.02), "pants do"
    assert turning_point(lambda back: _girds(belt(back=back), TRUNK), 0.01, 0.14) - 0.01 == pytest.approx(
        0.15 * 0.6, abs=0.015), "its own middle may lie elsewhere"


def hung(long: float, wide: float, at=(0.0, -0.2, 0.4)) -> np.ndarray:
    x, z = (one.ravel() for one in np.meshgrid(np.linspace(-0.5, 0.5, 21), np.linspace(0, 1, 41)))
    return np.stack([wide * x, 0 * x, -long * z], 1) + at


GIRDLE = 0.3  # how wide one is


def test_what_hangs_on_a_girdle_is_small_or_narrow_and_no_hand_holds_it():
    long = turning_point(lambda long: _hangs(hung(long, 0.18), TRUNK, GIRDLE), 0.18, 0.3)
    assert long == pytest.approx(0.2, abs=0.002)
    wide = turning_point(lambda wide: _hangs(hung(0.5, wide), TRUNK, GIRDLE), 0.05, 0.3)
    assert wide * np.sqrt(np.var(np.linspace(-0.5, 0.5, 21))) == pytest.approx(0.03, rel=0.02)
    in_hand = lambda below: _hangs(hung(0.5, 0.0, (0.55, 0, 0.5 - below)), TRUNK, GIRDLE)  # noqa: E731
    assert turning_point(in_hand, 0.0, 0.1) == pytest.approx(0.03, abs=0.002)
    assert _hangs(hung(0.1, 0.1, (0.55, 0, 0.5)), TRUNK, GIRDLE), "a pouch hangs, wherever the hand is"
    broad = turning_point(lambda width: _hangs(hung(0.18, 0.18), TRUNK, width), 0.1, GIRDLE)
    assert 0.18 / broad == pytest.approx(0.75, abs=0.01), "briefs are as wide as what girds them"


def test_a_belt_has_with_it_what_touches_it_and_hangs_and_is_no_flesh(monkeypatch):
    touches, far, flesh = (hung(0.1, 0.05, at) for at in ((0, -0.15, 0.55), (0, -0.3, 0.55), (0, 0.16, 0.55)))
    board = hung(0.5, 0.3, (0.15, 0, 0.55))
    made = [hung(0.1, 0.1, (0, -0.15, 0.9)), belt(), touches, far, board, flesh, belt(0.7)]
    of_point, points = np.repeat(range(7), [len(one) for one in made]), np.concatenate(made)
    zeros = np.zeros(len(points))
    parts = Parts(zeros, np.array([0.1, 0.3, 0.1, 0.1, 0.6, 0.1, 0.3]), points, points, of_point, zeros)
    monkeypatch.setattr(girdle, "around_bones", lambda *_: np.arange(7) == 5)
    groups = [(part, group.tolist()) for part, group in girded(None, TRUNK, parts)]
    assert groups == [(1, [1, 2]), (6, [6])]
    assert girded(None, TRUNK, replace(parts, extents=np.full(7, 0.09))) == [], "it is too small for a belt"
    assert girded(None, TRUNK.only(["hips", "spine", "chest", "thigh.L"]), parts) == []
    assert girded(None, TRUNK, replace(parts, points=points + [0, 0, 5])) == []

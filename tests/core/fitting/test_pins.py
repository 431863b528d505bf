"""Pins are exact, speak for their partners, bend nothing backwards, and take along what hangs between them."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadHint
from core.fitting.pins import Bends, contradicted, mirror_pins, read_hints, read_place, spread_pins
from core.geometry.frame import Frame
from core.geometry.symmetry import MirrorPlane
from core.skeleton.preset import load_template
from core.skeleton.reduce import reduce_template
from tests.limits import turning_point

BIPED = load_template("biped")
REDUCED = reduce_template(BIPED)
PLACES = np.array(BIPED.positions)
KNEE, ANKLE, HIP = (BIPED.index(f"{n}.L") for n in ("shin", "foot", "thigh"))
FRAME = Frame(np.array([5.0, -2.0, 1.0]), 2.0, np.eye(3))


def test_a_pin_is_read_in_the_unit_frame_and_may_lie_a_hundred_sizes_away():
    pins = read_hints(FRAME, BIPED, {"shin.L": [5.5, -2.0, 2.0]})
    assert list(pins) == [KNEE]
    np.testing.assert_allclose(pins[KNEE], [0.25, 0.0, 0.5])

    def is_read(off: float) -> bool:
        try:
            read_place(FRAME, "shin.L", FRAME.origin + [0, -off, 0])
        except BadHint as error:
            assert "more than 5 times" in str(error)
            return False
        return True

    assert turning_point(is_read, 1.0, 500.0) == pytest.approx(10.0, rel=0.01)
    for wrong in ([1, 2], [1, 2, np.nan], 3.0):
        with pytest.raises(BadHint, match="three finite numbers"):
            read_place(FRAME, "shin.L", wrong)
    with pytest.raises(BadHint, match=r"no such joint. It has: hips"):
        read_hints(FRAME, BIPED, {"shni.L": [0, 0, 0]})


def test_a_pin_holds_for_both_sides_unless_pins_contradict_the_plane():
    plane = MirrorPlane(0.1, 10, 1.0)
    place, image = np.array([0.3, 0.2, 0.5]), np.array([-0.1, 0.2, 0.5])
    other = int(BIPED.mirror[KNEE])
    both = mirror_pins({KNEE: place}, BIPED, plane, tolerance=0.02)
    assert set(both) == {KNEE, other}
    np.testing.assert_array_equal(both[KNEE], place)
    np.testing.assert_allclose(both[other], image)
    pair = lambda off: mirror_pins({KNEE: place, other: image + [0, off, 0]}, BIPED, plane, tolerance=0.02)  # noqa: E731
    assert turning_point(lambda off: pair(off) is None, 0.0, 0.1) == pytest.approx(0.02, rel=0.01)
    np.testing.assert_allclose(pair(0.01)[other], image + [0, 0.01, 0])
    hips = BIPED.index("hips")
    middle = lambda off: mirror_pins({hips: np.array([0.1 + off, 0, 0.5])}, BIPED, plane, tolerance=0.02)  # noqa: E731
    assert set(middle(0.0)) == {hips}
    assert turning_point(lambda off: middle(off) is None, 0.0, 0.1) == pytest.approx(0.01, rel=0.01)


def test_a_limb_is_contradicted_by_a_pin_far_from_where_it_was_read():
    limbs = lambda off: contradicted(PLACES, REDUCED, {KNEE: PLACES[KNEE] + [off, 0, 0]}, 0.1)  # noqa: E731
    assert turning_point(lambda off: bool(limbs(off)), 0.0, 0.3) == pytest.approx(0.1, rel=0.01)
    names = {BIPED.names[j] for j in limbs(0.2)}
    assert {"shin.L", "foot.L"} <= names and not any(n.endswith(".R") for n in names)
    assert contradicted(PLACES, REDUCED, {}, 0.1) == []


def test_knees_and_elbows_bend_to_one_side():
    bends = Bends.of(BIPED)
    own = {BIPED.names[j] for j in bends.joints[:, 1]}
    assert {"shin.L", "shin.R", "forearm.L", "forearm.R"} <= own
    leg = [BIPED.names[j] for j in bends.joints[:, 1]].index("shin.L")
    assert [BIPED.names[j] for j in bends.joints[leg]] == ["thigh.L", "shin.L", "foot.L"]
    places = PLACES.copy()
    places[[HIP, KNEE, ANKLE]] = [[0, 0, 2.0], [0, -0.3, 1.5], [0, 0, 0.0]]  # knees bend so that the shin goes back
    for knee, expected in ((-0.3, 0.15), (0.0, 0.0), (0.3, -0.15)):
        places[KNEE, 1] = knee
        off, side, length = (x[leg] for x in bends.across(places))
        assert off == pytest.approx(expected) and length == pytest.approx(2.0)
        np.testing.assert_allclose(side, [0, -np.linalg.norm(side), 0], atol=1e-12)


def test_what_pins_bent_backwards_comes_back_to_the_line_or_to_where_it_was():
    bends, places, fixed = Bends.of(BIPED), PLACES.copy(), np.zeros(len(PLACES), bool)
    places[[HIP, KNEE, ANKLE]] = [[0, 0, 2.0], [0, -0.3, 1.5], [0, 0, 0.0]]
    dragged = places.copy()
    dragged[KNEE, 1] = 0.4
    np.testing.assert_allclose(bends.kept(dragged, places, fixed)[KNEE], [0, 0, 1.5], atol=1e-9)
    before = places.copy()
    before[KNEE, 1] = 0.1  # it was read so
    np.testing.assert_allclose(bends.kept(dragged, before, fixed)[KNEE], [0, 0.1, 1.5], atol=1e-9)
    fixed[KNEE] = True
    np.testing.assert_array_equal(bends.kept(dragged, places, fixed)[KNEE], dragged[KNEE])
    fixed[KNEE] = False
    np.testing.assert_array_equal(bends.kept(places, places, fixed), places)
    others = np.setdiff1d(np.arange(len(PLACES)), bends.joints[(bends.joints == KNEE).any(1), 1])
    np.testing.assert_array_equal(bends.kept(dragged, places, fixed)[others], dragged[others])


def test_between_a_pin_and_the_ends_of_its_chain_joints_move_by_their_share_of_the_way():
    out = spread_pins(PLACES, REDUCED, {KNEE: PLACES[KNEE] + [0.1, 0.2, -0.05]})
    chain = next(c for c in REDUCED.chains if KNEE in c)
    line = [int(REDUCED.joints[REDUCED.parents[[KNEE in c for c in REDUCED.chains].index(True)]]), *chain]
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(PLACES[line], axis=0), axis=1))])
    at = line.index(KNEE)
    for k, joint in enumerate(line):
        share = way[k] / way[at] if k <= at else (way[-1] - way[k]) / (way[-1] - way[at])
        np.testing.assert_allclose(out[joint] - PLACES[joint], share * np.array([0.1, 0.2, -0.05]), atol=1e-12)
    others = np.setdiff1d(np.arange(len(PLACES)), chain)
    np.testing.assert_array_equal(out[others], PLACES[others])

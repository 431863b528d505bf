"""Readings: exactly the best there is, whole under pins and mirrors, and sure where nothing else is likely."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from core.fitting.joint_tree import JointTree
from core.fitting.readings import APART, BELIEF, ELSEWHERE, MOST, MOST_FAR, VIEWS, BodyReader, Reading
from core.seeing.evidence import Evidence
from core.seeing.landmarks import mirrored
from core.seeing.views import CELLS, IMAGE_AXES, Sight

NAMES = ("hips", "neck", "hand.L", "hand.R", "tip.L", "tip.R")
PARENTS = (-1, 0, 1, 1, 2, 3)
MIRRORED = np.array([2, 2, 1, 1])  # how often the first four count in a body with like sides
MEANS = np.array([[0.5, 0.5, 0.4], [0, 0, 0.2], [0.25, 0, 0], [-0.25, 0, 0], [0.1, 0, -0.15], [-0.1, 0, -0.15]])
PLANE = 0.5 + 0.5 / CELLS  # through the middle of a cell: no place and its image are rounded differently
NOTHING = Sight(np.zeros((CELLS, CELLS, CELLS), bool), 1.0, np.zeros(3))
WHERE = dict(zip(NAMES, [(0.5, 0.5, 0.4), (0.5, 0.5, 0.6), (0.75, 0.5, 0.6), (0.25, 0.5, 0.6), (0.85, 0.5, 0.45),
                         (0.15, 0.5, 0.45)], strict=True))


def tree(count: int = len(NAMES), spread: float = 0.1) -> JointTree:
    """The first joints of a little body with two arms."""
    return JointTree(NAMES[:count], np.array(PARENTS[:count]), MEANS[:count],
                     np.array([np.eye(3) / spread**2] * count), weight=1.0, floor=-12.0, doubtful=np.zeros(count),
                     slope=1.0, odd=-6.5, between={}, along={})


def blurred(modes: dict, count: int = len(NAMES), *, wide: float = 0.03, places: np.ndarray | None = None) -> Evidence:
    """Heat maps of Gaussians. modes : {joint: [(place, share), ...]}, joints left out are seen at WHERE"""
    heat, at = np.zeros((3, count, CELLS, CELLS)), (np.arange(CELLS) + 0.5) / CELLS
    for j, name in enumerate(NAMES[:count]):
        for place, share in modes.get(name, [(WHERE[name], 1.0)]):
            bell = np.exp(-np.minimum((at - np.array(place)[:, None]) ** 2 / (2 * wide**2), 80))
            for axis, (row, column) in enumerate(IMAGE_AXES):
                heat[axis, j] += share * bell[row][:, None] * bell[column]
    heat = np.log(heat / heat.sum((2, 3), keepdims=True) + 1e-9)
    if places is None:
        places = np.stack(np.meshgrid(at, at[np.abs(at - 0.5) < 0.1], at, indexing="ij"), -1).reshape(-1, 3)
    return Evidence("any", NAMES[:count], heat, NOTHING, places)


def noise(rng: np.random.Generator, places: np.ndarray, count: int) -> Evidence:
    return Evidence("any", NAMES[:count], rng.normal(size=(3, count, CELLS, CELLS)) * 4, NOTHING, places)


def apart(rng: np.random.Generator, number: int) -> np.ndarray:
    """(number, 3) places no two of which settle into each other or are thinned out."""
    grid = np.stack(np.meshgrid(*3 * [np.arange(0.1, 0.95, 0.13)], indexing="ij"), -1).reshape(-1, 3)
    return rng.permutation(grid)[:number]


def seen_of(evidence: Evidence, joint: int, place: np.ndarray) -> float:
    return VIEWS * float(evidence.at(place[None])[joint, 0])


def score_of(evidence: Evidence, joints: JointTree, at: np.ndarray, times=1) -> float:
    """Of joints (J, 3), by its definition: what is seen of each and how it lies from the one above, each so many times.
    """
    ways = [joints.ways(j, at[p][None], at[j][None])[0, 0] if p >= 0 else 0.0 for j, p in enumerate(joints.parents)]
    return float((times * (np.array(ways) + [seen_of(evidence, j, place) for j, place in enumerate(at)])).sum())


# Exactly the best

@pytest.mark.sweep(2, long=True)
@pytest.mark.parametrize("seed", range(6))
def test_the_best_reading_is_that_of_exhaustive_search(seed):
    rng = np.random.default_rng(seed)
    places, joints = apart(rng, 7), tree(4)
    evidence = noise(rng, places, 4)
    found, *others = BodyReader(evidence, joints).read(count=5)
    every = np.array([places[list(one)] for one in product(range(7), repeat=4)])
    scores = np.array([score_of(evidence, joints, one) for one in every])
    assert found.score == pytest.approx(scores.max(), abs=1e-4)
    np.testing.assert_allclose(found.places, every[scores.argmax()], atol=1e-9)
    assert score_of(evidence, joints, found.places) == pytest.approx(found.score, abs=1e-4)
    elsewhere = np.linalg.norm(every - found.places, axis=2) > ELSEWHERE
    best = [int(np.where(there, scores, -np.inf).argmax()) for there in elsewhere.T]
    assert {tuple(every[k].ravel().round(9)) for k in best} == {tuple(r.places.ravel().round(9)) for r in others}
    for reading in others:
        assert reading.score == pytest.approx(scores[best[NAMES.index(reading.differs)]], abs=1e-4)


@pytest.mark.sweep(2, long=True)
@pytest.mark.parametrize("seed", range(6))
def test_the_best_reading_under_a_pin_is_that_of_exhaustive_search(seed):
    """Nothing but where they hang speaks for or against pinned joints, so evidence at them is left out."""
    rng = np.random.default_rng(seed)
    places, joints, pin = apart(rng, 7), tree(4), rng.uniform(0.2, 0.8, 3)
    evidence = noise(rng, places, 4)
    found, *others = BodyReader(evidence, joints).read({1: pin}, count=5)
    every = np.array([places[list(one)] for one in product(range(7), repeat=4)])
    every[:, 1] = pin
    scores = np.array([score_of(evidence, joints, one) for one in every])
    np.testing.assert_array_equal(found.places[1], pin)
    np.testing.assert_allclose(found.places, every[scores.argmax()], atol=1e-9)
    assert {r.differs for r in others} <= set(NAMES) - {NAMES[1]}


def best_mirrored(seed: int) -> tuple[Reading, np.ndarray, Evidence]:
    """A reading of a body with like sides, the best there is by exhaustive search among mirror images of themselves,
    and the evidence of both. Body and mirror image count alike: joints of the middle are on both."""
    rng = np.random.default_rng(seed)
    aside = rng.permutation([(PLANE + x, y, z) for x in (0.1, 0.25, 0.4, -0.1, -0.25, -0.4) for y in (0.3, 0.6)
                             for z in (0.3, 0.5, 0.7)])[:9]
    middle = np.array([(PLANE, y, z) for y in (0.3, 0.6) for z in (0.3, 0.5, 0.7)])
    joints, evidence = tree(4), noise(rng, np.concatenate([aside, middle]), 4)
    found = BodyReader(evidence, joints, mirror_x=PLANE).read(count=1)[0]
    image = np.array([2 * PLANE, 0, 0])
    every = np.array([(hips, neck, hand, hand * [-1, 1, 1] + image) for hips, neck in product(middle, repeat=2)
                      for hand in np.concatenate([aside, aside * [-1, 1, 1] + image, middle])])
    scores = np.array([score_of(evidence, joints, one, MIRRORED) for one in every])
    return found, every[scores.argmax()], evidence


@pytest.mark.slow
def test_the_best_mirrored_reading_is_that_of_exhaustive_search():
    for seed in range(12):
        found, best, _ = best_mirrored(seed)
        np.testing.assert_allclose(found.places, best, atol=1e-9)


def test_a_mirrored_reading_is_scored_by_what_is_seen_on_both_sides():
    found, _, evidence = best_mirrored(0)
    assert score_of(evidence, tree(4), found.places, MIRRORED) == pytest.approx(found.score, abs=1e-4)


def test_a_joint_is_likely_to_be_as_far_off_as_its_evidence_is_wide():
    """What the views say, weighed, is a Gaussian of known width; so is its mean distance."""
    cube = np.stack(np.meshgrid(*3 * [(np.arange(CELLS) + 0.5) / CELLS], indexing="ij"), -1).reshape(-1, 3)
    for wide in (0.02, 0.05):
        found = BodyReader(blurred({}, 2, wide=wide, places=cube), tree(2)).read(count=1)[0]
        own = wide / np.sqrt(2 * BELIEF)
        np.testing.assert_allclose(found.spread, own * np.sqrt(8 / np.pi), rtol=0.05)


def test_a_joint_seen_in_two_places_is_likely_to_be_far_off():
    """Half the evidence is this far away."""
    cube = np.stack(np.meshgrid(*3 * [(np.arange(CELLS) + 0.5) / CELLS], indexing="ij"), -1).reshape(-1, 3)
    both = {"neck": [(WHERE["neck"], 0.5), ((0.5, 0.5, 0.9), 0.5)]}
    found = BodyReader(blurred(both, 2, wide=0.02, places=cube), tree(2)).read(count=1)[0]
    assert found.spread[0] < 0.05 < 0.14 < found.spread[1] < 0.17


def test_a_pin_is_not_off():
    found = BodyReader(blurred({}), tree()).read({1: np.array([0.5, 0.5, 0.7])}, count=1)[0]
    assert found.spread[1] == 0 and (np.delete(found.spread, 1) > 0).all()


def test_joints_lie_where_they_are_seen_to_a_fraction_of_a_cell():
    found = BodyReader(blurred({}), tree()).read()[0]
    np.testing.assert_allclose(found.places, list(WHERE.values()), atol=0.5 / CELLS)


def test_the_same_evidence_gives_the_same_bits():
    one, two = (BodyReader(blurred({}), tree()).read() for _ in range(2))
    assert len(one) == len(two)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a.places, b.places)
        assert (a.score, a.differs) == (b.score, b.differs)


def test_candidates_are_the_likeliest_places_and_not_one_beside_the_other():
    reader = BodyReader(blurred({}), tree())
    for j, (places, unary) in enumerate(zip(reader.places, reader.unary, strict=True)):
        assert 1 < len(places) <= MOST + MOST_FAR and (np.diff(unary) <= 0).all()
        assert len(np.unique(np.floor(places / APART).astype(int), axis=0)) == len(places)
        assert np.linalg.norm(places[0] - list(WHERE.values())[j]) < 2 / CELLS


def test_evidence_and_tree_must_know_the_same_joints():
    with pytest.raises(ValueError, match="same joints"):
        BodyReader(blurred({}, 4), tree(2))


# Pins

TWO_ARMS = {"hand.L": [((0.75, 0.5, 0.6), 1.0), ((0.66, 0.5, 0.4), 1.0)],
            "tip.L": [((0.85, 0.5, 0.45), 1.0), ((0.76, 0.5, 0.25), 1.0)]}


@pytest.mark.parametrize("which", [0, 1])
def test_a_pin_is_exact_and_its_child_follows_to_the_mode_that_goes_with_it(which):
    """An arm held in either of two ways: hand and tip lie on one of the two together."""
    reader = BodyReader(blurred(TWO_ARMS), tree(spread=0.04))
    pin = np.array(TWO_ARMS["hand.L"][which][0]) + [0.004, -0.003, 0.002]
    found = reader.read({NAMES.index("hand.L"): pin})[0]
    np.testing.assert_array_equal(found.places[2], pin)
    np.testing.assert_allclose(found.places[4], TWO_ARMS["tip.L"][which][0], atol=0.02)
    others = [0, 1, 3, 5]
    np.testing.assert_allclose(found.places[others], np.array(list(WHERE.values()))[others], atol=0.5 / CELLS)


@pytest.mark.parametrize("which", [0, 1])
def test_a_parent_follows_its_child(which):
    reader = BodyReader(blurred(TWO_ARMS), tree(spread=0.04))
    found = reader.read({NAMES.index("tip.L"): np.array(TWO_ARMS["tip.L"][which][0])})[0]
    np.testing.assert_allclose(found.places[2], TWO_ARMS["hand.L"][which][0], atol=0.02)


def test_pins_far_off_and_on_every_joint_are_exact(rng):
    reader = BodyReader(blurred({}), tree())
    pins = {j: rng.normal(size=3) * 5 for j in range(len(NAMES))}
    for some in ({0: pins[0]}, {5: pins[5], 1: pins[1]}, pins):
        found = reader.read(some)[0]
        assert np.isfinite(found.places).all()
        for j, place in some.items():
            np.testing.assert_array_equal(found.places[j], place)


def test_reading_with_pins_leaves_no_trace():
    reader = BodyReader(blurred(TWO_ARMS), tree())
    before = reader.read()
    reader.read({2: np.array([0.66, 0.5, 0.4])})
    for one, two in zip(before, reader.read(), strict=True):
        np.testing.assert_array_equal(one.places, two.places)
        assert (one.score, one.differs) == (two.score, two.differs)


# Mirrors

def reflected(places: np.ndarray, x: float) -> np.ndarray:
    return (places * [-1, 1, 1] + [2 * x, 0, 0])[mirrored(NAMES)]


@pytest.mark.parametrize("x", [0.5, 0.47])
def test_a_mirrored_reading_is_its_own_mirror_image(x):
    """However unlike what is seen of the two sides is."""
    modes = TWO_ARMS | {"hand.R": [((0.28, 0.55, 0.62), 1.0)], "neck": [((0.52, 0.48, 0.6), 1.0)]}
    for reading in BodyReader(blurred(modes), tree(), mirror_x=x).read():
        np.testing.assert_allclose(reflected(reading.places, x), reading.places, atol=1e-12)
        np.testing.assert_array_equal(reading.spread[mirrored(NAMES)], reading.spread)


def test_both_sides_have_a_say():
    """What the left leaves open the right decides."""
    modes = TWO_ARMS | {"hand.R": [((0.34, 0.5, 0.4), 1.0)], "tip.R": [((0.24, 0.5, 0.25), 1.0)]}
    found = BodyReader(blurred(modes), tree(), mirror_x=0.5).read()[0]
    np.testing.assert_allclose(found.places[2], (0.66, 0.5, 0.4), atol=0.02)


@pytest.mark.parametrize("joint", ["tip.L", "tip.R"])
def test_a_pin_holds_for_both_sides_of_a_mirrored_body(joint):
    place = np.array([0.8, 0.52, 0.3]) if joint == "tip.L" else np.array([0.2, 0.52, 0.3])
    found = BodyReader(blurred({}), tree(), mirror_x=0.5).read({NAMES.index(joint): place})[0]
    np.testing.assert_allclose(found.places[NAMES.index(joint)], place, atol=1e-12)
    np.testing.assert_allclose(reflected(found.places, 0.5), found.places, atol=1e-12)


def test_mirrored_evidence_is_read_as_a_mirror_image():
    """Without a plane too: left and right are names."""
    evidence = blurred(TWO_ARMS)
    heat = evidence.heat[:, mirrored(NAMES)].copy()
    heat[1:] = heat[1:, :, :, ::-1]
    image = Evidence("any", NAMES, heat, NOTHING, evidence.places * [-1, 1, 1] + [1, 0, 0])
    one, two = BodyReader(evidence, tree()).read()[0], BodyReader(image, tree()).read()[0]
    np.testing.assert_allclose(reflected(two.places, 0.5), one.places, atol=1e-6)


# How sure

def read_arm(share: float, count: int = 3) -> list[Reading]:
    """The hand in one of two places as likely as each other, if `share` is 1, given its neck."""
    modes = {"hand.L": [((0.75, 0.5, 0.7), 1.0), ((0.75, 0.5, 0.5), share)],
             "tip.L": [((0.85, 0.5, 0.45), 1.0)]}
    return BodyReader(blurred(modes), tree(spread=0.3)).read(count=count)


def test_nothing_else_in_reach_leaves_no_doubt():
    joints = tree(2)
    places = np.array([WHERE["hips"], WHERE["neck"]]) + 1e-3
    assert len(BodyReader(blurred({}, 2, places=places[:1]), joints).read()) == 1
    assert len(BodyReader(blurred({}), tree()).read()) == len(read_arm(1e-6)) == 1


@pytest.mark.parametrize("share", [0.05, 0.2, 0.4, 0.7, 1.0])
def test_two_likely_places_leave_doubt_of_one_joint(share):
    """By the log of how much likelier one is: two of the three views tell them apart, and each counts half."""
    best, *others = read_arm(share, 10)
    assert [other.differs for other in others] == ["hand.L"]
    assert best.score - others[0].score == pytest.approx(-np.log(share), abs=0.01)


def test_the_second_reading_takes_the_other_mode():
    first, second = read_arm(0.8)[:2]
    modes = np.array([[0.75, 0.5, 0.7], [0.75, 0.5, 0.5]])
    heights = first.places[2], second.places[2]
    nearest = [int(np.linalg.norm(modes - p, axis=1).argmin()) for p in heights]
    assert sorted(nearest) == [0, 1]
    for p, k in zip(heights, nearest, strict=True):
        np.testing.assert_allclose(p, modes[k], atol=0.02)
    assert (first.differs, second.differs) == ("", "hand.L")
    assert first.score >= second.score
    np.testing.assert_allclose(first.places[[0, 1, 3, 5]], second.places[[0, 1, 3, 5]], atol=1e-9)


def test_readings_come_best_first_and_all_unlike():
    modes = {n: [(p, 1.0), (tuple(np.add(p, (0, 0, 0.15))), 0.3)] for n, p in WHERE.items()}
    readings = BodyReader(blurred(modes), tree(spread=0.3)).read(count=4)
    assert len(readings) == 4
    assert (np.diff([r.score for r in readings]) <= 1e-9).all()
    for i, one in enumerate(readings):
        for other in readings[:i]:
            assert np.linalg.norm(one.places - other.places, axis=1).max() > 0.5 * ELSEWHERE

"""What bodies of a kind are like: sound files only, usual ways first, and one tree for every learned preset."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from core.errors import BadTemplate
from core.fitting.joint_tree import ANATOMY, ODDLY, JointTree, load_tree, read_tree, tree_of
from core.seeing.landmarks import LANDMARKS, mirrored
from core.skeleton.preset import load_template, preset_names


def changed(tmp_path, change) -> str:
    """The file of people, something about it changed."""
    data = json.loads((ANATOMY / "biped.json").read_text(encoding="utf-8"))
    data = change(data) or data
    path = tmp_path / "odd.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return str(path)


def put(*keys, value):
    """A change: one entry of a file."""
    def change(data):
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value
    return change


def drop(*keys):
    """A change: one entry left out."""
    def change(data):
        for key in keys[:-1]:
            data = data[key]
        del data[keys[-1]]
    return change


BROKEN = {
    "empty": lambda data: " ", "half": lambda data: json.dumps(data)[:500], "a list": lambda data: [1],
    "another format": put("format", value="geppetto-proportions"), "an older version": put("version", value=1),
    "no joints": drop("joints"), "a list of joints": put("joints", value=[1, 2]), "no floor": drop("floor"),
    "a weight of words": put("weight", value="much"), "no parent": drop("joints", "neck", "parent"),
    "no spread": drop("joints", "neck", "spread"),
    "a parent unknown": put("joints", "neck", "parent", value="wing"),
    "a mean of two": put("joints", "neck", "mean", value=[0, 1]),
    "a flat covariance": put("joints", "neck", "covariance", value=[[0, 0, 0]] * 3),
    "a covariance of two rows": put("joints", "neck", "covariance", value=[[1, 0, 0], [0, 1, 0]]),
    "a list between": put("between", "chest", value=["hips", "neck"]), "rows in a list": put("along", value=[1]),
    "a row of two along": put("along", "tail", value=["hips", "neck"]),
    "shares of more than one": put("between", "chest", value={"hips": 0.7, "neck": 0.7}),
    "shares of nothing": put("between", "chest", value={}),
    "between what is not there": put("between", "chest", value={"hips": 0.5, "wing": 0.5})}
# What would only go wrong later.
UNSEEN = {
    "a child before its parent": lambda data: data | {"joints": dict(reversed(data["joints"].items()))},
    "two roots": put("joints", "neck", "parent", value=None),
    "a mean that is no number": put("joints", "neck", "mean", value=[0, 0, float("nan")]),
    "a covariance below zero": put("joints", "neck", "covariance", value=[[-1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "a covariance that is no number": put("joints", "neck", "covariance", value=[[float("nan")] * 3] * 3),
    "a share that is no number": put("between", "chest", value={"hips": float("nan")}),
    "along what is not there": put("along", "tail", value=["hips", "wing", 0.5])}


@pytest.mark.parametrize("kind", [*BROKEN, *UNSEEN])
def test_a_broken_file_is_named(kind, tmp_path):
    with pytest.raises(BadTemplate, match=r"odd\.json"):
        read_tree(changed(tmp_path, (BROKEN | UNSEEN)[kind]))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(BadTemplate, match=r"none\.json"):
        read_tree(tmp_path / "none.json")


def test_a_file_is_read_as_it_is(tmp_path):
    shutil.copy(ANATOMY / "biped.json", tmp_path / "same.json")
    one, two = load_tree("biped"), read_tree(tmp_path / "same.json")
    assert one.names == two.names and one.between == two.between and one.along == two.along
    np.testing.assert_array_equal(one.means, two.means)
    data = json.loads((ANATOMY / "biped.json").read_text(encoding="utf-8"))["joints"]["neck"]
    neck = one.names.index("neck")
    assert one.names[one.parents[neck]] == data["parent"]
    np.testing.assert_allclose(one.precisions[neck] @ data["covariance"], np.eye(3), atol=1e-9)


# Ways and confidence

def some_tree(means: np.ndarray, precisions: np.ndarray, **numbers) -> JointTree:
    """A root and a joint."""
    numbers = {"weight": 0.3, "floor": -12.0, "doubtful": np.array([0.04, 0.06]), "slope": 2.0, "odd": -6.5} | numbers
    return JointTree(("root", "tip"), np.array([-1, 0]), means, precisions, between={}, along={}, **numbers)


def leaning() -> JointTree:
    """One whose ways spread more along some directions than others."""
    roots = np.random.default_rng(5).normal(size=(2, 3, 3)) * 5
    return some_tree(np.array([[0.5, 0.5, 0.5], [0.1, -0.2, 0.3]]), roots @ roots.transpose(0, 2, 1) + np.eye(3))


def test_ways_are_largest_at_the_mean_and_fall_in_every_direction(rng):
    joints, parent = leaning(), rng.uniform(0, 1, 3)
    usual = parent + joints.means[1]
    assert joints.ways(1, parent[None], usual[None])[0, 0] == pytest.approx(0, abs=1e-12)
    for direction in rng.normal(size=(20, 3)):
        along = usual + np.linspace(0, 0.5, 12)[:, None] * direction
        likely = joints.ways(1, parent[None], along)[0]
        held = likely > joints.weight * joints.floor
        assert (np.diff(likely) <= 0).all() and (np.diff(likely[held]) < 0).all()


def test_ways_are_those_of_students_t_down_to_a_floor(rng):
    """With two degrees of freedom over three dimensions: (1 + d^2 / 4) to the power -(4 + 1) / 2, and no less."""
    joints, parents, places = leaning(), rng.uniform(0, 1, (4, 3)), rng.uniform(-9, 9, (5, 3))
    found = joints.ways(1, parents, places)
    assert found.shape == (4, 5)
    for n, m in np.ndindex(4, 5):
        off = places[m] - parents[n] - joints.means[1]
        naive = np.log((1 + off @ joints.precisions[1] @ off / 4) ** -2.5)
        assert found[n, m] == pytest.approx(0.3 * max(naive, -12.0))
    assert joints.ways(1, parents, np.full((1, 3), 1e9)).min() == pytest.approx(0.3 * -12.0)


def test_only_where_a_joint_lies_from_its_parent_counts(rng):
    joints, parents, places, shift = leaning(), rng.normal(size=(3, 3)), rng.normal(size=(6, 3)), rng.normal(size=3)
    np.testing.assert_allclose(joints.ways(1, parents + shift, places + shift), joints.ways(1, parents, places))


def test_a_body_that_is_larger_in_its_cube_is_like_others_in_its_own_measure(rng):
    joints, parents, places = leaning(), rng.normal(size=(3, 3)), rng.normal(size=(6, 3))
    np.testing.assert_allclose(joints.scaled(1.7).ways(1, 1.7 * parents, 1.7 * places), joints.ways(1, parents, places))


def test_confidence_falls_with_the_spread_and_is_half_where_a_joint_is_doubtful():
    joints = leaning()
    usual = np.cumsum(joints.means, axis=0)
    for off in np.geomspace(1e-6, 1, 100):
        sure = joints.confidence(np.array([off, 2 * off]), usual)
        assert ((sure > 0) & (sure <= 1)).all()
        assert (joints.confidence(np.array([1.1 * off, 2.2 * off]), usual) < sure).all() or off < 1e-3
    np.testing.assert_allclose(joints.confidence(joints.doubtful, usual), 0.5)
    np.testing.assert_allclose(joints.confidence(joints.doubtful / 2, usual), 0.8)  # odds of 2 to the slope
    np.testing.assert_allclose(joints.confidence(0 * joints.doubtful, usual), 1)


def test_what_lies_as_in_no_body_is_doubtful_whatever_is_seen():
    """A collar bone as long as the body, say."""
    joints = leaning()
    far = np.array([joints.means[0], joints.means[0] + joints.means[1] + 5.0])
    np.testing.assert_allclose(joints.confidence(0 * joints.doubtful, far), [1, ODDLY])


def test_a_tree_copies_freezes_and_checks_what_it_is_given():
    means, precisions = np.zeros((2, 3)), np.array([np.eye(3)] * 2)
    joints = some_tree(means, precisions)
    means[:] = 1.0
    assert not joints.means.any()
    with pytest.raises(ValueError, match="read-only"):
        joints.means[0, 0] = 1.0
    with pytest.raises(ValueError, match="precisions"):
        some_tree(means, precisions[:1])
    with pytest.raises(ValueError, match="doubtful"):
        some_tree(means, precisions, doubtful=np.zeros(3))


# Those that ship

def _other(name: str) -> str:
    return name[:-1] + {"L": "R", "R": "L"}[name[-1]] if name[-2:] in (".L", ".R") else name


@pytest.mark.parametrize("kind", LANDMARKS)
class TestShipped:
    """The tree of every kind that the landmark network knows."""

    def test_it_covers_exactly_its_preset(self, kind):
        tree, template = load_tree(kind), load_template(kind)
        assert tree.names == LANDMARKS[kind] and not set(tree.along) & {*tree.names, *tree.between}
        assert {*tree.names, *tree.between, *tree.along} == set(template.names) and tree_of(template) == kind

    def test_parents_come_first_and_what_lies_between_is_known(self, kind):
        tree = load_tree(kind)
        assert tree.parents[0] == -1
        assert all(0 <= p < j for j, p in enumerate(tree.parents.tolist()) if j)
        for joint, row in tree.between.items():
            assert set(row) <= set(tree.names) and sum(row.values()) == pytest.approx(1), joint
            image = {_other(n): share for n, share in row.items()}
            assert tree.between[_other(joint)] == pytest.approx(image), joint
        for joint, (start, end, share) in tree.along.items():
            assert {start, end} <= set(tree.names) and 0 < share < 1, joint

    def test_it_is_its_own_mirror_image(self, kind):
        tree = load_tree(kind)
        partner = mirrored(tree.names)
        flip = np.diag([-1.0, 1.0, 1.0])
        np.testing.assert_allclose(tree.means[partner][1:] * [-1, 1, 1], tree.means[1:], atol=2e-3)
        for j, p in enumerate(partner):
            assert partner[p] == j
            own = flip @ tree.precisions[p] @ flip
            np.testing.assert_allclose(own, tree.precisions[j], atol=0.02 * np.abs(own).max())
            above, other = tree.parents[j], tree.parents[p]
            assert above == (partner[other] if other >= 0 else -1)
        assert tree.means[0][0] == pytest.approx(0.5, abs=0.01)

    def test_its_numbers_are_those_of_distributions(self, kind):
        tree = load_tree(kind)
        assert np.isfinite(tree.means).all() and (np.linalg.eigvalsh(tree.precisions) > 0).all()
        assert tree.weight > 0 > tree.floor and tree.slope > 0 and (tree.doubtful > 0).all()

    def test_a_body_of_usual_proportions_is_the_likeliest(self, kind):
        """All means together make one body, and each of its joints is where its own way is best."""
        tree = load_tree(kind)
        at = tree.means.copy()
        for j in range(1, len(at)):
            at[j] += at[tree.parents[j]]
            assert tree.ways(j, at[tree.parents[j]][None], at[j][None])[0, 0] == pytest.approx(0, abs=1e-12)
        assert (at > -0.2).all() and (at < 1.2).all()


def test_no_other_preset_has_a_tree():
    known = {name: tree_of(load_template(name)) for name in preset_names()}
    assert {name for name, kind in known.items() if kind} >= set(LANDMARKS)
    assert known["bird"] is None and known["biped_paper"] is None

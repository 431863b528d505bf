"""From where on a weight check says what it says."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from core.quality.findings import judge
from core.quality.hanging import hang_together
from core.quality.joint_check import check_joints
from core.quality.strain import EdgeStretch, Region
from core.skeleton.rig import Rig
from tests.core.motion.bodies import person_rig
from tests.limits import turning_point
from tests.shapes import box

COUNT = 1000
SKIN = SimpleNamespace(of_vertex=np.arange(COUNT), used=np.ones(COUNT, bool))


def about(value: float):
    return pytest.approx(value, rel=0.02)


def judged(key: str, **measured):
    """The finding of some kind where all but what is measured is as good as it can be, and how bad it is anywhere."""
    good = {"weights": np.ones((COUNT, 1)), "strains": [], "stretch": np.ones(COUNT), "bled": np.zeros(COUNT),
            "mirrored": (np.zeros(COUNT), np.ones(COUNT, bool)), "seams": np.zeros(COUNT)}
    given = good | measured
    findings, badness = judge(SKIN, sparse.csr_matrix(given.pop("weights")), **given)
    assert all(f.verdict == "good" for f in findings if f.key != key)
    return next(f for f in findings if f.key == key), badness


def some(share: float, value: float, rest: float = 0.0) -> np.ndarray:
    """(COUNT,) a value for some share of the vertices, the last ones."""
    return np.where(np.arange(COUNT) >= round((1 - share) * COUNT), value, rest)


def strain(volume: float, general: bool = False):
    pose = SimpleNamespace(name="bent", is_general=general)
    return SimpleNamespace(volume=volume, pose=pose, joint="knee", preserved=0.9, worst=1.5)


@pytest.mark.parametrize(("key", "fair", "poor", "measured"), [
    ("stretch", 2.3, 3.0, lambda v: {"stretch": some(0.02, v, 1.0)}),
    ("stretch", 5.0, 8.0, lambda v: {"stretch": some(0.001, v, 1.0)}),
    ("bleed", 0.0005, 0.005, lambda v: {"bled": np.full(COUNT, v)}),
    ("bleed", 0.12, 0.5, lambda v: {"bled": some(0.001, v)}),
    ("volume", 0.35, 0.85, lambda v: {"strains": [strain(1 - v), strain(0.9), strain(0.0, general=True)]}),
    ("mirror", 0.05, 0.15, lambda v: {"mirrored": (np.full(COUNT, v), np.ones(COUNT, bool))})])
def test_a_verdict_turns_where_it_should(key, fair, poor, measured):
    verdict = lambda value: judged(key, **measured(value))[0].verdict  # noqa: E731
    assert turning_point(lambda v: verdict(v) == "good", 0.2 * fair, (fair + poor) / 2) == about(fair)
    assert turning_point(lambda v: verdict(v) == "poor", (fair + poor) / 2, 2 * poor) == about(poor)


def test_open_seams_are_poor_from_one_in_a_thousand_on():
    opened = lambda count: judged("seams", seams=some(count / COUNT, 0.2))[0].verdict  # noqa: E731
    assert [opened(count) for count in (0, 1, 2)] == ["good", "fair", "poor"]


def test_bones_of_a_vertex_are_counted_from_a_share_on():
    def verdict(count: int, least: float = 0.1) -> str:
        return judged("influences", weights=np.tile([1.0] + [least] * (count - 1), (COUNT, 1)))[0].verdict

    assert [verdict(count) for count in (4, 5, 8, 9)] == ["good", "fair", "fair", "poor"]
    assert turning_point(lambda least: verdict(5, least) == "fair", 1e-4, 1e-2) == about(1e-3)
    bare = lambda share: judged("bare", weights=some(0.5, 1.0, share)[:, None])[0].verdict  # noqa: E731
    assert turning_point(lambda share: bare(share) == "poor", 0.1, 0.9) == about(0.5)


def test_vertices_are_named_from_what_can_be_seen_on_and_the_worst_comes_first():
    for key, measured in (("bleed", lambda v: {"bled": v}), ("seams", lambda v: {"seams": v}),
                          ("mirror", lambda v: {"mirrored": (v, np.ones(COUNT, bool))})):
        values = np.linspace(0, 0.11, COUNT)
        found, _ = judged(key, **measured(values))
        assert found.vertices.tolist() == list(range(COUNT))[:int(0.05 / 0.11 * (COUNT - 1)):-1]
        assert found.values[0] == len(found.vertices)
    drawn = judged("stretch", stretch=np.linspace(1.0, 3.3, COUNT))[0].vertices
    assert len(drawn) == about(COUNT / 2.3) and drawn[0] == COUNT - 1


def test_how_bad_a_vertex_is_runs_from_nothing_to_all():
    assert judged("stretch", stretch=some(0.3, 2.1, 1.2))[1].tolist() == pytest.approx(some(0.3, 0.5))
    assert judged("bleed", bled=some(0.3, 0.3))[1].tolist() == pytest.approx(some(0.3, 0.6))
    assert judged("seams", seams=some(0.3, 0.3))[1].tolist() == pytest.approx(some(0.3, 0.3))
    assert judged("bare", weights=some(0.3, 0.0, 1.0)[:, None])[1].tolist() == some(0.3, 1.0).tolist()


def test_joints_are_misplaced_and_lie_at_others_from_a_distance_on():
    rig = person_rig(2)
    joints = dict(zip(rig.names, rig.heads, strict=True))
    size = np.ptp(rig.heads, axis=0).max()
    elbow = rig.names.index("forearm.L")

    def found(off: float, confidence: float = 1.0, beside: float = 1.0):
        heads = np.array(rig.heads)
        heads[elbow] = heads[elbow] + off * size * np.array([0.0, 1.0, 0.0])
        other = joints | {"chest": heads[elbow] + [0, 0, beside * size]}
        seen = replace(rig, joints=other, confidence=dict.fromkeys(joints, 1.0) | {"forearm.L": confidence})
        longest = np.ptp(np.array(list(other.values())), axis=0).max() / size
        return check_joints(replace(rig, heads=heads), seen), longest

    assert turning_point(lambda v: bool(found(v, beside=0.0)[0]), 0.05, 0.3) == about(0.15)
    assert turning_point(lambda v: bool(found(0.3, v, 0.0)[0]), 0.05, 0.9) == about(0.5)
    near = turning_point(lambda v: found(0.3, beside=v)[0][0].at == "chest", 0.001, 0.2)
    assert near / found(0.3, beside=near)[1] == about(0.06)
    one, = found(0.3, beside=0.0)[0]
    assert (one.bone, one.joint, one.at) == ("forearm.L", "forearm.L", "chest") and one.off == about(0.3)


def test_a_loose_foot_hangs_on_the_far_part_of_the_limb_it_begins_beside():
    def parent(along: float, aside: float = 0.0) -> int:
        heads = [[0, 0, 1.0], [0, 0, 1.0 - along]]
        rig = Rig(("shin", "foot", "ground"), (-1, 2, -1), [*np.array(heads) + [[0, 0, 0], [aside, 0, 0]], [5, 0, 0]],
                  [[0, 0, 0], [aside, -0.2, 1.0 - along], [5, 0, 1]])
        return int(hang_together(rig, np.array([True, True, False])).parents[1])

    assert parent(0.9) == 0 and parent(0.1) == 2
    assert turning_point(lambda v: parent(v) == 0, 0.1, 0.9) == about(0.3)
    size = turning_point(lambda v: parent(0.9, v) == 0, 0.01, 0.9)
    assert size == about(0.08 * 5)


@pytest.mark.parametrize(("parent", "has_skin"), [(1, True), (0, False)])
def test_a_loose_foot_hangs_neither_on_its_own_heel_nor_on_a_bone_without_skin_though_they_are_nearer(parent, has_skin):
    heads, tails = np.zeros((4, 3)), np.zeros((4, 3))
    heads[:, 2], heads[1:, 1] = (1.0, 0.1, 0.0, 0.0), (-0.02, -0.3, 5.0)
    tails[:, 2], tails[1:, 1] = (0.0, 0.0, 0.1, 1.0), (-0.3, -0.02, 5.0)
    rig = Rig(("shin", "foot", "heel", "ground"), (-1, 3, parent, -1), heads, tails)
    assert hang_together(rig, np.array([True, True, has_skin, False])).parents[1] == 0


def test_short_edges_are_drawn_out_unseen_and_thin_regions_are_no_flesh():
    for length in (0.0025, 0.025):
        corners = np.array([[0, 0, 0], [length, 0, 0]])
        skin = SimpleNamespace(edges=np.array([[0, 1]]), mesh=SimpleNamespace(vertices=corners))
        assert EdgeStretch(skin).of(2 * corners)[0] == pytest.approx((2 * length + 0.0025) / (length + 0.0025))

    def is_solid(thick: float) -> bool:
        mesh = box((1, 1, thick)).mesh
        return Region(mesh.faces, np.zeros((0, 2), int), np.zeros(0, int)).is_solid(mesh.vertices)

    thick = turning_point(is_solid, 0.01, 1.0)
    assert thick / (2 + 4 * thick)**1.5 == about(0.02)

"""Bodies whose two sides are unlike: which limb is which, and where its joints are."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.fitting.anatomy import Body
from core.fitting.fit import FitOptions, Fitter, choose_candidates, search
from core.fitting.limb_matching import match_limbs, prominent_tips, template_limbs
from core.fitting.posed import LIMBS, half_way
from core.skeleton.preset import load_template, other_side
from tests.characters import person, quadruped
from tests.characters.poses import striding, walking, waving

from .bodies import body, prepared
from .graphs import random_graph

BODIES = {"walking": (lambda: person(pose=walking), "biped"), "waving": (lambda: person(pose=waving), "biped"),
          "dog": (lambda: quadruped(pose=striding), "quadruped"),
          "horse": (lambda: quadruped(species="horse", pose=striding), "horse"),
          "cow": (lambda: quadruped(np.random.default_rng(1), species="cow", pose=striding), "quadruped")}


@cache
def fitted(name: str):
    make, preset = BODIES[name]
    character = make()
    fitter = Fitter(prepared(character.mesh), load_template(preset))
    return character, fitter, fitter.rig()


def misses(name: str) -> dict[str, float]:
    character, _, rig = fitted(name)
    size = np.ptp(character.mesh.vertices, axis=0).max()
    return {j: float(np.linalg.norm(p - rig.joints[j])) / size for j, p in character.joints.items() if j in rig.joints}


@pytest.mark.parametrize("name", BODIES)
def test_every_limb_of_a_posed_body_is_taken_for_what_it_is(name):
    _, fitter, rig = fitted(name)
    assert fitter.skeletal.plane is None and not rig.warnings
    for joint, miss in misses(name).items():
        if joint.endswith(("toe.L", "toe.R", "tip.L", "tip.R", "head_top", "tail_tip")):
            assert miss < 0.13, joint


@pytest.mark.parametrize("name", BODIES)
def test_joints_lie_along_posed_limbs(name):
    """Artists and the generator mean different places by an animal's front knee; the others agree."""
    off = misses(name)
    told = [off[f"{j}.{s}"] for names in LIMBS.values() for j in names for s in "LR"
            if f"{j}.{s}" in off and j != "front_lower"]
    assert np.mean(told) < (0.075 if name == "cow" else 0.06) and max(told) < 0.14


def test_mirroring_a_posed_body_swaps_left_and_right():
    """But for the head's top, which is anywhere on a round head."""
    character, _, rig = fitted("walking")
    mirrored = character.moved(np.diag([-1.0, 1.0, 1.0]))
    other = Fitter(prepared(mirrored.mesh), load_template("biped")).rig()
    for name in set(rig.joints) - {"head_top"}:
        image = np.array(other.joints[other_side(name)]) * [-1, 1, 1]
        np.testing.assert_allclose(image, rig.joints[name], atol=0.02 * character.height)


def test_a_missing_tail_is_said_and_begins_on_the_rump():
    character = quadruped(species="horse", pose=striding, tail=0.02, tail_thickness=0.4)
    rig = Fitter(prepared(character.mesh), load_template("quadruped")).rig()
    assert any("No tail" in w for w in rig.warnings)
    size = np.ptp(character.mesh.vertices, axis=0).max()
    for joint in ("tail", "tail_tip"):
        assert np.linalg.norm(np.array(rig.joints[joint]) - character.joints["tail"]) < 0.15 * size


def test_half_way_between_the_hands_is_the_same_in_every_pose():
    lengths = []
    for shape in (body("person"), *(fitted(name)[1].shape for name in ("walking", "waving"))):
        fitter = Fitter(shape, load_template("biped"), FitOptions(mirror=np.inf))
        middle = fitter.skeletal
        found = search(middle.graph, fitter.reduced, {}, scale=fitter.scale, sheets=middle.sheets)[0]
        limbs = Body(middle.field, middle.graph, fitter.reduced, found, None)
        lengths.append(half_way(limbs, "hand_tip") * fitter.shape.frame.scale)
    assert np.ptp(lengths) < 0.05 * np.mean(lengths)


def test_prominence_is_the_least_descent_to_a_higher_vertex(rng):
    """Against its definition: remove all vertices below a level and see what is still connected."""
    graph = random_graph(rng, 30)
    far = rng.permutation(len(graph.points)).astype(float)
    vertices, prominence = prominent_tips(graph, far)
    peaks = [v for v in range(len(far)) if all(far[v] > far[a + b - v] for a, b in graph.edges.tolist() if v in (a, b))]
    assert vertices.tolist() == peaks
    for v, height in zip(vertices.tolist(), prominence, strict=True):
        if far[v] == far.max():
            assert height == far[v]
            continue
        saddle = next(level for level in np.sort(far)[::-1] if far[reached(graph, v, far >= level)].max() > far[v])
        assert height == far[v] - saddle


def reached(graph, start: int, kept: np.ndarray) -> list[int]:
    seen, queue = {start}, [start]
    while queue:
        v = queue.pop()
        for a, b in graph.edges.tolist():
            o = a + b - v
            if v in (a, b) and kept[v] and kept[o] and o not in seen:
                seen.add(o)
                queue.append(o)
    return sorted(seen)


def test_ways_along_the_template():
    """From tip to tip a limb's own bones and its partner's, and the way to the middle never longer."""
    template = load_template("quadruped")
    limbs = template_limbs(template)
    np.testing.assert_allclose(limbs.apart, limbs.apart.T, atol=1e-12)
    assert (limbs.apart <= limbs.far[:, None] + limbs.far + 1e-12).all() and (np.diag(limbs.apart) == 0).all()
    paired = limbs.partner >= 0
    np.testing.assert_allclose(limbs.tip[paired][:, 0], -limbs.tip[limbs.partner[paired]][:, 0], atol=1e-12)
    np.testing.assert_allclose(limbs.far[paired], limbs.far[limbs.partner[paired]], atol=1e-9)


def test_a_pinned_limb_keeps_its_pin():
    _, fitter, _ = fitted("waving")
    graph, reduced = fitter.skeletal.graph, fitter.reduced
    r = next(i for i, j in enumerate(reduced.joints) if fitter.template.names[j] == "hand_tip.L")
    pins = {int(reduced.joints[r]): graph.points[7]}
    match = match_limbs(graph, reduced, choose_candidates(graph, reduced, pins), np.ones(len(graph.points)))
    assert match.vertices[r] == 7

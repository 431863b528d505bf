"""The continuous penalty is the published formula, its gradient is its slope, and refining lowers it."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.medial import sample_medial
from core.fitting.refine import ContinuousPenalty, refine
from core.skeleton.preset import load_template
from tests.core.fitting.bodies import body, solid
from tests.core.fitting.graphs import small_biped, template_of


def literal_penalty(positions, template, samples, field, scale) -> float:
    """Bone by bone, sample by sample."""
    total = 0.0
    length = {}
    for j in range(1, len(template.names)):
        a, b = positions[template.parents[j]], positions[j]
        wanted = (template.positions[j] - template.positions[template.parents[j]]) * scale
        surface = 0.0
        for k in range(10):
            point = a + (b - a) * k / 9
            off = np.linalg.norm(samples.points - point, axis=1).min()
            depth = -field.sample(point[None])[0]
            miss = min(off, 0.001 + max(0.0, 0.05 - depth))
            surface += miss**2 / 10 if miss**2 > 0.003**2 else 0.0
        along = float((b - a) @ wanted / np.linalg.norm(wanted))
        short = max(0.5, (1e-4 + wanted @ wanted) / (1e-4 + along**2))
        turn = np.arccos(np.clip(along / np.linalg.norm(b - a), -1 + 1e-9, 1 - 1e-9))
        angle = (0.3 + 0.5 * turn) ** 3 * (10 if turn > np.pi / 2 else 1)
        length[j] = float((b - a) @ (b - a))
        total += 15000 * surface + 0.25 * short + 2.0 * angle
    for j in range(1, len(template.names)):
        m = template.mirror[j]
        if m > j:
            p, q = length[j], length[m]
            total += max(1.05, p / (0.001 + q), q / (0.001 + p))
    return total


def problem(seed: int, name: str = "person"):
    """A jittered small biped in a person, in the unit frame."""
    rng = np.random.default_rng(seed)
    template, field = small_biped(rng), body(name).field
    positions = template.positions * 0.9 + rng.normal(size=template.positions.shape) * 0.03
    return template, sample_medial(field), field, positions


@pytest.mark.parametrize("seed", range(4))
def test_the_penalty_is_the_published_formula(seed):
    template, samples, field, positions = problem(seed)
    penalty = ContinuousPenalty(template, samples, field, 0.8)
    assert penalty.value_and_gradient(positions)[0] == pytest.approx(
        literal_penalty(positions, template, samples, field, 0.8), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_the_gradient_is_the_slope(seed):
    """Against central differences, coordinate by coordinate, where none of the penalty's kinks is near."""
    template, samples, field, positions = problem(seed)
    penalty = ContinuousPenalty(template, samples, field, 0.8)
    gradient = penalty.value_and_gradient(positions)[1]
    smooth = 0
    for j in range(len(positions)):
        for d in range(3):
            step = np.zeros_like(positions)
            step[j, d] = 2e-6
            low, here, high = (penalty.value_and_gradient(positions + s)[0] for s in (-step, 0 * step, step))
            left, right = (here - low) / 2e-6, (high - here) / 2e-6
            if abs(left - right) < 0.02 * (1 + abs(left)):
                smooth += 1
                assert gradient[j, d] == pytest.approx((left + right) / 2, rel=0.02, abs=0.5)
    assert smooth > 0.7 * positions.size


@pytest.mark.sweep(1)
@pytest.mark.parametrize("preset, name", [("biped_paper", "person"), ("biped", "blob"), ("quadruped", "quadruped")])
def test_refining_lowers_the_penalty(preset, name, rng):
    template, field = load_template(preset), body(name).field
    samples = sample_medial(field)
    low, high = field.grid.centres(np.argwhere(field.solid)).min(0), field.grid.centres(np.argwhere(field.solid)).max(0)
    extent = np.ptp(template.positions, axis=0)
    scale = float(((high - low) / extent)[extent.argmax()])
    start = (template.positions - template.positions.min(0)) / extent * (high - low) + low
    before = start.copy()
    penalty = ContinuousPenalty(template, samples, field, scale)
    refined = refine(start, template, samples, field, scale=scale)
    assert penalty.value_and_gradient(refined)[0] < 0.9 * penalty.value_and_gradient(start)[0]
    np.testing.assert_array_equal(start, before)
    np.testing.assert_array_equal(refined, refine(start, template, samples, field, scale=scale))


def test_pinned_joints_stay():
    template, samples, field, positions = problem(0)
    fixed = np.zeros(len(positions), bool)
    fixed[[1, 4]] = True
    refined = refine(positions, template, samples, field, scale=0.8, fixed=fixed)
    np.testing.assert_array_equal(refined[fixed], positions[fixed])
    assert np.abs(refined[~fixed] - positions[~fixed]).max() > 1e-3
    np.testing.assert_array_equal(refine(positions, template, samples, field, scale=0.8, fixed=~(fixed & False)),
                                  positions)


def test_a_mirrored_body_keeps_its_joints_mirrored():
    template, samples, field, positions = problem(2)
    one = template.mirror >= 0
    refined = refine(positions, template, samples, field, scale=0.8, plane_x=0.01)
    image = refined * [-1, 1, 1] + [0.02, 0, 0]
    np.testing.assert_allclose(refined[one], image[template.mirror[one]], atol=1e-12)
    np.testing.assert_allclose(refined[~one, 0], 0.01, atol=1e-12)
    fixed = np.arange(len(positions)) == 4
    pinned = refine(positions, template, samples, field, scale=0.8, plane_x=0.01, fixed=fixed)
    np.testing.assert_array_equal(pinned[4], positions[4])


def centred():
    """A chain of three bones on the axis of a capsule 0.15 thick and 1 tall, pointing up as its template does."""
    shape = solid("capsule")[1]
    height = {"a": 0.2, "b": 0.4, "c": 0.6, "d": 0.8}
    above = {"a": None, "b": "a", "c": "b", "d": "c"}
    template = template_of({n: (above[n], (0, 0, z)) for n, z in height.items()})
    return template, shape.field, sample_medial(shape.field), template.positions


def test_a_centred_skeleton_stays_where_it_is():
    """Bones longer than the template's by the square root of two or more are long enough: 0.2 against 0.14."""
    template, field, samples, positions = centred()
    refined = refine(positions, template, samples, field, scale=0.7)
    np.testing.assert_allclose(refined, positions, atol=0.003)


def test_short_bones_grow_along_the_axis():
    """To the square root of two of their length, and further as far as it costs nothing."""
    template, field, samples, positions = centred()
    refined = refine(positions, template, samples, field, scale=1.0)
    np.testing.assert_allclose(refined[:, :2], positions[:, :2], atol=0.003)
    grown = np.diff(refined[:, 2]) - 0.2 * np.sqrt(2)
    assert grown.min() > -0.001 and grown.max() < 0.06


def test_a_skeleton_under_the_skin_moves_in():
    """0.05 below the surface is as good as the middle."""
    template, field, samples, positions = centred()
    start = positions + [0.1, 0.06, 0]
    refined = refine(start, template, samples, field, scale=0.7)
    assert -field.sample(start).max() < 0.035
    assert -field.sample(refined).max() > 0.045


def test_the_partner_of_a_pinned_joint_is_free():
    """It goes where its own body is, not half-way to the pin's mirror image."""
    template, samples, field, positions = problem(2)
    left = int(np.flatnonzero(template.mirror > np.arange(len(template.mirror)))[0])
    right = template.mirror[left]
    fixed = np.arange(len(positions)) == left
    away = positions.copy()
    away[left] += [0.0, 0.3, 0.0]
    near, far = (refine(p, template, samples, field, scale=0.8, plane_x=0.0, fixed=fixed) for p in (positions, away))
    assert np.linalg.norm(near[right] - far[right]) < 0.1

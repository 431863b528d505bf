"""Bones that leave the body by many sizes are as good as bones cut off near it."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.shape import prepare_steps
from core.pipeline import bind, run
from core.skeleton.rig import Rig
from core.skinning.handles import _near_the_body
from tests.shapes import capsule


def test_what_is_kept_lies_on_the_bone_and_nothing_near_is_lost(rng):
    heads, tails = rng.normal(size=(2, 200, 3)) * rng.choice([1.0, 10.0, 1000.0], size=(2, 200, 1))
    kept = _near_the_body(heads, tails)
    fine = np.linspace(0, 1, 20001)
    for head, tail, first, last in zip(heads, tails, *kept, strict=True):
        points = head + fine[:, None] * (tail - head)
        near = points[(np.abs(points) <= 4).all(1)]
        if len(near):
            step = np.linalg.norm(tail - head) / 20000
            assert np.linalg.norm(first - near[0]) <= 2 * step and np.linalg.norm(last - near[-1]) <= 2 * step
        else:
            assert np.linalg.norm(first - last) <= 8 * np.sqrt(3) and (np.abs([first, last]) <= 4).all()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("method", ["heat", "geodesic"])
def test_a_bone_without_end_binds_like_a_long_one(method):
    mesh = capsule(segments=16).mesh
    middle, shape = mesh.vertices.mean(0), run(prepare_steps(mesh))

    def weights(length: float) -> np.ndarray:
        heads = np.array([middle, middle])
        tails = middle + np.array([[0, 0, -length], [0, 0, length]])
        return bind(mesh, Rig(("down", "up"), [-1, 0], heads, tails), method, shape=shape).matrix.toarray()

    long = weights(100.0)
    for far in (1e3, 1e12, 1e100):
        np.testing.assert_allclose(weights(far), long, atol=1e-6)

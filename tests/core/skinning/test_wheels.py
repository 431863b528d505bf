"""Wheels turn on their own bones with all that is in them, and take nothing else along."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.mesh import Mesh, vertex_components
from core.pipeline import bind
from core.skeleton.rig import Rig
from tests.core.fitting.test_wheels import prism
from tests.core.skinning.solids import joined
from tests.shapes import box

HUBS = {"wheel_1_1": (0.0, -0.6, 0.35), "wheel_2_1": (0.0, 0.6, 0.35)}


def tyre(centre, radius: float = 0.33, thick: float = 0.03) -> Mesh:
    """A ring about an axis along x: the bone in its middle lies in air."""
    k, n = np.mgrid[:32, :8]
    about, around = 2 * np.pi * k / 32, 2 * np.pi * n / 8
    far = radius + thick * np.cos(around)
    points = np.stack([thick * np.sin(around), far * np.cos(about), far * np.sin(about)], 2).reshape(-1, 3)
    one, two, three, four = (8 * ((k + i) % 32) + (n + j) % 8 for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
    faces = np.concatenate([np.stack([one, two, three], 2), np.stack([one, three, four], 2)]).reshape(-1, 3)
    return Mesh(points + centre, faces)


def bicycle() -> tuple[Mesh, Rig]:
    """Tyres with hubs, a frame above them and forks that come down to the hubs."""
    frame = box((0.06, 1.3, 0.06), (0, 0, 0.9)).mesh
    parts = [frame]
    for hub in HUBS.values():
        parts += [tyre(hub), prism(0.05, 0.03, hub), box((0.04, 0.04, 0.56), (0.06, hub[1], 0.62)).mesh]
    heads, tails = np.array([(0, 0.6, 0.9), *HUBS.values()]), np.array([(0, -0.6, 0.9), *HUBS.values()])
    tails[1:, 0] += 0.15
    return joined(*parts), Rig(("spine_1", *HUBS), np.array([-1, 0, 0]), heads, tails)


@pytest.mark.long
def test_tyre_and_hub_follow_their_wheel_alone_and_the_fork_does_not():
    mesh, rig = bicycle()
    weights = bind(mesh, rig).matrix.toarray()
    part = vertex_components(mesh)
    owner = [0, 1, 1, 0, 2, 2, 0]  # frame; tyre, hub, fork of each
    np.testing.assert_array_equal(weights, np.eye(3)[np.array(owner)[part]])


@pytest.mark.long
def test_a_wheel_whose_bone_was_put_elsewhere_is_bound_as_any_part():
    mesh, rig = bicycle()
    heads, tails = rig.heads + [[0, 0, 0], [3, 0, 0], [0, 0, 0]], rig.tails + [[0, 0, 0], [3, 0, 0], [0, 0, 0]]
    weights = bind(mesh, Rig(rig.names, rig.parents, heads, tails)).matrix.toarray()
    part = vertex_components(mesh)
    assert (weights[part == 1].argmax(1) != 1).all() and (weights[(part == 4) | (part == 5), 2] == 1).all()
    np.testing.assert_allclose(weights.sum(1), 1.0)

"""The skull, with ears and jaw, follows the head; the blend to the neck lies about the head's joint."""

from __future__ import annotations

import numpy as np
import pytest

from core.pipeline import bind, fit, prepare
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from tests.characters import person, quadruped


def bound(mesh, template: str, method: str = "heat"):
    """The shape, its rig, and (V, B) weights."""
    shape = prepare(mesh)
    rig = fit(mesh, load_template(template), shape=shape)
    return shape, rig, bind(mesh, rig, method, shape=shape).matrix.toarray()


@pytest.mark.parametrize("method", ["heat", "geodesic"])
def test_the_face_follows_the_head_alone(method):
    body = person(vertices=2500)
    mesh = body.meshes[0]
    _, rig, weights = bound(mesh, "biped", method)
    head, up = weights[:, rig.names.index("head")], mesh.vertices[:, 2] - body.joints["head"][2]
    assert head[up > 0.04 * body.height].min() > 0.99
    below = head[up < -0.02 * body.height]
    assert below.max() < 0.9 and np.median(below) < 0.01, "the neck bends, and the trunk stays"


@pytest.mark.parametrize("species", ["dog", "horse"])
def test_ears_follow_the_head_not_the_neck_they_stand_over(species):
    mesh = quadruped(np.random.default_rng(2), species=species).meshes[0]
    _, rig, weights = bound(mesh, "quadruped")
    front = mesh.vertices[:, 1] < np.median(mesh.vertices[:, 1])  # not the tail
    tips = front & (mesh.vertices[:, 2] > np.quantile(mesh.vertices[front, 2], 0.985))
    assert weights[tips, rig.names.index("head")].min() > 0.97


def test_a_jaw_keeps_its_part_of_the_head():
    body = person(vertices=2500)
    mesh, joint, tall = body.meshes[0], body.joints["head"], body.height
    shape, rig, _ = bound(mesh, "biped")
    head = rig.names.index("head")
    chin = joint + [0, -0.06 * tall, 0.01 * tall]
    jawed = Rig((*rig.names, "jaw"), np.append(rig.parents, head), np.vstack([rig.heads, joint + [0, -0.01 * tall, 0]]),
                np.vstack([rig.tails, chin]), deform=np.append(rig.deform, True))
    weights = bind(mesh, jawed, "heat", shape=shape).matrix.toarray()
    past = mesh.vertices[:, 2] > joint[2] + 0.04 * tall
    assert weights[past][:, [head, len(rig.names)]].sum(1).min() > 0.99
    near = np.linalg.norm(mesh.vertices - chin, axis=1).argmin()
    assert weights[near, -1] > 0.3

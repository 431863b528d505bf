"""The skull, with ears and jaw, follows the head; the blend to the neck lies about the head's joint."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.pipeline import bind, fit, prepare
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skinning.handles import Handles
from core.skinning.skulls import hold_skull
from tests.characters import person, quadruped


def bound(mesh, template: str, method: str = "heat"):
    """The shape, its rig, and (V, B) weights."""
    shape = prepare(mesh)
    rig = fit(mesh, load_template(template), shape=shape)
    return shape, rig, bind(mesh, rig, method, shape=shape).matrix.toarray()


@pytest.mark.long
@pytest.mark.parametrize("method", ["heat", "geodesic"])
def test_the_face_follows_the_head_alone(method):
    body = person(vertices=2500)
    mesh = body.meshes[0]
    _, rig, weights = bound(mesh, "biped", method)
    head, up = weights[:, rig.names.index("head")], mesh.vertices[:, 2] - body.joints["head"][2]
    assert head[up > 0.04 * body.height].min() > 0.99
    below = head[up < -0.02 * body.height]
    assert below.max() < 0.9 and np.median(below) < 0.01, "the neck bends, and the trunk stays"


@pytest.mark.long
@pytest.mark.parametrize("species", ["dog", "horse"])
def test_ears_follow_the_head_not_the_neck_they_stand_over(species):
    mesh = quadruped(np.random.default_rng(2), species=species).meshes[0]
    _, rig, weights = bound(mesh, "quadruped")
    front = mesh.vertices[:, 1] < np.median(mesh.vertices[:, 1])  # not the tail
    tips = front & (mesh.vertices[:, 2] > np.quantile(mesh.vertices[front, 2], 0.985))
    assert weights[tips, rig.names.index("head")].min() > 0.97


@pytest.mark.long
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


NECK = 0.05  # thickness of the neck in `test_where_the_blend_ends`, whose joint of the head is at a height of 0.8


@pytest.mark.parametrize("aside, up, share", [
    (0.0, 0.0, 0.4), (1.0, 0.5, 0.4),  # up to half of the neck's thickness past the joint nothing changes
    (0.0, 0.875, 0.7), (0.5, 0.875, 0.7),  # half of the way on
    (0.0, 1.25, 1.0), (1.0, 2.0, 1.0),
    (2.0, 0.375, 0.7), (3.0, 0.25, 1.0), (9.0, 0.25, 1.0), (9.0, -0.5, 0.4),  # skin aside counts as further, up to 1
])
def test_where_the_blend_ends(aside, up, share):
    """Both lengths are in thicknesses of the neck."""
    heads, tails = np.array([[0, 0, 0.3], [0, 0, 0.7], [0, 0, 0.8]]), np.array([[0, 0, 0.7], [0, 0, 0.8], [0, 0, 1.0]])
    radii = np.repeat([[0.2], [NECK], [0.1]], 17, axis=1)
    handles = Handles(np.arange(3), np.arange(3), heads, tails, radii=radii, parent=np.array([-1, 0, 1]))
    rig = Rig(("chest", "neck", "head"), np.array([-1, 0, 1]), heads, tails)
    point = np.array([[aside * NECK, 0, 0.8 + up * NECK]])
    shape = SimpleNamespace(mesh=Mesh(point, np.zeros((0, 3), np.int64)))
    held = hold_skull(shape, rig, handles, np.array([[0.2, 0.4, 0.4]]))
    np.testing.assert_allclose(held, [[(1 - share) / 3, (1 - share) * 2 / 3, share]], atol=1e-12)

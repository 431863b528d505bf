"""What hangs on a bone follows it, whatever limbs lie beside it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy import sparse

from core.detail.grow import DetailOptions
from core.geometry.mesh import Mesh
from core.pipeline import bind, fit, prepare
from core.seeing.stance import UPRIGHT
from core.skeleton.preset import load_template
from core.skinning import things
from tests.characters import person
from tests.characters.dressed import dressed
from tests.shapes import capsule


@cache
def with_plaits(behind: float = 0.5, thick: float = 0.02):
    """(mesh, shape, rig, rows of the plaits) of a person in a T pose with two loose plaits behind the arms.

    behind : how steeply they leave the plane of the arms; with 0 the arms run through them
    """
    body = person(arm_angle=0.0)
    joints, mesh = body.joints, body.mesh
    tall = joints["head_top"][2] - joints["toe.R"][2]
    plait = capsule(thick * tall, 0.4 * tall).mesh
    head = mesh.vertices[mesh.vertices[:, 2] > joints["head_top"][2] - 0.05 * tall]
    top = np.array([np.ptp(head[:, 0]) / 2, joints["head"][1], joints["head_top"][2] - 0.05 * tall])
    down = plait.vertices - [0, 0, plait.vertices[:, 2].max()]
    down += down[:, 2:] * [-0.5, -behind, 0]
    vertices, faces = [mesh.vertices], [mesh.faces]
    for side in (-1, 1):
        faces.append(plait.faces + sum(map(len, vertices)))
        vertices.append((down + top) * [side, 1, 1])
    mesh = Mesh(np.concatenate(vertices), np.concatenate(faces))
    shape = prepare(mesh, stance=UPRIGHT)
    rig = fit(mesh, load_template("biped"), shape=shape, detail=DetailOptions("hands"))
    return mesh, shape, rig, np.arange(len(body.mesh.vertices), len(mesh.vertices))


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("method, behind, thick", [("heat", 0.5, 0.02), ("geodesic", 0.5, 0.02), ("heat", 0.0, 0.02),
                                                   ("heat", 0.0, 0.04), ("heat", 0.1, 0.04)])
def test_plaits_beside_the_arms_follow_the_head(method, behind, thick):
    mesh, shape, rig, plaits = with_plaits(behind, thick)
    weights = bind(mesh, rig, method, shape=shape).matrix[plaits].toarray()
    arms = [i for i, name in enumerate(rig.names) if name.split(".")[0] in ("upper_arm", "forearm", "hand")]
    low = mesh.vertices[plaits, 2] < np.median(mesh.vertices[plaits, 2])
    np.testing.assert_allclose(weights.sum(1), 1)
    assert weights[low, rig.names.index("head")].min() > 0.99
    assert weights[:, arms].max() < 0.6


@pytest.mark.long
def test_people_without_hair_beside_their_limbs_are_not_searched_for_it(monkeypatch):
    body = person(arm_angle=0.0).mesh
    shape = prepare(body, stance=UPRIGHT)
    rig = fit(body, load_template("biped"), shape=shape, detail=DetailOptions("hands"))
    monkeypatch.setattr("core.skinning.things.find_things", lambda *_: pytest.fail("searched"))
    bind(body, rig, "heat", shape=shape)
    mesh, shape, rig, _ = with_plaits()
    with pytest.raises(pytest.fail.Exception, match="searched"):
        bind(mesh, rig, "heat", shape=shape)


@pytest.mark.long
def test_one_vertex_of_a_coarse_mesh_is_enough_to_search(monkeypatch):
    mesh, shape, rig, _ = with_plaits()
    monkeypatch.setattr(things, "_LOOKED_AT", len(mesh.vertices) + 1)
    on = np.full(len(mesh.vertices), rig.names.index("hips"))
    weights_of = lambda on: sparse.csr_matrix(np.eye(len(rig.names))[on])  # noqa: E731 - one line, used twice
    assert not things._is_led_astray(shape, rig, weights_of(on))
    top = mesh.vertices[:, 2].argsort()[-40:]
    for vertex in (top[top % 2 == 0][0], top[top % 2 == 1][0]):
        alone = on.copy()
        alone[vertex] = rig.names.index("hand.L")
        assert things._is_led_astray(shape, rig, weights_of(alone))


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("name", "bone"), [("cape", "chest"), ("pack", "chest"), ("sword", "hand.R")])
def test_what_hangs_on_a_bone_follows_it_where_it_has_none_of_its_own(name, bone):
    """Legs beside a cape and shoulders beside a pack bend neither of them."""
    character = dressed("cape", "sword", "pack")
    shape = prepare(character.mesh, stance=UPRIGHT)
    rig = fit(character.mesh, load_template("biped"), shape=shape, detail=DetailOptions("hands"))
    weights = bind(character.mesh, rig, shape=shape).matrix.toarray()
    own = character.mesh.part_of_vertex == [mesh.name for mesh in character.meshes].index(name)
    low = own & (character.mesh.vertices[:, 2] <= np.median(character.mesh.vertices[own, 2]))
    np.testing.assert_allclose(weights.sum(1), 1)
    assert weights[low, rig.names.index(bone)].min() > 0.99
    legs = [i for i, n in enumerate(rig.names) if n.split(".")[0] in ("thigh", "shin", "foot")]
    assert not weights[own][:, legs].any()

"""A web of skin between an arm and the body is told, whichever arm it is and however the character lies."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from core.geometry.mesh import Mesh
from core.geometry.rotation import from_axis_angle, to_matrix
from core.pipeline import bind
from core.quality.drawn_out import ARMS, drawn_out
from tests.characters import person
from tests.core.motion.bodies import grown_rig

SIDES = {"L": 1.0, "R": -1.0}


@pytest.fixture(scope="module")
def body():
    """A person whose arms hang clear of it: .mesh, .rig, .weights (V, B)."""
    grown = person(vertices=2000, arm_angle=65)
    rig = grown_rig(grown, "biped")
    return SimpleNamespace(mesh=grown.mesh, rig=rig, weights=bind(grown.mesh, rig).matrix)


def web(body, side: str, steps: int = 8) -> np.ndarray:
    """(F, 3) faces from a body arm across to the trunk beside it, along most of the forearm."""
    mesh, rig = body.mesh, body.rig
    of = [rig.names[b].split(".")[0] for b in np.asarray(body.weights.argmax(1)).ravel()]
    own = mesh.vertices[:, 0] * SIDES[side] > 0
    arm, trunk = (np.flatnonzero(own & np.isin(of, names)) for names in (
        ("upper_arm", "forearm"), ("hips", "spine", "chest", "thigh")))
    low, high = (rig.heads[rig.names.index(f"{name}.{side}")] for name in ("hand", "upper_arm"))
    way = low + np.linspace(0, 0.8, steps)[:, None] * (high - low)
    rows = [which[np.linalg.norm(mesh.vertices[which] - place[:, None], axis=2).argmin(1)]
            for which, place in ((arm, way), (trunk, way * [0.4, 1, 1]))]
    (a, b), (c, d) = ((row[:-1], row[1:]) for row in rows)
    return np.concatenate([np.stack([a, b, c], 1), np.stack([b, d, c], 1)])


def with_webs(body, sides: str) -> Mesh:
    return Mesh(body.mesh.vertices, np.concatenate([body.mesh.faces, *(web(body, side) for side in sides)]))


@pytest.mark.parametrize("sides", ["", "L", "R", "LR"])
def test_the_arms_with_a_web_are_told(body, sides):
    told = drawn_out(with_webs(body, sides), body.rig, body.weights, rotation=np.eye(3))
    assert (len(told) == 1 and ARMS[sides] in told[0]) if sides else told == ()


def test_neither_place_nor_size_nor_direction_matters(body):
    turn = to_matrix(from_axis_angle(np.array([0.48, -0.6, 0.64]), 2.0))
    mesh, rig = with_webs(body, "R"), body.rig
    moved = [40 * points @ turn.T + [7, 300, -9] for points in (mesh.vertices, rig.heads, rig.tails)]
    turned = replace(rig, heads=moved[1], tails=moved[2], x_axes=rig.x_axes @ turn.T)
    told = drawn_out(Mesh(moved[0], mesh.faces), turned, body.weights, rotation=turn.T)
    assert told == drawn_out(mesh, rig, body.weights, rotation=np.eye(3)) != ()


def test_a_web_that_goes_along_with_the_arm_is_not_drawn_out(body):
    """Of skin that follows the arm nothing is drawn out, whatever it is one surface with."""
    mesh, held = with_webs(body, "L"), body.weights.tolil()
    held[np.unique(web(body, "L"))] = held[int(web(body, "L")[0, 0])]
    faces = np.concatenate([web(body, "L"), mesh.faces[:1]])
    assert drawn_out(Mesh(mesh.vertices, faces), body.rig, held.tocsr(), rotation=np.eye(3)) == ()


def test_bodies_without_arms_have_none_to_raise(body):
    legs = [n for n in body.rig.names if not n.startswith(("shoulder", "upper_arm", "forearm", "hand"))]
    kept = sparse.csr_matrix(body.weights[:, [body.rig.names.index(n) for n in legs]])
    assert drawn_out(with_webs(body, "LR"), body.rig.only(legs), kept, rotation=np.eye(3)) == ()

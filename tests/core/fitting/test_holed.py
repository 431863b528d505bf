"""A body with a hole in it is seen as if it had none."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.fitting.check import check_character
from core.geometry.mesh import Mesh
from core.pipeline import fit, prepare
from core.seeing.evidence import unseen
from core.seeing.stance import UPRIGHT
from core.skeleton.preset import load_template
from tests import characters

GROWN = {"biped": (lambda: characters.person(vertices=3000), ("spine", "chest")),
         "quadruped": (lambda: characters.quadruped(species="dog"), ("spine", "chest"))}


@cache
def whole_and_holed(kind: str) -> tuple[Mesh, Mesh]:
    """A body, and it without the skin about a place on its trunk's side, so far as it is wide."""
    make, bones = GROWN[kind]
    grown = make()
    mesh, place = grown.mesh, np.mean([grown.joints[bone] for bone in bones], axis=0)
    middle = mesh.triangles.mean(1)
    off = middle - place
    side = middle[np.argmax((middle[:, 0] > place[0]) / (1e-9 + np.linalg.norm(off[:, 1:], axis=1)))]
    wide = 2 * abs(side[0] - place[0])
    return mesh, Mesh(mesh.vertices, mesh.faces[np.linalg.norm(middle - side, axis=1) > wide / 2])


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("kind", GROWN)
def test_a_hole_in_the_trunk_changes_neither_kind_nor_joints(kind):
    (shape, holed) = (prepare(mesh, stance=UPRIGHT) for mesh in whole_and_holed(kind))
    assert len(holed.mesh.faces) < len(shape.mesh.faces)
    assert check_character(shape).odds[kind] > 0.99 and check_character(holed).odds[kind] > 0.99
    assert unseen(holed.mesh) < unseen(shape.mesh) + 0.05, "its joints are seen as well"
    template = load_template(kind)
    joints = [fit(mesh, template, shape=one).joints
              for mesh, one in zip(whole_and_holed(kind), (shape, holed), strict=True)]
    size = np.ptp(whole_and_holed(kind)[0].vertices, axis=0).max()
    assert max(np.linalg.norm(np.subtract(joints[0][name], joints[1][name])) for name in joints[0]) < 0.01 * size

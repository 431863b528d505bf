"""Beards, which hang from the chin in front of the chest."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.pipeline import bind, fit, prepare
from core.skeleton.preset import load_template
from core.skinning.bind import BindOptions
from tests.characters import person
from tests.core.skinning.solids import box, joined

BIPED = load_template("biped")
BODY = person(vertices=2500)


def hung(body, top: float, low: float) -> Mesh:
    """A thick board as wide as the chin, before all of the body between two heights over the head's joint."""
    tall, joint = body.height, body.joints["head"]
    points = body.meshes[0].vertices
    at = lambda z: points[(np.abs(points[:, 2] - joint[2] - z * tall) < 0.02 * tall)  # noqa: E731 - used twice
                          & (np.abs(points[:, 0]) < 0.03 * tall), 1].min()
    board = box((-0.03 * tall, -0.01 * tall, low * tall), (0.03 * tall, 0.01 * tall, top * tall), cells=6)
    share = (board.vertices[:, 2] / tall - low) / (top - low)
    off = share * at(top) + (1 - share) * at(low)
    return Mesh(board.vertices + np.stack([0 * off, off - 0.005 * tall, joint[2] + 0 * off], 1), board.faces)


def bound(mesh: Mesh, **options):
    shape = prepare(mesh)
    rig = fit(mesh, BIPED, shape=shape)
    return rig, bind(mesh, rig, shape=shape, options=BindOptions(**options)).matrix.toarray()


@pytest.mark.long
@pytest.mark.parametrize("low", [-0.14, -0.2])
def test_a_long_beard_follows_the_head_alone(low):
    beard = hung(BODY, 0.025, low)
    rig, weights = bound(joined(BODY.meshes[0], beard))
    own = weights[-len(beard.vertices):]
    np.testing.assert_array_equal(own[:, rig.names.index("head")], 1)
    loose = bound(joined(BODY.meshes[0], beard), rigid_parts=False)[1][-len(beard.vertices):]
    assert loose[:, rig.names.index("head")].min() < 0.6, "the chest would hold its end"


@pytest.mark.long
def test_what_hangs_from_the_throat_is_no_beard():
    """A tie, and a neck that is a part of its own, end below the chin."""
    tie = hung(BODY, -0.06, -0.2)
    rig, weights = bound(joined(BODY.meshes[0], tie))
    assert weights[-len(tie.vertices):, rig.names.index("head")].max() < 0.5

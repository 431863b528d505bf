"""What is stiff on a limb with twist bones, or on any bone that is cut into pieces, follows one and is not wrung."""

from __future__ import annotations

import numpy as np
import pytest

from core.detail.grow import DetailOptions
from core.geometry.mesh import Mesh, vertex_components
from core.pipeline import bind, fit, prepare
from core.skeleton.preset import load_template
from core.skinning.wholes import whole_parts
from tests.characters import robot
from tests.core.skinning.solids import joined, tube

STARTS = np.array([0.0, 0.4, 0.7])


@pytest.fixture(scope="module")
def machine():
    """(its mesh, its shape)"""
    mesh = robot().mesh
    return mesh, prepare(mesh)


@pytest.mark.long
@pytest.mark.parametrize("twists", [1, 2, 3])
def test_a_robot_with_twist_bones_has_each_part_on_one_bone(machine, twists):
    mesh, shape = machine
    rig = fit(mesh, load_template("biped"), shape=shape, detail=DetailOptions("full", twists=twists))
    weights = bind(mesh, rig, shape=shape).matrix
    part = vertex_components(shape.mesh)[shape.welded_of_vertex]
    wrung = {int(one) for one in np.unique(part) if np.ptp(weights[part == one].toarray(), axis=0).max() > 1e-9}
    fingers = [i for i, name in enumerate(rig.names) if name.startswith("thumb")]
    assert all(weights[part == one][:, fingers].sum() > 0 for one in wrung)  # a thumb that is one block
    for limb in ("upper_arm", "forearm", "thigh", "shin"):
        pieces = [i for i, name in enumerate(rig.names) if name.startswith(f"{limb}_twist")]
        assert weights[:, rig.names.index(f"{limb}.L")].sum() > 50 and weights[:, pieces].sum() == 0


def pieces_of(*parts: tuple[Mesh, float], own: int | None = None) -> list[list[int]]:
    """What pieces each of some parts goes to that has such a share of its weight on a bone from 0 to 1 on x."""
    mesh = joined(*(part for part, _ in parts))
    ends = np.cumsum([len(part.vertices) for part, _ in parts])
    share = np.repeat([share for _, share in parts], np.diff(ends, prepend=0))
    wholes = whole_parts(mesh, vertex_components(mesh), np.arange(len(mesh.vertices)), np.stack([1 - share, share], 1))
    piece = wholes.pieces(1, np.arange(len(share)), share, mesh.vertices[:, 0], STARTS, own)
    return [sorted({int(one) for one in found}) for found in np.split(piece, ends[:-1])]


def at(x: float, radius: float, length: float) -> Mesh:
    whole = tube(radius, length)
    return Mesh(whole.vertices + [x, 0, 0], whole.faces)


def test_bracelets_on_skin_go_with_the_piece_at_their_middle():
    skin = (at(0.0, 0.1, 1.0), 0.9)
    found = pieces_of(skin, (at(0.1, 0.12, 0.1), 1.0), (at(0.45, 0.12, 0.1), 1.0), (at(0.8, 0.12, 0.1), 1.0), own=2)
    assert found == [[-1], [0], [1], [2]]


@pytest.mark.parametrize(("own", "expected"), [(0, 0), (2, 2), (None, 1)])
def test_all_plates_of_a_limb_that_is_hard_stay_together(own, expected):
    """With the piece that does not turn against the bone, else with the one at the middle of all."""
    found = pieces_of((at(0.1, 0.1, 0.4), 1.0), (at(0.5, 0.1, 0.5), 1.0), (at(0.9, 0.02, 0.05), 1.0),
                      (at(-0.1, 0.05, 0.1), 0.5), own=own)
    assert found == [[expected], [expected], [expected], [-1]]


def test_what_another_bone_has_a_share_of_bends():
    assert pieces_of((at(0.2, 0.1, 0.3), 0.99)) == [[-1]]

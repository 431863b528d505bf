"""Figures of block games: the blocks tell limbs apart that no look from outside does."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.check import check_character
from core.pipeline import bind, fit, prepare
from core.skeleton.preset import load_template
from tests.characters.blocky import block_figure


@pytest.fixture(scope="module")
def rigged():
    figure = block_figure()
    shape = prepare(figure.mesh)
    return figure, shape, fit(figure.mesh, load_template("biped"), shape=shape)


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"split": True}, {"layer": 1 / 40}], ids=["plain", "split", "clothed"])
def test_blocks_wall_to_wall_are_a_person(options):
    figure = block_figure(**options)
    assert check_character(prepare(figure.mesh)).preset == "biped" == check_character(figure.mesh).preset


def test_joints_of_a_block_figure_are_in_its_limbs(rigged):
    figure, _, rig = rigged
    tall = np.ptp(figure.mesh.vertices[:, 2])
    off = {name: np.linalg.norm(rig.heads[rig.names.index(name)] - place) / tall for name, place in
           figure.joints.items()}
    assert max(off.values()) < 0.05, off


@pytest.mark.long
@pytest.mark.parametrize("method", ["heat", "geodesic"])
def test_a_limb_of_one_block_hangs_on_its_upper_bone(rigged, method):
    figure, shape, rig = rigged
    weights = bind(figure.mesh, rig, method, shape=shape).matrix
    follows = {part.name: np.unique(np.asarray(weights[figure.mesh.part_of_vertex == k].todense()), axis=0)
               for k, part in enumerate(figure.meshes)}
    for part, bone in (("leg L", "thigh.L"), ("leg R", "thigh.R"), ("arm L", "upper_arm.L"), ("arm R", "upper_arm.R"),
                       ("head", "head")):
        assert (follows[part] == np.eye(len(rig.names))[rig.names.index(bone)]).all(), part

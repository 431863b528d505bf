"""A kept fit with changed pins gives what a new fit gives."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadHint
from core.fitting.fit import FitOptions, Fitter
from core.fitting.limbs import MOST_KEPT, Interior
from core.pipeline import fit
from core.skeleton.preset import load_template
from tests.characters import person
from tests.core.fitting.bodies import prepared


@pytest.fixture(scope="module")
def body():
    return person(vertices=2000)


@pytest.fixture(scope="module")
def shape(body):
    return prepared(body.mesh, 64)


def assert_same(one, other):
    np.testing.assert_array_equal(one.heads, other.heads)
    np.testing.assert_array_equal(one.tails, other.tails)
    np.testing.assert_array_equal(one.x_axes, other.x_axes)
    assert one.penalty == other.penalty and one.warnings == other.warnings and one.confidence == other.confidence
    assert (one.reading, one.readings, one.says) == (other.reading, other.readings, other.says)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("preset, options", [
    ("biped", FitOptions()), ("biped", FitOptions(mirror_pins=False)), ("biped", FitOptions(reading=1)),
    ("biped_paper", FitOptions())])
def test_every_drag_refits_as_a_new_fit_would(body, shape, preset, options):
    template = load_template(preset)
    fitter = Fitter(shape, template, options)
    joints = fitter.rig().joints
    for pins in ({}, {"forearm.L": (0.0, 0.0, 0.05)}, {"hand_tip.L": (-0.05, 0.0, 0.02), "shin.R": (0.0, 0.02, 0.0)},
                 {"neck": (0.0, 0.0, -0.02)}, {"shin.L": (0.01, 0, 0), "shin.R": (0.01, 0, 0)}, {}):
        hints = {name: np.add(joints[name], shift) for name, shift in pins.items() if name in joints}
        again = fitter.rig(hints)
        assert_same(again, fit(body.mesh, template, hints, shape=shape, options=options))
        for name, place in hints.items():
            np.testing.assert_array_equal(again.joints[name], place)


def test_an_unknown_joint_is_named_and_spoils_nothing(shape):
    fitter = Fitter(shape, load_template("biped"))
    before = fitter.rig()
    with pytest.raises(BadHint, match="'wing'"):
        fitter.rig({"wing": np.zeros(3)})
    assert_same(fitter.rig(), before)


def test_kept_distances_are_those_measured_anew_and_do_not_pile_up(shape, rng):
    interior, fresh = Interior(shape.field, coarsen=4), Interior(shape.field, coarsen=4)
    for _ in range(6):
        sources = rng.integers(0, len(interior.voxels), 9)
        kept = interior.distances(np.append(sources, sources[0]))
        np.testing.assert_array_equal(kept[:-1], fresh.distances(sources, limit=1e9))
        np.testing.assert_array_equal(kept[-1], kept[0])
    assert len(interior._distances) == MOST_KEPT

"""What a pin far from where its joint was read does to the rest of the limb: it comes along and bends the right way."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting import fit
from core.fitting.fit import Fitter
from core.pipeline import prepare
from core.skeleton.preset import load_template
from tests.characters import person

BIPED = load_template("biped")
SEEN = 0.08  # unit frame: how far around the true joints the evidence is taken away


@pytest.fixture(scope="module")
def shape():
    return prepare(person(vertices=2000).mesh)


@pytest.fixture(scope="module")
def right(shape):
    """{joint: (3,)} where the joints are, unit frame."""
    rig = Fitter(shape, BIPED).rig()
    return {name: shape.frame.to_unit(np.array(rig.joints[name])[None])[0] for name in BIPED.names}


def misled(shape, right, limb):
    """A fitter that reads a limb somewhere else, for it sees little of it where it is."""
    for weaker in range(8, 72, 8):
        fitter = Fitter(shape, BIPED)
        reader = fitter._reader(fitter.plane)
        for i, j in enumerate(reader.own):
            if reader.tree.names[j] in limb:
                at = fitter.evidence.sight.to_cube(right[reader.tree.names[j]][None])[0]
                for places, scores in ((reader.places[i], reader.unary[i]), (reader.everywhere, reader.scores[i])):
                    scores -= weaker * np.exp(-((places - at) ** 2).sum(1) / (2 * SEEN**2))
        if off(shape, right, fitter.rig(), limb).max() > 0.15:
            return fitter
    pytest.fail("the limb is read where it is, whatever is seen of it")


def off(shape, right, rig, joints) -> np.ndarray:
    return np.array([np.linalg.norm(shape.frame.to_unit(np.array(rig.joints[n])[None])[0] - right[n]) for n in joints])


def pinned(shape, fitter, joint: str, place: np.ndarray):
    return fitter.rig({joint: shape.frame.to_object(place[None])[0]})


@pytest.mark.slow
@pytest.mark.parametrize(("joint", "rest"), [("hand.L", ["forearm.L", "hand_tip.L"]),
                                             ("foot.L", ["shin.L", "toe.L", "toe_tip.L"])])
def test_a_limb_that_was_read_elsewhere_comes_along_with_its_wrist_or_ankle(shape, right, joint, rest, monkeypatch):
    monkeypatch.setattr(fit, "trace_arm", lambda *given: {})  # it would find the arm through its flesh
    fitter = misled(shape, right, [*rest, joint])
    before = off(shape, right, fitter.rig(), rest)
    after = off(shape, right, pinned(shape, fitter, joint, right[joint]), rest)
    assert after.max() < 0.1 and after.max() < 0.5 * before.max(), (before, after)


def bend(places) -> float:
    """How far the knee lies in front of the line from hip to ankle, by its length."""
    hip, knee, ankle = places
    line = (ankle - hip) / np.linalg.norm(ankle - hip)
    away = knee - hip - line * ((knee - hip) @ line)
    return float(-away[1] / np.linalg.norm(ankle - hip))


@pytest.mark.slow
@pytest.mark.parametrize("size", [0.03, 0.08, 0.14, 0.25])
def test_no_drag_of_an_ankle_bends_the_knee_backwards(shape, right, size):
    names = ("thigh.L", "shin.L", "foot.L")
    fitter = Fitter(shape, BIPED)
    least = min(bend([right[n] for n in names]), 0.0)
    for direction in (*np.eye(3), *-np.eye(3)):
        rig = pinned(shape, fitter, "foot.L", right["foot.L"] + size * direction)
        places = [shape.frame.to_unit(np.array(rig.joints[n])[None])[0] for n in names]
        assert bend(places) > least - 1e-6, direction


def test_a_pin_close_by_leaves_what_was_read_of_the_limb(shape, right):
    fitter = Fitter(shape, BIPED)
    rig = pinned(shape, fitter, "hand.L", right["hand.L"] + [0.0, 0.0, 0.02])
    assert off(shape, right, rig, ["upper_arm.L", "hand_tip.L"]).max() < 0.01

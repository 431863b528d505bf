"""Animals in poses: bones keep their lengths, soles and haunches come to one ground, heads go where they should."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from core.fitting.check import check_character
from core.geometry.mesh import Mesh
from core.pipeline import fit, prepare
from core.skeleton.preset import load_template
from tests.characters import quadruped
from tests.learning.animal_poses import SHARES, Puppet, resting
from tests.learning.posing import turned
from tests.learning.rigged import rigged

LEGS = {"front": {"upper": "upper", "knee": "lower", "foot": "foot"},
        "hind": {"upper": "upper", "knee": "lower", "hock": "heel", "foot": "foot"}}


@cache
def dog() -> dict:
    """A dog with the bones that the poses ask for."""
    return rigged(quadruped(vertices=2500), {m: m for m in ("neck", "head", "tail")} | {
        f"{end}_{s}_{mark}": f"{end}_{bone}.{s.upper()}" for end, parts in LEGS.items() for s in "lr"
        for mark, bone in parts.items()})


def lengths(made: dict) -> list[float]:
    """Of the bones of all legs."""
    at = made["landmarks"]
    return [float(np.linalg.norm(np.subtract(at[f"{end}_{s}_{a}"], at[f"{end}_{s}_{b}"])))
            for end, parts in LEGS.items() for s in "lr" for a, b in pairwise(parts)]


@pytest.mark.parametrize("what", SHARES)
def test_bones_keep_their_lengths_and_the_skin_goes_with_them(what):
    made = dog()
    for seed in range(3):
        out = resting(made, np.random.default_rng(seed), what)
        assert lengths(out) == pytest.approx(lengths(made), rel=1e-6)
        for bone in ("hind_foot.L", "front_foot.R", "head"):
            flesh = np.asarray(made["weights"])[:, made["bones"].index(bone)] > 0.97
            before, after = (next(np.array(j["head"]) for j in m["joints"] if j["name"] == bone) for m in (made, out))
            assert np.linalg.norm(out["vertices"][flesh] - after, axis=1) == pytest.approx(
                np.linalg.norm(made["vertices"][flesh] - before, axis=1), abs=0.05 * float(np.ptp(made["vertices"])))


@pytest.mark.parametrize("seed", range(4))
def test_a_sitting_animal_has_its_chest_above_its_hips_and_all_feet_on_one_ground(seed):
    at = resting(dog(), np.random.default_rng(seed), "sit")["landmarks"]
    feet = [at[f"{end}_{s}_foot"][2] for end in LEGS for s in "lr"]
    hips, chest = (np.mean([at[f"{end}_{s}_upper"][2] for s in "lr"]) for end in ("hind", "front"))
    high = chest - np.mean(feet)
    assert np.ptp(feet) < 0.25 * high
    assert hips - np.mean(feet) < 0.75 * high


@pytest.mark.parametrize("seed", range(4))
def test_a_lying_animal_is_low_and_a_rearing_one_is_high(seed):
    made = dog()
    tall = float(np.ptp(made["vertices"][:, 2]))
    low, high = (resting(made, np.random.default_rng(seed), what) for what in ("lie", "rear"))
    trunk = [np.mean([low["landmarks"][f"{end}_{s}_upper"][2] for end in LEGS for s in "lr"]) -
             low["vertices"][:, 2].min(), np.mean([made["landmarks"][f"{end}_{s}_upper"][2] for end in LEGS
                                                   for s in "lr"]) - made["vertices"][:, 2].min()]
    assert trunk[0] < 0.75 * trunk[1]
    assert high["height"] > 1.1 * tall
    assert high["landmarks"]["head"][2] - high["vertices"][:, 2].min() > made["landmarks"]["head"][2]


def test_a_grazing_animal_lowers_its_head_and_keeps_its_legs():
    made = dog()
    out = resting(made, np.random.default_rng(0), "graze")
    assert out["landmarks"]["head"][2] < made["landmarks"]["neck"][2] < made["landmarks"]["head"][2]
    assert lengths(out) == pytest.approx(lengths(made), rel=1e-9)
    assert np.allclose(out["landmarks"]["front_l_foot"], made["landmarks"]["front_l_foot"])


def test_feet_that_hang_from_the_root_ride_on_their_legs():
    made = dog()
    loose = made | {"joints": [j | {"parent": "hips"} if j["name"] == "front_foot.L" else j for j in made["joints"]]}
    puppet = Puppet(loose)
    before = puppet.at("front_l_foot") - puppet.at("front_l_knee")
    puppet.turn("front_l_upper", turned(np.array([1.0, 0, 0]), 0.5))
    after = puppet.at("front_l_foot") - puppet.at("front_l_knee")
    assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(before))
    assert not np.allclose(before, after)


def test_a_body_without_bones_for_its_legs_is_refused():
    made = dog()
    with pytest.raises(ValueError, match="without its bones"):
        resting(made | {"landmark_bones": {}}, np.random.default_rng(0))


@pytest.mark.parametrize(("what", "seed"), [("sit", 1), ("sit", 3), ("lie", 1), ("lie", 2), ("graze", 0), ("gallop", 0),
                                            ("gallop", 3), ("rear", 0)])
def test_a_dog_in_a_pose_is_told_as_an_animal_and_its_joints_are_found(what, seed):
    """The network that ships has learned other animals in poses, not this one."""
    out = resting(dog(), np.random.default_rng(seed), what)
    mesh = Mesh(out["vertices"], np.asarray(out["faces"]), what)
    shape = prepare(mesh)
    assert check_character(shape).preset == "quadruped"
    rig = fit(mesh, load_template("quadruped"), shape=shape)
    heads = dict(zip(rig.names, rig.heads, strict=True))
    size = np.ptp(mesh.vertices, axis=0).max()
    for mark, bone in out["landmark_bones"].items():
        assert np.linalg.norm(heads[bone] - out["landmarks"][mark]) < 0.1 * size

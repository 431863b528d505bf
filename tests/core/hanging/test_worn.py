"""What is worn is neither held nor hung, though a staff touches the sleeve and a cape lies on the breastplate."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.hanging.find import find_things
from core.hanging.loose import Parts
from core.hanging.worn import worn
from core.pipeline import fit, prepare
from core.skeleton.preset import load_template
from core.skeleton.template import rig_from_joints
from tests.characters.dressed import dressed
from tests.core.skinning.solids import joined

BIPED = load_template("biped")
BODY = rig_from_joints(BIPED, BIPED.positions)


def tube(line, radii, *, columns: int = 24, width: float = 2 * np.pi, layers=(1.0,)) -> Mesh:
    """Open sheets around a line of places (N, 3), each so many radii (N,) off it, around so much of it; level rings for
    what rises, upright ones for the rest."""
    line, radii = np.asarray(line, float), np.asarray(radii, float)
    rises = np.ptp(line[:, 2]) > np.ptp(line[:, 0])
    turn = np.linspace(-width / 2, width / 2, columns) + np.pi / 2
    ring = np.stack([np.cos(turn), np.sin(turn), 0 * turn] if rises else [0 * turn, np.cos(turn), np.sin(turn)], 1)
    at = np.arange(len(line) * columns).reshape(len(line), columns)
    a, b, c, d = (g.ravel() for g in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    points = [(line[:, None] + layer * radii[:, None, None] * ring).reshape(-1, 3) for layer in layers]
    return Mesh(np.concatenate(points), np.concatenate([faces + k * at.size for k in range(len(layers))]))


def rigged(body, **things: Mesh):
    """(the things found, {name: rows of the welded mesh}) of a person with more loose parts."""
    mesh = joined(body.mesh, *things.values())
    name = np.repeat(["body", *things], [len(part.vertices) for part in (body.mesh, *things.values())])
    shape = prepare(mesh)
    found = find_things(shape, fit(mesh, BIPED, shape=shape))
    return found, {one: np.unique(shape.welded_of_vertex[name == one]) for one in things}


def straight(body, side: str) -> np.ndarray:
    """(16, 3) from a shoulder to a fist."""
    grip = 0.5 * (body.joints[f"hand.{side}"] + body.joints[f"hand_tip.{side}"])
    return np.linspace(body.joints[f"upper_arm.{side}"], 0.8 * grip + 0.2 * body.joints[f"hand.{side}"], 16)


@pytest.mark.long
def test_a_staff_takes_along_no_sleeve_and_no_cowl_that_touch_each_other():
    body = dressed(arm_angle=0.0)
    tall, shoulder = body.height, body.joints["upper_arm.L"]
    grip = 0.5 * (body.joints["hand.R"] + body.joints["hand_tip.R"])
    cowl = tube([[0, shoulder[1], z] for z in np.linspace(shoulder[2] - 0.08 * tall, body.joints["head"][2], 12)],
                np.linspace(shoulder[0] + 0.03 * tall, 0.06 * tall, 12), columns=40)
    sleeves = {f"sleeve_{side}": tube(straight(body, side), np.linspace(0.06, 0.09, 16) * tall) for side in "LR"}
    staff = tube(grip + np.linspace([0, 0, -0.5 * tall], [0, 0, 0.4 * tall], 60), np.full(60, 0.01 * tall), columns=8)
    found, rows = rigged(body, cowl=cowl, staff=staff, **sleeves)
    assert [thing.name for thing in found] == ["prop_hand.R"]
    np.testing.assert_array_equal(np.sort(found[0].rows), rows["staff"])


@pytest.mark.long
def test_a_breastplate_is_no_part_of_the_cape_that_lies_on_it():
    body = dressed("cape", arm_angle=0.0)
    tall, chest = body.height, body.joints["chest"]
    cape = next(mesh for mesh in body.meshes if mesh.name == "cape")
    back = cape.vertices[:, 1].min() - 0.002 * tall
    top = cape.vertices[:, 2].max()
    line = [[0, chest[1], z] for z in np.linspace(top - 0.1 * tall, top - 0.01 * tall, 8)]
    found, rows = rigged(body, plate=tube(line, np.full(8, back + 0.008 * tall - chest[1]), columns=40))
    assert [thing.name for thing in found] == ["cape"]
    assert not np.isin(rows["plate"], found[0].rows).any()


@pytest.mark.parametrize("layers", [(1.0,), (1.0, 1.05)])
@pytest.mark.parametrize("around, expected", [(1.0, True), (0.8, True), (0.5, False)])
def test_what_lies_on_most_sides_of_a_bone_is_worn_however_many_layers_it_has(layers, around, expected):
    spine = BODY.heads[BODY.names.index("spine")]
    line = spine + np.linspace([0, 0, -0.1], [0, 0, 0.1], 24)
    cloth = tube(line, np.full(24, 0.1), columns=48, width=2 * np.pi * around, layers=layers)
    assert worn(BODY, parts_of(cloth))[0].tolist() == [expected]


def test_a_sleeve_is_worn_on_one_limb_a_band_and_what_two_hands_hold_are_not():
    elbow, wrist = (BODY.heads[BODY.names.index(f"{stem}.L")] for stem in ("forearm", "hand"))
    shoulder = BODY.heads[BODY.names.index("upper_arm.L")]
    tip = BODY.tails[BODY.names.index("hand.L")]
    for start, end, expected in ((shoulder, wrist, [True, True]), (elbow, 0.7 * elbow + 0.3 * wrist, [True, False]),
                                 (wrist, tip, [False, False])):
        line = np.linspace(start, end, 30)[1:-1]
        turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        across = np.array([[0.0, 1.0, 0.0], np.cross(end - start, [0.0, 1.0, 0.0]) / np.linalg.norm(end - start)])
        ring = 0.04 * np.stack([np.cos(turn), np.sin(turn)], 1) @ across
        points = (line[:, None] + ring).reshape(-1, 3)
        parts = Parts(np.zeros(1, int), np.ones(1), points, points, np.zeros(len(points), int), np.ones(len(points)))
        assert [bool(of[0]) for of in worn(BODY, parts)] == expected


def parts_of(mesh: Mesh) -> Parts:
    points = mesh.vertices
    return Parts(np.zeros(len(points), int), np.ones(1), points, points, np.zeros(len(points), int),
                 np.ones(len(points)))

"""A gap in one surface hides bones behind it, however thin it is: the mouth between jaw and skull."""

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.geometry.normals import vertex_normals
from core.skinning import heat
from core.skinning.bind import bind_shape
from core.skinning.handles import Handles
from core.skinning.heat import heat_sources
from core.skinning.visibility import Folds, visibility
from tests.core.skinning.solids import bones, prepare, tube

LONG, BEND, THICK = 0.4, 0.052, 0.05  # two prongs a tenth thick and 0.004 apart


def hairpin():
    """A tube there and back: the jaw from x = 0 to `LONG` at z = 0, half a circle, and the skull above the jaw."""
    straight = tube(THICK, 1.0, around=12, along=41)
    way, half = 2 * LONG + np.pi * BEND, LONG + np.pi * BEND
    at, across, up = straight.vertices.T * np.array([way, 1, 1])[:, None]
    angle = np.clip((at - LONG) / BEND, 0, np.pi)
    x = np.where(at < LONG, at, np.where(at > half, LONG - (at - half), LONG + (BEND - up) * np.sin(angle)))
    z = np.where(at < LONG, up, np.where(at > half, 2 * BEND - up, BEND - (BEND - up) * np.cos(angle)))
    return Mesh(np.stack([x, across, z], 1), straight.faces), at


def rig():
    """The skull's bone runs all along above the jaw, the jaw's own ends halfway."""
    skull = ((LONG, 0, 2 * BEND), (0, 0, 2 * BEND))
    return bones(((LONG, 0, 0), (LONG / 2, 0, 0)), skull, names=("jaw", "skull"), parents=[-1, 0])


def test_the_jaw_follows_its_own_bone_though_the_skulls_is_nearer(monkeypatch):
    mesh, at = hairpin()
    shape, tip = prepare(mesh), at < 0.25 * LONG
    weights = bind_shape(shape, rig(), "heat").matrix.toarray()
    assert weights[tip, 0].min() > 0.9
    assert weights[at > 2 * LONG + np.pi * BEND - 0.25 * LONG, 1].min() > 0.9
    monkeypatch.setattr(heat, "_FOLDED", 0)  # the solid has closed the gap
    assert bind_shape(shape, rig(), "heat").matrix.toarray()[tip, 1].mean() > 0.3


def sources(rounding: float):
    """What warms the underside of the jaw's tip, by a skull of this thickness at its round end."""
    mesh, at = hairpin()
    shape = prepare(mesh)
    heads, tails = (shape.frame.to_unit(ends) for ends in (rig().heads, rig().tails))
    handles = Handles(np.arange(2), np.arange(2), heads, tails, rounding=np.array([0.0, rounding]))
    points = shape.mesh.vertices
    jaw = np.unique(shape.welded_of_vertex[(at < 0.1 * LONG) & (mesh.vertices[:, 2] < -0.5 * THICK)])
    folds = Folds.of(shape.mesh).only(jaw)
    return heat_sources(points[jaw], vertex_normals(shape.mesh)[jaw], shape.field, handles, folds=folds)


def test_skin_behind_a_fold_gets_no_heat_from_a_further_bone_instead():
    found = sources(0.0)
    assert not found.conductance.any()
    assert (found.nearest > 0.5).all(), "which method suits is told as if there were no fold"


def test_a_round_end_holds_what_folds_within_it():
    found = sources(0.05)
    assert found.conductance.all()
    assert (found.targets[:, 1] > 0.99).all()


@pytest.mark.parametrize("gap", [0.0, 0.0005, 0.01])
def test_how_much_a_gap_hides_grows_with_its_width(gap):
    """A U of two blocks on a third, seen across the slit."""
    outline = np.array([[0, 0], [1, 0], [1, 1], [0.5 + gap / 2, 1], [0.5 + gap / 2, 0.2],
                        [0.5 - gap / 2, 0.2], [0.5 - gap / 2, 1], [0, 1]])
    corners = np.concatenate([np.insert(outline, 1, y, axis=1) for y in (0.0, 1.0)])
    side = np.array([[0, 5, 7], [5, 6, 7], [0, 1, 5], [1, 4, 5], [1, 2, 4], [2, 3, 4]])
    around = np.array([[i, i + 8, (i + 1) % 8] for i in range(8)])
    back = np.array([[(i + 1) % 8, i + 8, (i + 1) % 8 + 8] for i in range(8)])
    mesh = Mesh(corners, np.concatenate([side, side[:, ::-1] + 8, around, back]))
    mesh = mesh if np.linalg.det(mesh.triangles).sum() > 0 else Mesh(mesh.vertices, mesh.faces[:, ::-1])
    across = 0.9 / np.linalg.norm([0.9, 0.5, 0.5])
    found = Folds(mesh, np.zeros(16, int), np.array([7])).between(np.array([0]), np.array([[0.9, 0.5, 0.5]]))
    assert found[0] == pytest.approx(min(gap / across / 0.001, 1.0), abs=1e-6)


def test_the_solid_alone_does_not_see_such_a_gap():
    mesh, _ = hairpin()
    shape = prepare(mesh)
    below, above = shape.frame.to_unit(np.array([[0.1, 0, 0.5 * THICK], [0.1, 0, 2 * BEND]]))
    assert visibility(shape.field, below[None], above[None])[0] == 1

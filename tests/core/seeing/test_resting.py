"""Bodies tilted as a whole stand on their soles."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.geometry.mesh import Mesh
from core.geometry.scatter import SurfaceScatter, scatter_surface
from core.seeing.resting import _levelled, resting_turns, stands_flat
from core.seeing.stance import detect_stance
from tests.characters import on_base, person

UP = np.array([0.0, 0.0, 1.0])


@pytest.fixture(scope="module")
def body():
    return person(vertices=1500).mesh


def tilted(mesh, degrees, way):
    turn = Rotation.from_rotvec(np.radians(degrees) * np.array([np.cos(way), np.sin(way), 0.0])).as_matrix()
    return Mesh(mesh.vertices @ turn.T, mesh.faces), turn


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("degrees", "way"), [(15, 0.0), (25, 1.2), (40, 4.0)])
def test_a_tilted_body_is_seen_standing(body, degrees, way):
    mesh, turn = tilted(body, degrees, way)
    stance = detect_stance(mesh)
    assert stance.up_vector @ turn[:, 2] > np.cos(np.radians(3))
    assert stance.front_vector @ -turn[:, 1] > np.cos(np.radians(6))


@pytest.mark.slow
@pytest.mark.parametrize("base", ["plinth", "rock"])
def test_a_figure_on_a_base_is_stood_up_with_it(base):
    mesh, turn = tilted(on_base(base, vertices=3000).mesh, 25, 1.2)
    stance = detect_stance(mesh)
    assert stance.up_vector @ turn[:, 2] > np.cos(np.radians(3))
    assert stance.front_vector @ -turn[:, 1] > np.cos(np.radians(6))


@pytest.mark.long
def test_which_way_the_faces_look_does_not_matter(body):
    mesh, _ = tilted(body, 25, 1.2)
    turned = Mesh(mesh.vertices, mesh.faces[:, ::-1])
    np.testing.assert_allclose(detect_stance(turned).rotation, detect_stance(mesh).rotation, atol=0.02)
    scatter = scatter_surface(turned)
    assert (scatter.points * scatter.normals).sum() > 0


def test_a_loose_vertex_that_is_nowhere_does_not_matter(body):
    for nowhere in (np.inf, np.nan, 1e300):
        mesh = Mesh(np.vstack([body.vertices, [[nowhere, 0, 0]]]), body.faces)
        with np.errstate(all="raise", under="ignore"):
            assert detect_stance(mesh).is_given


def test_soles_on_the_ground_stand_flat_and_on_edge_do_not():
    mesh = person(vertices=1500).mesh
    assert stands_flat(scatter_surface(mesh), UP)
    assert not stands_flat(scatter_surface(tilted(mesh, 20, 0.0)[0]), UP)


def test_turns_are_rotations_that_make_something_level(body):
    mesh, turn = tilted(body, 20, 0.7)
    found = resting_turns(scatter_surface(mesh))
    assert found
    for rotation, axis in found:
        assert np.allclose(rotation @ rotation.T, np.eye(3)) and np.linalg.det(rotation) > 0
        assert np.abs(axis).sum() == 1
    assert any((rotation @ turn[:, 2]) @ axis > np.cos(np.radians(3)) for rotation, axis in found)


def test_a_stance_the_artist_set_is_not_untilted(body):
    assert detect_stance(tilted(body, 20, 0.0)[0], up="Z").up == "Z"


def test_who_leans_on_flat_soles_is_not_tilted():
    def leaning(joints):
        turn, hips = Rotation.from_euler("x", 25, degrees=True).as_matrix(), joints["hips"]
        legs = ("thigh", "shin", "foot", "toe")
        return joints | {n: hips + turn @ (p - hips) for n, p in joints.items() if not n.startswith(legs)}
    assert detect_stance(person(vertices=1500, pose=leaning).mesh).up == "Z"


def test_a_sole_levels_a_body_and_what_looks_up_beside_it_does_not(rng):
    """A plate on the ground, tilted, with a ball on it; the plate's upper side is near the ground too."""
    plate = np.column_stack([rng.uniform(-0.2, 0.2, (400, 2)), np.zeros(400)])
    above = np.column_stack([rng.uniform(-0.2, 0.2, (400, 2)), np.zeros(400)])
    above[:, 2] = 0.015 + 0.1 * np.abs(above[:, 0])
    up, down = np.tile([0.0, 0, 1], (400, 1)), np.tile([0.0, 0, -1], (400, 1))
    turn = Rotation.from_euler("x", 3, degrees=True)
    body = SurfaceScatter(turn.apply(np.concatenate([plate, above])), turn.apply(np.concatenate([down, up])),
                          np.zeros((0, 3)))
    np.testing.assert_allclose(_levelled(body, np.array([0.0, 0, 1])), turn.apply([0.0, 0, 1]), atol=2e-3)

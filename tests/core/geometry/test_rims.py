"""Rims, lids over holes, and the cracks of a broken shell."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.mesh import Mesh, vertex_components, weld
from core.geometry.orientation import orient_faces
from core.geometry.rims import close_holes, rim_directions, rim_edges
from core.geometry.seams import find_cracks, seam_conductance, seam_edges
from core.geometry.shape import prepare_steps
from core.pipeline import run
from tests.characters import damage, person
from tests.core.geometry.soups import ball, join, keep_faces, signed_volume, turn_faces


def test_a_closed_body_has_no_rim_and_gets_no_lid():
    body = ball(fineness=2)
    assert len(rim_edges(body)[0]) == 0
    assert close_holes(body) is body
    assert len(rim_edges(Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32)))[0]) == 0


def test_a_sheet_would_go_on_away_from_its_middle():
    square = Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    edges, face = rim_edges(square)
    onward = rim_directions(square, edges, face)
    middle = square.vertices[edges].mean(1)
    assert len(edges) == 4
    assert np.allclose(onward, 2 * (middle - [0.5, 0.5, 0]))


def test_small_holes_get_lids_that_close_the_body(rng):
    body = ball(radius=0.5, fineness=4)
    broken = keep_faces(body, rng.random(len(body.faces)) > 0.03)
    whole = close_holes(broken)
    assert len(rim_edges(whole)[0]) == 0
    assert np.array_equal(whole.faces[: len(broken.faces)], broken.faces)
    assert signed_volume(whole) > 0.95 * signed_volume(body)


def test_openings_and_leaves_stay_open():
    cup = keep_faces(ball(radius=0.5), ball(radius=0.5).triangles[:, :, 2].max(1) < 0.3)
    assert close_holes(cup) is cup
    leaf = join(ball(radius=0.5), Mesh(np.array([[0, 0, 0], [0.05, 0, 0], [0, 0.05, 0]]) + 0.6, [[0, 1, 2]]))
    assert close_holes(leaf) is leaf


def test_a_long_edge_that_ends_where_others_meet_in_threes_is_a_rim_of_its_own_and_stays_open():
    faces = [[0, 1, 4], [0, 3, 4], [2, 3, 4], [1, 2, 3], [1, 3, 4], [0, 1, 2], [0, 2, 3]]
    mesh = Mesh([[0, 0.1, 0], [0.5, 0, 0.3], [0, 0, -1], [-0.5, 0, 0.3], [0, 0, 1]], faces)
    assert rim_edges(mesh)[0].tolist() == [[4, 2]]
    assert close_holes(mesh) is mesh


def shards(mesh: Mesh, rng, gap: float) -> Mesh:
    """The mesh cut into a dozen patches, each moved by up to `gap` along each axis."""
    cut = damage(mesh, rng, "split")
    part = vertex_components(cut)
    return Mesh(cut.vertices + rng.uniform(-gap, gap, (part.max() + 1, 3))[part], cut.faces)


def test_a_broken_shell_is_turned_outward_as_a_whole(rng):
    body = ball(radius=0.5)
    broken = shards(body, rng, 0.002)
    part = vertex_components(broken)
    flip = rng.random(part.max() + 1) < 0.5
    mixed = turn_faces(broken, flip[part[broken.faces[:, 0]]])
    crack = find_cracks(mixed, part)
    assert len(crack.faces) > 100
    turned = orient_faces(mixed, crack)
    normal = np.cross(*(turned.triangles[:, k] - turned.triangles[:, 0] for k in (1, 2)))
    assert ((normal * turned.triangles.mean(1)).sum(1) > 0).all()


def test_layers_above_one_another_are_no_crack():
    low, high = (Mesh([[0, 0, z], [0.5, 0, z], [0.5, 0.5, z], [0, 0.5, z]], [[0, 1, 2], [0, 2, 3]]) for z in (0, 0.005))
    layers = join(low, high)
    part = vertex_components(layers)
    assert len(find_cracks(layers, part).edges) == 0
    beside = join(low, Mesh(low.vertices + [0.505, 0, 0], low.faces))
    crack = find_cracks(beside, vertex_components(beside))
    assert {tuple(sorted(e)) for e in crack.edges.tolist()} == {(1, 2), (4, 7)}


def test_a_short_touch_of_two_rims_is_an_accident():
    """Two long sheets that touch along two of their thirty edges and bend away from each other."""
    line = np.linspace(0, 1, 31)
    rows = np.stack([np.tile(line, 2), np.repeat([0.0, 0.3], 31), np.zeros(62)], 1)
    i = np.arange(30)
    faces = np.concatenate([np.stack([i, i + 1, i + 32], 1), np.stack([i, i + 32, i + 31], 1)])
    bent = np.where((np.arange(31) >= 2)[:, None], [0, -0.1, 0.3], [0, 0, 0])
    other = Mesh(rows * [1, -1, 1] + np.tile(bent, (2, 1)) + [0, -0.004, 0], faces)
    both = join(Mesh(rows, faces), other)
    assert len(find_cracks(both, vertex_components(both)).edges) == 0


def test_narrow_cracks_conduct_better_than_wide_ones():
    def conductance(gap):
        low = Mesh([[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0]], [[0, 1, 2], [0, 2, 3]])
        mesh = join(low, Mesh(low.vertices + [0.1 + gap, 0, 0], low.faces))
        seams = seam_edges(mesh, vertex_components(mesh))
        assert len(seams) == 2
        return seam_conductance(mesh, seams)
    assert np.allclose(conductance(0.01), 0.1 / 0.01)
    assert (conductance(1e-5) == conductance(1e-4)).all(), "what gapes less conducts no better"


@pytest.mark.slow
def test_a_shattered_person_has_nearly_the_same_solid(rng):
    whole = run(prepare_steps(person(vertices=2000).mesh, resolution=64))
    broken = shards(person(vertices=2000).mesh, rng, 0.002)
    solid = run(prepare_steps(broken, resolution=64)).field.solid
    assert abs(int(solid.sum()) - int(whole.field.solid.sum())) < 0.06 * whole.field.solid.sum()


def test_a_double_wall_with_missing_faces_stays_full(rng):
    """A helmet: a sphere within a sphere over a head; rays find any number of walls, and the outside gets in."""
    helmet = join(*(ball(radius=r, fineness=4) for r in (0.5, 0.46, 0.25)))
    holed = keep_faces(helmet, rng.random(len(helmet.faces)) > 0.03)
    full, kept = (run(prepare_steps(weld(m).mesh, resolution=48)).field.solid for m in (helmet, holed))
    assert (full != kept).mean() < 0.01


def test_a_large_missing_face_is_a_hole_too():
    body = ball(radius=0.5, fineness=2)
    assert len(close_holes(keep_faces(body, np.arange(len(body.faces)) != 7)).faces) == len(body.faces) + 2

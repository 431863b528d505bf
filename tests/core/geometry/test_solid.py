"""The solid of meshes as they come: closed, open, overlapping, flipped, doubled, floating, thin, dressed."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import ShapeTooThin
from core.geometry import solid as solid_module
from core.geometry.clothing import is_worn
from core.geometry.gaps import connect_parts, count_parts
from core.geometry.grid import Grid, grid_around
from core.geometry.mesh import Mesh, weld
from core.geometry.orientation import orient_faces
from core.geometry.solid import solidify
from core.geometry.voxels import sample_surface, thin_samples
from core.geometry.winding import winding_numbers
from tests import shapes
from tests.core.geometry.soups import ball, cube, join, keep_faces, turn_faces


def solid_of(mesh: Mesh, spacing: float = 1 / 64) -> tuple[Grid, np.ndarray]:
    mesh = orient_faces(weld(mesh).mesh)
    grid = grid_around(mesh.vertices, spacing)
    return grid, solidify(mesh, grid, thin_samples(grid, *sample_surface(mesh, 0.6 * spacing))[0])


def centres(grid: Grid) -> np.ndarray:
    return grid.centres(np.argwhere(np.ones(grid.shape, bool)))


@pytest.mark.parametrize("shape", shapes.zoo(), ids=lambda s: s.name)
def test_closed_bodies_are_their_inside(shape):
    grid, solid = solid_of(shape.mesh, 1 / 40)
    distance = shape.distance(centres(grid)).reshape(grid.shape)
    sag = 0.01  # of the faces behind the ideal surface
    assert solid[distance < -sag].all()
    assert not solid[distance > sag].any()


BODY = join(ball(radius=0.4), ball((0.5, 0, 0), 0.3), cube((-0.9, -0.1, -0.15), (-0.2, 0.2, 0.1)))


@pytest.mark.parametrize("damage", ["turned", "doubled", "doubled and turned", "apart"])
def test_production_damage_does_not_change_the_solid(damage, rng):
    some = rng.random(len(BODY.faces)) < 0.4
    if damage == "turned":
        mesh = turn_faces(BODY, some)
    elif damage == "apart":
        mesh = Mesh(BODY.triangles.reshape(-1, 3), np.arange(3 * len(BODY.faces)).reshape(-1, 3))
    else:
        again = BODY.faces[some]
        mesh = Mesh(BODY.vertices, np.concatenate([BODY.faces, again[:, ::-1] if "turned" in damage else again]))
    assert (solid_of(mesh)[1] != solid_of(BODY)[1]).mean() < 2e-4


def test_overlapping_parts_are_filled_where_they_overlap():
    grid, solid = solid_of(BODY)
    at = centres(grid)
    inside = ((np.linalg.norm(at, axis=1) < 0.38) | (np.linalg.norm(at - [0.5, 0, 0], axis=1) < 0.28)
              | ((at > [-0.88, -0.08, -0.13]) & (at < [-0.22, 0.18, 0.08])).all(1))
    assert solid.ravel()[inside].all()
    assert count_parts(solid) == 1


def test_an_open_body_is_filled():
    whole = ball(radius=0.5, fineness=4)
    open_ball = keep_faces(whole, whole.triangles[:, :, 2].max(1) < 0.35)
    grid, solid = solid_of(open_ball)
    at = centres(grid)
    deep = (np.linalg.norm(at, axis=1) < 0.45) & (at[:, 2] < 0.25)
    outside = (np.linalg.norm(at, axis=1) > 0.53) | (at[:, 2] > 0.4)
    assert solid.ravel()[deep].all() and not solid.ravel()[outside].any()


def test_a_shell_inside_a_body_leaves_no_hollow():
    grid, solid = solid_of(join(ball(radius=0.5), ball(radius=0.4)))
    assert solid.ravel()[np.linalg.norm(centres(grid), axis=1) < 0.47].all()


def test_air_between_arm_and_body_stays_air():
    """An arm along the body, touching it at both ends, five voxels away between."""
    trunk, arm = cube((-0.15, -0.1, -0.5), (0.15, 0.1, 0.5)), cube((0.23, -0.05, -0.4), (0.33, 0.05, 0.4))
    bridges = [cube((0.1, -0.05, z - 0.05), (0.28, 0.05, z + 0.05)) for z in (-0.35, 0.35)]
    grid, solid = solid_of(join(trunk, arm, *bridges))
    at = centres(grid)
    air = (np.abs(at[:, 0] - 0.19) < 0.02) & (np.abs(at[:, 2]) < 0.25)
    assert air.any() and not solid.ravel()[air].any()


def test_floating_parts_are_joined_across_the_shortest_gap():
    grid, solid = solid_of(join(cube((-0.5, -0.1, -0.1), (-0.1, 0.1, 0.1)), cube((0.0, -0.1, -0.1), (0.4, 0.1, 0.1)),
                                cube((0.2, -0.1, 0.25), (0.4, 0.1, 0.5))))
    assert count_parts(solid) == 1
    at = centres(grid)
    gap = (at[:, 0] > -0.08) & (at[:, 0] < -0.02)
    assert solid.ravel()[gap].any() and solid.ravel()[gap].mean() < 0.05


def test_connecting_adds_only_and_joins_everything(rng):
    for _ in range(5):
        solid = np.zeros((30, 20, 25), bool)
        for corner in rng.integers(2, 15, (6, 3)):
            solid[tuple(slice(c, c + 3) for c in corner)] = True
        connected = connect_parts(solid)
        assert connected[solid].all()
        assert count_parts(connected) == 1
    assert np.array_equal(connect_parts(connected), connected)


def test_a_limb_thinner_than_a_voxel_stays():
    grid, solid = solid_of(join(ball((0, 0, 0), 0.3), cube((-0.001, -0.001, 0.2), (0.003, 0.004, 0.9))))
    at = centres(grid)[solid.ravel()]
    for z in (0.4, 0.6, 0.85):
        near = at[np.abs(at[:, 2] - z) < 0.01]
        assert len(near) and np.abs(near[:, :2]).max() < 0.04
    assert count_parts(solid) == 1


def test_an_open_limb_thinner_than_a_voxel_stays_and_a_sheet_does_not():
    rod, sheet = cube((-0.001, -0.001, 0.2), (0.003, 0.004, 0.9)), cube((-0.001, 0.4, -0.1), (0.003, 0.6, 0.1))
    open_rod = keep_faces(rod, rod.triangles[:, :, 2].max(1) - rod.triangles[:, :, 2].min(1) > 0)  # no ends
    one_side = keep_faces(sheet, np.ptp(sheet.triangles[:, :, 0], axis=1) + sheet.triangles[:, 0, 0] < 0)
    grid, solid = solid_of(join(ball((0, 0, 0), 0.3), open_rod, one_side))
    at = centres(grid)[solid.ravel()]
    assert at[:, 2].max() > 0.85
    assert at[:, 1].max() < 0.35


def tube(radius_low, radius_high, low, high, segments=24) -> Mesh:
    """An open cone's side."""
    turn = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    heights = np.linspace(0, 1, 9)[:, None]
    radius = radius_low + heights * (radius_high - radius_low)
    vertices = np.stack([radius * np.cos(turn), radius * np.sin(turn), low + heights * (high - low) + 0 * turn], -1)
    i, j = np.meshgrid(np.arange(8) * segments, np.arange(segments), indexing="ij")
    a, b, c, d = i + j, i + (j + 1) % segments, i + segments + (j + 1) % segments, i + segments + j
    faces = np.concatenate([np.stack(q, -1).reshape(-1, 3) for q in ((a, b, c), (a, c, d))])
    return Mesh(vertices.reshape(-1, 3), faces)


LEGS = join(shapes.capsule(0.07, 0.6, (-0.16, 0, 0.0), segments=16).mesh,
            shapes.capsule(0.07, 0.6, (0.16, 0, 0.0), segments=16).mesh,
            cube((-0.24, -0.08, 0.2), (0.24, 0.08, 0.6)))
ROUND = tube(0.27, 0.26, -0.2, 0.4)
SKIRT = Mesh(ROUND.vertices * [1, 0.42, 1], ROUND.faces)


def test_legs_in_a_skirt_stay_two():
    grid, solid = solid_of(join(LEGS, SKIRT))
    at = centres(grid)
    x, y, z = np.abs(at.T)
    assert not solid.ravel()[(x < 0.06) & (y < 0.15) & (z < 0.15)].any()
    assert solid.ravel()[(np.abs(x - 0.16) < 0.03) & (y < 0.03) & (z < 0.2)].all()


def test_a_skirt_without_legs_is_the_body():
    grid, solid = solid_of(join(ROUND, ball((0, 0, 0.55), 0.2)))
    at = centres(grid)
    assert solid.ravel()[(np.hypot(at[:, 0], at[:, 1]) < 0.2) & (np.abs(at[:, 2]) < 0.15)].all()


def test_the_air_between_limbs_tells_a_skirt_from_a_boot_and_a_head():
    boot = join(tube(0.1, 0.1, 0, 0.25), cube((-0.1, -0.4, -0.1), (0.1, 0.1, 0.0)))
    boot = Mesh(boot.vertices, np.concatenate([boot.faces, [[0, 1, len(boot.vertices) - 1]]]))  # one part
    shin = shapes.capsule(0.07, 0.4, (0, 0, 0.3), segments=16).mesh
    head, eye = keep_faces(ball(radius=0.3), np.arange(len(ball().faces)) > 40), ball((0.1, -0.1, 0), 0.05, fineness=2)
    for body, sheet, expected in ((LEGS, SKIRT, True), (shin, boot, False), (eye, head, False)):
        mesh = join(body, sheet)
        worn = is_worn(mesh, grid_around(mesh.vertices, 1 / 64))
        assert np.array_equal(worn, (np.arange(len(mesh.faces)) >= len(body.faces)) & expected)


def test_a_patch_that_touches_a_body_in_one_vertex_does_not_open_it():
    corner = LEGS.vertices[len(LEGS.vertices) // 2]
    patch = Mesh(corner + np.array([[0, 0, 0], [0.03, 0, 0.01], [0, 0.03, 0.02]]), [[0, 1, 2]])
    mesh = weld(join(LEGS, SKIRT, patch)).mesh
    worn = is_worn(mesh, grid_around(mesh.vertices, 1 / 64))
    assert worn.sum() == len(SKIRT.faces)


def test_a_mirrored_body_has_a_mirrored_solid(rng):
    """Floating, open and turned parts to the left; the same to the right."""
    arm = keep_faces(ball((0.5, 0.1, 0.1), 0.2), np.arange(len(ball().faces)) > 20)
    side = join(arm, cube((0.75, 0.0, 0.0), (0.9, 0.2, 0.25)), cube((0.0, -0.1, -0.4), (0.2, 0.1, 0.5)))
    side = turn_faces(side, rng.random(len(side.faces)) < 0.3)
    _, solid = solid_of(join(side, Mesh(side.vertices * [-1, 1, 1], side.faces)))
    assert np.array_equal(solid, solid[::-1])
    assert count_parts(solid) == 1


def test_crumbs_are_dropped():
    grid, solid = solid_of(join(ball(radius=0.5), ball((0.7, 0, 0), 0.02, fineness=2)))
    assert not solid.ravel()[centres(grid)[:, 0] > 0.55].any()


def test_nothing_solid_is_refused():
    sheet = Mesh([[0, 0, 0], [0.06, 0, 0.05], [0, 0.05, 0.06]], [[0, 1, 2]], "Foil")
    with pytest.raises(ShapeTooThin, match="'Foil'"):
        solidify(sheet, Grid(np.full(3, -1.0), 0.5, (5, 5, 5)), sample_surface(sheet, 0.3)[0])


def test_winding_numbers_fill_what_only_one_axis_sees():
    """A tube, open at both ends and along one side: no ray of two axes agrees on it."""
    slit = keep_faces(tube(0.2, 0.2, -0.5, 0.5), np.arange(384) % 24 < 20)
    body = join(slit, ball((0, 0, 0.6), 0.25))
    mesh = orient_faces(weld(body).mesh)
    grid = grid_around(mesh.vertices, 1 / 64)
    points = thin_samples(grid, *sample_surface(mesh, 0.6 / 64))[0]
    decided, left_out = (solidify(mesh, grid, points, use_winding=use) for use in (True, False))
    assert decided[left_out].all()
    assert decided.sum() > 1.05 * left_out.sum()


def test_very_many_doubtful_voxels_are_decided_in_blocks(monkeypatch):
    whole = ball(radius=0.4)
    middle = whole.vertices[whole.faces].mean(1)
    tent = keep_faces(whole, (middle[:, 0] > -0.2) & (np.abs(middle[:, 2]) < 0.3))
    exact = solid_of(tent, 1 / 40)[1]
    asked = []
    monkeypatch.setattr("core.geometry.solid.MANY", 500)
    monkeypatch.setattr("core.geometry.solid.winding_numbers",
                        lambda mesh, at: asked.append(len(at)) or winding_numbers(mesh, at))
    coarse = solid_of(tent, 1 / 40)[1]
    assert 0 < asked[0] <= 1000 and exact.sum() > 1000
    assert (coarse != exact).sum() < 0.1 * exact.sum()


def test_blocks_of_doubtful_voxels_are_decided_by_their_middles(monkeypatch):
    monkeypatch.setattr(solid_module, "MANY", 3000)
    mesh = ball(radius=0.5)
    grid = grid_around(mesh.vertices, 1 / 32)
    solid = np.zeros(grid.shape, bool)
    solid_module._decide_doubtful(mesh, grid, solid, ~solid)
    filled = grid.centres(np.argwhere(solid))
    inside = np.linalg.norm(filled, axis=1) < 0.5
    assert inside.mean() > 0.8 and abs(len(filled) * grid.spacing**3 / (np.pi / 6) - 1) < 0.15
    assert np.abs(filled.mean(0)).max() < grid.spacing, "it is not drawn to one side"

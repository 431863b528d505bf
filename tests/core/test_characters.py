"""The generated characters are what they claim to be: closed, mirrored, repeatable, with their joints inside."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial import cKDTree

from core.geometry.mesh import Mesh, vertex_components
from tests import shapes
from tests.characters import (
    DAMAGES,
    SPECIES,
    bird,
    blob,
    centaur,
    damage,
    person,
    quadruped,
    robot,
    sample,
)
from tests.characters.implicit import Blend, Cut, Ellipsoid, HalfSpace, RoundCone, Slab, Squashed, turn
from tests.characters.people import PersonOptions, person_joints
from tests.characters.surface_nets import cell_for, grow

TIPS = ("head_top", "hand_tip.L", "hand_tip.R", "toe_tip.L", "toe_tip.R", "tail_tip", "front_toe.L", "front_toe.R",
        "hind_toe.L", "hind_toe.R")


def edge_faces(mesh: Mesh) -> np.ndarray:
    """How many faces each edge has."""
    edges = np.sort(mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    return np.unique(edges, axis=0, return_counts=True)[1]


def euler(mesh: Mesh) -> int:
    return len(mesh.vertices) - len(edge_faces(mesh)) + len(mesh.faces)


def volume(mesh: Mesh) -> float:
    a, b, c = np.moveaxis(mesh.triangles, 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def is_closed(mesh: Mesh) -> bool:
    """Every edge has two faces, which pass it in opposite directions, and every vertex is used."""
    directed = mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    return bool((edge_faces(mesh) == 2).all() and len(np.unique(directed, axis=0)) == len(directed)
                and len(np.unique(mesh.faces)) == len(mesh.vertices))


def winding(mesh: Mesh, points: np.ndarray) -> np.ndarray:
    """Solid angle of the whole mesh over 4 pi, summed face by face (van Oosterom and Strackee 1983)."""
    a, b, c = np.moveaxis(mesh.triangles[None] - points[:, None, None], 2, 0)
    la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    dot = lambda u, v: np.einsum("ijk,ijk->ij", u, v)  # noqa: E731
    across = dot(a, np.cross(b, c))
    along = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
    return np.arctan2(across, along).sum(1) / (2 * np.pi)


def is_own_mirror_image(mesh: Mesh) -> bool:
    """Vertices and faces are mapped to themselves by x -> -x, bit by bit."""
    own, image = mesh.vertices + 0.0, mesh.vertices * [-1.0, 1.0, 1.0] + 0.0
    order, of_image = np.lexsort(own.T), np.lexsort(image.T)
    if len(np.unique(own, axis=0)) != len(own) or not np.array_equal(own[order], image[of_image]):
        return False
    partner = np.empty_like(order)
    partner[of_image] = order
    one, two = (np.unique(np.sort(f, axis=1), axis=0) for f in (mesh.faces, partner[mesh.faces]))
    return np.array_equal(one, two)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("shape", shapes.zoo(), ids=lambda s: s.name)
def test_shapes_are_closed_and_their_distance_is_exact(shape, rng):
    assert is_closed(shape.mesh)
    assert np.abs(shape.distance(shape.mesh.vertices)).max() < 1e-12
    assert volume(shape.mesh) == pytest.approx(shape.volume, rel=0.02)
    points = rng.uniform(-1, 1, (120, 3)) + [0.1, -0.2, 0.7]
    sure = np.abs(shape.distance(points)) > 0.01
    assert ((winding(shape.mesh, points) > 0.5) == (shape.distance(points) < 0))[sure].all()
    corner = shape.mesh.triangles[rng.integers(0, len(shape.mesh.faces), 100_000)]
    surface = np.einsum("ij,ijk->ik", rng.dirichlet([1, 1, 1], len(corner)), corner)
    np.testing.assert_allclose(np.abs(shape.distance(points)), cKDTree(surface).query(points)[0], atol=0.006)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("mirrored", [True, False])
def test_surface_nets_of_a_ball(mirrored):
    ball = grow(Ellipsoid((0, 0, 0.2), (1, 1, 1)), 0.05, mirrored=mirrored)
    assert is_closed(ball) and euler(ball) == 2
    assert volume(ball) == pytest.approx(4 / 3 * np.pi, rel=2e-3)
    assert np.abs(np.linalg.norm(ball.vertices - [0, 0, 0.2], axis=1) - 1).max() < 1e-4


@pytest.mark.slow
def test_surface_nets_of_a_ring_has_one_hole():
    angle = np.linspace(0, 2 * np.pi, 41)
    ring = Blend(tuple(RoundCone((np.cos(a), np.sin(a), 0), (np.cos(b), np.sin(b), 0), 0.2, 0.2)
                       for a, b in pairwise(angle)))
    mesh = grow(ring, 0.04, mirrored=False)
    assert is_closed(mesh) and euler(mesh) == 0
    assert volume(mesh) == pytest.approx(2 * np.pi**2 * 0.04, rel=0.02)


@pytest.mark.slow
def test_surface_nets_stay_manifold_where_bodies_barely_touch(rng):
    """A heap of overlapping cones much too fine for the lattice: ambiguous cells everywhere."""
    for trial in range(8):
        centres = rng.normal(size=(40, 3))
        heap = Blend(tuple(RoundCone(tuple(c), tuple(c + rng.normal(size=3) / 2), 0.1, 0.2) for c in centres), 0.05)
        mesh = grow(heap, 0.11, mirrored=trial % 2 == 0)
        assert is_closed(mesh)
        assert trial % 2 or is_own_mirror_image(mesh)


def test_cell_for_meets_the_number_asked_for():
    solid = Ellipsoid((0, 0, 0), (0.3, 0.2, 0.9))
    assert len(grow(solid, cell_for(solid, 5000)).vertices) == pytest.approx(5000, rel=0.1)


@pytest.mark.parametrize("solid, trust", [
    (RoundCone((0.1, 0, 0), (0.4, 0.5, 0.3), 0.3, 0.1), 0.99), (RoundCone((0, 0, 0), (0.1, 0, 0), 0.5, 0.1), 0.99),
    (Ellipsoid((0.1, 0.2, 0), (0.5, 0.3, 0.2), turn("z", 30)), 0.65),
    (Slab((0, 0, 0.1), (0.5, 0.3, 0.2), 0.1, turn("x", 40)), 0.99),
    (Squashed(RoundCone((0, 0, 0), (0.5, 0, 0), 0.2, 0.3), (1, 1, 0.5), (0.1, 0, 0), turn("y", 20)), 0.99),
    (Blend((Ellipsoid((0, 0, 0), (0.5, 0.5, 0.5)), RoundCone((0, 0, 0), (0.9, 0, 0), 0.3, 0.1)), 0.1), 0.9),
    (Cut(Ellipsoid((0, 0, 0), (0.5, 0.5, 0.5)), HalfSpace((0, 0, 1), -0.2), 0.05), 0.99)])
def test_solids_lie_in_their_box_and_do_not_overstate_distance(solid, trust, rng):
    """Walking by the trusted share of the distance never crosses the surface; nothing outside the box is inside."""
    points = rng.uniform(-1.2, 1.2, (4000, 3))
    distance = solid.distance(points)
    low, high = solid.box()
    inside = points[distance < 0]
    assert len(inside) and (inside >= low - 1e-9).all() and (inside <= high + 1e-9).all()
    step = rng.normal(size=points.shape)
    step *= trust * np.abs(distance)[:, None] / np.linalg.norm(step, axis=1, keepdims=True)
    assert ((solid.distance(points + step) < 0) == (distance < 0)).all()


EXTREMES = ({}, {"limb": 0.6, "hair": "long"}, {"head": 2.2}, {"arm_angle": 80.0}, {"arm_angle": 0.0, "tail": 0.3},
            {"skirt": "ankle", "hair": "long"}, {"belly": 1.0, "skirt": "knee"}, {"leg": 0.6, "fingers": False},
            {"asymmetry": 8.0}, {"stretch": (1.3, 1.0, 0.8)}, *[{}] * 5)


@cache
def somebody(number: int):
    """The extremes the options name, then people at random."""
    return person(np.random.default_rng(number), **EXTREMES[number])


@pytest.fixture(scope="module", params=range(len(EXTREMES)))
def someone(request):
    return somebody(request.param)


@cache
def average() -> Mesh:
    return person().mesh


def assert_joints_inside(character):
    names = [n for n in character.joints if n not in TIPS]
    points = np.array([character.joints[n] for n in names])
    outside = [n for n, w in zip(names, winding(character.mesh, points), strict=True) if w < 0.5]
    assert not outside
    vertices = character.mesh.vertices
    for name in set(TIPS) & set(character.joints):
        tip = character.joints[name]
        off = np.linalg.norm(vertices - tip, axis=1).min()
        assert off < 0.05 * character.height or winding(character.mesh, tip[None])[0] > 0.5, name


@pytest.mark.sweep(1)
def test_a_person_is_one_closed_body_of_the_size_asked_for(someone):
    assert len(someone.meshes) == 1
    mesh = someone.mesh
    assert is_closed(mesh) and volume(mesh) > 0
    assert vertex_components(mesh).max() == 0, "a limb came off"
    assert len(mesh.vertices) == pytest.approx(3000, rel=0.3)
    assert abs(mesh.vertices[:, 2].min()) < 0.01 * someone.height


@pytest.mark.sweep(1)
def test_a_persons_joints_lie_inside(someone):
    assert_joints_inside(someone)


@pytest.mark.sweep(1)
def test_a_person_is_its_own_mirror_image_unless_asymmetric(someone):
    asymmetric = someone is somebody(8)
    assert is_own_mirror_image(someone.mesh) != asymmetric
    left = np.array([p for n, p in someone.joints.items() if n.endswith(".L")])
    right = np.array([p for n, p in someone.joints.items() if n.endswith(".R")])
    assert np.array_equal(left * [-1, 1, 1], right) != asymmetric


def test_the_average_adult_has_the_joints_of_an_average_adult():
    """Fractions of the height, x to the side, z up, as artists place them."""
    joints = person_joints(PersonOptions())
    for name, x, z in (("hips", 0, 0.53), ("thigh.L", 0.055, 0.52), ("shin.L", None, 0.285), ("foot.L", None, 0.055),
                       ("toe.L", None, 0.012), ("upper_arm.L", 0.1, 0.82), ("neck", 0, 0.85), ("head", 0, 0.9)):
        assert joints[name][2] == pytest.approx(z, abs=0.012), name
        assert x is None or joints[name][0] == pytest.approx(x, abs=0.01), name
    assert person(height=1.8, vertices=6000).height == pytest.approx(1.8, rel=0.01)


@pytest.mark.slow
def test_options_do_what_they_say():
    below = lambda c: c.joints["hand.L"][2] - c.joints["upper_arm.L"][2]  # noqa: E731
    assert below(person(arm_angle=0)) == pytest.approx(0, abs=1e-9)
    assert below(person(arm_angle=80)) < -0.4
    assert volume(person(limb=0.7, vertices=6000).mesh) < 0.85 * volume(person(vertices=6000).mesh)
    assert len(person(hair="long", skirt="ankle", layers=True).meshes) == 3
    hair = person(hair="long", layers=True, vertices=6000)
    assert hair.meshes[1].vertices[:, 2].min() < hair.joints["upper_arm.L"][2], "long hair hangs below the shoulders"
    tail = person(tail=0.3, vertices=6000)
    assert tail.mesh.vertices[:, 1].max() > person(vertices=6000).mesh.vertices[:, 1].max() + 0.2
    with pytest.raises(TypeError, match="wings"):
        person(wings=2)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("species", SPECIES)
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_animals_are_closed_mirrored_and_hold_their_joints(species, seed):
    animal = quadruped(None if seed is None else np.random.default_rng(seed), species=species)
    assert is_closed(animal.mesh) and is_own_mirror_image(animal.mesh)
    assert vertex_components(animal.mesh).max() == 0
    assert_joints_inside(animal)
    assert animal.joints["head"][1] < animal.joints["hips"][1] < animal.joints["tail_tip"][1], "it faces -Y"


@pytest.mark.sweep(2)
@pytest.mark.parametrize("make", [blob, centaur, bird])
@pytest.mark.parametrize("seed", [None, 4])
def test_odd_bodies_are_closed_mirrored_and_hold_their_joints(make, seed):
    creature = make(None if seed is None else np.random.default_rng(seed))
    assert is_closed(creature.mesh) and is_own_mirror_image(creature.mesh)
    assert vertex_components(creature.mesh).max() == 0
    assert_joints_inside(creature)


def test_the_robot_is_eighty_rigid_parts():
    machine = robot()
    assert len(machine.meshes) == len(np.unique(machine.mesh.part_of_vertex)) == 80
    assert all(is_closed(m) and volume(m) > 0 for m in machine.meshes)
    left = [m for m in machine.meshes if m.vertices[:, 0].min() > 0]
    right = {m.vertices.tobytes() for m in machine.meshes if m.vertices[:, 0].max() < 0}
    assert len(left) == len(right) >= 30
    assert all((m.vertices * [-1.0, 1.0, 1.0]).tobytes() in right for m in left)


@pytest.mark.slow
def test_the_sample_is_clothed_closed_and_mirrored():
    pip = sample()
    names = {m.name for m in pip.meshes}
    assert {"body", "hair", "jumper", "trousers", "shoes", "belt", "eye.L", "eye.R"} <= names
    assert 15_000 <= len(pip.mesh.vertices) <= 35_000
    for mesh, colors in zip(pip.meshes, pip.colors, strict=True):
        assert is_closed(mesh) and volume(mesh) > 0, mesh.name
        assert mesh.name.startswith("eye") or is_own_mirror_image(mesh), mesh.name
        assert colors.shape == mesh.vertices.shape and (colors >= 0).all() and (colors <= 1).all()
    assert_joints_inside(pip)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("make", [person, quadruped, blob, centaur, bird])
def test_the_same_seed_gives_the_same_bits(make):
    first, second, other = (make(np.random.default_rng(seed)) for seed in (11, 11, 12))
    assert np.array_equal(first.mesh.vertices, second.mesh.vertices)
    assert np.array_equal(first.mesh.faces, second.mesh.faces)
    assert all(np.array_equal(p, second.joints[n]) for n, p in first.joints.items())
    assert not np.array_equal(first.mesh.vertices, other.mesh.vertices)


def test_merging_numbers_the_objects():
    parts = person(hair="short", skirt="knee", layers=True, vertices=1500)
    whole = parts.mesh
    assert np.array_equal(np.bincount(whole.part_of_vertex), [len(m.vertices) for m in parts.meshes])
    np.testing.assert_array_equal(whole.triangles, np.concatenate([m.triangles for m in parts.meshes]))


def test_moving_a_character_moves_its_joints_and_a_reflection_keeps_the_outside():
    character = person(vertices=1500)
    moved = character.moved(np.diag([-2.0, 2.0, 2.0]), (1, 2, 3))
    assert volume(moved.mesh) == pytest.approx(8 * volume(character.mesh))
    np.testing.assert_allclose(moved.joints["hand.L"], character.joints["hand.L"] * [-2, 2, 2] + [1, 2, 3])


class TestDamage:
    @property
    def mesh(self) -> Mesh:
        return average()

    @pytest.mark.parametrize("kind", DAMAGES)
    def test_is_repeatable_and_leaves_its_input_alone(self, kind):
        before = self.mesh.vertices.copy(), self.mesh.faces.copy()
        first, second = (damage(self.mesh, np.random.default_rng(1), kind) for _ in range(2))
        assert np.array_equal(first.faces, second.faces) and np.array_equal(first.vertices, second.vertices)
        assert np.array_equal(before[0], self.mesh.vertices) and np.array_equal(before[1], self.mesh.faces)
        assert not (np.array_equal(first.faces, before[1]) and np.array_equal(first.vertices, before[0]))
        assert len(first.part_of_vertex) == len(first.vertices)

    def test_duplicate_faces_occur_twice(self, rng):
        again = damage(self.mesh, rng, "duplicate")
        counts = np.unique(np.sort(again.faces, axis=1), axis=0, return_counts=True)[1]
        assert counts.max() == 2 and (counts == 2).mean() == pytest.approx(0.1, abs=0.03)

    def test_flipped_faces_lose_volume_but_no_face(self, rng):
        flipped = damage(self.mesh, rng, "flip")
        assert (edge_faces(flipped) == 2).all()
        assert volume(flipped) < 0.6 * volume(self.mesh)

    def test_holes_open_edges(self, rng):
        assert (edge_faces(damage(self.mesh, rng, "holes")) == 1).sum() > 20

    def test_split_gives_many_parts_in_the_same_place(self, rng):
        parts = damage(self.mesh, rng, "split")
        assert vertex_components(parts).max() >= 8
        np.testing.assert_array_equal(parts.triangles, self.mesh.triangles)

    def test_scatter_moves_whole_parts_only(self, rng):
        parts = damage(self.mesh, rng, "split")
        moved = damage(parts, rng, "scatter").vertices - parts.vertices
        group = vertex_components(parts)
        assert np.abs(moved).max() > 1e-4
        for i in range(group.max() + 1):
            assert np.ptp(moved[group == i], axis=0).max() < 1e-12

    @pytest.mark.slow
    def test_intersect_puts_faces_on_both_sides_of_the_skin(self, rng):
        patch = damage(self.mesh, rng, "intersect").vertices[len(self.mesh.vertices):]
        inside = winding(self.mesh, patch) > 0.5
        assert 0 < inside.sum() < len(inside)

    def test_move_is_a_similarity(self, rng):
        moved = damage(self.mesh, rng, "move")
        ratio = np.ptp(moved.vertices, axis=0) / np.ptp(self.mesh.vertices, axis=0)
        np.testing.assert_allclose(ratio, ratio[0])

    def test_strewn_faces_have_no_area_and_shuffling_keeps_the_shape(self, rng):
        strewn = damage(self.mesh, rng, "strew").triangles[len(self.mesh.faces):]
        assert np.abs(np.cross(strewn[:, 1] - strewn[:, 0], strewn[:, 2] - strewn[:, 0])).max() == 0
        shuffled = damage(self.mesh, rng, "shuffle")
        assert is_closed(shuffled) and volume(shuffled) == pytest.approx(volume(self.mesh))

    def test_kinds_combine_and_unknown_ones_are_refused(self, rng):
        broken = damage(self.mesh, rng, ["split", "flip", "holes", "move"])
        assert len(broken.faces) < len(self.mesh.faces)
        with pytest.raises(ValueError, match="rust"):
            damage(self.mesh, rng, "rust")

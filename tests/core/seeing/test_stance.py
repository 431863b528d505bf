"""Whichever way a character is laid, it is seen to stand there, and an upright one is left alone."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.errors import BadMesh
from core.geometry.mesh import Mesh
from core.geometry.scatter import scatter_surface
from core.geometry.shape import figure_on_base
from core.pipeline import fit
from core.seeing.evidence import vagueness
from core.seeing.mirror_search import MirrorSearch
from core.seeing.stance import (
    AXES,
    CLOSE,
    REASONS,
    UPRIGHT,
    Stance,
    Ways,
    _is_known,
    detect_stance,
    look,
    prior,
    stance_facing,
)
from core.seeing.stance_network import load_stance_network
from core.skeleton.preset import load_template
from tests.characters import (
    beast,
    bird,
    blob,
    centaur,
    fish,
    many_legged,
    octopus,
    person,
    quadruped,
    robot,
    snake,
    star,
    whale,
)
from tests.characters.character import merge
from tests.shapes import ball, box

BODIES = {
    "woman": lambda: person(np.random.default_rng(3), vertices=1600, arm_angle=0, skirt="knee", hair="long"),
    "arms down": lambda: person(vertices=1600, arm_angle=72, hair="none"),
    "child": lambda: person(np.random.default_rng(9), vertices=1600, head=1.6, leg=0.75, skirt="none"),
    "dog": lambda: quadruped(vertices=1600), "cow": lambda: quadruped(species="cow", vertices=1600),
    "bird": lambda: bird(vertices=1500), "centaur": lambda: centaur(vertices=1500), "blob": lambda: blob(vertices=1500),
    "robot": robot}


@cache
def body(name: str) -> Mesh:
    return BODIES[name]().mesh


def turn_to(up: str, degrees: float) -> np.ndarray:
    """(3, 3) turns a character standing Z up, facing -Y so that it stands `up` and is turned about that axis."""
    axis = AXES[up]
    side = np.roll(axis, 1)
    front = np.cos(np.radians(degrees)) * side + np.sin(np.radians(degrees)) * np.cross(axis, side)
    return np.stack([np.cross(-front, axis), -front, axis], axis=1)


def turned(mesh: Mesh, matrix: np.ndarray, scale: float = 1.0, offset=(0.0, 0.0, 0.0)) -> Mesh:
    return Mesh(mesh.vertices @ matrix.T * scale + np.asarray(offset), mesh.faces, mesh.name)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", BODIES)
def test_upright_characters_are_left_alone(name):
    assert detect_stance(body(name)).is_given


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("make", "seed"), [(many_legged, 6), (snake, 4), (fish, 5), (octopus, 8), (star, 3),
                                            (whale, 2)],
                         ids=lambda x: getattr(x, "__name__", x))
def test_what_is_of_no_known_kind_is_not_turned_over(make, seed):
    assert detect_stance(make(np.random.default_rng(seed)).mesh).up == "Z"


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("degrees", [0, 90])
def test_a_flat_fish_faces_along_the_plane_that_mirrors_it(degrees):
    """What the network believes in no way of looks broad from its side."""
    grown = fish(np.random.default_rng(4)).mesh
    flat = Mesh(grown.vertices * [0.4, 0.7, 1.6], grown.faces)
    seen = detect_stance(turned(flat, turn_to("Z", degrees)))
    assert seen.up == "Z" and abs(seen.front_vector @ turn_to("Z", degrees)[:, 1]) > 0.99


@pytest.mark.sweep(1)
@pytest.mark.parametrize("up", ["X", "-Y", "-Z"])
def test_what_shows_legs_only_when_it_is_stood_up_is_stood_up(up):
    """A dragon's joints are seen badly, but as the file has it, it lies: there are no legs under it."""
    assert detect_stance(turned(beast(legs=2).mesh, turn_to(up, 0))).up == up


@pytest.mark.sweep(1)
@pytest.mark.parametrize("up", AXES)
@pytest.mark.parametrize("name", [name for name in BODIES if name != "blob"])
def test_a_character_laid_on_any_side_is_seen_as_it_lies(name, up):
    """Of the fronts each side allows a different one for each body, every one of the 24 for some. A blob shows too
    little of its front to be believed against the way it is given.
    """
    matrix = turn_to(up, 90 * ((list(BODIES).index(name) + list(AXES).index(up)) % 4))
    stance = detect_stance(turned(body(name), matrix, 37.0, (5, -80, 900)))
    np.testing.assert_allclose(stance.rotation @ matrix, np.eye(3), atol=1e-9)
    assert stance.up == up and stance.front in AXES and 0.5 < stance.confidence <= 1 and stance.reason


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["woman", "dog", "bird", "robot"])
@pytest.mark.parametrize("degrees", [3, 31, 122, 250])
def test_a_character_turned_about_the_vertical_is_seen_within_a_fifth_of_a_degree(name, degrees):
    matrix = turn_to("Z" if name in ("woman", "bird") else "-Y", degrees)
    away = detect_stance(turned(body(name), matrix)).rotation @ matrix
    assert np.degrees(Rotation.from_matrix(away).magnitude()) < 0.2
    np.testing.assert_allclose(away @ away.T, np.eye(3), atol=1e-12)


@pytest.mark.slow
def test_the_rig_of_a_turned_character_is_the_upright_rig_turned():
    """Lying along an axis: to rounding. Turned by 33 degrees: within a voxel."""
    mesh, template = body("arms down"), load_template("biped")
    upright = fit(mesh, template)
    size = np.ptp(mesh.vertices, axis=0).max()
    for matrix, tolerance in ((turn_to("Y", 180), 1e-6), (turn_to("Z", 33), 0.008)):
        rig = fit(turned(mesh, matrix, 3.0, (1, 2, 3)), template)
        away = np.linalg.norm(rig.heads - (upright.heads @ matrix.T * 3.0 + [1, 2, 3]), axis=1)
        assert away.max() < tolerance * 3 * size
        assert ((rig.x_axes * (upright.x_axes @ matrix.T)).sum(1) > 0.95).all()


@pytest.mark.long
def test_a_given_stance_is_obeyed():
    mesh = body("dog")
    wrong = stance_facing("Z", "Y")
    forward = fit(mesh, load_template("quadruped"), stance=wrong)
    right = fit(mesh, load_template("quadruped"), stance=UPRIGHT)
    heads = [r.heads[r.names.index("head"), 1] - r.heads[r.names.index("hips"), 1] for r in (forward, right)]
    assert heads[0] > 0 > heads[1]
    assert detect_stance(mesh, up="Y").up == "Y"
    assert detect_stance(mesh, front="-Y").front == "-Y"
    assert detect_stance(mesh, up="X", front="Z").rotation.tolist() == stance_facing("X", "Z").rotation.tolist()


def test_wrong_axes_and_broken_meshes_are_refused():
    with pytest.raises(ValueError, match="'W'"):
        detect_stance(body("dog"), up="W")
    with pytest.raises(ValueError, match="one axis"):
        stance_facing("Z", "-Z")
    with pytest.raises(BadMesh):
        detect_stance(Mesh(np.zeros((0, 3)), np.zeros((0, 3), int)))


@pytest.mark.slow
def test_what_has_no_front_stays_as_it_is():
    assert detect_stance(ball(1.0, segments=24).mesh).is_given


def test_every_way_is_a_proper_rotation_and_the_given_one_is_among_them():
    ways = look(scatter_surface(turned(body("woman"), turn_to("Z", 40))))
    rotations = ways.rotations
    assert ways.odds.shape == (len(rotations),) and len(ways.kinds) == len(rotations)
    np.testing.assert_allclose(rotations @ np.swapaxes(rotations, 1, 2), np.broadcast_to(np.eye(3), rotations.shape),
                               atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(rotations), 1.0)
    assert (rotations == np.eye(3)).all((1, 2)).any()


def test_the_lead_of_the_given_way_is_long():
    """Up as given leads, and within it the front as given; a body that leans trails. Turned over loses both leads."""
    network = load_stance_network()
    assert min(network.given_up, network.given_front) > 0 > network.tilted
    assert network.given_up + network.given_front > 4
    ways = np.stack([np.eye(3), np.diag([-1.0, -1, 1]), turn_to("Z", 90).T, np.diag([1.0, -1, -1])])
    lead = prior(ways, ways, 4.0, 1.0, -2.0)
    np.testing.assert_allclose(lead, [5, 4, 4, 0], atol=1e-9)
    lean = Rotation.from_euler("x", 20, degrees=True).as_matrix()
    np.testing.assert_allclose(prior(ways[:1] @ lean, ways[:1], 4.0, 1.0, -2.0), [3])


def two_ways(odds: tuple[float, float]) -> Ways:
    """A person as given and one on the head, all leads apart."""
    ships = load_stance_network()
    rotations = np.array([np.eye(3), np.diag([-1.0, 1.0, -1.0])])
    leads = prior(rotations, rotations, ships.given_up, ships.given_front, ships.tilted)
    return Ways(rotations, rotations, np.array(odds) - leads, np.zeros((2, 3)), *np.zeros((2, 2)))


def test_of_two_ways_as_likely_the_one_with_clear_joints_is_taken():
    mesh = body("woman")
    upright, turned_over = (vagueness(mesh.vertices @ r.T, mesh.faces) for r in two_ways((0, 0)).rotations)
    assert upright < turned_over - 0.1
    for odds in ((0.0, 0.05), (0.05, 0.0)):
        again = two_ways(odds).looked_at_again(mesh)
        assert again.score.argmax() == 0
        np.testing.assert_allclose(again.vague, [0, turned_over - upright])


@pytest.mark.parametrize(("badly", "turns"), [(2.3, True), (2.9, True), (3.3, False), (9.0, False)])
def test_a_body_is_only_turned_over_if_its_joints_are_seen_then(monkeypatch, badly, turns):
    """As many people and animals of sources nobody learned from are seen; props and plants are not."""
    monkeypatch.setattr("core.seeing.stance.unseen", lambda mesh: badly)
    assert two_ways((-9.0, 2.0)).if_known(body("woman")).score.argmax() == int(turns)
    assert two_ways((2.0, -9.0)).if_known(body("woman")).score.argmax() == 0


@pytest.mark.long
def test_a_table_does_not_stand_on_its_top_as_a_figure_on_a_base():
    pieces = [box((1.2, 0.8, 0.08), (0, 0, 0.72), divisions=4).mesh]
    pieces += [box((0.08, 0.08, 0.7), (x, y, 0.35), divisions=4).mesh for x in (-0.52, 0.52) for y in (-0.33, 0.33)]
    table = merge(pieces)
    upside_down = Mesh(table.vertices * [1, -1, -1], table.faces)
    assert figure_on_base(upside_down, np.eye(3)) is not None
    assert detect_stance(table).up == "Z"


def test_a_figure_on_a_base_is_known_in_the_way_it_stands():
    turn = np.diag([1.0, -1.0, -1.0])
    over = Mesh(body("woman").vertices @ turn, body("woman").faces)
    assert _is_known(over, turn) and not _is_known(over, np.eye(3))


def test_the_network_alone_is_believed_where_it_is_sure(monkeypatch):
    monkeypatch.setattr("core.seeing.stance.unseen", lambda mesh: 9.0)
    assert [two_ways((-9.0, odds)).if_known(body("woman")).score.argmax() for odds in (2.5, 3.5)] == [0, 1]


def test_ways_far_apart_are_not_looked_at_again():
    far = two_ways((0.0, CLOSE + 0.1))
    assert far.looked_at_again(body("woman")) is far


@pytest.mark.long
def test_a_body_is_told_a_person_or_an_animal():
    for name, animal in (("arms down", False), ("dog", True), ("cow", True), ("woman", False)):
        stance = detect_stance(body(name))
        assert stance.reason == REASONS[1 + animal]


def test_the_scatter_covers_every_face_in_proportion_to_its_area():
    mesh = body("dog")
    scatter = scatter_surface(mesh, count=20000)
    share = np.linalg.norm(np.cross(*(mesh.triangles[:, i] - mesh.triangles[:, 0] for i in (1, 2))), axis=1) / 2
    middle = (mesh.triangles.mean(1) * share[:, None]).sum(0) / share.sum()
    size, centre = np.ptp(mesh.vertices, axis=0).max(), (mesh.vertices.min(0) + mesh.vertices.max(0)) / 2
    np.testing.assert_allclose(scatter.points.mean(0) * size + centre, middle, atol=2e-3 * size)
    np.testing.assert_allclose(np.linalg.norm(scatter.normals, axis=1), 1.0)


def test_a_mirror_plane_off_the_middle_is_found():
    """A sword in one hand moves the box and the mean; the body's own plane is where it was."""
    mesh = body("arms down")
    sword = np.array([[0.5, -0.9, 0.9], [0.55, -0.9, 0.9], [0.5, 0.3, 0.9], [0.5, 0.3, 0.95]])
    faces = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]) + len(mesh.vertices)
    armed = Mesh(np.concatenate([mesh.vertices, sword]), np.concatenate([mesh.faces, faces]))
    scatter = scatter_surface(armed)
    best = MirrorSearch(scatter.points, scatter.normals).mirrors(2)[0]
    size, centre = np.ptp(armed.vertices, axis=0).max(), (armed.vertices.min(0) + armed.vertices.max(0)) / 2
    assert abs(best.normal[0]) > 0.9999 and abs(best.offset * best.normal[0] * size + centre[0]) < 0.004 * size


HELD = {"shield": ((0.03, 0.5, 0.6), (0.08, 0.0, 0.0)), "tower": ((0.03, 0.7, 0.9), (0.08, 0.0, 0.0)),
        "spear": ((0.03, 0.03, 1.9), (0.05, 0.0, -0.1)),
        "lance": ((0.03, 1.5, 0.03), (0.05, -0.2, 0.0)), "club": ((0.14, 0.6, 0.14), (0.05, -0.3, 0.0))}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("up", ["Z", "Y"])
@pytest.mark.parametrize("name", HELD)
def test_what_one_hand_holds_says_nothing_of_the_stance(name, up):
    armed = holding(name)
    matrix = turn_to(up, 270 if up == "Z" else 90)
    stance = detect_stance(turned(armed, matrix))
    np.testing.assert_allclose(stance.rotation @ matrix, np.eye(3), atol=1e-9)
    assert detect_stance(armed).is_given and stance.confidence > 0.8


@pytest.mark.sweep(4)
@pytest.mark.parametrize("degrees", [300, 315, 340])
@pytest.mark.parametrize("name", ["shield", "tower"])
def test_what_holds_a_shield_is_turned_by_any_angle_though_it_is_more_alike_in_front_and_behind(name, degrees):
    """The plane between front and back mirrors it better than that between left and right."""
    matrix = turn_to("Z", degrees)
    mesh = turned(holding(name), matrix)
    scatter = scatter_surface(mesh)
    best = MirrorSearch(scatter.points, scatter.normals).mirrors(2)[0]
    assert abs(best.normal @ matrix[:, 1]) > 0.99
    np.testing.assert_allclose(detect_stance(mesh).rotation @ matrix, np.eye(3), atol=0.02)


def test_the_plane_between_left_and_right_runs_through_the_body_whatever_one_hand_holds():
    """The middles of the surface, its box and its inner half lie off it by a tenth of the whole and more."""
    who = person(vertices=1600, hair="none").mesh
    mesh = merge([who, box((0.6, 0.05, 0.6), (0.75, 0.0, 0.8), divisions=6).mesh])
    scatter = scatter_surface(mesh)
    sides = [np.array([body.vertices.min(0)[0], body.vertices.max(0)[0]]) for body in (who, mesh)]
    middle = (sides[0].mean() - sides[1].mean()) / np.ptp(mesh.vertices, axis=0).max()
    found = max(MirrorSearch(scatter.points, scatter.normals).mirrors(2), key=lambda plane: abs(plane.normal[0]))
    seen = (scatter.points[:, 0].min() + scatter.points[:, 0].max()) / 2
    assert found.offset * np.sign(found.normal[0]) - seen == pytest.approx(middle, abs=0.01)


def holding(name: str) -> Mesh:
    """A person with something in the left hand."""
    who, (size, offset) = person(vertices=1600, hair="none"), HELD[name]
    prop = box(size, who.joints["hand.L"] + offset, divisions=2).mesh
    faces = np.concatenate([who.mesh.faces, prop.faces + len(who.mesh.vertices)])
    return Mesh(np.concatenate([who.mesh.vertices, prop.vertices]), faces)


@pytest.mark.long
def test_the_same_mesh_gives_the_same_bits():
    first, again = (detect_stance(turned(body("bird"), turn_to("Z", 77))) for _ in range(2))
    assert first.rotation.tobytes() == again.rotation.tobytes() and first.confidence == again.confidence


@pytest.mark.parametrize(("front", "said"), [
    (0, "-Y"), (45, "halfway between X and -Y"), (30, "30 degrees from -Y towards X"),
    (100, "10 degrees from X towards Y"), (-90, "-X")])
@pytest.mark.parametrize("lean", [0, 15])
def test_a_stance_is_told_in_axes_and_degrees(front, said, lean):
    """Up leans backwards by some degrees, the front turns from -Y to the left; seen from above it is the same."""
    turn = Rotation.from_euler("x", lean, degrees=True) * Rotation.from_euler("z", -front, degrees=True)
    leans = f" (it leans by {lean} degrees)" if lean else ""
    assert Stance(turn.as_matrix(), 1.0, REASONS[1]).told("biped") == f"Z up{leans}, facing {said}: {REASONS[1]}"


@pytest.mark.parametrize("kind", ["unknown", "other", "quadruped"])
def test_what_is_no_person_is_not_said_to_look_like_one(kind):
    told = Stance(np.eye(3), 1.0, REASONS[1]).told(kind)
    assert told == f"Z up, facing -Y: {REASONS[0]}" and "person" not in told


@pytest.mark.parametrize(("degrees", "said"), [(0.0, ""), (0.4, ""), (0.6, " (it leans by 1 degrees)"),
                                               (12.0, " (it leans by 12 degrees)")])
def test_a_lean_of_half_a_degree_and_more_is_told(degrees, said):
    stance = Stance(Rotation.from_euler("x", degrees, degrees=True).as_matrix(), 0.9, REASONS[1])
    assert stance.told("biped") == f"Z up{said}, facing -Y: {REASONS[1]}"

"""What belongs to one body and what stands apart."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest

from core.geometry.apart import bodies_across, bodies_in, find_bodies
from core.geometry.mesh import Mesh, weld
from tests.characters import person
from tests.core.skinning.solids import joined
from tests.limits import turning_point


def moved(mesh: Mesh, *by: float, scale: float = 1.0) -> Mesh:
    return Mesh(scale * mesh.vertices + by, mesh.faces, mesh.name)


def box(low, high) -> Mesh:
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
             (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    return Mesh(np.array(low) + corners * (np.array(high, float) - low), np.array(faces))


BODY = person(vertices=600).meshes[0]
LOW, HIGH = BODY.vertices.min(0), BODY.vertices.max(0)
WIDE, TALL = (HIGH - LOW)[0], (HIGH - LOW)[2]


def test_a_dressed_character_is_one_body():
    dressed = person(vertices=2500, layers=True, hair="long", skirt="knee").meshes
    assert find_bodies(dressed) == ([list(range(len(dressed)))], [])


def test_a_crowd_is_as_many_bodies_however_large_each_is():
    crowd = [BODY, moved(BODY, 1.1 * WIDE, 0, 0), moved(BODY, 0, 3, 0, scale=0.6), moved(BODY, 4, 1, 0)]
    assert find_bodies(crowd) == ([[0], [1], [2], [3]], [])


def test_arms_that_reach_into_anothers_box_do_not_make_one_of_two():
    near = moved(BODY, 0.7 * WIDE, 0.25 * TALL, 0)
    assert find_bodies([BODY, near]) == ([[0], [1]], [])


def test_what_is_small_goes_to_the_nearest_body():
    crumb = box([0, 0, 0], [0.02, 0.02, 0.02])
    other = moved(BODY, 3 * WIDE, 0, 0)
    halo, dust = moved(crumb, 0, 0, 1.3 * TALL), moved(crumb, 2.5 * WIDE, 0, 0)
    assert find_bodies([halo, BODY, other, dust]) == ([[0, 1], [2, 3]], [])


def test_what_hangs_in_the_air_close_beside_a_body_belongs_to_it():
    trunk = box([-0.25, -0.15, 0], [0.25, 0.15, 2])
    arm, cape = box([0.39, -0.1, 0.8], [0.55, 0.1, 1.6]), box([0.3, 0.3, 0.5], [0.9, 0.32, 1.7])
    assert find_bodies([arm, trunk, moved(arm, -0.94, 0, 0), cape]) == ([[0, 1, 2, 3]], [])
    for other in (moved(arm, 0, 0, -0.8), moved(arm, 0.3, 0, 0), moved(trunk, 0.64, 0, 0.4)):  # stands, far, as large
        assert find_bodies([trunk, other]) == ([[0], [1]], [])
    lying = [Mesh(mesh.vertices[:, [2, 1, 0]], mesh.faces) for mesh in (trunk, arm)]
    assert find_bodies(lying, 0) == ([[0, 1]], [])


def test_pieces_that_touch_only_along_large_faces_hang_together():
    trunk, arm = box([-0.2, -0.1, 0.5], [0.2, 0.1, 1.2]), box([0.2, -0.05, 1.0], [0.9, 0.05, 1.1])
    assert find_bodies([trunk, arm]) == ([[0, 1]], [])


def test_ground_and_base_plates_are_no_part_of_a_body():
    for plate in (box([-9, -9, -0.01], [9, 9, 0]), box([-0.3, -0.3, -0.06], [0.3, 0.3, 0.01])):
        assert find_bodies([BODY, moved(plate, 0, 0, LOW[2])]) == ([[0]], [1])
    assert find_bodies([box([-9, -9, 0], [9, 9, 0.01])]) == ([[0]], []), "alone it is what was meant"


def test_things_sunk_into_ground_leave_it_ground():
    floor, rock = box([-9, -9, LOW[2] - 0.01], [9, 9, LOW[2]]), box([2, 2, LOW[2] - 0.2], [2.8, 2.8, LOW[2] + 0.6])
    house = box([-2, 3, LOW[2] - 0.5], [2, 7, LOW[2] + 2])
    for thing in (rock, house):
        assert find_bodies([BODY, floor, thing]) == ([[0], [2]], [1])
    saucer, dome = box([-1, -1, 0.2], [1, 1, 0.4]), box([-0.4, -0.4, 0.1], [0.4, 0.4, 0.8])
    assert find_bodies([saucer, dome]) == ([[0, 1]], []), "what stands on nothing has no ground"


def test_tiles_are_one_floor_under_who_stands_on_some_of_them():
    tiles = [box([x, y, LOW[2] - 0.1], [x + 0.98, y + 0.98, LOW[2]]) for x in range(-1, 4) for y in (-1, 0)]
    assert find_bodies([BODY, *tiles]) == ([[0]], list(range(1, 11)))


def test_shoes_are_no_ground():
    soles = [box([x, -0.15, LOW[2] - 0.02], [x + 0.1, 0.15, LOW[2]]) for x in (-0.1, 0.0)]
    assert find_bodies([BODY, *soles]) == ([[0, 1, 2]], []), "nor soles side by side"
    shoes = [box([s * 0.1 - 0.05, -0.15, LOW[2] - 0.02], [s * 0.1 + 0.05, 0.15, LOW[2] + 0.05]) for s in (-1, 1)]
    assert find_bodies([BODY, *shoes]) == ([[0, 1, 2]], [])


def test_many_objects_are_told_apart_without_a_table_of_all_pairs():
    crowd = [moved(BODY, 1.5 * WIDE * k, 0, 0) for k in range(3)]
    scales = [moved(box((0, 0, 0), (0.01, 0.01, 0.01)), 1.5 * WIDE * (k % 3), 0, 0.5 * LOW[2]) for k in range(400)]
    tracemalloc.start()
    bodies, ground = find_bodies([*crowd, *scales])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [sorted(b) for b in bodies] == [[k, *range(3 + k, 403, 3)] for k in range(3)] and not ground
    assert most < 400 * 400 * 3 * 8


def two(*more: Mesh) -> Mesh:
    """Two bodies side by side and some more in one mesh."""
    return joined(BODY, moved(BODY, 1.5 * WIDE, 0, 0), *more)


def test_bodies_in_one_mesh_are_told_apart_and_small_things_go_to_the_nearest():
    crumb = moved(BODY, 1.5 * WIDE, -0.6 * TALL, 0, scale=0.05)
    count = len(BODY.vertices)
    found = bodies_in(two(crumb))
    assert (found[count:] == found[count]).all() and (found[:count] == 1 - found[count]).all()
    assert found[count] == 0, "the one with more vertices comes first"
    for size in (0.01, 100.0):
        np.testing.assert_array_equal(bodies_in(moved(two(crumb), 0, 0, 0, scale=size)), found)


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (40.0, -30.0, 20.0)])
def test_a_crumb_goes_to_the_body_nearest_to_its_middle(place):
    """One by one nearer to the first body, and to the second, wherever they stand."""
    crumbs = [moved(BODY, share * 1.5 * WIDE, -0.6 * TALL, 0, scale=0.004) for share in (0.2, 0.8)]
    found = bodies_in(moved(two(*crumbs), *place))
    count = len(BODY.vertices)
    assert found[2 * count] == found[0] and found[3 * count] == found[count] != found[0]


def doll(scale: float, pieces: int) -> Mesh:
    """A body of loose blocks: trunk, head, and arms and legs of so many pieces, each of which ends near the next."""
    steps = np.linspace(0, 1, pieces + 1)
    limbs = [box([x + dx * a, -0.05, z + dz * a], [x + dx * b + wide, 0.05, z + dz * b + tall])
             for x, z, dx, dz, wide, tall in ((0.16, 1.2, 0.7, 0, -0.01, 0.1), (0.03, 0.0, 0, 0.8, 0.1, -0.01))
             for a, b in itertools.pairwise(steps)]
    limbs += [Mesh(m.vertices * (-1, 1, 1), m.faces[:, ::-1]) for m in limbs]
    return moved(joined(box([-0.15, -0.1, 0.8], [0.15, 0.1, 1.35]), box([-0.1, -0.1, 1.36], [0.1, 0.1, 1.6]), *limbs),
                 0, 0, 0, scale=scale)


def test_hands_and_feet_of_loose_parts_stay_with_their_own_body():
    for scale in (1.0, 0.6, 0.45):  # no part of the smaller one is as large as a body
        one, other = doll(1.0, 5), doll(scale, 4)
        for gap in (0.1, 0.3):
            other = moved(other, one.vertices[:, 0].max() + gap - other.vertices[:, 0].min(), 0, 0)
            expected = np.repeat([0, 1], [len(one.vertices), len(other.vertices)])
            assert (bodies_in(joined(one, other)) == expected).all(), (scale, gap)
    assert not bodies_in(doll(1.0, 12)).any()


def test_corners_far_out_in_space_are_no_bodies():
    vertices = BODY.vertices.copy()
    vertices[::97] *= 1e15
    assert not bodies_in(weld(Mesh(vertices, BODY.faces)).mesh).any()


def test_a_face_without_area_is_no_body():
    collapsed = Mesh(np.array([[0.0, 0, 5], [0.1, 0, 5]]), np.array([[0, 0, 1]]))
    assert set(bodies_in(two(collapsed))) == {0, 1}


def test_thousands_of_scales_cost_little():
    scale = moved(box((0, 0, 0), (0.01, 0.01, 0.01)), 0, 0, 1)
    found = bodies_in(two(*[moved(scale, 0.000713 * k, 0, 0) for k in range(3000)]))
    assert set(found) == {0, 1}


def test_a_pair_of_shoes_is_parted_where_two_people_wear_them_and_no_sooner():
    trunk = lambda x: box((x - 0.1, -0.1, 0.1), (x + 0.1, 0.1, 1.6))  # noqa: E731
    shoes = lambda *places: joined(*[box((x - 0.04, -0.2, 0), (x + 0.04, 0.1, 0.15)) for x in places])  # noqa: E731
    person, worn = bodies_across([trunk(0), shoes(-0.06, 0.06)])
    assert not person.any() and not worn.any()
    people, worn = bodies_across([joined(trunk(0), trunk(3)), shoes(-0.06, 0.06, 2.94, 3.06)])
    assert np.bincount(people).tolist() == [8, 8] and np.bincount(worn).tolist() == [16, 16]
    assert len(set(worn[:16])) == 1, "both shoes of a person"
    _, worn = bodies_across([joined(trunk(0), trunk(3)), shoes(0.06, 2.96, 3.0)])  # most are the second's
    assert len(set(worn[8:])) == 1 and worn[0] == 1 - worn[8]


TRUNK = box([-0.25, -0.15, 0], [0.25, 0.15, 2])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("low", "high", "limit", "other"), [
    (0.01, 0.5, 0.03 * 2, lambda v: box([0.25 + v, -0.1, 0], [0.5 + v, 0.1, 1.5])),  # how near two touch
    (0.01, 0.5, 0.1 * 2, lambda v: box([0.25 + v, -0.1, 0.8], [0.5 + v, 0.1, 1.6])),  # and one that hangs in the air
    (0.01, 0.6, 0.1 * 2, lambda v: box([0.35, -0.1, v], [0.5, 0.1, v + 0.8])),  # how high that hangs
    (0.7, 1.9, 0.7 * 2, lambda v: box([0.35, -0.1, 0.3], [0.5, 0.1, 0.3 + v])),  # how large it is
    (0.2, 1.9, 0.3 * 2, lambda v: box([0.9, -0.1, 0], [1.1, 0.1, v]))],  # how large a body is
    ids=["touching", "beside", "hanging", "lesser", "small"])
def test_what_belongs_to_a_body_ends_at_a_limit(low, high, limit, other, turned):
    def is_one(value: float) -> bool:
        meshes = [TRUNK, other(value)]
        if turned:  # the other way round, as large as a hill, on another axis
            meshes = [Mesh(30 * mesh.vertices[:, [2, 1, 0]] * (1, -1, -1) + 7, mesh.faces) for mesh in meshes[::-1]]
        return len(find_bodies(meshes, 0 if turned else 2)[0]) == 1

    assert turning_point(is_one, low, high) == pytest.approx(limit, rel=0.03)


@pytest.mark.parametrize(("low", "high", "limit", "plate"), [
    (0.01, 0.5, 0.15 * 1.0, lambda v: box([-0.5, -0.4, -v], [0.5, 0.4, 0.0])),  # how thick ground is
    (0.05, 2.0, 0.3, lambda v: box([-v / 2, -0.5, -0.05], [v / 2, 0.5, 0.0])),  # how wide
    (-0.05, 0.5, 0.05 * 2, lambda v: box([-0.5, -0.4, v - 0.1], [0.5, 0.4, v])),  # how far up it reaches
    (0.0, 0.9, 0.5, lambda v: box([v - 0.5, -0.4, -0.05], [v + 0.5, 0.4, 0.0]))],  # it lies under the middle
    ids=["thick", "wide", "deep", "aside"])
@pytest.mark.parametrize("at", [(0, 0, 0), (7, -40, 30)])
def test_ground_ends_at_a_limit_wherever_a_scene_lies(low, high, limit, plate, at):
    is_ground = lambda value: find_bodies([moved(TRUNK, *at), moved(plate(value), *at)])[1] == [1]  # noqa: E731
    assert turning_point(is_ground, low, high) == pytest.approx(limit, rel=0.03)

"""What goes on where a body branches, what its spine is, and which limbs are pairs: on trees of a few pieces."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.fitting.fronts import Fronts
from core.fitting.outline import Line, Outline, are_alike, smoothed
from core.geometry.symmetry import MirrorPlane
from tests.limits import turning_point

PLANE = MirrorPlane(0.5, 0, 1.0)
STEM = (-1, [(0.5, 0, 0), (0.5, 0, 0.1)], 0.1)


def outline_of(*branches, plane: MirrorPlane | None = None, is_exact: bool = False) -> Outline:
    """An outline without its solid: branches (on, points, radius), each point a piece, the first after piece `on`."""
    out = Outline.__new__(Outline)
    parents, centres, radii = [], [], []
    for on, points, radius in branches:
        for k, point in enumerate(points):
            parents.append(len(parents) - 1 if k else on)
            centres.append(point)
            radii.append(radius)
    parents, centres = np.array(parents), np.array(centres, float)
    ends = np.zeros(len(parents))
    for c, parent in enumerate(parents):
        ends[c] = 0.1 if parent < 0 else ends[parent] + np.linalg.norm(centres[c] - centres[parent])
    starts = np.where(parents < 0, 0.0, ends[parents])
    out.fronts = Fronts(parents, centres, np.array(radii), np.ones(len(parents)), starts, ends,
                        np.arange(len(parents)), np.arange(len(parents)))
    out.plane, out.is_exact = plane, is_exact
    out.tips = np.setdiff1d(np.arange(len(parents)), parents)
    out.reach = ends[out.tips]
    out.holds = np.array([[c in out.fronts.way(tip) for tip in out.tips] for c in range(len(parents))])
    out.interior, out.deepest = SimpleNamespace(centres=centres), out.fronts.radii
    out.partner = out._pair_tips()
    return out


def up(length: float, x: float = 0.5, y: float = 0.0, low: float = 0.1) -> list[tuple]:
    """Two points of a branch that goes so far up from a height."""
    return [(x, y, low + length / 2), (x, y, low + length)]


def ranked(*weights: float, plane: MirrorPlane | None = None) -> Outline:
    """A stem of two pieces, pieces 2, 4, 6 of branches on its end: all a unit long, as thick as given."""
    return outline_of(STEM, *[(1, [(0.5, 0, 0.6), (0.5, 0, 1.1)], weight) for weight in weights], plane=plane)


def line_of(part: str = "limb", length: float = 1.0, x: float = 0.5, parent: Line | None = None, side: str = "",
            tip: int = -1, radius: float = 0.1) -> Line:
    points = np.array([[x, 0, 0], [x, 0, length / 2], [x, 0, length]])
    return Line(part, side, points, np.full(3, radius), parent, length / radius / 2, tip=tip)


def test_the_weight_of_a_piece_is_how_long_and_thick_its_best_way_is():
    body = outline_of(STEM, (1, up(1.0), 0.2), (1, up(3.0), 0.1))
    assert body._weight(2) == pytest.approx(0.2) and body._weight(4) == pytest.approx(0.3)
    assert body._weight(1) == pytest.approx(0.3 + 0.1 * 0.1)


@pytest.mark.parametrize(("thicker", "way"), [(1.4, [0, 1]), (1.6, [0, 1, 2, 3])])
def test_a_line_goes_on_where_it_is_half_as_thick_again(thicker, way):
    assert ranked(thicker, 1.0)._follow(0) == way
    assert ranked(1.0)._follow(0) == [0, 1, 2, 3]


def test_in_the_middle_a_line_goes_on_in_the_middle():
    sides = [(1, [(x, 0, 0.3), (2 * x - 0.5, 0, 0.6)], 0.5) for x in (0.3, 0.7)]
    body = outline_of(STEM, *sides, (1, up(0.5), 0.05), plane=PLANE)
    assert body.partner.tolist() == [1, 0, 2] and body._follow(0) == [0, 1, 6, 7]
    assert body._spine_ends([2, 4, 6]) == [6] and not body._is_middle(2)


@pytest.mark.parametrize(("weights", "ends"), [
    ((3.0, 2.0, 1.3), [2, 4]), ((3.0, 2.0, 1.4), []), ((3.2, 2.0, 1.4), [2]), ((2.0, 3.0, 1.0), [4, 2]),
    ((1.0, 1.6), [4, 2]), ((1.0,), [2])])
def test_a_body_without_sides_goes_on_in_what_clearly_outweighs_the_rest(weights, ends):
    body = ranked(*weights)
    assert body._spine_ends(body._children(1)) == ends


@pytest.mark.parametrize(("stem", "weights", "parts"), [
    (0.4, (1.0, 1.0), True), (0.6, (1.0, 1.0), False), (0.4, (1.4, 1.0), True), (0.4, (1.6, 1.0), False),
    (0.4, (1.0, 1.0, 0.6), True), (0.4, (1.0, 1.0, 0.75), False)])
def test_two_alike_halves_part_near_the_middle_of_a_bent_body(stem, weights, parts):
    body = outline_of((-1, [(0.5, 0, 0), (0.5, 0, stem - 0.1)], 0.1),
                      *[(1, up(1.5 - stem, low=stem - 0.1), weight) for weight in weights])
    assert body.reach.max() == pytest.approx(1.5)
    assert body._past_bend(0) == (1 if parts else 0)


def test_halves_on_both_sides_of_the_mirror_plane_are_limbs():
    body = outline_of(STEM, *[(1, [(x, 0, 0.5), (x, 0, 1.0)], 0.1) for x in (0.3, 0.7)], plane=PLANE)
    assert body._past_bend(0) == 0
    body.plane = None
    assert body._past_bend(0) == 1


@pytest.mark.parametrize(("necks", "near", "shared"), [(3, 0.5, [0, 1]), (2, 0.5, []), (3, 0.05, [])])
def test_a_trunk_parts_near_the_middle_in_a_tail_and_what_carries_several_limbs(necks, near, shared):
    tail = (1, [(0.5, 0.3, 0.1), (0.5, 0.9, 0.1)], 0.2)
    stem = (1, [(0.5, -0.3, 0.1), (0.5, -0.5, 0.1)], 0.2)
    carried = [(5, [(0.4 + 0.1 * k, -0.6, 0.3), (0.4 + 0.1 * k, -0.6, 0.5)], 0.05) for k in range(necks)]
    body = outline_of(STEM, tail, stem, *carried)
    assert body._before_fork(np.array([0.5, 0, 0]), [0, 1], near) == shared


@pytest.mark.parametrize(("off", "is_pair"), [(0.07, True), (0.09, False)])
def test_ends_near_each_others_image_are_partners(off, is_pair):
    sides = [(1, up(0.4, x, y)) for x, y in ((0.2, 0.0), (0.8, off))]
    body = outline_of(STEM, *[(*side, 0.1) for side in sides], plane=PLANE)
    assert body.partner.tolist() == ([1, 0] if is_pair else [-1, -1])
    body.plane = None
    assert body._pair_tips().tolist() == [-1, -1]


def test_a_pair_beside_the_mirror_plane_stays_a_pair():
    sides = [(1, [(x, 0, 0.3), (x, 0, 0.5)], 0.1) for x in (0.46, 0.54)]
    assert outline_of(STEM, *sides, plane=PLANE, is_exact=True).partner.tolist() == [1, 0]


@pytest.mark.parametrize(("x", "exact", "own"), [(0.57, True, 1), (0.57, False, -1), (0.59, True, -1)])
def test_of_two_blunt_corners_of_an_exact_image_one_stands_for_both(x, exact, own):
    middle = (1, [(0.5, 0.1, 0.3), (0.5, 0.1, 0.5)], 0.1)
    body = outline_of(STEM, middle, (1, [(x, 0.0, 0.3), (x, 0.0, 0.5)], 0.1), plane=PLANE, is_exact=exact)
    assert body.partner[1] == own


@pytest.mark.parametrize(("limbs", "reach", "depth", "rope"), [
    (1, 6.1, 0.1, True), (2, 6.1, 0.1, True), (3, 6.1, 0.1, False), (1, 5.9, 0.1, False), (1, 6.1, 1.1, False)])
def test_a_rope_is_six_times_as_long_as_thick_and_has_two_ends(limbs, reach, depth, rope):
    body = outline_of(STEM, plane=PLANE)
    spine = line_of("spine")
    body.lines, body.reach, body.depth = [spine, *[line_of(parent=spine)] * limbs], np.array([reach]), np.array([depth])
    assert body.is_rope == rope
    body.lines[-1] = line_of("tail", parent=spine)
    assert not body.is_rope
    body.lines, body.plane = [spine, line_of(parent=spine)], None
    assert not body.is_rope


def test_a_rope_begins_with_its_thicker_half():
    for first, second, turned in ((0.1, 0.2, True), (0.2, 0.1, False)):
        body = outline_of(STEM)
        spine = line_of("spine", radius=first)
        body.lines = [spine, line_of("tail", length=2.0, parent=spine, radius=second)]
        body.begin_thick()
        assert [line.part for line in body.lines] == ["spine", "tail"]
        assert [line.length for line in body.lines] == ([2.0, 1.0] if turned else [1.0, 2.0])
        assert body.lines[0].parent is None and body.lines[1].parent is body.lines[0]


@pytest.mark.parametrize(("other", "is_added"), [(None, True), (0.33, True), (0.25, False)])
def test_a_limb_on_one_side_of_an_exact_image_gets_a_twin_where_no_limb_lies(other, is_added):
    body = outline_of(STEM, (1, up(1.0, x=0.8), 0.1), plane=PLANE, is_exact=True)
    spine = line_of("spine")
    limb = line_of(x=0.8, parent=spine, side="L", tip=0)
    body.lines = [spine, limb, *([] if other is None else [line_of(length=0.3, x=other, parent=spine)])]
    body.add_images()
    assert (limb.twin is not None) == is_added
    if is_added:
        assert limb.twin is body.lines[-1] and limb.twin.twin is limb
        assert limb.twin.side == "R" and limb.twin.parent is spine
        np.testing.assert_allclose(limb.twin.points, PLANE.reflect(limb.points))


@pytest.mark.parametrize(("left", "right", "later", "pair"), [
    (1.0, 1.9, 0, True), (1.0, 3.0, 0, True), (1.0, 3.0, 1, True), (1.0, 3.0, 2, False), (1.0, 1.9, 2, True)])
@pytest.mark.parametrize("exact", [True, False])
def test_limbs_are_pairs_if_alike_or_if_their_ends_are_equally_far(left, right, later, pair, exact):
    ways = [[(x, 0, 0.3 + 0.1 * k) for k in range(count)] for x, count in ((0.8, 2), (0.2, 2 + later))]
    body = outline_of(STEM, *[(1, way, 0.1) for way in ways], plane=PLANE, is_exact=exact)
    body.partner = np.array([1, 0])
    spine = line_of("spine")
    limbs = [line_of(length=size, x=x, parent=spine, side=side, tip=k)
             for k, (size, x, side) in enumerate(((left, 0.8, "L"), (right, 0.2, "R")))]
    lines = body._mirrored([spine, *limbs])
    alike = right < 2 * left
    is_pair = alike or (pair and exact)
    assert lines == [spine, *limbs] and (limbs[0].twin is limbs[1]) == (limbs[1].twin is limbs[0]) == is_pair
    assert [limb.side for limb in limbs] == ["L", "R"]
    if is_pair and exact:  # of a pair that is found unlike the longer one is right, else the left one
        assert limbs[0].length == limbs[1].length == (left if alike else right)
        assert limbs[0].clear == limbs[1].clear
        np.testing.assert_allclose(limbs[1].points, PLANE.reflect(limbs[0].points))
    else:
        assert [limb.length for limb in limbs] == [left, right]
    assert spine.clear == max(line.clear for line in lines)


def test_the_base_of_a_limb_is_looked_for_if_it_ends_and_its_tip_is_the_furthest():
    forked = [(3, [(0.8 + dx, 0, 0.5), (0.8 + 2 * dx, 0, far)], 0.1) for dx, far in ((-0.1, 0.7), (0.1, 0.9))]
    body = outline_of(STEM, (1, [(0.8, 0, 0.2), (0.8, 0, 0.3)], 0.1), *forked,
                      (1, [(0.2, 0, 0.2), (0.2, 0, 0.3)], 0.1), plane=PLANE)
    looked: list[int] = []
    body._find_base = lambda piece, way, line, parent: looked.append(piece)
    body.partner[:] = 2, 2, 0
    spine = line_of("spine")
    for piece, way, tip, side in ((2, [2, 3], 1, "L"), (8, [8, 9], 2, "R")):
        line, found = body._limb(piece, spine)
        assert (line.part, line.parent, line.tip, line.side, found) == ("limb", spine, tip, side, way)
    assert looked == [8]


@pytest.mark.parametrize(("x", "side"), [(0.57, ""), (0.59, "L"), (0.43, ""), (0.41, "R")])
def test_a_limb_without_a_partner_lies_where_it_lies(x, side):
    body = outline_of(STEM, plane=PLANE)
    assert body._side_of(line_of(x=x)) == side
    assert body._side_of(line_of("tail", x=x)) == ""
    body.plane = None
    assert body._side_of(line_of(x=x)) == ""


def test_alike_is_less_than_twice_as_long():
    assert are_alike(line_of(length=1.0), line_of(length=1.99)) and are_alike(line_of(length=1.99), line_of())
    assert not are_alike(line_of(length=1.0), line_of(length=2.0))


def test_smoothing_spreads_a_step_by_halves_and_quarters_and_keeps_the_ends():
    line = np.zeros((9, 3))
    line[4] = 16.0
    np.testing.assert_array_equal(smoothed(line)[:, 0], [0, 0, 1, 4, 6, 4, 1, 0, 0])
    line[[0, 8]] = 5.0
    np.testing.assert_array_equal(smoothed(line)[[0, 8]], line[[0, 8]])
    np.testing.assert_array_equal(smoothed(line[3:6])[:, 0], [0, 4, 0])
    straight = np.linspace(0, 1, 6)[:, None] * [1.0, 2.0, 3.0]
    np.testing.assert_allclose(smoothed(straight), straight, atol=1e-15)
    np.testing.assert_array_equal(smoothed(straight[:2]), straight[:2])


def test_what_hangs_on_limbs_that_are_a_pair_by_their_place_hangs_on_its_own_side():
    """Toes are partners by their tips, the legs of which they are only by where these lie."""
    body = outline_of(STEM, (1, up(1.0, 0.8), 0.1), (1, up(1.0, 0.2), 0.1), plane=PLANE, is_exact=True)
    spine = line_of("spine")
    left, right = line_of(x=0.8, side="L", parent=spine), line_of(x=0.2, side="R", parent=spine)
    toes = [line_of(x=x, side=side, parent=left, tip=tip) for x, side, tip in ((0.8, "L", 0), (0.2, "R", 1))]
    body.partner = np.array([1, 0, -1])
    body._mirrored([spine, left, right, *toes])
    assert left.twin is right and toes[0].twin is toes[1]
    assert toes[0].parent is left and toes[1].parent is right


@pytest.mark.parametrize(("off", "right", "is_pair"), [(0.1, 1.0, True), (0.2, 1.0, False), (0.0, 2.1, False)])
def test_limbs_left_over_on_both_sides_are_pairs_if_they_begin_and_lie_near_each_others_image(off, right, is_pair):
    limbs = [line_of(x=0.8, side="L"), line_of(length=right, x=0.2 + off, side="R"), line_of(x=-0.5, side="R")]
    outline_of(STEM, plane=PLANE)._pair_by_place(limbs)
    assert [limb.twin for limb in limbs] == ([limbs[1], limbs[0], None] if is_pair else [None] * 3)


AHEAD = [(0.5, -0.5 * k, 0.1) for k in range(1, 7)]


def stubby(*points, flesh=lambda p: np.ones(len(p), bool), way=AHEAD, **how) -> Outline:
    """A body a unit thick with one way, to the front, and pieces that hold no end."""
    body = outline_of(STEM, (1, way, 0.1), *[(0, [point], 0.1) for point in points], **how)
    body.tips, body.holds = body.tips[:1], body.holds[:, :1]
    body.field = SimpleNamespace(sample=lambda p: np.where(flesh(p), -1.0, 1.0))
    return body


@pytest.mark.parametrize(("points", "end"), [
    ([(0.5, 0.9, 0.1)], 8), ([(0.5, 0.7, 0.1)], None), ([(0.5, 0.9, 0.1), (0.5, 1.5, 0.1)], 9),
    ([(0.5, 0.9, 1.1)], None), ([(0.5, 0.9, 1.0)], 8), ([(0.5, -0.9, 0.2)], None)])
def test_a_blunt_end_is_the_furthest_of_what_lies_opposite_to_the_way_and_outside_the_middle(points, end):
    body = stubby(*points)
    found = body._blunt_end(np.array([0.5, 0, 0]), list(range(2, 8)), 1.0)
    assert found == ([] if end is None else [[end]])


@pytest.mark.parametrize("away", [0.0, 5.0])
@pytest.mark.parametrize(("way", "end"), [
    (AHEAD[:1], 0), (AHEAD[:2], 0), (AHEAD, 0), ([*AHEAD[:3], *[(0.5, 0, 2)] * 3], 1)])
def test_a_blunt_end_lies_opposite_to_where_the_way_is_after_a_third_wherever_the_body_stands(way, end, away):
    off = np.array([0, away, 0])
    body = stubby(off + (0.5, 0.9, 0.1), off + (0.5, 0.0, -0.9), way=[off + point for point in way])
    count = 2 + len(way)
    assert body._blunt_end(off + (0.5, 0, 0), list(range(2, count)), 1.0) == [[count + end]]


def test_no_spine_leads_through_air_to_a_blunt_end():
    for is_flesh in (lambda p: p[:, 1] < 0.5, lambda p: p[:, 1] > 0.5):
        body = stubby((0.5, 0.9, 0.1), flesh=is_flesh)
        assert body._blunt_end(np.array([0.5, 0, 0]), list(range(2, 8)), 1.0) == []


@pytest.mark.parametrize(("top", "height"), [(1.0, 0.8), (0.1, 0.2)])
def test_a_body_without_a_way_gets_a_spine_up_to_four_fifths_of_what_is_above_its_middle(top, height):
    body = outline_of(STEM)
    body.interior = SimpleNamespace(centres=np.array([(0, 0, 0.5), (0.14, 0, 0.5 + top), (0.16, 0, 9.0)]),
                                    grid=SimpleNamespace(spacing=0.1))
    body.depth, body.root = np.array([0.3, 0.1, 0.1]), 0
    line = body._stub(body.interior.centres[0])
    assert (line.part, line.parent, line.side) == ("spine", None, "") and line.radii.tolist() == [0.3, 0.3]
    np.testing.assert_allclose(line.points, [(0, 0, 0.5), (0, 0, 0.5 + height)])


@pytest.mark.parametrize("spacing", [0.1, 2.0])
def test_a_wave_through_a_body_with_sides_begins_between_them_though_those_of_a_ring_are_nearer(spacing):
    """Columns of voxels, by how many voxels they lie beside the plane: the nearest that lies on it counts."""
    def found(beside: list[float], **known) -> int:
        centres = np.array([(0.5 + spacing * off, spacing * 3.0 * k, 0.0) for k, off in enumerate(beside)])
        body = outline_of(STEM, **{"plane": PLANE, "is_exact": True} | known)
        body.interior = SimpleNamespace(
            centres=centres, grid=SimpleNamespace(spacing=spacing),
            nearest=lambda point: [np.linalg.norm(centres - point, axis=1).argmin()])
        return body._voxel_at(np.array([[0.9, 0.0, 0.0]]))

    assert found([1.0, 1.2, 0.5, 0.5]) == 2 and found([0.5, 0.7]) == 0 and found([1.0, 0.8, 0.7]) == 2
    assert found([1.0, 1.2, 0.5, 0.5], is_exact=False) == 2, "a body whose limbs are posed unlike has a middle, too"
    assert found([1.0, 1.2, 0.5, 0.5], is_exact=False, plane=None) == 0


@pytest.mark.parametrize(("thick", "spacing", "limit"), [(0.2, 0.05, 0.5), (0.4, 0.1, 1.0)])
def test_where_a_body_parts_near_its_middle_a_tail_begins_and_further_off_its_spine_ends(thick, spacing, limit):
    """In three about as long, all in the middle; as far off as it is thick and a few voxels count as near."""
    def has_tail(stem: float) -> bool:
        ways = [((y, z), length) for y, z, length in ((-1, 0, 1.0), (1, 0, 1.1), (0, 1, 0.9))]
        body = outline_of((-1, [(0.5, 0, 0), (0.5, 0, stem - 0.1)], 0.1),
                          *[(1, [(0.5, share * y, stem + share * z) for share in (length / 2, length)], 0.1)
                            for (y, z), length in ways], plane=PLANE)
        body.root, body.depth, body.least = 0, np.array([thick]), 0.0
        body.interior.grid = SimpleNamespace(spacing=spacing)
        body.field = SimpleNamespace(sample=lambda points: np.ones(len(points)))  # no flesh goes on past two limbs
        body._find_base = lambda *_: None
        parts = [line.part for line in body._grow()]
        assert parts in (["spine", "tail", "limb"], ["spine", "limb", "limb", "limb"])
        return "tail" in parts

    assert turning_point(has_tail, 0.15, 2.0) == pytest.approx(limit, abs=0.01)

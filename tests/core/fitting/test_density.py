"""Wang's steps [W12]: clumps of limb ends that reach high are no hands; one side of a body corrects the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.fitting.candidates import find_candidates, limb_ends, paper_limb_ends
from core.fitting.density import (
    DensityOptions,
    body_extent,
    correct_limbs,
    density_clusters,
    drop_false_ends,
    hangs_from_head,
    low_enough,
)
from core.fitting.embedding import Embedding
from core.fitting.options import FitOptions
from core.fitting.penalties import PenaltyTable
from core.fitting.search import choose_candidates, find_middle, search, template_scale
from core.skeleton.preset import load_template
from core.skeleton.reduce import reduce_template
from tests.characters import doll
from tests.core.fitting.bodies import body, prepared
from tests.core.fitting.graphs import PAPER_WEIGHTS, graph_of, random_graph, small_biped

OFF = DensityOptions(hanging=False)
CLUSTERS, CORRECTIONS = replace(OFF, clusters=True), replace(OFF, hands=True, feet=True)
PAPER = FitOptions(mirror=np.inf, paper_ends=True, density=OFF)
FLIP = np.array([-1.0, 1.0, 1.0])


# Clusters


def textbook_clusters(points, reach, least):
    """DBSCAN by the definition: cores linked through cores; the others join their nearest core; one loop each."""
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    core = [i for i in range(len(points)) if (apart[i] <= reach).sum() >= least]
    labels, number = [-1] * len(points), 0
    for i in core:
        if labels[i] < 0:
            waiting = [i]
            while waiting:
                a = waiting.pop()
                labels[a] = number
                waiting += [b for b in core if labels[b] < 0 and apart[a, b] <= reach]
            number += 1
    for i in range(len(points)):
        near = [c for c in core if apart[i, c] <= reach]
        if i not in core and near:
            labels[i] = labels[min(near, key=lambda c: (apart[i, c], c))]
    return labels


@pytest.mark.parametrize("least", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_clusters_are_the_textbooks(seed, least):
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.normal(c, 0.05, (15, 3)) for c in rng.uniform(0, 1, (4, 3))] + [rng.random((12, 3))])
    points = points[rng.permutation(len(points))]
    for reach in (0.02, 0.05, 0.1, 0.3):
        assert density_clusters(points, reach=reach, least=least).tolist() == textbook_clusters(points, reach, least)


def test_points_on_a_lattice_join_the_first_of_equally_near_cores():
    """Two clumps of three, and a point halfway between them that is no core itself."""
    points = np.array([[0.0, 0, 0], [-1, 0, 0], [-2, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0], [1, 0, 0]])
    labels = density_clusters(points, reach=1.0, least=3).tolist()
    assert labels == textbook_clusters(points, 1.0, 3)
    assert labels[6] == labels[0] == 0, "the middle point has three neighbours, so it links both"
    assert density_clusters(points, reach=1.0, least=4).tolist() == [-1] * 7


def test_no_points_and_lone_points():
    assert density_clusters(np.zeros((0, 3)), reach=0.1, least=2).tolist() == []
    assert density_clusters(np.eye(3), reach=0.1, least=2).tolist() == [-1, -1, -1]
    assert density_clusters(np.zeros((3, 3)), reach=0.1, least=3).tolist() == [0, 0, 0], "twice the same place is near"


# Removal


def column(heights, x: float = 0.0):
    return [[x, 0.0, z] for z in heights]


def standing_graph():
    """A body from 0 to 1: a clump across the threshold, one below it, a lone end above it, one below it."""
    points = np.array([[0.5, 0, 0.05], [0.5, 0, 0.95], *column([0.59, 0.597, 0.604]), *column([0.5, 0.505], 0.2),
                       [0.3, 0, 0.7], [0.4, 0, 0.4]])
    edges = [(i, i + 1) for i in range(len(points) - 1)]
    return graph_of(points, [0.05, 0.05] + [0.01] * 7, edges)


def test_a_cluster_goes_as_a_whole_and_lone_points_by_their_own_height():
    graph = standing_graph()
    assert body_extent(graph) == pytest.approx((0.0, 1.0))
    places = np.arange(2, 9)
    assert low_enough(graph, places, CLUSTERS).tolist() == [5, 6, 8], "0.59 goes with 0.604, though below 0.6"
    assert low_enough(graph, places, replace(CLUSTERS, reach=0.001)).tolist() == [2, 3, 5, 6, 8], "lone: by height"
    assert low_enough(graph, places, replace(CLUSTERS, threshold=0.61)).tolist() == [2, 3, 4, 5, 6, 8]
    assert low_enough(graph, places, replace(CLUSTERS, threshold=1.0)).tolist() == places.tolist()


def test_the_threshold_is_a_share_of_the_body_wherever_it_stands():
    graph = standing_graph()
    for scale, lift in ((3.0, 0.0), (0.2, 5.0), (1.0, -2.0)):
        moved = graph_of(graph.points * scale + [0, 0, lift], graph.radii * scale, graph.edges)
        assert low_enough(moved, np.arange(2, 9), CLUSTERS).tolist() == [5, 6, 8]


def test_only_paired_ends_of_limbs_lose_candidates():
    skeletal, reduced = find_middle(body("person")), reduce_template(load_template("biped"))
    graph = skeletal.graph
    before = find_candidates(graph, reduced, ends=paper_limb_ends)
    after = drop_false_ends(graph, reduced, before, CLUSTERS)
    bottom, top = body_extent(graph)
    for r in range(len(reduced.joints)):
        if reduced.is_leaf[r] and reduced.mirror[r] >= 0:
            assert 0 < len(after[r]) < len(before[r]) and np.isin(after[r], before[r]).all()
            assert (graph.points[after[r], 2] <= bottom + 0.6 * (top - bottom)).all()
            assert graph.twins is not None and np.isin(graph.twins[after[r]], after[r]).all(), "still mirrored"
        else:
            assert after[r] is before[r], "a head may be high, and the trunk anywhere"


def test_where_all_would_go_all_stay():
    skeletal, reduced = find_middle(body("person")), reduce_template(load_template("biped"))
    before = find_candidates(skeletal.graph, reduced)
    after = drop_false_ends(skeletal.graph, reduced, before, replace(CLUSTERS, threshold=0.0))
    assert [a.tolist() for a in after] == [b.tolist() for b in before]


@pytest.mark.slow
def test_hair_above_the_shoulders_is_never_a_hand():
    """Bunches of hair beside short arms: the published search takes them for hands, without them it finds the hands."""
    character = doll(fall=0.68, vertices=1500)
    shape, reduced = prepared(character.mesh), reduce_template(load_template("biped"))
    graph = find_middle(shape, PAPER).graph
    scale = template_scale(shape, reduced.template)
    shoulder = shape.frame.to_unit(character.joints["upper_arm.L"][None])[0, 2]
    hands = [reduced.template.names[j].startswith("hand_tip") for j in reduced.joints]

    def heights(options):
        found = search(graph, reduced, {}, scale=scale, weights=PAPER_WEIGHTS | {"sheet": 0.0}, options=options)[0]
        return graph.points[found.vertices[hands], 2]
    assert (heights(PAPER) > shoulder).all()
    assert (heights(replace(PAPER, density=CLUSTERS)) < shoulder).all()
    high = body_extent(graph)[1] * 0.6
    kept = choose_candidates(graph, reduced, {}, replace(PAPER, density=CLUSTERS))
    assert all((graph.points[kept[r], 2] <= high).all() for r in np.flatnonzero(hands))


# Hair


def hung_body(*, neck: float = 0.04, arm: float = 0.5, hair: float = 0.3, root: int = 1):
    """A mirrored trunk, neck and head; legs, arms from vertex `root`, hair from the head, ending at given heights."""
    points = [[0, 0, 0.4], [0, 0, 0.6], [0, 0, 0.75], [0, 0, 0.9]]
    edges = [(0, 1), (1, 2), (2, 3)]
    for sign in (1, -1):
        k = len(points)
        points += [[sign * 0.1, 0, 0.02], [sign * 0.2, 0, 0.6], [sign * 0.4, 0, arm], [sign * 0.2, 0, 0.9],
                   [sign * 0.3, 0, hair]]
        edges += [(0, k), (root, k + 1), (k + 1, k + 2), (3, k + 3), (k + 3, k + 4)]
    return graph_of(points, [0.08, 0.1, neck, 0.12] + [0.02, 0.03, 0.03, 0.03, 0.03] * 2, edges,
                    np.array([0, 1, 2, 3, 9, 10, 11, 12, 13, 4, 5, 6, 7, 8]))


ENDS = np.array([4, 6, 8, 9, 11, 13])  # foot, hand, hair on either side


@pytest.mark.parametrize("hair", [0.1, 0.3, 0.59, 0.7])
@pytest.mark.parametrize("arm", [0.3, 0.6, 0.95])
def test_hair_hangs_from_the_head_and_arms_do_not_wherever_they_end(hair, arm):
    graph = hung_body(hair=hair, arm=arm)
    assert ENDS[hangs_from_head(graph, ENDS, DensityOptions())].tolist() == [8, 13]
    mirrored = graph_of(graph.points * FLIP, graph.radii, graph.edges, graph.twins)
    assert ENDS[hangs_from_head(mirrored, ENDS, DensityOptions())].tolist() == [8, 13]


def test_without_a_neck_or_without_arms_nothing_hangs():
    assert not hangs_from_head(hung_body(neck=0.09), ENDS, DensityOptions()).any(), "0.09 of 0.1: hardly a neck"
    assert hangs_from_head(hung_body(neck=0.084), ENDS, DensityOptions()).sum() == 2
    assert not hangs_from_head(hung_body(), np.array([4, 8, 9, 13]), DensityOptions()).any(), "only feet would be left"
    full = hung_body()
    for size in (0.01, 10.0):
        graph = graph_of(size * full.points, size * full.radii, full.edges, full.twins)
        assert hangs_from_head(graph, ENDS, DensityOptions()).sum() == 2
        assert not hangs_from_head(graph, np.array([4, 8, 9, 13]), DensityOptions()).any(), "whatever the size"


def test_an_arm_that_grows_out_of_the_neck_is_an_arm():
    assert ENDS[hangs_from_head(hung_body(root=2), ENDS, DensityOptions())].tolist() == [8, 13]


def test_arms_above_a_narrow_waist_are_arms():
    """A robot that is all head: its arms grow out of it, and only a holster is left at the hips."""
    graph, options = hung_body(root=3, arm=0.3), DensityOptions()
    points = np.array(graph.points)
    points[[8, 13], 0] *= 0.4
    points[[7, 12]] = [[0.1, 0, 0.6], [-0.1, 0, 0.6]]
    edges = [tuple(1 if v == 3 and max(e) in (7, 12) else v for v in e) for e in graph.edges.tolist()]
    robot = graph_of(points, graph.radii, edges, graph.twins)
    assert not hangs_from_head(robot, ENDS, options).any()


@pytest.mark.slow
def test_hands_above_the_threshold_are_found_all_the_same():
    """A doll in a T-pose: Wang's threshold takes its hands away with its hair, the default only its hair."""
    character = doll(arm=0.9, fall=0.68, arm_angle=5.0, vertices=1500)
    shape, reduced = prepared(character.mesh), reduce_template(load_template("biped"))
    skeletal, scale = find_middle(shape), template_scale(shape, reduced.template)
    place = list(reduced.joints).index(reduced.template.index("hand_tip.L"))
    truth = shape.frame.to_unit(character.joints["hand_tip.L"][None])[0]

    def off(density):
        found = search(skeletal.graph, reduced, {}, scale=scale, sheets=skeletal.sheets,
                       options=FitOptions(density=density))[0]
        return np.linalg.norm(skeletal.graph.points[found.vertices[place]] - truth)
    assert off(DensityOptions()) < 0.1 < off(CLUSTERS)


# Corrections


def biped_table(rng, count: int = 40, aside: float = 0.0):
    """A template with two hands and two feet, so far to one side, and a cloud of vertices in generic places that all
    joints may take."""
    template = small_biped()
    template = replace(template, positions=template.positions + [aside, 0.0, 0.0])
    graph, reduced = random_graph(rng, count, 2 * count, thin=False), reduce_template(template)
    return PenaltyTable(graph, reduced, [np.arange(count)] * len(reduced.joints), scale=0.3, weights=PAPER_WEIGHTS,
                        strict=False)


def places_of(table, **vertices) -> tuple[Embedding, dict]:
    """An embedding with joints at given vertices ("hand_L"=..., the root and hips too), and the joints' numbers."""
    names = [table.reduced.template.names[j] for j in table.reduced.joints]
    at = {n: names.index(n.replace("_", ".")) for n in vertices}
    placed = [0] * len(names)
    for n, v in vertices.items():
        placed[at[n]] = v
    terms = table.explain(placed)
    return Embedding(np.array(placed), sum(terms.values()), terms, 0), at


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_higher_hand_goes_where_the_lower_one_says(seed, whole):
    rng = np.random.default_rng(seed)
    table = biped_table(rng)
    points = table.graph.points
    low, high = sorted(rng.choice(40, 2, replace=False), key=lambda v: points[v, 2])
    for left, right in ((low, high), (high, low)):
        before, at = places_of(table, hand_L=left, hand_R=right, hips=5, chest=7)
        after = correct_limbs(table, before, replace(CORRECTIONS, feet=False, whole_image=whole))
        image = np.array([2 * points[7, 0] - points[low, 0], points[low, 1], points[low, 2]])
        wanted = image if whole else np.array([points[high, 0], points[high, 1], points[low, 2]])
        nearest = int(np.linalg.norm(points - wanted, axis=1).argmin())
        moved, kept = ("hand_L", "hand_R") if left == high else ("hand_R", "hand_L")
        assert after.vertices[at[moved]] == nearest and after.vertices[at[kept]] == low
        others = np.delete(np.arange(len(before.vertices)), at[moved])
        assert (after.vertices[others] == before.vertices[others]).all()


@pytest.mark.sweep(2)
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_foot_on_the_wrong_side_goes_to_the_others_mirror(seed, whole):
    """Wherever the template itself stands."""
    table = biped_table(np.random.default_rng(seed), aside=0.9 * (seed - 1))
    points = table.graph.points
    order = np.argsort(points[:, 0])
    hips, stray, right = int(order[20]), int(order[5]), int(order[12])
    before, at = places_of(table, hips=hips, foot_L=stray, foot_R=right)
    after = correct_limbs(table, before, replace(CORRECTIONS, hands=False, whole_image=whole))
    wanted = np.array([2 * points[hips, 0] - points[right, 0], *points[right if whole else stray, 1:]])
    assert after.vertices[at["foot_L"]] == np.linalg.norm(points - wanted, axis=1).argmin()
    assert after.vertices[at["foot_R"]] == right
    assert after.terms == table.explain(after.vertices.tolist())
    assert after.penalty == pytest.approx(sum(after.terms.values()))


def test_feet_on_their_sides_or_crossed_and_level_hands_stay():
    table = biped_table(np.random.default_rng(0))
    order = [int(v) for v in np.argsort(table.graph.points[:, 0])]
    for left, right in ((order[30], order[5]), (order[5], order[30])):
        before, _ = places_of(table, hips=order[20], foot_L=left, foot_R=right, hand_L=3, hand_R=3)
        assert correct_limbs(table, before, CORRECTIONS) is before


def test_a_pinned_hand_stays():
    table = biped_table(np.random.default_rng(1))
    high = int(table.graph.points[:, 2].argmax())
    before, at = places_of(table, hand_L=high, hand_R=0)
    table.candidates[at["hand_L"]] = np.array([high])
    table.walks[at["hand_L"]] = table.walks[at["hand_L"]][:, high:high + 1]
    assert correct_limbs(table, before, CORRECTIONS).vertices[at["hand_L"]] == high


@pytest.mark.sweep(2)
@pytest.mark.parametrize("seed", range(6))
def test_mirrored_input_mirrored_output(seed):
    """Everything reflected, left and right exchanged: the same vertices."""
    table = biped_table(np.random.default_rng(seed))
    graph = table.graph
    mirrored = PenaltyTable(graph_of(graph.points * FLIP, graph.radii, graph.edges), table.reduced, table.candidates,
                            scale=0.3, weights=PAPER_WEIGHTS, strict=False)
    vertices = {n: int(v) for n, v in zip(("hips", "chest", "hand_L", "hand_R", "foot_L", "foot_R"),
                                          np.random.default_rng(seed + 50).permutation(40), strict=False)}
    swapped = {n[:-1] + {"L": "R", "R": "L"}.get(n[-1], n[-1]): v for n, v in vertices.items()}
    for whole in (False, True):
        options = replace(CORRECTIONS, whole_image=whole)
        one, at = places_of(table, **vertices)
        two, other = places_of(mirrored, **swapped)
        one, two = correct_limbs(table, one, options), correct_limbs(mirrored, two, options)
        for n in at:
            image = n[:-1] + {"L": "R", "R": "L"}.get(n[-1], n[-1])
            assert one.vertices[at[n]] == two.vertices[other[image]]
    for options in (CLUSTERS, replace(CLUSTERS, reach=0.2), replace(CLUSTERS, reach=0.2, least=3)):
        assert low_enough(graph, np.arange(40), options).tolist() == low_enough(mirrored.graph, np.arange(40),
                                                                                options).tolist()


# Options


def test_off_means_no_change():
    skeletal, reduced = find_middle(body("person")), reduce_template(load_template("biped"))
    graph = skeletal.graph
    plain = find_candidates(graph, reduced)
    chosen = choose_candidates(graph, reduced, {}, FitOptions(density=OFF))
    assert all(a is b for a, b in zip(drop_false_ends(graph, reduced, plain, OFF), plain, strict=True))
    assert [c.tolist() for c in chosen] == [c.tolist() for c in plain]
    table = biped_table(np.random.default_rng(2))
    before, _ = places_of(table, hand_L=1, hand_R=2, foot_L=3, foot_R=4)
    assert correct_limbs(table, before, OFF) is before


def test_same_input_same_bits():
    shape, reduced = body("person"), reduce_template(load_template("biped"))
    options = FitOptions(density=DensityOptions(clusters=True, hands=True, feet=True))
    runs = []
    for _ in range(2):
        skeletal = find_middle(shape, options)
        scale = template_scale(shape, reduced.template)
        runs.append(search(skeletal.graph, reduced, {}, scale=scale, sheets=skeletal.sheets, options=options)[0])
    assert runs[0].vertices.tolist() == runs[1].vertices.tolist() and runs[0].penalty == runs[1].penalty


# The published program's limb ends


def literal_ends(graph, places):
    """[BP07]: v with a neighbour o that no neighbour q, v at most twice as thick, continues with a cosine above 0.8."""
    ends = []
    for v in places:
        around = [int(a + b - v) for a, b in graph.edges if v in (a, b) and a in places and b in places]

        def goes_on(o, v=v, around=around):
            way = graph.points[v] - graph.points[o]
            for q in around:
                on = graph.points[q] - graph.points[v]
                cosine = way @ on / (np.linalg.norm(way) * np.linalg.norm(on))
                if graph.radii[v] <= 2 * graph.radii[q] and cosine > 0.8:
                    return True
            return False
        if not around or not all(goes_on(o) for o in around):
            ends.append(v)
    return ends or list(places)


@pytest.mark.parametrize("seed", range(8))
def test_the_papers_limb_ends_are_the_formula(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 14, 20)
    assert paper_limb_ends(graph).tolist() == literal_ends(graph, range(14))
    some = np.sort(rng.choice(14, 9, replace=False))
    assert paper_limb_ends(graph, some).tolist() == literal_ends(graph, some.tolist())


def test_a_straight_chain_ends_at_its_ends_and_a_ring_nowhere():
    line = np.stack([np.arange(6.0), np.zeros(6), np.zeros(6)], 1)
    assert paper_limb_ends(graph_of(line, [0.1] * 6, [(i, i + 1) for i in range(5)])).tolist() == [0, 5]
    angle = 2 * np.pi * np.arange(24) / 24
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    graph = graph_of(ring, [0.1] * 24, [(i, (i + 1) % 24) for i in range(24)])
    assert paper_limb_ends(graph).tolist() == list(range(24)), "so all may be"


def test_the_papers_ends_are_many_and_hold_the_real_ones():
    graph = find_middle(body("person"), PAPER).graph
    assert len(paper_limb_ends(graph)) > 3 * len(limb_ends(graph))

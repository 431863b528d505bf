"""The search is exhaustive search, only quicker."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import NoEmbedding
from core.fitting.embedding import _given_parent, _least_subtree, _Queue, embed
from core.fitting.penalties import PenaltyTable, mark_used
from core.fitting.search import search
from core.skeleton.preset import load_template
from core.skeleton.reduce import reduce_template
from tests.core.fitting.graphs import PAPER_WEIGHTS, graph_of, random_graph, small_biped, template_of


def problem(seed: int, *, count: int = 12, each: int = 4, scale: float = 0.45, **options) -> PenaltyTable:
    """A random graph and a few random candidates for every joint."""
    rng = np.random.default_rng(seed)
    graph, reduced = random_graph(rng, count, 8, thin=False), reduce_template(small_biped(rng))
    candidates = [np.sort(rng.choice(count, each, replace=False)) for _ in reduced.joints]
    return PenaltyTable(graph, reduced, candidates, scale=scale, weights=PAPER_WEIGHTS, **options)


def used_by(table, placed):
    used = np.zeros(len(table.graph.points), bool)
    for r in range(1, len(placed)):
        mark_used(used, table.walks[r][placed[table.reduced.parents[r]], placed[r]])
    return used


def completions(table: PenaltyTable, placed: tuple = (), spent: float = 0.0):
    """Every complete embedding of finite penalty: (penalty, candidate numbers)."""
    r = len(placed)
    if r == len(table.candidates):
        yield spent, placed
        return
    if r == 0:
        prices = np.zeros(len(table.candidates[0]))
    else:
        prices = table.price(r, list(placed), used_by(table, placed))
    for c in np.flatnonzero(np.isfinite(prices)):
        yield from completions(table, (*placed, int(c)), spent + float(prices[c]))


def best(table: PenaltyTable):
    return min(completions(table), default=(np.inf, ()))


def vertices_of(table, placed):
    return [int(table.candidates[r][c]) for r, c in enumerate(placed)]


def assert_is_best(table, limit):
    penalty, placed = best(table)
    if penalty < limit:
        found = embed(table, limit=limit)
        assert found.penalty == pytest.approx(penalty, abs=1e-9)
        assert found.vertices.tolist() == vertices_of(table, placed)
        assert sum(found.terms.values()) == pytest.approx(penalty, abs=1e-9)
    else:
        with pytest.raises(NoEmbedding, match="pin"):
            embed(table, limit=limit)


@pytest.mark.slow
@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.sampled_from([0.15, 0.3]))
def test_the_search_is_exhaustive_search(seed, scale):
    assert_is_best(problem(seed, each=5, scale=scale), np.inf)


@pytest.mark.parametrize("seed", range(3))
def test_the_relaxed_search_is_exhaustive_search_and_always_finds_one(seed):
    table = problem(seed, each=3, scale=3.0, strict=False)
    assert np.isfinite(best(table)[0])
    assert_is_best(table, np.inf)


@pytest.mark.parametrize("seed", range(6))
def test_an_embedding_must_stay_below_the_limit(seed):
    table = problem(seed, scale=0.3)
    penalty = best(table)[0]
    assert np.isfinite(penalty)
    assert_is_best(table, penalty + 1e-6)
    assert_is_best(table, penalty - 1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_are_never_above_the_true_completion(seed):
    """For every embedding and every joint: what the subtrees below really cost is at least what was promised."""
    table = problem(seed, scale=0.3)
    least = _least_subtree(table)
    below = [_given_parent(table, least, r) for r in range(len(table.candidates))]
    parents, seen = table.reduced.parents, 0
    for penalty, placed in itertools.islice(completions(table), 2000):
        spent = 0.0
        for k in range(1, len(placed) + 1):
            if k > 1:
                spent += table.price(k - 1, list(placed[:k - 1]), used_by(table, placed[:k - 1]))[placed[k - 1]]
            waiting = sum(below[r][placed[parents[r]]] for r in range(k, len(placed)) if parents[r] < k)
            assert spent + waiting <= penalty + 1e-9
        seen += 1
    assert seen > 5


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_candidates_does_not_matter(seed, rng):
    table = problem(seed, scale=0.3)
    shuffled = PenaltyTable(table.graph, table.reduced, [rng.permutation(c) for c in table.candidates], scale=0.3,
                            weights=PAPER_WEIGHTS)
    one, two = embed(table, limit=np.inf), embed(shuffled, limit=np.inf)
    assert one.vertices.tolist() == two.vertices.tolist()
    assert one.penalty == pytest.approx(two.penalty)


def test_a_search_out_of_budget_still_ends_with_an_embedding():
    table = problem(1, count=30, each=12, scale=0.3, strict=False)
    whole, hasty = embed(table, limit=np.inf), embed(table, limit=np.inf, budget=3)
    assert whole.expanded > hasty.expanded
    assert whole.penalty <= hasty.penalty < np.inf
    assert sum(hasty.terms.values()) == pytest.approx(hasty.penalty)


def test_a_skeleton_much_larger_than_the_body_does_not_fit():
    with pytest.raises(NoEmbedding, match="another preset"):
        embed(problem(0, scale=50.0))


def mirrored_problem():
    """A cross with arms along x: vertices 0 to 2 on the plane from top to bottom, then pairs."""
    points = [[0, 0, 0.8], [0, 0, 0.65], [0, 0, 0.5], [0.3, 0, 0.7], [-0.3, 0, 0.7], [0.5, 0, 0.65], [-0.5, 0, 0.65],
              [0.15, 0, 0.25], [-0.15, 0, 0.25], [0.2, 0, 0.02], [-0.2, 0, 0.02]]
    edges = [[0, 1], [1, 2], [0, 3], [0, 4], [3, 5], [4, 6], [2, 7], [2, 8], [7, 9], [8, 10]]
    graph = graph_of(points, [0.08] * 11, edges, np.array([0, 1, 2, 4, 3, 6, 5, 8, 7, 10, 9]))
    return graph, reduce_template(small_biped())


def test_partners_are_placed_as_mirror_images():
    graph, reduced = mirrored_problem()
    found, warnings = search(graph, reduced, {}, scale=1.0)
    assert not warnings
    assert found.vertices.tolist() == [0, 2, 5, 6, 9, 10]


@pytest.mark.parametrize("pinned", ["chest", "hips", "hand.L", "hand.R", "foot.L", "foot.R"])
@pytest.mark.parametrize("vertex", range(0, 11, 2))
def test_a_pinned_joint_takes_the_nearest_vertex_whatever_the_rest_costs(pinned, vertex):
    """Also where it can only be placed by giving up the mirror image or the limits."""
    graph, reduced = mirrored_problem()
    joint = reduced.template.index(pinned)
    found, _ = search(graph, reduced, {joint: graph.points[vertex] + 0.01}, scale=1.0)
    assert found.vertices[list(reduced.joints).index(joint)] == vertex


def test_a_chain_of_two_is_placed_where_its_length_and_direction_say():
    points = np.array([[0, 0, z] for z in np.linspace(0, 1, 11)])
    graph = graph_of(points, [0.02] * 11, [[i, i + 1] for i in range(10)])
    reduced = reduce_template(template_of({"a": (None, (0, 0, 0)), "b": ("a", (0, 0, -0.5))}))
    table = PenaltyTable(graph, reduced, [np.array([6]), np.arange(11)], scale=1.0)
    assert embed(table).vertices.tolist()[1] < 3, "down, and not shorter than wanted"


@pytest.mark.parametrize("neck, leg", [(0.6, 0.11), (0.66, 0.11), (0.66, 0.2)])
def test_arms_unlike_the_templates_are_still_no_legs(neck, leg):
    """Raised so high that arms along the legs, one end for hand and foot, would cost less by the paper's terms."""
    shoulder, hand = np.array([0.15, 0.0, neck]), np.array([0.2, 0.2, 0.8])
    arm = [shoulder + t * (hand - shoulder) for t in (0.0, 0.33, 0.67, 1.0)]
    left = np.array([*arm, [leg, 0.0, 0.42], [leg, 0.0, 0.24], [leg, -0.03, 0.04]])
    middle = np.array([[0, 0, 0.54], [0, 0, neck], [0, 0, 0.74], [0, 0, 0.88]])
    edges = [(0, 1), (1, 2), (2, 3)]
    for o in (4, 11):
        edges += [(1, o), (o, o + 1), (o + 1, o + 2), (o + 2, o + 3), (0, o + 4), (o + 4, o + 5), (o + 5, o + 6)]
    graph = graph_of(np.concatenate([middle, left, left * [-1, 1, 1]]),
                     [0.12, 0.1, 0.05, 0.04] + 2 * [0.06, 0.05, 0.04, 0.03, 0.07, 0.06, 0.04], edges,
                     np.array([0, 1, 2, 3, *range(11, 18), *range(4, 11)]))
    reduced = reduce_template(load_template("biped"))
    found, warnings = search(graph, reduced, {}, scale=0.88 / np.ptp(reduced.template.positions, axis=0).max())
    at = {reduced.template.names[j]: int(v) for j, v in zip(reduced.joints, found.vertices, strict=True)}
    assert [at[n] for n in ("hand_tip.L", "hand_tip.R", "toe_tip.L", "toe_tip.R")] == [7, 14, 10, 17]
    assert not warnings


def test_of_too_many_partial_embeddings_the_best_of_the_most_complete_are_kept():
    queue = _Queue(limit=10.0)
    for placed, bounds in (((1,), [1.0]), ((1, 2), [5.0, 4.0]), ((3, 4), [3.0]), ((5, 6), [6.0])):
        queue.offer(placed, np.arange(len(bounds)), np.array(bounds))
    queue.keep_deepest(2)
    assert [queue.pop() for _ in range(3)] == [(3.0, (3, 4, 0)), (4.0, (1, 2, 1)), (5.0, (1, 2, 0))]
    assert not queue.heap

"""The tabulated penalties are the paper's formulas."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.penalties import PAIR_TERMS, PENALTY_WEIGHTS, PLACED_TERMS, PenaltyTable, mark_used
from core.skeleton.reduce import reduce_template
from tests.core.fitting.graphs import PAPER_WEIGHTS, LiteralPenalty, graph_of, random_graph, small_biped, template_of

PAPER = tuple(n for n in PAPER_WEIGHTS if n != "sheet")


def problem(seed: int, *, count: int = 9, scale: float = 0.8, **options):
    rng = np.random.default_rng(seed)
    graph, reduced = random_graph(rng, count), reduce_template(small_biped(rng))
    candidates = [np.arange(count)] * len(reduced.joints)
    options = {"weights": PAPER_WEIGHTS} | options
    return graph, reduced, PenaltyTable(graph, reduced, candidates, scale=scale, **options)


def used_by(table, placed):
    used = np.zeros(len(table.graph.points), bool)
    for r in range(1, len(placed)):
        mark_used(used, table.walks[r][placed[table.reduced.parents[r]], placed[r]])
    return used


def literal_price(literal, table, r, at) -> float:
    """Weighted sum; a weighted term above 1 rejects."""
    weighted = [table.weights[n] * x for n, x in literal.terms(r, at).items()]
    return np.inf if max(weighted) > 1 else sum(weighted)


def test_every_term_has_a_weight():
    assert set(PENALTY_WEIGHTS) == set(PAPER_WEIGHTS) == set(PAIR_TERMS) | set(PLACED_TERMS)
    assert all(np.isfinite(w) and w >= 0 for w in PENALTY_WEIGHTS.values())


@pytest.mark.parametrize("seed", range(8))
def test_every_price_is_the_literal_formula(seed):
    """All candidates of every joint, after partial embeddings of all kinds: joints apart, stacked, on shared paths."""
    graph, reduced, table = problem(seed)
    literal = LiteralPenalty(graph, reduced, 0.8)
    rng = np.random.default_rng(seed + 100)
    finite = 0
    for _ in range(8):
        placed = [int(x) for x in rng.integers(0, len(graph.points), len(reduced.joints))]
        for r in range(1, len(placed)):
            price = table.price(r, placed[:r], used_by(table, placed[:r]))
            wanted = [literal_price(literal, table, r, [*placed[:r], v]) for v in range(len(graph.points))]
            np.testing.assert_allclose(price, wanted, atol=1e-9)
            finite += int(np.isfinite(price).sum())
    assert finite > 25, "the comparison must not be of rejections only"


@pytest.mark.parametrize("seed", range(4))
def test_pair_terms_and_placed_terms_are_the_literal_ones_term_by_term(seed):
    graph, reduced, table = problem(seed, scale=0.5)
    literal = LiteralPenalty(graph, reduced, 0.5)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        placed = [int(x) for x in rng.integers(0, len(graph.points), len(reduced.joints))]
        for r in range(1, len(placed)):
            u, v = placed[reduced.parents[r]], placed[r]
            pair = table.pair_terms(r, np.array([u]), np.array([v]), table.walks[r][u, v][None])[:, 0]
            rest = table.placed_terms(r, placed[:r], used_by(table, placed[:r]))[:, v]
            found = dict.fromkeys(PAPER, 0.0)
            for name, value in [*zip(PAIR_TERMS, pair, strict=True), *zip(PLACED_TERMS, rest, strict=True)]:
                if name in found:
                    found[name] += value
            for name, value in literal.terms(r, placed[:r + 1]).items():
                assert found[name] == pytest.approx(value, abs=1e-7), name


def test_no_term_stays_unexercised():
    """Over the random problems every term is nonzero somewhere and every reason to reject occurs."""
    worst = dict.fromkeys(PAPER, 0.0)
    rejected = set()
    for seed in range(8):
        graph, reduced, _ = problem(seed)
        literal = LiteralPenalty(graph, reduced, 0.8)
        rng = np.random.default_rng(seed + 100)
        for _ in range(6):
            placed = [int(x) for x in rng.integers(0, len(graph.points), len(reduced.joints))]
            for r in range(1, len(placed)):
                for name, value in literal.terms(r, placed[:r + 1]).items():
                    worst[name] = max(worst[name], value if np.isfinite(value) else 0.0)
                    if np.isinf(value):
                        rejected.add(name)
    assert min(worst.values()) > 0, worst
    assert rejected == {"short_chain", "direction", "shared_path"}


def test_some_of_the_candidates_cost_what_they_cost_among_all():
    _graph, _reduced, table = problem(3)
    placed = [0, 4, 2]
    used = used_by(table, placed)
    among = np.array([1, 5, 6])
    np.testing.assert_array_equal(table.price(3, placed, used, among), table.price(3, placed, used)[among])


@pytest.mark.slow
def test_explained_terms_sum_to_the_price_and_a_relaxed_table_rejects_nothing():
    graph, reduced, strict = problem(5)
    relaxed = problem(5, strict=False)[2]
    rng = np.random.default_rng(0)
    compared = 0
    for _ in range(200):
        placed = [int(x) for x in rng.integers(0, len(graph.points), len(reduced.joints))]
        prices = [[t.price(r, placed[:r], used_by(t, placed[:r]))[placed[r]] for r in range(1, len(placed))]
                  for t in (strict, relaxed)]
        assert np.isfinite(prices[1]).all()
        assert sum(relaxed.explain(placed).values()) == pytest.approx(sum(prices[1]))
        accepted = np.isfinite(prices[0])
        compared += accepted.sum()
        np.testing.assert_allclose(np.array(prices[0])[accepted], np.array(prices[1])[accepted])
    assert compared > 100


def test_a_weight_of_zero_silences_a_term_but_not_its_rejection():
    graph, reduced, plain = problem(1)
    silent = PenaltyTable(graph, reduced, plain.candidates, scale=0.8, weights=PAPER_WEIGHTS | {"short_chain": 0.0})
    for r in range(1, len(reduced.joints)):
        assert np.array_equal(np.isfinite(silent.pair[r]), np.isfinite(plain.pair[r]))
        finite = np.isfinite(plain.pair[r])
        assert (silent.pair[r][finite] <= plain.pair[r][finite] + 1e-12).all()


def test_without_a_path_there_is_no_chain():
    graph = graph_of([[0, 0, 0], [0, 0, -0.5], [0, 0, -1.0]], [0.1, 0.1, 0.1], [[0, 1]])
    template = template_of({"a": (None, (0, 0, 0)), "b": ("a", (0, 0, -0.5))})
    table = PenaltyTable(graph, reduce_template(template), [np.array([0]), np.arange(3)], scale=1.0)
    assert np.isfinite(table.pair[1][0, 1]) and np.isinf(table.pair[1][0, 2])


def test_sheets_are_dearer_ends_of_mirrored_limbs_than_tubes():
    graph, reduced, plain = problem(2)
    sheets = np.full(len(graph.points), 1.0)
    sheets[4] = 20.0
    dear = PenaltyTable(graph, reduced, plain.candidates, scale=0.8, weights=PAPER_WEIGHTS, sheets=sheets)
    for r in range(1, len(reduced.joints)):
        finite = np.isfinite(plain.pair[r]) & np.isfinite(dear.pair[r])
        more = np.where(finite, dear.pair[r], 0.0) - np.where(finite, plain.pair[r], 0.0)
        is_limb = reduced.is_leaf[r] and reduced.mirror[r] >= 0
        assert np.abs(np.delete(more, 4, axis=1)).max() == 0
        assert (more[:, 4][finite[:, 4]] > 0).all() if is_limb else (more[:, 4] == 0).all()

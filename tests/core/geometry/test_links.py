"""Parts of random and of awkward graphs against the plain walk."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from core.geometry.links import linked_parts

MANY = 20_000


def expected(count, one, two):
    graph = sparse.coo_matrix((np.ones(len(one)), (one, two)), shape=(count, count))
    return connected_components(graph, directed=False)[1]


def path(rng):
    order = rng.permutation(MANY)
    return MANY, order[:-1], order[1:]


def star(rng):
    return MANY, np.full(MANY - 1, MANY - 1), np.arange(MANY - 1)


def islands(rng):
    one = rng.integers(0, 3 * MANY, MANY)
    return 3 * MANY, one, np.minimum(one + rng.integers(0, 9, MANY), 3 * MANY - 1)


def few(rng):
    return 9, np.array([7, 3]), np.array([2, 3])


@pytest.mark.parametrize("graph", [path, star, islands, few])
def test_parts_are_those_of_a_walk_numbered_by_their_first_things(graph):
    count, one, two = graph(np.random.default_rng(0))
    given = one.copy(), two.copy()
    assert (linked_parts(count, one, two) == expected(count, one, two)).all()
    assert (one == given[0]).all() and (two == given[1]).all()


def test_nothing_and_no_links():
    assert len(linked_parts(0, np.zeros(0, int), np.zeros(0, int))) == 0
    assert linked_parts(3, np.zeros(0, int), np.zeros(0, int)).tolist() == [0, 1, 2]

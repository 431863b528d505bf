"""Bodies of blocks: walls that touch are drawn apart, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.blocks import DRAWN, LEAST_BLOCKS, MOST_FACES, drawn_apart
from core.geometry.mesh import Mesh
from core.geometry.rotation import from_vector, rotate
from tests.characters import person
from tests.characters.blocky import block_figure, box
from tests.core.geometry.soups import ball, join


def inner_walls(mesh: Mesh, names) -> dict[str, tuple[float, float]]:
    """{object: lowest and highest x} of a figure's objects."""
    return {name: (float(x.min()), float(x.max()))
            for name, x in ((n, mesh.vertices[mesh.part_of_vertex == k, 0]) for k, n in enumerate(names))}


@pytest.mark.parametrize("split", [False, True])
def test_a_slit_opens_between_walls_that_touch_and_the_outside_stays(split):
    figure = block_figure(split=split)
    mesh, names = figure.mesh, [part.name for part in figure.meshes]
    apart = drawn_apart(mesh)
    tall = np.ptp(mesh.vertices[:, 2])
    at = inner_walls(apart, names)
    assert at["leg L"] == pytest.approx((DRAWN * tall, 0.25)) and at["leg R"] == pytest.approx((-0.25, -DRAWN * tall))
    assert at["arm L"] == pytest.approx((0.25 + DRAWN * tall, 0.5))
    assert at["trunk"] == pytest.approx((-0.25 + DRAWN * tall, 0.25 - DRAWN * tall))
    assert (apart.faces == mesh.faces).all()
    for end in (np.min, np.max):
        np.testing.assert_allclose(end(apart.vertices, 0), end(mesh.vertices, 0), atol=1e-12)


def test_the_way_a_figure_lies_and_its_size_do_not_matter():
    figure = block_figure().mesh
    turn = from_vector(np.array([0.4, -0.9, 0.3]))
    turned = figure.moved(50 * rotate(turn, figure.vertices) + [3, 1, -7])
    np.testing.assert_allclose(drawn_apart(turned).vertices,
                               50 * rotate(turn, drawn_apart(figure).vertices) + [3, 1, -7], atol=1e-9)


def test_a_block_is_drawn_in_by_a_quarter_at_most():
    thin = [box(str(k), (0.05 * k, 0, 0), (0.05 * (k + 1), 1, 4)) for k in range(LEAST_BLOCKS + 1)]
    apart = drawn_apart(join(*thin))
    wide = np.ptp(apart.vertices[:, 0].reshape(-1, 8), axis=1)
    assert wide == pytest.approx([0.0375, *[0.025] * (LEAST_BLOCKS - 1), 0.0375])


@pytest.mark.parametrize("mesh", [
    person(vertices=1500).mesh,
    join(*(ball((0, 0, 2 * k)) for k in range(6))),
    join(*(box(str(k), (2 * k, 0, 0), (2 * k + 1, 1, 1)) for k in range(6))),
    join(*(box(str(k), (k, 0, 0), (k + 1, 1, 1)) for k in range(LEAST_BLOCKS - 1))),
    join(ball((0, 0, 5), 3), *(box(str(k), (k, 0, 0), (k + 1, 1, 1)) for k in range(6))),
    join(*(box(str(k), (k, 0, 0), (k + 1, 1, 1)) for k in range(MOST_FACES // 12 + 1)))],
    ids=["person", "balls that touch", "boxes apart", "too few", "mostly no blocks", "too many"])
def test_what_is_no_figure_of_blocks_stays_as_it_is(mesh):
    assert drawn_apart(mesh) is mesh


def test_vertices_without_faces_stay():
    figure = block_figure().mesh
    loose = Mesh(np.vstack([figure.vertices, [[0, 0, 1.0]]]), figure.faces)
    assert (drawn_apart(loose).vertices[-1] == [0, 0, 1]).all()


def test_what_overlaps_is_drawn_in_by_as_much_more():
    """As the sleeves of a second layer do: the slit is as wide as where walls only touch."""
    legs = [box(str(k), (0.5 * k - 0.015, 0, 0), (0.5 * k + 0.515, 0.5, 3)) for k in range(LEAST_BLOCKS)]
    apart = drawn_apart(join(*legs)).vertices[:, 0].reshape(-1, 8)
    slits = apart.min(1)[1:] - apart.max(1)[:-1]
    assert (slits > 2 * DRAWN * 3).all() and (slits < 2 * DRAWN * 3 + 0.03).all()

"""The stance network sees a body's four ways in a plane as one who turned the body itself would, and tells alike."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.errors import BadTemplate
from core.geometry.scatter import SurfaceScatter, scatter_surface
from core.seeing import blas
from core.seeing.proposals import BLOCKS, CELLS, WAYS, propose
from core.seeing.stance import look
from core.seeing.stance_network import (
    FORMAT,
    MAPS,
    PRESETS,
    VERSION,
    StanceNetwork,
    _around,
    draw_ways,
    features,
    load_stance_network,
    read_stance_network,
)
from tests.characters import person, quadruped


@pytest.fixture(scope="module")
def scatter() -> SurfaceScatter:
    return scatter_surface(quadruped(vertices=1200).mesh)


def test_views_of_the_four_ways_are_views_of_the_turned_body(rng):
    half = rng.random((1, CELLS // 2, CELLS, CELLS)) < 0.02
    views = draw_ways(half)
    for way, (_, y, z) in enumerate(WAYS.astype(int)):
        turned = half[:, :, ::y, ::z]
        for view, other in zip(views, draw_ways(turned), strict=True):
            np.testing.assert_array_equal(view[:, way], other[:, 0])


def test_views_are_outline_nearness_from_both_sides_and_count():
    half = np.zeros((1, CELLS // 2, CELLS, CELLS), bool)
    half[0, 3, 5, 7] = half[0, 9, 5, 7] = True
    side, front, above = (v[0, 0] for v in draw_ways(half))
    np.testing.assert_allclose(side[7, 5], [1, 13 / 16, 10 / 16, 2 / 8])
    np.testing.assert_allclose(front[7, 3], [1, 27 / 32, 6 / 32, 1 / 8])
    np.testing.assert_allclose(above[5, 9], [1, 25 / 32, 8 / 32, 1 / 8])
    assert side.sum(-1).astype(bool).sum() == 1 and front.sum(-1).astype(bool).sum() == 2


def test_what_is_given_besides_views_is_scaled_and_bounded(rng):
    fine, unlike = rng.normal(scale=2, size=(3, BLOCKS, BLOCKS)), np.array([[0.01, 0.25], [0.0, 0.0], [1.0, 3.0]])
    given = features(fine, unlike)
    assert np.abs(given).max() == 2
    for way, (_, y, z) in enumerate(WAYS.astype(int)):
        turned = np.clip(fine, -2, 2)[:, ::z, ::y]
        np.testing.assert_allclose(given[:, way, -2:], [[0.3, 0.5], [0, 0], [2, 2]], atol=1e-6)
        np.testing.assert_allclose(given[:, way, :-2], turned.reshape(3, -1), atol=1e-6)


def test_one_convolution_is_what_its_definition_says(rng):
    numbers = {"calibration": np.array([1.0, 0, 0, 0]), "told.weight": np.zeros((1, 3)),
               "look.0.0.weight": rng.normal(size=(9 * 4 * MAPS, 2)), "look.0.0.bias": rng.normal(size=2)}
    x = rng.normal(size=(1, 4, 6, 4 * MAPS)).astype(np.float32)
    got = StanceNetwork(numbers)._layer(_around(x), "look.0.0")
    weight = numbers["look.0.0.weight"].reshape(3, 3, 4 * MAPS, 2)
    padded = np.pad(x[0], ((1, 1), (1, 1), (0, 0)))
    for i in range(4):
        for j in range(6):
            sum_ = np.einsum("abk,abko->o", padded[i : i + 3, j : j + 3], weight) + numbers["look.0.0.bias"]
            np.testing.assert_allclose(got[0, i, j], np.maximum(sum_, 0), atol=1e-4)


@pytest.mark.parametrize(("axes", "degrees"), [("x", [90]), ("z", [180]), ("yz", [90, 90])])
def test_a_turned_body_is_seen_alike_in_every_way(scatter, axes, degrees):
    """Each way to stand has the same odds whichever side the body lies on, but for the odd cell at a boundary."""
    matrix = Rotation.from_euler(axes, degrees, degrees=True).as_matrix().round()
    first, second = look(scatter), look(scatter.turned(matrix))
    away = np.abs((second.rotations @ matrix)[:, None] - first.rotations).max((2, 3))
    partner = away.argmin(0)
    assert away.min(0).max() < 1e-3
    assert np.abs(second.odds[partner] - first.odds).max() < 1.0
    assert partner[first.odds.argmax()] == second.odds.argmax()


def test_a_mirrored_body_is_seen_alike(scatter):
    flip = np.array([-1.0, 1, 1])
    mirrored = SurfaceScatter(scatter.points * flip, scatter.normals * flip, scatter.details * flip)
    first, second = look(scatter), look(mirrored)
    assert abs(first.odds.max() - second.odds.max()) < 1.0
    np.testing.assert_allclose(first.best, second.best, atol=1e-6)


def test_the_same_body_gives_the_same_bits_and_is_not_modified(scatter):
    proposals = propose(scatter)
    before = proposals.halves.copy()
    (odds, kinds), (again, kinds_again) = (load_stance_network()(proposals) for _ in range(2))
    assert odds.tobytes() == again.tobytes() and kinds.tobytes() == kinds_again.tobytes()
    assert (before == proposals.halves).all()
    assert odds.shape == proposals.rotations.shape[:2]


def test_the_number_of_threads_changes_no_bit(scatter):
    found = blas._openblas()
    if found is None:
        pytest.skip("scipy has no OpenBLAS of its own here")
    proposals, (ask, tell) = propose(scatter), found
    before, answers = ask(), []
    try:
        for count in (1, 2, 3):
            tell(count)
            answers.append(load_stance_network()(proposals))
    finally:
        tell(before)
    for odds, kinds in answers[1:]:
        assert odds.tobytes() == answers[0][0].tobytes() and kinds.tobytes() == answers[0][1].tobytes()


def test_what_one_hand_holds_is_left_out_and_the_rest_fills_the_cube():
    body = scatter_surface(person(vertices=1200).mesh)
    spear = np.c_[np.full(300, 0.4), np.zeros(300), np.linspace(-0.5, 1.5, 300)]
    armed = SurfaceScatter(np.concatenate([body.points, spear]), np.concatenate([body.normals, 0 * spear + [1, 0, 0]]),
                           body.details)
    for scatter in (body, armed):
        proposals = propose(scatter, verticals=(2,))
        best = proposals.unlike[:, 0].argmin()
        assert np.abs(proposals.rotations[best, 0] @ [1, 0, 0])[0] > 0.999
        z = np.flatnonzero(proposals.halves[best].any((0, 1)))
        assert z.min() <= 1 and z.max() >= CELLS - 2


def test_files_that_are_not_sound_are_refused(tmp_path):
    with np.load(PRESETS / "stance.npz") as file:
        sound = {name: file[name] for name in file.files}
    path = tmp_path / "stance.npz"
    for numbers in (sound | {"version": VERSION + 1}, sound | {"format": "something else"},
                    {n: x for n, x in sound.items() if n != "calibration"},
                    {n: x for n, x in sound.items() if n != "told.weight"}):
        np.savez(path, **numbers)
        with pytest.raises(BadTemplate, match="stance network"):
            read_stance_network(path)
    path.write_bytes(b"PK broken")
    with pytest.raises(BadTemplate, match="Install the extension again"):
        read_stance_network(path)
    with pytest.raises(BadTemplate):
        read_stance_network(tmp_path / "none.npz")
    assert str(sound["format"]) == FORMAT


def test_the_file_that_ships_is_small_and_holds_no_objects():
    assert (PRESETS / "stance.npz").stat().st_size < 600_000
    with np.load(PRESETS / "stance.npz", allow_pickle=False) as file:
        assert all(file[name].dtype == np.float16 for name in file.files if name not in ("format", "version"))

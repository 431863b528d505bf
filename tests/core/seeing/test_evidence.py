"""Evidence: what three views say of a place is added up, and left and right are treated alike whatever is learned."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

from core.errors import BadTemplate
from core.geometry.mesh import Mesh
from core.seeing import blas
from core.seeing import evidence as seeing
from core.seeing.evidence import MARGIN, Evidence, kind_odds, look
from core.seeing.landmarks import LANDMARKS, OUTPUTS, OUTPUTS_OF, mirrored
from core.seeing.network import PRESETS, LandmarkNetwork, read_network
from core.seeing.views import CELLS, MAPS
from tests.shapes import ball, box


def lopsided() -> Mesh:
    """A ball on one side of a box."""
    one, two = box((1.0, 0.6, 0.8), centre=(0.0, 0.0, 0.4)).mesh, ball(0.22, centre=(0.55, -0.2, 0.6)).mesh
    return Mesh(np.concatenate([one.vertices, two.vertices]),
                np.concatenate([one.faces, two.faces + len(one.vertices)]))


def mirror_image(mesh: Mesh) -> Mesh:
    return Mesh(mesh.vertices * [-1, 1, 1], mesh.faces[:, ::-1])


def any_network(views: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One that has learned nothing, and treats no two sides alike."""
    rng = np.random.default_rng(7)
    mix = rng.normal(size=(3, len(OUTPUTS), views.shape[2])).astype(np.float32)
    slant = rng.normal(size=(3, len(OUTPUTS), CELLS, CELLS)).astype(np.float32)
    heat = np.einsum("vjm,nvmrc->nvjrc", mix, views) + slant
    return heat, views.sum((1, 3, 4)) @ rng.normal(size=(views.shape[2], len(LANDMARKS))).astype(np.float32) / 1e3


@pytest.fixture(autouse=True)
def learned_nothing():
    """No file is needed."""
    with mock.patch.object(seeing, "load_network", lambda: any_network):
        yield


@pytest.mark.parametrize("kind", LANDMARKS)
def test_every_map_is_a_probability(kind):
    evidence = look(lopsided(), kind)
    assert evidence.kind == kind and evidence.names == LANDMARKS[kind]
    np.testing.assert_allclose(np.exp(evidence.heat.astype(float)).sum((2, 3)), 1, atol=1e-4)


def test_the_kinds_are_told_apart_by_probabilities_alike_for_a_body_and_its_mirror_image():
    mesh = lopsided()
    odds = kind_odds(mesh)
    assert tuple(odds) == tuple(LANDMARKS) and np.exp(list(odds.values())).sum() == pytest.approx(1, abs=1e-4)
    assert kind_odds(mirror_image(mesh)) == pytest.approx(odds, abs=1e-4)


def test_a_mesh_is_looked_at_once():
    seen = []
    with mock.patch.object(seeing, "load_network", lambda: counting):
        def counting(views):
            seen.append(len(views))
            return any_network(views)
        mesh = lopsided()
        one = look(mesh, "biped")
        kind_odds(mesh)
        look(mesh, "quadruped")
        np.testing.assert_array_equal(look(mesh, "biped").heat, one.heat)
    assert seen == [2]
    look(mesh, "biped")  # by another network again
    assert seen == [2]


def test_what_was_answered_is_answered_again_without_thinking(rng, monkeypatch):
    network = read_network(PRESETS / "network.npz")
    views = [rng.random((1, 3, MAPS, CELLS, CELLS), np.float32) for _ in range(2)]
    first = [network(x) for x in views]
    monkeypatch.setattr(network, "_conv", None)
    for one, again in zip(first, map(network, views), strict=True):
        np.testing.assert_array_equal(one[0], again[0])
        np.testing.assert_array_equal(one[1], again[1])
    with pytest.raises(ValueError):
        first[0][0][:] = 0  # it would change what is answered next


@pytest.mark.parametrize("rows, between, columns", [(1, 1, 1), (7, 300, 5), (400, 9, 1)])
def test_products_are_those_of_numpy_and_are_written_where_asked(rng, rows, between, columns):
    a, b = rng.normal(size=(rows, between)).astype(np.float32), rng.normal(size=(between, columns)).astype(np.float32)
    out = np.full((rows, columns), np.nan, np.float32)
    assert blas.product(a, b, out) is out
    np.testing.assert_allclose(out, a.astype(float) @ b, atol=1e-4)
    np.testing.assert_array_equal(blas.product(a, b), out)


@pytest.mark.long
def test_the_number_of_threads_changes_no_bit(rng):
    found = blas._openblas()
    if found is None:
        pytest.skip("scipy has no OpenBLAS of its own here")
    views, (ask, tell) = rng.random((2, 3, MAPS, CELLS, CELLS), np.float32), found
    before, answers = ask(), []
    try:
        for count in (1, 2, 3):
            tell(count)
            answers.append(read_network(PRESETS / "network.npz")(views))
            assert ask() == count
    finally:
        tell(before)
    for other in answers[1:]:
        np.testing.assert_array_equal(other[0], answers[0][0])
        np.testing.assert_array_equal(other[1], answers[0][1])


def test_small_images_are_convolved_as_if_their_pixels_were_four(rng):
    weight, bias = rng.normal(size=(9 * 7, 3)), rng.normal(size=3)
    network = LandmarkNetwork({"last.0.weight": np.zeros((1, 4)), "up.weight": weight, "up.bias": bias})
    small, x = rng.normal(size=(5, 4, 4, 2)).astype(np.float32), rng.normal(size=(5, 8, 8, 5)).astype(np.float32)
    whole = network._conv(np.concatenate([small.repeat(2, 1).repeat(2, 2), x], -1), "up")
    np.testing.assert_allclose(network._conv_up(small, x, "up"), whole, atol=1e-4)


def test_places_are_the_body_and_close_around_it():
    evidence = look(lopsided(), "biped")
    held = np.zeros((CELLS, CELLS, CELLS), bool)
    held[tuple((evidence.places * CELLS).astype(int).T)] = True
    solid = np.argwhere(evidence.sight.solid)
    np.testing.assert_allclose((evidence.places * CELLS) % 1, 0.5)  # middles of cells
    assert held[evidence.sight.solid].all() and held.sum() == len(evidence.places)
    for cell in np.argwhere(held)[::97]:
        assert np.abs(solid - cell).sum(1).min() <= MARGIN


def test_evidence_at_a_place_is_the_sum_of_three_views(rng):
    evidence = look(lopsided(), "quadruped")
    points = rng.uniform(0, 1, (50, 3))
    points[:2] = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]  # at the very rim too
    found = evidence.at(points)
    for i, (x, y, z) in enumerate(np.minimum((points * CELLS).astype(int), CELLS - 1)):
        naive = evidence.heat[0, :, z, y] + evidence.heat[1, :, z, x] + evidence.heat[2, :, y, x]
        np.testing.assert_allclose(found[:, i], naive, atol=1e-4)


@pytest.mark.parametrize("nowhere", [1.0, 0.5, 1e-3])
def test_what_lies_evenly_beside_the_body_is_how_likely_a_joint_is_nowhere(nowhere):
    """A map is so much of an even one, and of one that is all on the body."""
    seen = look(lopsided(), "biped")
    heat = np.array(seen.heat, np.float64)
    for axis in range(3):
        on = seen.sight.solid.any(axis).T
        heat[axis] = np.log(nowhere / CELLS**2 + (1 - nowhere) * on / on.sum())
    found = Evidence("biped", seen.names, heat, seen.sight, seen.places).gone
    np.testing.assert_allclose(found, np.log(nowhere), atol=1e-5)


@pytest.mark.parametrize(("depth", "says"), [(0.02, True), (1.0, False)])
def test_a_view_that_the_body_fills_tells_nothing_of_joints_that_are_nowhere(depth, says):
    """A plate fills the view along its normal, a cube all three."""
    seen = look(box((1.0, depth, 1.0)).mesh, "biped")
    even = np.full_like(seen.heat, -2 * np.log(CELLS))
    found = Evidence("biped", seen.names, even, seen.sight, seen.places).gone
    assert np.isfinite(found).all() and (found > -1e-3).all() == says


@pytest.mark.parametrize("kind", LANDMARKS)
def test_a_mirrored_body_has_mirrored_evidence_whatever_was_learned(kind):
    mesh, partner = lopsided(), mirrored(LANDMARKS[kind])
    one, two = look(mesh, kind), look(mirror_image(mesh), kind)
    np.testing.assert_array_equal(two.sight.solid, one.sight.solid[::-1])  # or the test's body lies on cells' borders
    np.testing.assert_allclose(two.heat[0], one.heat[0][partner], atol=1e-4)
    np.testing.assert_allclose(two.heat[1:], one.heat[1:][:, partner][..., ::-1], atol=1e-4)


def test_evidence_checks_and_freezes_what_it_is_given():
    evidence = look(lopsided(), "biped")
    with pytest.raises(ValueError, match="read-only"):
        evidence.heat[0, 0, 0, 0] = 1.0
    with pytest.raises(ValueError, match="heat"):
        Evidence("biped", evidence.names[:3], evidence.heat, evidence.sight, evidence.places)


def test_landmarks_have_their_partners_and_limbs_alike_one_map():
    for kind, names in LANDMARKS.items():
        partner = mirrored(names)
        assert [partner[p] for p in partner] == list(range(len(names)))
        assert all(names[p] == n.replace(".L", ".?").replace(".R", ".L").replace(".?", ".R")
                   for n, p in zip(names, partner, strict=True))
        assert len(set(OUTPUTS_OF[kind])) == len(names)
    assert {i for numbers in OUTPUTS_OF.values() for i in numbers} == set(range(len(OUTPUTS)))
    at = {kind: dict(zip(LANDMARKS[kind], OUTPUTS_OF[kind], strict=True)) for kind in LANDMARKS}
    assert at["centaur"]["hand.L"] == at["biped"]["hand.L"] and at["centaur"]["tail"] == at["quadruped"]["tail"]
    assert at["centaur"]["head"] == at["biped"]["head"] != at["quadruped"]["head"]


BROKEN = {"text": b"no network", "arrays of something else": None, "missing": None}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_file_that_is_no_network_is_named(kind, tmp_path):
    path = tmp_path / "odd.npz"
    if BROKEN[kind] is not None:
        path.write_bytes(BROKEN[kind])
    elif kind != "missing":
        np.savez(path, format="something else", version=1)
    with pytest.raises(BadTemplate, match=r"odd\.npz"):
        read_network(path)


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_half_a_network_is_named_too(share, tmp_path):
    path = tmp_path / "odd.npz"
    np.savez(path, format="geppetto landmark network", version=1)
    path.write_bytes(path.read_bytes()[:int(share * path.stat().st_size)])
    with pytest.raises(BadTemplate, match=r"odd\.npz"):
        read_network(path)

"""Handles that are points, balls and boxes instead of segments."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BadRig
from core.pipeline import run
from core.skinning import BindOptions, geodesic_binding_steps
from core.skinning.handles import Ball, Box, fill_handles, skin_handles

from .solids import bones, prepare, tube

COARSE = BindOptions(resolution=64)
ENDS = bones(((0.1, 0, 0), (0.1, 0, 0)), ((0.9, 0, 0), (0.9, 0, 0)), parents=[-1, -1], names=("near", "far"))


def border(volumes, mesh=None) -> float:
    """Where along the tube both handles weigh the same."""
    mesh = tube() if mesh is None else mesh
    shape = prepare(mesh)
    handles = fill_handles(skin_handles(shape, ENDS), shape, ENDS, volumes)
    weights = run(geodesic_binding_steps(shape, ENDS, COARSE, handles)).weights(0.3, COARSE).matrix.toarray()
    assert np.allclose(weights.sum(1), 1)
    x = mesh.vertices[:, 0]
    rings = np.unique(x[x == np.round(x, 6)])
    share = np.array([weights[np.isclose(x, at), 0].mean() for at in rings])
    return float(np.interp(-0.5, -share, rings))


def test_two_points_meet_half_way():
    assert border({}) == pytest.approx(0.5, abs=0.02)


def test_a_ball_reaches_further_by_its_radius():
    """Between a ball of radius r about 0.1 and a point at 0.9 the middle lies at 0.5 + r / 2."""
    assert border({"near": Ball((0.1, 0, 0), 0.08)}) == pytest.approx(0.54, abs=0.02)
    assert border({"near": Ball((0.1, 0, 0), 0.08), "far": Ball((0.9, 0, 0), 0.08)}) == pytest.approx(0.5, abs=0.02)


def test_a_box_counts_from_its_walls():
    assert border({"near": Box((0.05, -0.05, -0.05), (0.3, 0.05, 0.05))}) == pytest.approx(0.6, abs=0.02)


def test_a_volume_smaller_than_its_lattice_is_its_middle():
    assert border({"near": Ball((0.1, 0, 0), 1e-4)}) == pytest.approx(border({}), abs=1e-3)


def test_units_do_not_matter():
    mesh = tube()
    shape = prepare(mesh)
    handles = fill_handles(skin_handles(shape, ENDS), shape, ENDS, {"near": Ball((0.1, 0, 0), 0.05)})
    inside = shape.frame.to_object(handles.heads[handles.owner == 0]) - [0.1, 0, 0]
    assert (np.linalg.norm(inside, axis=1) <= 0.05 + 1e-9).all()
    assert len(inside) > 100


def test_a_bone_that_does_not_exist_is_named():
    shape = prepare(tube())
    with pytest.raises(BadRig, match="belly"):
        fill_handles(skin_handles(shape, ENDS), shape, ENDS, {"belly": Ball((0, 0, 0), 1.0)})

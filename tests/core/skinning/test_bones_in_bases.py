"""Which bones lie in a base, and which of them each place of it follows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from core.skeleton.rig import Rig
from core.skinning.bases import bones_within, stand_on_base, without_base_bones
from tests.limits import turning_point

STEP, SIZE = 0.02, 10.0  # of the voxels; of an object's unit
HIPS = ([0.5, 0.5, 0.8], [0.5, 0.5, 0.9])


def standing(*bones, deform=None, connected=None, parents=None, flesh: float = 0.1):
    """(shape, rig): a body's hips and some bones, in the unit frame, on a base one wide and 0.2 high, with a vertex at
    each end of its top; `flesh` : how far the figure is from anywhere."""
    heads, tails = SIZE * np.array([HIPS, *bones]).transpose(1, 0, 2)
    count = len(heads)
    rig = Rig(tuple(f"bone {k}" for k in range(count)), parents or (-1,) * count, heads, tails,
              deform=np.array(deform or [True] * count), connected=np.array(connected or [False] * count))
    base = SimpleNamespace(rows=np.array([1, 3]), box=(np.zeros(3), np.array([1.0, 1.0, 0.2])),
                           points=np.array([[0.0, 0.5, 0.2], [1.0, 0.5, 0.2]]))
    field = SimpleNamespace(grid=SimpleNamespace(spacing=STEP), sample=lambda at: np.full(len(at), flesh))
    return SimpleNamespace(base=base, frame=SimpleNamespace(to_unit=lambda points: points / SIZE), field=field), rig


LOW, HIGH = ([0.2, 0.5, 0.1], [0.2, 0.5, 0.15]), ([0.9, 0.5, 0.05], [0.9, 0.5, 0.1])


def within(*bones, **how) -> list[bool]:
    return bones_within(*standing(*bones, **how)).tolist()[1:]


def test_a_bone_lies_in_a_base_with_both_ends_but_for_a_voxel():
    for axis, side in ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)):
        def lies(out: float, axis=axis, side=side) -> bool:
            end = np.array([0.5, 0.5, 0.1])
            end[axis] = [1.0, 1.0, 0.2][axis] * (side > 0) + side * out
            found = [within(bone) == [True] for bone in (([0.5, 0.5, 0.1], end), (end, [0.5, 0.5, 0.1]))]
            assert found[0] == found[1]
            return found[0]
        assert turning_point(lies, -0.05, 0.1) == pytest.approx(STEP, abs=1e-3)


def test_what_runs_through_the_figure_or_goes_on_from_it_is_the_figures():
    assert turning_point(lambda flesh: within(LOW, flesh=flesh) == [True], 0.0, 0.1) == pytest.approx(STEP, abs=1e-3)
    leg = ([0.2, 0.5, 0.4], LOW[0])
    chain = {"parents": (-1, 0, 1, 2), "connected": [False, False, True, True]}
    foot, toe = LOW, (LOW[1], [0.3, 0.5, 0.15])
    assert within(leg, foot, toe, **chain) == [False, False, False]
    assert within(leg, foot, toe, **{**chain, "connected": [False, False, False, True]}) == [False, True, True]
    assert within(LOW, HIGH, parents=(-1, 0, -1), connected=[False, True, False]) == [False, True]
    assert within(LOW, HIGH[::-1], LOW, parents=(-1, -1, -1, 0), connected=[False, True, False, True]) == [
        True, True, False], "what hangs on nothing goes on from nothing"
    shape, rig = standing(LOW, HIGH)
    shape.field.sample = lambda at: 1.0 - at[:, 0] - at[:, 1] / 2
    assert bones_within(shape, rig).tolist() == [False, True, False], "its middle lies in the figure"


def test_bones_that_move_no_skin_lie_in_no_base_and_some_bone_stays_the_bodys():
    assert within(LOW, HIGH, deform=[True, False, True]) == [False, True]
    assert within(LOW, HIGH, deform=[False, True, True]) == [False, False]
    shape, rig = standing(LOW, HIGH)
    shape.base.rows = shape.base.rows[:0]
    assert not bones_within(shape, rig).any(), "it stands on none"


def test_each_place_of_a_base_follows_the_nearest_bone_in_it_alone_and_the_figure_none():
    shape, rig = standing(LOW, HIGH)
    before = sparse.csr_matrix(np.full((5, 3), 1 / 3))
    found = stand_on_base(shape, rig, before).toarray()
    np.testing.assert_array_equal(found[[1, 3]], [[0, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(found[[0, 2, 4]], 1 / 3)
    assert stand_on_base(shape, rig, before).nnz == 2 + 3 * 3, "no weights of nothing"
    assert without_base_bones(shape, rig).deform.tolist() == [True, False, False]


def test_without_a_bone_in_it_a_base_follows_the_first_that_moves_skin():
    for deform, first in (([True, True], 0), ([False, True], 1)):
        shape, rig = standing(([0.5, 0.5, 0.5], [0.5, 0.5, 0.6]), deform=deform)
        found = stand_on_base(shape, rig, sparse.csr_matrix(np.full((5, 2), 0.5))).toarray()
        np.testing.assert_array_equal(found[[1, 3]], np.eye(2)[[first, first]])
        assert (found[[0, 2, 4]] == 0.5).all()

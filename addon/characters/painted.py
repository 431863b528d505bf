"""Weights that were changed by hand since Geppetto gave them: an update makes them anew, and says so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from ...core.skinning.weights import SkinWeights
from .. import names
from .rigged import is_ours

SAME = 1e-3  # of the weight of one vertex: so much the sum of a bone's weights is off by rounding
NAMED = 3  # bones at most


def note_weighed(armature, weights: SkinWeights) -> None:
    """Note on a rig of ours how much weight each of its bones was given on all vertices together."""
    if is_ours(armature):
        armature[names.WEIGHED] = {"rows": weights.matrix.shape[0], "sums": _sums(weights.matrix, weights.bones)}


def changed_by_hand(armature, bones: Sequence[str], own: Sequence[str], matrix: sparse.csr_matrix) -> list[str]:
    """Those bones that have more or less weight than they were given last. None if the mesh has other vertices since.

    bones, own : their names now and those they were made with;  matrix : (V, B) their weights
    """
    noted = armature.get(names.WEIGHED)
    if noted is None or noted["rows"] != matrix.shape[0]:
        return []
    now = _sums(matrix, bones)
    given = {bone: noted["sums"].get(bone, noted["sums"].get(first)) for bone, first in zip(bones, own, strict=True)}
    return [bone for bone, much in given.items() if much is not None and abs(now[bone] - much) > SAME * max(1.0, much)]


def told_of_painted(bones: Sequence[str]) -> tuple[str, ...]:
    """A warning that weights made by hand are gone, as a sentence."""
    some = ", ".join(f"'{bone}'" for bone in bones[:NAMED]) + (", …" if len(bones) > NAMED else "")
    return (f"Weights changed by hand were made anew: {some}. Ctrl-Z brings them back. Lock their vertex groups before "
            "you update.",) if bones else ()


def told_of_newcomers(parts, matrix: sparse.csr_matrix, locked: np.ndarray) -> tuple[str, ...]:
    """A warning of mesh objects that came to a rig with weights of their own, which are made anew, as a sentence: no
    binding of ours has noted itself on them, nor on what they were copied or separated from.

    parts : of the character;  matrix, locked : (V, B) its weights, and which of them stay
    """
    came = [f"'{part.object.name}'" for part in parts if names.HELD not in part.object
            and matrix[part.source].multiply(~locked[part.source]).sum() > 0]
    some = ", ".join(came[:NAMED]) + (", …" if len(came) > NAMED else "")
    return (f"Weights with which these came to the rig were made anew: {some}. Ctrl-Z brings them back. Lock their "
            "vertex groups before you update.",) if came else ()


def _sums(matrix: sparse.csr_matrix, bones: Sequence[str]) -> dict[str, float]:
    return dict(zip(bones, np.asarray(matrix.sum(0), float).ravel().tolist(), strict=True))

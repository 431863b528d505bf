"""Binding a rig anew beside weights that stay: those of locked groups, and of bones that are the artist's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from scipy import sparse

from ...core import pipeline
from ...core.errors import BadRig
from ...core.geometry.shape import Shape
from ...core.skeleton.rig import Rig
from ...core.skinning.bind import BindOptions
from ...core.skinning.weights import SkinWeights, merge_weights
from ...core.steps import Steps
from ..bridge.groups import locked_groups, read_groups
from ..bridge.mesh import Character


def bind_beside_steps(context, character: Character, armature, rig: Rig, shape: Shape, *, ours: Iterable[str],
                      method: str, options: BindOptions) -> Steps[SkinWeights]:
    """The weights of a rig's bones on a character it moves already, yielding (stage, fraction).  Raises RigError.

    ours : bones that the rig had before;  other bones of the armature are the artist's own, or renamed.
    Rows sum to 1 together with what stays.
    """
    own = [b.name for b in armature.data.bones if b.use_deform and b.name not in {*ours, *rig.names}]
    names, count = (*rig.names, *own), len(rig.names)
    locked, old = locked_groups(character, names), read_groups(context, character, names)
    locked[:, count:] = True
    is_held = locked & (np.asarray(old.max(0).todense()).ravel() > 0)
    if not is_held.any():
        return (yield from pipeline.bind_steps(character.mesh, rig, method, shape=shape, options=options))
    free = replace(rig, deform=rig.deform & ~locked[:, :count].all(0))
    if not free.deform.any():
        raise BadRig("All bones that move the mesh are locked. Unlock the vertex groups that may change.")
    weights = yield from pipeline.bind_steps(character.mesh, free, method, shape=shape, options=options)
    fresh = sparse.hstack([weights.matrix, sparse.csr_matrix((old.shape[0], len(own)))], format="csr")
    merged = merge_weights(fresh, old, locked=locked, most=options.influences)
    return replace(weights, matrix=merged[:, :count])

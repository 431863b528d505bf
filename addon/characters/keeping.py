"""Binding a rig anew beside weights that stay: those of locked groups, and of bones that are the artist's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
                      called: Mapping[str, str], method: str, options: BindOptions) -> Steps[SkinWeights]:
    """The weights of a rig's bones on a character it moves already, yielding (stage, fraction).  Raises RigError.

    rig : with its own names, by which fingers and things are known
    ours : bones that the rig had before, as they are called now;  other bones of the armature are the artist's own
    called : {own name of a bone: what it is called now}, itself where it is not there.  The weights have these names.
    Rows sum to 1 together with what stays.
    """
    now = tuple(called.get(bone, bone) for bone in rig.names)
    own = [b.name for b in armature.data.bones if b.use_deform and b.name not in {*ours, *now}]
    names, count = (*now, *own), len(now)
    locked, old = locked_groups(character, names), read_groups(context, character, names)
    locked[:, count:] = True
    is_held = locked & (np.asarray(old.max(0).todense()).ravel() > 0)
    if not is_held.any():
        weights = yield from pipeline.bind_steps(character.mesh, rig, method, shape=shape, options=options)
        return replace(weights, bones=now)
    free = replace(rig, deform=rig.deform & ~locked[:, :count].all(0))
    if not free.deform.any():
        raise BadRig("All bones that move the mesh are locked. Unlock the vertex groups that may change.")
    weights = yield from pipeline.bind_steps(character.mesh, free, method, shape=shape, options=options)
    fresh = sparse.hstack([weights.matrix, sparse.csr_matrix((old.shape[0], len(own)))], format="csr")
    merged = merge_weights(fresh, old, locked=locked, most=options.influences)
    return replace(weights, matrix=merged[:, :count], bones=now)

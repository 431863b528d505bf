"""Binding beside weights that stay: those of locked groups, of bones that are the artist's own, of other armatures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from scipy import sparse

from ...core import pipeline
from ...core.errors import BadMesh, BadRig
from ...core.geometry.shape import Shape
from ...core.skeleton.rig import Rig
from ...core.skinning.bind import BindOptions
from ...core.skinning.weights import Kept, SkinWeights, merge_weights
from ...core.steps import Steps
from ..bridge.groups import chosen_vertices, locked_groups, merge_groups, read_groups
from ..bridge.held import armature_modifiers
from ..bridge.mesh import Character
from ..bridge.weights import attach, bind_instead_of_others, bind_parts, write_weights
from .painted import changed_by_hand, told_of_newcomers, told_of_painted
from .rigged import followers


def bind_beside_steps(context, character: Character, armature, rig: Rig, shape: Shape, *, ours: Iterable[str],
                      called: Mapping[str, str], method: str, options: BindOptions
                      ) -> Steps[tuple[SkinWeights, tuple[str, ...]]]:
    """The weights of a rig's bones on a character it moves already, and a warning if those that they take the place of
    were changed by hand, yielding (stage, fraction).  Raises RigError.

    rig : with its own names, by which fingers and things are known
    ours : bones that the rig had before, as they are called now;  other bones of the armature are the artist's own
    called : {own name of a bone: what it is called now}, itself where it is not there.  The weights have these names.
    Rows sum to 1 together with what stays.
    """
    now = tuple(called.get(bone, bone) for bone in rig.names)
    own = [b.name for b in armature.data.bones if b.use_deform and b.name not in {*ours, *now}]
    names, count = (*now, *own), len(now)
    locked, old = locked_groups(character, names, armature), read_groups(context, character, names, armature)
    locked[:, count:] = True
    is_held = locked & (np.asarray(old.max(0).todense()).ravel() > 0)
    painted = changed_by_hand(armature, now, rig.names, old[:, :count])
    told = told_of_painted([bone for bone, is_kept in zip(now, locked[:, :count].T, strict=True)
                            if bone in painted and not is_kept.all()])
    told += told_of_newcomers(character.parts, old[:, :count], locked[:, :count])
    if not is_held.any():
        weights = yield from pipeline.bind_steps(character.mesh, rig, method, shape=shape, options=options)
        return replace(weights, bones=now), told
    free = replace(rig, deform=rig.deform & ~locked[:, :count].all(0))
    if not free.deform.any():
        raise BadRig("All bones that move the mesh are locked. Unlock the vertex groups that may change.")
    weights = yield from pipeline.bind_steps(character.mesh, free, method, shape=shape, options=options, fitted=rig)
    fresh = sparse.hstack([weights.matrix, sparse.csr_matrix((old.shape[0], len(own)))], format="csr")
    merged = merge_weights(fresh, old, locked=locked, most=options.influences)
    return replace(weights, matrix=merged[:, :count], bones=now), told


def what_stays(context, character: Character, armature, rig: Rig, *, only_selected: bool, within: str
               ) -> tuple[Kept | None, list[np.ndarray]]:
    """The weights a bind must leave alone, None if it may write all; and (V,) of each part's own vertices, 0 stays."""
    objects = [part.object for part in character.parts]
    chosen = [chosen_vertices(o, only_selected=only_selected, within=within) for o in objects]
    if not any(of.any() for of in chosen):
        raise BadMesh("No vertex is chosen. Select some in Edit mode, name a group that holds some, or bind all.")
    locked = locked_groups(character, rig.names, armature)
    if not (only_selected or within or locked.any()):
        return None, chosen
    where = np.ones(len(character.mesh.vertices))
    for part, of in zip(character.parts, chosen, strict=True):
        where[part.source] = of
    return Kept(read_groups(context, character, rig.names, armature), locked, where), chosen


def told_of_bare(weights: sparse.csr_matrix) -> tuple[str, ...]:
    """A warning of vertices without any weight.  weights : (V, B)"""
    bare = int((np.asarray(weights.sum(1)).ravel() <= 0).sum())
    said = (f"{bare} vertices follow no bone and stay behind: their weights were left as they are." if bare > 1 else
            "1 vertex follows no bone and stays behind: its weights were left as they are.")
    return (said,) if bare else ()


def write_beside(context, character: Character, armature, weights: SkinWeights, chosen: list[np.ndarray] | None
                 ) -> list[str]:
    """Bind a character's objects to an armature, whatever moves them now.  Returns warnings.

    chosen : as `what_stays` gives it, None if all weights are new
    What another armature moves an object by stays that armature's, and what is locked there is so here, too.
    """
    if chosen is not None:  # where nothing is chosen nothing changes
        some = [k for k, where in enumerate(chosen) if where.any()]
        character = replace(character, parts=tuple(character.parts[k] for k in some))
        chosen = [chosen[k] for k in some]
    told = bind_instead_of_others([part.object for part in character.parts], armature)
    following = set(followers(armature))
    if chosen is None:
        return told + bind_parts(context, character, armature, weights, following)
    held = [part.object not in following and any(m.show_viewport for m in armature_modifiers(part.object))
            for part in character.parts]
    own, others = (replace(character, parts=tuple(part for part, of in zip(character.parts, held, strict=True)
                                                  if of is is_held)) for is_held in (False, True))
    merge_groups(own, weights, [where for where, is_held in zip(chosen, held, strict=True) if not is_held])
    told += attach(context, own, armature)
    locked = [(o, [name for name in weights.bones if name in o.vertex_groups and o.vertex_groups[name].lock_weight])
              for o in (part.object for part in others.parts)]
    told += write_weights(context, others, armature, weights)
    for o, names in locked:
        for name in names:
            o.vertex_groups[name].lock_weight = True
    return told

"""Motions put on a character again when its joints were moved or it was rigged anew: they were made for the bones as
they were before."""

from __future__ import annotations

import json
from collections.abc import Sequence

import bpy
import numpy as np

from ...core.errors import RigError
from ...core.motion.authoring.pace import GroundSpeed
from ...core.motion.authoring.style import Style
from ...core.skeleton.bone_map import BoneMap
from ...core.steps import Steps
from .. import names
from ..characters.rigging import Rigged
from .handing_over import let_act
from .moving import MoveOptions, move
from .other_motions import aside
from .owning import is_as_written, take_numbers
from .swaying import chains_of, sways, switch_sway
from .takes import actions_of, moves

STILL = 1e-5  # of the skeleton's size: bones that move less stay
NAMED = 3  # motions at most


def with_motions_steps(context, armature: bpy.types.Object, work: Steps[Rigged]) -> Steps[Rigged]:
    """Work that moves an armature's bones, and then, in the same breath, its motions for the bones as they lie now.

    What Geppetto put on it from its library or from files, and nobody changed since, is put on again with the same
    choices. Of other motions a warning tells that they were made for the joints before.
    """
    before = _rest(armature)
    rigged = yield from work
    return rigged.warned(_told(_put_on_again(context, rigged.armature))) if _lies_elsewhere(before, rigged) else rigged


def kept_motions_steps(context, olds: Sequence[bpy.types.Object], work: Steps[Rigged]) -> Steps[Rigged]:
    """Work that makes a rig in place of others, and then the motions of the only one of these for the new rig.

    What the old rig did the new one does, if it has most of the bones; what hung on it and followed does so again. What
    cannot be put on again is told, as for `with_motions_steps`.
    """
    old = olds[0] if len(olds) == 1 else None
    mark, data = (old.get(names.MOTIONS, ""), old.animation_data) if old is not None else ("", None)
    did, swayed = data.action.name if data is not None and data.action is not None else "", bool(old and sways(old))
    rigged = yield from work
    armature, action = rigged.armature, bpy.data.actions.get(did)
    if not mark and action is not None:  # of old files: it was marked when the old rig went
        mark = action.get(names.MOTIONS, "").partition(" ")[0]
    if mark:
        armature[names.MOTIONS] = mark
    if swayed and chains_of(armature):
        switch_sway(context, armature, on=True)
    if action is not None and moves(action, armature):
        let_act(armature, action)
    return rigged.warned(_told(_put_on_again(context, armature)))


def _rest(armature) -> dict[str, np.ndarray]:
    return {bone.name: np.array(bone.matrix_local) for bone in armature.data.bones}


def _lies_elsewhere(before: dict[str, np.ndarray], rigged: Rigged) -> bool:
    """Whether any bone of a rig that was there before lies or is turned otherwise."""
    now = _rest(rigged.armature)
    shared = [name for name in before if name in now]
    if not shared:
        return False
    old, new = (np.array([where[name] for name in shared]) for where in (before, now))
    size = max(float(np.ptp(old[:, :3, 3], axis=0).max()), 1e-30)
    return bool(np.abs(new - old)[:, :3, :3].max() > STILL or np.abs(new - old)[:, :3, 3].max() > STILL * size)


def _put_on_again(context, armature) -> list[str]:
    """Make an armature's motions anew, the one it does now last; the names of those that stay as they are."""
    active = armature.animation_data.action if armature.animation_data is not None else None
    motions, left = actions_of(armature), []
    take_numbers(motions)
    for action in [one for one in motions if one != active]:
        with aside(context, armature):
            let_act(armature, action)
            context.scene.frame_set(context.scene.frame_current, subframe=context.scene.frame_subframe)
            left += _put_on(context, armature, action)
    return left + (_put_on(context, armature, active) if active in motions else [])


def _put_on(context, armature, action) -> list[str]:
    """Put the motion of an armature's action on it again; or else its name."""
    name, choices = action.name, _choices(action)
    if choices is None:
        return [name]
    try:
        move(context, armature, action[names.WRITTEN]["of"], choices)
    except RigError:  # its file is gone or says something else, or the bones it moved are: the artist is told
        return [name]
    return []


def _choices(action) -> MoveOptions | None:
    """The choices with which an action was made, beginning where it begins; None if it is not ours alone any more."""
    written = action.get(names.WRITTEN, {})
    users = int(action.use_fake_user) + sum(o.animation_data is not None and o.animation_data.action == action
                                            for o in bpy.data.objects if o.type == "ARMATURE")
    if "how" not in written or not is_as_written(action) or action.library is not None or action.users > users:
        return None
    how = json.loads(written["how"])
    whose = BoneMap(how["source_map"]["name"], {role: tuple(bones) for role, bones
                                                in how["source_map"]["bones"].items()}) if how["source_map"] else None
    return MoveOptions(**(how | {"source_map": whose, "style": Style(**how["style"]), "trim": tuple(how["trim"]),
                                 "ground": GroundSpeed(**how["ground"]), "start": round(action.frame_start)}))


def _told(left: list[str]) -> tuple[str, ...]:
    called = ", ".join(f"'{name}'" for name in left[:NAMED]) + (", …" if len(left) > NAMED else "")
    return (f"{called} still suits the joints as they were. Look where its hands and feet go." if len(left) == 1 else
            f"{called} still suit the joints as they were. Look where their hands and feet go.",) if left else ()

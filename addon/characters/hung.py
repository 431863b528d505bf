"""What hangs on a character's bones, a sword in a hand say, when another rig takes the character over."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from .. import names
from ..bridge.rigify import to_plain


def hang_on_controls(plain: bpy.types.Object, controls: bpy.types.Object, table: dict[str, list[tuple[str, float]]]
                     ) -> None:
    """Hang what hangs on a plain rig's bones on Rigify's deform bones, standing where it stands at rest.

    table : {bone: [(deform bone, where on the bone it begins), ...]}
    """
    bones = plain.data.bones
    for o in _hung_on(plain):
        bone = bones.get(o.parent_bone)
        while bone is not None and bone.name not in table:  # twist bones have no controls
            bone = bone.parent
        if bone is not None:
            at = (_hook(plain, o.parent_bone) @ o.matrix_parent_inverse @ o.matrix_basis).translation
            share = (at - bone.head_local) @ bone.vector / bone.length ** 2
            part = [name for k, (name, start) in enumerate(table[bone.name]) if k == 0 or start <= share][-1]
            _hang(o, plain, controls, part, to_plain(controls, plain).inverted_safe())


def hang_on_plain(controls: bpy.types.Object, plain: bpy.types.Object) -> None:
    """Hang what hangs on a control rig's bones on the plain rig's again; of a control, on the bone that begins nearest
    to it."""
    source = {part: name for name, parts in controls[names.SHARES].to_dict().items() for part in parts}
    known = [part for part, name in source.items() if part in controls.data.bones and name in plain.data.bones]
    heads = np.array([controls.data.bones[part].head_local for part in known])
    for o in _hung_on(controls):
        part, bone = o.parent_bone, controls.data.bones.get(o.parent_bone)
        if bone is not None and known:
            part = part if part in known else known[np.linalg.norm(heads - np.array(bone.head_local), axis=1).argmin()]
            _hang(o, controls, plain, source[part], to_plain(controls, plain))


def _hung_on(rig) -> list[bpy.types.Object]:
    return [o for o in bpy.data.objects if o.parent == rig and o.parent_type == "BONE"]


def _hang(o, old, new, bone: str, space: Matrix) -> None:
    """Hang an object on a bone of another rig, its own location, rotation and scale as they are.

    space : takes the old rig's axes to the new one's
    """
    place = _hook(new, bone).inverted_safe() @ space @ _hook(old, o.parent_bone) @ o.matrix_parent_inverse
    o.parent, o.parent_type, o.parent_bone = new, "BONE", bone
    o.matrix_parent_inverse = place


def _hook(rig, name: str) -> Matrix:
    """(4, 4) where a bone at rest takes what hangs on it, in the rig's space: to its tail, as Blender does."""
    bone = rig.data.bones[name]
    if bone.use_relative_parent:
        return Matrix.Identity(4)
    return bone.matrix_local @ Matrix.Translation((0.0, bone.length, 0.0))

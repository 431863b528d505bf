"""The motions that a character has but does not do now, taken along when another rig takes it over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import bpy

from ..bridge.action import close_strip
from ..bridge.curves import curves_of
from .handing_over import Doing, forget_copy, let_act, put_on_controls, write_on_plain
from .takes import actions_of


def other_doings(context, shown: bpy.types.Object, doing_of: Callable) -> list[Doing]:
    """What an armature does in each of its motions but the one that it does now.

    doing_of : `doing_of_plain` or `doing_of_controls`
    """
    data, found = shown.animation_data, []
    active = data.action if data is not None else None
    for action in [a for a in actions_of(shown) if a != active]:
        with aside(context, shown):
            let_act(shown, action)
            found.append(doing_of(context, shown))
    return [doing for doing in found if doing is not None]


def put_others_on_controls(context, controls: bpy.types.Object, doings: Sequence[Doing]) -> None:
    """Make actions on a control rig of what its plain rig can do besides. What it does now stays.  Raises BadMotion."""
    for doing in doings:
        with aside(context, controls):
            put_on_controls(context, controls, doing)
            controls.animation_data.action.use_fake_user = True


def put_others_on_plain(context, plain: bpy.types.Object, doings: Sequence[Doing]) -> None:
    """Make actions on a plain rig of what its control rig can do besides, but for copies of its own actions that nobody
    changed: those go. What it does now stays."""
    for doing in doings:
        if forget_copy(doing) is None:
            with aside(context, plain):
                write_on_plain(plain, doing).use_fake_user = True


@contextmanager
def aside(context, o: bpy.types.Object) -> Iterator[None]:
    """Inside, an armature does nothing, and what its action poses is at rest; afterwards it does what it did before."""
    close_strip(o)
    had_data, data = o.animation_data is not None, o.animation_data_create()
    action, slot, has_nla = data.action, getattr(data, "action_slot", None), data.use_nla
    place, poses = o.matrix_basis.copy(), {bone.name: bone.matrix_basis.copy() for bone in o.pose.bones}
    values = {bone.name: {key: value for key, value in bone.items() if isinstance(value, (int, float))}
              for bone in o.pose.bones}
    moving = {action, *(strip.action for track in data.nla_tracks for strip in track.strips)} - {None}
    moved = {curve.data_path.split('"')[1] for one in moving for curve in curves_of(one)
             if curve.data_path.startswith('pose.bones["')}
    data.action, data.use_nla = None, False
    for bone in [b for b in o.pose.bones if b.name in moved]:
        bone.matrix_basis.identity()
    try:
        yield
    finally:
        data = o.animation_data
        data.action, data.use_nla = action, has_nla
        if slot is not None:
            data.action_slot = slot
        o.matrix_basis = place
        for bone in o.pose.bones:
            bone.matrix_basis = poses[bone.name]
            for key, value in values[bone.name].items():
                bone[key] = value
        if not had_data:
            o.animation_data_clear()
        context.view_layer.update()


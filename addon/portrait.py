"""The picture that tells whether a rig is good: front and side with its bones, then posed and deformed by Blender."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ..core.picture.camera import fit_views, view_axes
from ..core.picture.scene import render_character
from ..core.picture.sheet import join_panels
from .bridge.armature import posed_rig
from .bridge.surface import Palette, read_surface
from .characters.rigging import Rigged

# What is posed, in degrees: a bend about the bone's own X axis, or a lift about the axis the character faces along.
# Bones a rig does not have are passed over, so one list serves all presets.
BENDS: dict[str, float] = {
    "forearm.R": 90, "thigh.R": -45, "shin.R": 90,
    "front_upper.L": 30, "front_lower.L": 90, "hind_upper.R": -30, "hind_lower.R": 60, "tail": -40}
LIFTS = {"upper_arm.L": 60}
LIMB = (35, 20, 20)  # degrees that the first bones of a limb turn where a rig has none of those
PANELS = (("rest", 0.0, 0.0), ("rest", -90.0, 0.0), ("posed", 0.0, 0.0), ("posed", -50.0, 12.0))


def portrait(context, rigged: Rigged, *, height: int = 860) -> np.ndarray:
    """(H, W, 3) uint8: the character from the front and from its right, then posed from the front and from aside."""
    objects = [part.object for part in rigged.character.parts]
    rotation = rigged.shape.frame.rotation
    palette = Palette()
    shown = {"rest": (read_surface(context, objects, palette), rigged.rig)}
    with posed(context, rigged.armature, rotation):
        shown["posed"] = (read_surface(context, objects, palette), posed_rig(rigged.rig, rigged.armature))
    axes = [view_axes(np.deg2rad(azimuth), np.deg2rad(elevation), rotation) for _, azimuth, elevation in PANELS]
    contents = [np.concatenate([shown[which][0].seen_points, shown[which][1].heads]) for which, *_ in PANELS]
    views = fit_views(contents, axes, height=height, most_width=2 * height + 80)
    return join_panels([render_character(*shown[which], view) for (which, *_), view in zip(PANELS, views, strict=True)])


@contextmanager
def posed(context, armature, rotation):
    """Inside, the armature holds the pose that shows its weights; afterwards it is as before.

    rotation : (3, 3) world axes to character axes
    """
    forward = Vector(np.asarray(rotation).T @ [0.0, -1.0, 0.0])
    before = {bone.name: bone.matrix_basis.copy() for bone in armature.pose.bones}
    for name, degrees in BENDS.items():
        if name in before:
            armature.pose.bones[name].matrix_basis = Matrix.Rotation(np.deg2rad(degrees), 4, "X")
    lifts: dict[str, tuple[float, Vector]] = {name: (degrees, forward) for name, degrees in LIFTS.items()}
    if not before.keys() & {*BENDS, *LIFTS}:
        lifts = _limb_lifts(armature, forward, Vector(np.asarray(rotation).T @ [0.0, 0.0, 1.0]))
    for name, (degrees, axis) in lifts.items():
        if name in before:
            bone = armature.pose.bones[name]
            turn = Quaternion(axis, np.deg2rad(degrees))
            rest = (armature.matrix_world @ bone.bone.matrix_local).to_quaternion()
            bone.matrix_basis = (rest.inverted() @ turn @ rest).to_matrix().to_4x4()
    context.view_layer.update()
    try:
        yield
    finally:
        for name, basis in before.items():
            armature.pose.bones[name].matrix_basis = basis
        context.view_layer.update()


def _limb_lifts(armature, forward: Vector, up: Vector) -> dict[str, tuple[float, Vector]]:
    """{bone: (degrees, axis)} that lift the longest limb of a skeleton whose bones have no names that are known.

    A limb that stands up is brought aside.
    """
    limb = max((_limb(bone) for bone in armature.data.bones if not bone.children),
               key=lambda bones: sum(bone.length for bone in bones))
    axes = armature.matrix_world.to_3x3()
    along = (axes @ (limb[-1].tail_local - limb[0].head_local)).normalized()
    axis = along.cross(up) if abs(along.dot(up)) < 0.9 else forward
    return {bone.name: (degrees, axis.normalized()) for bone, degrees in zip(limb, LIMB, strict=False)}


def _limb(tip) -> list:
    """The bones of a limb from where it leaves the body to its tip; a body that is all one limb keeps its root."""
    bones = [tip]
    while bones[-1].parent and len(bones[-1].parent.children) == 1:
        bones.append(bones[-1].parent)
    rooted = bones[-1].parent is None and len(bones) > 1
    return bones[::-1][rooted:]

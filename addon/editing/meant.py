"""Which character the buttons of the joint panel are about: the one whose joints are shown, else the active one."""

from __future__ import annotations

import bpy

from ...core.errors import BadTemplate
from ...core.fitting.from_shape import is_shape
from ...core.skeleton.preset import preset_names
from .. import names
from ..characters.bodies import Body, bodies_of
from ..characters.control_rig import controls_of
from ..characters.rigged import armature_of, followers, followers_of, is_ours, selected_character
from ..characters.templates import OWN, own_templates
from ..current import active_in, selected_in
from . import joints, pins


def active_meant(context) -> bpy.types.Object | None:
    """The active object; but what is active and not selected is not meant where something else is selected."""
    return active_in(context) if active_in(context) in selected_in(context) or not selected_in(context) else None


def character_armature(context) -> bpy.types.Object | None:
    """The rig of ours that is meant: that of the character whose joints are shown, or else the active object's."""
    what = joints.shown_in(context)
    return armature_of(what.owner_object() if what is not None else active_in(context))


def character_owner(context) -> bpy.types.Object | None:
    """The object that holds the pins of the character that is meant."""
    what = joints.shown_in(context)
    if what is not None:
        return what.owner_object()
    armature = armature_of(active_meant(context))
    return pins.owner_of(followers(armature) if armature is not None else selected_character(context)[0])


def body_meant(context, name: str) -> Body:
    """The character to show the joints of: the one an object of this name is part of, or else of those selected the
    active one."""
    settings = getattr(context.scene, names.SETTINGS)
    o = context.view_layer.objects.get(name) if name else None
    if o is not None:
        armature = armature_of(o)
        return Body(tuple(followers(armature)), (armature,)) if armature is not None else Body((o,))
    bodies, _ = bodies_of(selected_in(context), settings.up)
    active = active_in(context)
    return next((b for b in bodies if active in b.objects or active in b.armatures), bodies[0])


def characters_in(context) -> list[bpy.types.Object]:
    """The objects that hold the pins of the characters in the view layer whose joints may be shown."""
    armatures = [o for o in context.view_layer.objects if is_ours(o) and o.visible_get()]
    owners = [pins.owner_of(moved) for moved in followers_of(armatures).values()]
    what = joints.shown_in(context)
    owners += [what.owner_object() if what is not None else None, character_owner(context)]
    return sorted({o for o in owners if o is not None and o.name in context.view_layer.objects
                   and controls_of(o) is None}, key=lambda o: o.name)


def made_of(armature) -> str:
    """The name in the menu of the template a rig of ours was made of.  Raises BadTemplate if it is not there."""
    name = armature.data[names.MADE_BY]
    if name in own_templates():
        return OWN + name
    if not is_shape(name) and name not in preset_names():
        raise BadTemplate(f"The template '{name}' is not on this computer. Import it under Templates, or choose "
                          "another skeleton and press Rig Anew.")
    return name

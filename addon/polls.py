"""Why a button is grey: what is asked before several of them, and the words that say what to do."""

from __future__ import annotations

from .bridge.mesh import COULD_BE_MESH
from .characters.control_rig import any_controls_of, controls_of
from .characters.rigged import armature_of, selected_character
from .current import active_in, selected_in, shows, window_of
from .editing import joints
from .job import running

WITH_CONTROLS = "This character has a control rig: press Back to Plain Rig first"
WITHOUT_RIG = "Select a character that Geppetto has rigged, or its armature"
INSTANCE = "Make the instance real first: Object > Apply > Make Instances Real"
BELOW = "Select the meshes below it first: right click it in the Outliner > Select Hierarchy"
ELSEWHERE = "Name a window that shows this scene: scripts of Blender's own, which this calls, look there"
NAMED = "Make the character active instead of naming it: Rigify takes the active object"
LINKED = "This rig is linked from another file: change it there, or make it local first"


def is_free(operator) -> bool:
    """Whether no job is under way."""
    if running() is not None:
        operator.poll_message_set("Another job is still running")
        return False
    return True


def may_change(operator, context) -> bool:
    """Whether no job is under way and the scene may be read and written, from whatever mode."""
    return is_free(operator) and is_readable(operator, context)


def is_shown(operator, context) -> bool:
    """Whether the context's window shows its scene: scripts of Blender's own, as its exporters and Rigify, look there,
    whatever another script has named."""
    if shows(window_of(context), context):
        return True
    operator.poll_message_set(ELSEWHERE)
    return False


def is_active(operator, context) -> bool:
    """Whether the active object is the one that a script names, if it names any: Rigify takes the active one."""
    if active_in(context) == context.view_layer.objects.active:
        return True
    operator.poll_message_set(NAMED)
    return False


def are_joints_shown(operator, context) -> bool:
    """Whether joints are shown in this scene."""
    if joints.shown_in(context) is None:
        operator.poll_message_set("Press Edit Joints first")
        return False
    return True


def has_character(operator, context) -> bool:
    """Whether a mesh is selected, or a rig of ours that moves one."""
    if any(o.type == "MESH" for o in selected_in(context)) or selected_character(context)[1]:
        return True
    operator.poll_message_set(_missing(context))
    return False


def is_free_of_controls(operator, context) -> bool:
    """Whether of the selected meshes one at least is not moved by a control rig of ours, if any is selected at all."""
    meshes = [o for o in selected_in(context) if o.type == "MESH"]
    if meshes and all(controls_of(o) is not None for o in meshes):
        operator.poll_message_set(WITH_CONTROLS)
        return False
    return True


def may_rig(operator, context) -> bool:
    """Whether there is a character that can get a skeleton now."""
    return may_change(operator, context) and has_character(operator, context) and is_free_of_controls(operator, context)


def has_rig(operator, context) -> bool:
    """Whether the active object is a rig of ours or moved by one."""
    if armature_of(active_in(context)) is None:
        operator.poll_message_set(WITHOUT_RIG if controls_of(active_in(context)) is None else WITH_CONTROLS)
        return False
    return True


def is_rig_local(operator, context) -> bool:
    """Whether the active object's rig of ours, or its control rig, is of this file, and not linked from another one."""
    armature = armature_of(active_in(context)) or any_controls_of(active_in(context))
    if armature is not None and any(data is not None for data in (
            armature.library, armature.override_library, armature.data.library)):
        operator.poll_message_set(LINKED)
        return False
    return True


def is_saved_here(operator, objects) -> bool:
    """Whether any of some objects is saved with this file, itself or what overrides it: actions and modifiers are then.

    What is linked as it is has forgotten all that was done to it when the file is opened again.
    """
    if all(o.library is not None for o in objects):
        operator.poll_message_set(LINKED)
        return False
    return True


def _missing(context) -> str:
    selected = selected_in(context)
    if any(o.instance_type == "COLLECTION" and o.instance_collection is not None for o in selected):
        return INSTANCE
    if any(o.type in COULD_BE_MESH for o in selected):
        return "Convert it to a mesh first: Object > Convert > Mesh"
    if any(controls_of(o) is not None for o in selected):
        return "Select the character's mesh objects, or press Back to Plain Rig first"
    roots = {o for o in selected if o.type in {"EMPTY", "ARMATURE"}}  # of files that were imported
    if roots and any(o.type == "MESH" and any(above in roots for above in _above(o)) for o in context.visible_objects):
        return BELOW
    return "Select the character's mesh objects first"


def _above(o) -> list:
    return [] if o.parent is None else [o.parent, *_above(o.parent)]


def is_readable(operator, context) -> bool:
    """Whether Blender gives the mesh as it is seen: what is sculpted on dynamic topology or Multires it keeps apart."""
    o = active_in(context)
    has_own = o is not None and (o.use_dynamic_topology_sculpting or any(m.type == "MULTIRES" for m in o.modifiers))
    if context.mode == "SCULPT" and has_own:
        operator.poll_message_set("Leave Sculpt mode first: dynamic topology and Multires are read in Object mode")
        return False
    return True

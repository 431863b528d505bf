"""Auto Rig: from selected meshes to bound armatures, one for each character."""

from __future__ import annotations

import bpy

from ...core.errors import BadRig
from ...core.hanging.find import find_things
from .. import names, props, session
from ..bridge.armature import write_things
from ..bridge.mesh import told_of_ground, told_of_others
from ..characters.bodies import Body, bodies_of
from ..characters.control_rig import clear_dead_controls, controls_of
from ..characters.rest_poses import skins_as_modelled
from ..characters.rigged import armature_of, followers, selected_character
from ..characters.rigging import Rigged, auto_rig_steps, each_steps
from ..choices import (
    CHOICES,
    RigChoices,
    bind_options,
    chosen_preset,
    copy_choices,
    detail_options,
    stance_of,
    template_for,
)
from ..current import selected_in
from ..editing import joints, pins
from ..job import JobOperator
from ..motion.again import kept_motions_steps
from ..polls import may_rig
from ..words.telling import tell


def bodies_property():
    """What an operator makes of meshes that stand apart."""
    return props.EnumProperty(name="Characters", description="What becomes of meshes that stand apart", default="EACH",
                              options={"SKIP_SAVE"}, items=(
        ("EACH", "One Rig Each", "What touches is one character; what stands apart is another"),
        ("ONE", "One Rig for All", "All selected meshes are one character")))


def asks(context, operator, up: str) -> bool:
    """Whether a menu was opened that asks what becomes of several characters, before an operator begins.

    operator : one with the property `bodies`, called from a button;  up : which way they stand, as chosen
    """
    if operator.properties.is_property_set("bodies") or bpy.app.background or context.window is None:
        return False
    count = len(bodies_of(selected_character(context)[0], up)[0])
    if count < 2:
        return False

    idname = type(operator).bl_idname

    def draw(menu, _context) -> None:
        column = menu.layout.column()
        column.operator_context = "INVOKE_DEFAULT"
        for bodies, text, icon in (("EACH", "One Rig Each", "COMMUNITY"), ("ONE", "One Rig for All", "USER")):
            column.operator(idname, text=text, icon=icon).bodies = bodies

    context.window_manager.popup_menu(draw, title=tell(f"{count} characters stand apart"), icon="OUTLINER_OB_ARMATURE")
    return True


class AutoRig(RigChoices, JobOperator):
    """Fit a skeleton into the selected meshes and bind them to it. Characters that stand apart get a rig each"""

    bl_idname = names.AUTO_RIG
    bl_label = "Auto Rig"
    bl_options = {"REGISTER", "UNDO"}

    bodies: bodies_property()

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a mesh, and no other job."""
        # A rig of ours will do too: it is rigged anew, and "Adjust Last Operation" asks before it undoes.
        return may_rig(cls, context)

    def invoke(self, context, event) -> set:
        """From a button: with the sidebar's choices. Asks if there are several characters."""
        copy_choices(getattr(context.scene, names.SETTINGS), self)
        if asks(context, self, self.up):
            return {"INTERFACE"}
        return super().invoke(context, event)

    def steps(self, context):
        """The work on the selection."""
        return selection_steps(context, self, template_for(chosen_preset(self)), together=self.bodies == "ONE")

    def finish(self, context, done: list[Rigged]) -> None:
        """Tell what was made."""
        report_rigs(self, done)


class TakeOther(bpy.types.Operator):
    """Rig the selected character as the next likeliest thing instead; the choices of the sidebar change with it"""

    bl_idname = names.TAKE_OTHER
    bl_label = "Rig as Something Else"
    bl_options = {"REGISTER"}

    # Blender fills in what was asked the last time unless it is told not to
    preset: props.StringProperty(name="Skeleton", description="The skeleton to take; empty: the one chosen now",
                                 options={"SKIP_SAVE"})
    up: props.StringProperty(name="Up", description="Which way the character's head is; empty: as chosen now",
                             options={"SKIP_SAVE"})
    front: props.StringProperty(name="Front", description="Which way the character looks; empty: as chosen now",
                                options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context) -> bool:
        """As for Auto Rig."""
        return may_rig(cls, context)

    def invoke(self, context, event) -> set:
        """From a button: rig while Blender goes on."""
        return self._rig(context, "INVOKE_DEFAULT")

    def execute(self, context) -> set:
        """From a script: rig at once."""
        return self._rig(context, "EXEC_DEFAULT")

    def _rig(self, context, how: str) -> set:
        settings = getattr(context.scene, names.SETTINGS)
        for key in ("preset", "up", "front"):
            if getattr(self, key):
                setattr(settings, key, getattr(self, key))
        return bpy.ops.object.geppetto_auto_rig(how, **{key: getattr(settings, key) for key in CHOICES})


def selection_steps(context, choices, template, *, together: bool = False):
    """Rig the selection with its pins and its readings, as the choices say: a list of `Rigged`.

    template : as for `auto_rig_steps`;  together : as one character, though there may be several
    """
    objects, armatures = selected_character(context)
    others = told_of_others(selected_in(context))
    bodies, ground = [_joined(objects, armatures)], list[bpy.types.Object]()
    if not together:
        bodies, ground = bodies_of(objects, choices.up)
    done, errors = yield from each_steps([kept_motions_steps(context, body.armatures, _body_steps(
        context, body, choices, template)) for body in bodies])
    done = [clear_dead_controls(context, rigged) for rigged in done]
    for rigged in done:
        owner = pins.owner_of(part.object for part in rigged.character.parts)
        what = joints.shown_in(context)
        if what is not None and what.owner_object() == owner:
            what.settle()
    for rigged in done:
        rigged.armature.select_set(True)
    done[0] = done[0].warned((*errors, *told_of_ground(ground), *others))
    return done


def _joined(objects, armatures) -> Body:
    """All of some objects as one body, with the rigs of ours that move them and what these move besides."""
    rigs = dict.fromkeys([*armatures, *(rig for rig in map(armature_of, objects) if rig is not None)])
    moved = [o for rig in rigs for o in followers(rig) if o.visible_get()]
    return Body(tuple(dict.fromkeys([*objects, *moved])), tuple(rigs))


def _body_steps(context, body: Body, choices, template):
    controlled = [o.name for o in body.objects if controls_of(o) is not None]
    if controlled:
        raise BadRig(f"'{controlled[0]}' has a control rig: press Back to Plain Rig first.")
    owner, detail = pins.owner_of(body.objects), detail_options(choices)
    with skins_as_modelled(context, body.armatures) as told:
        done = yield from auto_rig_steps(context, body.objects, template, method=choices.method,
                                         replaced=[o.name for o in body.armatures],
                                         hints=pins.world_pins(owner) if owner is not None else {},
                                         prepare=session.shape_steps,
                                         readings=pins.readings_of(owner) if owner is not None else {},
                                         stance=lambda mesh: stance_of(mesh, choices, detail), detail=detail,
                                         options=bind_options(choices), chosen=choices.preset)
    return done.warned(tuple(told))


def report_rigs(operator: JobOperator, done: list[Rigged]) -> None:
    """Tell what was made of each character, and keep what else it may be where that is in doubt or was told before.

    What hangs on it or is held is noted too, for the panel tells of it where it has no bones.
    """
    for rigged in done:
        things = [thing.name for thing in find_things(rigged.shape, rigged.rig)]
        write_things(rigged.armature, dict.fromkeys([*things, *rigged.rig.things]))
        found, owner = rigged.found, pins.owner_of(part.object for part in rigged.character.parts).session_uid
        if found is not None and (found.other_preset or found.other_stance or session.check_of(owner) is not None):
            session.keep_check(owner, found)
        bones, vertices = len(rigged.rig.names), len(rigged.character.mesh.vertices)
        seconds = f"{sum(rigged.seconds.values()):.1f}"
        operator.report_rig(f"{bones} bones, {vertices} vertices, {seconds} s" if bones != 1 else
                            f"1 bone, {vertices} vertices, {seconds} s",
                            [part.object for part in rigged.character.parts], rigged.warnings, rigged.notes)
    if len(done) > 1:
        operator.report({"INFO"}, tell(f"{len(done)} characters rigged"))


def menu_entry(menu, context) -> None:
    """Auto Rig in the Object menu."""
    menu.layout.separator()
    menu.layout.operator(names.AUTO_RIG, icon="ARMATURE_DATA")


CLASSES = (AutoRig, TakeOther)
MENUS = (("VIEW3D_MT_object", menu_entry),)

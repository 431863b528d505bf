"""From mesh objects to a bound armature: read, call the core, write. Buttons and programs share it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from types import MappingProxyType
from typing import ParamSpec

import bpy
import numpy as np
from scipy import sparse

from ...core import pipeline
from ...core.detail.grow import DetailOptions, may_pin
from ...core.errors import BadRig
from ...core.fitting.check import CharacterCheck, check_character, sentence, stand_steps, unlike_preset
from ...core.fitting.fit import FitOptions
from ...core.fitting.from_shape import ShapeTemplate
from ...core.geometry.shape import Shape
from ...core.quality.apart import stands_apart
from ...core.quality.drawn_out import drawn_out
from ...core.seeing.stance import detect_stance
from ...core.skeleton.rig import Rig
from ...core.skeleton.root import BASES, ON_BASE
from ...core.skeleton.template import SkeletonTemplate
from ...core.skinning.bind import BindOptions
from ...core.skinning.weights import SkinWeights
from ...core.steps import Steps, each, run, share
from .. import session
from ..bridge.armature import (
    change_bones,
    check_editable,
    move_bones,
    read_detail,
    read_reading,
    read_rig,
    write_armature,
    write_detail,
    write_notes,
    write_things,
    write_up,
    write_warnings,
)
from ..bridge.groups import read_groups
from ..bridge.mesh import Character, found_again, look_up_again, read_character
from ..bridge.weights import rewrite_weights, write_weights
from ..current import metres
from ..editing.limbs import with_limbs_of
from ..editing.pins import choose_reading, drop_copies, owner_of, readings_of, take_over, with_moved, world_pins
from ..modes import as_it_was, keep_edits, object_mode
from ..names import JOINTS
from .blending import note_binding
from .bodies import body_of, rigged_below
from .fitted import (
    by_own_names,
    limbs_changed,
    moved_by_hand,
    note_fit,
    ours_now,
    told_of_lost_pins,
    told_of_moved,
    told_of_unmade,
)
from .keeping import bind_beside_steps, told_of_bare, what_stays, write_beside
from .rigged import followers, is_ours, leave_rigs, remove_rig
from .standing import armature_place, home_of, stance_on, stance_told
from .templates import send_along
from .tied import Ties
from .twists import write_twists

WRITING = "Writing armature and weights"  # the stage whose work changes the scene


@dataclass(frozen=True, eq=False)
class Rigged:
    """What became of a character.

    rig : world space;  seconds : {stage: wall time};  preset : the skeleton's name, empty if it is the artist's own
    found : what the check found, where a skeleton was fitted;  notes : what is no cause for a look, but good to know
    """

    armature: bpy.types.Object
    character: Character
    shape: Shape
    rig: Rig
    weights: SkinWeights
    seconds: dict[str, float]
    warnings: tuple[str, ...]
    preset: str = ""
    found: CharacterCheck | None = None
    notes: tuple[str, ...] = ()

    def warned(self, more: tuple[str, ...]) -> Rigged:
        """The same, with more to warn of."""
        return replace(self, warnings=(*self.warnings, *more))


P = ParamSpec("P")


def _timed(steps: Callable[P, Steps[Rigged]]) -> Callable[P, Steps[Rigged]]:
    """A generator function whose result says the wall time each stage worked; waiting to be resumed is free."""
    @wraps(steps)
    def timed(*args: P.args, **more: P.kwargs) -> Steps[Rigged]:
        seconds: dict[str, float] = {}
        work, stage = steps(*args, **more), ""
        while True:
            since = time.perf_counter()
            try:
                told = next(work)
            except StopIteration as done:
                told = done.value
            finally:
                if stage:
                    seconds[stage] = seconds.get(stage, 0.0) + time.perf_counter() - since
            if isinstance(told, Rigged):
                return replace(told, seconds=seconds)
            stage = told[0]
            yield told

    return timed


def auto_rig(context, objects, template: SkeletonTemplate | Callable[[Shape], SkeletonTemplate], *, hints=(),
             method: str = "auto", name: str = "", stance=detect_stance, detail: DetailOptions = DetailOptions(),
             chosen: str = "auto", reading: int = 0,
             tell: Callable[[str, float], None] = lambda stage, fraction: None) -> Rigged:
    """`auto_rig_steps` run to their end.

    tell : called with (stage, fraction done) on the way
    """
    return run(auto_rig_steps(context, objects, template, hints=hints, method=method, name=name, stance=stance,
                              detail=detail, chosen=chosen, reading=reading), tell)


def bind(context, objects, armature, *, method: str = "auto", has_base: bool = True,
         tell: Callable[[str, float], None] = lambda stage, fraction: None) -> Rigged:
    """`bind_steps` run to their end, its rig's joints being where the bones begin."""
    done = run(bind_steps(context, objects, armature, method=method, has_base=has_base), tell)
    joints = dict(zip(done.rig.names, done.rig.heads, strict=True))
    return replace(done, rig=replace(done.rig, joints=joints))


def taken_over(context, objects, armature, *, method: str = "auto", has_base: bool = True,
               tell: Callable[[str, float], None] = lambda stage, fraction: None) -> Rigged:
    """A character as its artist bound it: no weight changes where a mesh that follows the armature has any.

    Other meshes of these objects are bound, except what hangs on a bone.  Raises RigError.
    """
    bones = {bone.name for bone in armature.data.bones if bone.use_deform}
    own = [o for o in followers(armature) if o.visible_get() and _has_weights(o, bones)]
    free = [o for o in objects if o.type == "MESH" and o.visible_get() and o not in own
            and not (o.parent == armature and o.parent_type == "BONE") and o.data.polygons]
    if not own:
        return bind(context, objects, armature, method=method, has_base=has_base, tell=tell)
    name = armature.name
    bound = bind(context, free, armature, method=method, has_base=has_base, tell=tell) if free else None
    armature = bpy.data.objects[name]
    tell("Reading the mesh", 0.9)
    rig = read_rig(armature)
    character = read_character(context, [*own, *(part.object for part in (bound.character.parts if bound else ()))])
    matrix = read_groups(context, character, rig.names)
    total = np.asarray(matrix.sum(1)).ravel()
    scaled = sparse.diags(1 / np.where(total > 0, total, 1.0)) @ matrix
    stance = stance_on(armature, character.mesh, has_base=has_base)
    shape = pipeline.run(session.shape_steps(character.mesh, stance))
    joints = dict(zip(rig.names, rig.heads, strict=True))
    weights = SkinWeights(scaled.tocsr(), rig.names, "kept", "the file's own weights")
    return Rigged(armature, character, shape, replace(rig, joints=joints), weights, {},
                  (*character.warnings, *told_of_bare(matrix), *(bound.warnings if bound else ())))


def _has_weights(o, bones) -> bool:
    """Whether any vertex of an object has weight of one of some bones."""
    groups = {g.index for g in o.vertex_groups if g.name in bones}
    return bool(groups) and any(g.group in groups and g.weight > 0 for v in o.data.vertices for g in v.groups)


@_timed
def auto_rig_steps(context, objects, template: SkeletonTemplate | Callable[[Shape], SkeletonTemplate], *, hints=(),
                   method: str = "auto", name: str = "", replaced=(), prepare=pipeline.prepare_shape_steps,
                   stance=detect_stance, options: BindOptions = BindOptions(),
                   readings: Mapping[str, int] = MappingProxyType({}), detail: DetailOptions = DetailOptions(),
                   chosen: str = "auto", reading: int = 0) -> Steps[Rigged]:
    """Fit a template to mesh objects and bind them to the armature it becomes, yielding (stage, fraction) on the way.

    name : of the character, the largest object's if empty
    replaced : names of armatures to remove when the new one is there, in all their collections
    template : or a function of the prepared shape that gives it;  stance : function of the mesh that gives it
    prepare : `session.shape_steps` remembers the shape
    detail : how far the skeleton goes into detail
    readings : {skeleton's name: which reading of the body it is fitted to}, `reading` where none is given
    chosen : the skeleton the artist has chosen, by its name: what is said of another kind of body is left out
    The scene is read in the first step and written in the last; nothing in it changes before the core has succeeded,
    and a caller who stops on the way leaves it untouched. Raises RigError.
    """
    yield "Reading the mesh", 0.0
    hints, character = dict(hints), read_character(context, list(objects), name)
    yield "Seeing how it stands", 0.02
    stance, shape = yield from share(stand_steps(character.mesh, stance(character.mesh), prepare), 0.03, 0.15)
    if callable(template):
        template = with_limbs_of(template(shape), shape, [part.object for part in character.parts])
        hints = {joint: place for joint, place in hints.items() if may_pin(template, joint)}
    found = check_character(shape, stance=stance, metres=metres(context))
    fit_options = FitOptions(reading=readings.get(template.name, reading))
    rig = yield from share(pipeline.fit_steps(character.mesh, template, hints, shape=shape, options=fit_options,
                                              detail=detail), 0.15, 0.6)
    weights = yield from share(pipeline.bind_steps(character.mesh, rig, method, shape=shape, options=options),
                               0.6, 0.95)
    yield WRITING, 0.95
    character = look_up_again(character)
    with object_mode(context):
        olds = [old for old in map(bpy.data.objects.get, replaced) if is_ours(old)]  # and not deleted meanwhile
        label = olds[0].name if len(olds) == 1 else f"{character.mesh.name} rig"
        ties = Ties(olds)
        homes = [c for old in olds for c in old.users_collection if c.library is None and c.override_library is None]
        for old in olds:
            remove_rig(context, old, for_another=True)
        leave_rigs(part.object for part in character.parts)
        armature = write_armature(context, rig, label, home_of(context, character),
                                  armature_place(character), template.name)
        for home in dict.fromkeys(homes):  # of other scenes too
            if armature.name not in home.objects:
                home.objects.link(armature)
        send_along(armature, template)
        write_detail(armature, detail)
        write_up(armature, shape.frame.rotation[2])
        write_things(armature, rig.things)
        write_twists(armature, rig)
        warnings = (*write_weights(context, character, armature, weights), *ties.tie_to(armature),
                    *_drawn_out(character, shape, rig, weights))
        note_fit(armature, rig.names, [part.object for part in character.parts])
        note_binding(armature, weights)
    seen = [text for text in found.warnings_for(chosen) if text not in found.of_lack]  # the rig tells what it lacks
    told = (*character.warnings, *_told_of_body(character, found),
            *map(sentence, (*unlike_preset(found, template), *seen)), *rig.warnings, *warnings)
    write_warnings(armature, told := tuple(dict.fromkeys(told)))
    write_notes(armature, notes := stance_told(character.mesh.name, found.kind, stance))
    return Rigged(armature, character, shape, rig, weights, {}, told, template.name, found, notes)


def _told_of_body(character: Character, found: CharacterCheck) -> tuple[str, ...]:
    """A word where what was rigged alone, as hair or eyes, lies on a character that has a rig."""
    below = rigged_below(part.object for part in character.parts) if found.kind == "unknown" else None
    return () if below is None else (
        f"'{character.mesh.name}' lies on '{below[1].name}', which '{below[0].name}' moves: to let it follow, undo "
        "this, select both, and press Rig Anew, or Copy Weights to Selected.",)


def each_steps(works: Sequence[Steps[Rigged]]) -> Steps[tuple[list[Rigged], tuple[str, ...]]]:
    """The work of `auto_rig_steps` on several characters as one: nothing is written before all are computed.

    Returns what became of them, and why those are not among them that cannot be rigged.  Raises RigError if none can.
    """
    done, errors = yield from each(works, WRITING)
    return done, tuple(map(str, errors.values()))


@_timed
def update_rig_steps(context, armature, template: Callable[[Shape], SkeletonTemplate], *, method: str = "auto",
                     stance=detect_stance, options: BindOptions = BindOptions(), other_reading: bool = False,
                     keep_moved: bool = True) -> Steps[Rigged]:
    """Fit a rig of ours anew to the pins its character has now, and bind its meshes to it, yielding (stage, fraction).

    template : function of the prepared shape that gives it
    other_reading : fit the reading after the one the rig has, and choose it; otherwise the one that is chosen
    keep_moved : pin joints whose bones were moved by hand in Edit mode; otherwise the fit moves them back
    Bones that are no longer there are left out; bones, constraints, poses and vertex groups the artist added stay.
    Nothing in the scene changes before the last step. Raises RigError.
    """
    yield "Reading the mesh", 0.0
    keep_edits(armature)
    name, mirror, detail = armature.name, getattr(context.scene, JOINTS).mirror, read_detail(armature)
    if armature.data.library is not None:
        raise BadRig(f"The bones of '{name}' are linked from another file and cannot be moved here. Make its data "
                     "local first: Object > Relations > Make Local.")
    check_editable(context, armature)
    objects = body_of(armature)
    character = read_character(context, objects)
    yield "Seeing how it stands", 0.05
    how, shape = yield from share(stand_steps(character.mesh, stance(character.mesh), session.shape_steps), 0.05, 0.3)
    armature, objects = bpy.data.objects[name], body_of(bpy.data.objects[name])
    skeleton = with_limbs_of(template(shape), shape, objects)
    moved = moved_by_hand(armature, skeleton) if keep_moved else {}
    reading = readings_of(owner_of(objects)).get(skeleton.name, 0) if objects else 0
    if other_reading:
        now, count, _ = read_reading(armature) or (reading, 1, "")
        reading = (now + 1) % count
    known = {n: p for n, p in world_pins(owner_of(objects)).items() if may_pin(skeleton, n)} if objects else {}
    hints = with_moved(known, moved, skeleton, mirror=mirror)
    fit_options = FitOptions(mirror_pins=mirror, reading=reading)
    rig = yield from share(session.fitter_of(shape, skeleton, fit_options, detail).steps(hints), 0.3, 0.5)
    armature = bpy.data.objects[name]
    fresh, gone = limbs_changed(armature, rig) if isinstance(skeleton, ShapeTemplate) else ([], [])
    unmade = told_of_unmade(armature, rig)
    noted, called = ours_now(armature, (*rig.names, *gone), fresh)  # notes have own names, all else has those of now
    ours = {called.get(bone, bone) for bone in noted}
    rig = _only(rig, [bone for bone in rig.names if bone in called or bone in fresh])
    if not rig.names:
        raise BadRig(f"No bone of '{name}' has the name it was given. Rename its bones back, then update.")
    weights, painted = yield from share(bind_beside_steps(
        context, character, armature, rig, shape, ours=ours, called=called, method=method, options=options), 0.5, 0.95)
    rig, removed, gone = replace(rig, names=weights.bones), {*gone}, [called[bone] for bone in gone]
    yield WRITING, 0.95
    character, armature = look_up_again(character), bpy.data.objects[name]
    lost = told_of_lost_pins(armature)
    with as_it_was(context):
        if fresh or gone:
            change_bones(context, armature, rig, gone)
        move_bones(context, armature, rig)
        write_up(armature, shape.frame.rotation[2])
        rewrite_weights(character, weights, ours, armature)
        _note_said(character, skeleton, moved, mirror=mirror, reading=rig.reading if other_reading else None)
        note_fit(armature, noted - removed, [part.object for part in character.parts])
        note_binding(armature, weights)
    told = (*character.warnings, *unmade, *lost, *painted, *((told_of_moved(moved),) if moved else ()), *rig.warnings)
    return Rigged(armature, character, shape, rig, weights, {}, told, notes=_noted(armature, character, shape, how))


def _note_said(character: Character, skeleton: SkeletonTemplate, moved: dict, *, mirror: bool, reading: int | None
               ) -> None:
    """Note on a character which joints were moved by hand, and the reading it was fitted to if it is another one."""
    objects = [part.object for part in character.parts]
    drop_copies(objects)
    owner = owner_of(objects)
    take_over(owner, moved, skeleton, mirror=mirror)
    if reading is not None:
        choose_reading(owner, skeleton.name, reading)


def _only(rig: Rig, bones: Sequence[str]) -> Rig:
    """A rig's bones of these names; it does not tell of a base's bone that is not among them."""
    kept = rig.only(bones)
    is_gone = {*BASES} & {*rig.names} - {*kept.names}
    return replace(kept, warnings=tuple(w for w in kept.warnings if w != sentence(ON_BASE))) if is_gone else kept


def _noted(armature, character: Character, shape: Shape, stance) -> tuple[str, ...]:
    """Note on an armature how its character stands now; the notes."""
    notes = stance_told(character.mesh.name, check_character(shape, stance=stance).kind, stance)
    write_notes(armature, notes)
    return notes


@_timed
def bind_steps(context, objects, armature, *, method: str = "auto", options: BindOptions = BindOptions(),
               only_selected: bool = False, within: str = "", has_base: bool = True) -> Steps[Rigged]:
    """Bind mesh objects to the deforming bones of an armature, yielding (stage, fraction).  Raises RigError.

    Locked vertex groups keep their weights, and the other bones share what these leave.  has_base : see `stance_on`
    only_selected : other vertices keep their weights bit by bit;  within : a vertex group, how much each vertex takes
    """
    yield "Reading the mesh", 0.0
    keep_edits(armature)
    mark, rig = (armature.name, armature.session_uid), read_rig(armature)
    character = read_character(context, objects)
    kept, chosen = what_stays(context, character, armature, rig, only_selected=only_selected, within=within)
    stance = stance_on(armature, character.mesh, has_base=has_base)
    shape = yield from share(session.shape_steps(character.mesh, stance), 0.05, 0.4)
    weights = yield from share(pipeline.bind_steps(character.mesh, by_own_names(armature, rig), method, shape=shape,
                                                   options=options, kept=kept), 0.4, 0.95)
    yield "Writing the weights", 0.95
    weights = replace(weights, bones=rig.names)
    character, armature = look_up_again(character), found_again(*mark)
    with object_mode(context):
        warnings = write_beside(context, character, armature, weights, chosen if kept is not None else None)
        note_binding(armature, weights)
    apart = (f"No bone of '{armature.name}' lies in '{character.mesh.name}', or the skeleton is much too small. Bring "
             "both to one place and size, then bind again.",) if stands_apart(character.mesh, rig) else ()
    taken = np.concatenate([part.source for part, of in zip(character.parts, chosen, strict=True) if of.any()])
    torn = (*apart, *told_of_bare(weights.matrix[taken])) or _drawn_out(character, shape, rig, weights)
    told = (*character.warnings, *warnings, *torn)
    return Rigged(armature, character, shape, rig, weights, {}, told)


def _drawn_out(character: Character, shape: Shape, rig: Rig, weights: SkinWeights) -> tuple[str, ...]:
    """A warning of skin that no weights could keep together, as a sentence."""
    return tuple(map(sentence, drawn_out(character.mesh, rig, weights.matrix, rotation=shape.frame.rotation)))

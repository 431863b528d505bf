"""One file: open it, rig it, write its results."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import bpy

from ...core.errors import BadHint, RigError
from ...core.fitting.missing import with_pinned
from ...core.picture.png import encode_png
from ...core.quality.sheet import weight_sheet
from ...core.quality.weight_check import check_weights
from ..bridge.files import Outputs, check_file, named_files, open_file
from ..bridge.mesh import told_of_ground
from ..bridge.skinned_glb import Known
from ..characters.bodies import Body, bodies_of
from ..characters.parting import holds_several, separate_characters
from ..characters.rigged import followers
from ..characters.rigging import Rigged, auto_rig, bind, taken_over
from ..choices import detail_options, stance_of, template_for
from ..describe import describe, describe_reading
from ..export.besides import told_of_besides
from ..formats import SUFFIX, BadFile
from ..portrait import portrait
from .contents import are_unchanged, hints_beside, sources_of
from .engines import rest, write_engines
from .hints import Hints, read_hints
from .inputs import Job
from .motions import animate
from .options import RigOptions
from .readings import likeliest_readings

Tell = Callable[[str, float], None]

# One file's fault must not cost the others theirs. RigError is about the file; these are faults of the program or the
# machine, and are reported as such with their traceback.
FAULTS = (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError)


MOST_BODIES = 20  # that are rigged of one file: a scene of thousands would take hours


def attempt(job: Job, out: Path, options: RigOptions, tag: str, tell: Tell) -> tuple[dict, list]:
    """Rig one file.  Returns its entry in the report, whatever happened, and the sources it was made of.

    tag : part of the names of its unfinished results;  tell : called with (stage, fraction) on the way
    """
    logging.disable(logging.INFO)  # the glTF exporter tells of every mesh
    entry = {"file": job.path, "status": "failed", "preset": options.preset}
    sources: list = []
    try:
        check_file(Path(job.path))
        sources = sources_of(job.path)
        entry |= rig_file(job, sources, out, options, tag, tell) | {"status": "rigged"}
    except RigError as error:
        message = str(error) if job.path in str(error) else f"'{job.path}': {error}"
        entry |= {"error": message, "kind": type(error).__name__}
    except UnicodeDecodeError:  # bpy hands out names as the file has them
        entry |= {"error": f"'{job.path}' is broken: it holds a name that is no text. Save or export it again.",
                  "kind": "BadFile"}
    except MemoryError:
        entry |= {"error": f"'{job.path}' needs more memory than there is. Run fewer --jobs at a time, or simplify the "
                           "mesh.", "kind": "OutOfMemory"}
    except FAULTS as error:
        kind = type(error).__name__
        entry |= {"error": f"'{job.path}': a fault in Geppetto ({kind}: {error}). Please report it with the file.",
                  "kind": kind, "traceback": traceback.format_exc()}
    return entry, sources


def rig_file(job: Job, sources: list, out: Path, options: RigOptions, tag: str, tell: Tell) -> dict:
    """Rig one file and write its results, all or none.  Returns what the report says of it.  Raises RigError."""
    path, target, laps = Path(job.path), out / job.target, _Laps()
    tell("Opening", 0.0)
    open_file(path)
    hints = read_hints(hints_beside(path))
    options = hints.within(options)
    if not are_unchanged(sources):
        raise BadFile(f"'{path}' was changed while it was read. Rig it again when it is finished.")
    sources[:] = sources_of(job.path, named_files(), sources)
    laps.end("Opening")
    armature = _own_skeleton(path, hints) if options.rig == "existing" else None
    template, others = template_for(options.preset), list[tuple[dict, bytes]]()
    if armature is not None:
        rigged = (taken_over if options.motion else bind)(
            bpy.context, bpy.context.scene.objects, armature, method=options.method, tell=tell,
            has_base=detail_options(options).has_base)
    else:
        rigged, others = rig_characters(options, template, hints, path.stem, tell)
    _check_hints(path, hints, rigged)
    laps.take(rigged.seconds | _seconds_of(others))
    target.parent.mkdir(parents=True, exist_ok=True)
    more: dict = {"hints": sorted(hints.joints)} if hints.joints else {}
    if armature is None:
        tell("Looking for other readings", 0.96)
        readings = likeliest_readings(rigged, _pinned(template, hints.joints), hints=hints.joints,
                                      most=options.readings)
        more["readings"] = [describe_reading(rig) for rig in readings]
        if len(readings) > 1:
            laps.end("Looking for other readings")
    with Outputs(tag) as outputs:
        if options.picture:
            tell("Drawing", 0.97)
            outputs.data(with_suffix(target, ".png"), encode_png(portrait(bpy.context, rigged)))
            laps.end("Drawing")
        more |= _tell_of(others, target, out, outputs)
        if options.weight_check:
            tell("Checking the weights", 0.972)
            more |= _check_weights(rigged, target, options, outputs)
            laps.end("Checking the weights")
        doubts = rest(rigged.armature, options)
        if options.motion:
            more["motions"], of_motions = animate(rigged, target, options, outputs, tell)
            doubts += of_motions
            laps.end("Moving")
        tell("Writing the files", 0.98)
        known = Known() if armature is not None else _known(rigged)
        for kind in options.format:
            outputs.scene(kind, with_suffix(target, SUFFIX[kind]), known)
        engines, without_motions = write_engines(rigged, target, options, outputs)
        more |= engines
        doubts += without_motions
        tell("Done", 1.0)
    laps.end("Writing the files")
    found = more.get("weight_check", {})
    warnings = [*rigged.warnings, *doubts, *(found["words"] if found.get("verdict") == "poor" else ()),
                *outputs.warnings, *_lost(options, more.get("motions", []))]
    written = [made.relative_to(out).as_posix() for made in outputs.paths]
    return describe(rigged) | more | {"seconds": laps.seconds, "sha256": sources[0][3], "written": written,
                                      "warnings": warnings}


def _lost(options: RigOptions, motions: list[dict]) -> list[str]:
    """What files of the formats that are asked for cannot hold, as warnings.  motions : as the report has them"""
    usd = [f"A .usdz holds one motion: '{motions[0]['name']}'. Files of other formats have all {len(motions)}."] if (
        "usd" in options.format and len(motions) > 1) else []
    meshes = [o for o in bpy.context.scene.objects if o.type == "MESH" and o.visible_get()]
    lacking = [kind for kind in options.format if kind != "blend"]
    return [*usd, *(told_of_besides(bpy.context, meshes, f"A {SUFFIX[lacking[0]]}") if lacking else ())]


def _check_hints(path: Path, hints: Hints, rigged: Rigged) -> None:
    """Raise BadHint, with what was warned of besides, if a rig has not what was said of it."""
    rig, wrong = rigged.rig, ""
    if unknown := [name for name in hints.joints if name not in rig.joints]:
        wrong = f"pin '{unknown[0]}', which the skeleton does not have. Use: {', '.join(rig.joints)}."
    elif hints.reading and hints.reading >= rig.readings:
        wrong = f"ask for reading {hints.reading + 1}, but there " + (
            f"are only {rig.readings}." if rig.readings > 1 else "is only one.")
    if wrong:  # a skeleton that the body is unlike was turned down in a warning
        raise BadHint(" ".join((f"The hints '{hints_beside(path)}' {wrong}", *rigged.warnings)))


def _known(rigged: Rigged) -> Known:
    """The weights that were written."""
    weights = rigged.weights
    return Known(weights.bones, {part.object.name: weights.matrix[part.source] for part in rigged.character.parts})


def _own_skeleton(path: Path, hints: Hints) -> bpy.types.Object | None:
    """The open file's skeleton, None without.  Raises BadHint if anything is said of how to fit one all the same."""
    armature = skeleton_of(bpy.context.scene.objects)
    if armature is not None and hints:
        raise BadHint(f"The hints '{hints_beside(path)}' are about a new skeleton, but '{path.name}' has a skeleton of "
                      "its own. Remove one of them, or use --rig new.")
    return armature


def rig_characters(options: RigOptions, template, hints: Hints, name: str, tell: Tell
                   ) -> tuple[Rigged, list[tuple[dict, bytes]]]:
    """Rig the open scene's character, or each of those that stand apart.  Raises RigError.

    name : the largest one's;  hints : their joints and reading are about that one.  Its warnings tell of the others
        and of what was left out.
    Returns the largest one, and of each other what the report says of it and its picture: their meshes are let go.
    """
    objects = list(bpy.context.scene.objects)
    bodies, ground = [Body(tuple(objects))], list[bpy.types.Object]()
    if options.characters == "each":
        seen = [o for o in objects if o.visible_get()]
        if holds_several(seen):
            objects += separate_characters(bpy.context, seen, options.up)
        bodies, ground = bodies_of(objects, options.up)
    bodies.sort(key=lambda body: -sum(len(o.data.polygons) for o in body.objects
                                      if o.type == "MESH" and o.library is None))  # linked ones cannot be rigged

    detail = detail_options(options)

    def rig(body: Body, own=template, **more) -> Rigged:
        return auto_rig(bpy.context, body.objects, own, method=options.method,
                        stance=lambda mesh: stance_of(mesh, options, detail), detail=detail,
                        chosen=options.preset, **more)

    first = rig(bodies[0], _pinned(template, hints.joints), hints=hints.joints, reading=hints.reading, name=name,
                tell=tell)
    told = told_of_ground(ground)
    if len(bodies) > MOST_BODIES:
        told.append(f"{len(bodies)} bodies stand apart in this file: the {MOST_BODIES} largest got a rig, the others "
                    "were left as they are. Give them files of their own, or use --characters one if all are one "
                    "character.")
        del bodies[MOST_BODIES:]
    if len(bodies) > 1:
        told.append(f"{len(bodies)} characters stand apart in this file and get a rig each. This entry, its motions "
                    f"and files for engines are about '{_name(first)}'; report.html and report.json list the others.")
    others = []
    for body in bodies[1:]:
        try:
            made = rig(body)
        except RigError as error:
            told.append(str(error))
            continue
        picture = encode_png(portrait(bpy.context, made)) if options.picture else b""
        said = describe(made) | {"name": _name(made), "seconds": made.seconds,
                                 "warnings": [*made.warnings, *rest(made.armature, options)]}
        others.append((said, picture))
    return first.warned(tuple(told)), others


def _pinned(template, hints: dict):
    """The function of a shape that gives a template, or the template, with the limbs that are pinned."""
    return (lambda shape: with_pinned(template(shape), hints)) if callable(template) else template


def _tell_of(others: list[tuple[dict, bytes]], target: Path, out: Path, outputs: Outputs) -> dict:
    """What the report says of the others, their pictures among the outputs."""
    for number, (said, picture) in enumerate(others, 2):
        if picture:
            outputs.data(place := with_suffix(target, f"-character-{number}.png"), picture)
            said["picture"] = place.relative_to(out).as_posix()
    return {"others": [said for said, _ in others]} if others else {}


def _seconds_of(others: list[tuple[dict, bytes]]) -> dict[str, float]:
    return {"Other characters": sum(sum(said["seconds"].values()) for said, _ in others)} if others else {}


def _name(rigged: Rigged) -> str:
    """What a character is called: as the largest of its objects."""
    return max(rigged.character.parts, key=lambda part: len(part.source)).name


def skeleton_of(objects) -> bpy.types.Object | None:
    """The armature that moves most of the meshes, of equals the one with most deforming bones; None if none deforms."""
    def rank(armature) -> tuple:
        return len(followers(armature)), sum(b.use_deform for b in armature.data.bones)
    return max((o for o in objects if o.type == "ARMATURE" and rank(o)[1]), key=rank, default=None)


def with_suffix(path: Path, suffix: str) -> Path:
    """The path with a suffix added; a dot in its name does not make the rest a suffix."""
    return path.with_name(path.name + suffix)


def _check_weights(rigged: Rigged, target: Path, options: RigOptions, outputs: Outputs) -> dict:
    """Judge the weights, a picture of it among the outputs.  Returns what the report says of it."""
    mesh, rig, weights = rigged.character.mesh, rigged.rig, rigged.weights.matrix
    check = check_weights(mesh, rig, weights, rotation=rigged.shape.frame.rotation)
    if options.picture:
        sheet = weight_sheet(mesh, check, rig, weights, rotation=rigged.shape.frame.rotation)
        outputs.data(with_suffix(target, "-weights.png"), encode_png(sheet))
    return {"weight_check": check.numbers()}


class _Laps:
    """Wall time by stage."""

    def __init__(self):
        self.seconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def end(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage], self._since = now - self._since, now

    def take(self, seconds: dict[str, float]) -> None:
        self.seconds |= seconds
        self._since = time.perf_counter()

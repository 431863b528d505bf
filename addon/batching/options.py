"""What a run is told: on the command line, or in a file of the same words.

To add an option, add a field: its command line switch, its key in --config, its place in what --resume compares and
its way to the process that does the work follow from it.
"""

from __future__ import annotations

import argparse
import os
import tomllib
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path

from ...core.detail.levels import LEVELS
from ...core.errors import RigError
from ...core.fitting.creature import creature_names
from ...core.geometry.axes import AXES
from ...core.hanging.thing import may_be_named
from ...core.json_file import read_json
from ...core.motion.authoring.pace import speed_of
from ...core.motion.authoring.style import style_of
from ...core.motion.clip_file import motion_names
from ...core.motion.made import made_names
from ...core.skeleton.engine import engines, load_engine
from ...core.skeleton.preset import preset_names
from ...core.skinning.methods import METHODS
from ..formats import ENGINE_SUFFIX, READERS, WRITERS, BadFile

QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a container: microseconds of processor time in how many, or "max"
OF_MOTIONS = ("travel", "drift", "style", "speed", "rest_frame", "trim", "fps", "reduce")


def _option(default, text: str, **more):
    """A field with its help; `more` goes to argparse."""
    metadata = {"help": text, **more}
    return field(default=default, metadata=metadata)


def _formats(text: str) -> tuple[str, ...]:
    kinds = tuple(dict.fromkeys(kind.strip().lower() for kind in text.split(",") if kind.strip()))
    unknown = [kind for kind in kinds if kind not in WRITERS]
    if unknown or not kinds:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of {','.join(WRITERS)}")
    return kinds


def _engines(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    files: dict[str, str] = {}
    try:
        for name in names:
            if files.setdefault(engine_suffix(name), name) != name:
                raise argparse.ArgumentTypeError(f"'{files[engine_suffix(name)]}' and '{name}' would write one file, "
                                                 f"as their \"name\" is '{load_engine(name).name}'. Change it in one.")
    except RigError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return names


def engine_suffix(name: str) -> str:
    """How the name of a file for an engine ends."""
    engine = load_engine(name)
    return f"-{engine.name}{ENGINE_SUFFIX[engine.container]}"


def _number(least: float, whole: bool = False):
    def read(text: str):
        value = int(text) if whole else float(text)
        if not least <= value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} is not a number from {least} up")
        return value

    read.__name__ = "whole number" if whole else "number"
    return read


def ends_of(text: str) -> tuple[int, int]:
    """First and last frame of "FIRST:LAST"; -1 is the end.  Raises ValueError."""
    first, _, last = text.partition(":")
    ends = int(first or 0), int(last or -1)
    if ends[0] < 0 or ends[1] < -1 or -1 < ends[1] < ends[0]:
        raise ValueError(text)
    return ends


def _trim(text: str) -> str:
    try:
        ends_of(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not FIRST:LAST, such as 10:120") from None
    return text


def _things(text: str) -> str:
    if unknown := [name for name in text.replace(",", " ").split() if not may_be_named(name)]:
        raise argparse.ArgumentTypeError(f"nothing is ever called {unknown[0]}; names are such as cape, hair, ear.L, "
                                         "wing.L, skirt, prop_hand.R, prop_chest, hair_2 and base")
    return text


def _valid(check: Callable[[str], object]):
    """Text that `check` takes, as it is; what `check` says of any other goes to the command line."""
    def read(text: str) -> str:
        try:
            check(text)
        except RigError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
        return text

    return read


@dataclass(frozen=True)
class RigOptions:
    """What is made of each file. --resume makes a file anew when one of these has changed."""

    preset: str = _option("auto", "auto: what suits each character's shape; or "
                              f"{', '.join((*preset_names(), *creature_names()))}; shape: made from the shape itself, "
                              "'shape 0.8' with more bones; or a template's .json file")
    up: str = _option("auto", "the direction in which the characters' heads are, in Blender after the import: "
                             "importers take .obj and .glb for files with Y up, and turn them to Z up",
                      choices=["auto", *AXES])
    front: str = _option("auto", "the direction in which they look, in Blender after the import",
                         choices=["auto", *AXES])
    rig: str = _option("new", "new: fit a skeleton, whether the file has one or not; existing: bind the meshes to the "
                              "skeleton in the file, where there is one", choices=["new", "existing"])
    detail: str = _option("hands", "how far the skeleton goes: body; hands, with fingers where they show; full, with "
                                    "eyes, twist bones, what hangs or is held, and a root on the ground too",
                          choices=list(LEVELS))
    fingers: str = _option("auto", "fingers on each hand, thumb counted: auto, as many as show; or how many are sought",
                           choices=["auto", *map(str, range(6))])
    twists: int = _option(2, "twist bones in each upper arm, forearm, thigh and shin of a full skeleton, 0 to 3",
                          type=int, choices=range(4))
    root: bool = _option(False, "a root bone on the ground under the hips; a full skeleton has it anyway")
    without: str = _option("", "things of a full skeleton that get no bones, with commas between them: cape, hair, "
                               "ear.L, prop_hand.R, prop_chest; the report names those there are. base, with any "
                               "skeleton: what a figure seems to stand on is part of its body", type=_things,
                           metavar="NAMES")
    characters: str = _option("each", "each: characters that stand apart in one file (a crowd, levels of detail in a "
                                      "row) get a rig each, and the report is about the largest; one: all meshes of a "
                                      "file are one character",
                              choices=["each", "one"])
    method: str = _option("auto", "how weights are made; heat_paper and geodesic_paper are the published methods, to "
                                  "compare with", choices=METHODS)
    motion: tuple[str, ...] = _option((), "let the character move: "
                                          f"{', '.join((*motion_names(), *made_names()))}, or a .json, .bvh, .fbx, "
                                          ".glb file, FILE:ACTION for one of its actions, FILE:* for all, or a folder "
                                          "of such files; given several times, all of them; the animation is in the "
                                          "files written, beside them a strip of pictures and a film; what a character "
                                          "cannot do is left out with a warning",
                                      action="append", metavar="NAME|FILE|FILE:ACTION|DIR")
    travel: str = _option("source", "what carries the way over the ground: source: the hips, if the motion's source "
                                    "travels; hips; root: the bone above the hips, or the object; none: stay on the "
                                    "spot", choices=["source", "hips", "root", "none"])
    drift: bool = _option(True, "a motion that stays about its place may end elsewhere than it began")
    style: str = _option("", "how a motion that ships is done, each from -1 to 1: energy=0.7,width=0.2,mood=-1",
                         type=_valid(style_of), metavar="STYLE")
    speed: str = _option("", "how fast people, animals and creatures on legs go over the ground; walk or run, walk, "
                             "trot, canter or gallop follows from it: natural, as a body of its size goes by itself; "
                             "1.4, metres a second; 3legs, leg lengths a second; without it, as they ship",
                         type=_valid(speed_of), metavar="SPEED")
    rest_frame: int = _option(-1, "the frame of the motion, from 0, whose pose is taken for its rest pose; -1: its own",
                              type=int, metavar="N")
    trim: str = _option("", "the first and the last frame of the motion that are taken, from 0; without a last, to the "
                            "end", type=_trim, metavar="FIRST:LAST")
    fps: float = _option(0.0, "frames a second that the motion is brought to; 0: its own", type=_number(0), metavar="N")
    reduce: float = _option(0.0, "leave out keys while no bone is turned by more degrees than this from where it "
                                 "should be; 0: a key in every frame", type=_number(0), metavar="DEGREES")
    format: tuple[str, ...] = _option(("blend", "glb"), f"what to write, of {','.join(WRITERS)}", type=_formats,
                                      metavar="LIST")
    picture: bool = _option(True, "a .png that shows the rig")
    readings: int = _option(1, "how many of the things a body may be taken for are in the report, the likeliest first, "
                               "with joints and confidence; the first is rigged", type=_number(1, True), metavar="N")
    weight_check: bool = _option(False, "pose the character through a range of motion and report what its weights do "
                                        "wrong; <name>-weights.png shows where")

    rest: str = _option("modelled", "the rest pose: as modelled, or people brought to T-pose or A-pose by their own "
                                    "weights", choices=["modelled", "T", "A"])
    for_: tuple[str, ...] = _option((), f"engines to write a file for each, <name>-<engine>, of {','.join(engines())}; "
                                        "or .json files like those of presets/engines", type=_engines, metavar="LIST")

    @classmethod
    def from_message(cls, message: dict) -> RigOptions:
        """The options that `as_message` gave."""
        return cls(**{**message, **{key: tuple(message[key]) for key in ("motion", "format", "for_")}})

    def as_message(self) -> dict:
        """What JSON can hold of it."""
        return asdict(self)


@dataclass(frozen=True)
class RunOptions:
    """How the work is done; none of it changes a result."""

    out: str = _option("out", "folder for the results, made if missing")
    config: str = _option("", "a .toml or .json file with any of these options; the command line counts more",
                          metavar="FILE")
    jobs: int = _option(0, "files worked on at a time (default: as many as there are cores)", type=_number(1, True),
                        metavar="N")
    recursive: bool = _option(True, "look into folders inside folders")
    base: str = _option("", "keep the places of files below this folder among the results, as for files found in a "
                            "folder", metavar="DIR")
    list: str = _option("", "a file that names one FILE in each line, as @LIST does; - for standard input")
    resume: bool = _option(False, "leave out what is done: rigged before, from the same contents, with the same "
                                  "options and Geppetto, its results still there")
    memory: float = _option(0.0, "give a file up that takes more GiB of memory; 0: more than its share of nine tenths "
                                 "of the machine's", type=_number(0), metavar="GIB")
    recycle: int = _option(200, "files after which a process is replaced by a new one; 0: never",
                           type=_number(0, True), metavar="N")
    scheduler: str = _option("", "have the files rigged by the Dask cluster of this scheduler; its machines must see "
                                 "the files and the folder for results at the same places", metavar="ADDRESS")
    quiet: bool = _option(False, "a line for failures only")
    timeout: float = _option(900.0, "give a file up after so many seconds; 0: never", type=_number(0),
                             metavar="SECONDS")
    files: tuple[str, ...] = ()


def parse(arguments: list[str]) -> tuple[RigOptions, RunOptions]:
    """The command line; ends the program with status 2 and a message if it makes no sense.  Raises BadFile."""
    parser = argparse.ArgumentParser(prog="geppetto", description="Rig characters: a mesh in, bones and weights out.")
    parser.add_argument("files", nargs="*", metavar="FILE", help="a character; a folder, a pattern, @LIST "
                        f"or - for a list on standard input are characters too: {' '.join(sorted(READERS))}")
    for one in (*fields(RigOptions), *fields(RunOptions)):
        if one.metadata:
            _add(parser, one)
    arguments = _with_directions(arguments)
    given = parser.parse_intermixed_args(arguments)
    if given.config:
        words, files = read_config(Path(given.config))
        _check_words(given.config, words)
        if given.motion:  # what is said several times adds up, but not with what the file says
            words.pop("motion", None)
        # What the command line says itself was in order: it is the file that errors are about from here on.
        parser.usage, parser.prog = parser.format_usage().removeprefix("usage: "), f"geppetto: '{given.config}'"
        given = parser.parse_intermixed_args([*_as_arguments(words), *arguments])
        given.files = given.files or files
    given.files = (*given.files, *([given.list if given.list == "-" else f"@{given.list}"] if given.list else ()))
    if not given.files:
        parser.error("which files? Name at least one FILE")
    given.motion = tuple(dict.fromkeys(given.motion or ()))
    _check_together(parser, given)
    values = vars(given)
    return (RigOptions(**{one.name: values[one.name] for one in fields(RigOptions)}),
            RunOptions(**{one.name: values[one.name] for one in fields(RunOptions)}))


def _check_words(config: str, words: dict) -> None:
    """Raise BadFile unless a config file's words are options, and their values of the right sort."""
    switches = {_word(one.name): isinstance(one.default, bool) for one in (*fields(RigOptions), *fields(RunOptions))
                if one.metadata and one.name != "config"}
    for word, value in words.items():
        if word not in switches:
            raise BadFile(f"'{config}' has '{word}', which is no option. Use: {', '.join(sorted(switches))}.")
        if switches[word] and not isinstance(value, bool):
            raise BadFile(f"'{config}' must give '{word}' as true or false, without quotes.")
        if not switches[word] and not all(isinstance(one, str | int | float) and not isinstance(one, bool)
                                          for one in (value if isinstance(value, list) else [value])):
            raise BadFile(f"'{config}' must give '{word}' as a text or a number, or as a list of them.")


def _check_together(parser: argparse.ArgumentParser, given: argparse.Namespace) -> None:
    """End the program with status 2 and a message if options contradict each other or do nothing."""
    if not given.out:  # as "$OUT" is where nobody set it
        parser.error("--out is empty: name a folder, or . for this one")
    if "auto" not in (given.up, given.front) and given.up.lstrip("-") == given.front.lstrip("-"):
        parser.error(f"--up {given.up} and --front {given.front} lie along one axis: no character looks to where its "
                     "head or its feet are")
    for one in fields(RigOptions):
        if one.name in OF_MOTIONS and not given.motion and getattr(given, one.name) != one.default:
            switch = f"--{'no-' if one.default is True else ''}{one.name.replace('_', '-')}"
            parser.error(f"{switch} does nothing without --motion")


def _with_directions(arguments: list[str]) -> list[str]:
    """The arguments with "--front -Y" as "--front=-Y": argparse takes a word that begins with - for an option."""
    joined: list[str] = []
    for argument in arguments:
        if argument in AXES and joined and joined[-1] in {"--up", "--front"}:
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def read_config(path: Path) -> tuple[dict, list[str]]:
    """(options by name, files) of a .toml or .json file.  Raises BadFile."""
    try:
        contents = path.read_bytes()
        data = (tomllib.loads(contents.decode("utf-8-sig")) if path.suffix.lower() == ".toml" else
                read_json(contents, f"'{path}'", BadFile))
    except OSError as error:
        raise BadFile(f"'{path}' cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BadFile(f"'{path}' is not TOML: {error}.") from error
    files = data.pop("files", []) if isinstance(data, dict) else None
    if files is None or not isinstance(files, list) or not all(isinstance(name, str) for name in files):
        raise BadFile(f"'{path}' must hold options by name, and under \"files\" a list of names.")
    return data, files


def job_count(run: RunOptions) -> int:
    """How many files are worked on at a time: as many as this process has cores and its container pays for."""
    if run.jobs:
        return run.jobs
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    granted, _, period = QUOTA.read_text(encoding="utf-8").partition(" ") if QUOTA.is_file() else ("max", "", "")
    return min(cores, -(-int(granted) // int(period))) if granted.isdigit() else cores


def _add(parser: argparse.ArgumentParser, one) -> None:
    more = dict(one.metadata)
    text = more.pop("help")
    assert one.default is not MISSING
    if isinstance(one.default, bool):
        more["action"] = argparse.BooleanOptionalAction
    shown = ",".join(one.default) if isinstance(one.default, tuple) else one.default
    if shown and not isinstance(shown, bool):
        text += f" (default: {shown:g})" if isinstance(shown, float) else f" (default: {shown})"
    default = None if more.get("action") == "append" else one.default  # else it would be appended to
    parser.add_argument(f"--{_word(one.name).replace('_', '-')}", dest=one.name, default=default,
                        help=text.replace("%", "%%"), **more)


def _word(name: str) -> str:
    """What a field is called by people: "for" is a word of Python's own."""
    return name.rstrip("_")


def _as_arguments(words: dict) -> list[str]:
    """Options of a config file as the command line would say them, so that they are judged alike."""
    arguments = []
    for word, value in words.items():
        switch = word.replace("_", "-")
        if word == "motion" and isinstance(value, list):
            arguments += [f"--{switch}={one}" for one in value]
        elif isinstance(value, bool):
            arguments.append(f"--{switch}" if value else f"--no-{switch}")
        else:
            arguments.append(f"--{switch}={','.join(map(str, value)) if isinstance(value, list) else value}")
    return arguments

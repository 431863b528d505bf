"""What a result depends on: the contents of the files it is made from, the options, the program itself."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import file_digest, sha256
from mmap import ACCESS_READ, mmap
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from urllib.parse import unquote

from ..formats import BadFile, split_motion
from .motion_names import files_in
from .options import RigOptions

ROOT = Path(__file__).resolve().parents[2]
MADE_OF = (("core", (".py",)), ("addon", (".py",)), ("presets", (".json", ".npz")))

Source = list  # [path, size, time of the last change in ns, sha256 of the contents]
ABSENT = [-1, -1]  # size and time of what is not there
MTLLIB = re.compile(rb"mtllib[ \t]+([^\r\n]+)")
MAP = re.compile(rb"^[ \t]*(?:map_\w+|bump|disp|decal|refl|norm)[ \t]+([^\r\n]+)", re.MULTILINE)


def sources_of(path: str, named: Iterable[str] = (), known: Sequence[Source] = ()) -> list[Source]:
    """The files that make a character: itself, its hints, and what it names, there or not.  Raises OSError, BadFile.

    named : more that it names, as Blender knows them after opening it: pictures, linked libraries
    known : sources found earlier; one whose size and time are as they were is not read again
    Found without Blender: the buffers and pictures of .gltf and .glb, the materials of an .obj and their pictures.
    Nobody looks for: files that one named here names in turn, unless Blender tells (a .usd's layers, a library's
    hints), tiles of a picture beyond the first, frames of a movie made of pictures.
    Files in the character's folder are told by their place from there, so that the folder may move.
    """
    folder = os.path.dirname(os.path.abspath(path))
    names = dict.fromkeys(_from(folder, name) for name in (*_companions(Path(path)), *named))
    for name in names:
        if _never_ends(os.path.join(folder, name)):
            raise BadFile(f"'{path}' names '{name}', which is a pipe or a device and not a file. Export it again.")
    return _sources(path, names, known)


def sources_again(path: str, known: Sequence[Source]) -> list[Source]:
    """The files that made a character, as they are now.  Raises OSError."""
    return _sources(path, [name for name, *_ in known[1:]], known)


def are_unchanged(sources: list[Source]) -> bool:
    """Whether the files still have the sizes and times they had."""
    folder = os.path.dirname(sources[0][0])
    return all([size, time] == _stamp(os.path.join(folder, path)) for path, size, time, _ in
               [[os.path.basename(sources[0][0]), *sources[0][1:]], *sources[1:]])


def hints_beside(path: Path) -> Path:
    """Where a character's hints are looked for, see `hints`."""
    return path.with_name(f"{path.stem}.hints.json")


def settings_key(rig: RigOptions) -> str:
    """A name for what is made of a file, whichever file it is: the options, the files they name, the program."""
    words = [(key, word) for key, value in rig.as_message().items() if key != "motion"
             for word in (value if isinstance(value, tuple) else [value])]
    words += [("motion", str(name)) for path in (Path(split_motion(word)[0]) for word in rig.motion)
              for name in (files_in(path) if path.is_dir() else [path])]
    named = {f"{key} {name}": [digest for *_, digest in sources_of(name)] for key, name in words
             if isinstance(name, str) and Path(name).suffix and Path(name).is_file()}
    text = json.dumps([rig.as_message() | named, program_key()], sort_keys=True)
    return sha256(text.encode()).hexdigest()


@cache
def program_key() -> str:
    """A name for this very program; its version alone does not tell one state of a work tree from the next."""
    whole = sha256()
    for folder, suffixes in MADE_OF:
        for path in sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in suffixes):
            whole.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def _sources(path: str, names: Iterable[str], known: Sequence[Source]) -> list[Source]:
    folder = os.path.dirname(path)
    before = {tuple(one[:3]): one[3] for one in known}
    found = []
    for name, place in ((path, path), *((name, os.path.join(folder, name)) for name in names)):
        stamp = _stamp(place)
        if place == path or (stamp != ABSENT and os.access(place, os.R_OK)):
            found.append([name, *stamp, before.get((name, *stamp)) or _digest(place)])
        else:
            found.append([name, *ABSENT, ""])
    return found


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _stamp(path: str) -> list[int]:
    try:
        state = os.stat(path)
    except OSError:
        return ABSENT
    return [state.st_size, state.st_mtime_ns] if S_ISREG(state.st_mode) else ABSENT


def _never_ends(path: str) -> bool:
    """Whether a name leads to something that may be read for ever."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (S_ISREG(mode) or S_ISDIR(mode))


def _from(folder: str, name: str) -> str:
    """A file's place as seen from a folder, if it is inside."""
    place = os.path.normpath(os.path.join(folder, name))
    inside = os.path.join(folder, "")
    return place.removeprefix(inside)


def _companions(path: Path) -> list[str]:
    """What a character's file names, as far as its own text tells."""
    named = [str(hints_beside(path).name)]
    suffix = path.suffix.lower()
    if suffix == ".gltf":
        named += _named_by_gltf(path.read_bytes())
    elif suffix == ".glb":
        with path.open("rb") as file:
            head = file.read(20)  # magic, version, length; length and kind of the first piece, which is the text
            named += _named_by_gltf(file.read(int.from_bytes(head[12:16], "little")) if head[16:] == b"JSON" else b"")
    elif suffix == ".obj":
        libraries = [*_found_in(path, MTLLIB), path.with_suffix(".mtl").name]  # Blender takes that one anyway
        named += libraries
        for library in dict.fromkeys(path.parent / name for name in libraries if "\0" not in name):
            readable = library.is_file() and os.access(library, os.R_OK)
            pictures = _found_in(library, MAP) if readable else ()
            named += [os.path.join(library.parent, one) for line in pictures for one in (line, line.split()[-1])]
    return [name for name in named if "\0" not in name]


def _named_by_gltf(text: bytes) -> list[str]:
    """Buffers and pictures with files of their own.  Raises BadFile."""
    try:
        scene = json.loads(text)
        entries = [one for kind in ("buffers", "images") for one in scene.get(kind, ())]
        uris = [one["uri"] for one in entries if isinstance(one.get("uri"), str)]
    except (ValueError, AttributeError, TypeError):  # not glTF: the importer will say so
        return []
    except RecursionError as error:
        raise BadFile("Its brackets are nested deeper than any importer reads. Export it again.") from error
    return [unquote(uri) for uri in uris if not uri.startswith("data:")]


def _found_in(path: Path, pattern: re.Pattern[bytes]) -> list[str]:
    """What a pattern's group holds wherever it fits, without reading the file into memory."""
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return []
        with mmap(file.fileno(), 0, access=ACCESS_READ) as text:
            found = [os.fsdecode(match[1]).strip().strip('"') for match in pattern.finditer(text)]
    return [one for one in found if one]

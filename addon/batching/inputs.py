"""Which files there are, and where the results of each go."""

from __future__ import annotations

import codecs
import fnmatch
import glob
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from ..formats import READERS, SUFFIX, BadFile

Ours = Callable[[str], bool]  # whether a path is the folder for results, or a result
LONGEST_STEM = 180  # bytes: 255 is the most a file system takes, and results add to a name


@dataclass(frozen=True)
class Found:
    """A file.  base : the folder below which its place is kept among the results; empty for none"""

    path: str
    base: str = ""


@dataclass(frozen=True)
class Job:
    """A file to rig.

    path : as it was named;  target : its results' name inside the folder for results, without a suffix
    """

    number: int
    path: str
    target: str

    @property
    def name(self) -> str:
        """What to call it where there is little room."""
        return self.target + os.path.splitext(self.path)[1]


def find_files(names: Iterable[str], out: str, *, recursive: bool = True, base: str = "",
               is_result: Callable[[str], bool] = lambda place: False) -> list[Found]:
    """The files that names stand for, each once where a folder or pattern named it.

    names : files, folders, patterns with * ? [], `@` and a list file's name, `-` for a list on standard input
    out : the folder for results, which is not looked into from a folder above it
    is_result : whether a run wrote the file at a real path: no folder and no pattern stands for that
    A name that leads to nothing stays in the list, so that the report says so.  Raises BadFile.
    """
    home = os.path.realpath(out)

    def is_ours(path: str) -> bool:
        place = os.path.realpath(path)
        return place == home or is_result(place)

    found: list[Found] = []
    seen: set[str] = set()
    for one in _expand(names, is_ours, recursive, base):
        place = os.path.realpath(one.path)
        if not one.base or place not in seen:
            found.append(one)
        seen.add(place)
    return found


def _expand(names: Iterable[str], is_ours: Ours, recursive: bool, base: str, *, listed: bool = False
            ) -> Iterator[Found]:
    for name in names:
        if name == "-" and not listed:
            yield from _expand(_lines(sys.stdin.buffer.read()), is_ours, recursive, base, listed=True)
        elif name.startswith("@") and not listed and not os.path.exists(name):
            yield from _expand(read_list(name[1:]), is_ours, recursive, base, listed=True)
        elif os.path.isdir(name):
            yield from [Found(path, base or name) for path in _walk(name, is_ours, recursive)] or [Found(name)]
        elif glob.has_magic(name) and not os.path.lexists(name):
            fixed = os.path.dirname(re.split(r"[*?\[]", name, maxsplit=1)[0])
            matches = _matches(name, fixed, is_ours, recursive)
            yield from [Found(path, base or fixed or ".") for path in matches] or [Found(name)]
        else:
            yield Found(name, base)


def _matches(pattern: str, fixed: str, is_ours: Ours, recursive: bool) -> Iterator[str]:
    """The readable files a pattern stands for; ** is any folders, without following links, which may make circles."""
    if "**" not in pattern:
        for name in itertools.filterfalse(is_ours, sorted(glob.glob(pattern))):
            if os.path.isdir(name):
                yield from _walk(name, is_ours, recursive)
            elif _is_readable(name):
                yield name
        return
    fits = _matcher(pattern[len(fixed):])
    for path in _walk(fixed or ".", is_ours, True):
        if fits(os.path.relpath(path, fixed or ".")) or os.path.isdir(path):
            yield path


def _matcher(pattern: str, paths=os.path) -> Callable[[str], bool]:
    """Whether a path fits a pattern with **.  paths : the system's own module for paths"""
    def plain(text: str) -> str:
        return paths.normcase(text).replace(paths.sep, "/")

    folders, _, rest = plain(pattern).lstrip("/").partition("**")
    wanted = [re.compile(fnmatch.translate(one)) for one in (f"{folders}*{rest}", folders + rest.lstrip("/"))]
    return lambda path: any(one.match(plain(path)) for one in wanted)


def read_list(name: str) -> list[str]:
    """The lines of a list file; those that are empty or start with # count for nothing.  Raises BadFile."""
    try:
        return _lines(Path(name).read_bytes())
    except OSError as error:
        raise BadFile(f"The list '{name}' cannot be read: {error.strerror}.") from error


def jobs_of(files: Iterable[Found], out: Path, formats, owner_of: Callable[[str], str] = lambda target: ""
            ) -> list[Job]:
    """Every file with a name for its results: its own, numbered where two are alike, an input would be overwritten or
    a folder of results has that name, as knight.glb/ has if it is a folder of characters.

    formats : kinds of results, or how their names end
    owner_of : the input whose results of that name are in the folder already, empty if there are none
    """
    files = list(files)
    inputs = {os.path.realpath(one.path) for one in files}
    home = os.path.realpath(out)
    own_names = [_own_name(one) for one in files]
    folders = {str(folder) for name in {name.rpartition("/")[0].lower() for name in own_names}
               for folder in (PurePosixPath(name), *PurePosixPath(name).parents)}
    counts: dict[str, int] = {}  # by own name: how many numbers were given
    taken: set[str] = set()
    jobs: list[Job] = []
    for one, own in zip(files, own_names, strict=True):
        number = counts.get(own.lower(), 0) + 1
        while True:
            target = own if number == 1 else f"{own}-{number}"
            results = [target + SUFFIX.get(kind, kind) for kind in formats]
            made = {name.lower() for name in results}
            names = {target.lower(), *made}  # hero-unity.fbx is hero's for Unity, or hero-unity's
            if not (names & taken or {*made, f"{target.lower()}.json"} & folders  # as its record
                    or owner_of(target) not in ("", os.path.abspath(one.path))
                    or any(os.path.join(home, result) in inputs for result in results)):
                break
            number += 1
        counts[own.lower()] = number
        taken |= names
        jobs.append(Job(len(jobs), one.path, target))
    return jobs


def fitting_stem(stem: str) -> str:
    """A name short enough that suffixes can be added; long ones end in a mark of the whole."""
    raw = os.fsencode(stem)
    if len(raw) <= LONGEST_STEM:
        return stem
    return raw[:LONGEST_STEM - 9].decode(errors="ignore") + "-" + sha256(raw).hexdigest()[:8]


def _own_name(one: Found) -> str:
    path = Path(one.path)
    stem = fitting_stem(path.stem)
    if one.base:
        folder = os.path.relpath(os.path.abspath(path.parent), os.path.abspath(one.base))
        if folder != "." and not folder.startswith(".."):
            return (Path(folder) / stem).as_posix()
    return stem


def _walk(folder: str, is_ours: Ours, recursive: bool) -> Iterator[str]:
    """The readable files in a folder, by name; not those hidden, behind links to folders, or among the results.

    Folders that cannot be looked into come last, so that the report says so.
    """
    closed: list[str] = []
    for home, folders, files in os.walk(folder, onerror=lambda error: closed.append(error.filename)):
        folders[:] = sorted(name for name in folders if recursive and not name.startswith(".")
                            and not is_ours(os.path.join(home, name)))
        for name in sorted(files):
            path = os.path.join(home, name)
            if _is_readable(name) and not name.startswith(".") and not is_ours(path):
                yield path
    yield from closed


def _is_readable(name: str) -> bool:
    return os.path.splitext(name)[1].lower() in READERS


def _lines(data: bytes) -> list[str]:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # as shells of Windows write what > sends
        data = data.decode("utf-16", "replace").encode()
    separator = b"\0" if b"\0" in data else b"\n"
    lines = [os.fsdecode(line.removesuffix(b"\r")) for line in data.removeprefix(codecs.BOM_UTF8).split(separator)]
    return [line for line in lines if line.strip() and not line.startswith("#")]

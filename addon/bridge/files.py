"""Files in and out, through Blender's importers and exporters; every failure becomes a sentence that names the file."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from contextlib import nullcontext
from pathlib import Path

import bpy

from ..current import renew_context
from ..export.whole_meshes import whole_meshes
from ..formats import READERS, WRITERS, BadFile
from ..whole import MARK
from .fbx import fit_for_fbx
from .gltf import fit_for_gltf
from .skinned_glb import Known, write_skinned_glb

FIT = {"fbx": fit_for_fbx, "glb": fit_for_gltf}  # inside which a kind of file is written
APART = {".fbx", ".usdz"}  # written in a folder of their own: they hold their own name, or have files beside them


def check_file(path: Path) -> None:
    """Raise BadFile if there is nothing that could be opened."""
    suffix = path.suffix.lower()
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise BadFile(f"'{path}' has a name that is not valid Unicode. Rename it.") from error
    try:
        is_there = path.exists()
        if path.is_dir():
            os.listdir(path)
    except OSError as error:
        raise BadFile(f"'{path}' cannot be read: {error.strerror}. Check its permissions.") from error
    if not is_there:
        raise BadFile(f"'{path}' does not exist. Check the name.")
    if not path.is_file():
        raise BadFile(f"'{path}' is not a file, nor a folder with any of: {' '.join(sorted(READERS))}.")
    if suffix not in READERS:
        raise BadFile(f"'{path}' is of a kind that cannot be read. Use one of: {' '.join(sorted(READERS))}.")
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            file.read(1)
    except OSError as error:
        raise BadFile(f"'{path}' cannot be read: {error.strerror}. Check its permissions.") from error
    if size == 0:
        raise BadFile(f"'{path}' is empty. Export it again.")


def open_file(path: Path) -> None:
    """Make the scene be what the file holds. Scripts inside .blend files do not run.  Raises BadFile."""
    check_file(path)
    # The empty scene first: an importer adds to what is there, and a failed open must not leave the last file's.
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    try:
        call_first(*READERS[path.suffix.lower()], path.resolve())
    except RuntimeError as error:
        raise BadFile(f"'{path}' cannot be read: {reason(error)} Export it again.") from error


def named_files() -> list[str]:
    """What the open file refers to outside itself: pictures that are not packed, linked libraries, sounds. Absolute."""
    own = tuple(bpy.utils.resource_path(kind) for kind in ("LOCAL", "SYSTEM"))
    named = bpy.utils.blend_paths(absolute=True, packed=False, local=False)
    return [name for name in named if os.path.isabs(name) and not name.startswith(tuple(one for one in own if one))]


class Outputs:
    """Files that appear together when the `with` block ends well, and not at all when it does not.

    Each is written beside its place under another name first, so that giving it its name is one step.

    tag : part of those other names, for whoever has to clear up after a crash
    """

    def __init__(self, tag: str = ""):
        self._tag = tag or str(os.getpid())
        self._named: dict[Path, Path] = {}
        self.warnings: list[str] = []  # of what files that were written lack

    def __enter__(self) -> Outputs:
        return self

    def __exit__(self, kind, error, trace) -> None:
        try:
            if error is None:
                for path, partial in self._named.items():
                    os.replace(partial, path)
        except OSError as broken:
            raise BadFile(f"'{path}' cannot be written: {broken.strerror}.") from broken
        finally:
            for partial in self._named.values():
                if partial.parent.name.startswith(MARK):
                    shutil.rmtree(partial.parent, ignore_errors=True)
                else:
                    partial.unlink(missing_ok=True)

    def scene(self, kind: str, path: Path, known: Known = Known()) -> None:
        """Write the scene as one of WRITERS.  Raises BadFile.

        known : weights of its meshes, as they were written
        """
        names, options = WRITERS[kind]
        if kind == "usd":
            options = {**options, "export_animation": bool(bpy.data.actions)}
        try:
            partial = self._partial(path)

            def write(more: dict) -> None:
                with FIT.get(kind, nullcontext)():
                    call_first(names, options | more, partial)

            with whole_meshes(kind) as told:
                if kind == "glb":
                    options = {**options, "export_apply": _must_apply()}
                if kind != "glb" or options["export_apply"] or not write_skinned_glb(partial, write, known):
                    write({})
            self.warnings += [text for text in told if text not in self.warnings]
        except RuntimeError as error:
            raise BadFile(f"'{path}' cannot be written: {reason(error)}") from error
        except OSError as error:
            raise BadFile(f"'{path}' cannot be written: {error.strerror}.") from error
        if kind == "usd" and not zipfile.is_zipfile(partial):  # on a full disk Blender's writer says it has succeeded
            raise BadFile(f"'{path}' cannot be written: it came out incomplete. Is the disk full?")

    def data(self, path: Path, data: bytes) -> None:
        """Write bytes.  Raises BadFile."""
        try:
            self._partial(path).write_bytes(data)
        except OSError as error:
            raise BadFile(f"'{path}' cannot be written: {error.strerror}.") from error

    def beside(self, path: Path) -> Path:
        """Where to write what is to appear at a path: beside it, under another name."""
        return self._partial(path)

    @property
    def paths(self) -> list[Path]:
        """The files."""
        return list(self._named)

    def _partial(self, path: Path) -> Path:
        name = f"{MARK}{self._tag}-{len(self._named)}"
        apart = path.suffix in APART
        if apart:
            path.with_name(name).mkdir()
        self._named[path] = path.with_name(name) / path.name if apart else path.with_name(name + path.suffix)
        return self._named[path]


def call_first(names: tuple[str, ...], options: dict, path: Path) -> None:
    """Run the first of the operators that this Blender has."""
    for name in names:
        group, operator = name.split(".")
        run = getattr(getattr(bpy.ops, group), operator)
        try:
            run.get_rna_type()
        except KeyError:  # there is none
            continue
        renew_context()
        run(filepath=str(path), **options)
        return
    raise BadFile(f"'{path}': this Blender was built without '{path.suffix}' files. Use another format or Blender.")


def _must_apply() -> bool:
    """Whether objects are only whole with their modifiers, which glTF does not know."""
    return any(m.type != "ARMATURE" and m.show_viewport
               for o in bpy.data.objects if o.type == "MESH" for m in o.modifiers)


def reason(error: RuntimeError) -> str:
    """The last line an operator reported, without its prefix; importers written in Python put a traceback before it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("Location: ")]
    last = lines[-1].removeprefix("Error: ") if lines else "Blender gave no reason"
    if last.startswith("RecursionError"):
        return "Its objects hang below each other in a circle, or too many levels deep."
    if found := re.search(r"Error: \[Errno \d+\] ([^:]+)", last):  # what follows is the name of a file beside it
        last = found[1]
    return last.rstrip(".") + "."

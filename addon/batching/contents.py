"""What a result depends on: the contents of the files it is made from, the options, the program itself."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

from .options import RigOptions

ROOT = Path(__file__).resolve().parents[2]
MADE_OF = (("core", (".py", ".json", ".npz")), ("addon", (".py",)), ("presets", (".json",)))

Source = list  # [path, size, time of the last change in ns, sha256 of the contents]


def sources_of(path: str, known: Sequence[Source] = ()) -> list[Source]:
    """The files that make a character: itself, the buffers and pictures a .gltf names, its hints. Raises OSError.

    known : sources found earlier; one whose size and time are as they were is not read again
    """
    return [_source(name, known) for name in (path, *_companions(Path(path))) if name == path or os.path.isfile(name)]


def are_unchanged(sources: list[Source]) -> bool:
    """Whether the files still have the sizes and times they had.  Raises OSError."""
    return all([size, time] == _stamp(path) for path, size, time, _ in sources)


def hints_beside(path: Path) -> Path:
    """Where a character's hints are looked for: knight.hints.json beside knight.glb."""
    return path.with_name(f"{path.stem}.hints.json")


def settings_key(rig: RigOptions) -> str:
    """A name for what is made of a file, whichever file it is: the options, the files they name, the program."""
    named = {key: sha256(Path(name).read_bytes()).hexdigest() for key, name in rig.as_message().items()
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


def _source(path: str, known: Sequence[Source]) -> Source:
    stamp = _stamp(path)
    digest = next((old[3] for old in known if [*old[:3]] == [path, *stamp]), None)
    if digest is None:
        whole = sha256()
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                whole.update(piece)
        digest = whole.hexdigest()
    return [path, *stamp, digest]


def _stamp(path: str) -> list[int]:
    state = os.stat(path)
    return [state.st_size, state.st_mtime_ns]


def _companions(path: Path) -> list[str]:
    named = [hints_beside(path)]
    if path.suffix.lower() == ".gltf":
        try:
            scene = json.loads(path.read_bytes())
            entries = [one for kind in ("buffers", "images") for one in scene.get(kind, ())]
            uris = [one["uri"] for one in entries if isinstance(one.get("uri"), str)]
        except (ValueError, AttributeError, TypeError):  # not a .gltf: the importer will say so
            uris = []
        named += [path.parent / unquote(uri) for uri in uris if not uri.startswith("data:") and "\0" not in uri]
    return [str(one) for one in named]

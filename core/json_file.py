"""JSON that people write by hand: read as their editors save it, and what is wrong with it said in their words."""

from __future__ import annotations

import json
from collections.abc import Iterable

from .errors import RigError


def read_json(contents: bytes, what: str, error: type[RigError]):
    """What a file's bytes hold, in UTF-8 or UTF-16, with or without a byte order mark.

    what : names the file, for the message.  Raises `error` where the bytes are no JSON, or name a field twice.
    """
    try:
        return json.loads(contents, object_pairs_hook=_once)
    except UnicodeDecodeError as why:
        raise error(f"{what} is not JSON: it holds signs that are not UTF-8. Save it as UTF-8.") from why
    except RecursionError as why:
        raise error(f"{what} is not JSON: its brackets are nested too deep.") from why
    except ValueError as why:
        raise error(f"{what} is not JSON: {why}.") from why


def _once(pairs: list[tuple[str, object]]) -> dict:
    """The object of these pairs: of two with one name JSON would silently keep the last."""
    found: dict = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f'"{key}" is given twice')
        found[key] = value
    return found


def check_fields(data: dict, known: Iterable[str], where: str, error: type[RigError]) -> None:
    """Raise `error` if there is a field that nothing reads, as a misspelt one.  where : names file and entry"""
    for key in data:
        if key not in known:
            raise error(f"{where}: there is no field \"{key}\". Use: {', '.join(known)}.")

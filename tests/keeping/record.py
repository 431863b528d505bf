"""What every function of some sources gives back while something runs, summed up in a line for each."""

from __future__ import annotations

import dataclasses
import sys
import zlib
from collections.abc import Callable, Mapping, Set
from math import isfinite
from pathlib import Path
from types import CodeType

import numpy as np
from scipy import sparse

MOST_RESULTS, MOST_NUMBERS = 300, 1_000_000  # of a function that are looked at; beyond them only its calls count
DEEP = 4  # a result's parts of parts that are looked at
COLUMNS = ("calls", "values", "whole", "order", "size", "pattern")
WEIGHTS = 1.0 + np.cos(np.arange(65_521) * 2.399963)  # a number for each place: what has moved elsewhere is seen
FIRST = float(WEIGHTS[0])
READS: dict[type, Callable] = {Path: lambda path: path.as_posix()}  # what of other kinds of results is looked at
HIDDEN: set[str] = set()  # of texts, what is left out: where a test's files are


class Line:
    """Sums over all results of a function.

    calls : returns;  values : numbers, texts and truths in its results
    whole, order : sums of the whole ones and truths, and weighted by their places;  size, pattern : of the absolute
    values of the others, and of the others weighted by their places
    """

    def __init__(self) -> None:
        self.sums = [0.0] * len(COLUMNS)

    def add(self, result) -> None:
        """One more return."""
        self.sums[0] += 1
        if self.sums[0] <= MOST_RESULTS and self.sums[1] < MOST_NUMBERS:
            self._add(result, DEEP)

    def _add(self, part, deep: int) -> None:
        kind = type(part)
        if kind is float and isfinite(part):  # the commonest first: asking numpy takes long
            self._count(1, 0.0, 0.0, abs(part), part * FIRST)
        elif kind is bool or (kind is int and abs(part) < 1 << 62):
            self._count(1, part, part * FIRST, 0.0, 0.0)
        elif isinstance(part, int | float | np.number | np.bool_ | np.ndarray):
            array = np.asarray(part)
            if array.dtype.kind in "biuf":
                self._count(*_summed(array))
        elif isinstance(part, str | bytes):
            text = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
            for hidden in HIDDEN:
                text = text.replace(hidden.encode(), b"")
            self._add(zlib.crc32(text) % 10_007, deep)
        elif part is None:
            self.sums[1] += 1
        elif deep:
            for one in _parts(part):
                self._add(one, deep - 1)

    def _count(self, values: float, whole: float, order: float, size: float, pattern: float) -> None:
        sums = self.sums
        sums[1] += values
        sums[2] += whole
        sums[3] += order
        sums[4] += size
        sums[5] += pattern


_known: dict[int, tuple[np.ndarray, tuple]] = {}  # large arrays that cannot change, by id, and their sums


def _summed(array: np.ndarray) -> tuple[float, ...]:
    """What an array adds to the columns but the first."""
    if id(array) in _known:
        return _known[id(array)][1]
    flat = array.ravel()
    if array.dtype.kind == "f":
        size = float(np.abs(flat).sum(dtype=np.float64))
        if not np.isfinite(size):
            flat = np.nan_to_num(flat.astype(np.float64), nan=3.0, posinf=7.0, neginf=-7.0)
            size = float(np.abs(flat).sum())
        out = len(flat), 0.0, 0.0, size, _by_place(flat)
    elif array.dtype.kind == "b":
        some = np.flatnonzero(flat)
        out = len(flat), len(some), float(WEIGHTS[some % len(WEIGHTS)].sum()), 0.0, 0.0
    else:
        out = len(flat), float(flat.sum(dtype=np.float64)), _by_place(flat), 0.0, 0.0
    if len(flat) > 4096 and not array.flags.writeable:
        _known[id(array)] = array, out
    return out


def _by_place(flat: np.ndarray) -> float:
    """The sum of numbers weighted by their places."""
    whole = len(flat) // len(WEIGHTS) * len(WEIGHTS)
    rest = float(flat[whole:] @ WEIGHTS[:len(flat) - whole])
    return rest + float((flat[:whole].reshape(-1, len(WEIGHTS)) @ WEIGHTS).sum()) if whole else rest


_fields: dict[type, list[str]] = {}  # of dataclasses, which takes long to ask


def _parts(part):
    """What a container or a dataclass is made of, in an order that does not depend on hashes."""
    kind = type(part)
    if isinstance(part, tuple | list):
        return part[:1000]
    if kind in _fields:
        return [getattr(part, name) for name in _fields[kind]]
    if sparse.issparse(part):
        return [part.tocsr().data, part.tocsr().indices]
    if isinstance(part, Mapping):
        return [*part.keys(), *part.values()]
    if isinstance(part, Set):
        return sorted(part, key=repr)
    read = next((READS[one] for one in kind.__mro__ if one in READS), None)
    if read is not None:
        return [read(part)]
    if dataclasses.is_dataclass(kind):
        _fields[kind] = [field.name for field in dataclasses.fields(kind)]
        return _parts(part)
    return []


class Recording:
    """A context in which every return of a function of some sources is noted: .lines, {name: Line}.

    watched : {file or folder: what the names of its modules begin with}
    apart : how names begin that are not noted
    """

    def __init__(self, watched: Mapping[Path, str], apart: tuple[str, ...] = ()) -> None:
        self.lines: dict[str, Line] = {}
        self._watched, self._apart = watched, apart
        self._of_code: dict[int, tuple[Line | None, CodeType]] = {}  # by id: hashing code is slow

    def __enter__(self) -> Recording:
        self._before = sys.getprofile()
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_) -> None:
        sys.setprofile(self._before)
        _known.clear()

    def _note(self, frame, event: str, result) -> None:
        if event == "return":
            known = self._of_code.get(id(frame.f_code))
            if known is None:
                known = self._of_code[id(frame.f_code)] = self._line(frame.f_code), frame.f_code
            if known[0] is not None:
                known[0].add(result)

    def _line(self, code: CodeType) -> Line | None:
        file = Path(code.co_filename)
        home = next((one for one in self._watched if file.is_relative_to(one)), None)
        if home is None or "<" in code.co_qualname.replace("<locals>", ""):
            return None
        module = file.relative_to(home).with_suffix("").as_posix() if file != home else file.stem
        name = f"{self._watched[home]}{module}:{code.co_qualname}"
        return None if name.startswith(self._apart) else self.lines.setdefault(name, Line())

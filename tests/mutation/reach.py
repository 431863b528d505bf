"""Which tests reach which lines, and how long each takes: measured once, and again only for what has changed since.

A run is a fork of a process that has numpy, scipy and pytest loaded but nothing of Geppetto, so that it starts in half
a second and sees the sources as they are in its copy.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import hypothesis  # noqa: F401
import numpy as np  # noqa: F401
import pytest
import scipy.ndimage
import scipy.optimize
import scipy.sparse.linalg
import scipy.spatial.transform  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
CODE = ("core", "addon")


@dataclass(frozen=True)
class Reach:
    """What a test file reaches.

    seconds : {test: processor time}
    lines : {test: {source: lines}}
    loaded : {source: lines that loading it runs}
    read : {file: digest} of all that its tests ran, and of what measured it
    """

    seconds: dict[str, float]
    lines: dict[str, dict[str, list[int]]]
    loaded: dict[str, list[int]]
    read: dict[str, str]


class _Watch:
    """A pytest plugin: chosen tests in a chosen order, their times and their lines, and what is done after the last."""

    def __init__(self, ranks: dict[str, int] | None, cover=None, done=None) -> None:
        self.ranks, self.cover, self.done = ranks, cover, done
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list) -> None:
        if self.ranks is not None:
            items[:] = sorted((i for i in items if i.nodeid in self.ranks), key=lambda i: self.ranks[i.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        if self.cover:
            self.cover.switch_context(item.nodeid)
        begun = sum(os.times()[:4])
        result = yield
        self.seconds[item.nodeid] = sum(os.times()[:4]) - begun
        if self.cover:
            self.cover.switch_context("")
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        if self.done:  # here and not later: Blender's tests end the process with pytest's own end
            self.done()

    def pytest_runtest_logreport(self, report) -> None:
        if report.failed:
            self.failed.add(report.nodeid)


def _run(folder: Path, name: str, watch: _Watch, *options: str) -> int:
    """The tests of a file in this process, which is a fork and ends afterwards."""
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    os.chdir(folder)
    sys.dont_write_bytecode = watch.ranks is not None
    sys.path[:] = [one for one in sys.path if Path(one or ".").resolve() != ROOT]
    for module in [m for m in sys.modules if m.partition(".")[0] == "tests"]:
        del sys.modules[module]
    return int(pytest.main(["-m", "not slow or long", "-p", "no:cacheprovider", *options, name], plugins=[watch]))


def passes(folder: Path, name: str, tests: list[str], seconds: float) -> bool:
    """Whether some tests of a file pass in a copy of the repository, one after the other until the first fails.

    seconds : the processor time they take; with many times that they have failed.
    """
    limit = int(20 + 5 * seconds)
    child = os.fork()
    if not child:
        status = 1
        try:
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            status = _run(folder, name, _Watch({test: rank for rank, test in enumerate(tests)}), "-x")
        finally:
            os._exit(status)
    until = time.monotonic() + 10 * limit
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done or time.monotonic() > until:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, 9)
            if not done:
                os.waitpid(child, 0)
            return bool(done) and os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.02)


def digest(path: Path) -> str:
    """A short name for a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


def measure(folder: Path, name: str, kept: Path) -> Reach:
    """What a test file reaches, from what was kept if nothing of it has changed."""
    place = kept / f"{name.replace('/', '-')}.json"
    if place.exists():
        found = Reach(**json.loads(place.read_text()))
        if all(digest(ROOT / path) == was for path, was in found.read.items()):
            return found
    child = os.fork()
    if not child:
        try:
            _measure_into(place, folder, name)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    return Reach(**json.loads(place.read_text()))


def _measure_into(place: Path, folder: Path, name: str) -> None:
    """Run a test file and write what it reaches, in this process, which is a fork and may end with the last test."""
    import coverage  # which only `make mutate` installs

    cover = coverage.Coverage(data_file=None, include=[f"{folder}/{part}/*" for part in ("core", "addon", "tests")])
    watch = _Watch(None, cover, lambda: place.write_text(json.dumps(vars(_reached(cover, watch, folder, name)))))
    cover.start()
    _run(folder, name, watch)


def _reached(cover, watch: _Watch, folder: Path, name: str) -> Reach:
    cover.stop()
    data = cover.get_data()
    lines: dict = {test: {} for test in watch.seconds if test not in watch.failed}
    own = Path(__file__).resolve().relative_to(ROOT).as_posix()
    loaded, read = {}, {one: digest(ROOT / one) for one in (name, own)}
    for file in data.measured_files():
        path = Path(file).relative_to(folder).as_posix()
        by_test: dict = {}
        for line, tests in data.contexts_by_lineno(file).items():
            for test in tests:
                by_test.setdefault(test, []).append(line)
        loaded[path] = by_test.pop("", [])
        if by_test or path.startswith("tests"):
            read[path] = digest(ROOT / path)
        for test in by_test.keys() & lines.keys():
            if path.startswith(tuple(f"{folder}/" for folder in CODE)):
                lines[test][path] = by_test[test]
    return Reach({test: watch.seconds[test] for test in lines}, lines, loaded, read)


def is_kept(name: str) -> bool:
    """Whether a test file compares results with those that are kept."""
    return Path(name).stem == "test_reference"


def nearest(reach: dict[str, Reach], path: str, line: int) -> list[tuple[str, list[str], float]]:
    """(test file, its tests, their seconds) of those that reach a line, nearest and quickest first.

    First those that reach it themselves, then, of the same files, those that may use what another left in a cache. A
    line that runs when its module is loaded is reached by whoever runs something of the module.
    """
    found = []
    for name, one in reach.items():
        at_load = line in one.loaded.get(path, ())
        direct = [t for t, got in one.lines.items() if path in got and (at_load or line in got[path])]
        if direct:
            named = Path(name).stem.removeprefix("test_") == Path(path).stem
            near = Path(path).parent.name == Path(name).parent.name
            kept = is_kept(name)  # quick, and it notices the most; its cases share no caches
            cost = min(one.seconds[t] for t in direct)
            for late, some in enumerate((direct, [] if kept else one.seconds.keys() - set(direct))):
                if some:
                    found.append(((late, not named, not kept, not near, cost), name, sorted(some, key=one.seconds.get),
                                  sum(one.seconds[t] for t in some)))
    return [(name, tests, seconds) for _, name, tests, seconds in sorted(found, key=lambda f: f[0])]

"""Faults are real: each is another program that still compiles, and together they touch what they should."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .__main__ import chosen, draw
from .mutants import mutants_of
from .reach import ROOT, Reach, _run, _Watch, nearest

SOURCE = '''"""Text."""
LIMIT = 3


def f(a: int = 2, *, b=0.5) -> int:
    if a < b and a:
        raise ValueError(f"{a + b}")
    print(a)
    return a * (b + 1) if a == b else -a
'''


def texts(tmp_path: Path, source: str = SOURCE) -> dict[str, str]:
    path = tmp_path / "source.py"
    path.write_text(source)
    return {m.what: m.text for m in mutants_of(path, set(range(1, 40)))}


def test_every_fault_is_another_program_that_compiles(tmp_path):
    found = texts(tmp_path)
    for what, text in found.items():
        compile(text, what, "exec")
        assert text != SOURCE
    assert len(set(found.values())) == len(found)


def test_operators_constants_conditions_terms_and_calls_are_changed_and_messages_are_not(tmp_path):
    found = texts(tmp_path)
    for what in ("3 is 4", "2 is 3", "0.5 is 0.65", "`a < b` with >=", "`a < b` with <=", "not `a < b and a`",
                 "`print(a)` left out", "`b + 1` with -", "`b + 1` without its second term", "not `a == b`"):
        assert what in found
    assert not any("a + b" in what for what in found)
    assert "return ((a) / (b + 1)) if" in found["`a * (b + 1)` with /"]


LIMITS = '''NEAR, FEW = 0.3, 3


def f(a, b):
    if a < NEAR or 2 * a >= 0.7 or b < FEW or a > 0.0 or b >= 0:
        return a.reshape(-1, 3) / max(b, 1e-12) + 1e-9
    return b[-1] * 180


def g(reach: float, few: int, off):
    return off <= reach and reach > 0 and off >= few


def h(offs, size, reach: float):
    far = max(0.5 * size, 2.0 * offs.max()) if size else 0.0
    limits = {k: reach * k for k in offs}
    least, most = offs.min(), 0.5 * len(offs)
    held = 0.3 * size
    if size < far:
        held = offs.max()
    for side, sign, much in (("L", 1.0, 2), ("R", -1.0, 1)):
        size = size * sign + sign * least / (-1 if side else 1) + size * much
    return offs[0] >= limits[0] * size, offs <= least, offs <= held, size < most
'''


def test_what_nobody_could_tell_from_the_right_program_is_not_drawn(tmp_path):
    found = texts(tmp_path, LIMITS)
    for what in ("`a < NEAR` with >=", "`b < FEW` with <=", "`a > 0.0` with >=", "`b >= 0` with >", "180 is 234",
                 "1e-12 is 0.01", "1 is 2", "3 is 4", "0 is 1", "0.3 is 0.39",
                 "`off <= reach` with >", "`reach > 0` with >=", "`off >= few` with >", "`size < far` with >=",
                 "`offs <= least` with <", "`offs <= held` with <", "`size < most` with <=",
                 "`size * much` with /", "`sign * least` with /",
                 "`size * sign` without its second term"):
        assert what in found, what
    for what in ("`a < NEAR` with <=", "`2 * a >= 0.7` with >", "`off <= reach` with <", "`size < far` with <=",
                 "`offs[0] >= limits[0] * size` with >", "`size * sign` with /",
                 "`sign * least / (-1 if side else 1)` with *"):
        assert what not in found, what
    assert "reshape(-(2), 3)" not in "".join(found.values()) and "b[-(2)]" in found["1 is 2"]
    assert not any(what.startswith("`a.reshape(-1, 3) / max(b, 1e-12) + 1e-9`") for what in found)


def test_limits_may_come_from_modules_beside(tmp_path):
    (tmp_path / "limits.py").write_text("NEAR, FEW = 0.3, 3\n")
    found = texts(tmp_path, "from .limits import FEW, NEAR as CLOSE\n\n\ndef f(a):\n    return a < CLOSE, a < FEW\n")
    assert "`a < CLOSE` with >=" in found and "`a < FEW` with <=" in found
    assert "`a < CLOSE` with <=" not in found


def test_only_the_lines_asked_for_get_faults(tmp_path):
    path = tmp_path / "source.py"
    path.write_text(SOURCE)
    assert {m.line for m in mutants_of(path, {2, 8})} == {2, 8}


@pytest.mark.long
def test_faults_are_drawn_in_the_files_and_folders_that_were_chosen():
    files = chosen(["core/errors.py", "addon/characters/", "addon/characters/hung.py"])
    assert files == sorted(set(files)) and {"core/errors.py", "addon/characters/hung.py"} <= set(files)
    assert all(path == "core/errors.py" or path.startswith("addon/characters/") for path in files)
    lines = {path: [*range(1, 500)] for path in ("addon/words/telling.py", *files)}
    drawn = {mutant.path.relative_to(ROOT).as_posix()
             for mutant in draw({"tests/one.py": Reach({"one": 1.0}, {"one": lines}, {}, {})}, 10_000, 0, files)}
    assert drawn <= set(files) and "addon/characters/hung.py" in drawn
    for name in ("core/error", "addon/character", "presets", "tests/core"):
        with pytest.raises(ValueError, match=name):
            chosen([name])


def test_the_tests_that_reach_a_line_come_nearest_first_and_after_all_of_them_the_others_of_their_files():
    def file(**lines):
        reached = {test: {"core/a/b.py": own} if own else {} for test, own in lines.items()}
        return Reach({"one": 2.0, "two": 1.0, "three": 0.5}, reached, {"core/a/b.py": [1]}, {})

    reach = {"tests/far.py": file(one=[5], two=[], three=[]),
             "tests/core/a/test_c.py": file(one=[5], two=[5], three=[]),
             "tests/core/a/test_b.py": file(one=[5, 6], two=[6], three=[]), "tests/none.py": file(one=[], two=[])}
    found = nearest(reach, "core/a/b.py", 5)
    assert [name for name, _, _ in found] == 2 * ["tests/core/a/test_b.py", "tests/core/a/test_c.py", "tests/far.py"]
    assert [tests for _, tests, _ in found] == [["one"], ["two", "one"], ["one"], ["three", "two"], ["three"],
                                                ["three", "two"]]
    assert found[1][2] == 3.0 and found[4][2] == 0.5
    at_load = nearest(reach, "core/a/b.py", 1)
    assert len(at_load) == 6 and at_load[0][1] == ["two", "one"], "who uses a module reaches what loading it runs"


def test_what_tests_tell_is_kept_though_they_end_the_process(tmp_path):
    (tmp_path / "conftest.py").write_text("import os\n\ndef pytest_unconfigure(config):\n    os._exit(3)\n")
    (tmp_path / "test_one.py").write_text("def test_one():\n    pass\n")
    child = os.fork()
    if not child:
        try:
            watch = _Watch(None, done=lambda: (tmp_path / "told").write_text(" ".join(watch.seconds)))
            _run(tmp_path, "test_one.py", watch)
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    assert (tmp_path / "told").read_text() == "test_one.py::test_one"

"""Faults are real: each is another program that still compiles, and together they touch what they should."""

from __future__ import annotations

from pathlib import Path

from .mutants import mutants_of

SOURCE = '''"""Text."""
LIMIT = 3


def f(a: int = 2, *, b=0.5) -> int:
    if a < b and a:
        raise ValueError(f"{a + b}")
    print(a)
    return a * (b + 1) if a == b else -a
'''


def texts(tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "source.py"
    path.write_text(SOURCE)
    return {m.what: m.text for m in mutants_of(path, set(range(1, 20)))}


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


def test_only_the_lines_asked_for_get_faults(tmp_path):
    path = tmp_path / "source.py"
    path.write_text(SOURCE)
    assert {m.line for m in mutants_of(path, {2, 8})} == {2, 8}

"""Several works as one: none begins its last stage before all have come to it, and a fault of one stops no other."""

from __future__ import annotations

import pytest

from core.errors import BadMotion
from core.steps import each, run


def work(name: str, begun: list[str], fails_in: str = ""):
    for stage, fraction in (("look", 0.0), ("write", 0.9)):
        yield stage, fraction
        if stage == fails_in:
            raise BadMotion(f"{name} fails")
        begun.append(f"{name} {stage}")
    return name


def test_all_come_to_the_last_stage_before_any_begins_it():
    begun: list[str] = []
    told: list[tuple[str, float]] = []
    done, errors = run(each([work(name, begun) for name in "abc"], "write"), lambda *now: told.append(now))
    assert done == ["a", "b", "c"] and not errors
    assert begun == ["a look", "b look", "c look", "a write", "b write", "c write"]
    assert told == sorted(told, key=lambda now: now[1]) and told[-1][1] <= 1


def test_what_fails_is_told_by_its_number_and_only_all_together_stop_the_rest():
    done, errors = run(each([work("a", [], "write"), work("b", []), work("c", [], "look")], "write"))
    assert done == ["b"] and {number: str(error) for number, error in errors.items()} == {0: "a fails", 2: "c fails"}
    with pytest.raises(BadMotion, match="c fails"):
        run(each([work("a", [], "write"), work("c", [], "look")], "write"))

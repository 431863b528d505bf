"""What a run says on the way: a line for each file, and on a terminal a bar."""

from __future__ import annotations

import os

import pytest

from geppetto.addon.batching import progress
from geppetto.addon.batching.progress import Progress, span
from tests.batching.entries import failed, rigged


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""
    time = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: time[0])
    return time


def test_a_line_for_each_file_with_the_rate_and_the_time_left(clock, capsys):
    with Progress(4) as told:
        clock[0] += 30
        told.done("a.glb", rigged("a.glb", warnings=["thin arms"]))
        told.done("b.glb", failed("b.glb", "no mesh"))
        told.done("c.glb", rigged("c.glb"), worked=False)
        told.tick([("d.glb", "Opening")])  # no terminal: no bar
        told.done("d.glb", rigged("d.glb", preset=""))
    assert capsys.readouterr().out.splitlines() == [
        "[1/4] a.glb  rigged as biped: 21 bones, 12345 vertices, heat weights, 2.0 s  (2/min, 90 s left)",
        "[1/4] a.glb  warning: thin arms",
        "[2/4] b.glb  failed: no mesh  (4/min, 30 s left)",
        "[3/4] c.glb  done before  (4/min, 15 s left)",
        "[4/4] d.glb  rigged: 21 bones, 12345 vertices, heat weights, 2.0 s"]


def test_quiet_tells_of_failures_alone(clock, capsys):
    with Progress(2, quiet=True) as told:
        told.done("a.glb", rigged("a.glb", warnings=["thin arms"]))
        told.done("b.glb", failed("b.glb", "no mesh"))
    assert capsys.readouterr().out == "[2/2] b.glb  failed: no mesh\n"


def test_the_bar_fits_the_terminal_and_goes_away(clock, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    with Progress(2) as told:
        told.tick([("a.glb", "Searching the skeleton"), ("b.glb", "Opening")])
        told.tick([("a.glb", "drawn too soon")])
        clock[0] += 60
        told.done("a.glb", failed("a.glb", "no mesh"))
        told.tick([("b.glb", "Opening")])
    said = capsys.readouterr().out
    bars = [line.removeprefix("\033[K") for line in said.split("\r") if "#" in line or "...." in line]
    assert bars == ["[........................] 0/2    a.glb: Searching the skelet"[:59],
                    "[############............] 1/2  1/min, 60 s left  1 failed "[:59]]
    assert said.endswith("\r\033[K")


def test_the_bar_of_one_file_is_full_when_it_is_done_and_that_of_none_is_empty(clock, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    with Progress(1) as told:
        told.done("a.glb", rigged("a.glb"))
        told.tick([])
    assert f"[{'#' * progress.BAR}] 1/1" in capsys.readouterr().out
    with Progress(0) as told:
        told.tick([])
    assert f"[{'.' * progress.BAR}] 0/0" in capsys.readouterr().out


def test_a_windows_console_is_cleared_without_escapes(clock, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("COLUMNS", "20")
    with Progress(1) as told:
        told.tick([("a.glb", "Opening")])
    said = capsys.readouterr().out
    assert "\033" not in said and said.endswith("\r" + " " * 19 + "\r")


def test_names_cannot_play_with_the_terminal(clock, capsys):
    with Progress(1) as told:
        told.done("a\n\033[2Jb\udcff.glb", failed("x", "bad\nline"))
    assert capsys.readouterr().out == "[1/1] a??[2Jb?.glb  failed: bad?line\n"


def test_a_clock_that_has_not_moved_on_tells_no_rate(clock, capsys):
    with Progress(2) as told:
        told.done("a.glb", failed("a.glb", "no mesh"))
    assert capsys.readouterr().out == "[1/2] a.glb  failed: no mesh\n"


def test_times_as_people_say_them():
    said = {0: "0 s", 119: "119 s", 120: "2 min", 7199: "120 min", 7200: "2 h", 172799: "48 h", 172800: "2 d",
            3e5: "3 d"}
    assert {seconds: span(seconds) for seconds in said} == said


def test_a_run_goes_on_when_nobody_listens_any_more(clock, monkeypatch):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", closefd=False) as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        with Progress(2) as told:
            told.done("a.glb", rigged("a.glb"))
            told.done("b.glb", failed("b.glb", "no mesh"))
        os.dup2(os.open(os.devnull, os.O_WRONLY), writing)  # what is left in it has to go somewhere
    os.close(writing)

"""Children are watched: what they do to themselves costs their file at most. They are played by a plain program."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from geppetto.addon.batching import workers
from geppetto.addon.batching.inputs import Job
from geppetto.addon.batching.options import RigOptions, RunOptions
from geppetto.addon.batching.workers import Pool
from geppetto.addon.formats import BadFile

ROOT = Path(__file__).resolve().parents[2]
CHILD = """
import json, os, pathlib, sys, time
starts = pathlib.Path({starts!r})
starts.write_text(starts.read_text() + "x")
print("a child speaks", flush=True)
if len(starts.read_text()) <= {bad_starts}:
    sys.exit(7)
greeting = json.loads(sys.stdin.readline())
said = open(greeting["said"], "ab", buffering=0)
def say(**word):
    said.write(json.dumps(word).encode() + b"\\n")
say(blender="9.9")
for count, line in enumerate(sys.stdin):
    name = json.loads(line)["path"]
    say(stage="Moving 2 of 3: run" if name.startswith("dance") else "Thinking")
    if name == "shout":
        print("loud " * 9000, "last words", flush=True)
        os.abort()
    if name == "die" or name == "die if old" and count:
        os.abort()
    if name == "be killed":
        os.kill(os.getpid(), 9)
    if name in ("hang", "dance for ever"):
        time.sleep(1000)
    if name == "grow":
        hoard = bytearray(200 << 20)
        hoard[::4096] = b"x" * len(hoard[::4096])
        time.sleep(1000)
    said.write(b'{{"entry": ')  # in two pieces, as the system may hand them over
    entry = {{"file": name, "pid": os.getpid(), "environment": dict(os.environ)}}
    said.write(json.dumps(entry).encode() + b', "sources": []}}\\n')
    if greeting["bell"] >= 0:
        os.write(greeting["bell"], b".")
"""


def test_a_child_is_this_program_in_the_same_python_or_blender(monkeypatch):
    monkeypatch.setitem(sys.modules, "bpy", SimpleNamespace(app=SimpleNamespace(binary_path="")))
    python, program, word = workers.child_command()
    assert python == sys.executable and Path(program).samefile(ROOT / "addon/batch.py") and word == "--child"
    monkeypatch.setitem(sys.modules, "bpy", SimpleNamespace(app=SimpleNamespace(binary_path="/bin/blender")))
    for own in (["-b", "--factory-startup", "--python", "batch.py", "--", "a.glb"], ["-b", "--factory-startup"],
                ["-P", "batch.py", "-b", "--factory-startup", "--", "--python", "x"],
                ["-b", "--factory-startup", "--command", "geppetto", "rig"], ["-b", "--factory-startup", "-c", "x"]):
        monkeypatch.setattr(sys, "argv", ["blender", *own])
        assert workers.child_command() == ["/bin/blender", "-b", "--factory-startup", "--background", "--python",
                                           program, "--", "--child"]


@pytest.fixture
def pool(tmp_path, monkeypatch):
    """Function of RunOptions' fields that makes a pool."""
    opened = []

    def make(bad_starts: int = 0, **options) -> Pool:
        (tmp_path / "starts").write_text("")
        program = CHILD.format(starts=str(tmp_path / "starts"), bad_starts=bad_starts)
        monkeypatch.setattr(workers, "child_command", lambda: [sys.executable, "-c", program])
        opened.append(Pool(RigOptions(), RunOptions(out=str(tmp_path / "out"), **{"jobs": 1, **options}), tmp_path))
        return opened[-1]

    yield make
    for one in opened:
        with one:
            continue
    assert [p.name for p in tmp_path.iterdir() if p.name != "starts"] == []  # what children wrote is taken away


def work(pool: Pool, *names: str) -> list[dict]:
    """The entries of files, in the order they were given."""
    waiting, entries = list(enumerate(names)), {}
    while len(entries) < len(names):
        while waiting and pool.free:
            number, name = waiting.pop(0)
            pool.begin(Job(number, name, name), str(number))
        entries |= {int(tag): entry for tag, entry, _ in pool.collect()}
    return [entries[number] for number in sorted(entries)]


def starts(tmp_path: Path) -> int:
    return len((tmp_path / "starts").read_text())


def test_a_motion_has_a_time_of_its_own(pool):
    one = pool(timeout=1.0)
    work(one, "a")
    one.begin(Job(0, "dance", "dance"), "0")
    child, = one.working
    child.since = -1e6  # a long while with the motion before
    while not child.stage.startswith("Moving"):
        said = child.listen()
    assert child.since > 0
    while said is None:
        said = child.listen()


def test_what_comes_after_the_motions_has_a_time_of_its_own_too(pool):
    one = pool(timeout=1.0)
    work(one, "a")
    one.begin(Job(0, "hang", "hang"), "0")
    child, = one.working
    child.stage, child.since = "Moving 3 of 3: run", -1e6
    while child.stage != "Thinking":
        assert child.listen() is None
    assert child.since > 0


def test_other_stages_share_the_time_of_the_file(pool):
    one = pool(timeout=1.0)
    work(one, "a")
    one.begin(Job(0, "hang", "hang"), "0")
    child, = one.working
    child.since = began = time.monotonic() - 0.5
    while child.stage != "Thinking":
        assert child.listen() is None
    assert child.since == began


def test_who_ends_its_motions_itself_gets_a_while_more_before_it_is_given_up(pool, monkeypatch):
    monkeypatch.setattr(workers, "WATCH", 0.0)  # every look is one at the time taken
    one = pool(timeout=10.0)
    one.begin(Job(0, "dance for ever", "dance"), "0")
    child, = one.working
    while not child.stage.startswith("Moving"):
        assert one.collect() == []
    child.since = time.monotonic() - 10 - workers.GRACE + 5
    assert one.collect() == []
    child.since -= 10
    (_, entry, _), = one.collect()
    assert entry["kind"] == "Timeout" and "'Moving 2 of 3: run'" in entry["error"]


def test_one_child_does_file_after_file_until_it_is_worn(pool, tmp_path):
    assert len({entry["pid"] for entry in work(pool(), *"abcd")}) == starts(tmp_path) == 1
    first = [entry["pid"] for entry in work(pool(recycle=2), *"abcde")]
    assert starts(tmp_path) == 3 and first[0] == first[1] != first[2] == first[3] != first[4]


def test_children_that_are_gone_hold_no_files_open(pool):
    def opened() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    workers_pool, before = pool(recycle=1), opened()
    with workers_pool:
        done = work(workers_pool, "a", "die", *"bcd")
    assert len({entry["pid"] for entry in done if "pid" in entry}) == 4
    assert opened() == before


def test_a_child_computes_on_one_thread(pool, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    (entry,) = work(pool(), "one")
    assert entry["environment"]["OMP_NUM_THREADS"] == "1"


def test_a_child_keeps_what_arrays_free_unless_the_user_says_otherwise(pool, monkeypatch):
    names = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    (entry,) = work(pool(), "one")
    assert [int(entry["environment"][name]) for name in names] == [32 * 2**20, 256 * 2**20]
    monkeypatch.setenv(names[1], "0")
    (entry,) = work(pool(), "one")
    assert [entry["environment"][name] for name in names] == [str(32 * 2**20), "0"]


@pytest.mark.skipif(not workers.HAS_BELLS, reason="no bells here")
def test_who_is_through_with_a_file_or_has_ended_is_noticed_at_once(pool, monkeypatch):
    one = pool()
    work(one, "a")  # its start is over
    monkeypatch.setattr(workers, "WATCH", 5.0)
    since, spent = time.monotonic(), time.process_time()
    assert [entry["file"] for entry in work(one, "a", "b")] == ["a", "b"]
    assert work(pool(), "die")[0]["kind"] == "Crash" and time.monotonic() - since < 4.0
    assert time.process_time() - spent < 1.0


def test_several_work_at_a_time(pool):
    assert len({entry["pid"] for entry in work(pool(jobs=3), *"abcdef")}) > 1


def test_a_crash_costs_its_file_alone(pool, tmp_path):
    first, crashed, last = work(pool(), "a", "die", "b")
    assert crashed["kind"] == "Crash" and "'die' crashed Blender (exit status -6)" in crashed["error"]
    assert crashed["log"] == "a child speaks" and "pid" in first and "pid" in last


def test_who_is_killed_most_likely_wanted_memory(pool):
    killed, fine = work(pool(), "be killed", "a")
    assert killed["kind"] == "Crash" and "want of memory" in killed["error"] and "pid" in fine


def test_a_limit_of_memory_that_cannot_be_watched_is_told_before_any_work(pool, monkeypatch):
    def cannot(process: int) -> int:
        raise BadFile("--memory needs psutil")

    monkeypatch.setattr(workers, "resident", cannot)
    pool(memory=0.0)
    with pytest.raises(BadFile, match="psutil"):
        pool(memory=0.1)


def test_of_much_that_was_printed_the_end_is_kept(pool):
    crashed, = work(pool(), "shout")
    assert 1000 < len(crashed["log"]) <= 2000 and crashed["log"].endswith("loud  last words")


def test_a_file_that_an_old_child_fails_at_is_tried_in_a_new_one(pool, tmp_path):
    assert all("pid" in entry for entry in work(pool(), "a", "die if old", "b"))
    assert starts(tmp_path) == 2


@pytest.mark.long
def test_what_hangs_is_given_up(pool):
    began = time.monotonic()
    hung, fine = work(pool(timeout=0.5), "hang", "a")
    assert 0.5 < time.monotonic() - began < 10
    assert hung["kind"] == "Timeout" and "0.5 s" in hung["error"] and "'Thinking'" in hung["error"] and "pid" in fine


def test_what_takes_too_much_memory_is_given_up(pool):
    large, fine = work(pool(memory=0.1), "grow", "a")
    assert large["kind"] == "OutOfMemory" and "--memory" in large["error"] and "pid" in fine


def test_without_being_asked_a_child_gets_its_share_of_the_machine(monkeypatch):
    share = workers.share_of_memory(1)
    assert workers.share_of_memory(4) == pytest.approx(share / 4)
    if not share:
        assert not Path("/proc/self/statm").exists()
        return
    assert share * (1 << 30) <= 0.9 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1 << 15}.get)
    assert workers.share_of_memory(1) == pytest.approx(0.9 / 8), "of a machine with an eighth of a GiB"


def test_its_share_of_memory_is_an_end_too(pool, monkeypatch):
    monkeypatch.setattr(workers, "share_of_memory", lambda processes: 0.1 / processes)
    large, fine = work(pool(), "grow", "a")
    assert large["kind"] == "OutOfMemory" and "pid" in fine


@pytest.mark.long
def test_a_start_that_fails_is_tried_again_but_not_for_ever(pool, tmp_path):
    often = pool(bad_starts=2, recycle=1)
    for _ in range(2):  # what failed before one that worked is forgotten
        (tmp_path / "starts").write_text("")
        assert all("pid" in entry for entry in work(often, "a"))
    with pytest.raises(BadFile, match=r"exit status 7.*a child speaks"):
        work(pool(bad_starts=99), "a")
    assert starts(tmp_path) == 3


def test_a_child_that_ended_before_it_was_told_is_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "child_command", lambda: [sys.executable, "-c", "pass"])
    child = workers.Child(tmp_path, {})
    child.process.wait()
    child.begin(Job(0, "a", "a"), "0")
    child.end()
    assert list(tmp_path.iterdir()) == []


def test_what_a_child_leaves_for_a_while_lies_in_the_runs_own_folder(tmp_path, monkeypatch):
    program = "import sys, tempfile; sys.stdin.readline(); print(tempfile.gettempdir())"
    monkeypatch.setattr(workers, "child_command", lambda: [sys.executable, "-c", program])
    child = workers.Child(tmp_path, {})
    child.process.wait()
    assert child.log == str(tmp_path)
    child.end()


def test_whoever_leaves_takes_the_children_along(pool):
    with pool(jobs=2) as left:
        for number, name in enumerate(("hang", "a")):
            left.begin(Job(number, name, name), str(number))
        left.collect()
        children = [child.process for child in left.working]
        if hasattr(os, "getsid"):
            assert all(os.getsid(child.pid) != os.getsid(0) for child in children), "Ctrl-C is the parent's"
            began = time.monotonic()
    assert children and all(process.returncode is not None for process in children)
    assert time.monotonic() - began < 5, "nobody waits for what is done with"


def test_a_child_with_nothing_to_do_is_let_go_and_not_killed(pool):
    with pool() as left:
        left.begin(Job(0, "a", "a"), "0")
        child, = left.working
        while left.working:
            left.collect()
    assert child.process.returncode == 0

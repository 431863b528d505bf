"""What is known of files: what is done, whose a name is, who works on it, what the dead left."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from geppetto.addon.batching import contents
from geppetto.addon.batching.contents import are_unchanged, settings_key, sources_again, sources_of
from geppetto.addon.batching.inputs import Job
from geppetto.addon.batching.ledger import Ledger, is_result
from geppetto.addon.batching.locks import Locks
from geppetto.addon.batching.options import RigOptions
from geppetto.addon.formats import BadFile

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def job(tmp_path) -> Job:
    """A file to be rigged."""
    (tmp_path / "knight.glb").write_bytes(b"steel")
    return Job(0, str(tmp_path / "knight.glb"), "knight")


def finish(ledger: Ledger, job: Job, status: str = "rigged") -> None:
    """Play a run that has done a file."""
    job, tag = ledger.begin(job)
    (ledger.out / f"{job.target}.blend").write_bytes(b"rig")
    entry = {"file": job.path, "status": status, "written": [f"{job.target}.blend"]}
    ledger.end(tag, entry, sources_of(job.path), "4.5")


def is_done(job: Job, out: Path, settings: str = "s") -> bool:
    with Ledger(out, settings) as ledger:
        return ledger.done(job) is not None


@pytest.fixture
def out(tmp_path, job) -> Path:
    """Results of that file."""
    with Ledger(tmp_path / "out", "s") as ledger:
        assert ledger.done(job) is None
        finish(ledger, job)
    return tmp_path / "out"


def test_what_was_rigged_is_done(out, job):
    assert is_done(job, out) and not is_done(job, out, "other options")


def test_what_a_run_wrote_is_known_until_it_is_changed(out, job):
    assert is_result(out, str(out / "knight.blend"))
    with Ledger(out, "s") as ledger:
        _, tag = ledger.begin(Job(1, job.path, "a-b/king-2"))
        (out / "a-b").mkdir()
        (out / "a-b" / "king-2-unity.fbx").write_bytes(b"rig")
        ledger.end(tag, {"status": "rigged", "written": ["a-b/king-2-unity.fbx"]}, sources_of(job.path), "4.5")
    assert is_result(out, str(out / "a-b" / "king-2-unity.fbx"))
    for name in ("knight.glb", "a-b/king-2.fbx", "gone.blend", "../knight.glb"):
        assert not is_result(out, os.path.normpath(out / name)), name
    (out / "knight.blend").write_bytes(b"a rig that somebody has mended")
    assert not is_result(out, str(out / "knight.blend")) and not is_result(out / "none", job.path)


def test_contents_count_not_times(out, job):
    os.utime(job.path, ns=(1, 1))
    assert is_done(job, out)
    Path(job.path).write_bytes(b"brass")
    assert not is_done(job, out)


def test_results_must_be_there_and_whole(out, job):
    (out / "knight.blend").write_bytes(b"ri")
    assert not is_done(job, out)
    (out / "knight.blend").unlink()
    assert not is_done(job, out)


def test_hints_beside_a_file_and_the_buffers_of_a_gltf_count_as_its_contents(out, job, tmp_path):
    (tmp_path / "knight.hints.json").write_text("{}")
    assert not is_done(job, out)
    scene = tmp_path / "page.gltf"
    scene.write_text(json.dumps({"buffers": [{"uri": "page%201.bin"}, {"uri": "data:x"}], "images": [{}]}))
    (tmp_path / "page 1.bin").write_bytes(b"1")
    assert there(scene) == ["page.gltf", "page 1.bin"]


def there(path: Path) -> list[str]:
    """The sources that exist, by name."""
    return [Path(one[0]).name for one in sources_of(str(path)) if one[3]]


def test_a_glb_may_name_pictures_too(tmp_path):
    text = json.dumps({"images": [{"uri": "face.png"}]}).encode()
    head = b"glTF" + (2).to_bytes(4, "little") + bytes(4) + len(text).to_bytes(4, "little") + b"JSON"
    (tmp_path / "a.glb").write_bytes(head + text)
    (tmp_path / "face.png").write_bytes(b"1")
    assert there(tmp_path / "a.glb") == ["a.glb", "face.png"]
    (tmp_path / "a.glb").write_bytes(head[:9])
    assert there(tmp_path / "a.glb") == ["a.glb"]


def test_a_folder_is_no_picture_and_never_there(tmp_path):
    (tmp_path / "skins").mkdir()
    scene = tmp_path / "page.gltf"
    scene.write_text(json.dumps({"images": [{"uri": "skins"}, {"uri": ""}]}))
    assert there(scene) == ["page.gltf"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_or_a_device_is_no_picture(tmp_path):
    os.mkfifo(tmp_path / "skin.png")
    scene = tmp_path / "page.gltf"
    for name in ("skin.png", "/dev/zero"):
        scene.write_text(json.dumps({"images": [{"uri": name}]}))
        with pytest.raises(BadFile, match=f"page.gltf.*{name}"):
            sources_of(str(scene))


def test_brackets_without_end_are_named(tmp_path):
    scene = tmp_path / "page.gltf"
    scene.write_text('{"images": ' + "[" * 200_000 + "]" * 200_000 + "}")
    with pytest.raises(BadFile, match="nested"):
        sources_of(str(scene))


def test_materials_of_an_obj_and_their_pictures_count_as_its_contents(tmp_path):
    (tmp_path / "a.obj").write_text("v 0 0 0\nmtllib my skins.mtl\r\n")
    (tmp_path / "my skins.mtl").write_text("newmtl x\nKd 1 1 1\n  map_Kd -s 1 1 1 skin.png\nbump my bumps.png\n")
    for name in ("skin.png", "my bumps.png", "a.mtl", "other.png"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "a.obj").with_suffix(".mtl").write_text("map_d\n")
    assert sorted(there(tmp_path / "a.obj")) == ["a.mtl", "a.obj", "my bumps.png", "my skins.mtl", "skin.png"]
    (tmp_path / "folder.mtl").mkdir()
    (tmp_path / "a.obj").write_text("mtllib folder.mtl\n")
    assert there(tmp_path / "a.obj") == ["a.obj", "a.mtl"]


def test_what_appears_vanishes_or_changes_beside_a_file_is_noticed_and_moving_all_is_not(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "far.png").write_bytes(b"1")
    path, picture = tmp_path / "in" / "a.obj", tmp_path / "in" / "skin.png"
    path.write_text("v 0 0 0\n")
    sources = sources_of(str(path), [str(picture), str(tmp_path / "far.png")])
    digests = [one[3] for one in sources]
    assert are_unchanged(sources) and [one[3] for one in sources_again(str(path), sources)] == digests
    picture.write_bytes(b"1")
    assert not are_unchanged(sources) and [one[3] for one in sources_again(str(path), sources)] != digests
    picture.unlink()
    moved = (tmp_path / "in").rename(tmp_path / "moved") / "a.obj"
    assert [one[3] for one in sources_again(str(moved), sources)] == digests
    (tmp_path / "far.png").write_bytes(b"2")
    assert [one[3] for one in sources_again(str(moved), sources)] != digests


def test_a_change_of_any_source_is_noticed(tmp_path):
    scene, kept = tmp_path / "page.gltf", tmp_path / "kept"
    scene.write_text(json.dumps({"images": [{"uri": "skin.png"}, {"uri": "gone.png"}]}))
    (tmp_path / "skin.png").write_bytes(b"1")
    sources = sources_of(str(scene), [str(tmp_path / "beside.png")])
    assert len(sources) == 5 and are_unchanged(sources)
    for place in [tmp_path / Path(name).name for name, *_ in sources]:
        if place.exists():
            place.rename(kept)
        place.write_bytes(b"another")
        assert not are_unchanged(sources)
        place.unlink()
        if kept.exists():
            kept.rename(place)
        assert are_unchanged(sources)


def test_what_failed_is_tried_again(tmp_path, job):
    with Ledger(tmp_path / "out", "s") as ledger:
        finish(ledger, job, "failed")
    assert not is_done(job, tmp_path / "out")


def test_what_was_held_by_one_that_is_closed_is_anybodys_and_need_not_be_given_back(tmp_path):
    locks = Locks(tmp_path / "locks")
    assert locks.hold("a")
    locks.close()
    locks.release("a")


def test_a_damaged_record_or_one_of_another_version_is_no_record(out, job):
    place = out / ".geppetto" / "records" / "knight.json"
    record = json.loads(place.read_bytes())
    for text in ('{"version": 1', "[1]", json.dumps(record | {"version": 2})):
        place.write_text(text)
        assert not is_done(job, out)
    place.write_text(json.dumps(record))
    assert is_done(job, out)


@pytest.mark.parametrize("kind", ["Crash", "Timeout", "OutOfMemory", "Cluster"])
def test_of_a_child_that_was_broken_off_the_half_files_are_taken_away(out, job, kind):
    with Ledger(out, "s") as ledger:
        _, tag = ledger.begin(job)
        (out / f".geppetto-{tag}-0").mkdir()
        (out / f".geppetto-{tag}-1.glb").write_bytes(b"half")
        ledger.end(tag, {"file": job.path, "status": "failed", "kind": kind}, sources_of(job.path), "4.5")
        assert not [p for p in out.iterdir() if tag in p.name]


def is_anybodys(out: Path, name: str) -> bool:
    """Whether another process can take a lock."""
    child = os.fork()
    if not child:
        os._exit(0 if Locks(out / ".geppetto" / "locks").hold(name) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_what_is_not_worked_on_is_anybodys(out, job, tmp_path):
    with Ledger(out, "s") as ledger:
        _, tag = ledger.begin(Job(0, str(tmp_path / "other.glb"), "knight"))
        assert is_anybodys(out, "target knight") and not is_anybodys(out, "target knight-2"), "it was renamed"
        ledger.leave(tag)
        assert is_anybodys(out, "target knight-2")
        finish(ledger, job)
        assert is_anybodys(out, "target knight"), "it is done"
        ledger.begin(job)
        assert not is_anybodys(out, "target knight")
    assert is_anybodys(out, "target knight"), "all is given back at the end"


def test_a_name_belongs_to_its_file_as_long_as_that_exists(out, job, tmp_path):
    other = Job(0, str(tmp_path / "other.glb"), "knight")
    with Ledger(out, "s") as ledger:
        assert ledger.owner("knight") == job.path
        renamed, tag = ledger.begin(other)
        assert renamed.target == "knight-2"
        ledger.leave(tag)
        Path(job.path).unlink()
        assert ledger.begin(other)[0].target == "knight"


HOLD = """
import sys; sys.path.insert(0, {root!r})
from tests.conftest import load_as_package
from geppetto.addon.batching.inputs import Job
from geppetto.addon.batching.ledger import Ledger, is_result
from pathlib import Path
ledger = Ledger(Path({out!r}), "s").__enter__()
job, tag = ledger.begin(Job(0, {path!r}, "knight"))
ledger.note(tag)
assert ledger.holds_report("report")
(Path({out!r}) / f".geppetto-{{tag}}-0.blend").write_bytes(b"half")
print("holding", flush=True)
sys.stdin.read()
"""


def test_a_lock_that_nobody_can_tell_of_ends_the_run_and_is_not_waited_for(out, job, monkeypatch):
    def stale(locks, name, lock):
        raise OSError(errno.ESTALE, "Stale file handle")

    with Ledger(out, "s") as ledger, monkeypatch.context() as patched:
        _, tag = ledger.begin(job)
        patched.setattr(Locks, "_change", stale)
        for ask in (lambda: ledger.begin(Job(1, job.path, "other")), lambda: ledger.leave(tag)):
            with pytest.raises(BadFile, match=r"locks' cannot be locked: Stale.*--resume"):
                ask()


@pytest.mark.long
def test_two_runs_do_not_work_on_one_file_and_what_a_killed_one_left_is_cleared_up(out, job):
    program = HOLD.format(root=str(ROOT), out=str(out), path=job.path)
    other = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    assert other.stdout.readline() == b"holding\n"
    left = list(out.glob(".geppetto-*"))
    with Ledger(out, "s") as ledger:
        assert ledger.begin(job) is None and not ledger.holds_report("report")
        assert ledger.holds_report("report-2")
        assert left[0].exists()
    other.kill()
    other.communicate()
    with Ledger(out, "s") as ledger:
        assert not left[0].exists() and not list((out / ".geppetto" / "begun").iterdir())
        assert ledger.begin(job) is not None and ledger.holds_report("report")


def test_a_note_that_is_being_written_or_is_gone_meanwhile_is_not_cleared_up(out, job, monkeypatch):
    begun = out / ".geppetto" / "begun"
    (begun / ".geppetto-9-a").write_bytes(b"kni")
    (begun / "ab-1").write_bytes(b"knight")

    def too_late(locks, name):
        (begun / "ab-1").unlink(missing_ok=True)
        return True

    monkeypatch.setattr(Locks, "hold", too_late)
    with Ledger(out, "s"):
        assert [left.name for left in begun.iterdir()] == [".geppetto-9-a"]


def test_an_interrupted_run_takes_its_half_files_away(out, job):
    with Ledger(out, "s") as ledger:
        _, tag = ledger.begin(job)
        (out / f".geppetto-{tag}-3.glb").write_bytes(b"half")
    assert [p.name for p in out.iterdir() if p.name.startswith(".geppetto-")] == []


def test_options_and_the_files_they_name_make_the_key(tmp_path):
    preset = tmp_path / "own.json"
    preset.write_text("1")
    keys = {settings_key(RigOptions()), settings_key(RigOptions(format=("glb",))),
            settings_key(RigOptions(preset=str(preset)))}
    preset.write_text("2")
    assert len(keys | {settings_key(RigOptions(preset=str(preset)))}) == 4
    assert settings_key(RigOptions()) in keys


@pytest.mark.parametrize("word", ["moves", "moves/run.glb", "moves/run.glb:Run", "moves/run.glb:*"])
def test_motions_that_change_make_another_key(tmp_path, word):
    (tmp_path / "moves").mkdir()
    (tmp_path / "moves" / "run.glb").write_bytes(b"run")
    rig = RigOptions(motion=("walk", f"{tmp_path}/{word}"))
    before = settings_key(rig)
    assert settings_key(rig) == before
    (tmp_path / "moves" / "run.glb").write_bytes(b"run faster")
    changed = settings_key(rig)
    (tmp_path / "moves" / "walk.bvh").write_bytes(b"walk")
    assert changed != before and (settings_key(rig) != changed) == (word == "moves")


def test_the_program_is_what_its_code_its_presets_and_what_it_has_learned_are(tmp_path, monkeypatch):
    monkeypatch.setattr(contents, "ROOT", tmp_path)
    for name in ("core/a.py", "addon/operators/b.py", "presets/skeletons/c.json", "presets/landmarks/d.npz"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    keys = [contents.program_key.__wrapped__()]
    for path in sorted(p for p in tmp_path.rglob("*") if p.is_file()):
        path.write_text("2")
        keys.append(contents.program_key.__wrapped__())
        path.rename(path.with_stem(f"{path.stem}_too"))
        keys.append(contents.program_key.__wrapped__())
    assert len(set(keys)) == len(keys) == 9
    (tmp_path / "presets" / "card.md").write_text("words")
    assert contents.program_key.__wrapped__() == keys[-1]
    for folder, suffixes in contents.MADE_OF:
        found = {p.suffix for p in (ROOT / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts}
        assert found >= set(suffixes) and found - set(suffixes) <= {".md", ".png", ".html"}, folder


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / ".geppetto").write_text("a file")
    with pytest.raises(BadFile, match="--out"):
        Ledger(tmp_path)

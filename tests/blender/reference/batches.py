"""Batches: what is asked, of which files, what is said meanwhile, and what the report holds.

Cases are as in `tests.keeping.results`. They are alike whenever and wherever they are run.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from pathlib import Path
from unittest import mock

from geppetto.addon import batch
from geppetto.addon.batching import (
    contents,
    hints,
    html,
    inputs,
    ledger,
    motion_names,
    motions,
    one_file,
    options,
    progress,
    report,
)
from geppetto.addon.batching.locks import Locks
from geppetto.addon.batching.running import Inline
from geppetto.addon.characters import rigging
from geppetto.addon.export.glb import pack_glb, read_glb
from geppetto.core.errors import RigError
from tests.batching.entries import doubted, failed, rigged
from tests.blender.batches import fresh, save
from tests.blender.reference.meshes import objects_of
from tests.blender.reference.rigs import bound
from tests.blender.reference.state import listed, said, scratch, truth
from tests.keeping.results import Shaken

APART = {"geppetto", "blender", "traceback"}  # of the report
START = 10**18  # when all files of the tests were changed, in nanoseconds


class Clock:
    """A clock that goes on by a quarter of a second whenever it is looked at."""

    def __init__(self) -> None:
        self._now = 0.0

    def monotonic(self) -> float:
        """The time."""
        self._now += 0.25
        return self._now

    perf_counter = monotonic


@contextlib.contextmanager
def unhurried():
    """Inside, a run takes the same time, has the same name, is of the same versions and of files of one content."""
    def inline(rig, out):
        made = Inline(rig, out)
        made.blender = "0.0"
        return made

    with contextlib.ExitStack() as stack:
        for module in (progress, report, one_file, rigging):
            stack.enter_context(mock.patch.object(module, "time", Clock()))
        stack.enter_context(mock.patch.object(report, "GEPPETTO", "0.0"))
        stack.enter_context(mock.patch.object(contents, "_digest", lambda path: "ab"))
        stack.enter_context(mock.patch.object(batch, "Inline", inline))
        stack.enter_context(mock.patch.object(ledger.secrets, "token_hex", lambda count: "ab" * count))
        yield


def put(name: str, content: str | bytes) -> Path:
    """A file that was changed when all were."""
    place = Path(name)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.encode() if isinstance(content, str) else content)
    os.utime(place, ns=(START, START))
    return place


def asked(*words: str) -> tuple:
    """What a command line is understood as, or what is said of it."""
    told = io.StringIO()
    with contextlib.redirect_stderr(told), contextlib.redirect_stdout(told):
        try:
            rig, run = options.parse(list(words))
        except SystemExit as end:
            return end.code, told.getvalue()
        except RigError as error:
            return type(error).__name__, str(error)
    values = {**vars(rig), **vars(run)}
    return listed([*(f"{key} {value!r}" for key, value in sorted(values.items())), options.job_count(run) > 0])


def words_understood(shaken: Shaken) -> None:
    """Command lines and config files that make sense, and those that do not."""
    with scratch() as home:
        for name, text in (("run.toml", 'preset = "biped"\nfiles = ["a.glb"]\nmotion = ["walk", "run"]\n'
                                        'format = ["glb"]\npicture = false\nfps = 24.5\n'),
                           ("run.json", '{"motion": "walk", "no_such": 1, "files": []}'), ("bad.toml", "preset ="),
                           ("list.json", "[1, 2]"), ("files.json", '{"files": "a.glb"}')):
            (home / name).write_text(text, encoding="utf-8")
        for words in ((), ("a.glb",), ("a.glb", "--preset", "quadruped", "--out", "there", "--quiet", "--no-picture"),
                      ("a.glb", "--format", "glb, BLEND,glb", "--for", "unreal,vrm"), ("a.glb", "--format", "obj"),
                      ("a.glb", "--for", "none"), ("a.glb", "--up", "-Y", "--front", "Z"),
                      ("a.glb", "--up", "Y", "--front", "-Y"), ("a.glb", "--speed", "1.4"), ("a.glb", "--no-drift"),
                      ("a.glb", "--motion", "walk", "--motion", "run", "--motion", "walk", "--trim", "3:9", "--fps",
                       "12", "--reduce", "1.5", "--style", "energy=0.5", "--speed", "3legs", "--no-drift"),
                      ("a.glb", "--motion", "walk", "--trim", "x"), ("a.glb", "--motion", "walk", "--trim", "3:-2"),
                      ("a.glb", "--motion", "walk", "--style", "no"), ("a.glb", "--motion", "walk", "--speed", "-1"),
                      ("a.glb", "--jobs", "0"), ("a.glb", "--jobs", "3", "--timeout", "0", "--memory", "-1"),
                      ("a.glb", "--without", "cape hair_2"), ("a.glb", "--without", "trousers"),
                      ("--list", "names.txt"), ("--list", "-"), ("--config", "run.toml"),
                      ("--config", "run.toml", "b.glb",
                       "--motion", "jump"), ("--config", "run.json"), ("--config", "bad.toml"),
                      ("--config", "list.json"), ("--config", "files.json"), ("--config", "none")):
            asked(*words)
    for name in ("unreal", "vrm", "unity", "roblox"):
        said(options.engine_suffix, name)
    for text in ("", "3", "3:", ":9", "2:8"):
        options.ends_of(text)


def files_found(shaken: Shaken) -> None:
    """Folders, patterns, lists and names that lead nowhere; where the results of each go."""
    with scratch():
        for name in ("a.glb", "b/a.obj", "b/c/d.fbx", "b/.hidden.glb", "b/notes.txt", "out/old.glb", "x[1].glb",
                     "A.obj", "b/" + "l" * 190 + ".glb", "e/f.PLY", "b/c/d.glb"):
            put(name, name)
        Path("names.txt").write_bytes("\ufeff# names\r\na.glb\r\n\r\nb/*.obj\n@other\n-\n".encode())
        Path("zeros.txt").write_bytes(b"a.glb\0b/a.obj\0")
        for names in (["."], ["b", "e"], ["*.glb"], ["**/d.*"], ["b/**"], ["b/**/*.glb"], ["[a-b]*"], ["@names.txt"],
                      ["@zeros.txt", "a.glb"], ["none.glb", "none*"], ["x[1].glb"], ["a.glb", "A.obj", "b", "a.glb"],
                      ["@none.txt"], ["out"], ["e", "./e", "e/f.PLY"]):
            for more in ({}, {"recursive": False}, {"base": "b"}):
                found = said(inputs.find_files, names, "out", **more)
                if isinstance(found, list):
                    inputs.jobs_of(found, Path("out"), ("glb", "blend", "-unreal.fbx"))
                    inputs.jobs_of(found, Path(), ("glb", "blend"), lambda target: "" if "-" in target else "another")
        for word in ("walk", "wlak", "none.glb", "e", "b", "b/c/d.glb", "b/c/d.glb:Walk", "a.bvh:Walk", "b/c/d.fbx:*"):
            said(motion_names.check_motion, word)
            motion_names.labels([word])
        motion_names.files_in(Path("b/c"))


def hints_read(shaken: Shaken) -> None:
    """Hints of every kind, right and wrong."""
    with scratch():
        for k, text in enumerate(('{"head": [0, 1, 2.5], "reading": 2, "preset": "biped", "up": "Z", "front": "-Y"}',
                                  "{}", "[]", "{", '{"reading": 0}', '{"reading": true}', '{"reading": 1.5}',
                                  '{"up": "W"}',
                                  '{"up": ["Z"]}', '{"preset": "x.json"}', '{"preset": 3}', '{"preset": "no such"}',
                                  '{"preset": "auto"}', '{"head": [0, 1]}', '{"head": [0, 1, true]}', '{"head": "x"}',
                                  '{"head": [0, 1, 1e12]}', '{"head": [0, 1, 9e11]}', "[" * 100_000)):
            place = Path(f"{k}.hints.json")
            place.write_text(text, encoding="utf-8")
            found = said(hints.read_hints, place)
            if isinstance(found, hints.Hints):
                bool(found), found.within(options.RigOptions(preset="quadruped", motion=("walk",)))
        hints.read_hints(Path("none.hints.json"))


def sources_known(shaken: Shaken) -> None:
    """The files that make a character, changed and not, with names that lead elsewhere."""
    with scratch() as home:
        for name, text in (("a.obj", 'mtllib a.mtl\nmtllib "b c.mtl"\nv 0 0 0\n'),
                           ("b c.mtl", "map_Kd -s 1 1 1 skins/p.png\n  bump q.png\nnewmtl x\n"),
                           ("skins/p.png", "png"), ("q.png", "png"), ("empty.obj", ""),
                           ("c.gltf", '{"buffers": [{"uri": "c%20d.bin"}, {"uri": "data:x"}, {}], "images": '
                                      '[{"uri": "skins/p.png"}]}'), ("c d.bin", "bin"), ("d.gltf", "no text"),
                           ("a.hints.json", "{}"), ("e.gltf", "[" * 100_000)):
            put(name, text)
        put("f.glb", b"glTF" + (2).to_bytes(4, "little") + (99).to_bytes(4, "little")
                                  + (29).to_bytes(4, "little") + b'JSON{"images":[{"uri":"q.png"}]}' + b"rest")
        for name in ("a.obj", "empty.obj", "c.gltf", "d.gltf", "e.gltf", "f.glb"):
            found = said(contents.sources_of, name, ("skins/p.png", "none.png", "../up.png", f"{home}/q.png"))
            if isinstance(found, list):
                names_of(found)
                again = contents.sources_again(name, found)
                names_of(again), truth(again == found, contents.are_unchanged(found))
                Path("q.png").write_text("changed", encoding="utf-8")
                os.utime("q.png", ns=(2 * 10**18, 2 * 10**18))
                again = contents.sources_of(name, ("skins/p.png",), found)
                names_of(again), truth(again == found, contents.are_unchanged(found))


def names_of(found) -> tuple:
    """Sources as they are told."""
    return listed(part for source in found for part in (*source[:3], source[3][:9]))


def entries() -> list[dict]:
    """Files of every fate."""
    other = {"name": "twin", "preset": "", "bones": 1, "warnings": ["near"], "doubtful": ["head"], "seconds": {}}
    return [rigged("a/knight.glb", preset="", notes=["a note"], parts=1, written=["k.blend", "k.png", "k-2.png"]),
            rigged("=b/two.glb", warnings=["=one", "two <b>"], bare_vertices=3,
                   weight_check={"verdict": "fair", "x": 0.4}),
            rigged("c.glb", weight_check={"verdict": "poor", "y": 4e-4}, penalty={"bend": 250.0},
                   seconds={"Opening": 0.0}),
            doubted("d.glb", {"head": 0.25, "hips": 0.75},
                    others=[other, {**other, "picture": "p.png", "doubtful": []}]),
            doubted("e.glb", {"head": 0.5}), doubted("f.glb", {}),
            doubted("g.glb", {"head": 0.9}, readings=[{}, {"number": 2, "says": "a cart", "joints": {},
                                                           "warnings": ["!"], "confidence": {"axle": 0.4}}]),
            failed("h.glb", "it has no volume"), failed("i.glb", "crashed", traceback="line\n<1>"),
            failed("j.glb", "gone", log="said", seconds={"Opening": 12345.678, "Own stage": 1.0})]


def reports_written(shaken: Shaken) -> None:
    """A report of files of every fate, as a page, as a table, for programs, and the lines on the way."""
    with mock.patch.object(report, "GEPPETTO", "0.0.0"):
        every = entries()
        for some in (every, every[:1], []):
            list(report.report_json(some, "4.5")), list(report.report_csv(some)), list(html.page(some, "Nobody"))
    with mock.patch.object(html, "ROWS", 4):
        list(html.page(every, "Nobody"))
    for seconds in (0.0, 0.6, 119.0, 120.0, 7199.0, 7200.0, 170_000.0, 172_800.0):
        progress.span(seconds)
    for text in ("plain", "two\nlines\x1b[0m", "ß\u2028"):
        progress.shown(text)
    for live in (False, True):
        for quiet in (False, True):
            lines_told(every, live, quiet)


def lines_told(every: list[dict], live: bool, quiet: bool) -> str:
    """What a run prints, the clock going on by its own."""
    told = io.StringIO()
    told.isatty = lambda: live
    with mock.patch.object(progress, "time", Clock()), contextlib.redirect_stdout(told), \
            mock.patch.object(progress.shutil, "get_terminal_size", lambda: os.terminal_size((100, 24))), \
            progress.Progress(len(every) + 2, quiet=quiet) as line:
        line.tick([("a.glb", "Opening")])
        for k, entry in enumerate(every):
            line.done(entry["file"], entry, worked=k != 2)
            line.tick([("b.glb", "Warming"), ("c\n.glb", "Opening")])
            line.rate()
    return told.getvalue()


def results_known(shaken: Shaken) -> None:
    """Records of what is done: begun, ended, found again or not, taken over from runs that were killed."""
    with scratch(), unhurried():
        for name in ("a.obj", "b.obj", "sub/a.obj"):
            put(name, name)
        jobs = inputs.jobs_of(inputs.find_files([".", "a.obj", "none.obj"], "out"), Path("out"), ("glb",))
        for settings in ("one", "one", "two"):
            with ledger.Ledger(Path("out"), settings) as book:
                known(book, jobs)
                book.holds_report("report")
                for k, job in enumerate(jobs):
                    begun = book.begin(job)
                    if begun is None or k == 2:
                        continue
                    job, tag = begun
                    put(f"out/{job.target}.glb", "x" * k)
                    entry = rigged(job.path, written=[job.target + ".glb"]) if k % 2 == 0 else failed(job.path, "no")
                    entry |= {"kind": ("BadMesh", "Crash")[k % 2]}
                    put(f"out/.geppetto-{tag}-0.glb", "half")
                    book.end(tag, entry, said(contents.sources_of, job.path) if Path(job.path).exists() else [], "4.5")
                known(book, jobs)
            truth(*(path.name.startswith(".geppetto-") for path in sorted(Path("out").iterdir())))
        put("out/a.glb", "longer"), put("b.obj", "changed")
        with ledger.Ledger(Path("out"), "two") as book:
            known(book, jobs)
        first, second = (Locks(Path("locks")) for _ in range(2))
        truth(first.hold("a"), first.hold("a"), first.hold("b"))
        first.release("a"), first.release("none"), first.close(), second.close()


def known(book, jobs) -> tuple:
    """What is known of files."""
    return listed(part for job in jobs for part in (
        book.done(job) is not None, os.path.basename(book.owner(job.target)),
        (book.read(job.target) or {}).get("settings")))


def folder_rigged(shaken: Shaken) -> None:
    """A folder of files rigged, again with what is done left out, with motions, engines, a skeleton of its own."""
    with scratch(), unhurried():
        fresh()
        objects_of(shaken)
        put("in/person.obj", text_of(save(Path("person.obj").resolve())))
        fresh()
        bound(shaken)
        tree, binary = read_glb(save(Path("bound.glb").resolve()).read_bytes())
        tree["asset"]["generator"] = "nobody"
        put("in/bound.glb", pack_glb(tree, binary))
        put("in/person.hints.json", '{"preset": "biped", "head": [0, 0, 1.6]}')
        put("in/broken.glb", b"glTF nonsense")
        put("in/empty.obj", b"")
        words = ("in", "--preset", "biped", "--no-picture", "--detail", "body", "--readings", "2")
        run(*words)
        run(*words, "--resume")
        run("in/bound.glb", "in/none.obj", "--rig", "existing", "--format", "blend", "--no-picture",
            "--motion", "walk", "--motion", "run", "--motion", "in/broken.glb", "--trim", "0:3", "--for", "unreal",
            "--rest", "T", "--quiet")
        run("in", "--preset", "wrong")
        run("in", "--motion", "wlak")
        motions.motions_of(["walk", "in", "in/broken.glb:*", "walk"])


def crowd_rigged(shaken: Shaken) -> None:
    """Two characters in a file, with pictures and films; hints that say what is not there."""
    with scratch(), unhurried():
        fresh()
        for k in range(2):
            for o in objects_of(shaken):
                o.location.x, o.name = 4 * k, f"{o.name} {k}"
        put("in/two.obj", text_of(save(Path("two.obj").resolve())))
        words = ("in/two.obj", "--preset", "biped", "--detail", "body", "--format", "glb")
        run(*words, "--motion", "wave", "--trim", "0:2", "--for", "unreal,vrm", "--rest", "A")
        put("in/two.hints.json", '{"tail": [0, 0, 1]}')
        run(*words, "--no-picture", "--characters", "one")
        put("in/two.hints.json", '{"reading": 40}')
        run(*words, "--no-picture")


def weights_judged(shaken: Shaken) -> None:
    """A character whose weights are judged, the sheet of them drawn."""
    with scratch(), unhurried():
        fresh()
        bound(shaken)
        put("in/one.obj", text_of(save(Path("one.obj").resolve())))
        run("in/one.obj", "--preset", "biped", "--detail", "body", "--format", "glb", "--weight-check")


def text_of(path: Path) -> str:
    """An .obj without what its writer says of itself."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith(("#", "mtllib")))


def run(*words: str) -> tuple:
    """Exit status, lines and report of a run, and which files it leaves."""
    told, complaints = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(complaints):
        status = batch.main([*words, "--out", "out"], isolate=False)
    made = Path("out", "report.json")
    entries = json.loads(made.read_text(encoding="utf-8"))["files"] if made.exists() else []
    ours = [line for line in told.getvalue().splitlines() if line.startswith("[") or "report in" in line]
    left = sorted(path.as_posix() for path in Path("out").rglob("*") if ".geppetto" not in path.as_posix())
    return listed([status, *ours, complaints.getvalue(), *_flat(entries), *left])


def _flat(value) -> list:
    """What a report says, without what is of this machine."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if pairs is None:
        return [value]
    return [part for key, one in pairs if key not in APART for part in (key, *_flat(one))]


CASES = {case.__name__: case for case in (words_understood, files_found, hints_read, sources_known, reports_written,
                                          results_known, folder_rigged, crowd_rigged,
                                          weights_judged)}

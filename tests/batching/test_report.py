"""report.json, .csv and .html: everything is in them, worst first, and nothing that a file's name says is obeyed."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from geppetto.addon.batching import html, report
from geppetto.addon.batching.inputs import Job
from geppetto.addon.batching.ledger import Ledger
from geppetto.addon.batching.progress import summary
from geppetto.addon.batching.report import Report, report_csv, report_json
from geppetto.addon.formats import BadFile
from geppetto.addon.whole import write_whole
from tests.batching.entries import doubted, failed, rigged


class Rows(HTMLParser):
    """The rows of a page with their attributes, all links and all text."""

    def __init__(self, text: str):
        super().__init__()
        self.rows: list[dict] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.links += [value for key, value in attributes if key in {"href", "src", "action"}]
        if tag == "tr" and attributes:
            self.rows.append(dict(attributes))

    def handle_data(self, data):
        self.text += data


def page_of(entries) -> Rows:
    return Rows(b"".join(html.page(entries, "Geppetto 1")).decode())


def test_the_worst_come_first():
    entries = [rigged("good.glb"), rigged("warned.glb", warnings=["thin", "tall"]), rigged("bare.glb", bare_vertices=3),
               failed("bad.glb", "no mesh"), failed("crashed.glb", "", log="x"), failed("fault.glb", "", traceback="x"),
               rigged("odd.glb", penalty={"sheet": 2.5})]
    page = page_of(entries)
    assert [row["data-file"] for row in page.rows] == ["crashed.glb", "fault.glb", "bad.glb", "bare.glb", "warned.glb",
                                                       "odd.glb", "good.glb"]
    assert "4 of 7 characters rigged" in page.text and "Failed 3" in page.text and "With warnings 1" in page.text


def test_one_is_not_counted_as_several():
    other = {"name": "lid", "preset": "shape", "bones": 1, "warnings": [], "doubtful": []}
    page = page_of([rigged("box.glb", others=[other])])
    assert "1 of 1 character rigged" in page.text and "1 bone" in page.text and "1 bones" not in page.text
    assert "shape: 1 bone," in summary(rigged("box.glb", preset="shape", bones=1))


def test_a_note_is_told_and_is_no_cause_for_a_look():
    turned = {"notes": ["'<cow>' is taken to stand with Z up"]}
    other = {"name": "calf", "preset": "quadruped", "bones": 3, "warnings": [], "doubtful": [], "notes": ["lies <so>"]}
    page = page_of([rigged("cow.glb", **turned, others=[other]), rigged("warned.glb", warnings=["thin"])])
    assert "With warnings 1" in page.text and html.concern(rigged("a", **turned)) == html.concern(rigged("a"))
    assert [row["data-warnings"] for row in page.rows] == ["1", "0"]
    assert "'<cow>' is taken to stand" in page.text and "lies <so>" in page.text
    row, = csv.DictReader(io.StringIO(b"".join(report_csv([rigged("cow.glb", **turned)])).decode()))
    assert row["notes"] == turned["notes"][0] and (row["warnings"], row["warning"]) == ("0", "")


def test_what_is_graver_outweighs_any_amount_of_what_is_less_grave():
    odd, poor = {"penalty": {"sheet": 1e6}}, {"weight_check": {"verdict": "poor"}}
    entries = [failed("fault", "", traceback="x"), failed("failed", "no mesh"), rigged("bare", bare_vertices=1),
               rigged("poor", **poor), rigged("two warnings", warnings=["thin", "tall"]),
               rigged("fair", weight_check={"verdict": "fair"}), rigged("warned", warnings=["thin"]),
               doubted("half sure", {"head": 0.5}), rigged("good", weight_check={"verdict": "good"})]
    graver = [html.concern(entry) for entry in entries]
    assert graver == sorted(set(graver), reverse=True)
    for less, more in (({}, {"warnings": ["thin"]}), ({"warnings": ["thin"] * 8}, poor),
                       ({"warnings": ["thin"] * 80} | poor, {"bare_vertices": 1})):
        assert html.concern(rigged("less", **(odd | less))) < html.concern(rigged("more", **more))


def test_the_verdict_on_the_weights_counts_and_is_said():
    entries = [rigged("good.glb", weight_check={"verdict": "good"}), rigged("unchecked.glb", warnings=["thin"]),
               rigged("poor.glb", weight_check={"verdict": "poor"}),
               rigged("fair.glb", weight_check={"verdict": "fair"})]
    page = page_of(entries)
    assert [row["data-file"] for row in page.rows] == ["poor.glb", "fair.glb", "unchecked.glb", "good.glb"]
    assert "weights: poor" in page.text
    lines = list(csv.DictReader(io.StringIO(b"".join(report_csv(entries)).decode(), newline="")))
    assert [line["weights"] for line in lines] == ["good", "", "poor", "fair"]


def test_each_further_character_of_a_file_is_told_of_and_seen():
    other = {"name": "<guard>", "preset": "biped", "bones": 21, "joints": {"head": [0, 0, 1]}, "doubtful": ["hand.L"],
             "warnings": ["no <arm>"], "picture": "two-character-2.png"}
    page = page_of([rigged("two.glb", written=["two.glb", "two.png"], others=[other])])
    for word in ("<guard>: biped, 21 bones", "no <arm>", "doubtful joints: hand.L"):
        assert word in page.text
    assert page.links[:4] == ["two.png", "two.png", "two-character-2.png", "two-character-2.png"]


def test_what_a_character_was_rigged_as_is_told():
    page = page_of([rigged("fly.glb", preset="dragon"), rigged("kept.glb", preset=""), failed("bad.glb", "no mesh")])
    assert "dragon" in page.text and page.text.count("own skeleton") == 1


def test_joints_that_are_certain_are_no_cause_for_a_look():
    page = page_of([rigged("unknown.glb"), doubted("certain.glb", {"head": 1.0}), doubted("half.glb", {"head": 0.5})])
    doubt = {row["data-file"]: (row["data-doubt"], float(row["data-concern"])) for row in page.rows}
    assert doubt["certain.glb"] == doubt["unknown.glb"] and doubt["certain.glb"][0] == "0.0000"
    assert doubt["half.glb"] == ("0.5000", doubt["certain.glb"][1] + 50)


def test_doubtful_joints_are_named_and_every_joint_has_its_confidence():
    sure, odd = {"head": 0.99, "hand.L": 0.9}, {"head": 0.98, "hand.L": 0.31, "hand.R": 0.42}
    other = {"number": 2, "says": "<four> legs", "joints": {}, "confidence": {"head": 0.25}, "warnings": ["no <arm>"]}
    unsure = doubted("odd.glb", odd)
    entries = [doubted("sure.glb", sure), rigged("unknown.glb"), unsure | {"readings": [*unsure["readings"], other]},
               doubted("bound.glb", {}), failed("bad.glb", "no mesh")]
    page = page_of(entries)
    assert [row["data-file"] for row in page.rows][:3] == ["bad.glb", "odd.glb", "sure.glb"]
    for word in ("doubtful joints: hand.L 31%, hand.R 42%",
                 "confidence of each joint, the least 31%", "98%", "With doubtful joints 1",
                 "2: <four> legs; least confidence 25%; no <arm>"):
        assert word in page.text, word
    assert {row["data-file"]: row["data-doubtful"] for row in page.rows}["odd.glb"] == "2"
    lines = list(csv.DictReader(io.StringIO(b"".join(report_csv(entries)).decode(), newline="")))
    assert [line["least_confidence"] for line in lines] == ["0.900", "", "0.310", "", ""]
    assert [line["doubtful"] for line in lines] == ["", "", "hand.L hand.R", "", ""]
    assert lines[2]["confidence"] == "head=0.980 hand.L=0.310 hand.R=0.420" and lines[2]["says"] == "two legs"
    assert json.loads(b"".join(report_json(entries, "4.5")))["files"] == entries


def test_everything_that_is_known_is_said():
    page = page_of([rigged("knight.glb", warnings=["'cape' is hidden"]), failed("x.ply", "crashed", log="abort <7>")])
    for word in ("knight.glb", "'cape' is hidden", "Warming the skin", "1.50", "12 345", "crashed", "abort <7>"):
        assert word in page.text, word
    assert page.links == ["knight.png", "knight.png", "knight.png", "knight.blend"]
    written = ["knight.png", "knight-weights.png"]
    page = page_of([rigged("knight.glb", written=written)])
    assert page.links == ["knight.png", "knight.png", *written], "one picture is shown, all are linked"


def test_the_page_needs_no_network_and_obeys_no_file():
    evil = "<img src=x onerror=alert(1)>\"'&.glb"
    page = page_of([rigged(evil, warnings=["<script>alert(2)</script>"]), failed("\udcff<b>", "a & b <i>")])
    assert all(not link.startswith(("http", "//", "javascript")) and "<" not in link for link in page.links)
    assert "b" not in page.tags and {row["data-file"] for row in page.rows} >= {evil}
    assert "<script>alert(2)</script>" in page.text
    assert "http" not in html.PAGE.read_text(encoding="utf-8").replace("http-equiv", "")


def test_links_lead_to_files_of_any_name():
    entry = rigged("a.glb", written=["sub dir/50%#1 ü.png"])
    assert page_of([entry]).links[0] == "sub%20dir/50%25%231%20%C3%BC.png"


def test_a_page_of_very_many_shows_the_worst_and_says_so(monkeypatch):
    monkeypatch.setattr(html, "ROWS", 3)
    entries = [rigged(f"{n}.glb") for n in range(10)] + [failed("bad.glb", "x")]
    page = page_of(entries)
    assert [row["data-file"] for row in page.rows] == ["bad.glb", "0.glb", "1.glb"]
    assert "10 of 11" in page.text and "Shown are the 3" in page.text


def test_json_and_csv_hold_every_file_in_its_order():
    entries = [rigged("=cmd().glb"), failed("b,\"\n.glb", "why, \"so\""), rigged("\udcfe.glb")]
    data = json.loads(b"".join(report_json(iter(entries), "4.5")))
    assert data["version"] == 1 and data["blender"] == "4.5" and data["files"] == entries
    assert json.loads(b"".join(report_json(iter([]), "")))["files"] == []
    lines = list(csv.DictReader(io.StringIO(b"".join(report_csv(entries)).decode(), newline="")))
    assert [line["file"] for line in lines] == ["'=cmd().glb", "b,\"\n.glb", "?.glb"]
    assert lines[1]["error"] == "why, \"so\"" and lines[0]["seconds"] == "2.000" and lines[0]["vertices"] == "12345"


def test_numbers_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="JSON compliant"):
        b"".join(report_json([rigged("a.glb", penalty={"sheet": float("nan")})], ""))


def test_a_report_that_somebody_has_open_is_written_later(tmp_path: Path, monkeypatch):
    is_open = [True]

    def locked(path, pieces):
        if is_open[0] and path.suffix == ".csv":
            raise BadFile(f"'{path}' cannot be written: Permission denied.")
        write_whole(path, pieces)

    monkeypatch.setattr(report, "write_whole", locked)
    with Ledger(tmp_path, "s") as ledger:
        with Report(tmp_path, ledger) as told:
            job, tag = ledger.begin(Job(0, "a.glb", "a"))
            ledger.end(tag, rigged(job.path, written=[]), [], "4.5")
            told.add(job, rigged(job.path))
            told.keep_up("4.5")
            assert not (tmp_path / "report.csv").exists()
            is_open[0] = False
        assert (tmp_path / "report.csv").exists()
        is_open[0] = True
        with pytest.raises(BadFile, match=r"report.*csv"), Report(tmp_path, ledger):
            pass


def test_keeping_the_report_up_to_date_takes_a_small_share_of_the_time(tmp_path: Path, monkeypatch):
    now, writes = [1000.0], []

    def slow(path, pieces):
        writes.append(now[0])
        now[0] += 1.0 / 3

    monkeypatch.setattr(report.time, "monotonic", lambda: now[0])
    with Ledger(tmp_path, "s") as ledger:
        told = Report(tmp_path, ledger)
        monkeypatch.setattr(report, "write_whole", slow)
        for later, written in ((0, 3), (99, 3), (2, 6), (110, 6)):
            if later < 110:  # and at last nothing is new
                told.add(Job(0, "a.glb", "a"), rigged("a.glb"))
            now[0] += later
            told.keep_up("4.5")
            assert len(writes) == written, later


def test_the_report_is_made_of_records_and_misses_none(tmp_path: Path):
    with Ledger(tmp_path, "s") as ledger, Report(tmp_path, ledger) as report:
        for number, name in ((1, "b"), (0, "a")):
            job, tag = ledger.begin(Job(number, f"{name}.glb", name))
            ledger.end(tag, rigged(job.path, written=[]), [], "4.5")
            report.add(job, rigged(job.path))
        report.add(Job(2, "c.glb", "c"), failed("c.glb", "no mesh"))
        assert report.rigged == 2
        (tmp_path / ".geppetto" / "records" / "b.json").unlink()
        report.keep_up("4.5")
        first, second, _ = json.loads((tmp_path / "report.json").read_text())["files"]
        assert (first["file"], second["file"], second["kind"]) == ("a.glb", "b.glb", "Lost")
    assert {p.name for p in tmp_path.iterdir()} == {".geppetto", "report.json", "report.csv", "report.html"}


def test_more_stages_than_colours_begin_the_colours_anew():
    stages = {f"stage {number}": 1.0 for number in range(len(html.COLOURS) + 2)}
    page = b"".join(html.page([rigged("slow.glb", seconds=stages)], "Geppetto 1")).decode()
    assert [page.count(colour) > page.count(html.COLOURS[-1]) for colour in html.COLOURS[:3]] == [True, True, False]


@pytest.mark.parametrize(("live", "said"), [("", "4.2"), ("4.5", "4.5")])
def test_page_and_data_name_the_blender_of_this_run_or_else_of_the_records(tmp_path: Path, live, said):
    with Ledger(tmp_path, "s") as ledger, Report(tmp_path, ledger) as report:
        job, tag = ledger.begin(Job(0, "a.glb", "a"))
        ledger.end(tag, rigged(job.path, written=[]), [], "4.2")
        report.add(job, rigged(job.path))
        report.keep_up(live)
    assert f"Blender {said}" in (tmp_path / "report.html").read_text()
    assert json.loads((tmp_path / "report.json").read_text())["blender"] == said


def test_numbers_too_small_to_matter_are_not_listed():
    penalty = {"short_chain": 0.25, "lopsided": -0.5, "bent": 6e-4, "sheet": 4e-4}
    text = page_of([rigged("a.glb", penalty=penalty)]).text
    assert all(word in text for word in ("short chain", "lopsided", "bent")) and "sheet" not in text

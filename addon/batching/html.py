"""report.html: one page to look through, without a network: worst first, a picture, numbers and times of each file.

The page itself, its style and its script, is page.html; here its rows are filled in. Everything that comes from a file
is escaped.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from urllib.parse import quote

from .progress import counted

PAGE = Path(__file__).with_name("page.html")
ROWS = 2000  # more than a browser sorts at a click, and more than anybody looks through
COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#edc948", "#b07aa1", "#9c755f", "#ff9da7", "#86bcb6",
           "#d37295", "#a0cbe8", "#8cd17d", "#f1ce63", "#bab0ac")
POOR = {"poor": 1000, "fair": 150}
NUMBERS = ("faces", "method", "influences", "bare_vertices")


@dataclass
class _Counts:
    """What the head of the page says."""

    all: int = 0
    failed: int = 0
    warned: int = 0
    doubtful: int = 0
    seconds: float = 0.0
    colours: dict[str, str] = field(default_factory=dict)


def page(entries: Iterable[dict], made_by: str) -> Iterator[bytes]:
    """The pieces of the page.  entries : of the report, in its order;  made_by : the versions"""
    counts = _Counts()
    worst = heapq.nlargest(ROWS, _counted(entries, counts), key=lambda one: (concern(one[1]), -one[0]))
    rigged = counts.all - counts.failed
    title = f"{rigged} of {counted(counts.all, 'character')} rigged"
    summary = f"{made_by}. {counts.seconds:,.0f} s of work, {counts.seconds / max(counts.all, 1):.1f} s a character."
    if counts.all > len(worst):
        summary += f" Shown are the {len(worst)} that most need a look; all are in report.csv."
    filled = {"title": title, "summary": summary, "all": counts.all, "failed": counts.failed, "warned": counts.warned,
              "doubtful": counts.doubtful}
    text = PAGE.read_text(encoding="utf-8")
    for name, value in filled.items():
        text = text.replace(f"<!--{name}-->", escape(str(value)))
    head, tail = text.split("<!--rows-->")
    yield head.encode()
    for number, entry in worst:
        yield _row(number, entry, counts.colours).encode("utf-8", "replace")
    yield tail.encode()


def concern(entry: dict) -> float:
    """How much a file needs a look: failed, bare vertices, poor weights, warnings, doubt, unlike its preset."""
    if entry["status"] != "rigged":
        return 1e6 + (1e5 if "traceback" in entry or "log" in entry else 0)
    return (1e4 * bool(entry["bare_vertices"]) + POOR.get(entry.get("weight_check", {}).get("verdict"), 0)
            + 100 * len(entry["warnings"]) + 100 * _doubt(entry) + min(sum(entry.get("penalty", {}).values()), 99))


def _counted(entries: Iterable[dict], counts: _Counts) -> Iterator[tuple[int, dict]]:
    for number, entry in enumerate(entries):
        counts.all += 1
        counts.failed += entry["status"] != "rigged"
        counts.warned += bool(entry.get("warnings"))
        counts.doubtful += bool(entry.get("doubtful"))
        counts.seconds += sum(entry.get("seconds", {}).values())
        for stage in entry.get("seconds", {}):
            counts.colours.setdefault(stage, COLOURS[len(counts.colours) % len(COLOURS)])
        lean = {group: [{**one, "joints": {}} for one in entry.get(group, ())] for group in ("readings", "others")}
        yield number, {key: value for key, value in entry.items() if key != "joints"} | lean


def _doubt(entry: dict) -> float:
    """From 0, every joint is certainly right, to 1, one is certainly wrong."""
    least = entry.get("least_confidence")
    return 0.0 if least is None else 1.0 - least


def _row(number: int, entry: dict, colours: dict[str, str]) -> str:
    seconds = entry.get("seconds", {})
    total = sum(seconds.values())
    data = {"number": number, "concern": f"{concern(entry):.4f}", "file": entry["file"],
            "warnings": len(entry.get("warnings", ())), "doubt": f"{_doubt(entry):.4f}",
            "doubtful": len(entry.get("doubtful", ())), "seconds": f"{total:.3f}",
            **{key: entry.get(key, "") for key in ("vertices", "parts", "bones", "memory")}}
    attributes = "".join(f' data-{key}="{escape(str(value))}"' for key, value in data.items())
    segments = "".join(
        f'<i style="flex:{1000 * time / (total or 1):.2f};background:{colours[stage]}" '
        f'title="{escape(stage)}: {time:.2f} s"></i>'
        for stage, time in seconds.items())
    times = _list({stage: f"{time:.2f}" for stage, time in seconds.items()})
    spent = f'<div class="bar">{segments}</div><details><summary>stages</summary>{times}</details>' if seconds else ""
    cells = "".join(f'<td class="n{wide}">{_amount(entry.get(key))}</td>' for key, wide in (
        ("vertices", ""), ("parts", " wide"), ("bones", " wide"), ("memory", " wide")))
    return (f'<tr class="{escape(entry["status"])}"{attributes}><td class="picture">{_picture(entry)}</td>'
            f'<td class="file">{_about(entry)}</td>{cells}<td class="n">{total:.2f}{spent}</td></tr>\n')


def _about(entry: dict) -> str:
    """The file's cell: what it is, what became of it, what to know of it."""
    path = Path(entry["file"])
    made = " · ".join(f'<a href="{_link(name)}">{escape(Path(name).name)}</a>' for name in entry.get("written", ()))
    notes = [("error", entry["error"])] if "error" in entry else []
    notes += [("warning", text) for text in entry.get("warnings", ())]
    notes += [("quiet", text) for text in entry.get("notes", ())]
    least_first = sorted(entry.get("confidence", {}).items(), key=lambda one: one[1])
    confidence = {name: f"{sure:.0%}" for name, sure in least_first}
    if entry.get("doubtful"):
        said = ", ".join(f"{name} {confidence[name]}" for name in entry["doubtful"])
        notes.append(("doubt", f"doubtful joints: {said}"))
    name, status = escape(entry.get("name", path.name)), escape(entry["status"])
    parts = [f'<span class="name">{name}</span> <span class="state">{status}</span>',
             f'<div class="from">{escape(str(path.parent))}</div>',
             *([f'<div class="from">weights: {escape(entry["weight_check"]["verdict"])}</div>']
               if "verdict" in entry.get("weight_check", {}) else ()),
             *([f'<div class="from">{escape(entry["preset"] or "own skeleton")}</div>']
               if entry["status"] == "rigged" else ()),
             *(f'<p class="note {kind}">{escape(text)}</p>' for kind, text in notes),
             f'<div class="made">{made}</div>' if made else ""]
    for key in ("traceback", "log"):
        if entry.get(key):
            parts.append(f"<details><summary>{key}</summary><pre>{escape(entry[key])}</pre></details>")
    if confidence:
        said = f"confidence of each joint, the least {entry['least_confidence']:.0%}"
        parts.append(f"<details><summary>{said}</summary>{_list(confidence)}</details>")
    parts += map(_other, entry.get("others", ()))
    if readings := entry.get("readings", ())[1:]:
        parts.append(f"<details><summary>other readings</summary>{''.join(map(_reading, readings))}</details>")
    numbers = {key.replace("_", " "): entry[key] for key in NUMBERS if key in entry}
    numbers |= {f"{group.replace('_', ' ')}, {key.replace('_', ' ')}": f"{value:.3g}"
                for group in ("penalty", "binding", "weight_check") for key, value in entry.get(group, {}).items()
                if isinstance(value, int | float) and abs(value) >= 5e-4}
    if numbers:
        reason = f'<div class="from">{escape(entry["reason"])}</div>' if entry.get("reason") else ""
        parts.append(f"<details><summary>numbers</summary>{_list(numbers)}{reason}</details>")
    return "".join(parts)


def _reading(reading: dict) -> str:
    """What else the body may be taken for, and how sure its joints would be."""
    sure = sorted(reading["confidence"].values())
    said = [reading["says"], *([f"least confidence {sure[0]:.0%}"] if sure else ()), *reading["warnings"]]
    return f'<div class="from">{reading["number"]}: {escape("; ".join(filter(None, said)))}</div>'


def _other(other: dict) -> str:
    """A further character in the file: what it is, and what to know of it."""
    notes = [("warning", text) for text in other["warnings"]] + [("quiet", text) for text in other.get("notes", ())]
    notes += [("doubt", f"doubtful joints: {', '.join(other['doubtful'])}")] if other["doubtful"] else []
    said = f"{other['name']}: {other['preset'] or 'own skeleton'}, {counted(other['bones'], 'bone')}"
    return (f'<div class="from">{escape(said)}</div>'
            + "".join(f'<p class="note {kind}">{escape(text)}</p>' for kind, text in notes))


def _picture(entry: dict) -> str:
    """The file's first picture, and one of each further character in it."""
    names = [name for name in entry.get("written", ()) if name.endswith(".png")][:1]
    names += [other["picture"] for other in entry.get("others", ()) if "picture" in other]
    return "".join(f'<a href="{_link(name)}"><img loading="lazy" src="{_link(name)}" alt="{escape(name)}"></a>'
                   for name in names) or '<div class="none">no picture</div>'


def _link(name: str) -> str:
    return escape(quote(name.encode("utf-8", "surrogateescape")))


def _list(pairs: dict) -> str:
    return f"<dl>{''.join(f'<dt>{escape(str(k))}</dt><dd>{escape(str(v))}</dd>' for k, v in pairs.items())}</dl>"


def _amount(value) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}".replace(",", " ")

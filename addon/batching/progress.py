"""Tells how far a run is: a bar on a terminal, or a line for each file elsewhere."""

from __future__ import annotations

import io
import shutil
import sys
import time

BAR = 24
REDRAW = 0.1  # seconds


class Progress:
    """How many files of `total` are done, and what became of each."""

    def __init__(self, total: int, *, quiet: bool = False):
        self._total, self._quiet = total, quiet
        self._live = sys.stdout.isatty()
        self._since, self._drawn = time.monotonic(), 0.0
        self._done = self._failed = self._worked = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error) -> None:
        say(self._clear, end="")

    def done(self, path: str, entry: dict, *, worked: bool = True) -> None:
        """A line that stays, with what became of a file.  worked : not merely found done"""
        self._done += 1
        self._worked += worked
        self._failed += entry["status"] != "rigged"
        said = [summary(entry), *(f"warning: {warning}" for warning in entry.get("warnings", ()))]
        if not worked:
            said = ["done before"]
        if self._quiet and entry["status"] == "rigged":
            return
        if not self._live and self._done < self._total and (rate := self.rate()):
            said[0] += f"  ({rate})"
        for line in said:
            say(f"{self._clear}[{self._done}/{self._total}] {shown(path)}  {shown(line)}")

    def tick(self, stages: list[tuple[str, str]]) -> None:
        """Draw the bar, on a terminal.  stages : (file, stage) of what is being worked on"""
        if not self._live or time.monotonic() < self._drawn + REDRAW:
            return
        self._drawn = time.monotonic()
        filled = BAR * self._done // max(self._total, 1)
        text = f"[{'#' * filled}{'.' * (BAR - filled)}] {self._done}/{self._total}  {self.rate()}"
        if self._failed:
            text += f"  {self._failed} failed"
        text += "".join(f"  {shown(name)}: {stage}" for name, stage in stages)
        say(self._clear + text[:shutil.get_terminal_size().columns - 1], end="")

    def rate(self) -> str:
        """Files a minute and the time left, once there is something to judge by."""
        taken = time.monotonic() - self._since
        if self._worked == 0 or taken <= 0:
            return ""
        pace = self._worked / taken
        return f"{60 * pace:.3g}/min, {span((self._total - self._done) / pace)} left"

    @property
    def _clear(self) -> str:
        if not self._live:
            return ""
        if sys.platform == "win32":  # its consoles know no escapes unless told to
            return "\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r"
        return "\r\033[K"


def say(text: str, end: str = "\n") -> None:
    """Print a text. Once nobody listens any more, as behind `| head`, nothing is printed: the report tells it all."""
    try:
        print(text, end=end, flush=True)
    except OSError:
        sys.stdout = io.StringIO()


def summary(entry: dict) -> str:
    """What became of a file, in a line."""
    if entry["status"] != "rigged":
        return f"failed: {entry['error']}"
    kind = f" as {entry['preset']}" if entry["preset"] else ""
    bones = counted(entry["bones"], "bone")
    return (f"rigged{kind}: {bones}, {entry['vertices']} vertices, {entry['method']} weights, "
            f"{sum(entry['seconds'].values()):.1f} s")


def counted(count: int, what: str) -> str:
    """"1 bone", "2 bones"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def span(seconds: float) -> str:
    """A time as people say it."""
    for size, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} s"


def shown(text: str) -> str:
    """Text without what would disturb a terminal: line ends, escapes, what it cannot encode."""
    plain = "".join(c if c.isprintable() else "?" for c in text)
    encoding = sys.stdout.encoding or "utf-8"
    return plain.encode(encoding, "replace").decode(encoding)

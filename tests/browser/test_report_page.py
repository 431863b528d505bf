"""report.html in headless Chromium: its buttons are pressed and what they leave is read back."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import zlib
from html import unescape
from pathlib import Path

import pytest

from geppetto.addon.batching.html import page
from tests.batching.entries import doubted, failed, rigged

# Written into a copy of the page: presses what it is told to, then leaves what can be seen in the title.
HAND = """<script>
const press = %s;
for (const [what, text] of press) {
  const it = document.querySelector(what);
  if (text === null) it.click();
  else { it.value = text; it.dispatchEvent(new Event(it.tagName === "SELECT" ? "change" : "input")); }
}
const image = document.querySelector("img[src='a%%2010.png']");
const all = [...document.images].map(i => { i.loading = "eager"; return i.complete || new Promise(seen => {
  i.addEventListener("load", seen); i.addEventListener("error", seen); }); });
Promise.all(all).then(() => new Promise(told => setTimeout(told, 50))).then(() =>
  document.title = "seen " + JSON.stringify({
  files: [...document.querySelectorAll("tbody tr")].filter(r => !r.hidden).map(r => r.dataset.file),
  count: document.getElementById("count").textContent,
  sorted: [...document.querySelectorAll("th")].map(h => h.getAttribute("aria-sort")).join(),
  order: document.getElementById("sort").value,
  paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
  picture: [image.naturalWidth, image.getBoundingClientRect().width],
  missing: [...document.querySelectorAll(".none")].map(n => n.textContent),
  bar: document.querySelector("tr[data-file='a 10.glb'] .bar i").offsetWidth,
  fits: document.documentElement.scrollWidth <= innerWidth}));
</script></body>"""


def look(folder: Path, *press, width: int = 1400, flags=()) -> dict:
    """What the page shows after some presses: (selector,) to click, (selector, text) to type or choose."""
    entries = [rigged("b 2.glb", vertices=10, seconds={"Opening": 3.0}, warnings=["odd stance"]),
               doubted("a 10.glb", {"head": 0.9, "hand.L": 0.3}, vertices=300, seconds={"Opening": 0.1},
                       written=["a 10.png"]),
               failed("gone.glb", "there is no mesh")]
    text = b"".join(page(entries, "Geppetto")).decode()
    hand = HAND % json.dumps([[one[0], one[1] if len(one) > 1 else None] for one in press])
    (folder / "report.html").write_text(text.replace("</body>", hand), encoding="utf-8")
    (folder / "a 10.png").write_bytes(picture())
    done = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", *flags,
         f"--user-data-dir={folder / 'browser'}", f"--window-size={width},900", "--virtual-time-budget=3000",
         "--dump-dom", (folder / "report.html").as_uri()], capture_output=True, text=True, check=True, timeout=120)
    return json.loads(unescape(re.search(r"<title>seen (.*?)</title>", done.stdout, re.DOTALL)[1]))


def picture() -> bytes:
    """A grey .png of 4 x 2."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(b"\0\x80\x80\x80\x80" * 2)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 2, 8, 0, 0, 0, 0)) + chunk(b"IDAT", rows)
            + chunk(b"IEND", b""))


def test_the_page_opens_with_the_worst_first(tmp_path):
    seen = look(tmp_path)
    assert seen["files"] == ["gone.glb", "b 2.glb", "a 10.glb"] and seen["count"] == "3 shown"
    assert seen["order"] == "concern:-1" and seen["fits"]


@pytest.mark.parametrize(("press", "files"), [
    ([("[data-show=failed]",)], ["gone.glb"]),
    ([("[data-show=warned]",)], ["b 2.glb"]),
    ([("[data-show=doubtful]",)], ["a 10.glb"]),
    ([("#sort", "doubt:-1")], ["a 10.glb", "b 2.glb", "gone.glb"]),
    ([("[data-show=failed]",), ("[data-show=all]",)], ["gone.glb", "b 2.glb", "a 10.glb"]),
    ([("#find", "NO MESH")], ["gone.glb"]),
    ([("#sort", "number:1")], ["b 2.glb", "a 10.glb", "gone.glb"]),
    ([("[data-key=vertices]",)], ["a 10.glb", "b 2.glb", "gone.glb"]),
    ([("[data-key=vertices]",), ("[data-key=vertices]",)], ["gone.glb", "b 2.glb", "a 10.glb"]),
    ([("[data-key=file]",)], ["a 10.glb", "b 2.glb", "gone.glb"]),
], ids=["failed", "warned", "doubtful", "most doubtful", "all again", "find",
        "as given", "most vertices", "fewest", "by name"])
def test_sorting_and_finding(tmp_path, press, files):
    assert look(tmp_path, *press)["files"] == files


def test_light_and_dark(tmp_path):
    light, dark = look(tmp_path), look(tmp_path, ("#theme",))
    assert light["paper"] == "rgb(255, 255, 255)" and dark["paper"] == "rgb(20, 24, 30)" and dark["ink"] != light["ink"]


def test_a_picture_that_is_gone_is_said_to_be(tmp_path):
    seen = look(tmp_path)
    assert seen["missing"] == ["no picture", "picture not found"]  # the failed file's, and b 2.png


def test_the_bar_of_stages_is_full_however_short_they_were(tmp_path):
    assert look(tmp_path)["bar"] > 150


def test_pictures_are_found_beside_the_page_and_small_windows_do_not_overflow(tmp_path):
    seen = look(tmp_path, ("#find", "a 10"), width=700)
    assert seen["fits"], "something sticks out of a window of 700 pixels"
    assert seen["picture"][0] == 4 and seen["picture"][1] > 100

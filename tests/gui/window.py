"""A hand on Blender's window: started inside Blender by `test_window.py`, it plays one scenario of `scenarios.py`.

    blender --factory-startup --window-geometry 0 0 1400 900 --python tests/gui/window.py -- SCENARIO FOLDER

A scenario is a generator: it moves the real mouse and keyboard (xdotool), yields the seconds Blender may have to react,
and asserts what became of the scene. Pictures go to FOLDER; FOLDER/result.json tells how it ended.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import subprocess
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import bpy

from tests.conftest import load_as_package

START = 1.0  # seconds for the first window to be drawn
ANSWER = 0.25  # for Blender to answer to one event


class Window:
    """Blender's main window as a person has it: mouse, keyboard, eyes."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.drawn = 0  # times the viewport was drawn
        bpy.types.SpaceView3D.draw_handler_add(self._count, (), "WINDOW", "POST_PIXEL")

    def _count(self) -> None:
        self.drawn += 1

    def still(self, seconds: float = 1.0):
        """Wait until the viewport has drawn itself fine and nothing changes any more."""
        while True:
            before = self.drawn
            yield seconds
            if self.drawn == before:
                return

    @property
    def _window(self):
        return bpy.context.window_manager.windows[0]

    @property
    def area(self):
        """The 3D viewport."""
        return next(a for a in self._window.screen.areas if a.type == "VIEW_3D")

    def region(self, kind: str = "WINDOW"):
        """A region of the 3D viewport: WINDOW, UI (the sidebar), HEADER."""
        return next(r for r in self.area.regions if r.type == kind)

    def inside(self):
        """Context of the 3D viewport, for operators called by the scenario itself."""
        return bpy.context.temp_override(window=self._window, area=self.area, region=self.region())

    def on_screen(self, region, x: float, y: float) -> tuple[int, int]:
        """Screen pixels of a place in a region; Blender counts from below."""
        return round(region.x + x), round(self._window.height - 1 - (region.y + y))

    def do(self, *words) -> None:
        """One xdotool command."""
        subprocess.run(["xdotool", *map(str, words)], check=True)

    def click(self, at: tuple[int, int], button: int = 1):
        """Move there, wait for the highlight, press and release."""
        self.do("mousemove", *at)
        yield ANSWER
        self.do("mousedown", button)
        yield 0.1
        self.do("mouseup", button)
        yield ANSWER

    def drag(self, start: tuple[int, int], end: tuple[int, int], steps: int = 8, keys: tuple[str, ...] = ()):
        """Press at one place, move in steps, release at another."""
        self.do("mousemove", *start)
        yield ANSWER
        self.do("mousemove_relative", 1, 0)
        yield ANSWER
        self.do("mousedown", 1)
        yield 0.2
        for key in keys:
            self.do("keydown", key)
        for k in range(1, steps + 1):
            self.do("mousemove", *(round(a + (b - a) * k / steps) for a, b in zip(start, end, strict=True)))
            yield 0.1
        self.do("mouseup", 1)
        for key in keys:
            self.do("keyup", key)
        yield ANSWER

    def press(self, key: str):
        """One key, as xdotool names it: ctrl+z, Escape."""
        self.do("key", key)
        yield ANSWER

    def picture(self, name: str) -> None:
        """What is on the screen now, as FOLDER/name.png."""
        subprocess.run(["import", "-window", "root", str(self.folder / f"{name}.png")], check=True)

    def open_tab(self):
        """The sidebar with our tab."""
        self.area.spaces[0].show_region_ui = True
        yield ANSWER
        self.region("UI").active_panel_category = "Geppetto"
        self.region("UI").tag_redraw()
        yield ANSWER


def play(name: str, folder: Path) -> None:
    """Start a scenario; Blender's timer carries it on, and it ends with Blender."""
    bpy.context.preferences.view.show_splash = False
    bpy.context.preferences.inputs.use_mouse_emulate_3_button = False
    window = Window(folder)
    steps = getattr(importlib.import_module("tests.gui.scenarios"), name)(window)

    def end(result: dict) -> None:
        (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")
        bpy.ops.wm.quit_blender()

    def tick():
        try:
            return next(steps)
        except StopIteration as done:
            end({"passed": True, "measured": done.value or {}})
        except Exception:  # noqa: BLE001 - whatever it is, errors of ours too: Blender has to end and tell it
            window.picture("failed")
            end({"passed": False, "why": traceback.format_exc()})
        return None

    bpy.app.timers.register(tick, first_interval=START, persistent=True)


if __name__ == "__main__":
    faulthandler.enable()  # where our own code was when Blender crashed
    load_as_package().register()
    play(sys.argv[sys.argv.index("--") + 1], Path(sys.argv[sys.argv.index("--") + 2]))

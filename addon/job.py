"""Long work that a person can watch and stop: a generator of (stage, fraction), ticked by a modal operator's timer."""

from __future__ import annotations

import time
from collections.abc import Generator

import bpy
from bpy.app.translations import pgettext_rpt

from ..core.errors import RigError
from . import session
from .bridge.armature import write_warnings
from .characters.rigged import armature_of
from .editing.pins import owner_of
from .words.telling import tell

# While work runs a person may look around, but not edit what is being worked on.
NAVIGATION = {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "WHEELINMOUSE",
              "WHEELOUTMOUSE", "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION",
              "WINDOW_DEACTIVATE", "LEFT_SHIFT", "RIGHT_SHIFT", "LEFT_CTRL", "RIGHT_CTRL", "LEFT_ALT", "RIGHT_ALT"}
TICK = 0.01  # seconds between turns of work, for the window to draw
TURN = 0.1  # seconds of a turn of work at least
DRAWING = 8.0  # a turn is also so many times as long as the window took to draw: then drawing costs little
LONGEST = 1.0  # seconds of a turn that slow drawing may ask for: Esc is answered after each


class Job:
    """Work under way: where it is, and what has to be put back when it ends.

    Its first stage is named before it begins.  Raises StopIteration with the result if there is none, or RigError.
    """

    def __init__(self, context, steps: Generator[tuple[str, float], None, object]):
        self.steps = steps
        self.stage, self.fraction = next(steps)  # the button's own redraw shows it
        self._manager, self._workspace, self._place = context.window_manager, context.workspace, _place(context)
        self._paused = time.perf_counter()
        self._timer = self._manager.event_timer_add(TICK, window=context.window)
        self._workspace.status_text_set(draw_status)

    def is_at_home(self, context) -> bool:
        """Whether the window still shows the scene the work was begun in: it is read there, and written there."""
        return self._place == _place(context)

    def step(self) -> None:
        """Work on, stage by stage, until it is time to draw.  Raises StopIteration with the result, or RigError."""
        since = time.perf_counter()
        turn = max(TURN, min(DRAWING * (since - self._paused), LONGEST))
        while True:
            self.stage, self.fraction = next(self.steps)
            if time.perf_counter() - since >= turn:
                break
        self._paused = time.perf_counter()
        self._workspace.status_text_set(draw_status)  # also asks for a redraw

    def close(self) -> None:
        """Stop, and take the timer and the status bar's text away."""
        self.steps.close()
        self._manager.event_timer_remove(self._timer)
        self._workspace.status_text_set(None)


_running: Job | None = None


def running() -> Job | None:
    """The job under way, if there is one."""
    return _running


def stop() -> None:
    """End the job under way; the scene stays as it was."""
    global _running  # noqa: PLW0603 - Blender runs one modal job at a time and asks for it from several places
    if _running is not None:
        _running.close()
    _running = None


def draw_status(header, context) -> None:
    """The status bar while a job runs."""
    if _running is not None:
        header.layout.label(text="", icon="CANCEL")
        header.layout.label(text="Esc or right click: cancel")
        draw_progress(header.layout, 0.25)


def draw_progress(layout, width: float = 1.0) -> None:
    """A bar with the stage's name."""
    row = layout.row()
    row.ui_units_x = 40 * width
    row.progress(factor=_running.fraction, text=_running.stage)


class JobOperator(bpy.types.Operator):
    """An operator whose work is a generator: modal from a button, at one go from a script or the redo panel."""

    def steps(self, context) -> Generator[tuple[str, float], None, object]:
        """The work, for subclasses to say."""
        raise NotImplementedError

    def finish(self, context, result) -> None:
        """What to report when it is done, for subclasses to say."""
        raise NotImplementedError

    def report_rig(self, told: str, objects, warnings: tuple[str, ...], notes: tuple[str, ...] = ()) -> None:
        """Report what was made of a character's mesh objects; the panel goes on showing the warnings.

        The status bar shows the last report alone, so the only warning is that, or where they all are.
        """
        owner = owner_of(objects)
        armature = armature_of(owner)
        if armature is not None:
            write_warnings(armature, warnings)
            session.outdate_check(owner.session_uid)
        for said in (*notes, told):
            self.report({"INFO"}, tell(said))
        for warning in warnings:
            self.report({"WARNING"}, tell(warning))
        if len(warnings) > 1:
            self.report({"WARNING"}, tell(f"{len(warnings)} warnings: see panel 1 Check"))

    def invoke(self, context, event) -> set:
        """From a button: show progress, let it be cancelled."""
        global _running  # noqa: PLW0603
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if _running is not None:
            self.report({"WARNING"}, pgettext_rpt("Another job is still running"))
            return {"CANCELLED"}
        try:
            _running = Job(context, self.steps(context))
        except StopIteration as done:
            self.finish(context, done.value)
            return {"FINISHED"}
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event) -> set:
        """One turn of work per tick of the timer."""
        if _running is None:  # stopped from elsewhere
            return {"CANCELLED"}
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self.cancel(context)
            self.report({"INFO"}, pgettext_rpt("Cancelled: nothing was changed"))
            return {"CANCELLED"}
        if not _running.is_at_home(context):
            self.cancel(context)
            self.report({"WARNING"}, pgettext_rpt("Cancelled: the window shows another scene. Nothing was changed"))
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"} if _is_navigation(event) else {"RUNNING_MODAL"}
        going_on = False
        try:
            _running.step()
            going_on = True
        except StopIteration as done:
            self.finish(context, done.value)
            return {"FINISHED"}
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        finally:  # whatever happened, even a fault of ours: no timer and no status text stay behind
            if not going_on:
                stop()
            _redraw(context)
        return {"RUNNING_MODAL"}

    def cancel(self, context) -> None:
        """Blender calls this too, when a file is opened or the window closes under a running job."""
        stop()
        _redraw(context)

    def execute(self, context) -> set:
        """From a script or the redo panel: to the end."""
        try:
            steps = self.steps(context)
            while True:
                next(steps)
        except StopIteration as done:
            self.finish(context, done.value)
            return {"FINISHED"}
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}


def _place(context) -> tuple:
    return context.scene.as_pointer(), context.view_layer.name


def _is_navigation(event) -> bool:
    return event.type in NAVIGATION or event.type.startswith(("NUMPAD_", "NDOF_", "TIMER"))


def _redraw(context) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()

"""Next Doubt: from one doubtful joint to the next, the view flying there."""

import time

import bpy
import numpy as np
from mathutils import Vector

from .. import names
from ..editing import joints
from ..overlay import draw
from ..polls import are_joints_shown
from ..words.joint_words import joint_word
from ..words.telling import tell

CLOSE = 0.6  # of the character's size: how far the view stays from a joint, unless it is nearer already
FRAME = 0.016  # seconds


class NextDoubt(bpy.types.Operator):
    """Look at the next doubtful joint, the worst first"""

    bl_idname = names.NEXT_DOUBT
    bl_label = "Next Doubt"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a doubtful joint."""
        if not are_joints_shown(cls, context):
            return False
        if not joints.shown_in(context).doubtful():
            cls.poll_message_set("No joint is doubtful")
            return False
        return True

    def execute(self, context) -> set:
        """Name the joint, and have the view there."""
        self._choose(context)
        self._look(context, 1.0)
        return {"FINISHED"}

    def invoke(self, context, event) -> set:
        """Fly there."""
        self._choose(context)
        seconds = context.preferences.view.smooth_view / 1000
        if self._view is None or not seconds or bpy.app.background:
            self._look(context, 1.0)
            return {"FINISHED"}
        self._since, self._seconds = time.perf_counter(), seconds
        self._timer = context.window_manager.event_timer_add(FRAME, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event) -> set:
        """On the way; a click or a key arrives at once and goes on to whom it is meant for."""
        if event.type != "TIMER" and (event.type == "MOUSEMOVE" or event.value != "PRESS"):
            return {"PASS_THROUGH"}
        share = min((time.perf_counter() - self._since) / self._seconds, 1.0) if event.type == "TIMER" else 1.0
        self._look(context, share * share * (3 - 2 * share))
        if share < 1.0:
            return {"RUNNING_MODAL"}
        self.cancel(context)
        return {"FINISHED"} if event.type == "TIMER" else {"FINISHED", "PASS_THROUGH"}

    def cancel(self, context) -> None:
        """Take the timer away."""
        context.window_manager.event_timer_remove(self._timer)

    def _choose(self, context) -> None:
        what = joints.shown_in(context)
        doubts = what.doubtful()
        name = doubts[(doubts.index(draw.asked) + 1) % len(doubts) if draw.asked in doubts else 0]
        draw.asked, draw.hovered = name, ""
        places = what.places(context)[1]
        place, size = places[what.template.index(name)], float(np.ptp(places, axis=0).max())
        space = context.space_data
        self._view = space.region_3d if space is not None and space.type == "VIEW_3D" else None
        if self._view is not None:
            view = self._view
            self._from = view.view_location.copy(), view.view_distance
            self._to = Vector(place), min(view.view_distance, CLOSE * size)
            view.view_perspective = "PERSP" if view.view_perspective == "CAMERA" else view.view_perspective
        sure = 100 * what.latest.confidence[name]
        self.report({"INFO"}, tell(f"{joint_word(name, what.template.name)}: {sure:.0f} % sure"))

    def _look(self, context, share: float) -> None:
        if self._view is not None:
            self._view.view_location = self._from[0].lerp(self._to[0], share)
            self._view.view_distance = self._from[1] + share * (self._to[1] - self._from[1])
        joints.redraw()


CLASSES = (NextDoubt,)

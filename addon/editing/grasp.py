"""A joint in the hand: what has to be put back when it is let go, however that comes about."""

from __future__ import annotations

SLICE = 0.01  # seconds of a turn of fitting while a joint is dragged, then it may be drawn; a frame has 0.05


class Grasp:
    """A joint being dragged: a timer that lets the skeleton follow in turns, and the status bar's text.

    what : the joints shown, as `joints.ShownJoints`
    """

    def __init__(self, context, what, text: str):
        self.what, self.is_drawn = what, True
        self._manager, self._workspace = context.window_manager, context.workspace
        self._timer = self._manager.event_timer_add(SLICE, window=context.window)
        self._workspace.status_text_set(text)
        what.dragging = True

    def turn(self, context) -> bool:
        """Let the skeleton come nearer, once a frame.  Returns whether there is something new to draw."""
        if not self.is_drawn or not self.what.lags(context) or not self.what.advance(context):
            return False
        self.is_drawn = False
        return True

    def close(self) -> None:
        """Take the timer and the status bar's text away."""
        self.what.dragging = False
        self._manager.event_timer_remove(self._timer)
        self._workspace.status_text_set(None)


_grasp: Grasp | None = None


def take_hold(context, what, text: str) -> None:
    """Begin to drag.  text : for the status bar"""
    global _grasp  # noqa: PLW0603 - there is one mouse
    let_go()
    _grasp = Grasp(context, what, text)


def held() -> Grasp | None:
    """The joint being dragged."""
    return _grasp


def let_go() -> None:
    """End a drag, if there is one."""
    global _grasp
    grasp, _grasp = _grasp, None
    if grasp is not None:
        grasp.close()

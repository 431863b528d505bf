"""How long a child may take: for a file, and anew for each of its motions. workers.py watches that from outside."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from ...core.errors import RigError

GRACE = 60.0  # seconds after which a child whose parent did not see to it ends itself
MOVING = "Moving"  # how the stages begin that have a time of their own
_given = [0.0]  # seconds, as the parent said


class TooLong(RigError):
    """A motion that has taken all of its time."""


def start(seconds: float) -> None:
    """From now on the file may take so long; 0: for ever.

    The system ends this process if it hangs with nobody left to notice.
    """
    _given[0] = seconds
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds + GRACE if seconds else 0.0)


@contextmanager
def own_time() -> Iterator[None]:
    """Inside is as much time as for a file, and afterwards again.  Raises TooLong inside when it is over.

    Where the system cannot interrupt a process (Windows), whoever watches ends it.
    """
    seconds = _given[0]
    if not seconds or not hasattr(signal, "setitimer"):
        yield
        return

    def over(number, frame) -> None:
        raise TooLong(f"It took longer than {seconds:g} s. Allow more with --timeout, or shorten it with --trim.")

    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        start(seconds)

"""The time of a motion is its own, and the file's begins anew after it."""

from __future__ import annotations

import signal

import pytest

from geppetto.addon.batching import clock


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system cannot interrupt a process")
def test_what_takes_all_of_its_time_is_interrupted_and_the_files_time_begins_anew():
    try:
        clock.start(0.05)
        with pytest.raises(clock.TooLong, match=r"0\.05 s"), clock.own_time():
            while True:
                pass
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        assert clock.GRACE - 1 < signal.getitimer(signal.ITIMER_REAL)[0] <= 0.05 + clock.GRACE
    finally:
        clock.start(0)
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    with clock.own_time():  # for ever, where no limit is set
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0

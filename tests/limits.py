"""Where a decision turns: what a limit that was chosen or learned comes to."""

from __future__ import annotations

from collections.abc import Callable


def turning_point(holds: Callable[[float], bool], low: float, high: float, *, steps: int = 10) -> float:
    """Where between two values something begins or ends to hold, to a thousandth of the way; it differs at the two."""
    begins = holds(low)
    assert holds(high) != begins, f"it is {begins} from {low} to {high}"
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) == begins else (low, middle)
    return (low + high) / 2

"""Work in steps: generators that yield (stage, fraction done) on the way and return what they made."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

T = TypeVar("T")
Steps = Generator[tuple[str, float], None, T]


def run(steps: Steps[T], tell: Callable[[str, float], None] | None = None) -> T:
    """Drain a generator of (stage, fraction) and return its result.  tell : called with each of them"""
    while True:
        try:
            told = next(steps)
        except StopIteration as done:
            return done.value
        if tell is not None:
            tell(*told)


def share(steps: Steps[T], low: float, high: float) -> Steps[T]:
    """The same steps, their fractions running from low to high: a part of some larger work."""
    while True:
        try:
            stage, fraction = next(steps)
        except StopIteration as done:
            return done.value
        yield stage, low + (high - low) * fraction

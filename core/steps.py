"""Work in steps: generators that yield (stage, fraction done) on the way and return what they made."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from .errors import RigError

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


def each(works: Sequence[Steps[T]], last: str) -> Steps[tuple[list[T], dict[int, RigError]]]:
    """Several works as one: the last stage of any, which is called `last`, begins when all have come as far.

    Returns what they made, and {number of a work: why it made nothing}.  Raises RigError if none made anything.
    """
    done: dict[int, T] = {}
    errors: dict[int, RigError] = {}
    ready = []
    for number, steps in enumerate(works):
        try:
            for stage, fraction in steps:
                yield stage, (number + fraction) / len(works)
                if stage == last:
                    ready.append(number)
                    break
        except RigError as error:
            errors[number] = error
    for number in ready:
        try:
            done[number] = run(works[number])
        except RigError as error:
            errors[number] = error
    if not done:
        raise next(iter(errors.values()))
    return list(done.values()), errors

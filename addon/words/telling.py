"""Errors, warnings and findings in the language of Blender's interface."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from bpy.app.translations import pgettext_iface, pgettext_rpt

from ...core.fitting.creature import creature_names
from ...core.fitting.from_shape import NAME
from ...core.skeleton.preset import preset_names
from .. import names
from ..choices import preset_label
from .messages import GERMAN

# Messages whose quotes hold the names of skeletons.
OF_SKELETONS = re.compile("the preset '|the skeleton '|under Skeleton|Automatic takes the likelier")
TELLING = 8  # letters that a message must have of its own to be preferred to one that is hardly more than a sign


def tell(text: object) -> str:
    """What Geppetto has to say, or the message of an error, in the language of Blender's interface."""
    return translate(str(text), lambda message: pgettext_rpt(message, names.CONTEXT), GERMAN, _in_the_menu)


def _in_the_menu(skeleton: str) -> str:
    """What the menu calls a skeleton; one of the artist's own by its name."""
    return word(preset_label(skeleton)) if skeleton in {*preset_names(), *creature_names(), NAME} else skeleton


def word(text: str) -> str:
    """A word of the interface that Blender's own translations may have for something else."""
    return pgettext_iface(text, names.CONTEXT)


def translate(text: str, meaning: Callable[[str], str], known: Iterable[str], label: Callable[[str], str] = str) -> str:
    """A finished text in another language; as it is, where no message matches.

    known : messages, with {} where something was filled in;  meaning : the translation of one of them.  What was filled
    in is translated too, except names, which stand in quotes. Several sentences may be several messages.
    label : what a skeleton of a name is called
    """
    patterns = _patterns(tuple(known))

    def said(text: str, least: int = 0) -> str | None:
        for pieces, pattern in patterns:
            found = pattern.fullmatch(text) if sum(map(len, pieces)) >= least else None
            if found is not None:
                message = "{}".join(pieces)
                named = label if OF_SKELETONS.search(message) else str
                filled = [(named if before.endswith(("'", '"')) else whole)(part)
                          for part, before in zip(found.groups(), pieces, strict=False)]
                return _filled(meaning(message), filled)
        return None

    def whole(text: str) -> str:
        found = said(text, TELLING)
        if found is None and text.endswith(".") and text[:1].isupper():  # a warning that was made a sentence
            found = said(text[0].lower() + text[1:-1], TELLING)
            found = None if found is None else f"{found[:1].upper()}{found[1:]}."
        found = said(text) if found is None else found
        if found is None and ". " in text:
            first, rest = text.split(". ", 1)
            found = f"{whole(first + '.')} {whole(rest)}"
        return text if found is None else found

    return whole(text)


@lru_cache(maxsize=2)
def _patterns(messages: tuple[str, ...]) -> tuple[tuple[list[str], re.Pattern], ...]:
    """((what stands between the holes, what a finished text looks like), ...), the most telling message first."""
    table = [message.split("{}") for message in messages]
    table.sort(key=lambda pieces: -sum(map(len, pieces)))
    return tuple((pieces, re.compile("(.+?)".join(map(re.escape, pieces)), re.DOTALL)) for pieces in table)


def _filled(text: str, parts: list[str]) -> str:
    pieces = text.split("{}")
    return pieces[0] + "".join(part + piece for part, piece in zip(parts, pieces[1:], strict=True))

"""People whose hands have any number of fingers, rigged with them."""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace

from core.detail.grow import DetailOptions, Grower
from core.pipeline import prepare
from core.skeleton.preset import load_template
from tests.characters import person


@lru_cache(None)
def rigged(digits: int, **options) -> SimpleNamespace:
    """.character, .shape, .grower and .rig of a person with so many fingers on each hand."""
    character = person(digits=digits, vertices=2000, **options)
    shape = prepare(character.mesh)
    grower = Grower(shape, load_template("biped"), detail=DetailOptions("hands"))
    return SimpleNamespace(character=character, shape=shape, grower=grower, rig=grower.rig())

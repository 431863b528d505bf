"""Scenes for the tests that need Blender; where there is no bpy they are not collected."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from tests.characters import person as grow_person

if importlib.util.find_spec("bpy") is None:
    collect_ignore_glob = ["*.py"]


@pytest.fixture(autouse=True)
def strict_arithmetic():
    """Importers, exporters and Blender's own scripts are not ours to judge: arithmetic is not strict here."""
    with np.errstate(divide="warn", over="warn", invalid="warn"):
        yield


@pytest.fixture
def context():
    """Blender's context with an empty scene, whatever the test before left."""
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return bpy.context


@pytest.fixture(scope="session")
def person():
    """A generated person in one object."""
    return grow_person(vertices=2000)


@pytest.fixture(scope="session")
def dressed():
    """A generated person with hair and skirt as objects of their own."""
    return grow_person(vertices=2500, layers=True, hair="long", skirt="knee")


@pytest.fixture(scope="session")
def person_blend(person, tmp_path_factory) -> Path:
    """A small character as a file."""
    from .batches import fresh, save
    from .scenes import add_character

    fresh()
    add_character(person)
    return save(tmp_path_factory.mktemp("person") / "person.blend")

"""Scenes for the tests that need Blender; where there is no bpy they are not collected."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from tests.characters import person as grow_person

from .once import rigged_once  # noqa: F401 - a fixture

if importlib.util.find_spec("bpy") is None:
    collect_ignore_glob = ["*.py"]

_home = None
if "PYTEST_XDIST_WORKER" in os.environ:  # of several Blenders at once each has its own preferences and files
    _home = tempfile.TemporaryDirectory(prefix="geppetto-blender-")
    os.environ["BLENDER_USER_RESOURCES"] = _home.name

_ended: list[int] = []


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Keep what to tell whoever started the tests."""
    _ended.append(int(session.exitstatus))


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """End without the destructors of the wheel's libraries, one of which may wait for a thread for ever."""
    bpy = sys.modules.get("bpy")
    if bpy is not None and not bpy.app.binary_path and _ended:
        sys.stdout.flush()
        sys.stderr.flush()
        if _home is not None:
            _home.cleanup()
        os._exit(_ended[-1])


@pytest.fixture(autouse=True)
def strict_arithmetic():
    """Importers, exporters and Blender's own scripts are not ours to judge: arithmetic is not strict here."""
    with np.errstate(divide="warn", over="warn", invalid="warn"):
        yield


@pytest.fixture(scope="session", autouse=True)
def renewed_context():
    """Importers that a test calls itself find a window of a scene that is there, as with the extension on."""
    import bpy

    from geppetto.addon.current import renew_context

    @bpy.app.handlers.persistent
    def renew(*_):
        renew_context()

    bpy.app.handlers.load_post.append(renew)
    yield
    bpy.app.handlers.load_post.remove(renew)


@pytest.fixture
def context():
    """Blender's context with an empty scene, whatever the test before left."""
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return bpy.context


@pytest.fixture
def extension(context):
    """The extension, enabled in an empty scene."""
    import geppetto

    geppetto.register()
    yield context
    geppetto.unregister()


@pytest.fixture(scope="session")
def person():
    """A generated person in one object."""
    return grow_person(vertices=2000)


@pytest.fixture
def rigged(extension, person):
    """A person's mesh with its rig, selected."""
    import bpy

    from .scenes import add_character
    from .test_situations import choose

    o, = add_character(person)
    choose(o)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    choose(o)
    return o


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

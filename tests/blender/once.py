"""The core's work on a body, done once for all tests that ask for it with `usefixtures("rigged_once")`.

For files about what happens around a rig: most of their time would go to rigging one and the same person over and over.
What the core gives back hangs on nothing but what it is given, so it is kept by that. Stages are told as before.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from dataclasses import replace
from weakref import WeakKeyDictionary

import pytest

from geppetto.core import pipeline
from geppetto.core.seeing import stance

KEPT = 8  # bodies
PREPARE, FIT, BIND, LOOK = (pipeline.prepare_steps, pipeline.fit_steps, pipeline.bind_steps, stance._look_at)

_ways: OrderedDict = OrderedDict()
_shapes: OrderedDict = OrderedDict()
_of_shape: WeakKeyDictionary = WeakKeyDictionary()


@pytest.fixture
def rigged_once(request):
    """What is looked at, prepared, fitted and bound again is taken from the first time.

    Not where a test puts something of its own into the program, which must be reached.
    """
    if "monkeypatch" in request.fixturenames:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        for module, name, work in ((pipeline, "prepare_steps", _prepare_steps), (pipeline, "fit_steps", _fit_steps),
                                   (pipeline, "bind_steps", _bind_steps), (stance, "_look_at", _look_at)):
            patch.setattr(module, name, work)
        yield


def _key(mesh, *more) -> bytes:
    return pickle.dumps((mesh.name, mesh.vertices, mesh.faces, mesh.part_of_vertex, more))


def _replayed(known: dict, key: bytes, steps):
    if key not in known:
        told = []
        while True:
            try:
                told.append(next(steps))
            except StopIteration as done:
                known[key] = told, done.value
                return done.value
            yield told[-1]
    yield from known[key][0]
    return known[key][1]


def _look_at(mesh, *more):
    key = _key(mesh, more)
    if key not in _ways:
        _ways[key] = LOOK(mesh, *more)
    _forget(_ways, key)
    return _ways[key]


def _prepare_steps(mesh, **more):
    key = _key(mesh, sorted(more.items()))
    shape = yield from _replayed(_shapes, key, PREPARE(mesh, **more))
    _forget(_shapes, key)
    return shape


def _fit_steps(mesh, template, hints=(), *, shape=None, **more):
    steps = FIT(mesh, template, hints, shape=shape, **more)
    if shape is None:
        return (yield from steps)
    key = b"fit" + _key(mesh, template, dict(hints), sorted(more.items()))
    return (yield from _replayed(_of_shape.setdefault(shape, {}), key, steps))


def _bind_steps(mesh, rig, method="auto", *, shape=None, **more):
    steps = BIND(mesh, rig, method, shape=shape, **more)
    if shape is None:
        return (yield from steps)
    key = b"bind" + _key(mesh, rig, method, sorted(more.items()))
    weights = yield from _replayed(_of_shape.setdefault(shape, {}), key, steps)
    return replace(weights, matrix=weights.matrix.copy())


def _forget(known: OrderedDict, newest: bytes) -> None:
    known.move_to_end(newest)
    while len(known) > KEPT:
        known.popitem(last=False)

"""What tests take from the first time a body was rigged is what the core gives back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from geppetto.core import pipeline
from geppetto.core.geometry.mesh import Mesh
from geppetto.core.skeleton.preset import load_template
from geppetto.core.steps import run

from . import once


def test_it_is_what_the_core_gives_told_in_the_same_stages(person):
    mesh = Mesh(person.mesh.vertices, person.mesh.faces)
    template, stages = load_template("biped"), ([], [], [])

    def rigged(prepare, fit, bind, told):
        tell = lambda *stage: told.append(stage)  # noqa: E731
        shape = run(prepare(mesh), tell)
        rig = run(fit(mesh, template, shape=shape), tell)
        return shape, rig, run(bind(mesh, rig, shape=shape), tell)

    true = rigged(once.PREPARE, once.FIT, once.BIND, stages[0])
    first, again = (rigged(once._prepare_steps, once._fit_steps, once._bind_steps, told) for told in stages[1:])
    assert stages[0] == stages[1] == stages[2] and stages[0]
    assert again[:2] == first[:2] and again[2].matrix is not first[2].matrix
    for _, rig, weights in (first, again):
        np.testing.assert_array_equal(rig.heads, true[1].heads)
        assert (weights.matrix != true[2].matrix).nnz == 0


def test_another_body_or_another_wish_is_not_taken_for_the_first(person):
    mesh = Mesh(person.mesh.vertices, person.mesh.faces)
    shape, moved = (run(once._prepare_steps(Mesh(mesh.vertices + off, mesh.faces))) for off in (0.0, 1.0))
    template = load_template("biped")
    rig, smaller = (run(once._fit_steps(mesh, t, shape=shape))
                    for t in (template, replace(template, bones=template.bones[:-1])))
    assert moved is not shape and len(smaller.names) == len(rig.names) - 1


def test_what_a_test_puts_into_the_program_is_reached(monkeypatch, request):
    request.getfixturevalue("rigged_once")
    assert pipeline.fit_steps is once.FIT

"""prepare, fit, bind, retarget and the file readers under random input."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from core.errors import BadTemplate, RigError
from core.fitting.check import check_character
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape, prepare_steps
from core.motion.clip_file import motion_from_data
from core.motion.retarget import retarget
from core.pipeline import bind, fit, prepare, run
from core.skeleton.from_rig import template_from_rig
from core.skeleton.preset import load_template, template_from_data
from core.skeleton.rig import Rig
from core.skinning.bind import BindOptions
from core.skinning.weights import SkinWeights

from . import strategies as fuzz

methods = st.sampled_from(["auto", "heat", "geodesic"])
CASES = int(os.environ.get("FUZZ_CASES", "0"))  # 0: a few, always the same
HANG = 30  # seconds of processor time after which one case counts as hanging


def cases(few: int, share: float):
    """Run `few` fixed cases, or a share of as many as asked."""
    return settings(max_examples=max(few, int(share * CASES)), derandomize=not CASES, deadline=None, database=None,
                    suppress_health_check=list(HealthCheck), print_blob=True, phases=[Phase.generate])


@pytest.fixture(autouse=True)
def as_users_run():
    """Users' numpy warns where the other tests' raises; what counts here is what comes out."""
    before = signal.signal(signal.SIGPROF, _hangs)
    with np.errstate(all="ignore"):
        yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def watch() -> None:
    """(Re)start the clock of one case."""
    signal.setitimer(signal.ITIMER_PROF, HANG)


def _hangs(number, frame) -> None:
    raise AssertionError(f"took more than {HANG} s")


def shape_or_none(mesh: Mesh, resolution: int) -> Shape | None:
    """`prepare`, or None if it refuses with words.  resolution : 128 as people prepare, fewer voxels as it stands"""
    try:
        return prepare(mesh) if resolution == 128 else run(prepare_steps(mesh, resolution=resolution))
    except RigError as error:
        refused(error)
        return None


def refused(error: RigError) -> None:
    """A refusal is a sentence."""
    event(type(error).__name__)
    assert len(str(error)) > 20 and str(error).rstrip().endswith((".", ")", "?"))


def assert_sound_rig(rig: Rig, mesh: Mesh) -> None:
    """Finite, of some length, and near the body."""
    assert np.isfinite(rig.heads).all() and np.isfinite(rig.tails).all() and np.isfinite(rig.x_axes).all()
    joints = np.array(list(rig.joints.values()))
    assert np.isfinite(joints).all()
    assert all(np.isfinite(v) for v in rig.penalty.values())


def assert_binds(mesh: Mesh, rig: Rig, method: str, options: BindOptions, shape: Shape | None = None) -> None:
    """Weights come out, or words."""
    try:
        weights = bind(mesh, rig, method, options=options, shape=shape)
    except RigError as error:
        refused(error)
    else:
        assert_sound_weights(weights, mesh, rig, options.influences)


def assert_sound_weights(weights: SkinWeights, mesh: Mesh, rig: Rig, influences: int) -> None:
    """Every vertex whole, no more bones than asked, none that do not deform."""
    matrix = weights.matrix.tocsr()
    assert matrix.shape == (len(mesh.vertices), len(rig.names))
    assert np.isfinite(matrix.data).all() and (matrix.data >= 0).all() and (matrix.data <= 1 + 1e-9).all()
    np.testing.assert_allclose(matrix.sum(1), 1, atol=1e-6)
    assert np.diff(matrix.indptr).max(initial=0) <= influences
    assert not matrix[:, ~rig.deform].data.any()


@given(st.data())
@cases(10, 0.25)
def test_any_mesh_any_template_any_pins(data):
    """Fit, then bind to what was fitted."""
    watch()
    mesh, template = data.draw(fuzz.meshes()), data.draw(fuzz.templates())
    before = mesh.vertices.copy(), mesh.faces.copy()
    options = data.draw(fuzz.bind_options())
    shape = shape_or_none(mesh, data.draw(fuzz.fineness()))
    if shape is not None:
        try:
            rig = fit(mesh, template, data.draw(fuzz.hints(template, mesh)), options=data.draw(fuzz.fit_options()),
                      shape=shape)
        except RigError as error:
            refused(error)
        else:
            assert_sound_rig(rig, mesh)
            event("rigged")
            assert_binds(mesh, rig, data.draw(methods), options, shape)
    np.testing.assert_array_equal(mesh.vertices, before[0])
    np.testing.assert_array_equal(mesh.faces, before[1])


@given(st.data())
@cases(8, 0.15)
def test_any_mesh_any_skeleton(data):
    """Binding to bones that nobody fitted."""
    watch()
    mesh = data.draw(fuzz.meshes())
    rig, options = data.draw(fuzz.rigs(around=mesh)), data.draw(fuzz.bind_options())
    shape = shape_or_none(mesh, data.draw(fuzz.fineness()))
    if shape is not None:
        assert_binds(mesh, rig, data.draw(methods), options, shape)


@given(fuzz.meshes())
@cases(6, 0.1)
def test_any_mesh_is_looked_at(mesh):
    """The quick check never fails but with words."""
    watch()
    try:
        found = check_character(mesh)
    except RigError as error:
        refused(error)
    else:
        assert found.reason and all(isinstance(w, str) and w for w in found.warnings)


@given(st.data())
@cases(15, 0.1)
def test_any_skeleton_becomes_a_template(data):
    """What becomes one can be fitted."""
    watch()
    rig = data.draw(fuzz.rigs())
    try:
        template = template_from_rig(rig, "fuzz")
    except RigError as error:
        refused(error)
    else:
        assert len(template.names) >= 2 and template.bones


@given(st.data())
@cases(5, 0.1)
def test_any_turns_on_a_known_skeleton(data):
    """A person's motion with turns no body does, on to a bird and back."""
    watch()
    source = motionless(data.draw(st.sampled_from(["biped", "quadruped"])))
    target = motionless(data.draw(st.sampled_from(["biped", "quadruped", "bird", "centaur"])))
    try:
        moved = retarget(data.draw(fuzz.clips(source)), target)
    except RigError as error:
        refused(error)
    else:
        assert np.isfinite(moved.rotations).all() and np.isfinite(moved.root).all()


def motionless(preset: str) -> Rig:
    """A preset's bones where the template has them."""
    from core.skeleton.template import rig_from_joints
    template = load_template(preset)
    return rig_from_joints(template, template.positions)


LETTERS = "aZ_.9 -\n\0é中\U0001f600"
json_values = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(LETTERS, max_size=8),
                           lambda inner: st.lists(inner, max_size=4)
                           | st.dictionaries(st.sampled_from(["name", "joints", "bones", "position", "parent", "head",
                                                              "tail", "rotations", "root", "rate", "foot"])
                                             | st.text(LETTERS, max_size=5), inner, max_size=6), max_leaves=20)


@given(st.data())
@cases(25, 0.15)
def test_any_json_is_a_template_or_refused(data):
    """Contents of a template's file that a person or a program got wrong somewhere."""
    watch()
    contents = {"format": "geppetto-skeleton", "version": 1, "name": "x"} | data.draw(
        st.fixed_dictionaries({"joints": st.lists(json_values, max_size=4) | json_values, "bones": json_values}))
    try:
        template_from_data(contents, source="fuzz.json")
    except BadTemplate as error:
        refused(error)


@given(st.data())
@cases(25, 0.15)
def test_any_json_is_a_motion_or_refused(data):
    """Contents of a motion's file that a person or a program got wrong somewhere."""
    watch()
    contents = {"format": "geppetto-motion", "version": 1, "name": "x"} | data.draw(
        st.fixed_dictionaries(dict.fromkeys(("bones", "root", "rotations", "rate"), json_values)))
    try:
        motion_from_data(contents, source="fuzz.json")
    except RigError as error:
        refused(error)

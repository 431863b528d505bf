"""The whole fit: bodies of all kinds, moved, scaled, renumbered, mirrored, pinned, broken."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import BadHint, RigError
from core.fitting.fit import FitOptions, Fitter
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape
from core.skeleton.preset import load_template, other_side
from core.skeleton.rig import Rig
from tests.characters import DAMAGES, SPECIES, Character, bird, blob, centaur, damage, person, quadruped, robot
from tests.core.fitting.bodies import prepared
from tests.shapes import torus

COARSE = 64  # voxels along the longest side, for what holds at any resolution
TIPS = ("head_top", "tail_tip", "hand_tip", "toe_tip", "front_toe", "hind_toe")


def fit_shape(shape: Shape, preset: str, hints=None, options: FitOptions = FitOptions()) -> Rig:
    return Fitter(shape, load_template(preset), options).rig(hints or {})


def joints_of(rig: Rig) -> np.ndarray:
    return np.array(list(rig.joints.values()))


@cache
def standing(asymmetry: float = 0.0) -> Mesh:
    return person(vertices=1500, asymmetry=asymmetry).mesh


@cache
def prepared_person() -> Shape:
    return prepared(standing(), COARSE)


@cache
def fitted_person(preset: str) -> Rig:
    return fit_shape(prepared_person(), preset)


BODIES = {
    "person": (person, "biped"), "the paper's person": (person, "biped_paper"),
    "T-pose": (lambda: person(arm_angle=0.0), "biped"), "arms down": (lambda: person(arm_angle=75.0), "biped"),
    "child": (lambda: person(head=1.7, leg=0.75), "biped"), "uneven": (lambda: person(asymmetry=8.0), "biped"),
    "clothed": (lambda: person(hair="long", skirt="knee", layers=True), "biped"),
    "tailed": (lambda: person(tail=0.3), "biped_paper"), "blob": (blob, "biped"), "robot": (robot, "biped"),
    "bird": (bird, "biped"), "centaur": (centaur, "centaur"),
    **{s: (lambda s=s: quadruped(species=s), "horse" if s == "horse" else "quadruped") for s in SPECIES}}

FINE = ("person", "the paper's person", "clothed", "dog", "horse")


@cache
def fitted_body(name: str) -> tuple[Character, Shape, Rig]:
    """One of BODIES, prepared and fitted."""
    make, preset = BODIES[name]
    made = make()
    shape = prepared(made.mesh, 128 if name in FINE else COARSE)
    return made, shape, fit_shape(shape, preset)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", BODIES)
def test_every_body_gets_joints_inside_it(name):
    _, shape, rig = fitted_body(name)
    template = load_template(BODIES[name][1])
    assert set(rig.joints) == set(template.names)
    assert rig.names == tuple(b.name for b in template.bones)
    assert np.isfinite(joints_of(rig)).all() and np.isfinite(rig.x_axes).all()
    assert (np.linalg.norm(rig.tails - rig.heads, axis=1) > 0).all()
    inner = np.array([p for n, p in rig.joints.items() if n.split(".")[0] not in TIPS])
    depth = -shape.field.sample(shape.frame.to_unit(inner))
    assert (depth > -0.02).mean() > 0.9 and (depth > 0).mean() > 0.75
    np.testing.assert_allclose(np.einsum("bd,bd->b", rig.x_axes, rig.tails - rig.heads), 0, atol=1e-9)
    assert all(v >= 0 for v in rig.penalty.values())


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("species", ["dog", "cat", "horse"])
def test_hocks_lie_where_the_leg_bends_and_tails_in_the_tail(species):
    """Against the joints the flesh was grown on; hind legs below the knee and tails run through flesh all the way."""
    made, shape, rig = fitted_body(species)
    size = np.ptp(made.mesh.vertices, axis=0).max()
    for name, near in (("hind_heel.L", 0.035), ("tail_tip", 0.03)):
        assert np.linalg.norm(np.subtract(rig.joints[name], made.joints[name])) < near * size, name
    within = ["tail", "tail_2", "tail_3", "tail_4", "hind_lower.L", "hind_heel.L"]
    bones = [rig.names.index(n) for n in within]
    points = rig.heads[bones] + np.linspace(0.0, 0.95, 12)[:, None, None] * (rig.tails[bones] - rig.heads[bones])
    depth = -shape.field.sample(shape.frame.to_unit(points.reshape(-1, 3))).reshape(points.shape[:2])
    assert depth.min() > -0.01, dict(zip(within, depth.min(0), strict=True))


@pytest.mark.slow
def test_a_centaur_has_a_persons_joints_above_and_an_animals_below():
    made, _, rig = fitted_body("centaur")
    size = np.ptp(made.mesh.vertices, axis=0).max()
    away = {n: np.linalg.norm(np.subtract(rig.joints[n], p)) / size for n, p in made.joints.items() if n in rig.joints}
    for name, near in (("hand", 0.04), ("forearm", 0.04), ("upper_arm", 0.04), ("head", 0.04), ("neck", 0.04),
                       ("withers", 0.06), ("hind_heel", 0.04), ("tail_tip", 0.03), ("hind_foot", 0.06)):
        assert max(e for n, e in away.items() if n.split(".")[0] == name) < near, name
    assert np.mean(list(away.values())) < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("seed", [101, 104])
def test_a_birds_head_lies_in_its_skull_and_its_pelvis_between_legs_and_tail(seed):
    made = bird(np.random.default_rng(seed), vertices=1500)
    rig = fit_shape(prepared(made.mesh, 96), "bird")
    size = np.ptp(made.mesh.vertices, axis=0).max()
    for name, near in (("head", 0.03), ("hips", 0.05), ("neck", 0.07), ("tail", 0.05), ("spine", 0.06)):
        assert np.linalg.norm(np.subtract(rig.joints[name], made.joints[name])) < near * size, name


@pytest.mark.sweep(1)
@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_hardly_moves_a_joint(kind):
    """Joints of the damaged body against those of the whole one, in sizes."""
    broken = damage(standing(), np.random.default_rng(5), kind)
    shape = prepared(broken, COARSE)
    moved = shape.frame.to_unit(joints_of(fit_shape(shape, "biped")))
    whole = prepared_person().frame.to_unit(joints_of(fitted_person("biped")))
    assert np.linalg.norm(moved - whole, axis=1).mean() < 0.02


def unlike(rig: Rig, other: Rig) -> float:
    """The largest distance between two rigs' joints, in sizes of the first."""
    return float(np.abs(joints_of(rig) - joints_of(other)).max() / np.ptp(joints_of(rig), axis=0).max())


class TestEquivariance:
    """What happens to the mesh happens to the rig."""

    def fits(self, vertices, faces) -> list[Rig]:
        shape = prepared(Mesh(vertices, faces), COARSE)
        return [fit_shape(shape, preset) for preset in ("biped", "biped_paper")]

    def pairs(self, vertices, faces, asymmetry: float = 0.0):
        """The rigs of both presets, and those of the changed mesh."""
        return zip(uneven_fits() if asymmetry else (fitted_person("biped"), fitted_person("biped_paper")),
                   self.fits(vertices, faces), strict=True)

    @pytest.mark.slow
    def test_moving(self):
        mesh, offset = standing(), np.array([11.3, -7.1, 0.3])
        size = np.ptp(mesh.vertices, axis=0).max()
        for one, two in self.pairs(mesh.vertices + offset, mesh.faces):
            np.testing.assert_allclose(joints_of(two) - offset, joints_of(one), atol=1e-3 * size)

    @pytest.mark.sweep(1)
    @pytest.mark.parametrize("factor", [0.01, 4.0, 137.0])
    def test_scaling(self, factor):
        mesh = standing()
        size = np.ptp(mesh.vertices, axis=0).max()
        for one, two in self.pairs(mesh.vertices * factor, mesh.faces):
            np.testing.assert_allclose(joints_of(two) / factor, joints_of(one), atol=1e-3 * size)
            if factor == 4.0:
                np.testing.assert_array_equal(joints_of(two) / factor, joints_of(one))

    @pytest.mark.sweep(1)
    @pytest.mark.parametrize("asymmetry", [0.0, 8.0])
    def test_renumbering(self, asymmetry):
        mesh, rng = standing(asymmetry), np.random.default_rng(0)
        order = rng.permutation(len(mesh.vertices))
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        faces = number[mesh.faces][rng.permutation(len(mesh.faces))]
        for one, two in self.pairs(mesh.vertices[order], faces, asymmetry):
            assert unlike(one, two) < 1e-3

    @pytest.mark.sweep(1)
    @pytest.mark.parametrize("asymmetry", [0.0, 8.0])
    def test_mirroring_swaps_left_and_right(self, asymmetry):
        mesh = standing(asymmetry)
        size = np.ptp(mesh.vertices, axis=0).max()
        for one, two in self.pairs(mesh.vertices * [-1, 1, 1], mesh.faces[:, ::-1], asymmetry):
            for name, position in one.joints.items():
                image = np.array(two.joints[other_side(name)]) * [-1, 1, 1]
                np.testing.assert_allclose(image, position, atol=1e-3 * size)


@cache
def uneven_fits() -> list[Rig]:
    mesh = standing(8.0)
    return TestEquivariance().fits(mesh.vertices, mesh.faces)


def test_a_mirrored_body_gets_a_mirrored_rig():
    for preset in ("biped", "biped_paper"):
        rig = fitted_person(preset)
        for name, position in rig.joints.items():
            np.testing.assert_allclose(rig.joints[other_side(name)], np.array(position) * [-1, 1, 1], atol=1e-12)


def test_the_same_input_gives_the_same_bits_and_is_not_modified():
    shape = prepared_person()
    before = shape.field.values.copy(), shape.mesh.vertices.copy()
    hints = {"head": np.array([0.0, 0.0, 1.5])}
    for preset in ("biped", "biped_paper"):
        one, two = fit_shape(shape, preset, hints), fit_shape(shape, preset, hints)
        for key in ("heads", "tails", "x_axes"):
            assert np.array_equal(getattr(one, key), getattr(two, key))
        assert one.penalty == two.penalty
    assert hints["head"].tolist() == [0.0, 0.0, 1.5]
    assert np.array_equal(before[0], shape.field.values) and np.array_equal(before[1], shape.mesh.vertices)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("preset", ["biped", "biped_paper"])
def test_a_pin_on_any_joint_is_exact(preset, rng):
    """Each joint in turn, a little off where it was found; the joints and the bones that meet there lie on the pin."""
    fitter = Fitter(prepared_person(), load_template(preset))
    for name, position in fitted_person(preset).joints.items():
        pin = np.array(position) + rng.normal(size=3) * 0.02
        rig = fitter.rig({name: pin})
        np.testing.assert_array_equal(rig.joints[name], pin)
        assert np.isfinite(joints_of(rig)).all()
        for i, bone in enumerate(load_template(preset).bones):
            if bone.head == name:
                np.testing.assert_array_equal(rig.heads[i], pin)


def test_pins_anywhere_and_on_everything_are_exact(rng):
    """Both hands pinned one-sidedly, a foot far outside, all joints at once."""
    shape = prepared_person()
    free = fitted_person("biped").joints
    both = {"hand_tip.L": np.array(free["hand_tip.L"]) + [0, 0, 0.2], "hand_tip.R": np.array(free["hand_tip.R"])}
    far = {"toe_tip.L": np.array([5.0, 5.0, -5.0])}
    everything = {n: np.array(p) + rng.normal(size=3) * 0.05 for n, p in free.items()}
    for pins in (both, far, everything):
        rig = fit_shape(shape, "biped", pins)
        for name, pin in pins.items():
            np.testing.assert_array_equal(rig.joints[name], pin)
        assert np.isfinite(joints_of(rig)).all()


@pytest.mark.parametrize("hints, words", [
    ({"wing": (0, 0, 0)}, "'wing'.*no such joint"), ({"head": (0, 0)}, "'head'.*three finite numbers"),
    ({"head": (0, 0, np.nan)}, "'head'"), ({"head": (0, 0, np.inf)}, "'head'"),
    ({"head": (0, 0, 1e6)}, "'head'.*5 times.*unit"), ({"head": (0, -1e300, 0)}, "'head'.*unit")])
def test_pins_that_cannot_be_are_refused(hints, words):
    with pytest.raises(BadHint, match=words):
        fit_shape(prepared_person(), "biped", hints)


@pytest.mark.slow
def test_a_body_unlike_the_template_is_rigged_with_a_warning():
    """A person in a ring: there is a skeleton, and the artist hears about it."""
    rig = fit_shape(prepared(torus().mesh, 48), "biped", options=FitOptions(spheres=60))
    assert rig.warnings and "another" in rig.warnings[0]
    assert np.isfinite(joints_of(rig)).all()


def test_progress_rises_and_ends_with_a_rig():
    steps = Fitter(prepared_person(), load_template("biped")).steps({})
    seen = []
    with pytest.raises(StopIteration) as done:
        while True:
            seen.append(next(steps))
    fractions = [f for _, f in seen]
    assert len(seen) >= 3 and fractions == sorted(fractions) and fractions[0] >= 0 and fractions[-1] <= 1
    assert isinstance(done.value.value, Rig)


@st.composite
def garbage(draw) -> Mesh:
    """Soups of a few vertices: any size, any place, repeated faces and corners, numbers that are none."""
    count = draw(st.integers(0, 9))
    digits = draw(st.sampled_from([0, 1, 6]))
    place = st.floats(-1, 1).map(lambda x: round(x, digits))
    vertices = np.array(draw(st.lists(st.tuples(place, place, place), min_size=count, max_size=count))).reshape(-1, 3)
    vertices = vertices * 10.0 ** draw(st.sampled_from([0, 0, 0, -20, -40, 20, 29, 31]))
    vertices += draw(st.sampled_from([0, 1e6]))
    if count and draw(st.integers(0, 4)) == 0:
        vertices[draw(st.integers(0, count - 1)), draw(st.integers(0, 2))] = draw(
            st.sampled_from([np.nan, np.inf, -np.inf, 1e308, 1e-320]))
    corner = st.integers(0, max(count - 1, 0))
    faces = draw(st.lists(st.tuples(corner, corner, corner), max_size=14)) if count else []
    faces = faces + faces[::2] + [f[::-1] for f in faces[::3]]
    return Mesh(vertices, np.array(faces, int).reshape(-1, 3), "garbage")


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(garbage(), st.sampled_from(["biped", "biped_paper", "quadruped"]))
def test_garbage_is_refused_in_the_artists_words_or_rigged(mesh, preset):
    try:
        rig = fit_shape(prepared(mesh, 24), preset, options=FitOptions(spheres=40))
    except RigError as refusal:
        assert len(str(refusal)) > 30
    else:
        assert np.isfinite(rig.heads).all() and np.isfinite(rig.tails).all() and np.isfinite(rig.x_axes).all()
        assert np.isfinite(joints_of(rig)).all()

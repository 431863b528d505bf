"""Learning: known numbers are found again, families stay apart, files come back as they were."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from core.errors import BadTemplate
from core.fitting import learning, learning_margin, learning_proportions
from core.fitting.embedding import embed
from core.fitting.learning_characters import LANDMARKS, by_author, by_set, prepare_character, read_characters
from core.fitting.learning_margin import NAMES, Problem, Samples, learn_weights, least_margin, maximise_margin, unit
from core.fitting.learning_proportions import (
    Measured,
    Observation,
    cross_validate,
    distance_along,
    fit_shares,
    hold_out,
    learn_proportions,
    measure,
    observe,
    place,
    weighted_median,
)
from core.fitting.penalties import PENALTY_WEIGHTS, PenaltyTable
from core.fitting.penalty_weights import DEFAULT_WEIGHTS, PAPER_WEIGHTS, PENALTIES, read_weights, write_weights
from core.fitting.proportions import ANATOMY, Proportions, load_proportions, read_proportions, write_proportions
from tests.characters import Character, person, quadruped
from tests.characters.folder import write_character


def measured(name: str, character: Character) -> Measured:
    """A generated character whose landmarks are known, measured."""
    landmarks = {n: character.joints[n] for n in LANDMARKS[character.kind].values()}
    return measure(prepare_character(name, character.kind, character.mesh, landmarks))


@cache
def people() -> tuple[Measured, ...]:
    """Three unlike persons."""
    varied = [{}, {"leg": 0.85, "head": 1.4, "arm_angle": 10.0}, {"limb": 1.3, "arm": 0.9, "arm_angle": 55.0}]
    return tuple(measured(f"set_{i}/person", person(vertices=1500, **options)) for i, options in enumerate(varied))


@cache
def animal() -> Measured:
    """A dog."""
    return measured("animals/dog", quadruped(vertices=1500))


def known_joints(person: Measured, proportions: Proportions) -> Measured:
    """The same person, its artist being one who places joints by these proportions."""
    truth = {n: p for n, p in place(person, proportions).items() if n in LANDMARKS["biped"].values()}
    return replace(person, character=replace(person.character, truth=truth))


# The formulas

@pytest.mark.parametrize("seed", range(10))
def test_the_weighted_median_has_the_least_sum_of_misses(seed):
    rng = np.random.default_rng(seed)
    lengths, values = rng.uniform(0.1, 1, 15), rng.uniform(-1, 1, 15)
    share = weighted_median(values, lengths)
    naive = min(np.abs(values - s * lengths).sum() for s in values / lengths)
    assert np.abs(values - share * lengths).sum() == pytest.approx(naive)


def test_lengths_of_nothing_teach_nothing():
    assert weighted_median(np.ones(3), np.zeros(3)) == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_shares_are_found_among_odd_artists(seed):
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(0.1, 0.6, (60, 2))
    values = lengths @ [0.7, -0.4] + rng.normal(0, 0.002, 60)
    values[:6] += 0.3
    seen = [Observation("knee", {"hip": a, "height": b}, v) for (a, b), v in zip(lengths, values, strict=True)]
    shares = fit_shares(["hip", "height"], seen)
    assert shares == pytest.approx({"hip": 0.7, "height": -0.4}, abs=0.03)


def test_a_length_that_explains_nothing_gets_next_to_nothing():
    rng = np.random.default_rng(0)
    lengths = rng.uniform(0.1, 0.6, (60, 2))
    seen = [Observation("knee", {"hip": a, "height": b}, 0.5 * a) for a, b in lengths]
    assert fit_shares(["hip", "height"], seen) == pytest.approx({"hip": 0.5, "height": 0.0}, abs=1e-6)


def test_distance_along_a_line_finds_its_points_again():
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 2]], float)
    distances = np.array([0, 1, 2, 4.0])
    for d in np.linspace(0, 4, 17):
        on_line = np.array([np.interp(d, distances, points[:, k]) for k in range(3)])
        assert distance_along(distances, points, on_line) == pytest.approx(d)
    assert distance_along(distances, points, np.array([1.0, 0.5, -3.0])) == pytest.approx(1.5)
    assert distance_along(distances, points, np.array([-5.0, 0.2, 0.0])) == 0.0


def test_joints_placed_by_the_proportions_ask_for_the_same_proportions():
    shipped = load_proportions("biped")
    for m in people():
        for o in observe(known_joints(m, shipped), shipped):
            value = sum(shipped.formulas[o.formula][n] * x for n, x in o.lengths.items())
            if not o.formula.startswith("shoulder"):  # of two, the smaller is the joint's
                assert o.value == pytest.approx(value, abs=0.004), o.formula


def test_proportions_are_recovered_from_characters_with_known_joints():
    shipped = load_proportions("biped")
    secret = replace(shipped, formulas=shipped.formulas | {
        "elbow": {"arm": 0.6}, "hip": {"rise": 0.18}, "knee": {"hip": 0.6, "height": 0.0}, "hips": {"height": 0.03},
        "neck": {"height": 0.08}, "wrist": {"arm": 0.33}})
    start = replace(shipped, formulas=shipped.formulas | {
        n: dict.fromkeys(secret.formulas[n], 0.5 * next(iter(shipped.formulas[n].values()))) for n in ("hips", "neck")}
        | {"wrist": {"arm": 0.26}})
    artists = [known_joints(m, secret) for m in people()]
    learned = learn_proportions(artists, start)
    for name in ("elbow", "wrist", "hip", "hips", "neck"):
        assert learned.formulas[name] == pytest.approx(secret.formulas[name], abs=0.02), name
    for m in artists:
        before, after = (max(m.character.errors(place(m, p)).values()) for p in (start, learned))
        assert after < 0.02 and after < 0.5 * before


def test_formulas_no_joint_speaks_about_stay():
    shipped = load_proportions("quadruped")
    assert learn_proportions([animal()], shipped).formulas["hips"] == shipped.formulas["hips"]


def test_learning_brings_an_animal_nearer_to_its_artist():
    start = load_proportions("quadruped")
    # Not to be told from a misplaced limb, or nothing would be learned.
    assert learning_proportions.mean_error(animal(), place(animal(), start)) < learning_proportions.MISPLACED
    learned = learn_proportions([animal()], start)
    assert learning_proportions.mean_error(animal(), place(animal(), learned)) < 0.8 * learning_proportions.mean_error(
        animal(), place(animal(), start))


def test_expected_shares_count_as_three_families():
    assert learning_proportions.shrink({"upper": 0.6, "rise": 0.1}, {"upper": 0.7}, 3) == pytest.approx(
        {"upper": 0.65, "rise": 0.1})
    assert learning_proportions.shrink({"upper": 0.6}, {"upper": 0.7}, 10**9)["upper"] == pytest.approx(0.6)


# Families

def test_a_family_is_a_set_and_an_author_all_sets_named_alike():
    assert by_set("men_small/Bob") == "men_small" and by_author("men_small/Bob") == by_author("men_fbx/Al") == "men"


@pytest.mark.parametrize("family", [by_set, by_author])
def test_no_family_is_ever_on_both_sides_and_each_is_held_out_once(family):
    rng = np.random.default_rng(1)
    names = [f"{rng.choice(['a', 'b', 'c'])}_{rng.choice(['x', 'y'])}/{i}" for i in range(30)]
    held_out = []
    for others, held in hold_out(names, family):
        assert not {family(names[i]) for i in others} & {family(names[i]) for i in held}
        assert len({family(names[i]) for i in held}) == 1
        assert sorted(others + held) == list(range(30))
        held_out += held
    assert sorted(held_out) == list(range(30))


def test_a_held_out_character_has_no_say_in_its_own_proportions():
    """Whoever rigged it, its joints are placed alike; only the others' artists decide."""
    shipped = load_proportions("biped")
    odd = replace(shipped, formulas=shipped.formulas | {"hips": {"height": 0.05}})
    honest = [known_joints(m, shipped) for m in people()]
    swapped = [known_joints(people()[0], odd), *honest[1:]]
    truth = honest[0].character.truth["hips"]
    before = cross_validate(honest, shipped, by_set)[0]
    after = cross_validate(swapped, shipped, by_set)[0]
    moved = swapped[0].character.truth["hips"] - truth
    assert before["hips"] < 0.01
    assert after["hips"] == pytest.approx(np.linalg.norm(moved) / people()[0].character.size, abs=0.01)
    # All three are of one author: held out together, nobody is left to learn from, and the start stays.
    alone = cross_validate(swapped, shipped, by_author)[0]
    assert alone["hips"] == pytest.approx(swapped[0].character.errors(place(swapped[0], shipped))["hips"])


# The maximum margin

def test_a_margin_is_the_cheapest_bad_less_the_cheapest_good():
    rng = np.random.default_rng(2)
    samples = Samples("a", list(rng.uniform(0, 1, (5, 4))), list(rng.uniform(0, 2, (6, 4))))
    weights = unit(rng.uniform(0, 1, 4))
    naive = min(sum(weights * b) for b in samples.bad) - min(sum(weights * g) for g in samples.good)
    assert samples.margin(weights) == pytest.approx(naive)
    assert Samples("b", [], samples.bad).margin(weights) == -np.inf
    assert Samples("c", samples.good, []).margin(weights) == np.inf


def test_the_largest_margin_points_at_the_only_bad_embedding():
    bad = np.array([3.0, 4.0, 12.0])
    samples = [Samples("a", [np.zeros(3)], [bad])]
    assert maximise_margin(samples, np.ones(3), span=100.0) == pytest.approx(bad / 13, abs=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_known_weights_are_recovered(seed):
    """Bad embeddings touching a plane around it make the known direction the one of the largest least margin."""
    rng = np.random.default_rng(seed)
    known, samples = unit(rng.uniform(0.3, 1, 4)), []
    for i in range(60):
        aside = rng.normal(size=4)
        aside -= (aside @ known) * known
        good = rng.uniform(0, 1, 4)
        samples.append(Samples(str(i), [good, good + 0.5], [good + 0.2 * known + 0.3 * aside / np.linalg.norm(aside)]))
    learned = maximise_margin(samples, np.ones(4), span=10.0)
    assert learned @ known > 0.995
    assert least_margin(samples, learned) > 0.95 * least_margin(samples, known)
    assert (maximise_margin(samples, np.ones(4), span=10.0) == learned).all()


@pytest.mark.parametrize("span", [1.0, 1.5, 4.0])
def test_no_weight_leaves_its_span(span):
    samples = [Samples("a", [np.array([0.0, 1.0])], [np.array([1.0, 0.0])])]
    centre = np.array([0.2, 0.6])
    first, second = maximise_margin(samples, centre, span=span)
    assert first / second == pytest.approx(span**2 / 3, rel=1e-3)


def test_the_cheapest_of_good_and_bad_is_what_the_search_finds():
    problem = Problem(people()[1].character)
    weights = np.array([PENALTY_WEIGHTS[n] for n in NAMES])
    assert problem.search(weights) and not problem.search(weights)
    found = problem.character.embed()
    cheapest = min(float(f @ weights) for f in problem.samples.good + problem.samples.bad)
    assert cheapest == pytest.approx(found.penalty)
    assert problem.samples.margin(unit(weights)) > 0


def test_features_are_the_unweighted_penalties():
    problem = Problem(people()[1].character)
    table = PenaltyTable(problem.graph, problem.reduced, problem.candidates, scale=problem.character.scale,
                         sheets=problem.character.skeletal.sheets)
    found = embed(table)
    placed = [int(np.flatnonzero(c == v)[0]) for c, v in zip(problem.candidates, found.vertices, strict=True)]
    features = table.features(placed)
    assert {n: PENALTY_WEIGHTS[n] * x for n, x in features.items()} == pytest.approx(found.terms)


def test_good_ends_are_nearest_to_their_own_landmark():
    problem = Problem(people()[0].character)
    truth = problem.character.truth
    for r, good in enumerate(problem.is_good):
        name = problem.reduced.template.names[problem.reduced.joints[r]]
        points = problem.graph.points[problem.candidates[r]]
        nearest = [min(truth, key=lambda n, p=p: np.linalg.norm(truth[n] - p)) for p in points]
        if name == "hand_tip.L":
            assert good.any() and all(n == "hand.L" for n, ok in zip(nearest, good, strict=True) if ok)
        if not problem.reduced.is_leaf[r]:
            assert good.all()


def test_learned_weights_are_as_long_as_the_default_and_no_worse():
    problems = [Problem(m.character) for m in people()]
    said: list[str] = []
    learned = learn_weights(problems, say=said.append)
    default = np.array([DEFAULT_WEIGHTS[n] for n in NAMES])
    vector = np.array([learned[n] for n in NAMES])
    samples = [p.samples for p in problems]
    assert np.linalg.norm(vector) == pytest.approx(np.linalg.norm(default))
    assert least_margin(samples, vector) >= least_margin(samples, default) - 1e-9
    assert said and said[0].startswith("round 1")


# Files

@pytest.mark.parametrize("kind", ["biped", "quadruped"])
def test_proportions_come_back_from_their_file(kind, tmp_path):
    shipped = load_proportions(kind)
    write_proportions(tmp_path / "p.json", shipped, source="a test")
    again = read_proportions(tmp_path / "p.json")
    assert again.kind == kind and again.formulas == shipped.formulas
    write_proportions(tmp_path / "q.json", again, source="a test")
    assert (tmp_path / "q.json").read_bytes() == (tmp_path / "p.json").read_bytes()
    assert json.loads((tmp_path / "p.json").read_text())["source"] == "a test"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "geppetto-proportions", "version": 2}',
                                  '{"format": "geppetto-proportions", "version": 1, "kind": "biped"}',
                                  '{"format": "geppetto-proportions", "version": 1, "kind": "b", "formulas": {"a": 3}}',
                                  '{"format": "geppetto-proportions", "version": 1, "kind": "b", "formulas": '
                                  '{"a": {"b": "c"}}}'])
def test_unsound_proportions_name_their_file(text, tmp_path):
    (tmp_path / "odd.json").write_text(text)
    with pytest.raises(BadTemplate, match=r"odd\.json"):
        read_proportions(tmp_path / "odd.json")
    with pytest.raises(BadTemplate, match=r"none\.json"):
        read_proportions(tmp_path / "none.json")


def test_weights_come_back_from_their_file_and_default_to_the_published(tmp_path):
    weights = {n: 0.01 * i for i, n in enumerate(DEFAULT_WEIGHTS)}
    write_weights(tmp_path / "w.json", weights, source="a test")
    assert read_weights(tmp_path / "w.json") == pytest.approx(weights)
    assert read_weights(tmp_path / "none.json") == DEFAULT_WEIGHTS
    assert read_weights() == PENALTY_WEIGHTS
    assert len(PAPER_WEIGHTS) == 9 and DEFAULT_WEIGHTS.items() >= PAPER_WEIGHTS.items()


@pytest.mark.parametrize("change", [{"format": "x"}, {"version": 2}, {"weights": {"sheet": 1}}, {"weights": None},
                                    {"weights": dict.fromkeys(DEFAULT_WEIGHTS, -1.0)},
                                    {"weights": dict.fromkeys(DEFAULT_WEIGHTS, "1")}])
def test_unsound_weights_name_their_file(change, tmp_path):
    write_weights(tmp_path / "odd.json", DEFAULT_WEIGHTS, source="a test")
    data = json.loads((tmp_path / "odd.json").read_text()) | change
    (tmp_path / "odd.json").write_text(json.dumps(data))
    with pytest.raises(BadTemplate, match=r"odd\.json"):
        read_weights(tmp_path / "odd.json")


# Folders and the program

def test_a_written_character_is_read_back(tmp_path):
    character = person(vertices=1500)
    write_character(tmp_path, character, set_name="people", name="anna")
    write_character(tmp_path, quadruped(vertices=1500), set_name="animals", name="dog")
    (found,) = read_characters(tmp_path, kinds=("biped",))
    assert found.name == "people/anna" and found.size == pytest.approx(1.0)
    again = found.shape.frame.to_object(np.array(list(found.truth.values())))
    assert again == pytest.approx(np.array([character.joints[n] for n in found.truth]), abs=1e-6)
    assert set(found.truth) == set(LANDMARKS["biped"].values())
    assert found.errors(found.truth) == dict.fromkeys(found.truth, 0.0)


def test_unreadable_characters_are_named(tmp_path):
    path = write_character(tmp_path, person(vertices=1500), set_name="people", name="anna")
    (path / "mesh.obj").write_text("# nothing\n")
    with pytest.raises(BadTemplate, match="anna"):
        read_characters(tmp_path)
    (path / "truth.json").write_text("{")
    with pytest.raises(BadTemplate, match="anna"):
        read_characters(tmp_path)


def test_the_program_prints_its_tables_and_writes_only_when_told(tmp_path, capsys, monkeypatch):
    for i, head in enumerate((1.0, 1.4)):
        write_character(tmp_path / "characters", person(vertices=1500, head=head), set_name=f"set{i}", name="anna")
    shipped = {p: p.read_bytes() for p in ANATOMY.iterdir()}
    monkeypatch.setattr(learning, "ANATOMY", tmp_path)
    monkeypatch.setattr(learning, "PENALTIES", tmp_path / "penalties.json")
    monkeypatch.setattr(learning_margin, "ROUNDS", 1)  # that more of them settle is told above
    assert learning.main([str(tmp_path / "characters")]) == 0
    printed = capsys.readouterr().out
    for word in ("upper_arm *", "set out", "author out", "set0/anna", "least margin", "elbow"):
        assert word in printed
    assert not list(tmp_path.glob("*.json"))
    monkeypatch.setattr(learning, "validate_weights", lambda problems, family: ([], True))  # as was seen
    assert learning.main([str(tmp_path / "characters"), "--write"]) == 0
    assert set(read_proportions(tmp_path / "biped.json").formulas) == set(load_proportions("biped").formulas)
    assert set(read_weights(tmp_path / "penalties.json")) == set(PENALTY_WEIGHTS)
    assert {p: p.read_bytes() for p in ANATOMY.iterdir()} == shipped and PENALTIES.parent == ANATOMY


def test_an_empty_folder_is_told(tmp_path, capsys):
    assert learning.main([str(tmp_path)]) == 2
    assert "No character" in capsys.readouterr().out

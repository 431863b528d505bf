"""Learning the penalties' weights: known ones are found again, families stay apart, files come back as they were."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.errors import BadTemplate
from core.fitting.embedding import embed
from core.fitting.joint_tree import ANATOMY
from core.fitting.penalties import PENALTY_WEIGHTS, PenaltyTable
from core.fitting.penalty_weights import DEFAULT_WEIGHTS, PENALTIES, read_weights
from tests.characters import person, quadruped
from tests.characters.folder import write_character
from tests.learning import margin, penalties
from tests.learning.characters import (
    LANDMARKS,
    Character,
    by_author,
    by_set,
    hold_out,
    prepare_character,
    read_characters,
)
from tests.learning.margin import NAMES, Problem, Samples, learn_weights, least_margin, maximise_margin, unit


@cache
def people() -> tuple[Character, ...]:
    """Three unlike persons whose landmarks are known."""
    varied = [{}, {"leg": 0.85, "head": 1.4, "arm_angle": 10.0}, {"limb": 1.3, "arm": 0.9, "arm_angle": 55.0}]
    found = []
    for i, options in enumerate(varied):
        made = person(vertices=1500, **options)
        landmarks = {n: made.joints[n] for n in LANDMARKS[made.kind].values()}
        found.append(prepare_character(f"set_{i}/person", made.kind, made.mesh, landmarks))
    return tuple(found)


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
    problem = Problem(people()[1])
    weights = np.array([PENALTY_WEIGHTS[n] for n in NAMES])
    assert problem.search(weights) and not problem.search(weights)
    found = problem.character.embed()
    cheapest = min(float(f @ weights) for f in problem.samples.good + problem.samples.bad)
    assert cheapest == pytest.approx(found.penalty)
    assert problem.samples.margin(unit(weights)) > 0


def test_features_are_the_unweighted_penalties():
    problem = Problem(people()[1])
    table = PenaltyTable(problem.graph, problem.reduced, problem.candidates, scale=problem.character.scale,
                         sheets=problem.character.skeletal.sheets)
    found = embed(table)
    placed = [int(np.flatnonzero(c == v)[0]) for c, v in zip(problem.candidates, found.vertices, strict=True)]
    features = table.features(placed)
    assert {n: PENALTY_WEIGHTS[n] * x for n, x in features.items()} == pytest.approx(found.terms)


def test_good_ends_are_nearest_to_their_own_landmark():
    problem = Problem(people()[0])
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
    problems = [Problem(c) for c in people()]
    said: list[str] = []
    learned = learn_weights(problems, say=said.append)
    default = np.array([DEFAULT_WEIGHTS[n] for n in NAMES])
    vector = np.array([learned[n] for n in NAMES])
    samples = [p.samples for p in problems]
    assert np.linalg.norm(vector) == pytest.approx(np.linalg.norm(default))
    assert least_margin(samples, vector) >= least_margin(samples, default) - 1e-9
    assert said and said[0].startswith("round 1")


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
    monkeypatch.setattr(penalties, "PENALTIES", tmp_path / "penalties.json")
    monkeypatch.setattr(margin, "ROUNDS", 1)  # that more of them settle is told above
    assert penalties.main([str(tmp_path / "characters")]) == 0
    printed = capsys.readouterr().out
    for word in ("own set", "own author", "set0/anna", "least margin", "held out", "direction"):
        assert word in printed
    assert not list(tmp_path.glob("*.json"))
    monkeypatch.setattr(penalties, "validate_weights", lambda problems, family: ([], True))  # as was seen
    assert penalties.main([str(tmp_path / "characters"), "--write"]) == 0
    assert set(read_weights(tmp_path / "penalties.json")) == set(PENALTY_WEIGHTS)
    monkeypatch.setattr(penalties, "validate_weights", lambda problems, family: ([], False))
    (tmp_path / "penalties.json").unlink()
    assert penalties.main([str(tmp_path / "characters"), "--write"]) == 0
    assert "not for use" in capsys.readouterr().out and not list(tmp_path.glob("*.json"))
    assert {p: p.read_bytes() for p in ANATOMY.iterdir()} == shipped and PENALTIES.parent == ANATOMY


def test_an_empty_folder_is_told(tmp_path, capsys):
    assert penalties.main([str(tmp_path)]) == 2
    assert "No character" in capsys.readouterr().out

"""Reduction keeps what branches or ends, and remembers the rest."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from core.skeleton.preset import load_template, preset_names
from core.skeleton.reduce import reduce_template


def test_the_papers_biped_has_seven_reduced_joints():
    """[BP07] figure 3: shoulders, hips, head, two feet, two hands."""
    template = load_template("biped_paper")
    assert len(template.names) == 18
    reduced = reduce_template(template)
    names = [template.names[j] for j in reduced.joints]
    assert names[0] == "shoulders"
    assert sorted(names) == sorted(["shoulders", "hips", "head", "foot.L", "foot.R", "hand.L", "hand.R"])
    above = {n: None if p < 0 else names[p] for n, p in zip(names, reduced.parents, strict=True)}
    assert above == {"shoulders": None, "hips": "shoulders", "head": "shoulders", "hand.L": "shoulders",
                     "hand.R": "shoulders", "foot.L": "hips", "foot.R": "hips"}
    leg = names.index("foot.L")
    assert [template.names[j] for j in reduced.chains[leg]] == ["thigh.L", "knee.L", "ankle.L", "foot.L"]


def test_lengths_and_fractions_of_the_papers_leg():
    """In the published units: hip to thigh 0.1, thigh to knee, knee to ankle 0.45, ankle to foot 0.1; times 0.35."""
    template = load_template("biped_paper")
    reduced = reduce_template(template)
    leg = [template.names[j] for j in reduced.joints].index("foot.L")
    steps = np.array([0.1, np.hypot(0.05, 0.35), 0.45, 0.1]) * 0.35
    assert reduced.lengths[leg] == pytest.approx(steps.sum(), rel=1e-3)
    np.testing.assert_allclose(reduced.fractions[leg], np.cumsum(steps) / steps.sum(), atol=1e-3)


@pytest.mark.parametrize("name", preset_names())
def test_chains_cover_every_joint_once_and_measure_right(name):
    template = load_template(name)
    reduced = reduce_template(template)
    assert sorted(j for chain in reduced.chains for j in chain) == list(range(len(template.names)))
    children = np.bincount(template.parents[1:], minlength=len(template.names))
    for r, chain in enumerate(reduced.chains):
        assert chain[-1] == reduced.joints[r]
        assert reduced.fractions[r][-1] == 1
        assert (np.diff(reduced.fractions[r]) > 0).all()
        if r == 0:
            assert chain == (0,) and reduced.parents[0] == -1 and reduced.lengths[0] == 0
            continue
        assert reduced.parents[r] < r
        line = [int(reduced.joints[reduced.parents[r]]), *chain]
        assert [template.parents[j] for j in line[1:]] == line[:-1]
        assert all(children[j] == 1 for j in chain[:-1]) and children[chain[-1]] != 1
        length = sum(np.linalg.norm(template.positions[b] - template.positions[a])
                     for a, b in itertools.pairwise(line))
        assert reduced.lengths[r] == pytest.approx(length)


@pytest.mark.parametrize("name", preset_names())
def test_partners_leaves_and_ancestors(name):
    template = load_template(name)
    reduced = reduce_template(template)
    for r, joint in enumerate(reduced.joints):
        partner = reduced.mirror[r]
        if partner >= 0:
            assert reduced.mirror[partner] == r and template.mirror[joint] == reduced.joints[partner]
            assert reduced.lengths[partner] == pytest.approx(reduced.lengths[r])
        line = reduced.ancestors(r)
        assert line[0] == r and line[-1] == 0
        assert all(reduced.parents[a] == b for a, b in itertools.pairwise(line))
        assert reduced.is_leaf[r] == (joint not in template.parents)

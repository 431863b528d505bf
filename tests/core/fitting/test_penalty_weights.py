"""Weights of penalties come back from their file, and a file that is not sound is refused by its name."""

from __future__ import annotations

import json

import pytest

from core.errors import BadTemplate
from core.fitting.penalties import PENALTY_WEIGHTS
from core.fitting.penalty_weights import DEFAULT_WEIGHTS, PAPER_WEIGHTS, read_weights
from tests.learning.penalties import write_weights


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

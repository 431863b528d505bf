"""Learn the penalties' weights from a folder of characters rigged by artists, and tell what they are worth.

    python -m tests.learning.penalties FOLDER [--write] [--kind biped]

The folder's format is described in presets/README.md. Every table has the weights as published, as shipped, and as
learned: from all characters, and without the character's own family, which is its set and, stricter, all sets of its
author. --write changes presets/anatomy, and only where the weights are right as often on families they were not learned
from.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from core.fitting.penalties import PENALTY_WEIGHTS
from core.fitting.penalty_weights import DEFAULT_WEIGHTS, FORMAT, PAPER_WEIGHTS, PENALTIES, VERSION

from .characters import LANDMARKS, by_author, by_set, read_characters
from .margin import Problem, learn_weights, margin_table, validate_weights

COMMAND = "python -m tests.learning.penalties FOLDER --write"


def report_penalties(problems: list[Problem], *, write: bool, say: Callable[[str], None]) -> None:
    """Learn the penalty weights from all characters, print margins as they were and are, and perhaps write them.

    Weights that are right less often on families they were not learned from are never written.
    """
    learned = learn_weights(problems, say=say)
    columns = {"paper": dict(PAPER_WEIGHTS), "shipped": dict(PENALTY_WEIGHTS), "learned": learned}
    say("\nMargin by character, weights of length 1 (negative: a bad embedding is cheapest)")
    for line in margin_table(problems, columns):
        say(line)
    generalise = True
    for title, family in (("set", by_set), ("author", by_author)):
        say(f"\nMargin at weights learned without the character's own {title}")
        lines, no_worse = validate_weights(problems, family)
        generalise &= no_worse
        for line in lines:
            say(line)
    say("\n" + ", ".join(f"{name} {weight:.4f}" for name, weight in learned.items()))
    if not generalise:
        say("Held out, these weights are right less often than the shipped ones: they are not for use.")
    elif write:
        write_weights(PENALTIES, learned, source=COMMAND)


def write_weights(path, weights: dict[str, float], *, source: str) -> None:
    """Write a file that `read_weights` reads back, to five decimals. source : the command that made them."""
    data = {"format": FORMAT, "version": VERSION, "source": source,
            "weights": {name: round(float(weights[name]), 5) for name in DEFAULT_WEIGHTS}}
    Path(path).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run the program; returns 0, or 2 if the folder holds no character with landmarks."""
    parser = argparse.ArgumentParser(prog="python -m tests.learning.penalties", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of characters, however deep")
    parser.add_argument("--kind", action="append", choices=sorted(LANDMARKS), help="only these kinds of body")
    parser.add_argument("--write", action="store_true", help="write what was learned to presets/anatomy")
    chosen = parser.parse_args(arguments)
    characters = read_characters(chosen.folder, kinds=tuple(chosen.kind or LANDMARKS), progress=print)
    if not characters:
        print(f"No character with landmarks in '{chosen.folder}'.")
        return 2
    report_penalties([Problem(c) for c in characters], write=chosen.write, say=print)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

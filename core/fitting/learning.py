"""Learn Geppetto's numbers from a folder of characters rigged by artists, and tell what they are worth.

    python -m core.fitting.learning FOLDER [--write] [--proportions | --penalties] [--kind biped]

The folder's format is described in presets/README.md. Errors are in the character's sizes (a biped's height, an
animal's longest side). Every table has the numbers as shipped, learned from all characters, and learned without the
character's own family: its set, and, stricter, all sets of its author. Only --write changes presets/anatomy, and the
penalties' weights only where they are right as often on families they were not learned from.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .learning_characters import TOLD, by_author, by_set, read_characters
from .learning_margin import Problem, learn_weights, margin_table, validate_weights
from .learning_proportions import Measured, cross_validate, learn_proportions, measure, place, told_errors
from .penalties import PENALTY_WEIGHTS
from .penalty_weights import PAPER_WEIGHTS, PENALTIES, write_weights
from .proportions import ANATOMY, load_proportions, write_proportions

RIGHT = 0.10  # a character is right when no told joint is further off than this
COMMAND = "python -m core.fitting.learning FOLDER --write"


def report_proportions(measured: list[Measured], kind: str, *, write: bool, say: Callable[[str], None]) -> None:
    """Learn the proportions of one kind, print the tables per joint and character, and perhaps write them.

    kind : of the characters, or "posed": shares along limbs in any pose, learned from all of them at rest
    """
    shipped = load_proportions(kind)
    learned = learn_proportions(measured, shipped)
    columns = {"shipped": [m.character.errors(place(m, shipped)) for m in measured],
               "learned": [m.character.errors(place(m, learned)) for m in measured],
               "set out": cross_validate(measured, shipped, by_set),
               "author out": cross_validate(measured, shipped, by_author)}
    for body in sorted({m.character.kind for m in measured}):
        chosen = [i for i, m in enumerate(measured) if m.character.kind == body]
        part = {name: [errors[i] for i in chosen] for name, errors in columns.items()}
        title = body if kind == body else f"{kind}, {body}"
        say(f"\n{title}: {len(chosen)} characters. Mean error by joint (* told right from wrong by these)")
        for line in table_lines(body, part):
            say(line)
        say(f"\n{title}: mean / worst error by character")
        for i in chosen:
            cells = [told_errors(body, errors[i]) for errors in columns.values()]
            say(f"{measured[i].character.name:40}" + "".join(f"{mean:9.4f} /{worst:6.3f}" for mean, worst in cells))
    say("")
    for name, shares in learned.formulas.items():
        say(f"{name:18}" + ", ".join(f"{share:.4f} {length}" for length, share in shares.items()))
    if write:
        write_proportions(ANATOMY / f"{kind}.json", learned, source=COMMAND)


def table_lines(kind: str, columns: dict[str, list[dict[str, float]]]) -> list[str]:
    """The mean error of every joint, both sides together, and of the characters, a column for each list of errors."""
    joints = list(dict.fromkeys(joint.split(".")[0] for errors in columns.values() for e in errors for joint in e))
    lines = [f"{'':16}" + "".join(f"{name:>12}" for name in columns)]
    for joint in joints:
        means = [np.mean([x for e in errors for name, x in e.items() if name.split(".")[0] == joint])
                 for errors in columns.values()]
        lines.append(f"{joint + (' *' if joint in TOLD[kind] else ''):16}" + "".join(f"{m:12.4f}" for m in means))
    told = [[told_errors(kind, e) for e in errors] for errors in columns.values()]
    lines.append(f"{'mean':16}" + "".join(f"{np.mean([m for m, _ in t]):12.4f}" for t in told))
    lines.append(f"{'right':16}" + "".join(f"{sum(w < RIGHT for _, w in t):9d}/{len(t)}" for t in told))
    return lines


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


def main(arguments: list[str] | None = None) -> int:
    """Run the program; returns 0, or 2 if the folder holds no character with landmarks."""
    parser = argparse.ArgumentParser(prog="python -m core.fitting.learning", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of characters, however deep")
    parser.add_argument("--kind", action="append", choices=sorted(TOLD), help="only these kinds of body")
    parser.add_argument("--write", action="store_true", help="write what was learned to presets/anatomy")
    parser.add_argument("--proportions", action="store_true", help="only the proportions")
    parser.add_argument("--penalties", action="store_true", help="only the penalty weights")
    chosen = parser.parse_args(arguments)
    both = chosen.proportions == chosen.penalties
    characters = read_characters(chosen.folder, kinds=tuple(chosen.kind or TOLD), progress=print)
    if not characters:
        print(f"No character with landmarks in '{chosen.folder}'.")
        return 2
    if both or chosen.proportions:
        measured = [measure(c) for c in characters]
        for kind in sorted({c.kind for c in characters}):
            report_proportions([m for m in measured if m.character.kind == kind], kind, write=chosen.write, say=print)
        report_proportions(measured, "posed", write=chosen.write, say=print)
    if both or chosen.penalties:
        report_penalties([Problem(c) for c in characters], write=chosen.write, say=print)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Wang's study [W12] on generated characters: candidates, search and outcome with and without his steps.

    python tests/benchmarks/wang_study.py [--only REGEX] [--vertices 4000] [--runs 3] [--random 12]

Methods: `plain` is [BP07] as published (its limb ends, its nine weights, no mirrored search, no sheets); `clusters`
drops high clusters of limb candidates; `corrected` also corrects hands and feet; `Geppetto` is the search as it is,
`no neck rule` the same without the rule that what hangs from the head is no hand, `and Wang` the search as it is with
his steps on top. Each has: vertices that may be a hand or a foot, partial embeddings the search opened, milliseconds of
graph, candidates and search, and what is wrong: a hand or foot that lies more than a tenth of the height from where
hand or foot truly are, a head below the neck, hips or neck off by 0.15. Then so many random dolls and people, and how
many each method gets right.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.fitting.density import DensityOptions
from core.fitting.embedding import Embedding
from core.fitting.options import FitOptions
from core.fitting.penalties import PENALTY_WEIGHTS
from core.fitting.penalty_weights import PAPER_WEIGHTS
from core.fitting.search import Skeletal, choose_candidates, find_middle, search, template_scale
from core.geometry.shape import Shape, prepare_steps
from core.pipeline import run
from core.skeleton.preset import load_template
from core.skeleton.reduce import ReducedTemplate, reduce_template
from tests.characters import Character, doll, gloved, gowned, person

NEAR, ROUGH = 0.10, 0.15
OFF = DensityOptions(hanging=False)
PLAIN = FitOptions(mirror=np.inf, paper_ends=True, density=OFF)
METHODS = {"plain": PLAIN, "clusters": replace(PLAIN, density=replace(OFF, clusters=True)),
           "corrected": replace(PLAIN, density=replace(OFF, clusters=True, hands=True, feet=True)),
           "Geppetto": FitOptions(), "no neck rule": FitOptions(density=OFF),
           "and Wang": FitOptions(density=DensityOptions(clusters=True, hands=True, feet=True))}


@dataclass(frozen=True)
class Outcome:
    """candidates : vertices that may be a hand or foot;  opened : by the search;  wrong : joints, "" if right"""

    candidates: int
    opened: int
    seconds: float
    wrong: str


ORDINARY = {"hair": "short", "skirt": "none", "tail": 0.0, "head": 1.2, "leg": 0.95, "arm_angle": 40.0,
            "asymmetry": 1.5, "belly": 0.0, "stance": 5.0}


def characters(vertices: int) -> dict[str, Character]:
    """The twelve of the thesis, chapter 4, and the same person in an A-pose and a T-pose."""
    def ordinary(**more):
        return person(np.random.default_rng(2), vertices=vertices, **ORDINARY | more)
    return {
        "doll, long hair": doll(vertices=vertices),
        "woman in a gown": gowned(train=0.1, vertices=vertices),
        "big glove": gloved(sides="L", size=1.5, vertices=vertices),
        "x stretched": ordinary(stretch=(1.6, 1.0, 1.0)), "y stretched": ordinary(stretch=(1.0, 1.6, 1.0)),
        "z stretched": ordinary(stretch=(1.0, 1.0, 1.6)), "squashed": ordinary(stretch=(1.0, 1.0, 0.6)),
        "a hair low, legs long": doll(fall=0.3, leg=1.1, vertices=vertices),
        "b hair low": doll(fall=0.3, vertices=vertices),
        "c legs very long": doll(leg=1.9, arm_angle=25.0, fall=0.75, vertices=vertices),
        "d hands at 0.6": doll(leg=1.25, arm_angle=30.0, fall=0.75, vertices=vertices),
        "e hair to 0.6": doll(fall=0.6, vertices=vertices),
        "A-pose": ordinary(), "T-pose": ordinary(arm_angle=0.0)}


def random_doll(rng: np.random.Generator, vertices: int) -> Character:
    """A doll whose hair hangs anywhere from the waist to the shoulders, beside arms of any length."""
    between = rng.uniform
    return doll(arm=between(0.5, 0.95), arm_angle=between(15, 55), fall=between(0.4, 0.75), head=between(1.5, 2.4),
                leg=between(0.7, 1.1), swing=between(0.0, 0.2), vertices=vertices)


def run_once(shape: Shape, reduced: ReducedTemplate, name: str) -> tuple[Skeletal, Embedding]:
    """The graph and the embedding by one method."""
    options, scale = METHODS[name], template_scale(shape, reduced.template)
    skeletal = find_middle(shape, options)
    if not options.paper_ends:
        return skeletal, search(skeletal.graph, reduced, {}, scale=scale, sheets=skeletal.sheets, options=options)[0]
    weights = dict.fromkeys(PENALTY_WEIGHTS, 0.0) | PAPER_WEIGHTS
    return skeletal, search(skeletal.graph, reduced, {}, scale=scale, weights=weights, options=options)[0]


def judge(character: Character, shape: Shape, reduced: ReducedTemplate, skeletal: Skeletal,
          embedding: Embedding) -> str:
    """The reduced joints that are not where they belong: hips, neck, head, hand.L, feet."""
    template = reduced.template
    truth = {n: shape.frame.to_unit(p[None])[0] for n, p in character.joints.items()}
    size = character.height / shape.frame.scale
    wrong = []
    for joint, vertex in zip(reduced.joints, embedding.vertices, strict=True):
        name, point = template.names[joint], skeletal.graph.points[vertex]
        if name.startswith(("hand_tip", "toe_tip")):
            begin = truth[name.replace("hand_tip", "hand").replace("toe_tip", "foot")]
            is_right = _to_segment(point, begin, truth[name]) <= NEAR * size
        elif name == "head_top":
            is_right = point[2] > truth["neck"][2] and abs(point[0] - truth["neck"][0]) < NEAR * size
        else:
            is_right = np.linalg.norm(point - truth[name]) <= ROUGH * size
        if not is_right:
            wrong.append(name.split("_")[0].replace("toe", "foot") + name[-2:] * ("." in name))
    for end in ("hand", "foot"):
        if {f"{end}.L", f"{end}.R"} <= set(wrong):
            wrong = [n for n in wrong if not n.startswith(end)] + [f"{end}s".replace("foots", "feet")]
    return " ".join(wrong)


def _to_segment(point: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    t = np.clip((point - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    return float(np.linalg.norm(point - a - t * (b - a)))


def study(character: Character, name: str, runs: int, reduced: ReducedTemplate) -> Outcome:
    """One character by one method; the median time of some runs."""
    shape, seconds = run(prepare_steps(character.mesh)), []
    for _ in range(runs):
        start = time.perf_counter()
        skeletal, embedding = run_once(shape, reduced, name)
        seconds.append(time.perf_counter() - start)
    ends = [r for r in np.flatnonzero(reduced.is_leaf) if reduced.mirror[r] >= 0]
    chosen = choose_candidates(skeletal.graph, reduced, {}, METHODS[name])
    count = len(np.unique(np.concatenate([chosen[r] for r in ends])))
    return Outcome(count, embedding.expanded, statistics.median(seconds),
                   judge(character, shape, reduced, skeletal, embedding))


def count_right(title: str, some, reduced: ReducedTemplate) -> None:
    """One line: how many of some characters each method gets right, and the search's openings on average."""
    outcomes: dict[str, list[Outcome]] = {name: [] for name in METHODS}
    for character in some:
        for name in METHODS:
            outcomes[name].append(study(character, name, 1, reduced))
    print(f"{title:22}" + "".join(
        f"| {statistics.mean(o.candidates for o in found):5.0f} {statistics.mean(o.opened for o in found):6.0f} "
        f"{1e3 * statistics.median(o.seconds for o in found):5.0f}  "
        f"{f'{sum(not o.wrong for o in found)} of {len(found)} right':18}" for found in outcomes.values()), flush=True)


def main(arguments=None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="regular expression on the character's name")
    parser.add_argument("--vertices", type=int, default=4000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--random", type=int, default=12, help="so many random dolls and people")
    choice = parser.parse_args(arguments)
    reduced = reduce_template(load_template("biped"))
    print(f"{'character':22}" + "".join(f"| {name:38}" for name in METHODS))
    print(f"{'':22}" + f"| {'cand.':>5} {'opened':>6} {'ms':>5}  {'wrong':18}" * len(METHODS))
    right, total = dict.fromkeys(METHODS, 0), 0
    for title, character in characters(choice.vertices).items():
        if not re.search(choice.only, title):
            continue
        total += 1
        line = f"{title:22}"
        for name in METHODS:
            found = study(character, name, choice.runs, reduced)
            right[name] += not found.wrong
            line += f"| {found.candidates:5} {found.opened:6} {1e3 * found.seconds:5.0f}  {found.wrong or '-':18}"
        print(line, flush=True)
    print(f"{'right':22}" + "".join(f"| {f'{right[n]} of {total}':38}" for n in METHODS))
    if choice.random and not choice.only:
        rng = np.random.default_rng(0)
        dolls = (random_doll(rng, choice.vertices) for _ in range(choice.random))
        people = (person(rng, vertices=choice.vertices) for _ in range(choice.random))
        count_right("random dolls", dolls, reduced)
        count_right("random people", people, reduced)


if __name__ == "__main__":
    main()

"""Known creatures among shapes: what stands out of a body, matched against what each creature has.

A preset of presets/creatures says which limbs repeat: how many of what sort, on what trunk. The outline says what a
body shows. The fewer limbs are missing or left over, the likelier the creature; its names go to the lines of the match.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import BadTemplate
from .limb_sorts import ALIKE, FLAT, alike_around, has_knee, is_wing

if TYPE_CHECKING:
    from .outline import Line, Outline

FORMAT, VERSION = "geppetto-creature", 1
PRESETS = Path(__file__).resolve().parents[2] / "presets" / "creatures"
# Log odds that a missing limb, one left over, a branch of a limb, a trunk unlike the creature's, and no creature at all
# cost: a dragon may have lost a wing, a wyvern its tail; what lacks two limbs is none. Wings branch, legs hardly do.
MISSING, OVER, BRANCH, UNLIKE, NONE = 1.5, 2.5, 1.0, 3.0, 3.0
NEAR_GROUND = 0.04  # unit frame: a limb that ends lower stands
RAISED = 0.1  # unit frame: beside four legs one like them is one, a little raised
SHORT = 0.36  # unit frame: longer is no fin
SMALL = 0.15  # unit frame: a limb as long counts wholly, a horn or an ear less
# Unit frame: beside four legs a sheet that begins so far ahead of the foremost is an ear. Of 16 generated dragons wings
# begin 0.14 and more behind it, of two elephants ears 0.17 ahead.
EAR = 0.08
EARED = 0.5  # of the longest wing's length: a short sheet that is shorter is an ear
LEAN = 0.3  # of its length: what comes down less, and has no knee, is a fin held out
AXIAL = 0.03  # unit frame: so near the mirror plane a limb is one of the middle
# Necks beside each other begin so near over the foremost legs, unit frame, what lies ahead counting twice, and are so
# many times as long as these: 24 generated hydras' 0.14 to 0.30; horns, ears and tusks of 130 animals 0.38 and more,
# but for curled horns and an elephant's ears. They are round, and the neck between them is like them: a head is not.
OVER_LEGS, NECK, ROUND_NECK = 0.33, 0.45, 1.4
# What stands on so many legs has its abdomen behind them: so many times as much flesh of the trunk, which reaches so
# much further, unit frame. Of 16 generated spiders, insects and scorpions 4 times as much and more.
MANY, ABDOMEN, FURTHER = 6, 3.0, 0.05
# A long abdomen, a wasp's or a dragonfly's, need only have more flesh than what lies ahead of the legs. Of 10 generated
# insects' heads none reaches further than their abdomens by more than 0.1.
LONG = 0.25
FEW = 4  # legs: what has more and holds some up is no hydra
ROUND = 1.5  # times as long as thick: a trunk that is rounder neither lies nor stands
STEEP = 0.8  # sine of the trunk's rise from which on it stands upright


@dataclass(frozen=True)
class Limbs:
    """Limbs of one sort that a creature has.

    sort : "leg" (ends on the ground), "wing" (a long sheet), "arm" (neither), "drawn" (on the rear half, going down or
    back: a leg in flight), "short" (shorter than SHORT, not on the ground), "neck", "fan" (necks beside each other),
    "tail", "fluke" (at the tail's end), "wreath" (many alike around the middle), or two with "or"
    least, most : how many, both sides together;  bones : of each, 0 by its length
    must : with fewer or more it is no such creature;  shorter : than so many times the longest leg
    """

    name: str
    sort: str
    least: int
    most: int
    bones: int = 0
    must: bool = False
    shorter: float = np.inf


@dataclass(frozen=True)
class Creature:
    """What a creature looks like.

    trunk : "level", "upright" or "any";  slender : how many times as long as thick it is where it is thickest
    tail, tail_most : its least and its greatest length, unit frame;  rear : what the trunk's rear end is called
    has_neck : its front end is a neck with a head;  sheets : how many of its limbs are sheets, at least
    like : the preset of presets/skeletons that knows it as well, "" for none
    """

    name: str
    trunk: str
    limbs: tuple[Limbs, ...]
    slender: tuple[float, float] = (0.0, np.inf)
    tail: float = 0.0
    rear: str = "tail"
    has_neck: bool = False
    sheets: int = 0
    like: str = ""
    tail_most: float = np.inf


@dataclass(frozen=True, eq=False)
class Match:
    """How a creature fits a body.

    cost : in log odds;  limbs : (index into the creature's limbs, or -1) of each line;  wrong : what is amiss, in words
    """

    creature: Creature
    cost: float
    limbs: dict[int, int]
    wrong: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """Whether the creature may be taken for the body when it is chosen by hand: no more than two limbs off."""
        return self.cost <= 2 * OVER

    def is_called(self, line: int, name: str) -> bool:
        """Whether a line is a limb of this name."""
        return self.limbs[line] >= 0 and self.creature.limbs[self.limbs[line]].name == name

    def count(self, sort: str) -> int:
        """How many of the body's lines are limbs of a sort."""
        return sum(number >= 0 and self.creature.limbs[number].sort == sort for number in self.limbs.values())


def creature_names() -> list[str]:
    """The creatures that ship with Geppetto."""
    return sorted(p.stem for p in PRESETS.glob("*.json"))


@lru_cache(maxsize=32)
def load_creature(name: str) -> Creature:
    """A creature by name.  Raises BadTemplate, naming the file, for one that is not as presets/README.md describes."""
    path = PRESETS / f"{name}.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise ValueError(f"version {data['version']}")
        limbs = tuple(Limbs(one["name"], one["sort"], int(one["count"][0]), int(one["count"][1]),
                            int(one.get("bones", 0)), bool(one.get("must", False)),
                            float(one.get("shorter", np.inf))) for one in data["limbs"])
        low, high = data.get("slender", (0.0, None))
        return Creature(data["name"], data["trunk"], limbs, (float(low), np.inf if high is None else float(high)),
                        float(data.get("tail", 0.0)), data.get("rear", "tail"), bool(data.get("neck", False)),
                        int(data.get("sheets", 0)), data.get("like", ""),
                        float(data.get("tail_most", np.inf)))
    except (OSError, KeyError, IndexError, TypeError, ValueError) as error:
        raise BadTemplate(f"The creature '{path}' cannot be read: {error}.") from error


class Seen:
    """What an outline shows, measured once for all creatures."""

    def __init__(self, lines: list[Line], low: float, plane: float | None):
        self.lines, self.low, self.plane = lines, low, plane
        self.spine = lines[0]
        self.rear = next((line for line in lines if line.part == "tail"), None)
        self.limbs = [line for line in lines if line.part == "limb" and line.parent.part != "limb"]
        self.parts = [line for line in lines if line.part == "limb" and line.parent.part == "limb"]
        self.sorts = {id(line): self._sorts(line) for line in self.limbs}
        longest = max((line.length for line in self.limbs if "wing" in self.sorts[id(line)]), default=0.0)
        for line in self.limbs:
            if line.length < min(EARED * longest, SHORT):
                self.sorts[id(line)].discard("wing")
        legs = [line for line in self.limbs if "leg" in self.sorts[id(line)]]
        if len(legs) >= 4:
            usual = float(np.median([line.length for line in legs]))
            for line in self.limbs:
                raised = line.points[-1, 2] - low
                if line.side and usual / ALIKE < line.length < usual * ALIKE and raised < RAISED and line.flat < FLAT:
                    self.sorts[id(line)] = self.sorts[id(line)] - {"arm", "short"} | {"leg"}
            foremost = min(line.points[0, 1] for line in legs)
            for line in self.limbs:
                if line.points[0, 1] < foremost - EAR:
                    self.sorts[id(line)].discard("wing")
        for line in alike_around(self.limbs):
            self.sorts[id(line)].add("wreath")
        for line in self._fan(legs):
            self.sorts[id(line)] = {"fan", "neck"}

    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        return self.spine.points[-1], (self.rear or self.spine).points[-1 if self.rear else 0]

    @property
    def rise(self) -> float:
        """Sine of the trunk's rise, from its rear to its front end."""
        return _rise(*self._ends())

    @property
    def front_rise(self) -> float:
        """The same of its front half alone: who sits upright may have the tail on the ground."""
        return _rise(self.spine.points[-1], self.spine.points[0])

    @property
    def length(self) -> float:
        """Of the trunk."""
        return self.spine.length + (self.rear.length if self.rear else 0.0)

    @property
    def slender(self) -> float:
        """How many times as long as thick the trunk is."""
        return self.length / (2 * self.thick)

    @property
    def _radii(self) -> np.ndarray:
        return np.concatenate([self.spine.radii] + ([self.rear.radii] if self.rear else []))

    @property
    def thick(self) -> float:
        """The trunk's radius."""
        return float(np.median(self._radii))

    @property
    def thickest(self) -> float:
        """The trunk's radius where it is thickest: a fish is thin at its tail, a snake hardly anywhere."""
        return float(self._radii.max())

    @property
    def tail(self) -> float:
        """How long what goes back or down behind the hindmost limb is: the rear's own, or a tail's, from the line it
        hangs on, with the rear if that is the line."""
        tails = [line.length + float(np.linalg.norm(
            line.parent.points[:1 if line.parent is self.rear else None] - line.points[0], axis=1).min())
            for line in self.limbs if "tail" in self.sorts[id(line)]]
        return max([self._beyond(), *tails])

    def _beyond(self) -> float:
        """Of the rear what lies behind the last limb that hangs on it near its root."""
        if self.rear is None:
            return 0.0
        bases = [int(np.linalg.norm(self.rear.points - line.points[0], axis=1).argmin()) for line in self.limbs
                 if line.parent is self.rear and line.length > SMALL / 2]
        steps = np.linalg.norm(np.diff(self.rear.points, axis=0), axis=1)
        last = max((b for b in bases if b < 0.75 * len(self.rear.points)), default=0)
        return float(steps[last:].sum())

    @property
    def looks_back(self) -> bool:
        """Whether a body faces the other way: what stands on many legs has ahead of them what must be its abdomen, or
        what has wings and hardly any legs has a sheet ahead, as tails are, or its head over its rear."""
        if self._flies:
            front, rear = self._ends()
            is_sheet = self.rear is not None and self.spine.flat > FLAT > self.rear.flat
            return bool(front[1] > rear[1] + AXIAL if self.rise > LEAN else is_sheet)
        bases = [line.points[0, 1] for line in self.limbs if "leg" in self.sorts[id(line)]]
        wings = sum("wing" in self.sorts[id(line)] for line in self.limbs)
        if len(bases) < FEW or len(bases) + wings < MANY:
            return False
        trunk = [self.spine] + ([self.rear] if self.rear else [])
        steps = np.concatenate([np.linalg.norm(np.diff(line.points, axis=0), axis=1) for line in trunk])
        place = np.concatenate([line.points[1:, 1] for line in trunk])
        flesh = steps * np.concatenate([line.radii[1:] for line in trunk]) ** 2
        ahead, behind = flesh[place < min(bases)].sum(), flesh[place > max(bases)].sum()
        further = min(bases) - place.min() - max(float(place.max()) - max(bases), 0.0)
        return bool((ahead > ABDOMEN * behind and further > FURTHER) or (ahead > behind and further > LONG))

    @property
    def _flies(self) -> bool:
        """Whether wings stand out, and no more than two legs."""
        sorts = [found for found in self.sorts.values() if "leg" in found or "wing" in found]
        return any("wing" in found for found in sorts) and sum("wing" not in found for found in sorts) <= 2

    def _fan(self, legs: list[Line]) -> list[Line]:
        """Necks beside each other, but for the one that the spine goes on in; none unless all are alike."""
        if not 0 < len(legs) <= FEW:
            return []
        front, spine = min(legs, key=lambda line: line.points[0, 1]).points[0], self.spine
        others = [line for line in self.limbs if line.parent is spine and line.points[0, 1] < front[1]
                  and line.flat < ROUND_NECK and "leg" not in self.sorts[id(line)]]
        least = NECK * float(np.median([line.length for line in legs]))
        necks = [line for line in others if line.length > least]
        away = [float(np.linalg.norm((line.points[0] - front)[1:] * [2, 1])) for line in necks if line.side]
        if min(away, default=np.inf) > OVER_LEGS:
            return []
        nearest = [int(np.linalg.norm(spine.points - line.points[0], axis=1).argmin()) for line in others]
        last = max(nearest)
        ahead = spine.points[last:]
        has_own = np.linalg.norm(np.diff(ahead, axis=0), axis=1).sum() > np.median([n.length for n in necks]) / 2
        if not has_own:  # it ends in a fork: what is left of necks that touch
            return [line for line, k in zip(others, nearest, strict=True) if line.length > least or k == last]
        thick = float(np.median(spine.radii[last + len(ahead) // 3:]))
        return necks if thick < ALIKE * np.median([np.median(line.radii) for line in necks]) else []

    def _sorts(self, line: Line) -> set[str]:
        base, end = line.points[0], line.points[-1]
        found = set()
        is_middle = self.plane is not None and np.abs(line.points[:, 0] - self.plane).max() < AXIAL
        is_stump = line.length < self.thick
        comes_down = base[2] - end[2] > LEAN * line.length or (end[2] < base[2] and has_knee(line))
        is_flat = line.flat > FLAT
        hangs_out = is_flat and abs(end[0] - base[0]) > base[2] - end[2]  # a wing that is held down
        if end[2] - self.low < NEAR_GROUND and comes_down and not (is_middle or is_stump or hangs_out):
            found.add("leg")
        if self.rear is not None and line.side and np.linalg.norm(base - self.rear.points[-1]) < SMALL:
            found |= {"fluke"}
        _, rear = self._ends()
        if not line.side and not is_flat and base[1] > self.spine.points[0][1] and "leg" not in found:
            found.add("tail")
        if line.side and not is_flat and end[1] > base[1] + 0.5 * line.length and end[1] > rear[1] - SMALL:
            is_leg = "leg" in found and has_knee(line)
            found |= {"tail"} if base[1] > self.spine.points[0][1] and not is_leg else set()
        if not is_flat and end[1] < base[1] and end[2] > base[2] and base[1] < self.spine.points[0][1] - 0.1:
            found.add("neck")
        if line.side and is_wing(line, "leg" in found):
            found.add("wing")
        if line.length < SHORT and ("leg" not in found or is_flat):  # a flipper may touch the ground
            found.add("short")
        if line.side and not is_flat and "leg" not in found:
            found.add("arm")
        if line.side and not is_flat and base[1] > self.spine.points[0][1] - SMALL and end[2] < base[2] + AXIAL:
            found.add("drawn")
        return found


def _rise(front: np.ndarray, rear: np.ndarray) -> float:
    """Sine of the rise from one point to another."""
    return float((front - rear)[2] / max(float(np.linalg.norm(front - rear)), 1e-9))


def match(seen: Seen, creature: Creature) -> Match:
    """How a creature fits what is seen of a body."""
    cost, wrong, taken = 0.0, [], {}
    free = list(seen.limbs)
    leg = max((line.length for line in free if "leg" in seen.sorts[id(line)]), default=np.inf)
    for number, kind in enumerate(creature.limbs):
        fitting = [line for line in free if set(kind.sort.split(" or ")) & seen.sorts[id(line)]
                   and line.length <= kind.shorter * leg
                   and not (kind.sort in ("short", "leg or arm") and _is_better(seen, creature, line, number))]
        fitting.sort(key=lambda line: ("leg" in seen.sorts[id(line)] and kind.sort.startswith("leg or"), line.length),
                     reverse=True)
        mine = fitting[:kind.most]
        if kind.must and not kind.least <= len(fitting) <= kind.most:
            cost = np.inf
        for line in mine:
            taken[id(line)] = number
        free = [line for line in free if id(line) not in taken]
        if len(mine) < kind.least:
            cost += MISSING * (kind.least - len(mine))
            wrong.append(f"it shows {len(mine)} of {kind.least} limbs of the sort '{kind.name}'")
    left = [min(line.length / SMALL, 1.0) for line in free if line.part == "limb"]
    cost += OVER * sum(left)
    if sum(left) > 0.5:
        wrong.append(f"it has {len(left)} limbs too many" if len(left) > 1 else "it has 1 limb too many")
    wings = {i for i, number in taken.items() if creature.limbs[number].sort == "wing"}
    branches = [min(line.length / SMALL, 1.0) for line in seen.parts if not wings & {id(on) for on in line.way()}
                and line.points[:, 2].max() - seen.low > NEAR_GROUND]  # toes are no branches
    cost += BRANCH * sum(branches)
    if sum(branches) > 2:
        wrong.append("its limbs branch")
    rises = max(seen.rise, seen.front_rise) > STEEP
    is_so = {"upright": rises, "level": abs(seen.rise) <= STEEP, "any": True}[creature.trunk]
    if seen.slender > ROUND and not is_so:
        cost += UNLIKE
        wrong.append("its trunk stands up" if creature.trunk == "level" else "its trunk does not stand up")
    low, high = creature.slender
    if not low <= seen.length / (2 * seen.thickest) <= high:
        cost += UNLIKE
        wrong.append("it is too thick or too thin")
    if sum(line.flat > FLAT for line in seen.limbs) < creature.sheets:
        cost += UNLIKE
        wrong.append("its limbs are round")
    if seen.tail < creature.tail:
        cost += MISSING
        wrong.append("it has no long tail")
    if seen.tail > creature.tail_most:
        cost += UNLIKE
        wrong.append("its tail is too long")
    return Match(creature, cost, {i: taken.get(id(line), -1) for i, line in enumerate(seen.lines)}, tuple(wrong))


def _is_better(seen: Seen, creature: Creature, line: Line, number: int) -> bool:
    """Whether a limb belongs to a later and narrower sort of a creature's limbs."""
    return any(set(kind.sort.split(" or ")) & (seen.sorts[id(line)] - {"short"})
               for kind in creature.limbs[number + 1:])


def weigh_creatures(seen: Seen) -> dict[str, float]:
    """{creature: probability}, "" for none of them; the likeliest first."""
    costs = {name: match(seen, load_creature(name)).cost for name in creature_names()} | {"": NONE}
    weight = {name: float(np.exp(-cost)) for name, cost in costs.items()}
    total = sum(weight.values())
    return dict(sorted(((n, w / total) for n, w in weight.items()), key=lambda item: (-item[1], item[0])))


def look_at(outline: Outline, lines: list[Line]) -> Seen:
    """What an outline's lines show; the ground lies under the body's lowest voxel."""
    return Seen(lines, float(outline.interior.centres[:, 2].min()), None if outline.plane is None else outline.plane.x)

"""Animals in the poses of statues and toys: they sit, lie, graze, gallop and rear, joints going with the flesh.

A character is a dict as vary.py makes it, standing on four legs, Z up, facing -Y. Its own weights bend it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tests.characters.poses import reach

from .posing import FEW, swing, torn_share, turned

SHARES = {"sit": 0.3, "lie": 0.3, "graze": 0.15, "gallop": 0.15, "rear": 0.1}
TRIES = 8
BEHIND = 0.03  # a knee so far behind its hip, of the length from hips to shoulders, is a hock
X, Z = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])


class Puppet:
    """A character whose bones are turned one after the other.

    turns, shifts : (B, 3, 3), (B, 3) of each bone from where it was;  bone_of : {mark: its bone, or the trunk's}
    """

    def __init__(self, made: dict):
        self.made = made
        self.names = [j["name"] for j in made["joints"]]
        at = {n: i for i, n in enumerate(self.names)}
        self.parents = [at.get(j["parent"], -1) for j in made["joints"]]
        self.turns, self.shifts = np.tile(np.eye(3), (len(at), 1, 1)), np.zeros((len(at), 3))
        self.marks = {m: np.asarray(p, float) for m, p in made["landmarks"].items()}
        own = {m: at.get(str(b).split(" (")[0], -1) for m, b in made["landmark_bones"].items()}
        legs = {f"{end}_{side}_{part}" for end in ("front", "hind") for side in "lr"
                for part in ("upper", "knee", "foot")}
        if any(own.get(m, -1) < 0 for m in legs | {"neck", "head"}):
            raise ValueError("a leg or neck without its bones")
        for limb in _LEGS:
            parts = [f"{limb}_{part}" for part in ("upper", "knee", "hock", "foot")]
            self._chain([own[part] for part in parts if part in own])
        trunk = self.parents[own["hind_l_upper"]]
        self.bone_of = {m: own.get(m, -1) if own.get(m, -1) >= 0 else trunk for m in self.marks}
        self.ground = float(np.asarray(made["vertices"])[:, 2].min())

    def _chain(self, bones: list[int]) -> None:
        """Hang a leg's bones from each other where they hang from elsewhere, as feet for inverse kinematics do."""
        for above, bone in pairwise(bones):
            if above not in self._up(bone) and bone not in self._up(above):
                self.parents[[b for b in self._up(bone) if b not in self._up(above)][-1]] = above

    def _up(self, bone: int) -> list[int]:
        """A bone and what it hangs from."""
        out: list[int] = []
        while bone >= 0 and bone not in out:
            out.append(bone)
            bone = self.parents[bone]
        return out

    def at(self, mark: str) -> np.ndarray:
        """Where a landmark is now."""
        bone = self.bone_of[mark]
        return self.turns[bone] @ self.marks[mark] + self.shifts[bone]

    def below(self, bone: int) -> list[int]:
        """A bone and all that hang from it."""
        return [i for i in range(len(self.names)) if bone in self._up(i)]

    def turn(self, mark: str | None, matrix: np.ndarray, pivot: np.ndarray | None = None) -> None:
        """Turn a landmark's bone and all below it about the landmark; without a landmark all about the pivot."""
        pivot = self.at(mark) if pivot is None else pivot
        which = self.below(self.bone_of[mark]) if mark else list(range(len(self.names)))
        self.turns[which] = matrix @ self.turns[which]
        self.shifts[which] = (self.shifts[which] - pivot) @ matrix.T + pivot

    def aim(self, mark: str, end: str, goal: np.ndarray) -> None:
        """Turn a landmark's bone so that the landmark `end` lies towards a point."""
        now, goal = self.at(end) - self.at(mark), goal - self.at(mark)
        if min(np.linalg.norm(now), np.linalg.norm(goal)) > 1e-9:
            self.turn(mark, swing(now, goal))

    def leg(self, limb: str, goal: np.ndarray, pole: np.ndarray, ahead: np.ndarray, flat: np.ndarray) -> None:
        """Put the end of a leg's second bone, its hock or foot, to a point, bent towards the pole.

        ahead : the way from hock to foot, where there is a hock;  flat : how the foot itself is turned
        """
        upper, knee, foot, hock = (f"{limb}_{part}" for part in ("upper", "knee", "foot", "hock"))
        end = hock if hock in self.marks and limb.startswith("hind") else foot
        start = self.at(upper)
        lengths = (float(np.linalg.norm(self.at(knee) - start)),
                   float(np.linalg.norm(self.at(end) - self.at(knee))))
        middle, last = reach(start, lengths, goal, pole)
        self.aim(upper, knee, middle)
        self.aim(knee, end, last)
        if end == hock:
            self.aim(hock, foot, self.at(hock) + ahead)
        self.turn(foot, flat @ self.turns[self.bone_of[foot]].T)

    def posed(self) -> dict:
        """The character as it is now."""
        made, at = self.made, {n: i for i, n in enumerate(self.names)}
        vertices, weights = np.asarray(made["vertices"], float), np.asarray(made["weights"], float)
        out = np.zeros_like(vertices)
        for column, bone in enumerate(made["bones"]):
            i = at[bone]
            out += weights[:, column, None] * (vertices @ self.turns[i].T + self.shifts[i])
        out += (1 - weights.sum(1))[:, None] * vertices
        joints = [j | {end: (self.turns[i] @ np.asarray(j[end]) + self.shifts[i]).tolist() for end in ("head", "tail")}
                  for i, j in enumerate(made["joints"])]
        return made | {"vertices": out, "joints": joints, "landmarks": {m: self.at(m) for m in self.marks},
                       "height": float(np.ptp(out[:, 2]))}


class _Stance:
    """An animal's measures, and its parts brought into a pose."""

    def __init__(self, made: dict, rng: np.random.Generator):
        self.puppet, self.rng = Puppet(made), rng
        p = self.puppet
        self.sole = {limb: p.marks[f"{limb}_foot"][2] - p.ground for limb in _LEGS}
        hocked = [limb for limb in _LEGS if limb.startswith("hind") and f"{limb}_hock" in p.marks]
        self.long = {limb: sum(np.linalg.norm(p.marks[f"{limb}_{a}"] - p.marks[f"{limb}_{b}"]) for a, b in
                               (("upper", "knee"), ("knee", "hock" if limb in hocked else "foot")))
                     for limb in _LEGS}
        self.bent = {}
        for limb in _LEGS:
            top, knee, foot = (p.marks[f"{limb}_{part}"] for part in ("upper", "knee", "foot"))
            along = (foot - top) / np.linalg.norm(foot - top)
            self.bent[limb] = (knee - top) - ((knee - top) @ along) * along
        trunk = np.linalg.norm(self.middle("front") - self.middle("hind"))
        self.stifled = all(f"{limb}_hock" in p.marks or
                           p.marks[f"{limb}_knee"][1] - p.marks[f"{limb}_upper"][1] < BEHIND * trunk
                           for limb in _LEGS if limb.startswith("hind"))

    def middle(self, end: str) -> np.ndarray:
        """Between the two upper joints of a pair of legs, now."""
        return np.mean([self.puppet.at(f"{end}_{s}_upper") for s in "lr"], axis=0)

    def pitch(self, degrees: float) -> None:
        """Raise the front about the hips."""
        self.puppet.turn(None, turned(X, -np.radians(degrees)), self.middle("hind"))

    def head(self, down: float, wide: float) -> None:
        """Lower the neck by so many degrees, give or take some, the head less; perhaps look aside."""
        u, p = self.rng.uniform, self.puppet
        aside = turned(Z, np.radians(u(-60, 60))) if self.rng.random() < 0.3 else np.eye(3)
        down = down + u(-wide, wide)
        p.turn("neck", aside @ turned(X, np.radians(down)))
        p.turn("head", turned(X, np.radians(-0.5 * down * u(0, 1) + u(-15, 15))))

    def tail(self, up: float, ground: float = -np.inf) -> None:
        """Turn the tail up by so many degrees, give or take some, and aside; its tip stays above the ground."""
        p = self.puppet
        if "tail" in p.marks and "tail_tip" in p.marks:
            u = self.rng.uniform
            p.turn("tail", turned(Z, np.radians(u(-70, 70))) @ turned(X, np.radians(up + u(-30, 30))))
            for _ in range(12):
                if p.at("tail_tip")[2] < ground:
                    p.turn("tail", turned(X, np.radians(10)))

    def fold(self, ground: float, knee: float) -> None:
        """Hind legs folded under the hips, hocks and feet on the ground, the stifle so far up to ahead."""
        u, p = self.rng.uniform, self.puppet
        out, back, up = u(0.05, 0.3), u(-0.3, 0.15), u(0.04, 0.14)
        for s, sign in (("l", 1.0), ("r", -1.0)):
            limb = f"hind_{s}"
            long, hip = self.long[limb], p.at(f"{limb}_upper")
            goal = np.array([hip[0] + sign * long * (out + u(-0.05, 0.05)), hip[1] + long * (back + u(-0.06, 0.06)),
                             ground + long * up])
            foot = turned(Z, sign * np.radians(u(-5, 25)))
            if f"{limb}_hock" not in p.marks:
                goal[1:] = hip[1] - long * u(0.1, 0.45), ground + self.sole[limb]
            ahead = foot @ np.array([0, -1.0, 0])
            ahead = ahead + [0, 0, (ground + self.sole[limb] - goal[2]) / max(0.3 * long, 1e-9)]
            p.leg(limb, goal, np.array([sign * u(0.1, 0.6), -1.0, knee]), ahead, foot)

    def front(self, place, pole: np.ndarray | None = None) -> None:
        """Front feet to a place that `place` gives for each: out, back and up from its upper joint, in leg lengths."""
        p = self.puppet
        for s, sign in (("l", 1.0), ("r", -1.0)):
            limb = f"front_{s}"
            goal = p.at(f"{limb}_upper") + self.long[limb] * (np.asarray(place()) * [sign, 1, 1])
            own = self.bent[limb] + [0, 1e-3 * self.long[limb], 0]
            flat = turned(Z, sign * np.radians(self.rng.uniform(-5, 15)))
            p.leg(limb, goal, own if pole is None else pole * [sign, 1, 1], np.zeros(3), flat)


_LEGS = tuple(f"{end}_{s}" for end in ("front", "hind") for s in "lr")


def resting(made: dict, rng: np.random.Generator, what: str | None = None) -> dict:
    """The animal in a pose: "sit", "lie", "graze", "gallop" or "rear", by their shares.

    Raises ValueError where no pose is found that does not tear the skin, or the legs have too few bones.
    """
    what = what or str(rng.choice(list(SHARES), p=list(SHARES.values())))
    for _ in range(TRIES):
        body = _Stance(made, rng)
        if what in ("sit", "lie") and not body.stifled:
            raise ValueError("hind legs without a stifle")
        _POSES[what](body)
        out = body.puppet.posed()
        if torn_share(np.asarray(made["vertices"], float), out["vertices"], np.asarray(made["faces"])) < FEW:
            return out
    raise ValueError("no pose was found")


def _sit(body: _Stance) -> None:
    """Haunches on the ground, front legs straight below the shoulders."""
    u = body.rng.uniform
    way, long = body.middle("front") - body.middle("hind"), body.long["front_l"]
    haunch = u(0.25, 0.5) * body.long["hind_l"]
    rise = long * u(0.9, 1.0) + body.sole["front_l"] - haunch
    flat = float(np.hypot(way[1], way[2]))
    angle = np.degrees(np.arcsin(np.clip(rise / flat, 0.2, 0.97)) - np.arctan2(way[2], -way[1]))
    body.pitch(float(np.clip(angle, 8, 75)))
    ground = body.middle("hind")[2] - haunch
    drop = (ground + body.sole["front_l"] - body.middle("front")[2]) / long
    body.fold(ground, u(0.3, 0.9))
    body.front(lambda: (u(-0.08, 0.08), u(-0.2, 0.2), drop))
    body.head(u(0.2, 1.0) * angle, 20)
    body.tail(u(0.3, 1.2) * angle, ground)


def _lie(body: _Stance) -> None:
    """Trunk on the ground, front feet ahead of it or tucked under it."""
    u = body.rng.uniform
    body.pitch(u(-6, 14))
    ground = body.middle("hind")[2] - u(0.2, 0.45) * body.long["hind_l"]
    drop = (ground + body.sole["front_l"] - body.middle("front")[2]) / body.long["front_l"]
    body.fold(ground, u(-0.2, 0.25))
    if body.rng.random() < 0.7:
        body.front(lambda: (u(-0.1, 0.15), -u(0.55, 0.9), max(drop, -0.7)), np.array([0.2, 1.0, -0.6]))
    else:
        body.front(lambda: (u(-0.05, 0.15), u(0.0, 0.25), max(drop, -0.6)), np.array([0.2, -1.0, 0.1]))
    body.head(0, 35)
    body.tail(u(-40, 20), ground)


def _graze(body: _Stance) -> None:
    """Head towards the ground, legs as they are."""
    body.head(body.rng.uniform(40, 100), 10)


def _gallop(body: _Stance) -> None:
    """Legs stretched ahead and behind, or gathered."""
    u, p = body.rng.uniform, body.puppet
    body.pitch(u(-14, 14))
    stretch = body.rng.random() < 0.6
    body.front(lambda: (u(-0.1, 0.1), -u(0.35, 0.75) if stretch else u(0.1, 0.5), -u(0.5, 0.8)))
    for s, sign in (("l", 1.0), ("r", -1.0)):
        limb = f"hind_{s}"
        goal = p.at(f"{limb}_upper") + body.long[limb] * np.array(
            [sign * u(-0.05, 0.1), u(0.35, 0.75) if stretch else -u(0.1, 0.45), -u(0.45, 0.75)])
        ahead = np.array([0, u(0.0, 1.2) if stretch else -u(0.0, 1.0), -1.0])
        pole = np.array([0, -1.0, 0.2]) if body.stifled else body.bent[limb]
        p.leg(limb, goal, pole, ahead, turned(X, np.radians(u(-20, 60) if stretch else u(-20, 20))))
    body.head(u(-10, 30), 20)
    body.tail(u(0, 40))


def _rear(body: _Stance) -> None:
    """On the hind legs, front legs before the chest."""
    u, p = body.rng.uniform, body.puppet
    angle = u(30, 70)
    body.pitch(angle)
    for s in "lr":
        p.turn(f"hind_{s}_upper", turned(X, np.radians(angle * u(0.6, 1.0))))
    body.front(lambda: (u(-0.1, 0.1), -u(0.3, 0.7), -u(-0.2, 0.6)))
    body.head(u(0.2, 0.9) * angle, 20)
    body.tail(u(-0.5, 0.8) * angle)


_POSES = {"sit": _sit, "lie": _lie, "graze": _graze, "gallop": _gallop, "rear": _rear}

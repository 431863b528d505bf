"""Creatures rigged for the motion tests, each once, and how far their feet go."""

from __future__ import annotations

from functools import cache

import numpy as np

from core.fitting.creature import weigh_creatures
from core.fitting.fit import Fitter
from core.fitting.from_shape import seen_in, shape_template
from core.geometry.mesh import Mesh
from core.motion.clip import MotionClip
from core.pipeline import bind
from core.skeleton.rig import Rig
from tests import characters
from tests.core.fitting.bodies import prepared

BODIES = {"spider": characters.many_legged, "insect": lambda: characters.many_legged(pairs=3),
          "seven legs": lambda: characters.many_legged(lost=1), "dragon": lambda: characters.beast(legs=2),
          "hydra": lambda: characters.hydra(necks=4),
          "theropod": lambda: characters.beast(legs=1, wings=""), "chair": characters.chair, "snake": characters.snake,
          "fish": characters.fish, "whale": characters.whale, "mermaid": characters.mermaid,
          "octopus": characters.octopus, "ghost": characters.ghost}
WALKERS = ("spider", "insect", "seven legs", "dragon", "hydra", "theropod", "chair")
SLIDE = 0.03  # leg lengths a second


@cache
def rigged(name: str) -> tuple[Mesh, Rig, object]:
    mesh = BODIES[name]().mesh
    shape = prepared(mesh)
    odds = weigh_creatures(seen_in(shape))
    likeliest = next(iter(odds))
    rig = Fitter(shape, shape_template(shape, what=likeliest if odds[likeliest] > 0.6 and likeliest else "shape")).rig()
    return mesh, rig, bind(mesh, rig, shape=shape).matrix if name in WALKERS else None


def plain(*, pairs: int = 0, spine: int = 2, tail: int = 3, neck: int = 0, wings: int = 0, fins: bool = False,
          raised: float = 0.5) -> Rig:
    """Bones of an animal's kind, built by hand: a trunk along Y that is 1 long for each bone and looks to -Y, legs of
    two bones, wings of some, and fins at the tail's end.  raised : how high the trunk lies"""
    names, parents, heads, ways = [], [], [], []

    def chain(name: str, parent: int, start, *along) -> int:
        for k, way in enumerate(along):
            stem, _, side = name.partition(".")
            names.append(f"{stem}_{k + 1}" + (f".{side}" if side else ""))
            parents.append(parent if k == 0 else len(names) - 2)
            heads.append(np.array(start, float) if k == 0 else heads[-1] + ways[-1])
            ways.append(np.array(way, float))
        return len(names) - 1

    chest = chain("spine", -1, (0, 0, raised), *[(0, -1, 0)] * spine)
    chain("neck", chest, (0, -spine, raised), *[(0, -0.6, 0.3)] * neck)
    end = chain("tail", 0, (0, 0, raised), *[(0, 1, 0)] * tail)
    for side, sign in (("L", 1), ("R", -1)):
        for k in range(pairs):
            place = k * spine / max(pairs - 1, 1)
            chain(f"leg_{pairs - k}.{side}", min(int(place), spine - 1), (sign * 0.1, -place, raised),
                  (sign * 0.35, 0, 0.15), (sign * 0.15, 0, -raised - 0.15))
        chain(f"wing.{side}", chest, (sign * 0.1, -spine, raised), *[(sign * 0.5, 0, 0)] * wings)
        chain(f"fin.{side}", end, (0, tail, raised), *[(sign * 0.4, 0.1, 0)] * fins)
    return Rig(tuple(names), tuple(parents), np.array(heads), np.array(heads) + ways)


def steps(clip: MotionClip, places: np.ndarray) -> np.ndarray:
    """(T, N) how far points (T, N, 3) go from each frame to the next, the first coming after the last."""
    after = np.concatenate([places[1:], places[:1] + clip.stride])
    return np.linalg.norm(after - places, axis=2)

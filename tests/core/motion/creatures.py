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


def steps(clip: MotionClip, places: np.ndarray) -> np.ndarray:
    """(T, N) how far points (T, N, 3) go from each frame to the next, the first coming after the last."""
    after = np.concatenate([places[1:], places[:1] + clip.stride])
    return np.linalg.norm(after - places, axis=2)

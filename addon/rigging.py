"""From mesh objects to a bound armature: read, call the core, write. Buttons and programs share it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix

from ..core import pipeline
from ..core.geometry.shape import Shape, prepare_steps
from ..core.skeleton.rig import Rig
from ..core.skeleton.template import SkeletonTemplate
from ..core.skinning.weights import SkinWeights
from .bridge.armature import write_armature
from .bridge.mesh import Character, read_character
from .bridge.weights import write_weights


@dataclass(frozen=True, eq=False)
class Rigged:
    """What became of a character.

    rig : world space;  seconds : {stage: wall time}
    """

    armature: bpy.types.Object
    character: Character
    shape: Shape
    rig: Rig
    weights: SkinWeights
    seconds: dict[str, float]
    warnings: tuple[str, ...]


def auto_rig(context, objects, template: SkeletonTemplate, *, hints=(), method: str = "auto", name: str = "",
             tell: Callable[[str, float], None] = lambda stage, fraction: None) -> Rigged:
    """Fit a template to mesh objects and bind them to the armature it becomes.

    name : of the character, the largest object's if empty;  tell : called with (stage, fraction done) on the way
    Nothing in the scene changes before the core has succeeded. Raises RigError.
    """
    clock = _Clock(tell)
    clock.begin("Reading the mesh", 0.0)
    character = read_character(context, objects, name)
    shape = clock.drain(prepare_steps(character.mesh), 0.02, 0.15)
    rig = clock.drain(pipeline.fit_steps(character.mesh, template, hints, shape=shape), 0.15, 0.6)
    weights = clock.drain(pipeline.bind_steps(character.mesh, rig, method, shape=shape), 0.6, 0.95)
    clock.begin("Writing the armature", 0.95)
    home = character.parts[0].object.users_collection
    armature = write_armature(context, rig, f"{character.mesh.name} rig", home[0] if home else
                              context.scene.collection, armature_place(character), template.name)
    clock.begin("Writing the weights", 0.96)
    warnings = write_weights(context, character, armature, weights)
    clock.end()
    return Rigged(armature, character, shape, rig, weights, clock.seconds,
                  (*character.warnings, *rig.warnings, *warnings))


def armature_place(character: Character) -> Matrix:
    """Where the armature object stands: the world's origin if the character stands on it, else its ground's middle.

    Characters so small or large that Blender's own limits on bones matter get a scaled armature.
    """
    used = character.mesh.vertices[np.unique(character.mesh.faces)]
    low, high = used.min(0), used.max(0)
    size = float((high - low).max())
    stands_on_origin = (low[:2] <= 0).all() and (high[:2] >= 0).all() and abs(low[2]) <= 0.05 * size
    ground = (0.0, 0.0, 0.0) if stands_on_origin else ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2])
    scale = 1.0 if 1e-2 <= size <= 1e5 else size
    return Matrix.LocRotScale(ground, None, (scale, scale, scale))


class _Clock:
    """Wall time by stage, and progress told on the way."""

    def __init__(self, tell):
        self.seconds: dict[str, float] = {}
        self._tell = tell
        self._stage = ""
        self._since = 0.0

    def begin(self, stage: str, fraction: float) -> None:
        self.end()
        self._stage, self._since = stage, time.perf_counter()
        self._tell(stage, fraction)

    def end(self) -> None:
        if self._stage:
            self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + time.perf_counter() - self._since
        self._stage = ""

    def drain(self, steps, low: float, high: float):
        """Run a generator of (stage, fraction) to its end and return its result."""
        while True:
            try:
                stage, fraction = next(steps)
            except StopIteration as done:
                self.end()
                return done.value
            self.begin(stage, low + (high - low) * fraction)

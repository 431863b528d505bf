"""Sharpness while the slider moves: geodesic ways are kept, weights are drawn anew."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from ..core.errors import RigError
from ..core.pipeline import run
from ..core.seeing.stance import detect_stance
from ..core.skinning.bind import GeodesicBinding, geodesic_binding_steps
from . import names, session
from .bridge.armature import read_rig
from .bridge.mesh import Character, read_character
from .bridge.weights import rewrite_weights
from .choices import bind_options
from .job import running
from .rigged import armature_of, followers


def blend(settings, context) -> None:
    """Give the active character the weights of the slider's sharpness; called by Blender when it moves.

    Does nothing unless the character is ours and its weights are chosen to be geodesic.
    """
    armature = armature_of(context.object)
    if armature is None or settings.method != "geodesic" or context.mode not in {"OBJECT", "POSE"} or running():
        return
    try:
        character, binding = _binding(context, armature, settings)
    except RigError as error:
        armature[names.BLENDING] = str(error)  # the panel tells
        return
    if names.BLENDING in armature:
        del armature[names.BLENDING]
    rewrite_weights(character, binding.weights(settings.alpha, bind_options(settings)), set(binding.rig.names))


def _binding(context, armature, settings) -> tuple[Character, GeodesicBinding]:
    objects, rig = followers(armature), read_rig(armature)
    digest = blake2b(digest_size=16)
    for array in (rig.heads, rig.tails, *(_points(o) for o in objects)):
        digest.update(array.tobytes())
    key = (digest.digest(), armature.name, settings.resolution, tuple((o.name, o.as_pointer()) for o in objects))
    if session.binding(key) is None:
        character = read_character(context, objects)
        shape = run(session.shape_steps(character.mesh, detect_stance(character.mesh)))
        session.keep_binding(key, (character, run(geodesic_binding_steps(shape, rig, bind_options(settings)))))
    return session.binding(key)


def _points(o) -> np.ndarray:
    points = np.empty(3 * len(o.data.vertices), np.float32)
    o.data.vertices.foreach_get("co", points)
    return points

"""Sharpness while the slider moves: geodesic ways are kept, weights are drawn anew."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from ...core.errors import RigError
from ...core.pipeline import run
from ...core.skinning.bind import GeodesicBinding, geodesic_binding_steps
from .. import names, session
from ..bridge.armature import read_rig
from ..bridge.held import note_held
from ..bridge.mesh import Character, read_character
from ..bridge.weights import rewrite_weights
from ..choices import bind_options
from ..current import active_in
from ..job import running
from .painted import note_weighed
from .rigged import armature_of, followers, is_ours
from .standing import stance_on


def note_binding(armature, weights) -> None:
    """Note on an armature how its skin was bound, and why so where that was chosen automatically; and on what it moves
    that it is ours."""
    armature[names.BOUND] = [weights.method, weights.reason]
    for o in followers(armature) if is_ours(armature) else ():
        note_held(o, armature)
    note_weighed(armature, weights)
    session.drop_weights(armature.session_uid)


def binding_told(armature) -> str:
    """How a rig's skin was bound, in a sentence."""
    if armature is None:
        return "No rig yet"
    method, reason = armature.get(names.BOUND, ("", ""))
    if not method:
        return "How it was bound is not known"
    return f"Bound by {method}: {reason}" if reason else f"Bound by {method}, as chosen"


def is_sharpness_live(armature, settings) -> bool:
    """Whether the slider changes the weights of a rig: they are geodesic, and are to be."""
    if armature is None or settings.method == "heat":
        return False
    return settings.method == "geodesic" or armature.get(names.BOUND, ("",))[0] == "geodesic"


def blend(settings, context) -> None:
    """Give the active character the weights of the slider's sharpness; called by Blender when it moves.

    Does nothing unless the character is ours and its weights are geodesic.
    """
    armature = armature_of(active_in(context))
    if not is_sharpness_live(armature, settings) or context.mode not in {"OBJECT", "POSE"} or running():
        return
    try:
        character, binding = _binding(context, armature, settings)
    except RigError as error:
        armature[names.BLENDING] = str(error)  # the panel tells
        return
    if names.BLENDING in armature:
        del armature[names.BLENDING]
    session.drop_weights(armature.session_uid)
    weights = binding.weights(settings.alpha, bind_options(settings))
    rewrite_weights(character, weights, set(binding.rig.names), armature)
    note_weighed(armature, weights)


def _binding(context, armature, settings) -> tuple[Character, GeodesicBinding]:
    objects, rig = followers(armature), read_rig(armature)
    digest = blake2b(digest_size=16)
    for array in (rig.heads, rig.tails, *(_points(o) for o in objects)):
        digest.update(array.tobytes())
    key = (digest.digest(), armature.name, settings.resolution, tuple((o.name, o.as_pointer()) for o in objects))
    if session.binding(key) is None:
        character = read_character(context, objects)
        shape = run(session.shape_steps(character.mesh, stance_on(armature, character.mesh)))
        session.keep_binding(key, (character, run(geodesic_binding_steps(shape, rig, bind_options(settings)))))
    return session.binding(key)


def _points(o) -> np.ndarray:
    points = np.empty(3 * len(o.data.vertices), np.float32)
    o.data.vertices.foreach_get("co", points)
    return points

"""How a character stands, and where its armature does."""

from __future__ import annotations

import bpy
from mathutils import Matrix

from ...core.fitting.check import STANDS
from ...core.geometry.mesh import Mesh, used_vertices
from ...core.seeing.stance import AS_SET, Stance, detect_stance
from ..bridge.armature import read_detail
from ..bridge.mesh import Character


def stance_told(name: str, kind: str, stance: Stance) -> tuple[str, ...]:
    """A note of how a character is taken to stand, where that is not as its file lays it.

    kind : that was found.  In doubt there is none: the check warns then.
    """
    if stance.is_given or stance.reason == AS_SET or stance.confidence < STANDS:
        return ()
    return (f"'{name}' is taken to stand with {stance.told(kind)}.",)


def stance_on(armature, mesh: Mesh, *, has_base: bool = True) -> Stance:
    """How a mesh stands that an armature moves, whoever made it.

    has_base : False: a base is part of the body even if the armature does not say so, as an artist's own cannot
    """
    return detect_stance(mesh, has_base=has_base and read_detail(armature).has_base)


def home_of(context, character: Character) -> bpy.types.Collection:
    """The first of the character's collections that takes new objects, of those that are seen if any is."""
    homes = [c for c in character.parts[0].object.users_collection if c.library is None and c.override_library is None]
    seen, layers = set(), [context.view_layer.layer_collection]
    while layers:
        layer = layers.pop()
        layers += layer.children
        seen |= {layer.collection} if layer.is_visible else set()
    return next((c for c in homes if c in seen), next(iter(homes), context.scene.collection))


def armature_place(character: Character) -> Matrix:
    """Where the armature object stands: the world's origin if the character stands on it, else its ground's middle.

    Characters so small or large that Blender's own limits on bones matter get a scaled armature.
    """
    used = used_vertices(character.mesh)
    low, high = used.min(0), used.max(0)
    size = float((high - low).max())
    stands_on_origin = (low[:2] <= 0).all() and (high[:2] >= 0).all() and abs(low[2]) <= 0.05 * size
    ground = (0.0, 0.0, 0.0) if stands_on_origin else ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2])
    scale = 1.0 if 1e-2 <= size <= 1e5 else size
    return Matrix.LocRotScale(ground, None, (scale, scale, scale))

"""Generated characters in the form that the programs which vary characters give."""

from __future__ import annotations

from core.pipeline import bind, fit, prepare
from core.skeleton.preset import load_template
from tests.characters.character import Character


def rigged(made: Character, bone_of: dict[str, str]) -> dict:
    """A character rigged with the preset of its kind.  bone_of : {landmark: the bone that begins there}"""
    shape = prepare(made.mesh)
    rig = fit(made.mesh, load_template(made.kind), shape=shape)
    heads = dict(zip(rig.names, rig.heads, strict=True))
    parents = [rig.names[p] if p >= 0 else None for p in rig.parents]
    joints = [{"name": n, "parent": p, "head": h.tolist(), "tail": t.tolist()}
              for n, p, h, t in zip(rig.names, parents, rig.heads, rig.tails, strict=True)]
    return {"kind": made.kind, "vertices": made.mesh.vertices, "faces": made.mesh.faces,
            "weights": bind(made.mesh, rig, shape=shape).matrix.toarray(), "bones": list(rig.names), "joints": joints,
            "landmark_bones": bone_of, "landmarks": {mark: heads[bone] for mark, bone in bone_of.items()}}

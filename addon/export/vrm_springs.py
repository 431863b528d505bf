"""VRM's spring bones: capes, hair and long ears sway, and keep out of the body. VRMC_springBone-1.0,
github.com/vrm-c/vrm-specification"""

from __future__ import annotations

import numpy as np

from ...core.hanging.thing import may_be_thing
from ...core.skeleton.engine_rig import EngineRig
from .vrm_colliders import FEWEST, Capsule, Flesh, capsules, cross_section, flesh_of

EXTENSION = "VRMC_springBone"
# What a thing's name begins with: how strongly it goes back to rest, how strongly it falls, how much it is braked. The
# specification's range of stiffness is 0 to 4, of drag 0 to 1: cloth hangs, hair springs, ears stand by themselves.
# What hangs was modelled as it hangs: with more gravity against their stiffness capes sink into a back that stands.
SWAY = {"cape": (0.5, 0.1, 0.5), "skirt": (4.0, 0.05, 0.5), "hair": (0.8, 0.05, 0.4), "ear": (2.0, 0.05, 0.4)}
# What it is kept out of, as roles without their sides.
KEPT_OUT = {"cape": ("hips", "spine", "chest", "upper_arm", "thigh", "shin"), "skirt": ("thigh", "shin"),
            "hair": ("head", "neck", "chest", "upper_arm"), "ear": ("head",)}
PERSON = 1.7  # metres: forces move a joint by metres a second, so someone smaller has smaller ones
STIFFEST = 4.0
THINNEST, THICKEST = 0.003, 0.03  # heights: the radius around a joint that is kept free


def with_springs(tree: dict, binary: bytes, plan: EngineRig) -> dict:
    """The JSON of a .glb with a spring for each chain of a thing that sways; the same one if there is none.

    The last bone of a chain sways about its own head only if something follows it: it gets a node at its tail.
    """
    rig = plan.rig
    number = {node.get("name"): i for i, node in enumerate(tree.get("nodes", []))}
    chains = _chains(plan, number)
    flesh = flesh_of(tree, binary)
    if not chains or not all(number[bone] in flesh.inverse for chain in chains for bone in chain):
        return tree
    size = float(np.ptp(flesh.points[:, 1]))
    lengths = dict(zip(rig.names, np.linalg.norm(rig.tails - rig.heads, axis=1).tolist(), strict=True))
    hung = [_Hung(chain, flesh, [number[bone] for bone in chain], [lengths[bone] for bone in chain], size)
            for chain in chains]
    bodies = {bone: (role, capsules(flesh, number[bone], lengths[bone])) for bone, role in _solid(plan, number)}
    bodies = {bone: (role, _given_way(found, [h for h in hung if role in KEPT_OUT[h.kind]], flesh))
              for bone, (role, found) in bodies.items()}
    nodes = [dict(node) for node in tree["nodes"]]
    springs: list[dict] = []
    wanted: list[list[str]] = []
    for h in hung:
        free = {bone: h.free(found, flesh) for bone, (role, found) in bodies.items()
                if found and role in KEPT_OUT[h.kind]}
        free = {bone: gap for bone, gap in free.items() if (gap >= h.least).all()}
        nodes.append({"name": f"{h.bones[-1]}_end", "translation": [0.0, lengths[h.bones[-1]], 0.0]})
        bearer = nodes[number[h.bones[-1]]]
        bearer["children"] = [*bearer.get("children", []), len(nodes) - 1]
        springs.append({"name": h.bones[0], "joints": h.joints(list(free.values()), size, len(nodes) - 1)})
        wanted.append(list(free))
    groups = [bone for bone in bodies if any(bone in own for own in wanted)]
    extension: dict = {"specVersion": "1.0", "springs": springs}
    if groups:
        for spring, own in zip(springs, wanted, strict=True):
            if own:
                spring["colliderGroups"] = [groups.index(bone) for bone in own]
        extension |= _written({bone: bodies[bone][1] for bone in groups})
    return tree | {"nodes": nodes, "extensions": tree.get("extensions", {}) | {EXTENSION: extension},
                   "extensionsUsed": [*tree.get("extensionsUsed", []), EXTENSION]}


class _Hung:
    """A chain at rest: its bones, where their tails are, how thick what hangs on them is."""

    def __init__(self, bones: list[str], flesh: Flesh, nodes: list[int], lengths: list[float], size: float):
        self.bones, self.nodes, self.kind = bones, nodes, bones[-1].split("_")[0]
        places = [np.linalg.inv(flesh.inverse[node]) @ (0.0, length, 0.0, 1.0)
                  for node, length in zip(nodes, lengths, strict=True)]
        self.tails, self.least = np.array(places)[:, :3], THINNEST * size
        self.thick = np.array([_thickness(flesh.at(node)) for node in nodes]).clip(self.least, THICKEST * size)

    def free(self, found: list[Capsule], flesh: Flesh) -> np.ndarray:
        """(B,) how far its tails lie off some capsules at rest."""
        return np.min([capsule.gaps(flesh, self.tails) for capsule in found], axis=0)

    def joints(self, gaps: list[np.ndarray], size: float, end: int) -> list[dict]:
        """As VRMC_springBone has them. Around a tail as much is kept free as the chain is thick there, but no more than
        is free at rest: it would jump.  gaps : (B,) from each part of the body;  end : node behind the last bone"""
        stiffness, gravity, drag = SWAY[self.kind]
        scale = min(size / PERSON, STIFFEST / stiffness)
        radii = np.min([self.thick, *gaps], axis=0).clip(self.least)
        return [{"node": node, "hitRadius": float(radius), "stiffness": stiffness * scale,
                 "gravityPower": gravity * scale, "gravityDir": [0.0, -1.0, 0.0], "dragForce": drag}
                for node, radius in zip([*self.nodes, end], [*radii, radii[-1]], strict=True)]


def _chains(plan: EngineRig, number: dict) -> list[list[str]]:
    """The names of the bones of each chain that sways."""
    rig = plan.rig
    sways = [i for i, name in enumerate(rig.names)
             if may_be_thing(name) and name.split("_")[0] in SWAY and name in number]
    below = {int(rig.parents[i]): i for i in sways}
    chains = []
    for first in (i for i in sways if int(rig.parents[i]) not in sways):
        chain = [first]
        while chain[-1] in below:
            chain.append(below[chain[-1]])
        chains.append([rig.names[i] for i in chain])
    return chains


def _solid(plan: EngineRig, number: dict) -> list[tuple[str, str]]:
    """(bone of the file, role without its side) of what chains are kept out of."""
    role_of = {bone: role.split(".")[0] for role, bone in plan.roles.items()}
    known = {role for roles in KEPT_OUT.values() for role in roles}
    return [(piece, role_of[pieces[0][0]]) for pieces in plan.shares.values() if role_of.get(pieces[0][0]) in known
            for piece, _ in pieces if piece in number]


def _given_way(found: list[Capsule], near: list[_Hung], flesh: Flesh) -> list[Capsule]:
    """Capsules as thin as lets what hangs lie at rest, or as thin as they may be."""
    return [capsule.giving_way(min((float((capsule.gaps(flesh, h.tails) - h.thick).min()) for h in near), default=0.0))
            for capsule in found]


def _thickness(points: np.ndarray) -> float:
    """Half of how thick a chain is where its skin is (N, 3), the bone along Y."""
    return float(cross_section(points)[1][0]) if len(points) >= FEWEST else 0.0


def _written(bodies: dict[str, list[Capsule]]) -> dict:
    """The colliders, a group for each bone."""
    starts = np.cumsum([0, *map(len, bodies.values())]).tolist()
    return {"colliders": [capsule.written() for found in bodies.values() for capsule in found],
            "colliderGroups": [{"name": bone, "colliders": list(range(start, start + len(found)))}
                               for start, (bone, found) in zip(starts, bodies.items(), strict=False)]}

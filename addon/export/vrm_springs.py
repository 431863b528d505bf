"""VRM's spring bones: capes, hair and long ears sway. VRMC_springBone-1.0, github.com/vrm-c/vrm-specification"""

from __future__ import annotations

import numpy as np

from ...core.hanging.thing import may_be_thing
from ...core.skeleton.engine_rig import EngineRig

EXTENSION = "VRMC_springBone"
# What a thing's name begins with: how strongly it goes back to rest, how strongly it falls, how much it is braked. The
# specification's range of stiffness is 0 to 4, of drag 0 to 1: cloth hangs, hair springs, ears stand by themselves.
SWAY = {"cape": (0.5, 0.3, 0.5), "skirt": (4.0, 0.05, 0.5), "hair": (0.8, 0.15, 0.4), "ear": (2.0, 0.05, 0.4)}
RADIUS = 0.02  # metres around a joint that colliders, which an artist may add, keep free


def with_springs(tree: dict, plan: EngineRig) -> dict:
    """The JSON of a .glb with a spring for each chain of a thing that sways; the same one if there is none.

    The last bone of a chain sways about its own head only if something follows it: it gets a node at its tail.
    """
    rig = plan.rig
    number = {node.get("name"): i for i, node in enumerate(tree.get("nodes", []))}
    sways = [i for i, name in enumerate(rig.names)
             if may_be_thing(name) and name.split("_")[0] in SWAY and name in number]
    below = {int(rig.parents[i]): i for i in sways}
    springs, nodes = [], [dict(node) for node in tree.get("nodes", [])]
    for first in (i for i in sways if int(rig.parents[i]) not in sways):
        chain = [first]
        while chain[-1] in below:
            chain.append(below[chain[-1]])
        last = rig.names[chain[-1]]
        length = float(np.linalg.norm(rig.tails[chain[-1]] - rig.heads[chain[-1]]))
        nodes.append({"name": f"{last}_end", "translation": [0.0, length, 0.0]})
        bearer = nodes[number[last]]
        bearer["children"] = [*bearer.get("children", []), len(nodes) - 1]
        stiffness, gravity, drag = SWAY[last.split("_")[0]]
        joints = [{"node": node, "hitRadius": RADIUS, "stiffness": stiffness, "gravityPower": gravity,
                   "gravityDir": [0.0, -1.0, 0.0], "dragForce": drag}
                  for node in (*(number[rig.names[i]] for i in chain), len(nodes) - 1)]
        springs.append({"name": rig.names[first], "joints": joints})
    if not springs:
        return tree
    extensions = tree.get("extensions", {}) | {EXTENSION: {"specVersion": "1.0", "springs": springs}}
    return tree | {"nodes": nodes, "extensions": extensions,
                   "extensionsUsed": [*tree.get("extensionsUsed", []), EXTENSION]}

"""Chains of bones that a rig gains after it was fitted: fingers now; tails, ears, toes or a root can follow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import frozen
from .rig import Rig, bend_axes
from .template import Bone, SkeletonTemplate

FINGERS = ("thumb", "index", "middle", "ring", "pinky", "fingers")  # the last one is all of a mitten's
_FINGER = re.compile(rf"({'|'.join(FINGERS)})_([123]|tip)\.([LR])")


def finger_of(name: str) -> tuple[str, str, str] | None:
    """(finger, number or "tip", side) of a joint of ours, such as "index_2.L"; None for all others."""
    found = _FINGER.fullmatch(name)
    return None if found is None else (found[1], found[2], found[3])


@dataclass(frozen=True, eq=False)
class Chain:
    """K bones in a row that hang on a bone of a rig.

    name : "index.L";  parent : the bone it hangs on
    joints : K + 1 joint names; a bone has the name of the joint it begins at
    places : (K + 1, 3) where the joints lie, object space
    bend : (3,) where the tails go when the joints bend, object space
    confidence : 0 to 1 how likely its joints are right;  collection : of its bones
    """

    name: str
    parent: str
    joints: tuple[str, ...]
    places: np.ndarray
    bend: np.ndarray
    confidence: float = 1.0
    collection: str = "Deform"

    def __post_init__(self):
        object.__setattr__(self, "joints", tuple(self.joints))
        object.__setattr__(self, "places", frozen(self.places, float, (len(self.joints), 3), "places"))
        object.__setattr__(self, "bend", frozen(self.bend, float, (3,), "bend"))

    @property
    def bones(self) -> tuple[str, ...]:
        """The names of its bones, the one nearest to the parent first."""
        return self.joints[:-1]


def with_chains(rig: Rig, chains: Sequence[Chain]) -> Rig:
    """The rig with bones for some chains, each behind its parent's, and with their joints.

    Raises KeyError if a chain's parent is no bone of the rig or of a chain before it.
    """
    chains = tuple(chains)
    if not chains:
        return rig
    names = list(rig.names)
    parents, connected = rig.parents.tolist(), rig.connected.tolist()
    joints, confidence = dict(rig.joints), dict(rig.confidence)
    for chain in chains:
        for k, bone in enumerate(chain.bones):
            if k == 0 and chain.parent not in names:
                raise KeyError(chain.parent)
            parents.append(len(names) - 1 if k else names.index(chain.parent))
            connected.append(k > 0)
            names.append(bone)
        joints |= {n: tuple(p) for n, p in zip(chain.joints, chain.places.tolist(), strict=True)}
        if rig.confidence:
            confidence |= dict.fromkeys(chain.joints, chain.confidence)
    heads = np.concatenate([c.places[:-1] for c in chains])
    tails = np.concatenate([c.places[1:] for c in chains])
    bends = np.concatenate([np.repeat(c.bend[None], len(c.bones), 0) for c in chains])
    return replace(rig, names=tuple(names), parents=np.array(parents), connected=np.array(connected),
                   heads=np.concatenate([rig.heads, heads]), tails=np.concatenate([rig.tails, tails]),
                   x_axes=np.concatenate([rig.x_axes, bend_axes(tails - heads, bends)]),
                   deform=np.concatenate([rig.deform, np.ones(len(heads), bool)]),
                   collections=(*rig.collections, *(c.collection for c in chains for _ in c.bones)),
                   joints=joints, confidence=confidence, chains=(*rig.chains, *chains))


def with_joints(template: SkeletonTemplate, rig: Rig) -> SkeletonTemplate:
    """The template a rig was fitted from, with the joints and bones of the rig's chains as well.

    For showing and pinning joints: it lists them all, says which are partners, and which bones join them.
    """
    chains = [c for c in rig.chains if not set(c.joints) & set(template.names)]
    if not chains:
        return template
    names, parents = list(template.names), template.parents.tolist()
    head_of = {b.name: b.head for b in template.bones}
    bones = list(template.bones)
    size = max(float(np.ptp(rig.heads, axis=0).max()), 1e-12)
    places = [template.positions]
    for chain in chains:
        head_of |= {b: b for b in chain.bones}
        for k, joint in enumerate(chain.joints):
            parents.append(len(names) - 1 if k else names.index(head_of[chain.parent]))
            names.append(joint)
        bones += [Bone(b, b, chain.joints[k + 1], chain.bones[k - 1] if k else chain.parent, k > 0,
                       collection=chain.collection) for k, b in enumerate(chain.bones)]
        places.append(chain.places / size)
    number = {n: i for i, n in enumerate(names)}
    mirror = [number.get(_partner(n), -1) if _partner(n) != n else -1 for n in names]
    mirror[:len(template.names)] = template.mirror.tolist()
    more = np.zeros(len(names) - len(template.names), bool)
    return replace(template, names=tuple(names), parents=np.array(parents), positions=np.concatenate(places),
                   mirror=np.array(mirror), is_foot=np.concatenate([template.is_foot, more]),
                   is_fat=np.concatenate([template.is_fat, more]), bones=tuple(bones))


def _partner(name: str) -> str:
    """The name of the other side."""
    return name[:-1] + {"L": "R", "R": "L"}[name[-1]] if name[-2:] in (".L", ".R") else name

"""A thing with bones of its own, and the bones and weights it gives a character."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import frozen
from ..skeleton.rig import Rig, bend_axes

COLLECTION = "Things"
KINDS = ("cape", "hair", "ear", "skirt", "prop")
_OURS = re.compile(rf"({'|'.join(KINDS)})_.*|base|wing_(\d+_)?\d\.[LR]")
_NAME = re.compile(r"base|((cape|hair|ear|skirt|wing)|prop_[a-z_]+?)(_\d+)?(\.[LR])?")
_CHAIN = re.compile(r"(cape|skirt|hair|ear)_.*|(tail)(_\d+)?")


@dataclass(frozen=True, eq=False)
class Thing:
    """What hangs or is held, unit frame.

    name : "cape", "hair", "ear.L", "prop_hand.R";  parent : the bone it hangs on
    bones : B names;  above : (B,) the bone of its own each hangs on, -1 for the parent
    heads, tails : (B, 3)
    rows : (N,) vertices of the welded mesh;  shares : (N, 1 + B) rows sum to 1; the first is what the body keeps
    on : if they hang on several, the limb's bone that each goes with. A limb's share of the skin is then dealt among
        its own bones: in `shares` these sum to 1 with the first
    is_fused : whether a wing or a cape is one surface with the body
    """

    name: str
    parent: str
    bones: tuple[str, ...]
    above: np.ndarray
    heads: np.ndarray
    tails: np.ndarray
    rows: np.ndarray
    shares: np.ndarray
    on: tuple[str, ...] = ()
    is_fused: bool = False

    def __post_init__(self):
        count = len(self.bones)
        object.__setattr__(self, "bones", tuple(self.bones))
        for key, dtype, size in (("above", np.int64, (count,)), ("heads", float, (count, 3)),
                                 ("tails", float, (count, 3)), ("rows", np.int64, (len(self.rows),)),
                                 ("shares", float, (len(self.rows), 1 + count))):
            object.__setattr__(self, key, frozen(getattr(self, key), dtype, size, key))

    def only(self, names: Sequence[str]) -> Thing:
        """The same with those of its bones that are named; what the others had goes to the bone above, or the body.
        Of things that hang on one bone."""
        kept = [k for k, bone in enumerate(self.bones) if bone in names]
        if len(kept) == len(self.bones):
            return self
        above, shares = self.above.tolist(), self.shares.copy()
        for k in reversed(range(len(self.bones))):  # bones come after those they hang on
            if k not in kept:
                shares[:, 1 + above[k]] += shares[:, 1 + k]
                above = [above[k] if a == k else a for a in above]
        return replace(self, bones=tuple(self.bones[k] for k in kept), heads=self.heads[kept], tails=self.tails[kept],
                       above=np.array([kept.index(above[k]) if above[k] >= 0 else -1 for k in kept], int),
                       shares=shares[:, [0, *(1 + k for k in kept)]])

    def numbered(self, number: int) -> Thing:
        """The same under a name with a number, "hair_2", and so its bones."""
        stem, side = (self.name[:-2], self.name[-2:]) if self.name[-2:] in (".L", ".R") else (self.name, "")
        new = f"{stem}_{number}"
        return replace(self, name=new + side, bones=tuple(new + bone[len(stem):] for bone in self.bones))


def is_wing(thing: str) -> bool:
    """Whether a thing of this name is a wing: it begins on the bone it hangs on alone, whatever arm is nearer."""
    return re.fullmatch(r"wing(_\d+)?\.[LR]", thing) is not None


def is_cape(thing: str) -> bool:
    """Whether a thing of this name is a cape."""
    return re.fullmatch(r"cape(_\d+)?", thing) is not None


def may_be_named(thing: str) -> bool:
    """Whether something on a body may have this name, as one leaves it out by."""
    return _NAME.fullmatch(thing) is not None


def may_be_thing(bone: str) -> bool:
    """Whether a bone of this name may be one of ours for a thing."""
    return _OURS.fullmatch(bone) is not None


def chain_kind(bone: str) -> str:
    """What a bone of this name hangs in, if it is one of ours that bends: "cape", "hair", "ear" or "tail"; else ""."""
    found = _CHAIN.fullmatch(bone)
    return "" if found is None else found[1] or found[2]


def with_things(rig: Rig, things: Sequence[Thing], frame) -> Rig:
    """The rig with the bones of some things, behind all others.  frame : the unit frame of the things

    A thing whose bones have names that are taken already is left out.
    """
    things = [t for t in things if not set(t.bones) & set(rig.names)]
    if not things:
        return rig
    names, parents = list(rig.names), rig.parents.tolist()
    for thing in things:
        first, parent = len(names), names.index(thing.parent)
        names += thing.bones
        held = [names.index(bone) for bone in thing.on] or [parent] * len(thing.bones)
        parents += [bone if above < 0 else first + above
                    for bone, above in zip(held, thing.above.tolist(), strict=True)]
    heads = frame.to_object(np.concatenate([t.heads for t in things]))
    tails = frame.to_object(np.concatenate([t.tails for t in things]))
    linked = np.concatenate([t.above >= 0 for t in things])
    return replace(rig, names=tuple(names), parents=np.array(parents), heads=np.concatenate([rig.heads, heads]),
                   tails=np.concatenate([rig.tails, tails]),
                   x_axes=np.concatenate([rig.x_axes, bend_axes(tails - heads, np.zeros_like(heads))]),
                   connected=np.concatenate([rig.connected, linked]),
                   deform=np.concatenate([rig.deform, np.ones(len(heads), bool)]),
                   collections=(*rig.collections, *[COLLECTION] * len(heads)))

"""Roles of bones by the words in their names and the tree they hang in, for schemes that no bone map lists.

Words are ambiguous: a "shoulder" may be a collar bone or an upper arm, a "leg" a thigh or a shin, a "foot" the toes.
The chain from the trunk to the hand or foot and the lengths of its parts decide. Only lengths and the tree are looked
at, so that a rest pose which means nothing does not matter.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

from . import sides
from .carried import LIMBS, ancestors
from .rig import Rig

SIDES = {"l": "L", "left": "L", "lft": "L", "r": "R", "right": "R", "rgt": "R"}
WORDS = {  # word: what it may be, best first
    **dict.fromkeys(("clavicle", "collar", "collarbone", "scapula"), "collar"),
    **dict.fromkeys(("shoulder", "shldr", "shoulderjoint"), "shoulder"),
    **dict.fromkeys(("upperarm", "uparm", "uarm", "humerus", "shldrbend", "shoulderbend", "armupper", "bicep"),
                    "upper_arm"),
    **dict.fromkeys(("arm",), "arm"),
    **dict.fromkeys(("forearm", "lowerarm", "lowarm", "farm", "elbow", "radius", "ulna", "downarm", "forearmbend",
                     "armlower", "larm"), "forearm"),
    **dict.fromkeys(("hand", "wrist", "palm"), "hand"),
    **dict.fromkeys(("thigh", "upperleg", "upleg", "uleg", "femur", "thighbend", "hip", "legupper", "hipbone"),
                    "thigh"),
    **dict.fromkeys(("leg",), "leg"),
    **dict.fromkeys(("shin", "calf", "knee", "lowerleg", "lowleg", "lleg", "tibia", "downleg", "crus", "leglower",
                     "shinbend"), "shin"),
    **dict.fromkeys(("ankle", "foot", "feet"), "foot"),
    **dict.fromkeys(("toe", "toes", "toebase", "ball", "football", "foretoe"), "toe"),
}
TRUNK = {"head": "head", "skull": "head", "neck": "neck", "upperneck": "neck", "lowerneck": "neck", "hips": "hips",
         "pelvis": "hips", "hip": "hips"}
NO_LIMB = {"twist", "roll", "ik", "fk", "pole", "target", "ctrl", "control", "helper", "end", "nub", "site", "tip",
           "leaf", "effector", "goal", "mch", "org", "corrective", "jiggle", "muscle", "share", "slot"}
NOISE = {"joint", "jnt", "bone", "bip", "j", "def", "cc", "base", "bn", "c", "sk", "b", "skeleton", "rig", "character",
         "mixamorig", "ccbase", "bend", "biped"}
ALIKE = 0.35  # the shorter of a limb's two long bones is at least this part of the longer one
BEYOND = 0.7  # of a limb's shorter bone: what hangs so far from a hand is the hand, unless it is a finger
FINGERS = {"thumb", "index", "middle", "mid", "ring", "pinky", "little", "finger", "fingers"}
SAME = 0.02  # of a chain: joints nearer than this are one


def words_of(name: str) -> tuple[str, str, bool]:
    """(side, word, is_helper) of a bone's name: "Bip01 L UpperArm" -> ("L", "upperarm", False); "" where none is."""
    name = re.split(r"[:|]", name)[-1]
    parts = [p.lower() for p in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]
    helper = bool(set(parts) & NO_LIMB)
    parts = [p for p in parts if not p.isdigit() and p not in NOISE and p not in NO_LIMB]
    side = next((SIDES[p] for p in parts if p in SIDES), "")
    plain = "".join(p for p in parts if p not in SIDES)
    if not side:
        for mark in ("left", "right", "l", "r"):
            for rest in (plain.removeprefix(mark), plain.removesuffix(mark)):
                if rest != plain and rest in WORDS:
                    return SIDES[mark], rest, helper
    if plain not in WORDS and plain not in TRUNK:
        plain = next((w for k in range(len(parts)) if (w := "".join(p for p in parts[k:] if p not in SIDES)) in WORDS),
                     plain)
    return side, plain, helper


def is_wringing(name: str) -> bool:
    """Whether a bone is called one that shares a limb's turn about itself: beside the limb's parts, none of them."""
    return not {"twist", "roll"}.isdisjoint(p.lower() for p in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))


def roles_by_words(rig: Rig) -> dict[str, int]:
    """{role: bone index} of arms, legs, neck and head; empty if no pair of legs or arms is found."""
    kind: dict[int, tuple[str, str]] = {}
    trunk: dict[str, int] = {}
    for bone, name in enumerate(rig.names):
        side, word, helper = words_of(name)
        if helper:
            continue
        if side and word in WORDS:
            kind[bone] = (side, WORDS[word])
        elif not side and word in TRUNK:
            trunk.setdefault(TRUNK[word], bone)
    roles: dict[str, int] = {}
    for side in "LR":
        mine = {b: k for b, (s, k) in kind.items() if s == side}
        roles |= _arm(rig, mine, side) | _leg(rig, mine, side)
    if not any({f"{a}.L", f"{a}.R"} <= set(roles) for a in ("thigh", "upper_arm")):
        return {}
    both = [b for b in ancestors(rig.parents, roles.get("thigh.L", -1)) if "thigh.R" in roles
            and b in ancestors(rig.parents, roles["thigh.R"])] if "thigh.L" in roles else []
    if both:
        roles["hips"] = both[0]
    for role in ("neck", "head"):
        if role in trunk and trunk[role] not in roles.values():
            roles[role] = trunk[role]
    return roles


def _chain(rig: Rig, end: int, mine) -> list[int]:
    """Bones from the first of a side's down to one of them, without those that begin where the next one does."""
    path = [end, *ancestors(rig.parents, end)]
    while path and path[-1] not in mine:
        path.pop()
    path = path[::-1]
    size = np.linalg.norm(np.diff(rig.heads[path], axis=0), axis=1)
    whole = max(float(size.sum()), 1e-12)
    return [b for b, s in zip(path, [*size, np.inf], strict=True) if s > SAME * whole]


def _first(rig: Rig, mine, *kinds: str) -> int:
    """The bone of some kinds that is nearest to the trunk, -1 without."""
    found = [b for b, k in mine.items() if k in kinds]
    return min(found, key=lambda b: (len(ancestors(rig.parents, b)), b), default=-1)


def _arm(rig: Rig, mine, side: str) -> dict[str, int]:
    hand = _first(rig, mine, "hand")
    if hand < 0:
        return {}
    chain = _chain(rig, hand, mine)
    named = [b for b in chain[:-1] if mine.get(b) == "forearm"]
    fore = named[0] if named else -1
    above = chain[:chain.index(fore)] if named else chain[:-1]
    told = [b for b in above if mine.get(b) == "upper_arm"] or [b for b in above if mine.get(b) in ("arm",)]
    if not named:  # "shoulder, arm, hand", or nothing told: the two longest in a row
        pairs = list(pairwise(above))
        if not pairs:
            return {}
        size = dict(zip(chain, np.linalg.norm(np.diff(rig.heads[chain], axis=0), axis=1), strict=False))
        upper, fore = max(pairs, key=lambda p: float(min(size[p[0]], size[p[1]])))
    elif told:
        upper = told[0]
    elif above:
        upper = next((b for b in above[::-1] if mine.get(b) == "shoulder"), above[-1])
    else:
        return {}
    out = {f"upper_arm.{side}": upper, f"forearm.{side}": fore, f"hand.{side}": hand}
    collar = [b for b in chain[:chain.index(upper)] if mine.get(b) in ("collar", "shoulder")]
    return out | ({f"shoulder.{side}": collar[-1]} if collar else {})


def _leg(rig: Rig, mine, side: str) -> dict[str, int]:
    foot = _first(rig, mine, "foot")
    if foot < 0:
        return {}
    chain = _chain(rig, foot, mine)
    shins = [b for b in chain[:-1] if mine.get(b) == "shin"]
    legs = [b for b in chain[:-1] if mine.get(b) == "leg"]
    thighs = [b for b in chain[:-1] if mine.get(b) == "thigh"]
    if shins:
        shin = shins[0]
        above = chain[:chain.index(shin)]
        thigh = next((b for b in above[::-1] if b in thighs), next((b for b in above[::-1] if b in legs),
                                                                   above[-1] if above else -1))
    elif thighs:
        thigh = thighs[-1]
        below = chain[chain.index(thigh) + 1:-1]
        shin = next((b for b in below if b in legs), below[0] if below else -1)
    else:
        thigh, shin = (legs[0], legs[1]) if len(legs) > 1 else (-1, -1)
    if thigh < 0 or shin < 0:
        return {}
    out = {f"thigh.{side}": thigh, f"shin.{side}": shin, f"foot.{side}": foot}
    after = {b: k for b, k in mine.items() if foot in ancestors(rig.parents, b)}
    toe = _first(rig, after, "toe", "foot")
    return out | ({f"toe.{side}": toe} if toe >= 0 else {})


def _is_finger(name: str) -> bool:
    """Whether a bone is called a finger. On large hands of short arms the knuckles lie far from the wrist."""
    return not FINGERS.isdisjoint(word.lower() for word in sides.words_of(name))


def doubts(rig: Rig, roles: dict[str, int]) -> list[str]:
    """Roles that names and shape do not agree on: parts of a limb that do not hang in a row, that are of lengths no
    limb has, or that differ between left and right; and limbs whose upper part, or other side, is missing."""
    out: list[str] = []
    lengths: dict[str, float] = {}
    for limb in LIMBS:
        upper, lower, last = limb[0], limb[1], limb[2]
        for side in "LR":
            known = [f"{p}.{side}" for p in limb if f"{p}.{side}" in roles]
            if not known:
                other = "R" if side == "L" else "L"
                out += [f"{upper}.{side}", f"{lower}.{side}"] if f"{upper}.{other}" in roles else []
                continue
            if f"{upper}.{side}" not in roles or f"{lower}.{side}" not in roles:
                out += [r for r in (f"{upper}.{side}", f"{lower}.{side}") if r not in roles]
                continue
            bones = [roles[r] for r in known]
            out += [r for r, a, b in zip(known[1:], bones, bones[1:], strict=False)
                    if a not in ancestors(rig.parents, b)]
            if f"{last}.{side}" in roles:
                a, b = np.linalg.norm(np.diff(rig.heads[[roles[f"{n}.{side}"] for n in (upper, lower, last)]],
                                              axis=0), axis=1)
                lengths[f"{upper}.{side}"] = float(a + b)
                if limb[0] in ("upper_arm", "thigh") and min(a, b) < ALIKE * max(a, b):
                    out.append(f"{upper if a < b else lower}.{side}")
                end = roles[f"{last}.{side}"]
                beyond = [i for i in np.flatnonzero(rig.parents == end) if not _is_finger(rig.names[i])]
                if limb[0] == "upper_arm" and np.linalg.norm(rig.heads[beyond] - rig.heads[end], axis=1).max(
                        initial=0.0) > BEYOND * min(a, b):
                    out.append(f"{last}.{side}")  # the limb goes on
        left, right = (lengths.get(f"{upper}.{s}") for s in "LR")
        if left and right and min(left, right) < 0.75 * max(left, right):
            out.append(f"{upper}.{'L' if left < right else 'R'}")
    return sorted(set(out))

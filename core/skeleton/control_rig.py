"""From a fitted skeleton to the plan of a control rig: which chains get which of Rigify's types, and where they lie.

The plan is data: bones in the manner of Rigify's metarigs, with Rigify's names for the spine, "spine", "spine.001" and
so on. Every deforming bone of the skeleton is in it once, whole or in pieces; what has no role stands alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from ..geometry.rotation import between, rotate
from .numbered import numbered_limbs
from .rig import Rig
from .sides import split_side

SPINE, HEAD, TAIL = "spines.basic_spine", "spines.super_head", "spines.basic_tail"
ARM, LEG, PAW, FRONT_PAW, REAR_PAW = "limbs.arm", "limbs.leg", "limbs.paw", "limbs.front_paw", "limbs.rear_paw"
FINGER, WING, SINGLE = "limbs.super_finger", "limbs.simple_tentacle", "basic.super_copy"
LEAST_BEND = 0.02  # of a limb's length: how far an elbow lies off the straight line, so that IK knows which way to bend
LINE, PERSONS_LINE = 0.002, 0.05  # of a limb's length: so near to the line, where a joint lies may be chance
SHORTEST = 0.02  # of a chain's length: bones shorter than this are drawn out at the cost of their neighbours
TOE = 0.6  # where on a foot its toes begin, if the skeleton does not say
LIMBS = (("Arm", ("upper_arm", "forearm", "hand")), ("Leg", ("thigh", "shin", "foot", "toe")),
         ("Front", ("front_upper", "front_lower", "front_heel", "front_foot")),
         ("Hind", ("hind_upper", "hind_lower", "hind_heel", "hind_foot")),
         ("Wing", ("wing_upper", "wing_lower", "wing_hand")))
SHOULDERS = ("shoulder", "front_shoulder", "hind_hip")


@dataclass(frozen=True, eq=False)
class ControlBone:
    """A bone of the plan, parents before children.

    head, tail, x_axis : (3,) object space;  parent : "" = none;  connected : its head is the parent's tail
    kind : Rigify's type where a chain begins, "" where it goes on;  settings : of that type, by Rigify's names
    part : what it belongs to, "Torso", "Arm.L";  source : the skeleton's bone whose skin it takes, "" for a helper
    """

    name: str
    parent: str
    head: np.ndarray
    tail: np.ndarray
    x_axis: np.ndarray
    connected: bool
    kind: str
    part: str
    source: str
    settings: Mapping = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Chain:
    """Bones of the skeleton under one of Rigify's types.  pieces : the names each bone gets, and where they begin"""

    kind: str
    part: str
    bones: list[int]
    pieces: list[list[tuple[str, float]]]
    settings: dict = field(default_factory=dict)


def plan_controls(rig: Rig, roles: Mapping[str, int], heels: Mapping[str, np.ndarray]) -> tuple[ControlBone, ...]:
    """The control rig of a skeleton.

    roles : {role: bone index}, as `find_roles` gives them;  heels : {foot bone: (2, 3) the sole's back edge, from its
    inner to its outer end}, as `heel_of` measures them.
    """
    own = numbered_limbs(rig)
    numbered = {bone for bones in own.values() for bone in bones}
    roles = {role: bone for role, bone in roles.items() if rig.deform[bone] and bone not in numbered}
    chains = _trunk(rig, roles)
    chains += [chain for limb, bones in own.items() if (chain := _numbered_limb(rig, limb, bones)) is not None]
    taken = {bone for chain in chains for bone in chain.bones}
    has_wings = "wing_upper.L" in roles
    for part, words in LIMBS:
        for side in (".L", ".R"):
            known = {word: roles[word + side] for word in words if word + side in roles}
            limb = _limb(rig, known, part, side, has_wings)
            if limb is not None and not taken & set(limb.bones):
                chains.append(limb)
                taken |= set(limb.bones)
    role_of = {bone: role for role, bone in roles.items()}
    chains += _rest(rig, role_of, taken)
    return _build(rig, chains, heels)


def heel_of(foot: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(2, 3) the back edge of a sole, from its right to its left end, for a foot that stands on the ground, Z up.

    foot : (2, 3) from ankle to toes;  points : (N, 3) of the foot's skin; without any, a width is guessed
    """
    along = (foot[1] - foot[0]) * [1.0, 1.0, 0.0]
    length = float(np.linalg.norm(along))
    along = along / length if length > 1e-12 else np.array([0.0, -1.0, 0.0])
    across = np.array([-along[1], along[0], 0.0])
    if len(points) < 3:
        middle = foot[0] - 0.3 * length * along
        middle[2] = foot[:, 2].min()
        return middle + np.outer([-0.25, 0.25], length * across)
    ground = float(points[:, 2].min())
    sole = points[points[:, 2] <= ground + 0.35 * max(float(foot[0, 2]) - ground, 1e-9)]
    back = float((sole @ along).min())
    near = sole[sole @ along <= back + 0.5 * max(float((sole @ along).max()) - back, 1e-9)]
    low, high = float((near @ across).min()), float((near @ across).max())
    if high - low < 0.05 * length:
        low, high = low - 0.2 * length, high + 0.2 * length
    return np.array([back * along + w * across + [0.0, 0.0, ground] for w in (low, high)])


def share_along(weights: np.ndarray, along: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """(V, P) one bone's weights shared among the pieces it became, smoothly where one piece passes into the next.

    weights : (V,);  along : (V,) each vertex's place along the bone, 0 = head, 1 = tail
    starts : (P,) where the pieces begin, rising, the first is 0.  Rows sum to `weights`.
    """
    starts = np.asarray(starts, float)
    if len(starts) == 1:
        return weights[:, None].copy()
    sizes = np.diff(np.append(starts, 1.0))
    reach = 0.5 * np.minimum(sizes[:-1], sizes[1:])
    step = np.clip((along[:, None] - starts[1:] + reach) / (2 * reach), 0.0, 1.0)
    passed = np.concatenate([np.ones((len(along), 1)), step * step * (3 - 2 * step), np.zeros((len(along), 1))], axis=1)
    return weights[:, None] * (passed[:, :-1] - passed[:, 1:])


def _trunk(rig: Rig, roles: Mapping[str, int]) -> list[_Chain]:
    """Spine, head and tail."""
    chains = []
    neck, head = roles.get("neck", -1), roles.get("head", -1)
    top = int(rig.parents[neck if neck >= 0 else head]) if max(neck, head) >= 0 else roles.get("chest", -1)
    spine = _path(rig, roles.get("hips", -1), top)
    count = 0
    if len(spine) >= 2 or (spine and head >= 0 and "tail" in roles):
        parts = [1] * (len(spine) - 1) + [max(1, 4 - (len(spine) - 1))]
        pieces = []
        for number in parts:
            pieces.append([(_numbered("spine", count + i), i / number) for i in range(number)])
            count += number
        chains.append(_Chain(SPINE, "Torso", spine, pieces, {"pivot_pos": count // 2}))
    upper = _path(rig, neck if neck >= 0 else head, head)
    if upper and count:
        pieces = []
        for bone in upper:
            number = 2 if bone != upper[-1] and len(upper) == 2 else 1
            pieces.append([(_numbered("spine", count + i), i / number) for i in range(number)])
            count += number
        chains.append(_Chain(HEAD, "Torso", upper, pieces, {"connect_chain": True}))
    tail = _descend(rig, roles.get("tail", -1))
    if tail and count:
        number, pieces = -(-4 // len(tail)), []
        for k in range(len(tail)):
            pieces.append([(_numbered("tail", k * number + i), i / number) for i in range(number)])
        chains.append(_Chain(TAIL, "Tail", tail, pieces))
    return chains


def _limb(rig: Rig, limb: Mapping[str, int], part: str, side: str, has_wings: bool) -> _Chain | None:
    """A limb's chain, if its bones follow one another and are enough for Rigify.  limb : {role without side: bone}"""
    bones = list(limb.values())
    words = [word.replace("_foot", "_toe").replace("_heel", "_foot") for word in limb] if len(limb) == 4 else list(limb)
    if len(bones) < 3 or any(rig.parents[b] != a for a, b in pairwise(bones)):
        return None
    pieces = [[(word + side, 0.0)] for word in words]
    if part in ("Arm", "Wing"):
        return _Chain(ARM if part == "Arm" else WING, part + side, bones, pieces)
    kind = LEG if len(bones) < 4 else {"Front": FRONT_PAW, "Hind": REAR_PAW}.get(part, PAW if has_wings else LEG)
    if len(bones) == 3:  # the toes are a piece of the foot
        pieces[2].append((words[2].replace("foot", "toe") + side, TOE))
    own_rolls = {"rotation_axis": "x"} if part == "Front" and kind == LEG else {}  # its own are those of a knee's leg
    return _Chain(kind, part + side, bones, pieces, {"ik_local_location": False} | own_rolls)


def _numbered_limb(rig: Rig, limb: str, bones: list[int]) -> _Chain | None:
    """The chain of a creature's limb, under the names of its bones; None for one of a single bone."""
    stem, side = limb[:-2], limb[-2:]
    word, _, number = stem.partition("_")
    part = f"{word.title()} {number}".strip()
    pieces = [[(rig.names[bone], 0.0)] for bone in bones]
    if word == "arm" and len(bones) == 3:
        return _Chain(ARM, part + side, bones, pieces)
    if word == "leg" and len(bones) in (3, 4):
        if len(bones) == 3:
            pieces[2].append((f"{stem}_toe{side}", TOE))
        return _Chain(LEG if len(bones) == 3 else PAW, part + side, bones, pieces, {"ik_local_location": False})
    return _Chain(WING, f"Tentacle {number}".strip() + side, bones, pieces) if len(bones) > 1 else None


def _rest(rig: Rig, role_of: Mapping[int, str], taken: set[int]) -> list[_Chain]:
    """What has no part in trunk and limbs: shoulders and single bones, fingers and toes as chains."""
    chains, taken = [], set(taken)
    for bone, name in enumerate(rig.names):
        if bone in taken or not rig.deform[bone]:
            continue
        role = role_of.get(bone, "")
        side = {"left": ".L", "right": ".R"}.get(split_side(name)[1], "")
        word = role_of.get(int(rig.parents[bone]), "").removesuffix(side)
        chain = _descend(rig, bone) if word in ("hand", "toe", "foot", "front_foot", "hind_foot") else [bone]
        if len(chain) > 1 and not taken & set(chain):
            chains.append(_Chain(FINGER, f"Fingers{side}", chain, [[(rig.names[b], 0.0)] for b in chain],
                                 {"primary_rotation_axis": "X"}))
        else:
            chain = [bone]
            shoulder = role.rpartition(".")[0] in SHOULDERS
            settings = {"make_widget": True, "super_copy_widget_type": "shoulder"} if shoulder else {}
            chains.append(_Chain(SINGLE, "Torso" if shoulder else "Extra", chain, [[(role or name, 0.0)]], settings))
        taken |= set(chain)
    return chains


def _build(rig: Rig, chains: list[_Chain], heels: Mapping[str, np.ndarray]) -> tuple[ControlBone, ...]:
    heads, tails = _joined(rig, chains)
    made: dict[int, list[ControlBone]] = {}
    helpers = []
    used: set[str] = set()
    for chain in sorted(chains, key=lambda c: _depth(rig, c.bones[0])):
        first, before = True, ""
        for bone, pieces in zip(chain.bones, chain.pieces, strict=True):
            starts = np.array([start for _, start in pieces] + [1.0])
            ends = heads[bone] + starts[:, None] * (tails[bone] - heads[bone])
            made[bone] = []
            axis = rig.x_axes[bone]
            if chain.part.startswith("Front"):  # all alike: Rigify shares out what lies between two rolls as a twist
                axis = _fold(heads[chain.bones[:2]], tails[chain.bones[1]])
                axis = axis / np.linalg.norm(axis)
            above = made.get(int(rig.parents[bone]), []) if before or chain.kind == HEAD else []
            if above and chain.kind == TAIL:  # Rigify stretches each of its bones from the axes of the one above
                axis = rotate(between(above[-1].tail - above[-1].head, tails[bone] - heads[bone]), above[-1].x_axis)
            elif above and chain.kind in (SPINE, HEAD) and axis @ above[-1].x_axis < 0:
                axis = -axis  # half a turn between two bones would wring the skin
            for k, (wanted, _) in enumerate(pieces):
                name = next(n for n in (wanted + "_" * i for i in range(len(used) + 1)) if n not in used)
                used.add(name)
                parent = before or _hold(made.get(_deform_parent(rig, bone), []), heads[bone])
                made[bone].append(ControlBone(
                    name, parent, ends[k], ends[k + 1], axis, bool(before), chain.kind if first else "",
                    chain.part, rig.names[bone], chain.settings if first else {}))
                first, before = False, name
        if chain.kind == LEG:
            foot = made[chain.bones[2]][0]
            edge = heels.get(foot.source)
            edge = heel_of(np.array([foot.head, foot.tail]), np.empty((0, 3))) if edge is None else edge
            side = "." + chain.part[-1]
            helpers.append(ControlBone(f"{foot.name.removesuffix(side)}_heel{side}", foot.name, edge[0], edge[1],
                                       np.array([0.0, 0.0, 1.0]), False, "", chain.part, ""))
    return (*(bone for pieces in made.values() for bone in pieces), *helpers)


def _joined(rig: Rig, chains: list[_Chain]) -> tuple[np.ndarray, np.ndarray]:
    """Heads and tails with every chain without gaps, and limbs that know which way they bend.

    They bend to where the joint lies already: what an animal's front leg bends at may be its elbow or its wrist. Where
    it lies on the line, or may do so by chance, as a person's, the bone's axis tells.
    """
    heads, tails = rig.heads.copy(), rig.tails.copy()
    for chain in chains:
        ends = _spaced(np.array([*heads[chain.bones], tails[chain.bones[-1]]]))
        heads[chain.bones], tails[chain.bones] = ends[:-1], ends[1:]
        if chain.kind in (ARM, LEG, PAW, FRONT_PAW, REAR_PAW):
            above, below = chain.bones[:2]
            start, end = heads[above], tails[below]
            length = float(np.linalg.norm(end - start))
            lies = _across(heads[below] - start, end - start)
            out = _across(np.cross(tails[below] - heads[below], rig.x_axes[below]), end - start)  # as an elbow bends
            if np.linalg.norm(lies) > (PERSONS_LINE if chain.part[:-2] in ("Arm", "Leg") else LINE) * length:
                out = lies
            size = float(np.linalg.norm(out))
            if size > 1e-12:
                lacking = LEAST_BEND * length - float(lies @ out) / size
                if lacking > 0:
                    heads[below] += lacking * out / size
                    tails[above] = heads[below]
    return heads, tails


def _fold(above: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The axis about which a positive turn folds a limb.  above : (2, 3) where its two bones begin"""
    return np.cross(end - above[0], _across(above[0] - above[1], end - above[0]))


def _across(way: np.ndarray, line: np.ndarray) -> np.ndarray:
    """The part of a way that leads off a line."""
    return way - line * (way @ line) / max(float(line @ line), 1e-30)


def _spaced(joints: np.ndarray) -> np.ndarray:
    """A chain's joints; where two nearly coincide, the joints between the ends move along the chain until none do."""
    sizes = np.linalg.norm(np.diff(joints, axis=0), axis=1)
    total = float(sizes.sum())
    if len(joints) < 3 or total <= 0 or sizes.min() >= SHORTEST * total:
        return joints
    wanted = np.maximum(sizes, 4 * SHORTEST * total)
    along, places = (np.concatenate([[0.0], np.cumsum(s)]) for s in (sizes, wanted * total / wanted.sum()))
    moved = np.stack([np.interp(places, along, axis) for axis in joints.T], axis=1)
    moved[[0, -1]] = joints[[0, -1]]
    return moved


def _hold(pieces: list[ControlBone], place: np.ndarray) -> str:
    """Of a bone's pieces the one nearest to a place, the last of equals; "" without any."""
    if not pieces:
        return ""
    away = [_distance(place, p.head, p.tail) for p in pieces]
    return pieces[len(pieces) - 1 - int(np.argmin(np.round(away[::-1], 9)))].name


def _distance(point: np.ndarray, head: np.ndarray, tail: np.ndarray) -> float:
    along = tail - head
    t = np.clip(float((point - head) @ along) / max(float(along @ along), 1e-30), 0.0, 1.0)
    return float(np.linalg.norm(point - head - t * along))


def _path(rig: Rig, top: int, bottom: int) -> list[int]:
    """Bones from an ancestor down to a descendant, both included; empty if the one does not lead to the other."""
    path, bone = [], bottom
    while bone >= 0 and top >= 0:
        path.append(bone)
        if bone == top:
            return path[::-1]
        bone = int(rig.parents[bone])
    return []


def _descend(rig: Rig, bone: int) -> list[int]:
    """A bone and what goes on from it, one after another, as long as only one begins where the one before ends."""
    chain: list[int] = []
    while bone >= 0:
        chain.append(bone)
        below = np.flatnonzero((rig.parents == bone) & rig.deform)
        on = below[np.linalg.norm(rig.heads[below] - rig.tails[bone], axis=1) <= 1e-3 * np.ptp(rig.heads)]
        bone = int(on[0]) if len(on) == 1 else -1
    return chain


def _deform_parent(rig: Rig, bone: int) -> int:
    bone = int(rig.parents[bone])
    while bone >= 0 and not rig.deform[bone]:
        bone = int(rig.parents[bone])
    return bone


def _depth(rig: Rig, bone: int) -> int:
    depth = 0
    while rig.parents[bone] >= 0:
        bone, depth = int(rig.parents[bone]), depth + 1
    return depth


def _numbered(word: str, number: int) -> str:
    return f"{word}.{number:03d}" if number else word

"""Roles checked against the tree: what names leave out, or put on a control, the skeleton's shape tells."""

from __future__ import annotations

import numpy as np

from ..geometry.rotation import normalized
from .carried import NEAR, ancestors, hanging, loose_bones
from .rig import Rig
from .structure import roles_by_structure
from .words import is_wringing

FAR = 0.35  # of a leg: hips farther than this from the hip joints are a control
HIGH = 0.22  # of a leg's height: a foot that begins higher is part of the leg
STRAIGHT = 0.94  # cosine: a bone that goes on like the one above it is the same part of a limb in two pieces
UPRIGHT = 1.2  # of the hips' height: lower shoulders are an animal's, whose paws may hang elsewhere than on its legs
LONG = 0.15  # of a leg: a bone of this length is a part of it, a shorter one only joins
ARMS = {"front_shoulder": "shoulder", "front_upper": "upper_arm", "front_lower": "forearm", "front_foot": "hand",
        "hind_hip": "hip", "hind_upper": "thigh", "hind_lower": "shin", "hind_heel": "foot", "hind_foot": "foot"}


def completed(rig: Rig, roles: dict[str, int]) -> dict[str, int]:
    """Roles found by name, put right where the tree contradicts them, and those added that it makes plain."""
    roles = dict(roles)
    kind = next((k for k in ("thigh", "hind_upper") if {f"{k}.L", f"{k}.R"} <= set(roles)), "")
    if not kind:
        return roles
    names = ("thigh", "shin", "foot") if kind == "thigh" else ("hind_upper", "hind_lower", "hind_foot")
    for side in "LR":
        _fill_limb(rig, roles, names, side)
        _fill_limb(rig, roles, ("upper_arm", "forearm", "hand"), side)
    _set_hips(rig, roles, kind)
    if kind == "thigh":
        _raise_heels(rig, roles)
    else:
        _raise_thighs(rig, roles)
        _lower_feet(rig, roles)
        roles = _stood_up(rig, roles)
    _add_feet(rig, roles)
    _add_arms(rig, roles)
    _add_trunk(rig, roles)
    return roles


def _set_hips(rig: Rig, roles: dict[str, int], kind: str) -> None:
    """Hips are the bone both legs hang on, unless what is called so is near and carries both, or carries the head,
    without one the front legs, where that bone does not, as in skeletons that begin in the middle of the trunk."""
    left, right = (ancestors(rig.parents, roles[f"{kind}.{s}"]) for s in "LR")
    both = next((b for b in left if b in right), -1)
    if both < 0:
        return
    joints = rig.heads[[roles[f"{kind}.{s}"] for s in "LR"]]
    leg = float(np.ptp(np.concatenate([joints, rig.heads[_below(rig, roles[f"{kind}.L"])]])[:, 2]))
    named = roles.get("hips", -1)
    is_near = named >= 0 and np.linalg.norm(rig.heads[named] - joints.mean(0)) < FAR * max(leg, 1e-12)
    is_high = joints[:, 2].mean() - rig.heads[max(named, 0)][2] < FAR * leg
    if named == both or (is_near and named in ancestors(rig.parents, both)) or (
            named >= 0 and not is_near and is_high and _is_trunk(rig, roles, named, both)):
        return
    for role in [r for r, b in roles.items() if b == both]:
        del roles[role]
    roles["hips"] = both


def _is_trunk(rig: Rig, roles: dict[str, int], bone: int, legs: int) -> bool:
    """Whether a bone carries the one that legs hang on and, past it, the head, or the front legs without one."""
    front = roles.get("head", roles.get("front_upper.L", -1))
    ahead = ancestors(rig.parents, front) if front >= 0 else []
    return bone in ahead and legs not in ahead and bone in ancestors(rig.parents, legs)


def _below(rig: Rig, bone: int) -> list[int]:
    return [i for i in range(len(rig.names)) if i == bone or bone in ancestors(rig.parents, i)]


def _fill_limb(rig: Rig, roles: dict[str, int], names: tuple[str, str, str], side: str) -> None:
    """The middle bone of a limb whose upper and last are known, or the ones that simply follow its upper bone."""
    upper, lower, last = (f"{n}.{side}" for n in names)
    if upper not in roles or lower in roles:
        return
    if last in roles:
        path = ancestors(rig.parents, roles[last])
        between = path[:path.index(roles[upper])] if roles[upper] in path else []
    else:
        between = [i for i, p in enumerate(rig.parents) if p == roles[upper] and i not in roles.values()
                   and not is_wringing(rig.names[i])]
    if between:
        size = np.linalg.norm(rig.tails[between] - rig.heads[between], axis=1)
        roles[lower] = between[int(size.argmax())]


def _raise_heels(rig: Rig, roles: dict[str, int]) -> None:
    """A bird's leg has one bone more than a person's: what lies between shin and foot is called foot, the foot toe."""
    for side in "LR":
        shin, foot = roles.get(f"shin.{side}", -1), roles.get(f"foot.{side}", -1)
        path = ancestors(rig.parents, foot) if foot >= 0 else []
        if shin not in path:
            continue
        between = path[:path.index(shin)]
        reach = float(np.linalg.norm(rig.heads[foot] - rig.heads[roles[f"thigh.{side}"]]))
        if not between:
            continue
        heel = rig.heads[foot] - rig.heads[between[-1]]
        straight = normalized(heel) @ normalized(rig.heads[between[-1]] - rig.heads[shin]) > STRAIGHT
        if np.linalg.norm(heel) > LONG * reach and not straight:
            roles[f"foot.{side}"], roles[f"toe.{side}"] = between[-1], foot


def _raise_thighs(rig: Rig, roles: dict[str, int]) -> None:
    """An animal's thigh may be called anything: a long bone that comes down to the one called upper leg."""
    for kind in ("front", "hind"):
        for side in "LR":
            upper, lower, heel = (f"{kind}_{part}.{side}" for part in ("upper", "lower", "heel"))
            other = f"{kind}_upper.{'R' if side == 'L' else 'L'}"
            if not {upper, lower, other} <= set(roles) or heel in roles:
                continue
            above = int(rig.parents[roles[upper]])
            if above < 0 or above in roles.values() or above in ancestors(rig.parents, roles[other]):
                continue
            down = rig.heads[above] - rig.heads[roles[upper]]
            leg = rig.heads[roles[upper]][2] - _lowest(rig, roles[upper])
            if down[2] > LONG * leg and down[2] > 0.7 * np.linalg.norm(down):
                roles[heel], roles[lower], roles[upper] = roles[lower], roles[upper], above


def _lower_feet(rig: Rig, roles: dict[str, int]) -> None:
    """What is called foot or ankle but begins high above the ground is a heel; its foot is the bone after it."""
    for kind in ("front", "hind"):
        for side in "LR":
            upper, heel, foot = (f"{kind}_{part}.{side}" for part in ("upper", "heel", "foot"))
            if upper not in roles or foot not in roles or heel in roles:
                continue
            bone = roles[foot]
            after = [i for i, p in enumerate(rig.parents) if p == bone]
            ground = _lowest(rig, bone)
            high = rig.heads[bone][2] - ground > HIGH * (rig.heads[roles[upper]][2] - ground)
            long = [i for i in after if rig.heads[bone][2] - rig.heads[i][2] > 0.5 * (rig.heads[bone][2] - ground)]
            if high and long:
                roles[heel], roles[foot] = bone, min(long, key=lambda i: float(rig.heads[i][2]))


def _stood_up(rig: Rig, roles: dict[str, int]) -> dict[str, int]:
    """Front legs that end high above the hind ones are arms: what stands on two legs is called like a person."""
    ends = {kind: [_lowest(rig, roles[f"{kind}_upper.{s}"]) for s in "LR" if f"{kind}_upper.{s}" in roles]
            for kind in ("front", "hind")}
    if not ends["front"] or not ends["hind"]:
        return roles
    hip = max(rig.heads[roles[f"hind_upper.{s}"]][2] for s in "LR" if f"hind_upper.{s}" in roles)
    ground = min(ends["hind"])
    shoulder = max(rig.heads[roles[f"front_upper.{s}"]][2] for s in "LR" if f"front_upper.{s}" in roles)
    if min(ends["front"]) - ground < 0.5 * (hip - ground) or shoulder - ground < UPRIGHT * (hip - ground):
        return roles
    out: dict[str, int] = {}
    for role, bone in roles.items():
        part, _, side = role.partition(".")
        new = ARMS.get(part, part)
        if part == "hind_foot" and f"hind_heel.{side}" in roles:
            new = "toe"
        out[f"{new}.{side}" if side else new] = bone
    return out


def _lowest(rig: Rig, bone: int) -> float:
    return float(rig.heads[_below(rig, bone)][:, 2].min())


def _add_feet(rig: Rig, roles: dict[str, int]) -> None:
    """A leg without a foot gets the bone that hangs on its end, or the loose one that begins where the leg ends."""
    if "hips" not in roles:
        return
    loose = [b for b in loose_bones(rig, roles["hips"]) if b not in roles.values()]
    for kind, foot in (("thigh", "foot"), ("front_upper", "front_foot"), ("hind_upper", "hind_foot")):
        parts = ("thigh", "shin") if kind == "thigh" else tuple(f"{kind[:-5]}{p}" for p in ("upper", "lower", "heel"))
        for side in "LR":
            chain = [roles[f"{p}.{side}"] for p in parts if f"{p}.{side}" in roles]
            if f"{foot}.{side}" in roles or len(chain) < 2:
                continue
            last = hanging(rig, chain)[-1]
            along = rig.tails[last] - rig.heads[last]
            least = (1.0 - NEAR) * float(np.linalg.norm(along))
            beyond = [i for i, p in enumerate(rig.parents) if p == last and i not in roles.values()
                      and not is_wringing(rig.names[i]) and rig.heads[i][2] < rig.heads[last][2]
                      and np.linalg.norm(rig.heads[i] - rig.heads[last]) > least]
            if beyond and kind != "thigh":
                roles[f"{foot}.{side}"] = min(beyond, key=lambda i: float(rig.heads[i][2]))
                continue
            if not loose:
                continue
            away = rig.heads[loose] - rig.heads[last]
            size = np.linalg.norm(away, axis=1)
            reach = size[:, None] * along / max(float(np.linalg.norm(along)), 1e-12)
            whole = size + np.linalg.norm(np.diff(rig.heads[chain], axis=0), axis=1).sum()
            off = np.linalg.norm(away - reach, axis=1) / np.maximum(whole, 1e-12)
            off = np.where(rig.heads[loose][:, 2] < rig.heads[last][2], off, np.inf)
            if off.min() < NEAR:
                roles[f"{foot}.{side}"] = loose[int(off.argmin())]


def _add_arms(rig: Rig, roles: dict[str, int]) -> None:
    """Arms by the tree's shape where no name tells them."""
    if any(r.startswith(("upper_arm", "front_upper")) for r in roles):
        return
    number = {name: i for i, name in enumerate(rig.names)}
    found = {r: number[n] for r, n in roles_by_structure(rig).items()
             if r.startswith(("shoulder", "upper_arm", "forearm", "hand."))}
    known = {b: r.split(".")[0] for r, b in roles.items()}
    for role, bone in found.items():
        if known.get(bone, role.split(".")[0]) == role.split(".")[0]:
            roles[role] = bone


def _add_trunk(rig: Rig, roles: dict[str, int]) -> None:
    """Chest, spine and neck, where no name tells them, lie between the hips, the arms and the head."""
    hips = roles.get("hips", -1)
    arms = [roles[f"{n}.{s}"] for n in ("upper_arm", "front_upper") for s in "LR" if f"{n}.{s}" in roles]
    if hips < 0 or len(arms) < 2:
        return
    left, right = (ancestors(rig.parents, b) for b in arms[:2])
    chest = next((b for b in left if b in right), -1)
    up = ancestors(rig.parents, chest) if chest >= 0 else []
    if "chest" not in roles and chest not in roles.values() and hips in up:
        roles["chest"] = chest
    if "spine" not in roles and hips in up:
        middle = [b for b in up[:up.index(hips)] if b not in roles.values()]
        if middle:
            roles["spine"] = middle[len(middle) // 2]
    if "neck" not in roles and "head" in roles and chest in (path := ancestors(rig.parents, roles["head"])):
        between = [b for b in path[:path.index(chest)] if b not in roles.values()]
        if between:
            roles["neck"] = between[len(between) // 2]

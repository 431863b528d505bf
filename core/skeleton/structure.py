"""Roles of bones read off the skeleton's shape, for skeletons whose names say nothing.

Legs are the pairs of branches that end at the ground, arms the pair that ends farthest out above them, the head the
highest end in the middle. Z must be up; the bones' places are at rest.
"""

from __future__ import annotations

import numpy as np

from .rig import Rig

NEAR = 0.12  # of the skeleton's height: how alike left and right must be, and how near the ground a foot ends


def roles_by_structure(rig: Rig) -> dict[str, str]:
    """{role: bone name}; empty if the skeleton has no pair of legs."""
    if len(rig.names) < 5:
        return {}
    tree = _Tree(rig)
    pairs = tree.pairs()
    legs = [p for p in pairs if tree.ends[p[0]][2] - tree.low < NEAR * tree.height and tree.is_limb(p)]
    if not legs:
        return {}
    legs = _spread(tree, legs)
    roles: dict[str, int] = {}
    if len(legs) == 1:
        kinds = ["leg"]
    else:
        legs = [legs[0], legs[-1]]
        kinds = ["front", "hind"]  # facing -Y, the front legs come first
    for kind, pair in zip(kinds, legs, strict=True):
        roles |= _leg_roles(tree, kind, pair)
    back = roles.get("thigh.L", roles.get("hind_upper.L"))
    taken, own = {tip for leg in legs for tip in leg}, set(roles.values())
    hips = _hips(tree, legs, taken) if back is not None else -1
    if hips >= 0:
        roles["hips"] = hips
        others = [p for p in pairs if not own & {*tree.path(p[0]), *tree.path(p[1])}]  # toes hang on legs
        is_beast = hips != tree.joint_ancestor(legs[-1]) and len(legs) > 1  # what else it has in pairs are wings
        roles |= _trunk_roles(tree, hips, [] if is_beast else others, taken)
    return {role: rig.names[bone] for role, bone in roles.items()}


class _Tree:
    """The rig with its branches and ends."""

    def __init__(self, rig: Rig):
        self.rig = rig
        self.parents = np.asarray(rig.parents)
        self.ends = np.asarray(rig.tails)
        points = np.concatenate([rig.heads, rig.tails])
        self.low, self.height = float(points[:, 2].min()), max(float(np.ptp(points[:, 2])), 1e-12)
        self.middle = float(np.median(rig.heads[:, 0]))
        self.tips = np.setdiff1d(np.arange(len(rig.names)), self.parents)

    def path(self, bone: int) -> list[int]:
        """The bone and its ancestors, the root last."""
        out: list[int] = []
        while bone >= 0 and len(out) <= len(self.parents):
            out.append(int(bone))
            bone = self.parents[bone]
        return out

    def pairs(self) -> list[tuple[int, int]]:
        """(left, right) ends that mirror each other."""
        found = []
        for i in self.tips:
            if self.ends[i][0] - self.middle <= 0.01 * self.height:
                continue
            image = self.ends[i] * [-1, 1, 1] + [2 * self.middle, 0, 0]
            others = [j for j in self.tips if self.ends[j][0] < self.middle]
            away = [float(np.linalg.norm(self.ends[j] - image)) for j in others]
            if away and min(away) < NEAR * self.height:
                found.append((int(i), int(others[int(np.argmin(away))])))
        return found

    def middle_tips(self, taken: set[int]) -> list[int]:
        """The ends in the middle, but for those taken."""
        wide = NEAR * self.height
        return [int(i) for i in self.tips if i not in taken and abs(self.ends[i][0] - self.middle) < wide]

    def top(self, hips: int, tips: list[int]) -> int:
        """Of ends the highest and furthest ahead, -1 if all lie rather behind the hips than above them."""
        high = {i: float((self.ends[i] - self.rig.heads[hips]) @ (0.0, -1.0, 1.0)) for i in tips}
        best = max(high, key=high.__getitem__, default=-1)
        return best if best >= 0 and high[best] > 0 else -1

    def joint_ancestor(self, pair) -> int:
        """The bone both sides hang on, -1 if there is none."""
        other = set(self.path(pair[1]))
        return next((b for b in self.path(pair[0]) if b in other), -1)

    def is_limb(self, pair) -> bool:
        """Whether both sides hang on one bone and come down from above: controls on the ground do not."""
        above = self.joint_ancestor(pair)
        top = self.branch(pair[0], above)[0] if above >= 0 else -1
        return top >= 0 and self.rig.heads[top][2] - self.low > NEAR * self.height

    def branch(self, tip: int, above: int) -> list[int]:
        """Bones from below `above` down to the tip."""
        path = self.path(tip)
        return path[:path.index(above)][::-1] if above in path else path[::-1]

    def reach(self, bones: list[int]) -> np.ndarray:
        """Lengths of a branch's bones, head to next head: tails of foreign skeletons mean little."""
        heads = np.concatenate([self.rig.heads[bones], self.ends[bones[-1:]]])
        return np.linalg.norm(np.diff(heads, axis=0), axis=1)


def _spread(tree: _Tree, legs) -> list[tuple[int, int]]:
    """One pair for each place the legs hang on, from front to back: toes of one foot are one leg."""
    best: dict[int, tuple[int, int]] = {}
    for pair in legs:
        top = tree.branch(pair[0], tree.joint_ancestor(pair))[0]
        if top not in best or tree.ends[pair[0]][2] < tree.ends[best[top][0]][2]:
            best[top] = pair
    return sorted(best.values(), key=lambda p: float(tree.rig.heads[tree.branch(p[0], tree.joint_ancestor(p))[0]][1]))


def _leg_roles(tree: _Tree, kind: str, pair) -> dict[str, int]:
    roles: dict[str, int] = {}
    names = ("thigh", "shin", "foot", "toe") if kind == "leg" else tuple(
        f"{kind}_{part}" for part in ("upper", "lower", "heel", "foot"))
    for side, tip in zip("LR", pair, strict=True):
        bones = tree.branch(tip, tree.joint_ancestor(pair))
        reach = tree.reach(bones)
        first = int(np.argmax(reach >= 0.5 * reach.max()))  # the hip's own short bone comes before
        rest = bones[first:]
        if kind == "leg":
            chosen = dict(zip(names, rest, strict=False))
        else:
            height = tree.rig.heads[rest][:, 2] - tree.low  # what begins on the ground is the foot, however long
            is_part = (reach[first:] >= 0.35 * reach.max()) & (height > 0.1 * height[0])
            long = 1 + int(np.flatnonzero(is_part).max())
            # the shoulder blade is a long bone too
            blade = [f"{kind}_shoulder"] if kind == "front" and long > 2 else []
            parts = [*blade, *names[:3]][:min(long, 3 + len(blade))]
            chosen = dict(zip(parts, rest, strict=False))
            if len(rest) > len(parts):
                chosen[names[3]] = rest[len(parts)]
        roles |= {f"{name}.{side}": bone for name, bone in chosen.items()}
    return roles


def _hips(tree: _Tree, legs, taken: set[int]) -> int:
    """The bone that carries the legs and the head, or without a head all legs, -1 for none: rather one above the bone
    that the hind legs hang on, where this carries but a tail, as in skeletons that begin in the middle of the trunk.
    What lies on the ground is no hips."""
    above = tree.joint_ancestor(legs[-1])
    if above < 0:
        return above
    top = tree.top(above, tree.middle_tips(taken))
    path = tree.path(top if top >= 0 else legs[0][0])
    both = next((b for b in tree.path(above) if b in path), -1)
    return both if both >= 0 and tree.rig.heads[both][2] - tree.low > NEAR * tree.height else above


def _trunk_roles(tree: _Tree, hips: int, pairs, taken: set[int]) -> dict[str, int]:
    """Arms, neck, head and spine above the hips."""
    roles: dict[str, int] = {}
    below = {i for i in range(len(tree.parents)) if hips in tree.path(i)}
    arms = [p for p in pairs if p[0] in below and len(tree.branch(p[0], tree.joint_ancestor(p))) >= 2]
    chest = -1
    if arms:
        pair = max(arms, key=lambda p: float(tree.reach(tree.branch(p[0], tree.joint_ancestor(p))).sum()))
        chest = tree.joint_ancestor(pair)
        for side, tip in zip("LR", pair, strict=True):
            bones = tree.branch(tip, chest)
            reach = tree.reach(bones)
            first = int(np.argmax(reach[:-1] + reach[1:])) if len(bones) > 2 else 0  # the two longest in a row
            if first > 0:
                roles[f"shoulder.{side}"] = bones[first - 1]
            roles |= {f"{n}.{side}": b for n, b in zip(("upper_arm", "forearm", "hand"), bones[first:], strict=False)}
        taken = taken | {tip for p in arms for tip in p}
    tops = [i for i in tree.middle_tips(taken) if i in below]
    top = tree.top(hips, tops)
    start = chest if chest in tree.path(top) else hips
    up = tree.branch(top, start) if top >= 0 else []
    if up:
        roles["head"] = up[-1] if len(up) < 3 else up[2] if start == chest else up[-1]
        if len(up) > 1:
            roles["neck"] = up[0] if start == chest else up[-2]
    ends = [i for i in tops if i != top and tree.ends[i][1] > tree.rig.heads[hips][1]]
    if ends:
        roles["tail"] = tree.branch(max(ends, key=lambda i: float(tree.ends[i][1])), hips)[0]
    middle = tree.branch(chest, hips) if chest >= 0 and chest != hips else [b for b in up[:-2] if start == hips]
    if middle:
        roles["chest"] = middle[-1]
    if len(middle) > 1:
        roles["spine"] = middle[(len(middle) - 1) // 2]
    return roles

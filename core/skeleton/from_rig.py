"""A template from any armature, so that the same skeleton can be fitted into the next character.

Each bone begins at a joint and leads to the child its own tail points to; tails of importers that mean nothing are so
corrected. What is too fine to be found in a shape (fingers, faces) and what is no part of the body (twist bones, IK
targets, a root on the ground) is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ..errors import BadRig
from .rig import Rig
from .sides import pairs_by_name, pairs_by_place, split_side, words_of
from .template import Bone, SkeletonTemplate

_CONTROLS = frozenset(["twist", "roll", "ik", "fk", "pole", "target", "ctrl", "control", "mch", "org"])
# Left out where they branch off, though they may be long on a cartoon's body.
_FINE = frozenset(["thumb", "index", "middle", "ring", "pinky", "little", "finger", "fingers", "eye", "jaw", "mouth",
                   "tongue", "ear", "feather", "hair"])


@dataclass(eq=False)
class _Tree:
    """The bones kept, and the longest side of the rig. parent : (B,) the nearest kept bone above, -1 = root."""

    rig: Rig
    kept: list[int]
    parent: np.ndarray
    size: float

    def __post_init__(self):
        self.children: dict[int, list[int]] = {b: [] for b in self.kept}
        for b in self.kept:
            if self.parent[b] >= 0:
                self.children[int(self.parent[b])].append(b)

    def reach(self, bone: int) -> float:
        """Length of the longest chain of bones from this bone's head on."""
        heads, best, stack = self.rig.heads, 0.0, [(bone, 0.0)]
        while stack:
            b, far = stack.pop()
            end = 0.0 if self.children[b] else float(np.linalg.norm(self.rig.tails[b] - heads[b]))
            best = max(best, far + end)
            stack += [(c, far + float(np.linalg.norm(heads[c] - heads[b]))) for c in self.children[b]]
        return best

    def rises_to(self, bone: int, z: float) -> bool:
        """Whether the bone or anything hanging on it ends at a height or above."""
        return self.rig.tails[bone, 2] >= z or any(self.rises_to(c, z) for c in self.children[bone])

    def last(self, bone: int) -> np.ndarray:
        """(3,) the end of a bone or of anything hanging on it, the furthest from the bone's head."""
        ends, stack = [], [bone]
        while stack:
            b = stack.pop()
            ends.append(self.rig.tails[b])
            stack += self.children[b]
        away = np.linalg.norm(np.array(ends) - self.rig.heads[bone], axis=1)
        return ends[int(away.argmax())]


def template_from_rig(rig: Rig, name: str, *, finest: float = 0.08, merge: float = 2e-3) -> SkeletonTemplate:
    """The template of a rig's skeleton: joints, mirror pairs, feet and fat joints found by themselves.

    rig : at rest, Z up, facing -Y;  finest : branches shorter than this share of the rig's longest side are left out
    where several grow from one bone;  merge : joints closer than this share are one
    Bones keep their names, parents and the way they bend. Raises BadRig if nothing is left to fit.
    """
    tree = _body_bones(rig)
    tips = _prune(tree, finest)
    carrier = _carriers(tree, merge)
    joints, points, parents, head_of, tail_of = _joints(tree, carrier, tips, merge)
    names = _joint_names(rig, joints)
    order = _parents_first(parents)
    place = np.argsort(order)
    points, names = points[order], [names[i] for i in order]
    parents = np.array([-1 if parents[i] < 0 else place[parents[i]] for i in order])
    mirror = _mirror(points, names, tree.size)
    low = np.array([*((points.max(0) + points.min(0)) / 2)[:2], points[:, 2].min()])
    feet, fat = _feet_and_fat(points, parents, mirror)
    begins, ends = ({b: names[place[j]] for b, j in joint_of.items()} for joint_of in (head_of, tail_of))
    bones = _bones(tree, begins, ends)
    return SkeletonTemplate(name=name, kind=_kind(feet, parents, mirror), names=tuple(names), parents=parents,
                            positions=(points - low) / tree.size, mirror=mirror, is_foot=feet, is_fat=fat, bones=bones)


def _body_bones(rig: Rig) -> _Tree:
    """Deform bones that are no controls, under one root; a root bone that only stands on the ground goes too."""
    ends = np.concatenate([rig.heads, rig.tails]) if len(rig.names) else np.zeros((1, 3))
    size, low, height = float(np.ptp(ends, axis=0).max()), ends[:, 2].min(), float(np.ptp(ends[:, 2]))
    deform = rig.deform if rig.deform.any() else np.ones(len(rig.names), bool)
    keep = [b for b, n in enumerate(rig.names) if deform[b] and not _words(n) & _CONTROLS]
    while keep:
        parent = _kept_parents(rig, keep)
        roots = [b for b in keep if parent[b] < 0]
        below = {b: sum(_is_under(parent, c, b) for c in keep) for b in roots}
        root = max(roots, key=lambda b: below[b])
        children = [b for b in keep if parent[b] == root]
        keep = [b for b in keep if _is_under(parent, b, root)]
        on_ground = rig.heads[root, 2] - low < 0.05 * height
        if on_ground and len(children) == 1 and rig.heads[children[0], 2] - low > 0.15 * height:
            keep.remove(root)
            continue
        break
    if len(keep) < 1 or size <= 0:
        raise BadRig("The armature has no bones that move skin, so no template can be made of it. Turn on Deform for "
                     "the bones of the body.")
    return _Tree(rig, keep, _kept_parents(rig, keep), size)


def _kept_parents(rig: Rig, keep: list[int]) -> np.ndarray:
    inside, parent = set(keep), np.full(len(rig.names), -1)
    for b in keep:
        above = int(rig.parents[b])
        while above >= 0 and above not in inside:
            above = int(rig.parents[above])
        parent[b] = above
    return parent


def _is_under(parent: np.ndarray, bone: int, root: int) -> bool:
    while bone >= 0 and bone != root:
        bone = int(parent[bone])
    return bone == root


def _prune(tree: _Tree, finest: float) -> dict[int, np.ndarray]:
    """Leave out short branches where several grow; returns the tips (3,) of bones that lost what they ended in."""
    tips: dict[int, np.ndarray] = {}
    top = max(float(tree.rig.tails[b, 2]) for b in tree.kept) - 1e-6 * tree.size
    for b in list(tree.kept):
        if b not in tree.children or not tree.children[b]:
            continue
        if len(tree.children[b]) == 1:
            only = tree.children[b][0]
            if _words(tree.rig.names[only]) & _FINE and not _in_line(tree, b, [only]):
                _leave_out(tree, only)
            continue
        limit = {c: finest * (3 if _words(tree.rig.names[c]) & _FINE else 1) for c in tree.children[b]}
        # A head without a neck is short too, but it is the highest.
        short = [c for c in tree.children[b] if tree.reach(c) < limit[c] * tree.size and not tree.rises_to(c, top)]
        if len(short) == len(tree.children[b]) and _in_line(tree, b, short):
            tips[b] = tree.last(b)
        for c in short:
            _leave_out(tree, c)
    return tips


def _words(name: str) -> set[str]:
    return {w.lower() for w in words_of(name)}


def _in_line(tree: _Tree, bone: int, children: list[int]) -> bool:
    """Whether what hangs on a bone goes on from its end, as fingers do, and not back, as a jaw does."""
    along = np.mean([tree.rig.heads[c] for c in children], axis=0) - tree.rig.heads[bone]
    own = tree.rig.tails[bone] - tree.rig.heads[bone]
    return float(along @ own) > 0.5 * float(own @ own)


def _leave_out(tree: _Tree, bone: int) -> None:
    tree.children[int(tree.parent[bone])].remove(bone)
    stack = [bone]
    while stack:
        b = stack.pop()
        stack += tree.children.pop(b)
        tree.kept.remove(b)


def _carriers(tree: _Tree, merge: float) -> dict[int, int]:
    """{bone: the child whose head ends it}: the one nearest to its tail, rather one of no side; else -1."""
    heads, tails = tree.rig.heads, tree.rig.tails
    sided = {b: 0.02 * tree.size * (split_side(tree.rig.names[b])[1] != "") for b in tree.kept}
    found = {}
    for b in tree.kept:
        apart = [c for c in tree.children[b] if np.linalg.norm(heads[c] - heads[b]) > merge * tree.size]
        found[b] = min(apart, key=lambda c: (float(np.linalg.norm(heads[c] - tails[b])) + sided[c], c), default=-1)
    return found


def _joints(tree: _Tree, carrier: dict[int, int], tips: dict[int, np.ndarray], merge: float):
    """Joints as (bone, is tip), their points (J, 3) and parents (J,), and the joints {bone: j} of heads and tails."""
    rig, near = tree.rig, merge * tree.size
    joints: list[tuple[int, bool]] = []
    points: list[np.ndarray] = []
    parents: list[int] = []
    head_of: dict[int, int] = {}

    def add(bone: int, tip: bool, point: np.ndarray, above: int) -> int:
        joints.append((bone, tip))
        points.append(np.asarray(point, float))
        parents.append(above)
        return len(joints) - 1

    def place(bone: int, above: int, relatives: list[int]) -> None:
        match = [j for j in relatives if np.linalg.norm(points[j] - rig.heads[bone]) <= near]
        head_of[bone] = match[0] if match else add(bone, False, rig.heads[bone], above)

    stack = [next(b for b in tree.kept if tree.parent[b] < 0)]
    place(stack[0], -1, [])
    while stack:
        b = stack.pop(0)
        own = head_of[b]
        children = sorted(tree.children[b], key=lambda c: (c != carrier[b], c))
        known = [own]
        for c in children:
            nearest = min(known[:2], key=lambda j: float(np.linalg.norm(points[j] - rig.heads[c])))
            place(c, own if c == carrier[b] else nearest, known)
            known.append(head_of[c])
        stack += children
    tail_of = {b: head_of[carrier[b]] for b in tree.kept if carrier[b] >= 0}
    for b in tree.kept:
        tip = tips.get(b, rig.tails[b])
        if carrier[b] < 0 and not tree.children[b] and np.linalg.norm(tip - rig.heads[b]) > near:
            tail_of[b] = add(b, True, tip, head_of[b])
    return joints, np.array(points), np.array(parents), head_of, tail_of


def _joint_names(rig: Rig, joints: list[tuple[int, bool]]) -> list[str]:
    """A joint is called as the bone that begins there; "hand.L" ends in "hand_tip.L"."""
    names: list[str] = []
    for bone, tip in joints:
        name = rig.names[bone]
        if tip:
            sided = re.fullmatch(r"(.+?)([._-](?:L|R|l|r|left|right|Left|Right))", name)
            name = f"{sided[1]}_tip{sided[2]}" if sided else f"{name}_tip"
        while name in names:
            name += "'"
        names.append(name)
    return names


def _parents_first(parents: np.ndarray) -> np.ndarray:
    depth = np.zeros(len(parents), int)
    for j in range(len(parents)):
        above = int(parents[j])
        while above >= 0:
            depth[j] += 1
            above = int(parents[above])
    return np.argsort(depth, kind="stable")


def _mirror(points: np.ndarray, names: list[str], size: float) -> np.ndarray:
    """(J,) partners by name, then by place about the plane the named pairs share."""
    partner = pairs_by_name(names)
    paired = partner >= 0
    x = float(points[paired, 0].mean()) if paired.any() else float(points[0, 0])
    return pairs_by_place(points, partner, x, 0.03 * size)


def _feet_and_fat(points: np.ndarray, parents: np.ndarray, mirror: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(J,) ends near the ground, of pairs if there are any; (J,) joints of the middle from which branches grow."""
    children = np.bincount(parents[parents >= 0], minlength=len(points))
    feet = (children == 0) & (points[:, 2] - points[:, 2].min() < 0.12 * np.ptp(points[:, 2]))
    if (feet & (mirror >= 0)).any():
        feet &= mirror >= 0
    return feet, (children >= 2) & (mirror < 0)


def _kind(feet: np.ndarray, parents: np.ndarray, mirror: np.ndarray) -> str:
    ends = ~np.isin(np.arange(len(parents)), parents) & (mirror >= 0)
    count = (int(feet.sum()), int((ends & ~feet).sum()))
    return "quadruped" if count[0] == 4 and count[1] < 2 else "biped" if count[0] == 2 and count[1] >= 2 else "other"


def _bones(tree: _Tree, head: dict[int, str], tail: dict[int, str]) -> tuple[Bone, ...]:
    """The template's bones, parents first; bones without length are skipped and hand their children up."""
    rig = tree.rig
    stack = [b for b in tree.kept if tree.parent[b] < 0]
    made: dict[int, int] = {}
    out = []
    while stack:
        b = stack.pop(0)
        above = int(tree.parent[b])
        above = made.get(above, -1) if above >= 0 else -1
        stack += tree.children[b]
        if b not in tail:
            made[b] = above
            continue
        made[b] = b
        along = rig.tails[b] - rig.heads[b]
        bend = np.cross(rig.x_axes[b], along / max(float(np.linalg.norm(along)), 1e-300))
        out.append(Bone(rig.names[b], head[b], tail[b], None if above < 0 else rig.names[above],
                        bool(rig.connected[b]) and above >= 0 and tail[above] == head[b], bool(rig.deform[b]),
                        (float(bend[0]), float(bend[1]), float(bend[2])), rig.collections[b]))
    return tuple(out)

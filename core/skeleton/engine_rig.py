"""A fitted skeleton as an engine wants it: names, root, number of bones in the spine, helpers, axes.

The engine's file is the only place that knows one engine from another.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from scipy import sparse

from ..errors import BadRig
from ..geometry.rotation import normalized
from .carried import ancestors
from .control_rig import share_along
from .engine import Engine
from .rig import Rig
from .root import with_root
from .twist import is_twist

AXES = {"X": 0, "Y": 1, "Z": 2}


@dataclass(frozen=True, eq=False)
class EngineRig:
    """rig : the engine's bones, parents first, their Y and X axes as the engine has them
    sources : for each of them the bone of the character it follows, -1 for one that stays
    shares : {the character's bone: ((engine's bone, where on the bone it begins, 0 to 1), ...)} to deal weights by
    roles : {role: the engine's bone that begins there};  is_person : it has all the engine needs of a person
    """

    rig: Rig
    sources: np.ndarray
    shares: dict[str, tuple[tuple[str, float], ...]]
    roles: dict[str, str]
    is_person: bool


@dataclass
class _Draft:
    """Bones as they are collected."""

    names: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    heads: list[np.ndarray] = field(default_factory=list)
    tails: list[np.ndarray] = field(default_factory=list)
    x_axes: list[np.ndarray] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    deform: list[bool] = field(default_factory=list)

    def add(self, name: str, parent: str, head, tail, x_axis, source: int, deform: bool) -> None:
        if name in self.names:
            raise BadRig(f"Two bones would be called '{name}'. Rename one of them.")
        self.names.append(name)
        self.parents.append(parent)
        self.heads.append(np.asarray(head, float))
        self.tails.append(np.asarray(tail, float))
        self.x_axes.append(np.asarray(x_axis, float))
        self.sources.append(source)
        self.deform.append(deform)


def engine_rig(rig: Rig, roles: dict[str, int], engine: Engine, ground: float, *, name: str = "character") -> EngineRig:
    """What an engine is given.

    rig : the character's frame, parents before children, in the rest pose the engine wants;  roles : {role: bone}
    ground : height of the ground;  name : of the character, for errors
    Raises BadRig for a body the engine has no skeleton for, naming the character and the way out.
    """
    roles = _aliased(_as_named(rig, roles, engine), engine)
    missing = _missing(roles, engine)
    if missing and engine.people_only:
        raise BadRig(f"{engine.label} knows only people's skeletons, and '{name}' has no '{missing[0]}'. Choose an "
                     "engine that takes any body: Unreal, Unity or Godot.")
    own_twists = bool(missing) and any(map(is_twist, engine.bones))  # an animal's, with our names
    if missing:
        engine = replace(engine, bones={}, chains=(), inserted={}, helpers=(), axes={})
    draft = _Draft()
    shares: dict[str, tuple[tuple[str, float], ...]] = {}
    last: dict[int, str] = {}
    role_of = {bone: role for role, bone in roles.items()}
    pieces = _pieces(rig, roles, role_of, engine, own_twists)
    for bone, own in enumerate(rig.names):
        above = int(rig.parents[bone])
        below = last[above] if above >= 0 else ""
        if not pieces[bone]:
            shares[own], last[bone] = ((below, 0.0),), below
            continue
        below = _insert(draft, rig, roles, role_of.get(bone, ""), bone, below, engine)
        starts = np.array([start for _, start in pieces[bone]] + [1.0])
        ends = rig.heads[bone] + starts[:, None] * (rig.tails[bone] - rig.heads[bone])
        for k, (piece, _) in enumerate(pieces[bone]):
            draft.add(piece, below, ends[k], ends[k + 1], rig.x_axes[bone], bone, True)
            below = piece
        shares[own], last[bone] = tuple(pieces[bone]), below
    return _finished(draft, shares, roles, pieces, engine, ground, not missing)


def _as_named(rig: Rig, roles: dict[str, int], engine: Engine) -> dict[str, int]:
    """The roles as the engine's own names tell them, where all that it needs is called so; otherwise as they are."""
    number = {name: b for b, name in enumerate(rig.names)}
    named = {role: number[name] for role, name in engine.bones.items() if name in number}
    for of, names in engine.chains:
        there = [number[name] for name in names if name in number]
        named |= {of[-1]: there[-1], of[0]: there[0]} if there else {}
    if _missing(named, engine):
        return roles
    return {role: bone for role, bone in roles.items() if bone not in named.values()} | named


def _missing(roles: dict[str, int], engine: Engine) -> list[str]:
    return [role for role in engine.needed if role not in roles and engine.aliases.get(role) not in roles]


def _aliased(roles: dict[str, int], engine: Engine) -> dict[str, int]:
    taken = {role: wanted for role, wanted in engine.aliases.items() if role in roles and wanted not in roles}
    return {taken.get(role, role): bone for role, bone in roles.items()}


def _pieces(rig: Rig, roles: dict[str, int], role_of: dict[int, str], engine: Engine, own_twists: bool
            ) -> list[list[tuple[str, float]]]:
    """For each bone the engine's bones it becomes and where they begin on it; none for one that joins another.

    own_twists : twist bones without a name of the engine's stay
    """
    out: list[list[tuple[str, float]]] = []
    for bone, own in enumerate(rig.names):
        role = role_of.get(bone, own)
        named = engine.bones.get(role, "")
        joins = (engine.only or (is_twist(role) and not own_twists)) and not named and rig.parents[bone] >= 0
        ending = next((e for e in engine.endings if own.endswith(e)), "")
        other = own[:len(own) - len(ending)] + engine.endings.get(ending, "") if ending else own
        out.append([] if joins else [(named or other, 0.0)])
    for of, names in engine.chains:
        chain = [roles[role] for role in of if role in roles]
        if not chain or any(a not in ancestors(rig.parents, b) for a, b in pairwise(chain)):
            continue
        ways = [[b, *ancestors(rig.parents, b)] for b, name in enumerate(rig.names) if name in names or b == chain[-1]]
        way = max((way for way in ways if chain[-1] in way), key=len)  # as far up as bones have the engine's names
        whole = way[way.index(chain[0])::-1]  # with bones in between that have no role, as a rig of one's own may have
        chain = whole if len(whole) <= len(names) else chain
        counts = _dealt(np.linalg.norm(rig.tails[chain] - rig.heads[chain], axis=1), len(names))
        given = iter(names)
        for bone, count in zip(chain, counts, strict=True):
            out[bone] = [(next(given), k / count) for k in range(count)] or out[bone]
    return out


def _dealt(lengths: np.ndarray, number: int) -> list[int]:
    """How many of `number` pieces each bone becomes: by length, at least one each as far as they go."""
    counts = np.zeros(len(lengths), int)
    counts[:number] = 1
    for _ in range(number - int(counts.sum())):
        counts[np.argmax(lengths / counts)] += 1
    return counts.tolist()


def _insert(draft: _Draft, rig: Rig, roles: dict[str, int], role: str, bone: int, below: str, engine: Engine) -> str:
    """The bone that the engine has between this one and the one it hangs on, if any; what this one hangs on then."""
    for name, (under, above, at) in engine.inserted.items():
        if name in rig.names or above != role or under not in roles or roles[under] not in ancestors(rig.parents, bone):
            continue
        start = rig.heads[roles[under]]
        head = start + at * (rig.heads[bone] - start)
        draft.add(name, below, head, rig.heads[bone], rig.x_axes[bone], roles[under], True)
        return name
    return below


def _finished(draft: _Draft, shares, roles, pieces, engine: Engine, ground: float, is_person: bool) -> EngineRig:
    number = {name: i for i, name in enumerate(draft.names)}
    rig = Rig(tuple(draft.names), np.array([number.get(p, -1) for p in draft.parents], int),
              np.array(draft.heads), np.array(draft.tails), np.array(draft.x_axes), deform=np.array(draft.deform))
    sources = list(draft.sources)
    if engine.root and (engine.root not in number or rig.parents[number[engine.root]] >= 0):
        rig, sources = with_root(rig, ground, name=engine.root), [-1, *sources]
    rig, helpers = _with_helpers(_with_axes(rig, engine), roles, pieces, engine)
    return EngineRig(rig, np.array([*sources, *(sources[i] if i >= 0 else -1 for i in helpers)]),
                     shares, {role: pieces[bone][0][0] for role, bone in roles.items() if pieces[bone]}, is_person)


def _with_helpers(rig: Rig, roles, pieces, engine: Engine) -> tuple[Rig, list[int]]:
    """The rig with the engine's helper bones, and which bone each of them copies, -1 for those that lie on their
    parent."""
    copied: list[int] = []
    for name, parent, role in engine.helpers:
        if name in rig.names or (role and (role not in roles or not pieces[roles[role]])) or parent not in rig.names:
            continue
        above = rig.names.index(parent)
        like = rig.names.index(pieces[roles[role]][0][0]) if role else above
        more = lambda many, i=like: np.concatenate([many, many[i:i + 1]])  # noqa: E731 - one line for every field
        rig = Rig((*rig.names, name), np.append(rig.parents, above), more(rig.heads), more(rig.tails),
                  more(rig.x_axes), deform=np.append(rig.deform, False))
        copied.append(like if role else -1)
    return rig, copied


def _with_axes(rig: Rig, engine: Engine) -> Rig:
    """The rig with its bones turned in place to the engine's axes."""
    along, x_axes = normalized(rig.tails - rig.heads), rig.x_axes
    y_axes, new_x = along.copy(), x_axes.copy()
    for i, name in enumerate(rig.names):
        fixed = engine.axes.get(name, engine.axes.get("*"))
        if fixed is not None:
            new_x[i], y_axes[i] = fixed
            continue
        turned = engine.along.get(name, engine.along.get("*"))
        if turned is not None:
            columns = _columns(turned, along[i], x_axes[i])
            new_x[i], y_axes[i] = columns[0], columns[1]
    length = np.linalg.norm(rig.tails - rig.heads, axis=1, keepdims=True)
    return replace(rig, tails=rig.heads + length * y_axes, x_axes=new_x)


def _columns(turned: tuple[str, str], along: np.ndarray, bend: np.ndarray) -> np.ndarray:
    """(3, 3) X, Y and Z of a bone, right-handed, two of them given."""
    out = np.zeros((3, 3))
    first, second = (AXES[axis[-1]] for axis in turned)
    out[first] = along * (-1 if turned[0][0] == "-" else 1)
    out[second] = bend * (-1 if turned[1][0] == "-" else 1)
    third = 3 - first - second
    out[third] = np.cross(out[(third + 1) % 3], out[(third + 2) % 3])
    return out


def file_axes(engine: Engine) -> np.ndarray:
    """(3, 3) the character's frame (Z up, facing -Y) -> the engine's file, its units included."""
    up, front = (np.eye(3)[AXES[a[-1]]] * (-1 if a[0] == "-" else 1) for a in (engine.up, engine.front))
    left = np.cross(up, front)  # a right-handed body: left, back, up
    return np.stack([left, -front, up], axis=1) / engine.unit


def dealt_weights(weights: sparse.csr_matrix, points: np.ndarray, rig: Rig, plan: EngineRig, most: int
                  ) -> sparse.csr_matrix:
    """(V, B') the character's weights as the engine's bones have them: one bone's shared among its pieces, smoothly
    along it, those of bones that join another added up; rows without weights follow the first bone that moves skin.

    Where a vertex would follow more than `most` bones, pieces of one bone that it hardly follows leave their share to
    that bone's others, so what the character's own bones do to it stays the same.

    weights : (V, B) of the rig's bones, at most `most` in a row
    points : (V, 3) in the space of `rig`, which is the character's as it was bound
    """
    number = {name: i for i, name in enumerate(plan.rig.names)}
    columns = sparse.csc_matrix(weights, dtype=float)
    found: list[list[np.ndarray]] = [[], [], [], []]  # vertex, engine's bone, weight, the character's bone
    for bone, own in enumerate(rig.names):
        part = slice(columns.indptr[bone], columns.indptr[bone + 1])
        held, weight = columns.indices[part], columns.data[part]
        along = rig.tails[bone] - rig.heads[bone]
        place = (points[held] - rig.heads[bone]) @ along / max(float(along @ along), 1e-300)
        shared = share_along(weight, place, np.array([start for _, start in plan.shares[own]]))
        for k, (name, _) in enumerate(plan.shares[own]):
            for kept, values in zip(found, (held, np.full(len(held), number[name]), shared[:, k],
                                            np.full(len(held), bone)), strict=True):
                kept.append(values)
    bare = np.flatnonzero(np.asarray(columns.sum(1)).ravel() <= 0)
    first = np.full(len(bare), int(np.argmax(plan.rig.deform)))
    for kept, values in zip(found, (bare, first, np.ones(len(bare)), np.full(len(bare), -1)), strict=True):
        kept.append(values)
    row, column, weight, source = (np.concatenate(kept) for kept in found)
    column = _limited(row, column, weight, source, most)
    out = sparse.csr_matrix((weight, (row, column)), shape=(len(points), len(plan.rig.names)))
    out.eliminate_zeros()
    return out


def _limited(row: np.ndarray, column: np.ndarray, weight: np.ndarray, source: np.ndarray, most: int) -> np.ndarray:
    """The engine's bone each share goes to: its own, or where a row has too many the largest of the same source."""
    order = np.lexsort((column, -weight, source, row))
    starts = np.ones(len(order), bool)  # the largest share of each bone on each vertex
    starts[1:] = (np.diff(row[order]) != 0) | (np.diff(source[order]) != 0)
    largest = np.empty(len(order), np.int64)
    largest[order] = order[np.flatnonzero(starts)[np.cumsum(starts) - 1]]
    is_first = largest == np.arange(len(order))
    ranked = np.lexsort((column, -weight, ~is_first, row))
    begins = np.searchsorted(row[ranked], row[ranked])
    rank = np.empty(len(order), np.int64)
    rank[ranked] = np.arange(len(order)) - begins
    return np.where(is_first | (rank < most), column, column[largest])

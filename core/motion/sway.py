"""Secondary motion: chains that hang on a body lag behind it, swing and come to rest again.

Each bone is a damped pendulum on the end of the one before it. What a chain weighs was there when it was modelled, so
that a body at rest moves nothing; its stiffness is told as so many times its weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry.rotation import between, continuous, from_matrix, to_matrix
from ..geometry.segments import segment_ways
from ..skeleton.rig import Rig

GRAVITY = 9.81 / 1.7  # a body's heights a second squared, of a person 1.7 metres tall
DAMPING, AIR = 0.8, 0.3  # share of critical damping; share of that against still air, the rest against the body
SHORTEST = 0.03  # heights: shorter bones swing no quicker than one so long
STEP = 1 / 60  # seconds at most between two states
MARGIN = 0.02  # heights: how far off the flesh the end of a bone stays, if it rests so far off
SETTLE, ROUNDS, SAME = 2.0, 8, 5e-3  # seconds before a motion that is no loop; rounds of a loop until no end of a bone
# lies further from where it lay the round before, in shares of the shortest bone's length


@dataclass(frozen=True, eq=False)
class Hanging:
    """What hangs, as numbers of a rig's bones.

    chains : bones of each, the first hangs on the body;  stiffness : of each, in weights: 0 is a rope
    """

    chains: tuple[tuple[int, ...], ...]
    stiffness: tuple[float, ...]


def sway(rig: Rig, turns: np.ndarray, heads: np.ndarray, hanging: Hanging, *, rate: float, down: np.ndarray,
         height: float, flesh: np.ndarray, loop: bool = False) -> dict[int, np.ndarray]:
    """{bone: (T, 4) its turn against its parent, in the axes of the rest pose} of every bone that hangs.

    turns : (T, B, 3, 3) of the rig's bones in space since the rest pose;  heads : (T, B, 3) where they begin
    rate : frames a second;  down : (3,) unit vector;  height : of the body, in the rig's units
    flesh : (B,) how thick the body is around each bone, 0 where nothing hinders
    loop : the last frame is the first one again, the way over the ground apart
    """
    state = _Pendulums(rig, hanging, down, height, flesh, rate)
    frames = len(turns)
    steps = max(1, int(np.ceil(1 / (rate * STEP))))
    path = _Path(rig, turns, heads, state)
    state.start(path, 0)
    if not loop:
        for _ in range(int(SETTLE / state.dt)):
            state.step(path, 0, 0.0)
    stride = (path.roots[-1] - path.roots[0]).mean(0) if loop else np.zeros(3)  # a root may stay behind
    for _ in range(ROUNDS if loop else 1):
        before, held = state.ends.copy(), [state.turns.copy()]
        for t in range(frames - 1):
            for k in range(1, steps + 1):
                state.step(path, t, k / steps)
            held.append(state.exact(path, t))
        state.ends, state.aims = state.ends - stride, state.aims - stride
        if loop and (np.linalg.norm(state.ends - before, axis=1) <= SAME * state.lengths.min()).all():
            break
    if loop:
        held[-1] = held[0]
    return state.local(np.stack(held), turns)


class _Path:
    """Where the body is between two frames: what carries the chains, and what they keep out of."""

    def __init__(self, rig: Rig, turns: np.ndarray, heads: np.ndarray, state: _Pendulums):
        first = state.first
        self.carriers, self.roots = turns[:, state.carriers], heads[:, first]
        tails = heads + np.einsum("tbij,bj->tbi", turns, rig.tails - rig.heads)
        self.starts, self.stops = heads[:, state.solid], tails[:, state.solid]

    def at(self, frame: int, share: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Turns of what carries (C, 3, 3), where the chains begin (C, 3), the ends of the flesh's bones (S, 3)."""
        after = min(frame + 1, len(self.roots) - 1)
        return tuple((1 - share) * x[frame] + share * x[after]
                     for x in (self.carriers, self.roots, self.starts, self.stops))


class _Pendulums:
    """All bones that hang: their ends, how fast these are, and their turns since the rest pose."""

    def __init__(self, rig: Rig, hanging: Hanging, down: np.ndarray, height: float, flesh: np.ndarray, rate: float):
        chains = hanging.chains
        self.bones = np.array([bone for chain in chains for bone in chain], int)
        self.first = np.array([chain[0] for chain in chains], int)
        self.carriers = np.array([rig.parents[chain[0]] for chain in chains], int)
        self.chain = np.repeat(np.arange(len(chains)), [len(chain) for chain in chains])
        depth = np.concatenate([np.arange(len(chain)) for chain in chains])
        self.levels = [np.flatnonzero(depth == k) for k in range(depth.max() + 1)]
        along = rig.tails[self.bones] - rig.heads[self.bones]
        self.lengths = np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
        self.rest = along / self.lengths
        self.inner, self.before = depth > 0, np.maximum(np.arange(len(depth)) - 1, 0)
        ends = np.where(self.inner[:, None], rig.tails[self.bones[self.before]], rig.heads[self.bones])
        self.gaps = rig.heads[self.bones] - ends  # from the end of the bone before to where a bone begins, at rest
        stiffness = np.array(hanging.stiffness, float)[self.chain][:, None]
        self.hang = np.asarray(down, float) / (1 + stiffness)
        self.lean = self.rest - self.hang  # with the body; `hang` stays as it is
        self.dt = 1 / (rate * max(1, int(np.ceil(1 / (rate * STEP)))))
        self.pull = height * GRAVITY / np.maximum(self.lengths, SHORTEST * height) * (1 + stiffness)
        self.brake = 2 * DAMPING * np.sqrt(self.pull)
        self.solid = np.flatnonzero(flesh > 0)
        off = segment_ways(rig.tails[self.bones], rig.heads[self.solid], rig.tails[self.solid])[1]
        self.keep = np.minimum(off, flesh[self.solid] + MARGIN * height)
        self.ends, self.speed = np.zeros((len(self.bones), 3)), np.zeros((len(self.bones), 3))
        self.turns, self.aims = np.tile(np.eye(3), (len(self.bones), 1, 1)), self.ends

    def start(self, path: _Path, frame: int) -> None:
        """At rest against the body."""
        carriers, roots, _, _ = path.at(frame, 0.0)
        self.turns = carriers[self.chain]
        for level, own in enumerate(self.levels):
            begin = roots[self.chain[own]] if level == 0 else self.ends[own - 1]
            begin = begin + np.einsum("nij,nj->ni", self.turns[own], self.gaps[own])
            self.ends[own] = begin + self.lengths[own] * np.einsum("nij,nj->ni", self.turns[own], self.rest[own])
        self.aims = self.ends.copy()

    def step(self, path: _Path, frame: int, share: float) -> None:
        """One step on, the body so far between a frame and the next. All bones at once: each goes by where the one
        before it will be, then their lengths are restored from the body outwards."""
        carriers, roots, starts, stops = path.at(frame, share)
        above = np.where(self.inner[:, None, None], self.turns[self.before], _turned(carriers)[self.chain])
        begin = np.where(self.inner[:, None], (self.ends + self.dt * self.speed)[self.before], roots[self.chain])
        begin = begin + (above @ self.gaps[..., None])[..., 0]
        ahead = _unit((above @ self.lean[..., None])[..., 0] + self.hang)
        aims = begin + self.lengths * ahead
        carried = (1 - AIR) * self.brake * (aims - self.aims) / self.dt
        speed = (self.speed + self.dt * (self.pull * (aims - self.ends) + carried)) / (1 + self.dt * self.brake)
        ends = self._kept_out(self.ends + self.dt * speed, starts, stops)
        for level, own in enumerate(self.levels):
            if level:
                begin[own] = ends[own - 1] + (above[own] @ self.gaps[own, :, None])[..., 0]
            ends[own] = begin[own] + self.lengths[own] * _unit(ends[own] - begin[own])
        self.speed, self.ends, self.aims = (ends - self.ends) / self.dt, ends, aims
        self.turns = to_matrix(between((above @ self.rest[..., None])[..., 0], ends - begin)) @ above

    def exact(self, path: _Path, frame: int) -> np.ndarray:
        """(N, 3, 3) turns of the bones, each without twist against the one before it."""
        carriers, roots, _, _ = path.at(frame, 1.0)
        for level, own in enumerate(self.levels):
            above = carriers[self.chain[own]] if level == 0 else self.turns[own - 1]
            begin = roots[self.chain[own]] if level == 0 else self.ends[own - 1]
            begin = begin + np.einsum("nij,nj->ni", above, self.gaps[own])
            straight = np.einsum("nij,nj->ni", above, self.rest[own])
            self.turns[own] = to_matrix(between(straight, self.ends[own] - begin)) @ above
        return self.turns.copy()

    def _kept_out(self, ends: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
        """Ends of bones (N, 3) out of the flesh they lie deepest in."""
        if not len(starts):
            return ends
        way, off = segment_ways(ends, starts, stops)
        lacks = self.keep - off
        pick = np.arange(len(ends)), lacks.argmax(1)
        return ends + np.maximum(lacks[pick], 0.0)[:, None] * _unit(way[pick])

    def local(self, held: np.ndarray, turns: np.ndarray) -> dict[int, np.ndarray]:
        """Turns against the parents.  held : (T, N, 3, 3) in space"""
        above = np.roll(held, 1, axis=1)
        above[:, self.levels[0]] = turns[:, self.carriers]
        own = continuous(from_matrix(np.swapaxes(above, 2, 3) @ held))
        return dict(zip(self.bones.tolist(), np.moveaxis(own, 1, 0), strict=True))


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def _turned(matrices: np.ndarray) -> np.ndarray:
    """Rotations nearly as blends of two that are close."""
    x = _unit(matrices[:, :, 0])
    y = _unit(matrices[:, :, 1] - x * (x * matrices[:, :, 1]).sum(1, keepdims=True))
    return np.stack([x, y, np.cross(x, y)], axis=2)

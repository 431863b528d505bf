"""Bodies of no learned kind: many legs, no legs, and things."""

from __future__ import annotations

import numpy as np

from .character import Character, Piece, cell_of_pieces, grow_pieces, grown_once, thicker
from .implicit import Blend, Common, Ellipsoid, HalfSpace, RoundCone, Squashed, strand

SIDES = (("L", 1.0), ("R", -1.0))
BROWN, GREEN, BLUE, WOOD = (0.35, 0.27, 0.22), (0.35, 0.55, 0.25), (0.35, 0.5, 0.75), (0.6, 0.42, 0.25)


def ranges(rng: np.random.Generator | None):
    """A function of (low, high): a number between them, the middle without a generator."""
    return (lambda a, b: (a + b) / 2) if rng is None else rng.uniform


def grown(name: str, kind: str, solid, joints: dict, paint, vertices: int, *, mirrored: bool = True) -> Character:
    """solid : a function of the thinnest radius that the lattice can see"""
    cell = cell_of_pieces([Piece("body", solid(0.0), paint)], vertices, mirrored=mirrored)
    return grow_pieces(name, [Piece("body", solid(cell), paint)], joints, kind, cell, mirrored=mirrored)


@grown_once
def many_legged(rng: np.random.Generator | None = None, *, pairs: int = 4, lost: int = 0,
                vertices: int = 4000) -> Character:
    """A spider of four pairs of legs, or an insect of three: legs rise to a knee and come down to the ground.

    lost : so many legs of the left side, from the front, are missing
    """
    vary = ranges(rng)
    high, knee, reach = vary(0.12, 0.25), vary(0.18, 0.4), vary(0.45, 0.75)
    thick, fat, long = vary(0.016, 0.03), vary(0.12, 0.2), vary(0.1, 0.25)
    joints = {"body": (0, 0, high), "head": (0, -0.17, high), "abdomen": (0, 0.1, high),
              "abdomen_tip": (0, 0.2 + long, high)}
    lines = {}
    for side, sign in SIDES:
        for k, angle in enumerate(np.radians(np.linspace(50, -50, pairs))):
            if side == "L" and k < lost:
                continue
            way = np.array([sign * np.cos(angle), -np.sin(angle), 0])
            start = np.array([sign * 0.07, -0.1 * np.sin(angle), high])
            line = [start, start + way * 0.35 * reach + [0, 0, knee], start + way * 0.7 * reach + [0, 0, 0.2 * knee],
                    start * [1, 1, 0] + way * reach]
            lines[k, side] = line
            joints |= {f"leg_{k + 1}_{i + 1}.{side}": p for i, p in enumerate(line)}

    def solid(cell):
        radius = thicker(np.array([1.3, 1.0, 0.8, 0.6]) * thick, cell)
        parts = [Ellipsoid((0, -0.04, high), (0.09, 0.14, 0.07)),
                 Ellipsoid((0, 0.14 + long / 2, high), (fat, 0.1 + long / 2, fat * 0.8))]
        return Blend((*parts, *(strand(line, radius) for line in lines.values())), 0.015)
    return grown("many_legged", "other", solid, joints, BROWN, vertices, mirrored=not lost)


@grown_once
def snake(rng: np.random.Generator | None = None, *, vertices: int = 3000, bends: float = 0.0) -> Character:
    """A snake that winds along the ground, its head a little broader.

    bends : so many wide bends, alike to both sides of its middle
    """
    vary = ranges(rng)
    waves, wide, thick = vary(0.0, 2.2), vary(0.0, 0.22), vary(0.03, 0.055)
    t = np.linspace(0, 1, 73 if bends else 25)
    side = 0.4 * np.cos(2 * np.pi * bends * (t - 0.5)) if bends else (
        wide * np.sin(2 * np.pi * waves * t) * (0.3 + 0.7 * t))
    line = np.stack([side, 2 * t - 1, np.full(len(t), thick)], 1)
    joints = {f"spine_{k}": line[len(t) // 8 * k] for k in range(9)}

    def solid(cell):
        radius = thicker(np.interp(t, [0, 0.06, 0.15, 0.6, 1], [0.8, 1.2, 0.9, 1.0, 0.25]) * thick, cell)
        return Blend((strand(line, radius),), 0.01)
    return grown("snake", "other", solid, joints, GREEN, vertices, mirrored=False)


@grown_once
def fish(rng: np.random.Generator | None = None, *, vertices: int = 3000) -> Character:
    """A fish with a tail fin that stands, a fin on its back and two at its sides."""
    vary = ranges(rng)
    deep, wide, tail, fin = vary(0.13, 0.25), vary(0.07, 0.13), vary(0.12, 0.25), vary(0.14, 0.28)
    mid = 0.5
    joints = {"head": (0, -0.5, mid), "body": (0, -0.1, mid), "tail": (0, 0.35, mid), "tail_tip": (0, 0.65, mid)}
    joints |= {f"fin_1.{s}": (sign * wide, -0.15, mid - 0.05) for s, sign in SIDES}
    joints |= {f"fin_tip.{s}": (sign * (wide + fin), 0.0, mid - 0.14) for s, sign in SIDES}

    def solid(cell):
        flat = float(thicker(0.02, cell))
        sheet = lambda ends, r: Squashed(strand(ends, r), (flat / max(r), 1.0, 1.0), (0, 0, mid))  # noqa: E731
        parts = [Ellipsoid((0, -0.1, mid), (wide, 0.4, deep)),
                 RoundCone((0, 0.1, mid), (0, 0.45, mid), 0.07, 0.035),
                 sheet([(0, 0.42, mid), (0, 0.62, mid + tail)], [0.05, 0.05]),
                 sheet([(0, 0.42, mid), (0, 0.62, mid - tail)], [0.05, 0.05]),
                 sheet([(0, -0.1, mid + 0.7 * deep), (0, 0.08, mid + deep + 0.1)], [0.1, 0.05])]
        for s, _ in SIDES:
            ends = [joints[f"fin_1.{s}"], joints[f"fin_tip.{s}"]]
            parts.append(strand(ends, [float(thicker(0.035, cell)), float(thicker(0.02, cell))]))
        return Blend(tuple(parts), 0.02)
    return grown("fish", "other", solid, joints, BLUE, vertices)


@grown_once
def octopus(rng: np.random.Generator | None = None, *, arms: int = 8, vertices: int = 5000) -> Character:
    """A bag above a wreath of arms that taper and curl."""
    vary = ranges(rng)
    reach, curl, bag, thick = vary(0.5, 0.8), vary(-0.1, 0.25), vary(0.17, 0.26), vary(0.04, 0.065)
    joints, lines = {"body": (0, 0, 0.25), "top": (0, 0.05, 0.3 + 2 * bag)}, []
    t = np.linspace(0, 1, 9)
    for k, angle in enumerate(np.pi * (2 * np.arange(arms) + 1) / arms - np.pi / 2):
        out = 0.08 + reach * t
        rise = 0.2 * (1 - t) ** 2 + thick * 0.5 + curl * t**4
        line = np.stack([np.cos(angle) * out, np.sin(angle) * out, rise], 1)
        lines.append(line)
        joints |= {f"arm_{k + 1}_{i + 1}": line[2 * i] for i in range(5)}

    def solid(cell):
        radius = thicker(thick * (1 - 0.75 * t), cell)
        return Blend((Ellipsoid((0, 0.03, 0.25 + bag), (0.85 * bag, 0.9 * bag, 1.15 * bag)),
                      Ellipsoid((0, 0, 0.2), (0.12, 0.12, 0.1)), *(strand(line, radius) for line in lines)), 0.03)
    return grown("octopus", "other", solid, joints, (0.7, 0.35, 0.4), vertices)


@grown_once
def chair(rng: np.random.Generator | None = None, *, vertices: int = 4000) -> Character:
    """Four legs, a seat, a back of two posts and a rail."""
    vary = ranges(rng)
    wide, deep, seat, back = vary(0.18, 0.3), vary(0.18, 0.28), vary(0.35, 0.55), vary(0.3, 0.6)
    thick = vary(0.022, 0.04)
    joints = {"seat": (0, 0, seat)}
    posts = []
    for s, sign in SIDES:
        for name, y in (("front", -deep), ("back", deep)):
            posts.append([(sign * wide, y, seat), (sign * wide, y, thick)])
            joints |= {f"{name}.{s}": posts[-1][0], f"{name}_tip.{s}": posts[-1][1]}
        posts.append([(sign * wide, deep, seat), (sign * wide, deep * 1.2, seat + back)])
        joints |= {f"post.{s}": posts[-1][0], f"post_tip.{s}": posts[-1][1]}

    def solid(cell):
        r = float(thicker(thick, cell))
        board = Ellipsoid((0, 0, seat), (wide * 1.5, deep * 1.5, wide))
        plate = Squashed(board, (1.0, 1.0, 1.4 * r / wide), (0, 0, seat))
        rail = strand([(-wide, 1.2 * deep, seat + back), (wide, deep * 1.2, seat + back)], [r, r])
        return Blend((plate, rail, *(strand(p, [r, r]) for p in posts)), 0.01)
    return grown("chair", "other", solid, joints, WOOD, vertices)


@grown_once
def tree(rng: np.random.Generator | None = None, *, vertices: int = 4000) -> Character:
    """A bare trunk that forks into branches, none the mirror image of another."""
    rng = np.random.default_rng(0) if rng is None else rng
    crown = np.array([rng.uniform(-0.04, 0.04), rng.uniform(-0.04, 0.04), rng.uniform(0.45, 0.6)])
    joints, parts = {"trunk": np.zeros(3), "fork": crown}, [(np.zeros(3), crown, 0.07, 0.045)]
    count = int(rng.integers(3, 6))
    turns = (np.arange(count) + rng.uniform(-0.2, 0.2, count)) / count
    for k, angle in enumerate(2 * np.pi * turns + rng.uniform(0, 6)):
        end = crown + rng.uniform(0.3, 0.5) * np.array([np.cos(angle), np.sin(angle), rng.uniform(0.4, 1.4)])
        parts.append((crown, end, 0.04, 0.018))
        joints[f"branch_{k + 1}_tip"] = end

    def solid(cell):
        return Blend(tuple(RoundCone(tuple(a), tuple(b), float(thicker(ra, cell)), float(thicker(rb, cell)))
                           for a, b, ra, rb in parts), 0.02)
    return grown("tree", "other", solid, joints, WOOD, vertices, mirrored=False)


@grown_once
def ghost(rng: np.random.Generator | None = None, *, vertices: int = 2500) -> Character:
    """A drop that floats: round above, drawn out below, with two stubs for arms."""
    vary = ranges(rng)
    fat, long, stub = vary(0.2, 0.32), vary(0.4, 0.7), vary(0.08, 0.2)
    top = 0.2 + long
    joints = {"body": (0, 0, top), "top": (0, 0, top + 0.9 * fat), "end": (0, 0.15, 0.2)}
    joints |= {f"arm.{s}": (sign * 0.8 * fat, -0.05, top - 0.08) for s, sign in SIDES}
    joints |= {f"arm_tip.{s}": (sign * (fat + stub), -0.1, top - 0.1) for s, sign in SIDES}

    def solid(cell):
        thick = [0.06, float(thicker(0.045, cell))]
        arms = [strand([joints[f"arm.{s}"], joints[f"arm_tip.{s}"]], thick) for s, _ in SIDES]
        return Blend((RoundCone((0, 0, top), (0, 0.15, 0.2), fat, float(thicker(0.04, cell))), *arms), 0.03)
    return grown("ghost", "other", solid, joints, (0.9, 0.92, 0.95), vertices)


@grown_once
def star(rng: np.random.Generator | None = None, *, arms: int = 5, vertices: int = 3000) -> Character:
    """A starfish that lies on the ground."""
    vary = ranges(rng)
    reach, thick = vary(0.35, 0.6), vary(0.06, 0.11)
    joints, ends = {"body": (0, 0, 0.08)}, []
    for k, angle in enumerate(2 * np.pi * np.arange(arms) / arms - np.pi / 2):
        ends.append((reach * np.cos(angle), reach * np.sin(angle), 0.05))
        joints[f"arm_{k + 1}_tip"] = ends[-1]
    solid = lambda cell: Blend(tuple(RoundCone((0, 0, 0.08), e, thick, float(thicker(0.03, cell))) for e in ends), 0.02)  # noqa: E731
    return grown("star", "other", solid, joints, (0.85, 0.5, 0.3), vertices)


@grown_once
def wheeled(*, wheels: int = 4, cell: float = 0.03) -> Character:
    """A cart of loose parts: a box, and wheels at its sides, each with its axle along x."""
    joints, parts = {}, [_box((0, 0, 0.28), (0.18, 0.45, 0.1))]
    for k, y in enumerate(np.linspace(-0.32, 0.32, wheels // 2)):
        for side, sign in SIDES:
            joints[f"wheel_{k + 1}_1.{side}"] = x, y, z = sign * 0.25, float(y), 0.14
            tyre = RoundCone((x - 1, y, z), (x + 1, y, z), 0.13, 0.13)
            parts.append(Common((tyre, _box((x, y, z), (0.045, 1, 1))), 0.005))
    pieces = [Piece(f"part {i}", solid, BROWN) for i, solid in enumerate(parts)]
    return grow_pieces("wheeled", pieces, joints, "other", cell, mirrored=False)


def _box(centre, half) -> Common:
    """A box with edges a little rounded."""
    return Common(tuple(HalfSpace(tuple(sign * axis), float(sign * axis @ centre + axis @ half))
                        for axis in np.eye(3) for sign in (1, -1)), 0.005)


@grown_once
def six_legged_beast(*, vertices: int = 3500) -> Character:
    """A beast with a head, a tail and three pairs of straight legs under a level trunk."""
    joints = {"head": (0, -0.68, 0.72), "tail": (0, 0.8, 0.4)}

    def solid(cell):
        parts = [Ellipsoid((0, 0, 0.5), (0.13, 0.42, 0.14)), RoundCone((0, -0.4, 0.55), (0, -0.6, 0.7), 0.08, 0.07),
                 Ellipsoid((0, -0.68, 0.72), (0.07, 0.12, 0.07)), RoundCone((0, 0.4, 0.55), (0, 0.8, 0.4), 0.04, 0.02)]
        legs = [strand([(sign * 0.1, y, 0.45), (sign * 0.12, y + 0.03, 0.25), (sign * 0.12, y, 0.03)],
                       thicker(np.array([0.06, 0.04, 0.035]), cell)) for y in (-0.3, 0, 0.3) for _, sign in SIDES]
        return Blend((*parts, *legs), 0.03)
    return grown("six_legged_beast", "other", solid, joints, BROWN, vertices)

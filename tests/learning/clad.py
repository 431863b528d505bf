"""What people of games and toys have about them: hats, masses of hair, packs, robes, plates, sleeves, things held.

Every shape is a tube around a line, whose rings are ellipses or rounded boxes. Landmarks stay those of the body within.
"""

from __future__ import annotations

import numpy as np

CLAD = 0.3  # so often a person has some of these
EACH = {"hat": 0.4, "hair": 0.4, "bunches": 0.15, "pack": 0.3, "robe": 0.2, "plates": 0.3, "sleeves": 0.2, "pole": 0.25,
        "disc": 0.25, "belt": 0.2}
SIDES = 20  # of a ring
NEEDED = ("hips", "neck", "head", "head_top", *(f"{n}.{s}" for n in ("upper_arm", "forearm", "hand") for s in "LR"))

Body = tuple[np.ndarray, np.ndarray]


def tube(line: np.ndarray, radii: np.ndarray, rng: np.random.Generator, square: float = 0.0) -> Body:
    """A closed tube: (vertices, faces).

    line : (N, 3) its middle;  radii : (N,) or (N, 2) half sizes of its rings;  square : 0 for ellipses, 1 for boxes
    """
    line, radii = np.asarray(line, float), np.asarray(radii, float)
    radii = np.repeat(radii[:, None], 2, 1) if radii.ndim == 1 else radii
    way = np.gradient(line, axis=0)
    way /= np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-12)
    side = np.cross(way, np.where(np.abs(way[:, 1:2]) < 0.9, [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]]))
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(way, side)
    angle = np.linspace(0, 2 * np.pi, SIDES, endpoint=False) + rng.uniform(0, 0.3)
    ring = np.stack([np.cos(angle), np.sin(angle)], 1)
    ring /= (np.abs(ring) ** (2 + 6 * square)).sum(1, keepdims=True) ** (1 / (2 + 6 * square))
    points = line[:, None] + radii[:, None, :1] * ring[None, :, :1] * side[:, None] \
        + radii[:, None, 1:] * ring[None, :, 1:] * up[:, None]
    rows = np.arange(len(line) * SIDES).reshape(-1, SIDES)
    a, b, c, d = (r.ravel() for r in (rows[:-1], rows[1:], np.roll(rows[1:], -1, 1), np.roll(rows[:-1], -1, 1)))
    ends = len(line) * SIDES + np.array([0, 1])
    first, last = rows[0], rows[-1]
    lids = [np.stack([np.full(SIDES, ends[0]), first, np.roll(first, -1)], 1),
            np.stack([np.full(SIDES, ends[1]), np.roll(last, -1), last], 1)]
    return (np.concatenate([points.reshape(-1, 3), line[[0, -1]]]),
            np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1), *lids]))


def lump(middle: np.ndarray, half: np.ndarray, rng: np.random.Generator, square: float = 0.0) -> Body:
    """An ellipsoid, or a rounded box, along the axes."""
    t = np.linspace(-0.98, 0.98, 9)
    width = (1 - np.abs(t) ** (2 + 6 * square)) ** (1 / (2 + 6 * square))
    line = middle + t[:, None] * half[2] * np.array([0.0, 0.0, 1.0])
    return tube(line, width[:, None] * half[None, :2], rng, square)


def clad(vertices: np.ndarray, joints: dict, rng: np.random.Generator, *, often: float = CLAD) -> list[Body]:
    """What a person has about it, if anything: [(vertices, faces)].

    vertices : (N, 3) the body, z up, facing -y;  joints : {preset joint: (3,)};  often : so often it has something
    """
    if rng.random() > often or not all(isinstance(joints.get(n), np.ndarray) and np.isfinite(joints[n]).all()
                                      for n in NEEDED):
        return []
    out: list[Body] = []
    for what, share in EACH.items():
        if rng.random() < share:
            out += MADE[what](vertices, joints, rng)
    return out


def _head(joints: dict) -> tuple[np.ndarray, np.ndarray, float]:
    """(middle, top, half the height) of a head."""
    low, top = joints["head"], joints["head_top"]
    return (low + top) / 2, top, float(np.linalg.norm(top - low)) / 2


def _hat(vertices, joints, rng) -> list[Body]:
    _, top, r = _head(joints)
    u = rng.uniform
    base = top - [0, 0, u(0.2, 0.9) * r]
    tall, tip = u(0.5, 3.5) * r, u(0.05, 1.1)
    bend = np.array([0, u(-0.2, 0.5), 1.0]) * tall
    crown = tube(base + np.linspace(0, 1, 6)[:, None] * bend, r * np.linspace(u(0.8, 1.3), tip, 6), rng)
    out = [crown]
    if rng.random() < 0.5:
        wide = r * u(1.2, 2.4)
        out.append(tube(base + np.array([[0, 0, 0], [0, 0, u(0.06, 0.2) * r]]), np.array([wide, wide]), rng))
    if rng.random() < 0.2:  # horns
        for sign in (-1, 1):
            way = np.array([sign * u(0.3, 1), u(-0.4, 0.3), u(0.3, 1.2)]) * r
            start = base + [sign * 0.7 * r, 0, 0.2 * r]
            line = start + np.linspace(0, 1.4, 5)[:, None] * way
            out.append(tube(line, r * np.linspace(u(0.15, 0.35), 0.05, 5), rng))
    return out


def _hair(vertices, joints, rng) -> list[Body]:
    middle, _, r = _head(joints)
    u = rng.uniform
    down = u(0.2, 3.0) * r
    half = np.array([u(0.9, 1.6), u(0.5, 1.2), 0.0]) * r + [0, 0, 0.9 * r + down / 2]
    out = [lump(middle + [0, u(0.3, 0.8) * r, 0.5 * r - down / 2], half, rng)]
    if rng.random() < 0.3:  # spikes
        for _ in range(int(rng.integers(4, 12))):
            way = rng.normal(size=3) * [1, 0.8, 0.8] + [0, 0.5, 0.6]
            way *= u(1.2, 2.2) * r / np.linalg.norm(way)
            out.append(tube(middle + np.linspace(0.3, 1, 3)[:, None] * way, r * np.array([0.4, 0.25, 0.04]), rng))
    return out


def _bunches(vertices, joints, rng) -> list[Body]:
    middle, _, r = _head(joints)
    u = rng.uniform
    out, along, fall = [], u(0.9, 1.8), u(1.0, 4.5)
    thick = r * u(0.2, 0.5) * np.array([0.8, 1.0, 1.0, 0.7, 0.3])
    back = u(0.0, 0.6)
    for sign in (-1, 1) if rng.random() < 0.7 else (0,):
        steps = np.array([[0.7, 0.3, 0.3], [along, 0.5 + back, 0.3], [along + 0.2, 0.6 + back, -0.3 * fall],
                          [along + 0.2, 0.6 + back, -0.7 * fall], [along, 0.5 + back, -fall]])
        if sign == 0:
            steps[:, 1] += 0.6
        out.append(tube(middle + steps * [sign, 1, 1] * r, thick, rng))
    return out


def _pack(vertices, joints, rng) -> list[Body]:
    neck, hips = joints["neck"], joints["hips"]
    size, u = float(np.ptp(vertices[:, 2])), rng.uniform
    half = size * np.array([u(0.06, 0.17), u(0.04, 0.13), u(0.08, 0.22)])
    at = neck + u(0.2, 0.6) * (hips - neck)
    near = np.abs(vertices[:, 2] - at[2]) < 0.1 * size
    near &= np.abs(vertices[:, 0] - at[0]) < 0.08 * size
    behind = float(vertices[near, 1].max()) if near.any() else float(at[1])
    out = [lump(np.array([at[0], behind + u(0.3, 1.0) * half[1], at[2]]), half, rng, u(0, 1))]
    if rng.random() < 0.4:  # a roll on top
        wide = half[0] * u(0.9, 1.6)
        middle = out[0][0].mean(0) + [0, 0, half[2]]
        line = middle + np.array([[-wide, 0, 0], [0, 0, 0], [wide, 0, 0]])
        out.append(tube(line, size * np.full(3, u(0.02, 0.06)), rng))
    return out


def _robe(vertices, joints, rng) -> list[Body]:
    hips, low = joints["hips"], float(vertices[:, 2].min())
    size, u = float(np.ptp(vertices[:, 2])), rng.uniform
    top = hips + [0, 0, u(-0.02, 0.12) * size]
    end = low + (u(0.0, 0.03) if rng.random() < 0.6 else u(0.03, 0.3)) * size
    t = np.linspace(0, 1, 8)
    wide = size * (u(0.07, 0.13) + t ** u(0.6, 1.6) * u(0.03, 0.2))
    line = top + t[:, None] * (np.array([hips[0], hips[1] + u(-0.03, 0.06) * size, end]) - top)
    return [tube(line, np.stack([wide, wide * u(0.7, 1.0)], 1), rng)]


def _plates(vertices, joints, rng) -> list[Body]:
    size, u = float(np.ptp(vertices[:, 2])), rng.uniform
    out, half, lift = [], size * rng.uniform(0.04, 0.12, 3), u(-0.02, 0.05) * size
    for s in "LR" if rng.random() < 0.8 else ("L",):
        out.append(lump(joints[f"upper_arm.{s}"] + [0, 0, lift], half, rng, u(0, 0.6)))
        if rng.random() < 0.5:
            a, b = joints[f"forearm.{s}"], joints[f"hand.{s}"]
            out.append(tube(a + np.linspace(0.1, 1, 4)[:, None] * (b - a), size * np.full(4, u(0.03, 0.065)), rng))
    return out


def _sleeves(vertices, joints, rng) -> list[Body]:
    size, u = float(np.ptp(vertices[:, 2])), rng.uniform
    start, end, fall = u(0.02, 0.05), u(0.05, 0.13), u(0, 0.15) * size
    out = []
    for s in "LR":
        a, b, c = (joints[f"{n}.{s}"] for n in ("upper_arm", "forearm", "hand"))
        line = np.array([a, (a + b) / 2, b, (b + c) / 2 - [0, 0, fall / 3], c - [0, 0, fall / 2]])
        wide = size * np.linspace(start, end, 5)
        out.append(tube(line, np.stack([wide * u(0.4, 1.0), wide], 1), rng))
    return out


def _pole(vertices, joints, rng) -> list[Body]:
    size, u = float(np.ptp(vertices[:, 2])), rng.uniform
    side = str(rng.choice(["L", "R"]))
    hand = joints.get(f"hand_tip.{side}", joints[f"hand.{side}"])
    hand = (hand + joints[f"hand.{side}"]) / 2 if isinstance(hand, np.ndarray) and np.isfinite(hand).all() else joints[
        f"hand.{side}"]
    if rng.random() < 0.5:  # a staff on the ground
        low, high = hand.copy(), hand.copy()
        low[2], high[2] = vertices[:, 2].min(), vertices[:, 2].min() + size * u(0.7, 1.25)
    else:
        way = rng.normal(size=3) * [0.5, 1, 1]
        way[1] = -abs(way[1])
        way /= np.linalg.norm(way)
        low, high = hand - u(0.03, 0.3) * size * way, hand + u(0.2, 0.7) * size * way
    thick = size * u(0.01, 0.025)
    out = [tube(np.linspace(low, high, 12), np.full(12, thick), rng)]
    if rng.random() < 0.5:
        out.append(lump(high, size * rng.uniform(0.03, 0.1, 3), rng, u(0, 1)))
    return out


def _disc(vertices, joints, rng) -> list[Body]:
    size, u = float(np.ptp(vertices[:, 2])), rng.uniform
    side = str(rng.choice(["L", "R"]))
    at = joints[f"forearm.{side}"] + u(0.3, 1.1) * (joints[f"hand.{side}"] - joints[f"forearm.{side}"])
    sign = 1 if side == "L" else -1
    way = np.array([sign * u(0.0, 1.0), -u(0.0, 1.0), u(-0.2, 0.2)])
    way *= size / np.linalg.norm(way)
    wide, deep = size * u(0.07, 0.2), u(0.01, 0.05)
    line = at + way * (0.03 + np.array([0, 0.5, 1.0])[:, None] * deep)
    return [tube(line, np.stack([[wide, wide, wide * u(0.3, 1.0)], np.array([1, 1, 0.8]) * wide * u(0.8, 1.6)], 1), rng,
                 float(rng.random() < 0.4))]


def _belt(vertices, joints, rng) -> list[Body]:
    size, u, out = float(np.ptp(vertices[:, 2])), rng.uniform, []
    for _ in range(int(rng.integers(1, 4))):
        angle = u(0, 2 * np.pi)
        at = joints["hips"] + size * np.array([0.09 * np.cos(angle), 0.07 * np.sin(angle), u(-0.05, 0.06)])
        out.append(lump(at, size * rng.uniform(0.02, 0.07, 3), rng, u(0, 1)))
    return out


MADE = {"hat": _hat, "hair": _hair, "bunches": _bunches, "pack": _pack, "robe": _robe, "plates": _plates,
        "sleeves": _sleeves, "pole": _pole, "disc": _disc, "belt": _belt}

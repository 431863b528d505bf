"""What people wear on their backs: wings of birds, bats and fairies, and capes, as sheets with a thickness."""

from __future__ import annotations

import numpy as np

from .posing import turned

WINGS, CAPES = 0.09, 0.05  # so often a person has them
STATIONS, RIBS = 14, 9  # of a sheet, along it and across


def wearing(vertices: np.ndarray, joints: dict, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """What a person wears on the back, if anything: [(vertices, faces)].

    vertices : (N, 3) the body, z up, facing -y;  joints : {preset joint: (3,)}
    """
    drawn = rng.random()
    if drawn > WINGS + CAPES or not all(isinstance(joints.get(n), np.ndarray) and np.isfinite(joints[n]).all()
                                        for n in ("neck", "hips", "upper_arm.L", "upper_arm.R")):
        return []
    return wings(vertices, joints, rng) if drawn < WINGS else cape(vertices, joints, rng)


def _back(vertices: np.ndarray, joints: dict) -> tuple[np.ndarray, np.ndarray, float]:
    """(neck, down to the hips, y of the back) of a body."""
    neck, hips = joints["neck"], joints["hips"]
    wide = 0.5 * abs(joints["upper_arm.L"][0] - joints["upper_arm.R"][0])
    near = (np.abs(vertices[:, 0] - neck[0]) < 0.5 * wide) & (np.abs(
        vertices[:, 2] - (0.7 * neck + 0.3 * hips)[2]) < 0.35 * np.linalg.norm(neck - hips))
    return neck, hips - neck, float(vertices[near, 1].max()) if near.any() else float(neck[1])


def sheet(front: np.ndarray, back: np.ndarray, thick: float, curved: np.ndarray
          ) -> tuple[np.ndarray, np.ndarray]:
    """A closed body between two edges: (vertices, faces).

    front, back : (STATIONS, 3) its edges;  thick : between its sides;  curved : (3,) how far its middle is off
    """
    across = np.linspace(0, 1, RIBS)[:, None, None]
    middle = front + across * (back - front) + 4 * across * (1 - across) * curved
    normal = np.cross(np.gradient(middle, axis=0), np.gradient(middle, axis=1))
    normal /= np.maximum(np.linalg.norm(normal, axis=2, keepdims=True), 1e-12)
    points = np.concatenate([(middle + side * thick / 2 * normal).reshape(-1, 3) for side in (1, -1)])
    rows, count = np.arange(RIBS * STATIONS).reshape(RIBS, STATIONS), RIBS * STATIONS
    a, b, c, d = (r.ravel() for r in (rows[:-1, :-1], rows[1:, :-1], rows[1:, 1:], rows[:-1, 1:]))
    top = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    rim = np.concatenate([rows[0], rows[1:, -1], rows[-1, -2::-1], rows[-2:0:-1, 0]])
    on = np.roll(rim, -1)
    side = np.concatenate([np.stack([rim, on, on + count], 1), np.stack([rim, on + count, rim + count], 1)])
    return points, np.concatenate([top, top[:, ::-1] + count, side])


def wings(vertices: np.ndarray, joints: dict, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """A pair of wings, or a fairy's two pairs, spread, raised or folded."""
    neck, down, behind = _back(vertices, joints)
    height, u = float(np.ptp(vertices[:, 2])), rng.uniform
    fairy = rng.random() < 0.3
    out = []
    for number in range(2 if fairy else 1):
        at = np.array([u(0.01, 0.05) * height, behind + u(-0.02, 0.03) * height - neck[1],
                       (u(0.05, 0.35) + 0.3 * number) * down[2]])
        length = u(0.3, 0.85) * height * (0.7 if number else 1)
        lift = np.radians(u(-30, 75) - 50 * number)
        behind_by = np.radians(u(0, 65) if rng.random() < 0.7 else u(50, 88))  # swept back: 90 is straight behind
        way = np.array([np.cos(lift) * np.cos(behind_by), np.cos(lift) * np.sin(behind_by), np.sin(lift)])
        t = np.linspace(0, 1, STATIONS)
        bend = rng.random() < 0.6 and not fairy
        turn = turned(np.cross(way, [0, 0, -1]), np.radians(u(20, 110)) * bend)
        k = int(STATIONS * u(0.3, 0.5))
        steps = np.where(np.arange(1, STATIONS)[:, None] < k, way, turn @ way) * length / (STATIONS - 1)
        edge = np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
        tilt = np.radians(u(-25, 40))
        fall = np.array([u(-0.3, 0.2), np.sin(tilt), -np.cos(tilt)])
        chord = length * u(0.25, 0.7)
        if fairy:
            shape = np.sqrt(np.clip(t * (1.02 - t), 0, None)) * 2 * u(0.4, 0.9)
            front, back = edge - 0.5 * chord * shape[:, None] * fall, edge + 0.5 * chord * shape[:, None] * fall
        else:
            shape = (u(0.5, 1.0) * (1 - t) + u(0.4, 1.2) * np.sqrt(np.clip(t * (1 - t), 0, None)) * 2 + 0.06)
            teeth = rng.integers(2, 9)
            shape = shape * (1 - u(0, 0.35) * (0.5 + 0.5 * np.cos(2 * np.pi * teeth * t)) * (t > 0.1))
            front, back = edge, edge + chord * shape[:, None] * fall
        wing = sheet(front, back, u(0.006, 0.03) * height, np.array([0, u(-0.06, 0.06), 0]) * length)
        other = (wing[0] * [-1, 1, 1], wing[1][:, ::-1])
        both = [(v + neck + at * [sign, 1, 1], f) for sign, (v, f) in ((1, wing), (-1, other))]
        out += both if rng.random() > 0.04 else both[:1]
    return out


def cape(vertices: np.ndarray, joints: dict, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """A cape from the shoulders down, behind the body and perhaps around its sides."""
    neck, down, behind = _back(vertices, joints)
    low, height, u = float(vertices[:, 2].min()), float(np.ptp(vertices[:, 2])), rng.uniform
    wide = abs(joints["upper_arm.L"][0] - joints["upper_arm.R"][0]) * u(0.7, 1.3) / 2
    around = np.linspace(-1, 1, STATIONS)
    deep, flare, sway = u(0.02, 0.2) * height, u(0.9, 2.2), u(0.0, 0.25) * height
    to = u(low + 0.01 * height, max((neck + 0.9 * down)[2], low + 0.02 * height))
    top = np.stack([neck[0] + wide * around, behind + 0.02 * height - deep * around**2,
                    np.full(STATIONS, neck[2] - u(-0.01, 0.05) * height)], 1)
    waves = u(0, 0.03) * height * np.cos(np.pi * rng.integers(2, 7) * around)
    hem = np.stack([neck[0] + flare * wide * around, behind + 0.03 * height + sway + waves - u(0, 2) * deep * around**2,
                    np.full(STATIONS, to)], 1)
    return [sheet(top, hem, u(0.006, 0.03) * height, np.array([0, u(0, 0.05), 0]) * height)]

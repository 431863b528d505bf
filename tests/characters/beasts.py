"""Beasts of fable and of long ago: legs, wings, necks and tails put together as wanted, with known joints."""

from __future__ import annotations

import numpy as np

from .character import Character, grown_once, thicker
from .crawlers import BLUE, GREEN, SIDES, grown, ranges
from .implicit import Blend, Ellipsoid, Squashed, strand


@grown_once
def beast(rng: np.random.Generator | None = None, *, legs: int = 2, wings: str = "LR", necks: int = 1, tails: int = 1,
          arms: bool = False, vertices: int = 5000) -> Character:
    """A level trunk on `legs` pairs of legs: a dragon with two and wings, a wyvern with one, a theropod without wings.

    wings : the sides that have one;  arms : short ones that hang in front of the chest
    """
    vary = ranges(rng)
    high, long, span = vary(0.42, 0.5), vary(0.22, 0.3), vary(0.6, 0.75)
    lift, drop = vary(0.2, 0.3), vary(-0.05, 0.1)
    front = -long if legs > 1 else -0.8 * long
    joints = {"hips": (0, long, high), "body": (0, 0, high), "chest": (0, front, high + 0.02)}
    lines: list[tuple[list, np.ndarray]] = []

    def line(stem: str, points, radii) -> None:
        lines.append((points, np.array(radii)))
        joints.update({f"{stem.replace('#', str(i + 1))}": p for i, p in enumerate(points)})
    for k in range(necks):
        aside = 0.16 * (k - (necks - 1) / 2)
        line(f"neck_{k + 1}_#", [(0.3 * aside, front - 0.02, high + 0.02),
                                 (aside, front - 0.16, high + 0.1 + 0.5 * lift),
                                 (aside, front - 0.24, high + 0.14 + lift), (aside, front - 0.38, high + 0.12 + lift)],
             [0.07, 0.05, 0.055, 0.03])
    for k in range(tails):
        aside = 0.2 * (k - (tails - 1) / 2)
        line(f"tail_{k + 1}_#", [(0.2 * aside, long + 0.03, high), (aside, long + 0.25, high + 0.5 * drop),
                                 (1.3 * aside, long + 0.45, high + drop), (1.5 * aside, long + 0.65, high + drop)],
             [0.07, 0.05, 0.035, 0.02])
    places = [front + 0.04, long - 0.02] if legs == 2 else [0.1 * long]
    for s, sign in SIDES:
        for k, y in enumerate(places[:legs]):
            line(f"leg_{k + 1}_#.{s}", [(sign * 0.1, y, high - 0.02), (sign * 0.15, y - 0.04, 0.55 * high),
                                        (sign * 0.15, y + 0.06, 0.22 * high), (sign * 0.15, y - 0.03, 0.03)],
                 [0.06, 0.045, 0.03, 0.032])
        if arms:
            line(f"arm_#.{s}", [(sign * 0.07, front + 0.02, high - 0.02), (sign * 0.11, front - 0.04, high - 0.13),
                                (sign * 0.1, front - 0.12, high - 0.15)], [0.028, 0.022, 0.02])
        if s in wings:
            joints |= {f"wing_{i + 1}.{s}": (sign * x, -0.05 + 0.06 * i, high + 0.08 + 0.05 * i)
                       for i, x in enumerate((0.07, 0.07 + 0.35 * span, 0.07 + 0.7 * span, 0.07 + span))}

    def solid(cell):
        flat = float(thicker(0.013, cell))
        parts = [strand([(0, front, high + 0.02), (0, 0, high), (0, long, high)], [0.1, 0.13, 0.1])]
        parts += [strand(points, thicker(radii, cell)) for points, radii in lines]
        for s, _ in SIDES:
            if s in wings:
                ends, wide = [np.array(joints[f"wing_{i}.{s}"]) for i in (1, 2, 3, 4)], [0.07, 0.15, 0.14, 0.03]
                level = [(p[0], p[1] + 0.6 * r, ends[0][2]) for p, r in zip(ends, wide, strict=True)]
                parts.append(Squashed(strand(level, wide), (1.0, 1.0, flat / 0.13), tuple(ends[0])))
                parts.append(strand(ends[:3], [0.035, 0.02, 0.016]))
        return Blend(tuple(parts), 0.02)
    return grown("beast", "other", solid, joints, GREEN, vertices, mirrored=len(wings) != 1)


@grown_once
def flyer(rng: np.random.Generator | None = None, *, legs: str = "drawn", rise: float = 0.2, vertices: int = 5000
          ) -> Character:
    """A bird in the air: a level body with a beak, a flat tail and spread wings that go up by `rise` of their length.

    legs : "drawn" (up and back), "down" or "" for none
    """
    vary = ranges(rng)
    long, wide, span, fan, mid = vary(0.24, 0.3), vary(0.09, 0.12), vary(0.6, 0.8), vary(0.15, 0.25), 0.4
    joints = {"hips": (0, 0.5 * long, mid), "chest": (0, -0.5 * long, mid), "head": (0, -long - 0.1, mid + 0.03),
              "beak": (0, -long - 0.24, mid + 0.02), "tail_1": (0, long, mid), "tail_2": (0, long + fan, mid)}
    for s, sign in SIDES:
        joints |= {f"wing_{i + 1}.{s}": (sign * (0.06 + t * span), -0.08 + 0.05 * i, mid + 0.05 + rise * t * span)
                   for i, t in enumerate((0.0, 0.4, 0.7, 1.0))}
        way = np.array([0.0, 1.0, -0.35] if legs == "drawn" else [0.0, 0.2, -1.0])
        for i in range(3 if legs else 0):
            joints[f"leg_{i + 1}.{s}"] = tuple(np.array([sign * 0.06, 0.1, mid - 0.06]) + 0.12 * i * way)

    def solid(cell):
        flat = float(thicker(0.013, cell))
        parts = [strand([joints[n] for n in ("chest", "hips", "tail_1")], [wide, wide, 0.03]),
                 strand([joints["chest"], joints["head"], joints["beak"]], [0.06, 0.055, 0.015]),
                 Squashed(strand([joints["tail_1"], joints["tail_2"]], [0.04, 0.08]), (1.0, 1.0, flat / 0.08),
                          (0, 0, mid))]
        for s, _ in SIDES:
            ends = [np.array(joints[f"wing_{i}.{s}"]) for i in (1, 2, 3, 4)]
            for k, radii in enumerate(([0.1, 0.11], [0.11, 0.09], [0.09, 0.03])):
                back = [np.array([0.0, 0.7 * r, 0.0]) for r in radii]
                parts += [strand([a + share * b for a, b in zip(ends[k:k + 2], back, strict=True)], [flat, flat])
                          for share in (0.0, 0.5, 1.0, 1.5, 2.0)]
            if legs:
                thick = thicker(np.array([0.03, 0.022, 0.02]), cell)
                parts.append(strand([joints[f"leg_{i}.{s}"] for i in (1, 2, 3)], thick))
        return Blend(tuple(parts), 0.03)
    return grown("flyer", "other", solid, joints, BLUE, vertices)


@grown_once
def hydra(rng: np.random.Generator | None = None, *, necks: int = 3, legs: int = 2, vertices: int = 5000) -> Character:
    """Necks in a fan, every other one held higher, on a trunk with `legs` pairs of legs and a tail."""
    vary = ranges(rng)
    high, long, fat, lift = vary(0.3, 0.55), vary(0.2, 0.38), vary(0.09, 0.15), vary(0.0, 0.1)
    reach, thick, wide, rise = vary(0.5, 0.9), vary(0.038, 0.06), vary(20, 40), vary(15, 55)
    stagger, bow, skull, tail = vary(10, 30), vary(10, 50), vary(0.7, 1.4), vary(0.35, 0.8)
    leg, apart = vary(0.032, 0.06), vary(0.7, 1.0)
    step = np.radians(min(wide, 150 / (necks - 1)))
    thick, fan = min(thick, 0.2 * reach * step), step * (necks - 1) / 2  # necks are apart at half their length
    chest = np.array([0, -long, high + lift])
    joints = {"hips": (0, long, high), "body": (0, 0, high), "chest": chest}
    lines = []

    def line(stem: str, points, radii) -> None:
        lines.append((points, np.array(radii)))
        joints.update({f"{stem.replace('#', str(i + 1))}": p for i, p in enumerate(points)})
    for k in range(necks):
        place = 2 * k / (necks - 1) - 1
        up, length = rise + stagger * (min(k, necks - 1 - k) % 2), reach * (1 - 0.2 * abs(place))
        ways = [(np.sin(fan * place) * np.cos(a), -np.cos(fan * place) * np.cos(a), np.sin(a))
                for a in np.radians([up + bow, up, up - bow, up - 2 * bow])]
        steps = length * np.array([0.33, 0.33, 0.34, 0.14])[:, None] * ways
        start = chest + [0.75 * fat * place, -0.3 * fat, 0.2 * fat]
        line(f"neck_{k + 1}_#", [*np.cumsum([start, *steps], 0)],
             thick * np.array([1.3, 1.0, 0.9, 1.1 * skull, 0.6 * skull]))
    line("tail_#", [(0, long, high), (0, long + tail / 2, high), (0, long + tail, 0.7 * high)], [0.8 * fat, 0.05, 0.02])
    for s, sign in SIDES:
        for k, y in enumerate([-apart * long, apart * long] if legs == 2 else [0.0] * legs):
            x = sign * 0.9 * fat
            line(f"leg_{k + 1}_#.{s}", [(x, y, high), (1.15 * x, y - 0.04, 0.5 * high),
                                        (1.1 * x, y + 0.04, 0.2 * high), (1.1 * x, y - 0.04, leg)],
                 leg * np.array([1.5, 1.2, 1.0, 1.0]))

    def solid(cell):
        trunk = strand([chest, (0, 0, high), (0, long, high)], [0.95 * fat, 1.1 * fat, fat])
        return Blend((trunk, *(strand(points, thicker(radii, cell)) for points, radii in lines)), 0.02)
    return grown("hydra", "other", solid, joints, GREEN, vertices)


@grown_once
def whale(rng: np.random.Generator | None = None, *, vertices: int = 3500) -> Character:
    """A whale: a tail whose flukes lie level, and two flippers."""
    vary = ranges(rng)
    deep, fluke, fin, mid = vary(0.15, 0.2), vary(0.2, 0.26), vary(0.2, 0.28), 0.3
    joints = {"head": (0, -0.6, mid), "body": (0, -0.2, mid), "tail_1": (0, 0.2, mid), "tail_2": (0, 0.6, mid)}
    for s, sign in SIDES:
        joints |= {f"flipper_1.{s}": (sign * deep * 0.9, -0.3, mid - 0.08), f"fluke_1.{s}": (sign * 0.02, 0.6, mid),
                   f"flipper_2.{s}": (sign * (deep + fin), -0.16, mid - 0.14),
                   f"fluke_2.{s}": (sign * fluke, 0.75, mid)}

    def solid(cell):
        flat = float(thicker(0.02, cell))
        sheet = lambda ends, r: Squashed(strand(ends, r), (1.0, 1.0, flat / max(r)), (0, 0, ends[0][2]))  # noqa: E731
        parts = [strand([(0, -0.5, mid), (0, -0.2, mid), (0, 0.2, mid), (0, 0.6, mid)], [0.1, deep, 0.12, 0.035])]
        for s, _ in SIDES:
            for kind, radii in (("flipper", [0.07, 0.04]), ("fluke", [0.07, 0.05])):
                ends = [joints[f"{kind}_{i}.{s}"] for i in (1, 2)]
                parts.append(sheet([(x, y, ends[0][2]) for x, y, _ in ends], radii))
        return Blend(tuple(parts), 0.02)
    return grown("whale", "other", solid, joints, BLUE, vertices)


@grown_once
def mermaid(rng: np.random.Generator | None = None, *, vertices: int = 4000) -> Character:
    """An upright body with a head and two arms that ends below in a fish's tail."""
    vary = ranges(rng)
    wide, arm, fluke = vary(0.1, 0.13), vary(0.3, 0.38), vary(0.14, 0.2)
    joints = {"hips": (0, 0, 0.52), "chest": (0, 0, 0.74), "neck": (0, 0, 0.84), "head": (0, -0.01, 0.9),
              "tail_1": (0, 0.01, 0.38), "tail_2": (0, 0.03, 0.22), "tail_3": (0, 0.08, 0.08)}
    for s, sign in SIDES:
        joints |= {f"arm_{i + 1}.{s}": (sign * (wide + t * arm), -0.02 * i, 0.79 - 0.3 * t * arm)
                   for i, t in enumerate((0.0, 0.5, 1.0))}
        joints[f"fluke.{s}"] = (sign * fluke, 0.12, 0.03)

    def solid(cell):
        flat = float(thicker(0.015, cell))
        sheet = Squashed(strand([joints["fluke.L"], (0, 0.1, 0.08), joints["fluke.R"]], [0.04, 0.06, 0.04]),
                         (1.0, flat / 0.06, 1.0), (0, 0.1, 0.05))
        parts = [strand([joints[n] for n in ("chest", "hips", "tail_1", "tail_2", "tail_3")],
                        [wide, 0.11, 0.1, 0.065, 0.03]),
                 strand([(0, 0, 0.8), (0, 0, 0.86)], [0.04, 0.04]), Ellipsoid((0, -0.01, 0.93), (0.075, 0.085, 0.09)),
                 sheet]
        parts += [strand([joints[f"arm_{i}.{s}"] for i in (1, 2, 3)], thicker(np.array([0.04, 0.03, 0.028]), cell))
                  for s, _ in SIDES]
        return Blend(tuple(parts), 0.02)
    return grown("mermaid", "other", solid, joints, (0.3, 0.6, 0.55), vertices)

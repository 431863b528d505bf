"""What tells the sorts of limbs apart: knees, wings, and limbs that go all ways from one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .outline import Line

FLAT = 1.7  # of `Line.flat`: sheets, not tubes
WING = 0.28  # unit frame: what is shorter is no wing
# Half of a wing's thickness over its length is less. Of 40 generated birds, flyers, dragons and wyverns 0.01 to 0.064,
# of fists and pods of machines 0.10 and more. Where it ends on the ground as a leg does, of wings that are beaten down
# 0.01 to 0.02, and they are flatter than SHEET; of boxy legs of 28 machines 0.035 and more, or they are less flat.
THIN, THIN_LEG, SHEET = 0.08, 0.027, 2.0
ALIKE = 1.5  # times as long or short: limbs that are alike
# Of its length: so far above the straight way from its base to its end a limb runs at least that has a knee. Of 6 legs
# each of 5 low insects and scorpions 0.10 to 0.22, of octopuses' arms on the ground 0, of flippers and rays 0.02.
KNEE = 0.06
WREATH = 5  # limbs that go all ways from one place
# How far they go the way they go least, as a share of the way they go most: 8 generated octopuses 0.97 and more, the
# arms, legs and poles of two scarecrows, all in one plane, 0.03.
AROUND = 0.3


def has_knee(line: Line) -> bool:
    """Whether a limb is bent upwards: it runs clearly above the straight way from its base to its end."""
    steps = np.linalg.norm(np.diff(line.points, axis=0), axis=1)
    along, height = np.concatenate([[0.0], np.cumsum(steps)]), line.points[:, 2]
    straight = np.interp(along, along[[0, -1]], height[[0, -1]])
    return bool((height - straight).max() > KNEE * line.length)


def is_wing(line: Line, is_leg: bool) -> bool:
    """Whether a limb is a long sheet, and thin: a machine's legs are flat boxes.

    is_leg : it may be a leg as well
    """
    thick, (flat, thin) = float(np.median(line.radii)) / line.flat, (SHEET, THIN_LEG) if is_leg else (FLAT, THIN)
    return line.flat > flat and line.length > WING and thick < thin * line.length


def alike_around(lines: list[Line]) -> list[Line]:
    """Those of some lines that go all ways from one place, as an octopus's arms do; none if they are too few."""
    thin = [line for line in lines if line.flat < FLAT and not has_knee(line)]
    usual = float(np.median([line.length for line in thin])) if thin else 0.0
    around = [line for line in thin if usual / ALIKE < line.length < usual * ALIKE]
    ways = np.array([(line.points[-1] - line.points[0])[:2] for line in around]).reshape(-1, 2)
    if len(around) < WREATH or np.linalg.norm(ways.sum(0)) >= 0.3 * np.linalg.norm(ways, axis=1).sum():
        return []
    most, least = np.linalg.svd(ways, compute_uv=False)
    return around if least > AROUND * most else []

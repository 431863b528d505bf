"""What a person's build says about joints that do not show: arms melted into the sides, legs hidden or next to none.

Where head and trunk part at a neck, shoulders and hips are known roughly whatever hangs on them. Of 21 characters with
such a neck and artists' joints, the shoulders were 0.13 to 0.29 of the way from the neck down to the hips.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .anatomy import Body
from .column import Column
from .limbs import Limb

SHOULDER = 0.2
# A shoulder measured further down than this is where the hand leaves the body's side, not where the arm does.
FALLEN = 0.4
# Rise over length of an arm held out level, and how long it is at least, in lengths of the trunk.
LEVEL, SEEN = 0.3, 0.45
# Of the way from the crotch to the neck the hips of short legs lie higher than the crotch.
PELVIS = 0.16
# A body with a crotch lower than this share of the neck's height hides its legs or has next to none.
COVERED = 0.15


@dataclass(frozen=True, eq=False)
class Build:
    """neck, hip : heights, of the neck's thinnest place and about the hips, unit frame;  column : the trunk's slices"""

    neck: float
    hip: float
    column: Column

    def below_neck(self, share: float) -> float:
        """The height so far down from the neck to the hips."""
        return self.neck - share * (self.neck - self.hip)


def find_build(body: Body, crotch: np.ndarray | None) -> Build | None:
    """The build of a body with a neck, None without one. crotch : (3,) where the legs part, if they do."""
    low = 0.0 if crotch is None else float(crotch[2])
    neck = body.column.neck(low + 0.3 * (body.height - low))
    if neck is None:
        return None
    if crotch is None or (low < COVERED * neck and body.is_hem(crotch)):
        # Legs under a skirt: of the characters with a neck, the higher it was the longer were the legs below the hips.
        return Build(neck, (0.25 + 0.4 * neck / body.height) * neck, body.column)
    return Build(neck, low + PELVIS * (neck - low), body.column)


def hangs_from_head(body: Body, limb: Limb, build: Build) -> bool:
    """Whether the way from a limb's tip to the chest leads through the neck, as an ear's does."""
    middle = [np.array([body.axis_x(), build.column.middle(z), z]) for z in (build.neck, build.below_neck(0.3))]
    neck, chest = limb.from_tip[body.interior.nearest(np.array(middle))]
    return bool(limb.tip[2] > build.neck and chest > neck + 0.5 * (middle[0][2] - middle[1][2]))


def has_fallen(shoulder: np.ndarray, limb: Limb, build: Build) -> bool:
    """Whether a shoulder (3,) lies lower than any artist's. An arm of some length that is held out level has none of it
    in the body's side: it grows where it grows."""
    way = limb.profile.centres[limb.profile.root] - limb.tip
    level = way[2] < LEVEL * np.linalg.norm(way) and limb.profile.length > SEEN * (build.neck - build.hip)
    return bool(shoulder[2] < build.below_neck(FALLEN) and not level)


def side_of(body: Body, build: Build, z: float, sign: float, thick: float) -> np.ndarray:
    """(3,) the middle of an arm so thick that lies in the body's side at a height."""
    out, depth = build.column.side(z, thick)
    return np.array([body.axis_x() + sign * out, depth, z])


def hidden_arm(body: Body, build: Build, sign: float) -> tuple[np.ndarray, np.ndarray]:
    """The line of an arm that lies wholly in the body's side: (L,) distances from the hand's tip, (L, 3) points.

    It ends where the outline steps inwards below the shoulders, or at the hips.
    """
    top = build.below_neck(SHOULDER)
    end = build.column.step(build.below_neck(1.1), build.below_neck(0.6))
    end = build.hip if end is None else end
    points = np.array([side_of(body, build, z, sign, 0.08 * (build.neck - build.hip))
                       for z in np.linspace(end, top, 16)])
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return np.concatenate([[0.0], np.cumsum(steps)]), points


def raised_arm(body: Body, build: Build, limb: Limb, sign: float, thick: float) -> tuple[np.ndarray, np.ndarray]:
    """The line of an arm of which only the lower part stands off the body: from its tip to where it shows, and on in
    the body's side to the shoulder."""
    profile, top = limb.profile, build.below_neck(SHOULDER)
    seen = profile.centres[: profile.root + 1]
    points = np.vstack([seen, side_of(body, build, top, sign, thick)])
    steps = np.linalg.norm(np.diff(points[-2:], axis=0), axis=1)
    return np.append(profile.distances[: profile.root + 1], profile.length + steps), points

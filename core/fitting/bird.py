"""A bird's trunk, neck and head, read off the shape; its legs and wings are those of the refined embedding."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from .anatomy import Body

JOINTS = {"hips", "spine", "chest", "neck", "head", "beak", "tail", "tail_tip"} | {
    f"{j}.{s}" for s in "LR" for j in ("wing_upper", "wing_lower", "wing_hand", "wing_tip", "thigh", "shin", "foot",
                                       "toe", "toe_tip")}
# Of the way from the skull's middle to the breast: where the neck begins; and, where no skull stands out, how far from
# the beak's tip to there its middle is.
NECK, SKULL = 0.56, 0.36


def place_bird(body: Body, joints: np.ndarray) -> np.ndarray:
    """(J, 3) the joints of the `bird` preset, unit frame, with those of the middle measured.

    joints : (J, 3) the refined ones.  The breast lies between the wings, the pelvis between legs and tail, the head in
    the skull, the neck on the way between.
    """
    names = body.template.names
    at = dict(zip(names, joints, strict=True))
    wing, leg = ((at[f"{n}.L"] + at[f"{n}.R"]) / 2 for n in ("wing_upper", "thigh"))
    tail = body.limbs["tail_tip"]
    root = tail.profile.centres[tail.profile.root]
    at["tail"], at["tail_tip"], at["beak"] = root, tail.tip, body.limbs["beak"].tip
    depth = float(leg[1] + max(root[1], leg[1])) / 2
    at["hips"] = np.array([leg[0], depth, (leg[2] + body.section_middle(depth)) / 2])
    at["chest"] = np.array([wing[0], wing[1], (wing[2] + body.section_middle(float(wing[1]))) / 2])
    at["spine"] = (at["hips"] + at["chest"]) / 2
    line, skull = _neck_line(body, at["chest"])
    travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    skull = SKULL * travelled[-1] if skull is None else travelled[skull]
    for name, along in (("head", skull), ("neck", skull + NECK * (travelled[-1] - skull))):
        at[name] = np.array([np.interp(along, travelled, line[:, d]) for d in range(3)])
    if body.plane_x is not None:
        for name in ("hips", "spine", "chest", "neck", "head", "beak", "tail", "tail_tip"):
            at[name] = np.array([body.plane_x, *at[name][1:]])
    return np.array([at[n] for n in names])


def _neck_line(body: Body, chest: np.ndarray) -> tuple[np.ndarray, int | None]:
    """(N, 3) the middle of head and neck from the beak's tip, on to the breast, and which point is the skull's middle:
    the first that is deeper inside than those around it. None if none is."""
    limb = body.limbs["beak"]
    line = limb.profile.centres[: limb.profile.root + 1]
    line = np.vstack([limb.tip, line, chest])
    depth = ndimage.uniform_filter1d(-body.field.sample(line), 3, mode="nearest")
    peaks = np.flatnonzero((depth[1:-1] > depth[:-2]) & (depth[1:-1] >= depth[2:])) + 1
    return line, int(peaks[0]) if len(peaks) else None

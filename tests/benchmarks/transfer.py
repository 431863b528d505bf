"""How motions of the world land on characters: `python tests/benchmarks/transfer.py [--motions DIR] [--only TEXT]`.

Files of every convention of tests/motion_files.py are written from the shipped motions, real ones are read from a
folder (.bvh, .fbx, .glb whose names begin with a key of REAL), and each goes to generated people and to rigs described
by truth.json files (--characters). What is measured is computed here from joint places as Blender shows the source and
from the target's posed bones and skin, not by the retargeter's own measures:

slide    leg lengths a second of the target's foot while the source's stands, in brackets the source's own
float    of the lowest vertex of the skinned foot over the ground, percent of the leg, mean while the source's stands
arm, leg degrees between the target's and the source's directions of upper and lower limb, 95th percentile (median)
pops     turns of a knee by more than 10 degrees from one frame to the next, and by more than 4 more than the source's
         in that frame and its neighbours, per 1000 frames
rise     range of the hips' height in leg lengths, target over source, over a source's floor that leans; 1 if the
         ranges differ by less than 2 % of a leg
recall, precision  of the target's contacts against the frames in which the source's foot stands, but for a thirtieth
         of a second at the ends of a contact (what one frame of most files leaves open), and only while the body is up
told     how many transfers outside the numbers carry a warning
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import bpy
import numpy as np
from scipy import ndimage

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.conftest import load_as_package

load_as_package()

from geppetto.addon.bridge.motion_file import opened_motion  # noqa: E402 - the package exists from here on
from geppetto.core.errors import RigError  # noqa: E402 - the package exists from here on
from geppetto.core.geometry.rotation import to_matrix  # noqa: E402 - the package exists from here on
from geppetto.core.motion.clip_file import load_motion  # noqa: E402 - the package exists from here on
from geppetto.core.motion.kinematics import Kinematics  # noqa: E402 - the package exists from here on
from geppetto.core.motion.retarget import RetargetOptions, retarget  # noqa: E402 - the package exists from here on
from geppetto.core.skeleton.bone_map import find_roles  # noqa: E402 - the package exists from here on
from tests.benchmarks.bench_motion import from_folder, generated  # noqa: E402 - the package exists from here on
from tests.motion_files import CONVENTIONS, at_rate, repeated, write_bvh  # noqa: E402 - the package exists from here on

LIMBS = {"arm": ("upper_arm", "forearm", "hand"), "leg": ("thigh", "shin", "foot")}
PARTS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")


def _sided(hips, *limbs) -> dict[str, str]:
    both = {f"{part}.{side}": name.replace("@S", word).replace("@l", side.lower()).replace("@s", word.lower())
            .replace("@1", side) for part, name in zip(PARTS, limbs, strict=True)
            for side, word in (("L", "Left"), ("R", "Right")) if name}
    return {"hips": hips, **both}


REAL = {  # {beginning of a file's name: which joint is what, in sight of its skeleton}
    "cmu_05": _sided("hip", "@lshoulder", "@lelbow", "@lhand", "@lhip", "@lknee", "@lfoot", ""),
    "cmu_12": _sided("Hips", "@SArm", "@SForeArm", "@SHand", "@SUpLeg", "@SLeg", "@SFoot", "@SToeBase"),
    "cmu_jump": _sided("Hips", "@SShoulder", "@SElbow", "@SWrist", "@SHip", "@SKnee", "@SAnkle", "@SToe"),
    "dm_": _sided("root", "@s_shoulder", "@s_elbow", "@s_wrist", "@s_hip", "@s_knee", "@s_ankle", ""),
    "fair_": _sided("Hips", "@SArm", "@SForeArm", "@SHand", "@SUpLeg", "@SLeg", "@SFoot", "@SToeBase"),
    "kaykit_": _sided("hips", "upperarm.@l", "lowerarm.@l", "wrist.@l", "upperleg.@l", "lowerleg.@l", "foot.@l",
                      "toes.@l"),
    "m2mcmu": _sided("hip", "@lShldr", "@lForeArm", "@lHand", "@lThigh", "@lShin", "@lFoot", ""),
    "quatc_": _sided("Hips", "UpperArm.@1", "LowerArm.@1", "Hand.@1", "UpperLeg.@1", "LowerLeg.@1", "Foot.@1", ""),
}
Z_UP = ("fair_",)  # .bvh files of this kind have the Z axis up
ON_THE_SPOT = ("kaykit_Running", "kaykit_Walking", "quatc_Run", "quatc_Walk")
HEEL, BALL = 0.07, 0.2  # of the leg behind and before the ankle: where a foot rocks
EDGE = 1 / 30  # seconds at a contact's ends that nobody knows
DOWN = 0.4  # of their highest place over the feet: hips that are lower sit, kneel or lie


@dataclass
class Source:
    """A motion as anyone sees it.  places : {role: (T, 3)} world;  stands : {side: (T,)};  is_up : (T,) whether the
    body is on its feet;  rate : frames a second"""

    name: str
    group: str
    path: Path
    places: dict
    stands: dict
    is_up: np.ndarray
    rate: float
    leg: float
    belt: np.ndarray


def leg_length(places) -> float:
    """Of the stretched leg, the middle over time and sides."""
    size = [np.linalg.norm(places[f"{a}.{s}"] - places[f"{b}.{s}"], axis=1)
            for s in "LR" for a, b in (("thigh", "shin"), ("shin", "foot"))]
    return float(np.median(size[0]) + np.median(size[1]) + np.median(size[2]) + np.median(size[3])) / 2


def speed_of(points: np.ndarray, rate: float, belt=0.0) -> np.ndarray:
    """(T,) along the ground."""
    return np.linalg.norm((np.gradient(points, axis=0) * rate - belt)[:, :2], axis=1)


def standing(places, rate: float, leg: float, on_the_spot: bool):
    """({side: (T,) a foot stands}, (3,) the belt): a point of it is slow, and near the lowest it comes to, for 0.06
    seconds."""
    belt, out = np.zeros(3), {}
    tips = {s: [places[k] for k in (f"foot.{s}", f"toe.{s}", f"heel.{s}", f"ball.{s}") if k in places] for s in "LR"}
    if on_the_spot:
        low = [np.gradient(p[-1], axis=0)[p[-1][:, 2] < np.percentile(p[-1][:, 2], 25)] * rate for p in tips.values()]
        belt = np.median(np.concatenate(low), axis=0) * [1, 1, 0]
    for side, points in tips.items():
        best = np.zeros(len(points[0]), bool)
        for p in points:
            floor = np.percentile(p[:, 2], 5)
            step = np.linalg.norm(np.diff(p, axis=0) * rate - belt, axis=1) / leg  # still since, or until, the next
            fast = np.minimum(np.append(step, step[-1]), np.insert(step, 0, step[0]))
            fast = ndimage.uniform_filter1d(fast, max(1, round(rate / 40)))
            best |= (fast < 0.3 + 0.15 * np.linalg.norm(belt) / leg) & (p[:, 2] - floor < 0.05 * leg)
        out[side] = _lasting(best, max(2, round(0.06 * rate)))
    return out, belt


def is_up(places) -> np.ndarray:
    """(T,) whether the hips are over the feet, not beside them."""
    over = np.mean([places[f"thigh.{s}"][:, 2] for s in "LR"], axis=0) - np.min(
        [places[f"foot.{s}"][:, 2] for s in "LR"], axis=0)
    return over > DOWN * np.percentile(over, 99)


def rocking(places, turns: np.ndarray, side: str, leg: float, rate: float) -> dict:
    """Heel and ball, rigid with the foot's bone: below, behind and before the ankle where it stands flattest.

    turns : (T, 3, 3) of the foot's bone.  A foot stands flattest where its ankle is lowest of all frames in which it
    keeps still under its hip.
    """
    ankle, hip = places[f"foot.{side}"], places[f"thigh.{side}"]
    speed = np.linalg.norm(np.gradient(ankle, axis=0), axis=1) * rate / leg
    cost = (ankle[:, 2] - ankle[:, 2].min()) / leg + 0.1 * speed + (hip[:, 2] - ankle[:, 2] < 0.6 * leg)
    best = np.argsort(cost, kind="stable")[:max(1, len(cost) // 20)]
    across = (places["thigh.L"] - places["thigh.R"])[best] * [1, 1, 0]
    ahead = np.cross(across / np.linalg.norm(across, axis=1, keepdims=True), [0, 0, 1])
    point = [f"{k}.{side}" for k in ("toe", "tip") if f"{k}.{side}" in places]
    if point:
        ahead = (places[point[0]] - ankle)[best] * [1, 1, 0]
        ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    floor = min(float(np.percentile(places[k][:, 2], 5)) for k in [f"foot.{side}", *point])
    out = {}
    for name, along in (("heel", -HEEL), ("ball", BALL)):
        offset = along * leg * ahead
        offset[:, 2] = floor - ankle[best, 2]
        own = np.median(np.einsum("tji,tj->ti", turns[best], offset), axis=0)
        out[f"{name}.{side}"] = ankle + turns @ own
    return out


def rolling(sole: np.ndarray, rate: float) -> np.ndarray:
    """(T,) along the ground, of the vertex of a foot that is lowest in a frame: 0 where it rolls without sliding."""
    lowest = sole[..., 2].argmin(1)
    frames = np.arange(len(sole))
    after = np.minimum(frames + 1, len(sole) - 1)
    return np.linalg.norm((sole[after, lowest] - sole[frames, lowest])[:, :2], axis=1) * rate


def _lasting(mask: np.ndarray, shortest: int) -> np.ndarray:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    out = np.zeros(len(mask), bool)
    for first, last in edges.reshape(-1, 2):
        out[first:last] = last - first >= shortest
    return out


def written(folder: Path):
    """Files of every convention, of the shipped motions."""
    for motion in ("walk", "run", "jump", "dance"):
        clip = load_motion(motion)
        rounds = max(1, round(2.0 / clip.seconds)) if clip.loop else 1
        clip = repeated(clip, rounds).changed(loop=False, stride=(0, 0, 0)) if clip.loop else clip
        for key, kind in CONVENTIONS.items():
            shown = at_rate(clip, kind.rate)
            body = Kinematics(shown.rig)
            turns = body.turns(shown.rotations)
            heads = body.heads(turns, shown.root)
            places = {n: heads[:, i] for i, n in enumerate(shown.rig.names)}
            column = {f: i for i, f in enumerate(shown.feet)}
            stands = {s: shown.contacts[:, [column[f"foot.{s}"], column[f"toe.{s}"]]].any(1) for s in "LR"}
            path = write_bvh(folder / f"{motion} {key.replace('/', ' ')}.bvh", clip, kind)
            yield Source(path.stem, "written: " + key, path, places, stands, is_up(places), shown.rate,
                         leg_length(places), np.zeros(3))


def real(folder: Path):
    """Files of a folder whose skeletons REAL knows."""
    for path in sorted(folder.iterdir()):
        roles = next((r for k, r in REAL.items() if path.name.startswith(k)), None)
        if roles is None or path.suffix not in {".bvh", ".fbx", ".glb"}:
            continue
        kept = Path(tempfile.gettempdir()) / f"transfer_2_{path.stem}.npz"
        if not kept.exists():
            np.savez(kept, **_watched(path, roles))
        held = np.load(kept)
        places = {k: held[k] for k in held.files if k != "rate"}
        leg = leg_length(places)
        stands, belt = standing(places, float(held["rate"]), leg, path.name.startswith(ON_THE_SPOT))
        group = next(k for k in REAL if path.name.startswith(k)).rstrip("_")
        yield Source(path.stem, "real: " + group, path, places, stands, is_up(places), float(held["rate"]), leg, belt)


def _watched(path: Path, roles) -> dict:
    """Where joints are in the world, frame by frame, as Blender shows them."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.render.fps = 30
    if path.suffix == ".bvh":
        up = ("Y", "Z") if path.name.startswith(Z_UP) else ("-Z", "Y")
        bpy.ops.import_anim.bvh(filepath=str(path), axis_forward=up[0], axis_up=up[1], rotate_mode="QUATERNION")
        text = path.read_text(encoding="utf-8").split("Frame Time:")[1].split()[0]
        rate = 1 / float(text)
    else:
        (bpy.ops.import_scene.fbx if path.suffix == ".fbx" else bpy.ops.import_scene.gltf)(filepath=str(path))
        rate = scene.render.fps / scene.render.fps_base
    o = next(o for o in bpy.data.objects if o.type == "ARMATURE" and o.animation_data and o.animation_data.action)
    first, last = o.animation_data.action.frame_range
    rows, ends, turns = [], [], []
    feet = [roles[f"foot.{s}"] for s in "LR"]
    for moment in np.linspace(first, last, round(last - first) + 1):
        scene.frame_set(int(moment // 1), subframe=moment % 1)
        seen = o.evaluated_get(bpy.context.evaluated_depsgraph_get())
        rows.append([(seen.matrix_world @ seen.pose.bones[b].matrix).translation[:] for b in roles.values()])
        ends.append([(seen.matrix_world @ seen.pose.bones[b].tail)[:] for b in feet])
        turns.append([(seen.matrix_world @ seen.pose.bones[b].matrix).to_3x3().normalized() for b in feet])
    rows, ends, turns = np.array(rows), np.array(ends), np.array(turns, float)
    places = {r: rows[:, i] for i, r in enumerate(roles)}
    leg = leg_length(places)
    for i, side in enumerate("LR"):  # an end site is a toe's tip, if it is where one may be
        size = np.linalg.norm(ends[:, i] - places[f"foot.{side}"], axis=1).mean() / leg
        if f"toe.{side}" not in places and 0.1 < size < 0.35:
            places[f"tip.{side}"] = ends[:, i]
    rate *= round(last - first) / (last - first)
    for i, side in enumerate("LR"):
        places |= rocking(places, turns[:, i], side, leg, rate)
    return places | {"rate": rate}


@dataclass
class Seen:
    """The target: {role: (T, 3)} of joints, {side: (T, N, 3)} of the vertices of its feet, {side: (T,)} contacts."""

    places: dict
    soles: dict
    contacts: dict


def watched_target(clip, roles, skin) -> Seen:
    """Joints and soles by plain forward kinematics and linear blending."""
    rig = clip.rig
    matrix, place = to_matrix(clip.rotations), np.zeros((len(clip.root), len(rig.names), 3))
    order = sorted(range(len(rig.names)), key=lambda b: _depth(rig.parents, b))
    for b in order:
        p = int(rig.parents[b])
        if p < 0:
            place[:, b] = rig.heads[b] + clip.root
        else:
            place[:, b] = place[:, p] + np.einsum("tij,j->ti", matrix[:, p], rig.heads[b] - rig.heads[p])
            matrix[:, b] = matrix[:, p] @ matrix[:, b]
    places = {r: place[:, b] for r, b in roles.items()}
    soles, contacts = {}, {}
    for side in "LR":
        foot = [roles[r] for r in (f"foot.{side}", f"toe.{side}") if r in roles]
        bones = [b for b in range(len(rig.names)) if any(_under(rig.parents, b, f) for f in foot)]
        own = np.flatnonzero(np.asarray(skin.weights[:, bones].sum(1)).ravel() > 0.6)
        own = own[np.argsort(skin.vertices[own, 2], kind="stable")][:400]
        share = np.asarray(skin.weights[own].todense())
        posed = np.zeros((len(clip.root), len(own), 3))
        for b in np.flatnonzero(share.any(0)):
            posed += share[:, b, None] * (np.einsum("tij,nj->tni", matrix[:, b], skin.vertices[own] - rig.heads[b])
                                          + place[:, b, None])
        soles[side] = posed
        mine = [i for i, f in enumerate(clip.feet) if rig.names.index(f) in {*foot, roles[f"shin.{side}"]}]
        contacts[side] = clip.contacts[:, mine].any(1) if mine else np.zeros(len(clip.root), bool)
    return Seen(places, soles, contacts)


def _depth(parents, b) -> int:
    count = 0
    while parents[b] >= 0:
        b, count = parents[b], count + 1
    return count


def _under(parents, b, top) -> bool:
    while b >= 0 and b != top:
        b = parents[b]
    return b == top


def knee(places, side) -> np.ndarray:
    """(T,) degrees of flexion."""
    a, b, c = (places[f"{p}.{side}"] for p in ("thigh", "shin", "foot"))
    u, v = b - a, c - b
    cos = np.einsum("ti,ti->t", u, v) / np.maximum(np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1), 1e-12)
    return np.rad2deg(np.arccos(np.clip(cos, -1, 1)))


def directions(places, limb) -> np.ndarray:
    """(T, 4, 3) of both sides' upper and lower bones."""
    names = LIMBS[limb]
    rows = [places[f"{b}.{s}"] - places[f"{a}.{s}"] for s in "LR" for a, b in pairwise(names)]
    rows = np.stack(rows, axis=1)
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)


def compared(source: Source, seen: Seen, rate: float, ground: float) -> dict:
    """The row of one transfer; every frame of the shorter of the two counts."""
    count = min(len(source.places["hips"]), len(seen.places["thigh.L"]))
    own, its = ({k: v[:count] for k, v in p.items()} for p in (source.places, seen.places))
    leg = leg_length(its)
    slide, slide_in, high, hits, kept, found, true = [], [], [], 0, 0, 0, 0
    for side in "LR":
        stands = source.stands[side][:count] & source.is_up[:count]
        inner = stands & np.roll(stands, 1) & np.roll(stands, -1)
        inner[[0, -1]] = False
        slow = [speed_of(its[k], source.rate) / leg for k in (f"foot.{side}", f"toe.{side}") if k in its]
        slow.append(rolling(seen.soles[side][:count], source.rate) / leg)
        slow_in = [speed_of(own[k], source.rate, source.belt) / source.leg
                   for k in (f"foot.{side}", f"toe.{side}", f"heel.{side}", f"ball.{side}") if k in own]
        slide.append(np.min(slow, axis=0)[inner])
        slide_in.append(np.min(slow_in, axis=0)[inner])
        lowest = seen.soles[side][:count, :, 2].min(1) - ground
        high.append(np.abs(lowest[stands]) / leg)
        contact = seen.contacts[side][:count] & source.is_up[:count]
        edge = 2 * max(1, round(EDGE * source.rate)) + 1
        near = [ndimage.maximum_filter1d(x, edge) for x in (contact, stands)]
        hits, kept = hits + (near[0] & stands).sum(), kept + (contact & near[1]).sum()
        found, true = found + contact.sum(), true + stands.sum()
    both = [np.concatenate([directions(p, x) for x in LIMBS], axis=1) for p in (own, its)]
    yaw = _best_yaw(*both)
    error = {x: np.rad2deg(2 * np.arcsin(np.clip(np.linalg.norm(
        directions(own, x) @ yaw.T - directions(its, x), axis=-1) / 2, 0, 1))) for x in LIMBS}
    steps = [np.abs(np.diff([knee(p, s) for s in "LR"], axis=1)) for p in (own, its)]
    pops = ((steps[1] > 10) & (steps[1] > ndimage.maximum_filter1d(steps[0], 3, axis=1, mode="nearest") + 4)).sum()
    hips = [np.mean([p[f"thigh.{s}"] for s in "LR"], axis=0) for p in (own, its)]
    hips = [hips[0][:, 2] - slope(own, source.stands, hips[0], source.leg), hips[1][:, 2]]
    span = [float(np.percentile(h, 99) - np.percentile(h, 1)) / size
            for h, size in zip(hips, (source.leg, leg), strict=True)]
    mean = lambda rows: float(np.concatenate(rows).mean()) if sum(map(len, rows)) else 0.0  # noqa: E731
    return {"slide": mean(slide), "slide_in": mean(slide_in), "float": 100 * mean(high),
            "arm": float(np.percentile(error["arm"], 95)), "arm_mid": float(np.median(error["arm"])),
            "leg": float(np.percentile(error["leg"], 95)), "leg_mid": float(np.median(error["leg"])),
            "pops": 1000 * pops / count,
            "rise": span[1] / span[0] if abs(span[1] - span[0]) > 0.02 else 1.0,
            "recall": hits / true if true else 1.0, "precision": kept / found if found else float(true == 0)}


def slope(places, stands, where: np.ndarray, leg: float) -> np.ndarray:
    """(T,) how much higher the source's floor is under some places than in the middle: recordings lean by a degree.

    A plane through the lowest ankles of at least six steps, pulled to the level where they do not go far
    (half a leg).
    """
    steps = [(s, *ends) for s in "LR" for ends in np.flatnonzero(
        np.diff(np.concatenate([[0], stands[s][:len(where)].astype(int), [0]]))).reshape(-1, 2)]
    points = np.array([places[f"foot.{s}"][first + places[f"foot.{s}"][first:last, 2].argmin()]
                       for s, first, last in steps])
    if len(points) < 6:
        return np.zeros(len(where))
    points = points[np.abs(points[:, 2] - np.median(points[:, 2])) < 0.06 * leg]  # not the ankles of tiptoes
    middle = points.mean(0)
    flat, high = (points - middle)[:, :2], (points - middle)[:, 2]
    lean = np.linalg.solve(flat.T @ flat + len(points) * (0.5 * leg)**2 * np.eye(2), flat.T @ high)
    leans = np.linalg.norm(lean) < 0.05 and np.square(high - flat @ lean).sum() < 0.5 * np.square(high).sum()
    return (where - middle)[:, :2] @ (lean if leans else 0 * lean)


def _best_yaw(own, its) -> np.ndarray:
    """(3, 3) the turn about the vertical that brings one motion's directions to the other's: all programs agree on up,
    not on front."""
    a, b = own.reshape(-1, 3), its.reshape(-1, 3)
    turn = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1]).sum())
    return np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])


def outside(row) -> list[str]:
    """The numbers that a transfer misses."""
    limits = {"slide": row["slide"] > max(0.03, row["slide_in"]), "float": row["float"] > 1, "arm": row["arm"] > 3,
              "leg": row["leg_mid"] > 3, "pops": row["pops"] > 5, "rise": not 0.95 <= row["rise"] <= 1.10,
              "recall": row["recall"] < 0.95, "precision": row["precision"] < 0.95}
    return [key for key, is_out in limits.items() if is_out]


def read(path: Path):
    """The motion as the product reads it."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = 30
    steps = opened_motion(bpy.context, path)
    with contextlib.redirect_stdout(io.StringIO()):
        while True:
            try:
                next(steps)
            except StopIteration as done:
                return done.value


HEAD = ("slide", "slide_in", "float", "arm", "arm_mid", "leg", "leg_mid", "pops", "rise", "recall", "precision")
FORM = "{:7.3f} ({:5.3f}){:7.2f}{:7.1f} ({:4.1f}){:7.1f} ({:4.1f}){:7.1f}{:7.2f}{:7.2f}{:7.2f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--motions", type=Path)
    parser.add_argument("--characters", type=Path, nargs="*", default=[])
    parser.add_argument("--people", type=int, default=2)
    parser.add_argument("--only", default="", help="only sources whose group or name contain this")
    parser.add_argument("--all", action="store_true", help="a line for each transfer")
    choice = parser.parse_args()
    people = [c for c in generated(choice.people) if c[1] == "biped"][:choice.people]
    for folder in choice.characters:
        people += [c for c in from_folder(folder) if c[1] == "biped"]
    with tempfile.TemporaryDirectory() as made:
        sources = [*written(Path(made)), *(real(choice.motions) if choice.motions else ())]
        groups: dict[str, list] = {}
        silent, clock = 0, time.process_time()
        for source in sources:
            if choice.only not in source.group + " " + source.name:
                continue
            try:
                clip = read(source.path)
            except RigError as error:
                print(f"{source.name}: {error}")
                groups.setdefault(source.group, []).append(None)
                continue
            for name, _, rig, skin in people:
                try:
                    out = retarget(clip, rig, RetargetOptions(skin=skin))
                except RigError as error:
                    print(f"{source.name} -> {name}: {error}")
                    groups.setdefault(source.group, []).append(None)
                    continue
                warnings = getattr(out, "warnings", ())
                row = compared(source, watched_target(out, find_roles(rig), skin), source.rate,
                               float(skin.vertices[:, 2].min()))
                bad = outside(row)
                silent += bool(bad) and not warnings
                groups.setdefault(source.group, []).append((row, bad, warnings))
                if choice.all:
                    print(f"{source.name[:28]:30s}{name[:18]:20s}" + FORM.format(*(row[k] for k in HEAD)) + "  "
                          + ",".join(bad) + (f"  [{'; '.join(warnings)}]" if warnings else ""), flush=True)
    print(f"{'group':28s}{'n':>4s}{'ok':>4s}  slide (source)  float    arm (mid)     leg (mid)    pops   rise recall "
          "precision")
    for group, rows in groups.items():
        known = [r for r in rows if r]
        if known:
            middle = [np.mean([r[0][k] for r in known]) for k in HEAD]
            print(f"{group:28s}{len(rows):4d}{sum(not r[1] for r in known):4d}" + FORM.format(*middle)
                  + ("" if len(known) == len(rows) else f"  {len(rows) - len(known)} refused"))
    total = [r for rows in groups.values() for r in rows]
    print(f"{len(total)} transfers, {sum(1 for r in total if r and not r[1])} within all numbers, {silent} outside "
          f"without a warning, {time.process_time() - clock:.0f} s of processor time")


if __name__ == "__main__":
    main()

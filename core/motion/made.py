"""Motions made to measure for bodies without a motion of their own: walks on any legs, slither, swim, fly.

A walk sets each foot down by a fixed order of steps: three pairs of legs or more go in two sets (an insect's tripod, a
spider's tetrapod), two pairs one after the other, one pair in turn. At a ground speed that is asked for, slow feet
stand longer and go one after the other in a wave, as insects' do (Wilson 1966), and two pairs of fast legs trot. A
snake follows the serpenoid curve of Hirose (1993): every part of it goes where the part before has been. All loops
are exact: a pose depends on the phase alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..errors import BadMotion
from ..geometry.rotation import conjugate, cross, from_axis_angle, identity, multiply, normalized
from ..skeleton.rig import Rig
from .authoring.pace import AS_IT_SHIPS, GroundSpeed
from .clip import MotionClip
from .legs import Leg, reach_for
from .shape_body import Limb, ShapeBody

TAU = 2 * np.pi
SECONDS = {1: 1.0, 2: 1.1, 3: 0.8}  # of a step of every leg, by the pairs of legs
DUTY = {1: 0.62, 2: 0.7, 3: 0.56}  # of the time a foot stands: more than half, so that the sets overlap
LATER = {1: 0.0, 2: 0.25, 3: 0.5}  # of a round: each leg after the one behind it
STRETCH, USED = 0.96, 0.75  # how straight a leg becomes at most, and how much of the room it has a step uses
BEND, SPREAD = 0.9, 0.8  # of its length: legs that stand straighter, or farther aside, are bent so far to walk
LIFT = 0.12  # of the leg's length: how high a foot is lifted
STEP = 0.4  # of the leg's length: the longest step
NATURAL, SLOWEST, FASTEST = 0.4, 0.03, 1.5  # dimensionless speeds of a walk at a pace, by the legs' reach
TROT = 0.7  # from where two pairs trot
SHARE = (0.05, 0.6), (0.5, 1.0)  # of the longest step that a walk at a pace takes, by the speed
FEWEST = 6  # frames of a round
SWAY = np.deg2rad(6)  # of tail and neck on a walk
WAVES, HEADING = 1.5, np.deg2rad(38)  # of a snake: waves on its length, and how far they turn aside
BEAT, AMPLITUDE, BODY_WAVES = 1.2, np.deg2rad(15), 0.9  # of a fish: seconds, the tail's largest turn, waves on it
FLAP, WING, LAG = 0.9, np.deg2rad(38), 0.12  # of wings: seconds, how far they go up and down, rounds of each later bone


def made_names() -> list[str]:
    """The motions that are made to measure, but for "walk", which each body does in its own way."""
    return ["fly", "slither", "swim"]


def made_motion(name: str, rig: Rig, up: np.ndarray | tuple = (0.0, 0.0, 1.0), rate: float = 30.0,
                ground: GroundSpeed = AS_IT_SHIPS, metres: float = 1.0) -> MotionClip:
    """A motion for a rig made from a shape, in the rig's space.

    name : "walk" or "crawl" (what fits: on legs, else slither, swim or fly), or one of `made_names`
    up : (3,) the way up in that space;  rate : frames a second;  ground : how fast a walk on legs goes
    metres : in one unit of the rig's space
    Raises BadMotion if the rig has no such limbs, or they cannot go so fast or so slowly.
    """
    body = ShapeBody(rig, up)
    fitting = fitting_names(body)
    wanted = (fitting or [""])[0] if name in ("walk", "crawl") else name
    if wanted not in fitting:
        raise unfit(name, fitting)
    if wanted == "walk":
        return walk(body, rate, ground, metres)
    return {"slither": slither, "swim": swim, "fly": fly}[wanted](body, rate)


def unfit(name: str, fitting: Sequence[str]) -> BadMotion:
    """What is said of a motion of the library that a body cannot do.  fitting : those that it can"""
    if not fitting:
        return BadMotion(f"The motion '{name}' is for another kind of body, and no motion that ships fits this one. "
                         "Use a motion of your own from a file.")
    return BadMotion(f"The motion '{name}' is for another kind of body. Choose one of: {', '.join(fitting)}.")


def fitting_names(body: ShapeBody) -> list[str]:
    """What a body can do, the likeliest first."""
    can: list[tuple[str, Callable[[], bool]]] = [
        ("walk", lambda: len(body.standing) > 1 and not body.called("fin")),
        ("slither", lambda: body.is_long), ("swim", lambda: len(body.trunk) >= 2),
        ("fly", lambda: {"L", "R"} & {limb.side for limb in body.called("wing")} != set())]
    return [name for name, is_able in can if is_able()]


class _Round(NamedTuple):
    """One step of every leg.  step : how far a foot goes back while it stands;  later : of a round, each leg after the
    one behind it"""

    frames: int
    step: float
    duty: float
    later: float
    warnings: tuple[str, ...] = ()


def walk(body: ShapeBody, rate: float, ground: GroundSpeed = AS_IT_SHIPS, metres: float = 1.0) -> MotionClip:
    """A walk on whatever legs reach the ground. Their feet hold; the trunk goes evenly, tail and neck sway."""
    legs, limbs = body.legs, body.standing
    places = sorted({limb.name for limb in limbs}, reverse=True, key=lambda n: float(np.mean(
        [body.rig.heads[limb.bones[0]] @ body.front for limb in limbs if limb.name == n])))
    pairs = min(-(-len(limbs) // 2), 3)
    hips = np.array([body.rig.heads[leg.chain[0]] for leg in legs])
    ankles = hips + np.array([_drawn_in(leg, body.up) for leg in legs])
    drop = max(0.0, *(_drop(leg, hip - ankle, body.up) for leg, hip, ankle in zip(legs, hips, ankles, strict=True)))
    most = min(_room(leg, hip - drop * body.up - ankle, body.front)
               for leg, hip, ankle in zip(legs, hips, ankles, strict=True))
    most = max(most, 0.05 * min(leg.reach for leg in legs))
    own = _Round(round(SECONDS[pairs] * rate), most, DUTY[pairs], LATER[pairs]) if ground.is_plain else _at_speed(
        ground, float(np.mean([leg.reach for leg in legs])), most, pairs, rate, metres)
    time, stride = np.arange(own.frames) / own.frames, own.step / own.duty
    local = identity(own.frames, len(body.rig.names))
    _sway(body, local, time)
    root = -drop * body.up + np.outer(time * stride, body.front)
    turns = body.kinematics.turns(local)
    heads = body.kinematics.heads(turns, root)
    contacts = []
    for leg, limb, ankle in zip(legs, limbs, ankles, strict=True):
        phase = (time + _phase(limb, len(places) - 1 - places.index(limb.name), own.later, body)) % 1.0
        ahead, lift, stands = _step(phase, own.duty)
        target = ankle + np.outer(ahead * own.step + time * stride, body.front)
        target += np.outer(lift * LIFT * leg.reach, body.up)
        chain = list(leg.chain)
        turns[:, chain] = reach_for(leg, turns[:, chain], heads[:, chain[0]], target)
        if leg.foot >= 0:
            turns[:, leg.foot] = [1.0, 0.0, 0.0, 0.0]
        contacts.append(stands)
    feet = [leg.foot if leg.foot >= 0 else leg.chain[-1] for leg in legs]
    return _clip("walk", body, rate, body.kinematics.local(turns), root, stride, np.stack(contacts, 1),
                 tuple(body.rig.names[b] for b in feet)).changed(warnings=own.warnings)


def _at_speed(ground: GroundSpeed, reach: float, most: float, pairs: int, rate: float, metres: float) -> _Round:
    """The round of a speed: its steps grow and come quicker with it, and feet stand shorter.

    reach : of the legs, mean;  most : the longest step;  both in the rig's units, of so many metres
    Raises BadMotion if legs would have to step too quickly for the frames.
    """
    time = ground.second(reach * metres)
    swiftest = most / _duty(FASTEST) / reach / (FEWEST / rate / time)
    slowest, fastest = min(SLOWEST, swiftest / 2), min(FASTEST, swiftest)
    speed, time, told = ground.measured(reach * metres, min(NATURAL, fastest), (slowest, fastest))
    duty = _duty(speed)
    stride = float(np.interp(speed, *SHARE)) * most / duty
    frames = max(FEWEST, round(stride / reach / speed * time * rate))
    later = {1: 0.0, 2: 0.5 if speed > TROT else 0.25}.get(pairs, 0.5 if duty < 0.6 else 1 - duty)
    return _Round(frames, speed * frames / rate / time * reach * duty, duty, later, told)


def _duty(speed: float) -> float:
    """Of a round that a foot stands at a speed, as animals' do (Alexander & Jayes 1983)."""
    return float(np.clip(0.52 * speed**-0.28, 0.54, 0.8))


def _phase(limb: Limb, ahead: int, later: float, body: ShapeBody) -> float:
    """When in a round a leg is set down: from the rear to the front, the sides half a round apart.  ahead : of how many
    legs of its side it is"""
    aside = body.rig.tails[limb.bones[-1]] - body.rig.heads[body.root]
    return (0.5 if aside @ body.left < 0 else 0.0) - ahead * later


def _drawn_in(leg: Leg, up: np.ndarray) -> np.ndarray:
    """(3,) from the hip to where the ankle stands on a walk: at rest, but nearer if the leg is stretched out aside."""
    way = leg.vectors.sum(0)
    height = float(way @ up)
    aside = way - height * up
    across, most = float(np.linalg.norm(aside)), float(np.sqrt(max((SPREAD * leg.reach) ** 2 - height**2, 0.0)))
    return way if across < max(abs(height), most) else height * up + aside * most / across


def _drop(leg: Leg, rise: np.ndarray, up: np.ndarray) -> float:
    """How far a hip that is `rise` over its ankle must come down for the leg to bend."""
    height = float(rise @ up)
    across = float(np.linalg.norm(rise - height * up))
    return height - float(np.sqrt(max((BEND * leg.reach) ** 2 - across**2, 0.0)))


def _room(leg: Leg, rise: np.ndarray, front: np.ndarray) -> float:
    """The longest step: as far as the leg reaches both ways."""
    along = float(rise @ front)
    across = float(np.linalg.norm(rise - along * front))
    reach = float(np.sqrt(max((STRETCH * leg.reach) ** 2 - across**2, 0.0)))
    near = max((1.05 * leg.shortest) ** 2 - across**2, 0.0) ** 0.5
    room = min(reach - along, reach + along)
    if near > 0:  # it does not fold so far as to come under its hip
        room = min(room, abs(along) - near)
    return float(min(2 * USED * max(room, 0.0), STEP * leg.reach))


def _step(phase: np.ndarray, duty: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How far ahead a foot is in steps, how high in lifts, and whether it stands, by its phase (T,).

    It goes back evenly while it stands, and comes forward on a cubic that begins and ends at that speed.
    """
    stands = phase < duty
    s = np.clip((phase - duty) / (1 - duty), 0.0, 1.0)
    slope = -(1 - duty) / duty
    swing = -0.5 + s * slope + (3 - 3 * slope) * s**2 + (2 * slope - 2) * s**3
    return np.where(stands, 0.5 - phase / duty, swing), np.where(stands, 0.0, np.sin(np.pi * s) ** 2), stands


def _sway(body: ShapeBody, local: np.ndarray, time: np.ndarray) -> None:
    """A wave down the tails and necks, side to side."""
    carries = {limb.hangs_on for limb in body.standing}
    chains = [body.behind, body.ahead[1:], *(limb.bones for limb in body.called("tail", "neck"))]
    for bones in chains:
        free = [b for b in bones if not any(b in (c, *_above(body, c)) for c in carries)]
        for k, bone in enumerate(free):
            local[:, bone] = from_axis_angle(body.up, SWAY / max(1, len(free)) * 2 * np.sin(TAU * (time - 0.12 * k)))


def _above(body: ShapeBody, bone: int) -> list[int]:
    out = []
    while bone >= 0:
        bone = int(body.rig.parents[bone])
        out.append(bone)
    return out


def slither(body: ShapeBody, rate: float) -> MotionClip:
    """A snake's way: the trunk lies along one winding curve and moves along it, so that no part slips aside."""
    rig, trunk = body.rig, body.trunk
    sizes = np.linalg.norm(rig.tails[trunk] - rig.heads[trunk], axis=1)
    length = float(sizes.sum())
    wave = length / WAVES
    frames = round(1.4 * rate)
    time = np.arange(frames) / frames
    fine = np.linspace(0.0, 1.0, 2001)
    heading = HEADING * np.sin(TAU * fine)
    step = np.stack([np.cos(heading), np.sin(heading)], 1)
    curve = np.concatenate([np.zeros((1, 2)), np.cumsum((step[1:] + step[:-1]) / 2 * np.diff(fine)[:, None], axis=0)])
    curve *= wave
    advance = float(curve[-1, 0])  # of a round; what turns aside turns back, so that it goes straight ahead

    def at(place: np.ndarray) -> np.ndarray:
        """(..., 2) points of the endless curve, by the way along it."""
        rounds = np.floor(place / wave)
        part = place / wave - rounds
        return np.stack([np.interp(part, fine, curve[:, d]) for d in range(2)], -1) + rounds[..., None] * [advance, 0.0]
    joints = np.concatenate([[0.0], np.cumsum(sizes)])  # from the head's end backwards
    points = at(time[:, None] * wave - joints[None])
    ways = points[:, :-1] - points[:, 1:]  # of each bone, to the front
    aim = np.arctan2(ways[..., 1], ways[..., 0])
    turns = identity(frames, len(rig.names))
    signs = np.array([1.0] * len(body.ahead) + [-1.0] * len(body.behind))
    rest = signs[:, None] * (rig.tails[trunk] - rig.heads[trunk])
    is_level = np.linalg.norm(rest - np.outer(rest @ body.up, body.up), axis=1) > 0.5 * sizes
    yaw = np.arctan2(rest @ body.left, rest @ body.front)
    local = identity(frames, len(rig.names))
    order = [*body.ahead, *body.behind]
    for bone in order:
        k = trunk.index(bone)
        turns[:, bone] = from_axis_angle(body.up, aim[:, k] - yaw[k]) if is_level[k] else turns[:, rig.parents[bone]]
    parents = rig.parents[order]
    for bone, parent in zip(order, parents, strict=True):
        local[:, bone] = turns[:, bone] if parent < 0 else multiply(conjugate(turns[:, parent]), turns[:, bone])
    root = at(time * wave - joints[len(body.ahead)])
    moved = np.outer(root[:, 0] - root[0, 0], body.front) + np.outer(root[:, 1] - root[:, 1].mean(), body.left)
    return _clip("slither", body, rate, local, moved, advance)


def swim(body: ShapeBody, rate: float) -> MotionClip:
    """A wave that runs down the trunk and grows to its end: side to side, or up and down where the tail's fin is level.
    Fins beat along."""
    frames = round(BEAT * rate)
    time = np.arange(frames) / frames
    axis = body.left if body.beats_level else body.up
    local = identity(frames, len(body.rig.names))
    trunk = body.trunk
    place = (np.arange(len(trunk)) + 0.5) / len(trunk)
    for k, bone in enumerate(trunk):
        if bone == body.root:
            continue
        sign = -1.0 if bone in body.ahead else 1.0
        grow = (0.15 + place[k] ** 1.5) * 2.5 / max(len(body.behind), 2)
        local[:, bone] = from_axis_angle(axis, sign * AMPLITUDE * grow * np.sin(TAU * (time - BODY_WAVES * place[k])))
    for limb in body.called("fin", "limb", "arm"):
        out = body.rig.tails[limb.bones[-1]] - body.rig.heads[limb.bones[0]]
        across = cross(out, body.up)
        if np.linalg.norm(across) > 0.5 * np.linalg.norm(out) and limb.side:
            for k, bone in enumerate(limb.bones):
                beat = 1.5 * AMPLITUDE / len(limb.bones) * np.sin(TAU * (time - 0.05 * k) + 0.6)
                local[:, bone] = from_axis_angle(normalized(across), beat)
    for limb in body.called("fluke"):
        local[:, limb.bones[0]] = from_axis_angle(axis, AMPLITUDE * np.sin(TAU * (time - BODY_WAVES - 0.1)))
    return _clip("swim", body, rate, local, np.outer(time * body.length * 0.6, body.front), body.length * 0.6)


def fly(body: ShapeBody, rate: float) -> MotionClip:
    """Wings go up and down, their outer bones later; the body bobs against them, and legs are drawn back."""
    frames = round(FLAP * rate)
    time = np.arange(frames) / frames
    local = identity(frames, len(body.rig.names))
    wings = body.called("wing")
    for limb in wings:
        sign = 1.0 if (body.rig.tails[limb.bones[-1]] - body.rig.heads[body.root]) @ body.left > 0 else -1.0
        for k, bone in enumerate(limb.bones):
            share = WING * (1.0 if k == 0 else 0.5)
            local[:, bone] = from_axis_angle(body.front, sign * share * np.sin(TAU * (time - LAG * k)))
    for limb in body.standing:
        local[:, limb.bones[0]] = from_axis_angle(body.left, np.full(frames, np.deg2rad(35)))
    _sway(body, local, time)
    span = max(float(np.linalg.norm(body.rig.tails[limb.bones[-1]] - body.rig.heads[limb.bones[0]])) for limb in wings)
    bob = -0.12 * span * np.sin(TAU * (time - 0.1))
    return _clip("fly", body, rate, local, np.outer(bob, body.up) + np.outer(time * 2 * span, body.front), 2 * span)


def _clip(name: str, body: ShapeBody, rate: float, local: np.ndarray, root: np.ndarray, stride: float,
          contacts: np.ndarray | None = None, feet: tuple[str, ...] = ()) -> MotionClip:
    """A loop that goes `stride` to the front in each round."""
    return MotionClip(body.rig, local, root, rate, contacts, feet, True, stride * body.front, name)

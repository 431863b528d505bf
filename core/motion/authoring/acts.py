"""What people do once: a jump, sitting down and standing up, turning round."""

from __future__ import annotations

import numpy as np

from ...geometry.rotation import rotate
from ..clip import MotionClip
from .curves import hermite, keyed, smooth, through, turn, wave
from .gait import stand
from .stage import Stage, rolled

GRAVITY = 5.6  # units a second squared for someone 1.75 m tall who is one unit high


def jump(stage: Stage) -> MotionClip:
    """A breath, a dip with the arms back, a leap off the stretched toes; the arms go up first and come down last, one
    foot lands a moment before the other, knees and back take it up, and the weight settles on one side."""
    t, leg = np.arange(stage.frames) / stage.rate, stage.leg_length
    off, on, tip = 0.64, 1.1, -56.0  # when the feet leave and meet the ground; how far the heels are up then
    high = 0.93 * float(rolled(stage.legs["leg.L"], np.zeros(3), np.array([tip]), 0.0)[0][0, 2])
    soft, flight = -0.02 * leg, on - off
    up, down = (soft - high) / flight + GRAVITY * flight / 2, (soft - high) / flight - GRAVITY * flight / 2
    u = np.clip((t - off) / flight, 0.0, 1.0)
    parabola = GRAVITY * flight**2 / 2 * u * (1 - u)
    low = hermite(t, (0, -0.01 * leg, 0), (0.13, 0.0, 0), (0.42, -0.36 * leg, 0), (off, high, up), (on, soft, down),
                  (on + 0.16, -0.29 * leg, -0.3 * leg), (on + 0.24, -0.3 * leg, 0.2 * leg),
                  (on + 0.62, -0.004 * leg, 0), (on + 0.95, -0.02 * leg, 0), (2.4, -0.016 * leg, 0))
    low = np.where((t > off) & (t < on), high + (soft - high) * u + parabola, low)
    bow = through(t, (0, 0.0), (0.13, -0.1), (0.42, 1.0), (0.48, 0.97), (off, -0.1), (0.85, 0.1), (on, 0.2),
                  (on + 0.2, 0.85), (on + 0.28, 0.84), (on + 0.68, -0.06), (2.1, 0.02), (2.4, 0.0))
    pitch = through(t, (0, 0.0), (0.47, 0.0), (off, tip), (off + 0.1, -64.0), (on - 0.1, -22.0), (on, -16.0),
                    (on + 0.09, 0.0), (2.4, 0.0))
    settled = smooth((t - on - 0.1) / 0.7)
    for name, late in (("leg.L", 0.0), ("leg.R", 0.034)):
        w = np.clip((t - off) / (flight + late), 0.0, 1.0)
        air = (w > 1e-9) & (w < 1 - 1e-9)
        lift = GRAVITY * flight**2 / 2 * w * (1 - w) + 0.1 * leg * np.sin(np.pi * w)**2
        ahead = -0.05 * leg * np.sin(np.pi * w)**2 + (0.03 * leg if name.endswith("L") else 0.0)
        late_pitch = np.interp(t - late * (t > on - 0.2), t, pitch)
        stand(stage, name, late_pitch, moved=np.stack([0 * t, ahead, np.where(air, lift, 0.0)], 1), held=~air, yaw=7.0)
    stage.root = np.stack([0.05 * leg * (settled - smooth((t - on - 0.7) / 0.5) * 0.5) - 0.012 * leg * (1 - settled),
                           0.16 * leg * bow - 0.02 * leg, low], axis=1)
    stage.set("hips", x=26 * bow + 2, y=-2.5 * settled, z=2 * settled)
    stage.set("spine", x=14 * bow - 7 * np.sin(np.pi * u)**2, y=2.0 * settled)
    stage.set("chest", y=0.8 * settled, z=-2 * settled,
              x=through(t, (0, 0), (0.13, -3), (0.46, 12), (off + 0.05, -9), (0.9, 1), (on + 0.26, 11), (on + 0.75, -3),
                        (2.3, -1)))
    stage.steady_head(share=0.7, x=through(t, (0, 0), (0.42, -7), (off, 9), (0.9, 4), (on, 12), (on + 0.27, -4),
                                           (on + 0.75, 1), (2.4, 0)))
    for side, late, more in (("L", 0.0, 0.0), ("R", 0.035, 7.0)):
        _throw_arm(stage, side, t - late, off, on, more)
    return stage.clip("jump", loop=False, knees_out=7.0)


def _throw_arm(stage: Stage, side: str, t: np.ndarray, off: float, on: float, more: float) -> None:
    """An arm that swings back before a leap, up with it and down after landing; elbow and hand follow.  more : degrees
    that it goes less high and rests further back"""
    stage.arm(
        side,
        swing=through(t, (0, 1), (0.12, 13), (0.4, -52), (0.45, -52), (off + 0.02, 74), (off + 0.16, 116 - more),
                      (on - 0.1, 92 - more), (on + 0.06, 52), (on + 0.27, -16), (on + 0.36, -18), (on + 0.66, 12),
                      (on + 0.95, -1), (2.4, 1 - 0.3 * more)),
        lower=through(t, (0, 68), (0.42, 60), (off, 54), (0.86, 34), (on, 40), (on + 0.3, 54), (on + 0.7, 66),
                      (2.4, 68)),
        twist=through(t, (0, 6), (0.42, 12), (off, 0), (0.9, -12), (on + 0.3, 10), (2.4, 6)),
        elbow=through(t, (0, 14), (0.13, 18), (0.44, 22), (off - 0.02, 58), (off + 0.16, 30), (on, 38), (on + 0.3, 30),
                      (on + 0.62, 36), (on + 1.0, 15), (2.4, 14)),
        hand=through(t, (0, 4), (0.5, -16), (off + 0.04, -8), (off + 0.22, 20), (on + 0.12, -12), (on + 0.42, 12),
                     (on + 0.8, -2), (2.4, 4)),
        raise_shoulder=through(t, (0, 0), (0.13, 3), (0.5, 0), (off + 0.08, 15), (on, 7), (on + 0.32, -1), (2.4, 0)),
    )


def sit(stage: Stage) -> MotionClip:
    """Down on a seat as high as the knees: a look back at it, the hips first and the chest over the feet as long as
    nothing carries them, hands onto the thighs; the back comes up last and sinks in a little."""
    t = np.arange(stage.frames) / stage.rate
    down = through(t, (0, 0), (0.25, 0.0), (0.8, 0.46), (1.25, 0.985), (1.4, 1.0), (1.75, 0.992), (2.6, 1.0))
    back = through(t, (0, 0), (0.15, 0.0), (0.75, 0.55), (1.22, 0.97), (1.5, 1.0), (2.6, 1.0))
    lean = through(t, (0, 0), (0.15, 2), (0.85, 40), (1.15, 38), (1.85, -5), (2.3, 1), (2.8, 0))
    look = through(t, (0, 0), (0.12, 4), (0.34, 40), (0.5, 40), (0.95, 4), (1.5, 0), (2.1, -5), (2.6, -3))
    hands = smooth((t - 0.45) / 0.95)
    _seated(stage, down, back, lean, look, hands, 0.6 * np.sin(2 * np.pi * (t - 1.4) / 3.2) * smooth((t - 1.4) / 0.6))
    return stage.clip("sit", loop=False, knees_out=9.0)


def stand_up(stage: Stage) -> MotionClip:
    """Up from the seat: the chest goes over the feet, the hands push off the thighs, then hips and knees straighten
    together, a little too far, and the weight settles."""
    t = np.arange(stage.frames) / stage.rate
    down = through(t, (0, 1.0), (0.42, 1.0), (0.58, 0.965), (0.95, 0.42), (1.3, 0.04), (1.5, 0.0), (2.4, 0.0))
    back = through(t, (0, 1.0), (0.3, 1.0), (0.55, 0.94), (0.9, 0.5), (1.35, 0.0), (1.6, -0.02), (2.2, 0.0))
    lean = through(t, (0, 0), (0.12, -4), (0.58, 44), (0.75, 44), (1.4, 2), (1.62, -3), (2.1, 0))
    look = through(t, (0, -3), (0.5, 0), (2.4, 0))
    hands = 1 - smooth((t - 0.62) / 0.75)
    _seated(stage, down, back, lean, look, hands, 0.6 * np.sin(2 * np.pi * (t - 1.4) / 3.2))
    return stage.clip("stand_up", loop=False, knees_out=9.0)


def sit_idle(stage: Stage) -> MotionClip:
    """Sitting at ease: breath, a look to either side with the chest a little after it, the weight from one side of the
    seat to the other."""
    p = np.arange(stage.frames) / stage.frames
    one = np.ones(stage.frames)
    look = keyed(p, (0.0, -3.0), (0.1, -1.0), (0.16, 22.0), (0.34, 24.0), (0.42, 3.0), (0.6, -4.0), (0.66, -24.0),
                 (0.8, -22.0), (0.9, -6.0))
    _seated(stage, one, one, wave(p, 1.5, 0.7), look, one, wave(p, 1.0, 0.12, 2), wave(p, 0.8, 0.2))
    return stage.clip("sit_idle", loop=True, knees_out=9.0)


def _seated(stage: Stage, down, back, lean, look, hands, breath, sway=0.0) -> None:
    """Between standing and sitting, all (T,).

    down, back : 1 is down on the seat and back over its middle;  lean : of the chest over the feet, degrees
    hands : 1 is on the thighs;  look : to the left, degrees;  breath, sway : -1 to 1
    """
    leg = stage.leg_length
    own = stage.legs["leg.L"]
    thigh, shin = np.linalg.norm(own.vectors, axis=1)
    drop = float(stage.rig.heads[own.chain[0], 2]) - (stage.body.ground + own.height + shin + 0.04 * leg)
    for name, ahead in (("leg.L", 0.0), ("leg.R", -0.05)):
        stand(stage, name, moved=(0, ahead * leg, 0), yaw=9.0)
    stage.root = np.stack([0.02 * leg * np.sin(np.pi * np.clip(down, 0, 1)) + 0.03 * leg * (sway + 0 * down),
                           0.93 * thigh * back - 0.01 * leg, -drop * down - 0.012 * leg + 0.002 * leg * breath], axis=1)
    stage.set("hips", x=2 - 9 * down + 0.62 * lean, y=-3 * sway, z=0.1 * look)
    stage.set("spine", x=-1 + 8 * down + 0.28 * lean - 0.8 * breath, y=2.5 * sway, z=0.08 * look)
    stage.set("chest", x=-1 + 4 * down + 0.12 * lean - 1.6 * breath, y=1.5 * sway, z=0.12 * look)
    stage.steady_head(share=0.75, x=1 + 5 * down - 0.12 * lean - 0.1 * np.abs(look), y=-0.1 * look, z=0.5 * look)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        stage.arm(side, swing=-2 + hands * (16 - 2 * sign) + (0.45 - 0.1 * hands) * lean,
                  lower=67 - hands - 4 * np.sin(np.pi * hands), twist=7 + 9 * hands,
                  elbow=14 + hands * (26 + 3 * sign) + 8 * np.sin(np.pi * hands), hand=4 - 10 * hands,
                  raise_shoulder=1 + 1.3 * breath + 2 * hands)


def turn_left(stage: Stage) -> MotionClip:
    """A quarter turn to the left on the spot."""
    return _turn(stage, "turn_left", 1.0)


def turn_right(stage: Stage) -> MotionClip:
    """A quarter turn to the right on the spot."""
    return _turn(stage, "turn_right", -1.0)


def _turn(stage: Stage, name: str, sign: float) -> MotionClip:
    """The head looks first, the chest goes with it, then the hips; the inner foot opens, the outer one walks round it,
    the inner one steps in beside it. The weight is always over the foot that stands."""
    t, leg = np.arange(stage.frames) / stage.rate, stage.leg_length
    inner, outer = ("L", "R") if sign > 0 else ("R", "L")
    # (from, to) in seconds of the steps;  how far round they bring the foot, degrees
    steps = {inner: ((0.34, 0.72, 58.0), (1.3, 1.6, 90.0)), outer: ((0.78, 1.24, 90.0),)}
    for foot, ways in steps.items():
        _step_round(stage, foot, t, ways, sign)
    stage.facing = sign * through(t, (0, 0), (0.24, 0), (0.72, 33), (1.2, 78), (1.6, 91), (1.95, 90))
    ahead = sign * through(t, (0, 0), (0.1, 1), (0.5, 22), (0.85, 20), (1.35, 4), (1.65, -1), (2.0, 0))
    head = sign * through(t, (0, 0), (0.06, 0), (0.3, 34), (0.7, 30), (1.25, 6), (1.6, 0), (2.0, 0))
    over = sign * through(t, (0, 0.25), (0.3, -0.9), (0.64, -0.8), (0.84, 0.9), (1.14, 0.8), (1.36, -0.75),
                          (1.52, -0.6), (1.8, 0.35), (2.2, 0.3))  # the weight: 1 is over the left foot
    to_side = np.deg2rad(stage.facing)
    dip = through(t, (0, 0), (0.3, -0.2), (0.55, 0.4), (0.75, -1.0), (1.0, 0.5), (1.26, -1.0), (1.45, 0.2),
                  (1.65, -0.6), (2.2, 0))
    stage.root = np.stack([0.075 * leg * over * np.cos(to_side), 0.075 * leg * over * np.sin(to_side),
                           -0.018 * leg + 0.015 * leg * dip], axis=1)
    turning = np.gradient(stage.facing) * stage.rate / 100
    stage.set("hips", x=3 - dip, y=-4.5 * over, z=stage.facing)
    stage.set("spine", x=-1.0 + dip, y=4.0 * over - 1.5 * turning, z=0.4 * ahead)
    stage.set("chest", x=-0.5 + dip, y=2.5 * over - 2 * turning, z=0.6 * ahead)
    stage.steady_head(share=0.9, x=2 - 0.08 * np.abs(head), y=-0.06 * head, z=0.75 * (head + ahead))
    for s, own in (("L", 1.0), ("R", -1.0)):
        late = np.interp(t - 0.13, t, turning)
        out = np.abs(late)
        stage.arm(s, swing=-2 - own * 9 * late + 2 * out, lower=67 - 6 * out, twist=8,
                  elbow=14 + 9 * out - own * 4 * late, hand=4 + 5 * np.interp(t - 0.2, t, turning),
                  raise_shoulder=1 + out, reach=-own * 3 * late)
    return stage.clip(name, loop=False, knees_out=6.0)


def _step_round(stage: Stage, side: str, t: np.ndarray, steps, sign: float) -> None:
    """A foot that steps about the middle of the body.  steps : (from, to, degrees round) of each, in seconds"""
    leg, name = stage.leg_length, f"leg.{side}"
    out = 1.0 if side == "L" else -1.0
    flat = stage.flat_ankle(name)
    round_by, pitch, lift, held = 0 * t, 0 * t, 0 * t, np.ones(len(t), bool)
    before = 0.0
    for begin, end, angle in steps:
        part = np.clip((t - begin) / (end - begin), 0.0, 1.0)
        far = (angle - before) / 90
        round_by = round_by + (angle - before) * smooth(part)
        lift = lift + (0.05 + 0.05 * far) * leg * np.sin(np.pi * part**0.85)**2
        push = 0.14  # seconds that the heel goes up before the foot leaves
        pitch = pitch + far**0.5 * through(t, (begin - push, 0), (begin, -26), (begin + 0.35 * (end - begin), -34),
                                           (begin + 0.8 * (end - begin), 6), (end, 7), (end + 0.1, 0))
        held &= (part <= 0) | (part >= 1)
        before = angle
    turned = sign * round_by
    from_hips = flat - stage.rig.heads[stage.body.roles["hips"]]
    way = rotate(turn(z=turned), from_hips) - from_hips
    way[:, 2] = lift
    stand(stage, name, pitch, moved=way, yaw=out * turned + 8.0, held=held)

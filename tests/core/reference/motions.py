"""Very different motions, taken through the core's doors: read, moved to other bodies, made to measure.

Cases are as in `bodies`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from core.geometry.rotation import from_axis_angle, multiply, to_matrix
from core.motion.authoring.library import author, gait
from core.motion.authoring.pace import GroundSpeed
from core.motion.authoring.style import style_of
from core.motion.body import body_of
from core.motion.bvh_file import load_bvh
from core.motion.choose import first_motion, fitting_motions, suited_motion
from core.motion.clip import MotionClip, as_loop, in_place
from core.motion.clip_file import load_motion
from core.motion.edit import kept_keys, mirrored, resampled, trimmed, without_drift
from core.motion.retarget import RetargetOptions, Transfer, retarget_told
from core.motion.skin import deform
from core.motion.sole import Skin
from core.motion.sway import Hanging, sway
from core.pipeline import bind
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from tests.characters import bird, centaur, person, quadruped
from tests.core.motion.hands import clapping, hand_before, on_all_fours
from tests.core.motion.measures import measure
from tests.keeping.results import Shaken
from tests.motion_files import CONVENTIONS, repeated, write_bvh


def on(character, preset: str, shaken: Shaken) -> Rig:
    """A preset's bones on a character's true joints."""
    template = load_template(preset)
    return rig_from_joints(template, shaken(np.array([character.joints[n] for n in template.names])))


def somebody(shaken: Shaken, seed: int = 2, **options) -> tuple[Rig, Skin]:
    """A person's bones and skin."""
    grown = person(np.random.default_rng(seed), vertices=700, **options)
    rig = on(grown, "biped", shaken)
    return rig, Skin(shaken(grown.mesh.vertices), bind(grown.mesh, rig).matrix)


def moved(clip: MotionClip, shaken: Shaken) -> MotionClip:
    """A clip whose way is moved a little."""
    return clip.changed(root=shaken(clip.root))


def people_move(shaken: Shaken) -> None:
    """What ships, and what is done with it, on a stout person with a skin and on one without."""
    rig, skin = somebody(shaken)
    for name in ("walk", "run", "jump", "sit", "dance", "wave"):
        clip = moved(load_motion(name), shaken)
        transfer = Transfer(clip.rig, rig, RetargetOptions(skin=skin))
        out, told = retarget_told(clip, rig, RetargetOptions(skin=skin), transfer=transfer)
        measure(out, clip, transfer)
        told.warnings()
        deform(skin.vertices, skin.weights, out, len(out.root) // 3)
    retarget_told(in_place(repeated(load_motion("walk"), 2)), rig)
    retarget_told(load_motion("sneak").changed(contacts=None, feet=()), rig, RetargetOptions(travel=None))


def limits_of_contacts(shaken: Shaken) -> None:
    """Gaits whose feet are lifted, dragged and raised in steps, none with contacts of its own: some near each limit."""
    rig, skin = somebody(shaken, 7)
    for k, name in enumerate(("walk", "run", "idle", "turn_left", "stand_up", "sneak")):
        clip = repeated(load_motion(name), 2).changed(contacts=None, feet=(), loop=False)
        time = np.arange(len(clip.root)) / clip.rate
        wave = np.stack([0.02 * np.sin((k + 1) * time), 0.03 * time, 0.01 * k * (1 - np.cos(2 * time))], 1)
        clip = clip.changed(root=shaken(clip.root + wave), rate=(24.0, 30.0, 60.0)[k % 3])
        retarget_told(clip, rig, RetargetOptions(skin=skin if k % 2 else None, no_drift=k % 2 == 0))


def on_hands_and_bellies(shaken: Shaken) -> None:
    """Hands and knees on the ground, hands that meet, hands on a belly, a body that lies down."""
    rig, skin = somebody(shaken, 4, belly=1.0)
    idle = load_motion("idle")
    lean = from_axis_angle(np.array([1.0, 0, 0]), np.deg2rad(np.linspace(0, 95, len(idle.root))))
    turns = np.array(idle.rotations)
    turns[:, 0] = multiply(lean, turns[:, 0])
    down = idle.changed(rotations=turns, contacts=None, feet=(), loop=False)
    for clip in (on_all_fours(), clapping(), hand_before(0.05), trimmed(down, 0, 120)):
        retarget_told(moved(clip, shaken), rig, RetargetOptions(skin=skin))


def animals_move(shaken: Shaken) -> None:
    """Four legs, two with wings, six limbs: what suits them, and gaits made for their speed."""
    for grown, preset, words in ((quadruped(vertices=300), "quadruped", ("walk", "gallop")),
                                 (quadruped(species="horse", vertices=300), "horse", ("trot",)),
                                 (centaur(vertices=300), "centaur", ("gallop",)),
                                 (bird(vertices=300), "biped", ("hop",))):
        rig = on(grown, preset, shaken)
        fitting_motions(rig)
        first_motion("walk", rig)
        for word in words:
            clip = suited_motion(word, rig)
            out, _ = retarget_told(clip.changed(contacts=None, feet=()) if word == "trot" else clip, rig)
            mirrored(out)
    gait("quadruped_walk", GroundSpeed("metres", 1.7), 0.6, 24.0)


def made_to_measure(shaken: Shaken) -> None:
    """Gaits as fast as asked, styles, edits of clips, and what hangs."""
    rig = somebody(shaken, 5)[0]
    leg = body_of(rig).legs[0]
    for speed in (0.9, 1.9, 3.2):
        gait("walk", GroundSpeed("metres", speed), 0.9, 24.0, like=leg)
    for name, style in (("walk", "energy=1,width=1,mood=1"), ("dance", "energy=-1,width=-1"), ("jump", "mood=-1"),
                        ("quadruped_trot", "energy=1,mood=-1"), ("bird_walk", "energy=-1,mood=1")):
        author(name, style_of(style))
    clip = moved(load_motion("walk"), shaken)
    long = repeated(clip, 2).changed(loop=False)
    as_loop(long.changed(rotations=long.rotations[:len(clip.root) + 1], root=long.root[:len(clip.root) + 1],
                         contacts=long.contacts[:len(clip.root) + 1]))
    fine = resampled(clip, 50.0)
    time = np.arange(len(fine.root)) / fine.rate
    for tolerance in (0.002, 0.02):
        kept_keys(time, fine.root[:, 2], tolerance)
        kept_keys(time, fine.rotations[:, 5, 1], tolerance)
    without_drift(clip.root + time[:len(clip.root), None] * [0.01, 0.02, 0.0], clip.stride * 0, clip.rate, 1.0, False)
    swinging(shaken)


def swinging(shaken: Shaken) -> None:
    """A chain of hair on a body that nods and stops."""
    ends = shaken(np.array([0.0, 0.2, 0.8]) + 0.1 * np.arange(5)[:, None] * [0.0, 0.5, -0.8])
    names = ("spine", "hair_1", "hair_2", "hair_3", "hair_4")
    rig = Rig(names, np.arange(5) - 1, np.concatenate([[[0.0, 0, 0]], ends[:-1]]), np.concatenate([[[0.0, 0, 1]],
              ends[1:]]))
    nod = 0.6 * np.sin(np.minimum(np.arange(40) / 4, 6.0))
    held = np.repeat(to_matrix(from_axis_angle(np.array([1.0, 0, 0]), nod))[:, None], 5, axis=1)
    heads = np.einsum("tbij,bj->tbi", held, rig.heads)
    for stiff in (0.0, 0.6):
        sway(rig, held, heads, Hanging(((1, 2, 3, 4),), (stiff,)), rate=24.0, down=np.array([0.0, 0, -1]), height=1.0,
             flesh=np.array([0.15, 0.0, 0.0, 0.0, 0.0]))


def files_read(shaken: Shaken) -> None:
    """Motion files of other programs' habits: rest poses that no person takes, roots at 0, other axes, a floor that
    leans."""
    rig = on(person(np.random.default_rng(9), vertices=300), "biped", shaken)
    clip = moved(load_motion("walk"), shaken)
    lean = from_axis_angle(np.array([0.0, 1.0, 0.0]), np.deg2rad(1.5))
    turns = np.array(clip.rotations)
    turns[:, 0] = multiply(lean, turns[:, 0])
    leaning = repeated(clip.changed(rotations=turns, root=clip.root @ to_matrix(lean).T), 2).changed(loop=False)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("line (Rokoko)", "Biped", "collars", "line (LAFAN1)"):
            path = write_bvh(Path(folder) / "motion.bvh", leaning, CONVENTIONS[name])
            retarget_told(load_bvh(path), rig)


CASES = {case.__name__: case for case in (people_move, limits_of_contacts, on_hands_and_bellies, animals_move,
                                          made_to_measure, files_read)}

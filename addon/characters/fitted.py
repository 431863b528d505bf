"""What a rig of ours was fitted to, noted on its armature: which pins counted, and where its bones were put.

So the panel can tell that pins have changed since, and bones that were moved by hand in Edit mode are found.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b

import bpy
import numpy as np

from ...core.detail.grow import may_pin
from ...core.hanging.thing import may_be_thing
from ...core.skeleton.eye import EYES
from ...core.skeleton.rig import Rig
from ...core.skeleton.template import SkeletonTemplate
from .. import names
from ..bridge.whole_change import change_since, note_points
from ..editing.limbs import limbs_said
from ..editing.pins import owner_of, readings_of, said_pins
from .rigged import followers, is_ours

NUMBER = re.compile(r"_(\d+)(?=(?:\.[LR])?$)")  # of a bone in its chain: "index_2.L", "limb_1_2"
NAMED = 8  # joints at most
MOVED = 1e-4  # of the skeleton's size: what a bone's end must be off to have been moved; Blender's rounding is 1e-6


def note_fit(armature, bones: Iterable[str], objects: Iterable = ()) -> None:
    """Note that these bones of the armature lie where the pins and the reading of now have put them.

    objects : that it was fitted to, if these may be others than before.
    In a batch nobody can have pinned anything: the extension is not on there.
    """
    owner = owner_of(followers(armature)) if hasattr(bpy.types.Object, names.PINS) else None
    armature.data[names.FITTED_TO] = _said(owner) if owner is not None else ""
    armature.data[names.PINNED_BY] = owner.name if owner is not None and said_pins(owner) else ""
    if fitted := [o.name for o in objects]:
        armature.data[names.FITTED_WITH] = fitted
    _note(armature, set(bones))


def note_again(armature) -> None:
    """The same of the bones that were noted before: skin, pins and bones have gone to another rest pose together."""
    if names.FITTED in armature.data:
        note_fit(armature, armature.data[names.FITTED].keys())


def note_bones(armature) -> None:
    """Note where the bones that were fitted lie now: they no longer count as moved by hand."""
    _note(armature, set(armature.data.get(names.FITTED, {}).keys()))


def _note(armature, bones: set[str]) -> None:
    ends, before = _ends(armature), armature.data.get(names.FITTED, {})
    gone = {own: [float(x) for x in before[own]] for own in bones if own in before and own not in ends}
    armature.data[names.FITTED] = gone | {own: [float(x) for x in ends[own].ravel()] for own in ends if own in bones}
    skin = _skin(armature)
    armature.data[names.FITTED_ON] = "" if skin is None else json.dumps([note_points(skin), _matrix(skin).tolist()])


def is_outdated(armature) -> bool:
    """Whether pins or the reading have changed since the rig was fitted; a rig that does not know is taken as it is."""
    said = armature.data.get(names.FITTED_TO, "")
    owner = owner_of(followers(armature)) if said else None
    return owner is not None and said != _said(owner)


def moved_by_hand(armature, template: SkeletonTemplate) -> dict[str, np.ndarray]:
    """{joint: (3,) where its bone lies now, in the world} of the joints whose bones were moved since they were fitted:
    the skeleton's, those of fingers and of limbs that it does not know.

    A bone has been moved if it has in its armature, in the world and beside the skin: applying an object's scale moves
    it only in the first, moving the object only in the second, and both together take the skin along.
    """
    moved = _moved(armature)
    found: dict[str, np.ndarray] = {}
    for end, key in ((1, "tail"), (0, "head")):  # a bone that begins at a joint knows better than one that ends there
        found |= {getattr(b, key): moved[b.name][1][end] for b in template.bones
                  if b.name in moved and moved[b.name][0][end]}
    return found | _of_chains(armature, template, moved)


def _of_chains(armature, template: SkeletonTemplate, moved: dict) -> dict[str, np.ndarray]:
    """The same of bones that are none of the template's and may be pinned. A bone is called as the joint it begins at;
    the last of its chain ends at the tip."""
    noted = {} if not moved else armature.data[names.FITTED]
    bones = {b.name for b in template.bones}
    heads: dict[str, np.ndarray] = {}
    tails: dict[str, np.ndarray] = {}
    for own, (off, ends) in moved.items():
        number = NUMBER.search(own)
        if own in bones or number is None or not may_pin(template, own):
            continue
        after = NUMBER.sub(f"_{int(number[1]) + 1}", own)
        heads |= {own: ends[0]} if off[0] else {}
        tails |= {after if after in noted else NUMBER.sub("_tip", own): ends[1]} if off[1] else {}
    return tails | heads


def limbs_changed(armature, rig) -> tuple[list[str], list[str]]:
    """(bones of a rig that were never put into the armature, bones put there that the rig has no more), by own names.

    Nothing is known of an armature without notes.
    """
    if names.FITTED not in armature.data:
        return [], []
    noted, own = set(armature.data.get(names.FITTED, {}).keys()), set(names_now(armature))
    return [b for b in rig.names if b not in noted and b not in own], sorted(
        b for b in noted if b in own and b not in rig.names)


def ours_now(armature, bones: Iterable[str], fresh: Iterable[str]) -> tuple[set[str], dict[str, str]]:
    """(those of some bones, by own names, that the armature was given or that are fresh; `names_now` of these).

    A bone of the artist's own that is called like one of a rig is none of them. Without notes all are taken for ours.
    """
    now, noted = names_now(armature), armature.data.get(names.FITTED)
    ours = set(bones) & {*(now if noted is None else noted.keys()), *fresh}
    return ours, {bone: called for bone, called in now.items() if bone in ours}


def told_of_unmade(armature, rig: Rig) -> list[str]:
    """What is said of eyes and things, of a rig fitted anew, that have no bones as they came after the armature."""
    noted = armature.data.get(names.FITTED)
    small = [name for name in rig.names if name in EYES or may_be_thing(name)] if noted is not None else []
    unmade = [name for name in small if name not in noted and name not in names_now(armature)]
    return [f"Eyes, hair or things came since '{armature.name}' was made, and have no bones yet: "
            f"{', '.join(unmade)}. Rig Anew makes them."] if unmade else []


def names_now(armature) -> dict[str, str]:
    """{a bone's own name: what it is called now}, for an engine perhaps. Of bones that say they have the same own name,
    as a copy made in Edit mode does, the one with the shorter name now is meant."""
    bones = sorted(armature.data.bones, key=lambda bone: (names.OWN_NAME in bone, -len(bone.name)))
    return {bone.get(names.OWN_NAME, bone.name): bone.name for bone in bones}


def by_own_names(armature, rig: Rig) -> Rig:
    """A rig read from an armature, its bones called as they were made: as fingers, twist bones and things are known.

    A bone of the artist's own that is called like one of ours was gets a name that nobody has.
    """
    own = {now: name for name, now in names_now(armature).items()}
    return replace(rig, names=tuple(own.get(name, f"{armature.name}: {name}") for name in rig.names))


def has_all_bones(armature) -> bool:
    """Whether an armature is ours and has all the bones it was given, by the names these had then."""
    noted = armature.data.get(names.FITTED) if is_ours(armature) else None
    return bool(noted) and set(noted.keys()) <= set(names_now(armature))


def has_moved_bones(armature) -> bool:
    """Whether a bone of the armature was moved by hand since it was fitted."""
    return bool(_moved(armature))


def _moved(armature) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """{bone: ((2,) whether head and tail were moved, (2, 3) where they lie in the world)} of those that were moved."""
    noted = armature.data.get(names.FITTED)
    now = {own: ends for own, ends in _ends(armature).items() if noted is not None and own in noted}
    if not now:
        return {}
    before = np.array([list(noted[own]) for own in now]).reshape(-1, 2, 2, 3)
    after = np.array(list(now.values()))
    size = np.ptp(after.reshape(-1, 2, 3), axis=0).max(1)
    along = _with_skin(armature)
    if along is not None:
        beside = before[:, :, 1:] @ along[:3, :3].T + along[:3, 3]
        before, after = np.concatenate([before, beside], 2), np.concatenate([after, after[:, :, 1:]], 2)
        size = size[[0, 1, 1]]
    off = np.linalg.norm(after - before, axis=3) > MOVED * size
    off = off[:, :, int(off.sum((0, 1)).argmin())]
    return {own: (off[k], after[k, :, 1]) for k, own in enumerate(now) if off[k].any()}


def _skin(armature):
    """Of the mesh objects that an armature moves the one with the most points."""
    return max(followers(armature), key=lambda o: len(o.data.vertices), default=None)


def _with_skin(armature) -> np.ndarray | None:
    """(4, 4) in the world: where the skin as a whole has gone since the bones were noted; None if it was changed in
    another way or is another one."""
    skin, noted = _skin(armature), armature.data.get(names.FITTED_ON, "")
    if skin is None or not noted:
        return None
    points, then = json.loads(noted)
    change = change_since(skin, points)
    return None if change is None else _matrix(skin) @ change @ np.linalg.pinv(np.array(then))


def _matrix(o) -> np.ndarray:
    return np.array(o.matrix_world, float)


def told_of_lost_pins(armature) -> list[str]:
    """What is said where the object that held the pins is gone, joined to another one perhaps."""
    held, objects = armature.data.get(names.PINNED_BY, ""), followers(armature)
    if not held or any(o.name == held or said_pins(o) for o in objects):
        return []
    return [f"'{held}' is gone, and the pins that it held with it. Pin these joints again."]


def told_of_moved(moved) -> str:
    """What is said of joints whose bones were moved by hand and that are pinned for it."""
    some = ", ".join(list(moved)[:NAMED]) + (", …" if len(moved) > NAMED else "")
    return f"Pinned, because you moved their bones: {some}."


def _said(owner) -> str:
    """The same for the same pins and reading."""
    digest = blake2b(digest_size=16)
    for name, place in said_pins(owner):
        digest.update(name.encode() + place.tobytes())
    return f"{digest.hexdigest()} {sorted(readings_of(owner).items())}{limbs_said(owner)}"


def _ends(armature) -> dict[str, np.ndarray]:
    """{a bone's own name: (2, 2, 3) head and tail, each in the armature and in the world}."""
    matrix = _matrix(armature)
    found = {}
    for own, now in names_now(armature).items():
        bone = armature.data.bones[now]
        ends = np.array([bone.head_local, bone.tail_local], float)
        found[own] = np.stack([ends, ends @ matrix[:3, :3].T + matrix[:3, 3]], 1)
    return found

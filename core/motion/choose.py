"""Which motion of the library suits a body: "walk" is one thing to a person and another to a horse."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..errors import BadMotion
from ..skeleton.bone_map import LIMBS, BoneMap, find_roles
from ..skeleton.rig import Rig
from .clip import MotionClip
from .clip_file import load_motion, motion_names
from .edit import mirrored
from .made import fitting_names, made_names, unfit
from .shape_body import ShapeBody

KINDS = ("", "quadruped_", "horse_", "centaur_", "bird_")
COLLARBONES = {"shoulder.L", "shoulder.R"}  # which a person may lack, and whose arms are wings has none
STAYS = 0.05  # of a person's leg: hips that rise and sink by less do without legs as well
BUSIER = 2.0  # times as far as the other arm goes the one that a motion is about


@lru_cache(maxsize=32)
def known_motion(name: str) -> MotionClip:
    """A motion of the library, read once."""
    return load_motion(name)


def limbs_of(roles) -> set[str]:
    """The pairs of limbs among some roles: "thigh", "upper_arm", "front_upper", "hind_upper"."""
    return {limb[0] for limb in LIMBS if {f"{limb[0]}.L", f"{limb[0]}.R", f"{limb[1]}.L", f"{limb[1]}.R"} <= set(roles)}


def _called(name: str) -> tuple[str, list[str]]:
    """A motion's name without its kind, and the motions that are called so."""
    plain = next((name.removeprefix(kind) for kind in KINDS[1:] if name.startswith(kind)), name)
    known = [kind + plain for kind in KINDS if kind + plain in motion_names()]
    if not known:
        raise BadMotion(
            f"There is no motion '{name}'. Choose one of: {', '.join((*motion_names(), *made_names()))}; or give the "
            "path of a motion's .json file."
        )
    return plain, known


def check_motion_name(name: str) -> None:
    """Raise BadMotion if no motion of the library is called so for any kind of body."""
    if name not in ("crawl", *made_names()):
        _called(name)


def suited_motion(name: str, rig: Rig, bone_map: BoneMap | None = None, body: ShapeBody | None = None) -> MotionClip:
    """The motion of the library that a rig does when it is told `name`: of all that are called so, the most alike.

    A name that says its kind (`horse_gallop`) is taken at its word.  bone_map : whose bone is what; None finds
    out.  body : the rig's, if it was made from a shape.  Raises BadMotion if there is no such motion, or none for this
    kind of body.
    """
    if name in ("crawl", *made_names()):
        raise BadMotion(f"The motion '{name}' is for skeletons made from a shape: creatures and From Shape. Choose "
                        "another.")
    plain, known = _called(name)
    places = find_roles(rig, bone_map)
    roles, spared = set(places), COLLARBONES
    if any("wing" in rig.names[bone].lower() for role, bone in places.items() if role.startswith("upper_arm")):
        spared = set()
    if name in known and name != plain and limbs_of(find_roles(known_motion(name).rig)) & limbs_of(roles):
        return known_motion(name)
    suited = []
    for candidate in known:
        own = set(find_roles(known_motion(candidate).rig))
        if _is_for(candidate, roles, body) and own & roles:
            suited.append((-len(own & roles), len(own - roles - spared),
                           unlikeness(rig, known_motion(candidate).rig, bone_map), candidate))
    if not suited:
        raise unfit(name, _choices(rig, bone_map, body))
    return known_motion(min(suited)[-1])


def unlikeness(rig: Rig, other: Rig, bone_map: BoneMap | None) -> float:
    """How differently far from the hips the bones shared by two rigs begin, each in its own mean distance: what tells a
    horse from a dog. Rigs that share no hips are alike."""
    roles, others = find_roles(rig, bone_map), find_roles(other)
    shared = sorted(set(roles) & set(others))
    if "hips" not in shared:
        return 0.0
    reach = [np.linalg.norm(r.heads[[of[n] for n in shared]] - r.heads[of["hips"]], axis=1)
             for r, of in ((rig, roles), (other, others))]
    return float(np.abs(np.subtract(*(r / max(float(r.mean()), 1e-12) for r in reach))).mean())


def fitting_motions(rig: Rig, bone_map: BoneMap | None = None, body: ShapeBody | None = None) -> list[str]:
    """The motions of the library whose legs a rig has; for who has not both but arms, what stays in place.

    body : the rig's, if it was made from a shape
    """
    roles = set(find_roles(rig, bone_map))
    return [name for name in motion_names() if _is_for(name, roles, body)]


def check_legs(clip: MotionClip, rig: Rig, body: ShapeBody, source_map: BoneMap | None = None) -> None:
    """Raise BadMotion if a rig made from a shape stands on more legs than a clip is for: the others would hang. Who has
    all those legs by name is of the rig's own kind."""
    own = {rig.names[b] for limb in body.standing for b in limb.bones}
    legs = limbs_of(find_roles(clip.rig, source_map)) - {"upper_arm"}
    if not own <= set(clip.rig.names) and _has_more_legs(legs, body):
        raise unfit(clip.name, _choices(rig, None, body))


def _choices(rig: Rig, bone_map: BoneMap | None, body: ShapeBody | None) -> list[str]:
    """What to propose to a rig, by the names that people say."""
    made = [] if body is None else fitting_names(body)
    return sorted({*made, *(_called(fitting)[0] for fitting in fitting_motions(rig, bone_map, body))})


def _has_more_legs(legs: set[str], body: ShapeBody | None) -> bool:
    """Whether a body stands on more legs than a motion that is for legs.  legs : the motion's pairs"""
    return body is not None and 0 < 2 * len(legs) < len(body.standing)


def _is_for(name: str, roles: set[str], body: ShapeBody | None) -> bool:
    """Whether a body of some roles has the legs of a motion, or needs none for it."""
    clip = known_motion(name)
    legs = limbs_of(find_roles(clip.rig)) - {"upper_arm"}
    if _has_more_legs(legs, body) or (body is not None and not body.standing):  # fins and arms are no legs
        return False
    if legs and legs <= limbs_of(roles):
        return True
    is_animal = any(role.startswith(("front_upper", "hind_upper")) for role in roles)
    stays = not np.any(clip.stride) and np.ptp(clip.root[:, 2]) < STAYS
    return legs == {"thigh"} and stays and not is_animal and bool({"upper_arm.L", "upper_arm.R"} & roles)


def with_the_arm_there(clip: MotionClip, rig: Rig, bone_map: BoneMap | None = None) -> MotionClip:
    """A motion of the library, mirrored if it is about an arm that a rig has lost and the rig has the other one."""
    arms = {"forearm.L", "forearm.R"}
    there, at = arms & set(find_roles(rig, bone_map)), find_roles(clip.rig)
    if len(there) != 1 or not arms <= set(at):
        return clip
    (kept,), (lost,) = there, arms - there
    far = {arm: np.ptp(clip.rotations[:, at[arm]], axis=0).max() for arm in arms}
    return mirrored(clip) if far[lost] > BUSIER * far[kept] else clip


def first_motion(name: str, rig: Rig) -> str:
    """The motion to show a skeleton with: a walk made for its like, or else the motion made for the most alike.

    name : the skeleton's, for the message.  Raises BadMotion if none suits it.
    """
    shared = {motion: len(set(known_motion(motion).rig.names) & set(rig.names)) for motion in fitting_motions(rig)}
    if not shared:
        raise BadMotion(
            f"No motion of the library suits the skeleton '{name}'. Use Auto Rig, then a motion of your own "
            "from a file."
        )
    most = max(shared.values())
    walks = [motion for motion, count in shared.items() if motion.endswith("walk") and count >= 0.8 * most]
    lacks = {motion: len(set(known_motion(motion).rig.names) - set(rig.names)) for motion in walks}
    return min(walks, key=lacks.__getitem__) if walks else max(shared, key=shared.__getitem__)

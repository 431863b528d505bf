"""What people call the joints of the skeletons that ship, and things: a bone called forearm begins at the elbow."""

from __future__ import annotations

import re

from .telling import word

JOINTS = {
    "hips": "Pelvis", "spine": "Waist", "chest": "Chest", "neck": "Base of Neck", "head": "Base of Skull",
    "head_top": "Top of Head", "shoulder": "Collarbone", "upper_arm": "Shoulder", "forearm": "Elbow", "hand": "Wrist",
    "hand_tip": "Fingertips", "thigh": "Hip", "shin": "Knee", "foot": "Ankle", "toe": "Ball of Foot",
    "toe_tip": "Tip of Toes", "tail": "Root of Tail", "tail_tip": "Tip of Tail", "beak": "Beak",
    "wing_upper": "Wing Shoulder", "wing_lower": "Wing Elbow", "wing_hand": "Wing Wrist", "wing_tip": "Tip of Wing",
    "withers": "Withers", "torso": "Waist", "upper_chest": "Upper Chest", "front_shoulder": "Shoulder Blade",
    "front_upper": "Front Shoulder", "front_lower": "Front Elbow", "front_foot": "Front Ankle",
    "front_toe": "Front Toes", "hind_hip": "Side of Pelvis", "hind_upper": "Hind Hip", "hind_lower": "Hind Knee",
    "hind_heel": "Hock", "hind_foot": "Hind Ankle", "hind_toe": "Hind Toes",
    # of the paper's own skeleton, whose bones end where ours begin
    "shoulders": "Base of Neck", "back": "Waist", "knee": "Knee", "ankle": "Ankle", "elbow": "Elbow"}
PAPER = {"head": "Top of Head", "shoulder": "Shoulder", "hand": "Wrist", "foot": "Tip of Toes"}
HELD = "Thing ({})"
SIDES = {".L": "Left {}", ".R": "Right {}"}


def joint_word(joint: str, skeleton: str = "") -> str:
    """A joint as people call it, in the interface's language: "forearm.L" is the left elbow.

    skeleton : the template's name.  Joints that nobody has a word for are called by their name.
    """
    base, side = (joint[:-2], joint[-2:]) if joint[-2:] in SIDES else (joint, "")
    known = JOINTS | PAPER if skeleton == "biped_paper" else JOINTS
    said = word(known[base]) if base in known else base.replace("_", " ").replace(".", " ").title()
    return word(SIDES[side]).format(said) if side else said


def thing_word(name: str) -> str:
    """A thing as people call it, in the interface's language: "prop_hand.R" is the thing in the right hand."""
    prop, base, number, side = re.fullmatch(r"(prop_)?(.*?)(?:_(\d+))?(\.[LR])?", name).groups()
    said = word(base.replace("_", " ").title())
    said = word(SIDES[side]).format(said) if side else said
    said = word(HELD).format(said) if prop else said
    return f"{said} {number}" if number else said

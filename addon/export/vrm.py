"""VRM 1.0: a .glb with the extension VRMC_vrm, which says whose bone is what, what the avatar may be used for, where it
looks and which faces it makes. github.com/vrm-c/vrm-specification"""

from __future__ import annotations

import re

import numpy as np

from ...core.skeleton.engine import Engine
from ...core.skeleton.engine_rig import EngineRig

LICENSE = "https://vrm.dev/licenses/1.0/"
PRESETS = ("happy", "angry", "sad", "relaxed", "surprised", "aa", "ih", "ou", "ee", "oh", "blink", "blinkLeft",
           "blinkRight", "lookUp", "lookDown", "lookLeft", "lookRight", "neutral")
JAW = "jawopen"  # the shape of ARKit, and the one made of a jaw bone
VOWELS = {"oh": 0.7, "ih": 0.4, "ou": 0.4, "ee": 0.4}  # how far the jaw opens, of "aa", where nothing else speaks them
SPELLINGS = {  # what shape keys are called elsewhere: VRM 0, VRoid, ARKit, Oculus, MMD; compared as `_plain`
    "happy": ("joy", "smile"), "sad": ("sorrow",), "surprised": ("surprise",), "relaxed": ("fun",),
    "aa": ("a", "visemeaa", JAW, "mouthopen", "あ"), "ih": ("i", "visemeih", "visemei", "い"),
    "ou": ("u", "visemeou", "visemeu", "う"), "ee": ("e", "visemee", "え"), "oh": ("o", "visemeoh", "visemeo", "お"),
    "blink": ("close", "eyesclosed", "まばたき"), "blinkLeft": ("eyeblinkl", "closel", "ウィンク"),
    "blinkRight": ("eyeblinkr", "closer", "ウィンク右")}
TOGETHER = {  # what makes a face together where no key does alone: both lids, and ARKit's looks and moods
    "blink": ("blinkl", "blinkr", *SPELLINGS["blinkLeft"], *SPELLINGS["blinkRight"]),
    "lookUp": ("eyelookupl", "eyelookupr"), "lookDown": ("eyelookdownl", "eyelookdownr"),
    "lookLeft": ("eyelookoutl", "eyelookinr"), "lookRight": ("eyelookinl", "eyelookoutr"),
    "happy": ("mouthsmilel", "mouthsmiler"), "sad": ("mouthfrownl", "mouthfrownr"), "angry": ("browdownl", "browdownr"),
    "surprised": ("browinnerup", "browouterupl", "browouterupr", "eyewidel", "eyewider")}
EYES = 10.0  # degrees the eyes turn at most for a look 90 degrees aside: the VRM specification's example


def as_vrm(tree: dict, engine: Engine, plan: EngineRig, meta: dict) -> dict:
    """The JSON of a .glb with what makes it a VRM 1.0.

    meta : name, authors (list), and any of the specification's other fields of `meta`
    """
    number = {node.get("name"): i for i, node in enumerate(tree.get("nodes", []))}
    bones = {engine.human[role]: {"node": number[name]} for role, name in plan.roles.items()
             if role in engine.human and name in number}
    upper = [names[-1] for of, names in engine.chains if "chest" in of and len(names) > 2]
    if upper and upper[0] in number and "chest" in bones:
        bones |= _spine(engine, plan, number)
    extension: dict = {"specVersion": "1.0", "meta": _meta(meta), "humanoid": {"humanBones": bones}}
    expressions, own = _expressions(tree), _own_expressions(tree)
    if expressions or own:
        extension["expressions"] = {kind: made for kind, made in (("preset", expressions), ("custom", own)) if made}
    if "leftEye" in bones or "rightEye" in bones:
        extension["lookAt"] = _look_at(plan)
    elif "lookUp" in expressions or "lookLeft" in expressions:
        extension["lookAt"] = {"type": "expression", **_ranges(1.0)}
    used = [name for name in tree.get("extensionsUsed", []) if name != "VRMC_vrm"]
    return tree | {"extensionsUsed": [*used, "VRMC_vrm"],
                   "extensions": tree.get("extensions", {}) | {"VRMC_vrm": extension}}


def _spine(engine: Engine, plan: EngineRig, number: dict) -> dict:
    """The human bones of the pieces that spine and chest became."""
    names = next(names for of, names in engine.chains if "chest" in of)
    human = ("spine", "chest", "upperChest")
    return {bone: {"node": number[name]} for bone, name in zip(human, names, strict=False) if name in number}


def _meta(meta: dict) -> dict:
    given = {key: value for key, value in meta.items() if value not in ("", None, [])}
    return {"name": "Character", "authors": ["unknown"], "licenseUrl": LICENSE} | given


def _look_at(plan: EngineRig) -> dict:
    head = plan.rig.heads[plan.rig.names.index(plan.roles["head"])]
    eyes = [plan.rig.heads[plan.rig.names.index(plan.roles[role])] for role in ("eye.L", "eye.R") if role in plan.roles]
    left, back, up = np.mean(eyes, axis=0) - head
    return {"type": "bone", "offsetFromHeadBone": [float(left), float(up), float(-back)], **_ranges(EYES)}


def _ranges(most: float) -> dict:
    """How far eyes go for a look 90 degrees aside: degrees of a bone, or the share of a shape."""
    sides = ("HorizontalInner", "HorizontalOuter", "VerticalDown", "VerticalUp")
    return {f"rangeMap{side}": {"inputMaxValue": 90.0, "outputScale": most} for side in sides}


def _expressions(tree: dict) -> dict:
    """VRM's preset expressions for the shape keys that are called so."""
    out: dict = {}
    for i, node in enumerate(tree.get("nodes", [])):
        if "mesh" not in node:
            continue
        names = [_plain(name) for name in tree["meshes"][node["mesh"]].get("extras", {}).get("targetNames", [])]
        for preset in PRESETS:
            spellings = (_plain(preset), *SPELLINGS.get(preset, ()))
            targets, weight = [names.index(s) for s in spellings if s in names][:1], 1.0
            if not targets:
                targets = sorted({names.index(s) for s in TOGETHER.get(preset, ()) if s in names})
            if not targets and preset in VOWELS and JAW in names:
                targets, weight = [names.index(JAW)], VOWELS[preset]
            if targets:
                out.setdefault(preset, {"morphTargetBinds": []})["morphTargetBinds"] += [
                    {"node": i, "index": target, "weight": weight} for target in targets]
    return out


def _own_expressions(tree: dict) -> dict:
    """An expression for each shape key by its own name, on all meshes that have it: programs that follow a face ask for
    ARKit's 52 so, and know no shape keys."""
    out: dict = {}
    for i, node in enumerate(tree.get("nodes", [])):
        names = tree["meshes"][node["mesh"]].get("extras", {}).get("targetNames", []) if "mesh" in node else []
        for index, name in enumerate(names):
            if name not in PRESETS:
                out.setdefault(name, {"morphTargetBinds": []})["morphTargetBinds"].append(
                    {"node": i, "index": index, "weight": 1.0})
    return out


def _plain(name: str) -> str:
    """A shape key's name without case, marks and VRoid's prefixes, its side as a letter."""
    bare = re.sub(r"[\W_]", "", re.sub("^fcl_(mth|eye|all)_", "", name.lower()))
    return re.sub("(?<=.)(l)eft$|(?<=.)(r)ight$", r"\1\2", bare)

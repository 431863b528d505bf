"""Bone maps: which bone of a skeleton plays which role. The roles are the bone names of our own presets.

A map is data: {role: the name or the names it goes by}. Which of the known maps fits a skeleton is found by trying;
where no names are known, core.skeleton.structure finds roles from the tree's shape.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from weakref import WeakKeyDictionary

from ..errors import BadBoneMap
from ..json_file import check_fields, read_json
from .body_plan import completed
from .carried import LIMBS, ancestors, carriers
from .rig import Rig
from .structure import roles_by_structure
from .words import doubts, roles_by_words

FORMAT = "geppetto-bone-map"
VERSION = 1
FIELDS = ("format", "version", "name", "description", "bones")
PRESETS = Path(__file__).resolve().parents[2] / "presets" / "bone_maps"
ROLES = {  # all there are, by part of the body; those of limbs end in .L and .R
    "Trunk": ("hips", "spine", "chest", "neck", "head", "tail"),
    "Arms": ("shoulder", "upper_arm", "forearm", "hand"),
    "Legs": ("thigh", "shin", "foot", "toe"),
    "Front Legs": ("front_shoulder", "front_upper", "front_lower", "front_heel", "front_foot"),
    "Hind Legs": ("hind_hip", "hind_upper", "hind_lower", "hind_heel", "hind_foot"),
}
FEWEST = 4  # roles a map must find before it is believed
WRONG = 3  # roles that one which shape contradicts takes away from what a map has found


@dataclass(frozen=True, eq=False)
class BoneMap:
    """Names of bones by role.

    bones : {role: names it goes by, best first}.  Case, a namespace ("mixamorig:") and the signs between words play no
    part.
    """

    name: str
    bones: dict[str, tuple[str, ...]]

    def roles(self, names) -> dict[str, str]:
        """{role: bone} for those of the skeleton's bones that the map knows."""
        exact, known = set(names), _by_plain_name(tuple(names))
        found: dict[str, str] = {}
        for role, spellings in self.bones.items():
            match = next((n for s in spellings if (n := s if s in exact else known.get(plain(s))) is not None), None)
            if match is not None and match not in found.values():
                found[role] = match
        return found


@lru_cache(maxsize=16)
def _by_plain_name(names: tuple[str, ...]) -> dict[str, str]:
    """{plain name, also without namespace: the first name of it}. Every map asks for the same skeleton's."""
    known: dict[str, str] = {}
    for name in names:
        known.setdefault(plain(name), name)
        known.setdefault(plain(re.split(r"[:|]", name)[-1]), name)
    return known


@lru_cache(maxsize=16_384)
def plain(name: str) -> str:
    """A name without case and signs between words, in any script."""
    return re.sub(r"[\W_]", "", name.lower())


def map_names() -> list[str]:
    """The names of the maps that ship with Geppetto."""
    return sorted(p.stem for p in PRESETS.glob("*.json"))


@lru_cache(maxsize=1)
def _shipped() -> tuple[BoneMap, ...]:
    """The maps that ship, read once."""
    return tuple(load_bone_map(name) for name in map_names())


def load_bone_map(name_or_path) -> BoneMap:
    """Load a shipped map by name, or any map file by path.  Raises BadBoneMap, naming the file and the field."""
    path = Path(name_or_path)
    if path.suffix.lower() != ".json":
        path = PRESETS / f"{name_or_path}.json"
        if not path.is_file():
            raise BadBoneMap(
                f"There is no bone map '{name_or_path}'. Choose one of: {', '.join(map_names())}; or give the "
                "path of a map's .json file."
            )
    try:
        data = read_json(path.read_bytes(), f"The bone map '{path}'", BadBoneMap)
    except OSError as error:
        raise BadBoneMap(f"The bone map '{path}' cannot be read: {error.strerror}.") from error
    return bone_map_from_data(data, source=str(path))


def bone_map_from_data(data, *, source: str = "bone map") -> BoneMap:
    """A map from the contents of its JSON file.  Raises BadBoneMap."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadBoneMap(f"'{source}' is not a bone map: its \"format\" is not \"{FORMAT}\".")
    if data.get("version") != VERSION:
        raise BadBoneMap(f"'{source}' has version {data.get('version')!r}; this Geppetto reads version {VERSION}.")
    check_fields(data, FIELDS, f"'{source}'", BadBoneMap)
    bones = data.get("bones")
    if not isinstance(bones, dict):
        raise BadBoneMap(f"'{source}': the field \"bones\" must be an object {{role: name}}.")
    table = {}
    for role, names in bones.items():
        spellings = [names] if isinstance(names, str) else names
        if not isinstance(spellings, list) or not all(isinstance(n, str) and plain(n) for n in spellings):
            raise BadBoneMap(f"'{source}': the names of \"{role}\" must be a text or a list of texts.")
        table[str(role)] = tuple(spellings)
    return BoneMap(str(data.get("name", source)), table)


def bone_map_data(bone_map: BoneMap) -> dict:
    """The contents of the JSON file that `bone_map_from_data` reads back."""
    bones = {role: names[0] if len(names) == 1 else list(names) for role, names in bone_map.bones.items()}
    return {"format": FORMAT, "version": VERSION, "name": bone_map.name, "bones": bones}


_roles: WeakKeyDictionary[Rig, dict[str, int]] = WeakKeyDictionary()  # a rig never changes, and is asked for often


def find_roles(rig: Rig, bone_map: BoneMap | None = None) -> dict[str, int]:
    """{role: bone index} of a rig.

    bone_map : whose names to use; None tries all that ship and takes the one that finds most, or, where none finds
    enough,
        looks at the structure.  Empty if nothing is recognised.
    """
    if bone_map is not None:
        return _hanging(rig, named_roles(rig, bone_map))
    if rig not in _roles:
        roles = named_roles(rig)
        if not roles:
            number = {name: i for i, name in enumerate(rig.names)}
            roles = {role: number[bone] for role, bone in roles_by_structure(rig).items()}
        _roles[rig] = _hanging(rig, completed(rig, roles))
    return dict(_roles[rig])


def named_roles(rig: Rig, bone_map: BoneMap | None = None) -> dict[str, int]:
    """{role: bone index} by names: those of a map, or what the shipped ones and the words in the names find; empty if
    nothing is found.

    Of several answers the one counts that knows most, each role that the tree or the lengths contradict taken off.
    """
    number = {name: i for i, name in enumerate(rig.names)}
    if bone_map is not None:
        return {role: number[bone] for role, bone in bone_map.roles(rig.names).items()}
    tries = [{role: number[bone] for role, bone in known.roles(rig.names).items()} for known in _shipped()]
    tries.append(roles_by_words(rig))
    good = [t for t in tries if len(t) >= FEWEST and has_limbs(t)]
    return max(good, key=lambda t: len(t) - WRONG * len(doubts(rig, t)), default={})


def _hanging(rig: Rig, roles: dict[str, int]) -> dict[str, int]:
    """Roles without those of limbs that are not carried by the limb: in control rigs a foot may hang elsewhere."""
    out = dict(roles)
    parents = carriers(rig, roles)
    for limb in LIMBS:
        for side in "LR":
            known = [f"{part}.{side}" for part in limb if f"{part}.{side}" in out]
            for above, below in pairwise(known):
                if above in out and out[above] not in ancestors(parents, out[below]):
                    del out[below]
    return out


def has_limbs(roles) -> bool:
    """Whether a pair of legs or arms was recognised."""
    pairs = [limb[:2] if limb[0] != "upper_arm" else limb[:1] for limb in LIMBS]
    return any({f"{part}.{side}" for part in pair for side in "LR"} <= set(roles) for pair in pairs)

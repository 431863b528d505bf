"""The kinds of files that are read and written, and what it is called when one cannot be. Known without Blender."""

from __future__ import annotations

import re
from pathlib import Path

from ..core.errors import RigError


class BadFile(RigError):
    """A file that cannot be read or written. The message names it and the way out."""


# For each kind of file: the operators that can read it, best first, and what they are told besides the file's name.
READERS: dict[str, tuple[tuple[str, ...], dict]] = {
    ".blend": (("wm.open_mainfile",), {"load_ui": False, "use_scripts": False}),
    ".glb": (("import_scene.gltf",), {}),
    ".gltf": (("import_scene.gltf",), {}),
    ".fbx": (("wm.fbx_import", "import_scene.fbx"), {}),  # the first since 4.5: faster, reads text FBX too
    ".obj": (("wm.obj_import",), {}),
    ".ply": (("wm.ply_import",), {}),
    ".stl": (("wm.stl_import",), {}),
    **{suffix: (("wm.usd_import",), {}) for suffix in (".usd", ".usda", ".usdc", ".usdz")},
}
MOTIONS = {".bvh", ".fbx", ".glb", ".gltf", ".json"}  # kinds of files that hold motions
WRITERS: dict[str, tuple[tuple[str, ...], dict]] = {
    "blend": (("wm.save_as_mainfile",), {"copy": True, "compress": True, "check_existing": False}),
    "glb": (("export_scene.gltf",), {"export_format": "GLB", "export_anim_slide_to_zero": True}),
    "fbx": (("export_scene.fbx",), {"add_leaf_bones": False, "path_mode": "COPY", "embed_textures": True}),
    "usd": (("wm.usd_export",), {}),
}
ENGINE_SUFFIX = {"fbx": ".fbx", "glb": ".glb", "vrm": ".vrm", "dae": ".dae"}  # of the containers of presets/engines
SUFFIX = {"blend": ".blend", "glb": ".glb", "fbx": ".fbx", "usd": ".usdz"}  # .usdc would share a folder of pictures


def split_motion(text: str) -> tuple[str, str]:
    """("walks.glb", "Walk") of "walks.glb:Walk"; ("walks.glb", "") of a file alone."""
    kinds = "|".join(kind[1:] for kind in sorted(MOTIONS))
    match = re.match(rf"(.*\.(?:{kinds})):(.+)$", text, re.IGNORECASE | re.DOTALL)
    return (match[1], match[2]) if match and not Path(text).exists() else (text, "")

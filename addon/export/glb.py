"""The two parts of a .glb, its JSON and its binary data, read and put together again. Known without Blender."""

from __future__ import annotations

import json
import struct

from ..formats import BadFile

MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
PLAIN = {"name": "plain", "doubleSided": True,
         "pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.8, 0.8, 1], "metallicFactor": 0, "roughnessFactor": 0.5}}


def read_glb(data: bytes) -> tuple[dict, bytes]:
    """(JSON, binary data) of a binary glTF 2.0 file.  Raises BadFile."""
    chunks: dict[int, bytes] = {}
    if len(data) < 12 or struct.unpack_from("<II", data) != (MAGIC, 2):
        raise BadFile("The file is no binary glTF 2.0.")
    at = 12
    while at + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, at)
        chunks.setdefault(kind, data[at + 8:at + 8 + length])
        at += 8 + length
    if JSON_CHUNK not in chunks:
        raise BadFile("The file is no binary glTF 2.0.")
    return json.loads(chunks[JSON_CHUNK]), chunks.get(BINARY_CHUNK, b"")


def skins_at_root(tree: dict) -> dict:
    """The JSON with every skinned mesh at the root of its scenes: what it hangs on counts for nothing there (glTF 2.0
    section 3.7.3.3), and validators warn of it."""
    nodes = [dict(node) for node in tree.get("nodes", [])]
    skinned = {i for i, node in enumerate(nodes) if "skin" in node and "mesh" in node}
    hung = {child for node in nodes for child in node.get("children", [])} & skinned
    for node in nodes:
        rest = [child for child in node.get("children", []) if child not in hung]
        if rest:
            node["children"] = rest
        else:
            node.pop("children", None)
    scenes = [scene | {"nodes": [*scene.get("nodes", []), *sorted(hung)]} for scene in tree.get("scenes", [])]
    return tree | {"nodes": nodes, "scenes": scenes}


def painted(tree: dict) -> dict:
    """The JSON in which what has no material has the one that Blender shows it with: glTF's own (section 5.19.1) is a
    metal, and black where no surroundings are mirrored in it."""
    bare = [one for mesh in tree.get("meshes", []) for one in mesh["primitives"] if "material" not in one]
    if not bare:
        return tree
    plain = len(tree.get("materials", []))
    meshes = [mesh | {"primitives": [{"material": plain} | one for one in mesh["primitives"]]}
              for mesh in tree["meshes"]]
    return tree | {"meshes": meshes, "materials": [*tree.get("materials", []), PLAIN]}


def pack_glb(tree: dict, binary: bytes) -> bytes:
    """The bytes of a .glb: each part filled up to a multiple of four, as glTF 2.0 section 4.4 wants."""
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode()
    parts = [(JSON_CHUNK, text + b" " * (-len(text) % 4))]
    if binary:
        parts.append((BINARY_CHUNK, binary + b"\0" * (-len(binary) % 4)))
    body = b"".join(struct.pack("<II", len(part), kind) + part for kind, part in parts)
    return struct.pack("<III", MAGIC, 2, 12 + len(body)) + body

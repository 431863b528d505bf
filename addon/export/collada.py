"""COLLADA 1.4.1 with skin: what Second Life takes, and what Blender no longer writes since 5.0. Known without Blender.

khronos.org/files/collada_spec_1_4.pdf; the parts of a skin are in chapter 5 under <skin> and <vertex_weights>.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from scipy import sparse


@dataclass(frozen=True, eq=False)
class Surface:
    """A mesh as COLLADA has it.

    points : (V, 3);  triangles : (T, 3) of vertices;  normals : (T, 3, 3), one for each corner;  uvs : (T, 3, 2)
    slots : (T,) index into materials;  materials : (name, (4,) colour), ...;  weights : (V, B), rows sum to 1
    """

    name: str
    points: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    uvs: np.ndarray
    slots: np.ndarray
    materials: tuple[tuple[str, np.ndarray], ...]
    weights: sparse.csr_matrix


def collada(surfaces: list[Surface], bones: tuple[str, ...], parents: np.ndarray, rest: np.ndarray, *, unit: float,
            up: str, written: str) -> bytes:
    """The file.

    rest : (B, 4, 4) the bones' places in the file's space;  unit : metres;  up : "Y" or "Z"
    written : the time in the file, as xs:dateTime
    """
    colours = {name: colour for surface in surfaces for name, colour in surface.materials}
    number = {name: f"material{i}" for i, name in enumerate(colours)}
    parts = ['<?xml version="1.0" encoding="utf-8"?>\n',
             '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">\n',
             f'<asset><created>{written}</created><modified>{written}</modified><unit name="unit" meter="{unit:g}"/>'
             f"<up_axis>{up}_UP</up_axis></asset>\n", _materials(colours, number),
             "<library_geometries>\n", *(_geometry(s, f"mesh{i}", number) for i, s in enumerate(surfaces)),
             "</library_geometries>\n<library_controllers>\n",
             *(_skin(s, f"mesh{i}", bones, rest) for i, s in enumerate(surfaces)),
             "</library_controllers>\n<library_visual_scenes><visual_scene id=\"scene\" name=\"Scene\">\n",
             *(_joint(bones, parents, rest, i) for i in np.flatnonzero(parents < 0)),
             *(_instance(s, f"mesh{i}", bones, parents, number) for i, s in enumerate(surfaces)),
             "</visual_scene></library_visual_scenes>\n",
             "<scene><instance_visual_scene url=\"#scene\"/></scene>\n</COLLADA>\n"]
    return "".join(parts).encode()


def _numbers(values) -> str:
    values = np.asarray(values)
    if values.dtype.kind in "iu":
        return " ".join(map(str, values.ravel().tolist()))
    return " ".join(f"{v:.9g}" for v in values.ravel().tolist())


def _source(key: str, values: np.ndarray, names: str) -> str:
    params = "".join(f'<param name="{n}" type="float"/>' for n in names)
    return (f'<source id="{key}"><float_array id="{key}-array" count="{values.size}">{_numbers(values)}</float_array>'
            f'<technique_common><accessor source="#{key}-array" count="{values.size // len(names)}" '
            f'stride="{len(names)}">{params}</accessor></technique_common></source>\n')


def _materials(colours: dict, number: dict[str, str]) -> str:
    effects = "".join(
        f'<effect id="{number[name]}-effect"><profile_COMMON><technique sid="common"><lambert><diffuse><color '
        f'sid="diffuse">{_numbers(np.asarray(colour, float))}</color></diffuse></lambert></technique></profile_COMMON>'
        "</effect>\n" for name, colour in colours.items())
    materials = "".join(f'<material id="{number[name]}" name={quoteattr(name)}><instance_effect '
                        f'url="#{number[name]}-effect"/></material>\n' for name in colours)
    return (f"<library_effects>\n{effects}</library_effects>\n<library_materials>\n{materials}</library_materials>\n"
            if colours else "")


def _geometry(surface: Surface, key: str, number: dict[str, str]) -> str:
    corners = np.arange(surface.triangles.size).reshape(-1, 3)
    pieces = []
    for slot, (name, _) in enumerate(surface.materials):
        held = surface.slots == slot
        if held.any():
            index = np.stack([surface.triangles[held], corners[held], corners[held]], axis=-1)
            pieces.append(
                f'<triangles material="{number[name]}" count="{int(held.sum())}">'
                f'<input semantic="VERTEX" source="#{key}-vertices" offset="0"/>'
                f'<input semantic="NORMAL" source="#{key}-normals" offset="1"/>'
                f'<input semantic="TEXCOORD" source="#{key}-uvs" offset="2" set="0"/><p>{_numbers(index)}</p>'
                "</triangles>\n")
    return (f'<geometry id="{key}" name={quoteattr(surface.name)}><mesh>\n'
            + _source(f"{key}-points", surface.points, "XYZ")
            + _source(f"{key}-normals", surface.normals.reshape(-1, 3), "XYZ")
            + _source(f"{key}-uvs", surface.uvs.reshape(-1, 2), "ST")
            + f'<vertices id="{key}-vertices"><input semantic="POSITION" source="#{key}-points"/></vertices>\n'
            + "".join(pieces) + "</mesh></geometry>\n")


def _skin(surface: Surface, key: str, bones: tuple[str, ...], rest: np.ndarray) -> str:
    weights = surface.weights
    index = np.stack([weights.indices, np.arange(weights.nnz)], axis=1)
    joints = " ".join(bones)
    return (f'<controller id="{key}-skin"><skin source="#{key}"><bind_shape_matrix>{_numbers(np.eye(4))}'
            f'</bind_shape_matrix>\n<source id="{key}-joints"><Name_array id="{key}-joints-array" '
            f'count="{len(bones)}">{escape(joints)}</Name_array><technique_common><accessor '
            f'source="#{key}-joints-array" count="{len(bones)}" stride="1"><param name="JOINT" type="name"/></accessor>'
            '</technique_common></source>\n'
            f'<source id="{key}-binds"><float_array id="{key}-binds-array" count="{16 * len(bones)}">'
            f'{_numbers(np.linalg.inv(rest))}</float_array><technique_common><accessor source="#{key}-binds-array" '
            f'count="{len(bones)}" stride="16"><param name="TRANSFORM" type="float4x4"/></accessor></technique_common>'
            "</source>\n" + _source(f"{key}-weights", weights.data, "W").replace('name="W"', 'name="WEIGHT"')
            + f'<joints><input semantic="JOINT" source="#{key}-joints"/><input semantic="INV_BIND_MATRIX" '
            f'source="#{key}-binds"/></joints>\n<vertex_weights count="{weights.shape[0]}"><input semantic="JOINT" '
            f'source="#{key}-joints" offset="0"/><input semantic="WEIGHT" source="#{key}-weights" offset="1"/>'
            f"<vcount>{_numbers(np.diff(weights.indptr))}</vcount><v>{_numbers(index)}</v></vertex_weights>"
            "</skin></controller>\n")


def _joint(bones: tuple[str, ...], parents: np.ndarray, rest: np.ndarray, bone: int) -> str:
    above = int(parents[bone])
    local = rest[bone] if above < 0 else np.linalg.inv(rest[above]) @ rest[bone]
    below = "".join(_joint(bones, parents, rest, int(i)) for i in np.flatnonzero(parents == bone))
    name = quoteattr(bones[bone])
    return (f'<node id={name} name={name} sid={name} type="JOINT"><matrix sid="transform">{_numbers(local)}</matrix>\n'
            f"{below}</node>\n")


def _instance(surface: Surface, key: str, bones, parents: np.ndarray, number: dict[str, str]) -> str:
    roots = "".join(f"<skeleton>#{escape(bones[i])}</skeleton>" for i in np.flatnonzero(parents < 0))
    bound = "".join(f'<instance_material symbol="{number[name]}" target="#{number[name]}"/>'
                    for name, _ in dict(surface.materials).items())
    return (f'<node id="{key}-node" name={quoteattr(surface.name)} type="NODE"><instance_controller url="#{key}-skin">'
            f"{roots}<bind_material><technique_common>{bound}</technique_common></bind_material></instance_controller>"
            "</node>\n")

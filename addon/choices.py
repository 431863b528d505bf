"""What a person may choose about a rig: the same for the sidebar and for Adjust Last Operation, and what it means."""

from __future__ import annotations

from dataclasses import replace
from zlib import crc32

from ..core.detail.grow import DetailOptions
from ..core.errors import BadMesh
from ..core.fitting.check import suitable_preset
from ..core.fitting.creature import creature_names
from ..core.fitting.from_shape import (
    DETAIL,
    NAME,
    detail_of,
    is_shape,
    shape_name,
    shape_template,
    template_in,
    what_of,
)
from ..core.geometry.mesh import Mesh
from ..core.geometry.shape import Shape
from ..core.seeing.stance import AXES, Stance, detect_stance
from ..core.skeleton.preset import load_template, preset_names
from ..core.skeleton.template import SkeletonTemplate
from ..core.skinning.bind import BindOptions
from . import props
from .characters.templates import OWN, own_templates, path_of

METHODS = (("auto", "Automatic", "Choose what suits this mesh"),
           ("heat", "Heat", "Smooth weights by heat diffusion over the skin"),
           ("geodesic", "Geodesic", "Weights by distance through the body; for broken meshes and many parts"))
DIRECTIONS = (("auto", "Auto", "Found out from the shape"),
              *((name, name, f"The direction {name} of the world") for name in AXES))
RESOLUTIONS = (("auto", "Automatic", "What the thinnest limbs need"),
               *((str(n), str(n), f"{n} voxels along the longest side") for n in (96, 128, 192, 256, 384, 512)))
DETAILS = (("body", "Body", "The bones of the skeleton alone"),
           ("hands", "Hands", "Fingers too, where they show"),
           ("full", "Full", "Fingers, eyes, twist bones, what hangs or is held, and a root on the ground"))
FINGERS = (("auto", "Auto", "As many as show"),
           *((str(n), str(n), f"Look for {n} on each hand, the thumb counted") for n in range(6)))
_items: list = []  # Blender keeps no reference to the strings of a menu


def preset_label(name: str) -> str:
    """What the menu calls a skeleton that ships."""
    return {NAME: "From Shape", "biped_paper": "Biped (Pinocchio)"}.get(name, name.replace("_", " ").title())


def preset_tip(name: str) -> str:
    """What the menu says of a preset that ships."""
    if name == "biped_paper":
        return "Fit the 17 bones of the Pinocchio method, which has no collarbones, hands and toes"
    return f"Fit the {name.replace('_', ' ')} skeleton"


def stable_number(name: str) -> int:
    """A number for an item of a menu that may get more items: files store it. Small, as Blender's buttons turn it into
    a single float."""
    return crc32(name.encode()) & 0x3FFFFF


def preset_items(choices, context) -> list:
    """The menu of skeletons: found out, shipped, the artist's own."""
    ours = [(name, preset_label(name), preset_tip(name)) for name in preset_names()]
    ours += [(name, preset_label(name), f"Make a {name} skeleton: as many limbs as the body shows")
             for name in creature_names()]
    own = [(OWN + name, name, "A skeleton of your own") for name in own_templates()]
    _items[:] = [(*item, stable_number(item[0]) if item[0] != "auto" else 0) for item in (
        ("auto", "Automatic", "Choose the skeleton that suits the shape"), *ours,
        (NAME, preset_label(NAME), "Make a skeleton from the shape itself: any creature, any thing"), *own)]
    return _items


def only_selected_property():
    """Which vertices are bound."""
    return props.BoolProperty(name="Only Selected Vertices", description="Bind the vertices that are selected in "
                                  "Edit mode; the others keep their weights exactly", default=False)


def within_property():
    """A mask."""
    return props.StringProperty(name="Within Group", description="A vertex group that says how much of the new "
                                    "weights each vertex takes; empty: all of them")


class RigChoices:
    """The choices, as Blender's properties; for property groups and operators to inherit."""

    preset: props.EnumProperty(name="Skeleton", description="The skeleton that is fitted into the character",
                                   items=preset_items)
    detail: props.EnumProperty(name="Detail", description="How far the skeleton goes into detail", items=DETAILS,
                               default="hands")
    fingers: props.EnumProperty(name="Fingers", description="How many fingers are looked for on each hand",
                                items=FINGERS)
    twists: props.IntProperty(name="Twist Bones", description="In each upper arm, forearm, thigh and shin of a full "
                              "skeleton: they share the turn of hand, foot or shoulder, so that wrung limbs keep "
                              "their volume", default=2, min=0, max=3)
    root: props.BoolProperty(name="Root on the Ground", description="A bone on the ground under the hips that "
                             "carries all others. A full skeleton has it anyway", default=False)
    without: props.StringProperty(name="Without", description="Things of a full skeleton that get no bones, such as "
                                  "cape or prop_hand.R, with commas between them", default="")
    up: props.EnumProperty(name="Up", description="Which way the character's head is", items=DIRECTIONS)
    front: props.EnumProperty(name="Front", description="Which way the character looks", items=DIRECTIONS)
    shape_detail: props.FloatProperty(name="Number of Bones", description="How many bones a skeleton from the shape "
                                      "has: 0 few, 1 many. It counts when you rig the character", default=DETAIL,
                                      min=0.0, max=1.0, subtype="FACTOR")
    method: props.EnumProperty(name="Weights", description="How the skin is bound to the bones", items=METHODS)
    influences: props.IntProperty(name="Influences", description="Bones that may move one vertex; most game "
                                      "engines take 4", default=4, min=1, max=16, soft_max=8)
    rigid_parts: props.BoolProperty(name="Rigid Parts", description="Loose parts such as buttons, teeth or armour "
                                        "that mostly follow one bone follow it wholly", default=True)
    alpha: props.FloatProperty(name="Sharpness", description="0 blends widely over joints, 1 hardly; for geodesic "
                                   "weights", default=0.3, min=0.0, max=1.0, subtype="FACTOR")
    resolution: props.EnumProperty(name="Resolution", description="How finely geodesic weights look at the body",
                                       items=RESOLUTIONS)


CHOICES = tuple(RigChoices.__annotations__)


def copy_choices(source, target) -> None:
    """The sidebar's choices for an operator."""
    for key in CHOICES:
        setattr(target, key, getattr(source, key))


def bind_options(choices) -> BindOptions:
    """What the choices mean for binding."""
    resolution = choices.resolution if choices.resolution == "auto" else int(choices.resolution)
    return BindOptions(influences=choices.influences, rigid_parts=choices.rigid_parts, alpha=choices.alpha,
                       resolution=resolution)


def detail_options(choices) -> DetailOptions:
    """What the choices mean for small parts."""
    fingers = None if choices.fingers == "auto" else int(choices.fingers)
    return DetailOptions(choices.detail, fingers, choices.twists, choices.root, tuple(names_in(choices.without)))


def names_in(text: str) -> list[str]:
    """The names in a list with commas or spaces between them."""
    return text.replace(",", " ").split()


def stance_of(mesh: Mesh, choices, detail: DetailOptions) -> Stance:
    """How a mesh stands, as far as the artist has not said.

    detail : of its rig, which says whether a base is part of the body.  Raises BadMesh if up and front contradict each
    other.
    """
    if choices.up != "auto" and choices.up.lstrip("-") == choices.front.lstrip("-"):
        raise BadMesh(f"A character whose head is at {choices.up} cannot look to {choices.front}. Change Up or Front.")
    stance = detect_stance(mesh, up=choices.up, front=choices.front, has_base=detail.has_base)
    return replace(stance, may_lie=stance.may_lie and (choices.preset == "auto" or is_shape(choices.preset)))


def named_template(preset: str) -> SkeletonTemplate:
    """A template by its name in the menu.  Raises BadTemplate."""
    return load_template(path_of(preset.removeprefix(OWN)) if preset.startswith(OWN) else preset)


def chosen_preset(choices) -> str:
    """The name of the chosen skeleton, with its detail if it is made from the shape."""
    return shape_name(choices.shape_detail, choices.preset) if is_shape(choices.preset) else choices.preset


def template_for(preset: str):
    """Function of the prepared shape that gives the template: the one named, or the one that suits it.

    Raises BadTemplate for a name there is not.
    """
    if is_shape(preset):
        detail = detail_of(preset)
        return lambda shape: shape_template(shape, detail, what_of(preset))
    if preset != "auto":
        template = named_template(preset)
        return lambda shape: template
    return _suitable_template


def _suitable_template(shape: Shape) -> SkeletonTemplate:
    return template_in(shape, suitable_preset(shape))

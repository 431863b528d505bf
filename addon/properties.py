"""What the user has chosen, saved with the scene."""

import bpy

from ..core.motion.clip_file import motion_names
from ..core.skeleton.bone_map import map_names
from ..core.skeleton.preset import preset_names
from . import names

METHODS = (("auto", "Automatic", "Choose what suits this mesh"),
           ("heat", "Heat", "Smooth weights by heat diffusion over the skin"),
           ("geodesic", "Geodesic", "Weights by distance through the body; for broken meshes and many parts"))
# Blender keeps no reference to the strings of an enum: this list must live as long as the property.
PRESETS = tuple((name, name.replace("_", " ").title(), f"Fit the {name.replace('_', ' ')} skeleton")
                for name in preset_names())


def preset_property():
    """The skeleton to fit."""
    return bpy.props.EnumProperty(name="Skeleton", description="The skeleton that is fitted into the character",
                                  items=PRESETS, default="biped")


def method_property():
    """How weights are made."""
    return bpy.props.EnumProperty(name="Weights", description="How the skin is bound to the bones", items=METHODS)

MOTIONS = tuple((name, name.replace("_", " ").title(), f"Let the character do the motion '{name}'")
                for name in motion_names())


def motion_property():
    """A motion of the library."""
    return bpy.props.EnumProperty(name="Motion", description="What the character does; a name without a kind of body "
                                  "is taken as it suits the character", items=MOTIONS, default="walk")


def speed_property():
    """How fast it is done."""
    return bpy.props.FloatProperty(name="Speed", description="2 is twice as fast", default=1.0, min=0.1, max=10.0,
                                   soft_max=3.0)


def travel_property():
    """Over the ground or on the spot."""
    return bpy.props.BoolProperty(
        name="Travel",
        description="Move over the ground; otherwise stay on the spot, as on a treadmill",
        default=False,
    )


def hold_property():
    """Feet that stand still."""
    return bpy.props.BoolProperty(
        name="Hold Feet", description="Keep feet that stand from sliding, sinking and floating", default=True
    )


def bone_map_property():
    """Whose bone is what, in the motion's skeleton."""
    return bpy.props.StringProperty(name="Bone Map", description="How the bones of the motion's skeleton are called: "
                                    f"{', '.join(map_names())}, or a .json file; empty finds out by itself")


class GeppettoSettings(bpy.types.PropertyGroup):
    """The choices of the sidebar."""

    preset: preset_property()
    method: method_property()
    motion: motion_property()
    speed: speed_property()
    travel: travel_property()
    hold: hold_property()
    bone_map: bone_map_property()


CLASSES = (GeppettoSettings,)
PROPERTIES = ((bpy.types.Scene, names.SETTINGS, lambda: bpy.props.PointerProperty(type=GeppettoSettings)),)

"""What the user has chosen, saved with the scene."""

import bpy

from ..core.skeleton.preset import preset_names

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


class GeppettoSettings(bpy.types.PropertyGroup):
    """The choices of the sidebar."""

    preset: preset_property()
    method: method_property()


CLASSES = (GeppettoSettings,)

"""What the user has chosen, saved with the scene."""

import bpy

from ..core.motion.clip_file import motion_names
from ..core.motion.made import made_names
from ..core.skeleton.bone_map import map_names
from . import names, props
from .characters.blending import blend
from .choices import RigChoices, only_selected_property, stable_number, within_property
from .editing import joints

OF_KINDS = {"quadruped": "Animals", "horse": "Animals", "centaur": "Centaurs", "bird": "Birds"}


def _motions() -> tuple[tuple, ...]:
    """The motions under headings: whose they are."""
    groups: dict[str, list[str]] = {"People": [], "Animals": [], "Centaurs": [], "Birds": []}
    for name in motion_names():
        groups[OF_KINDS.get(name.partition("_")[0], "People")].append(name)
    groups["Other Creatures"] = made_names()
    return tuple(item for heading, found in groups.items() for item in (("", heading, ""), *(
        (name, name.replace("_", " ").title(), f"Let the character do the motion '{name}'", "NONE", stable_number(name))
        for name in found)))


MOTIONS = _motions()


def motion_property():
    """A motion of the library."""
    return props.EnumProperty(name="Motion", description="What the character does; a name without a kind of body "
                                  "is taken as it suits the character", items=MOTIONS, default="walk")


def speed_property():
    """How fast it is played."""
    return props.FloatProperty(name="Playback", description="2 plays the same movements in half the time. To "
                               "walk faster as bodies do, with longer and quicker steps, choose a Ground Speed",
                               default=1.0, min=0.1, max=10.0, soft_max=3.0)


PACES = (("ships", "As It Ships", "Keep the timing it ships with, whatever the size of the body"),
         ("natural", "Natural", "As fast as a body with such legs goes by itself: small ones step quicker"),
         ("metres", "Metres a Second", "This many metres a second. The speed decides whether it walks, "
                                       "trots, canters, gallops or runs"),
         ("legs", "Leg Lengths a Second", "This many leg lengths a second, timed as for a person: the "
                                          "size of the body does not count"))
VALUES = {"metres": "Metres/s", "legs": "Legs/s"}  # what the number after it is called


def pace_property():
    """What a gait's speed follows."""
    return props.EnumProperty(name="Ground Speed", description="How fast gaits on legs go over the ground. Stride, "
                              "steps and gait follow from it", items=PACES, default="ships")


def ground_speed_property():
    """How fast a gait goes over the ground."""
    return props.FloatProperty(name="Metres or Legs/s", description="The ground speed in metres or leg lengths "
                               "a second. Legs of a person walk up to 2.1 metres a second, and run beyond; a horse "
                               "trots from 2.3, canters from 5, and gallops from 6.5", default=1.4, min=0.01,
                               max=1000.0, soft_max=10.0)


TRAVELS = (("source", "As the Source", "Go over the ground where the motion's source does"),
           ("hips", "Hips", "Go over the ground; the hips move. A motion on the spot goes as far as its feet show"),
           ("root", "Root", "Go over the ground; the bone above the hips moves, or the object if there is none"),
           ("none", "On the Spot", "Stay on the spot, as on a treadmill"))


def travel_property():
    """Over the ground or on the spot, and what carries the way."""
    return props.EnumProperty(name="Travel", description="Whether the character moves over the ground, and what "
                                  "carries it", items=TRAVELS, default="source")


def rest_frame_property():
    """Which frame stands for the motion's rest pose."""
    return props.IntProperty(name="Rest Pose from Frame", description="The frame of the motion, from 0, in which it "
                                 "stands as the character does at rest, for files whose own rest pose means nothing; "
                                 "-1 takes the file's, or one built from the motion", default=-1, min=-1)


def trim_first_property():
    """The first frame taken of a motion."""
    return props.IntProperty(name="First Frame", description="The first frame of the motion that is taken, from 0",
                             default=0, min=0)


def trim_last_property():
    """The last frame taken of a motion."""
    return props.IntProperty(name="Last Frame", description="The last frame of the motion that is taken, from 0; -1 "
                                 "takes all to the end", default=-1, min=-1)


def fps_property():
    """The rate a motion is brought to."""
    return props.FloatProperty(name="Frame Rate", description="Frames a second that the motion is brought to; 0 keeps "
                                   "its own", default=0.0, min=0.0, max=1000.0)


def reduce_property():
    """How many keys are left out."""
    return props.FloatProperty(name="Fewer Keys (°)", description="Leave out keys while no bone is turned by more "
                               "degrees than this from where it should be; 0 keeps a key in every frame", default=0.0,
                               min=0.0, soft_max=5.0)


def hold_property():
    """Feet that stand still."""
    return props.BoolProperty(
        name="Hold Feet", description="Keep feet that stand from sliding, sinking and floating", default=True
    )


def no_drift_property():
    """A motion that ends where it began."""
    return props.BoolProperty(name="Take Drift Away", description="A motion that stays about its place ends where it "
                                  "began. Motions that travel stay as they are", default=False)


def style_property(name: str, description: str):
    """One slider of the style."""
    return props.FloatProperty(name=name, description=description + ". 0 is the motion as it ships", default=0.0,
                               min=-1.0, max=1.0)


def energy_property():
    """How lively."""
    return style_property("Energy", "Larger, longer and quicker movements, or smaller and slower ones")


def width_property():
    """How wide the stance."""
    return style_property("Stance", "Feet further apart, or closer together")


def mood_property():
    """Tired to happy."""
    return style_property("Mood", "Happy: upright, open and light. Below 0 tired: bent, with a hanging head and slow")


def bone_map_property():
    """Whose bone is what, in the motion's skeleton."""
    return props.StringProperty(name="Bone Names", description="After which program the bones of a motion from a file "
                                    "or an armature are called. Empty: found out by itself. Or one of: "
                                    f"{', '.join(map_names())}; or a bone map's .json file")


def _redraw(settings, context) -> None:
    joints.redraw()


class GeppettoSettings(RigChoices, bpy.types.PropertyGroup):
    """The choices of the sidebar."""

    alpha: props.FloatProperty(name="Sharpness", description="0 blends widely over joints, 1 hardly. With geodesic "
                                   "weights the character follows the slider", default=0.3, min=0.0, max=1.0,
                                   subtype="FACTOR", update=blend)
    only_selected: only_selected_property()
    within: within_property()
    show_weights: props.BoolProperty(name="Show in Viewport", description="Color the places where "
                                     "the check found bad weights, from yellow to red, in any pose",
                                     default=True, update=_redraw)
    motion: motion_property()
    speed: speed_property()
    pace: pace_property()
    ground_speed: ground_speed_property()
    travel: travel_property()
    hold: hold_property()
    reduce: reduce_property()
    no_drift: no_drift_property()
    energy: energy_property()
    width: width_property()
    mood: mood_property()
    bone_map: bone_map_property()
    export_folder: props.StringProperty(name="Folder", description="Where the last export went", subtype="DIR_PATH")
    export_author: props.StringProperty(name="Author", description="Who made the avatar")


CLASSES = (GeppettoSettings,)
PROPERTIES = ((bpy.types.Scene, names.SETTINGS, lambda: bpy.props.PointerProperty(type=GeppettoSettings)),)

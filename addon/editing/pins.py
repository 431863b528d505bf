"""What an artist has said of a character's joints, saved on one of its mesh objects: pins, and the reading chosen.

Pins are joints in the object's own coordinates. A reading is chosen for one skeleton and does not count for others.
"""

from __future__ import annotations

import bpy
import numpy as np

from .. import names, props
from ..bridge.whole_change import change_since, moved_along, note_points

OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}  # pins of a character that is linked and overridden are saved with the shot


class Pin(bpy.types.PropertyGroup):
    """A joint (its `name`) and where it must lie, in the coordinates of the object that holds the pin."""

    position: props.FloatVectorProperty(name="Position", description="Where the joint lies, in the object's own "
                                            "coordinates", subtype="TRANSLATION", size=3, override=OVERRIDABLE)


class JointSettings(bpy.types.PropertyGroup):
    """How joints are edited and what is drawn of them."""

    mirror: props.BoolProperty(name="Mirror", default=True,
                                   description="Moving a joint moves its partner on the other side too")
    mirror_anyway: props.BoolProperty(name="Mirror Anyway", default=False, description="Move the partner too "
                                          "where the sides of the body differ: both are pinned, as mirror images")
    snap: props.BoolProperty(name="Snap to Middle", default=True, description="Keep a dragged joint in the middle "
                                 "of the limb under the mouse. Hold Ctrl while dragging for the opposite")
    show_names: props.BoolProperty(name="Names", default=False, description="Write each joint's name beside it")
    show_samples: props.BoolProperty(name="Middle", default=False, description="Draw the points in the middle of "
                                         "the body between which the skeleton is looked for")
    show_spheres: props.BoolProperty(name="Spheres", default=False,
                                         description="Draw the balls that fill the body")
    show_graph: props.BoolProperty(name="Graph", default=False,
                                       description="Draw the ways from ball to ball that bones may take")
    show_slice: props.BoolProperty(name="Slice", default=False, description="Cut through the body and color how "
                                       "deep inside each place lies")
    slice_axis: props.EnumProperty(name="Axis", description="Which way the cut is seen", default="Y", items=(
        ("X", "Side", "Cut the body into left and right"), ("Y", "Front", "Cut the body into front and back"),
        ("Z", "Top", "Cut the body into upper and lower")))
    slice_position: props.FloatProperty(name="Place", description="Where the body is cut, from end to end",
                                            default=0.5, min=0.0, max=1.0, subtype="FACTOR")


def owner_of(objects) -> bpy.types.Object | None:
    """Of a character's mesh objects the one that holds its pins and the reading chosen; if none holds anything, the one
    with the most polygons."""
    objects = sorted((o for o in objects if o.type == "MESH"), key=lambda o: o.name)
    return max(objects, key=lambda o: (len(getattr(o, names.PINS)), getattr(o, names.READING) > 0,
                                       bool(getattr(o, names.LIMBS)), len(o.data.polygons)), default=None)


def pins_of(owner) -> dict[str, np.ndarray]:
    """{joint: (3,) in the object's own coordinates}: where the mesh has changed as a whole since, they have with it."""
    held = getattr(owner, names.PINS)
    change = change_since(owner, getattr(owner, names.PINNED_ON)) if held else None
    return {pin.name: moved_along(pin.position, change) for pin in held}


def said_pins(owner) -> list[tuple[str, np.ndarray]]:
    """(joint, (3,) where it was pinned) by name, in the coordinates that the object had then: the same for the same
    pins, whatever becomes of the mesh."""
    return sorted(((pin.name, np.array(pin.position, np.float32)) for pin in getattr(owner, names.PINS)),
                  key=lambda pin: pin[0])


def world_pins(owner) -> dict[str, np.ndarray]:
    """{joint: (3,) in the world}, as hints for a fit."""
    matrix = np.array(owner.matrix_world, float)
    return {name: matrix[:3, :3] @ place + matrix[:3, 3] for name, place in pins_of(owner).items()}


def set_pin(owner, joint: str, position) -> None:
    """Pin a joint, or move its pin.  position : (3,) in the object's own coordinates."""
    held = getattr(owner, names.PINS)
    for name, place in pins_of(owner).items():  # those of the mesh before
        held[name].position = place
    number = held.find(joint)
    pin = held.add() if number < 0 else held[number]
    pin.name, pin.position = joint, position
    setattr(owner, names.PINNED_ON, note_points(owner, getattr(owner, names.PINNED_ON)))
    setattr(owner, names.ACTIVE_PIN, held.find(joint))


def remove_pin(owner, joint: str) -> bool:
    """Take a pin away.  Returns whether there was one."""
    held = getattr(owner, names.PINS)
    number = held.find(joint)
    if number >= 0:
        held.remove(number)
        setattr(owner, names.ACTIVE_PIN, max(min(getattr(owner, names.ACTIVE_PIN), len(held) - 1), 0))
    return number >= 0


def drop_copies(objects) -> None:
    """Take from objects the pins that their owner has too, as parts have that were separated in Edit mode."""
    objects = list(objects)
    owner = owner_of(objects)
    own = {name: place.tobytes() for name, place in said_pins(owner)} if owner is not None else {}
    for o in objects:
        if o.type == "MESH" and o != owner:
            for name, place in said_pins(o):
                if own.get(name) == place.tobytes():
                    remove_pin(o, name)


def clear_pins(owner) -> None:
    """Take all pins away."""
    getattr(owner, names.PINS).clear()


def with_moved(pinned: dict[str, np.ndarray], moved: dict[str, np.ndarray], template, *, mirror: bool
               ) -> dict[str, np.ndarray]:
    """The pins, and joints that were moved by hand; with `mirror` these speak for their partners too."""
    partners = {_partner(n, template) for n in moved}
    return {n: p for n, p in pinned.items() if not (mirror and n in partners)} | moved


def _partner(joint: str, template) -> str:
    """The joint on the other side, of fingers and further limbs too; "" for one in the middle."""
    if joint not in template.names:
        return joint[:-1] + {"L": "R", "R": "L"}[joint[-1]] if joint.endswith((".L", ".R")) else ""
    k = int(template.mirror[template.index(joint)])
    return template.names[k] if k >= 0 else ""


def take_over(owner, moved: dict[str, np.ndarray], template, *, mirror: bool) -> None:
    """Pin joints where they were moved by hand.  moved : {joint: (3,) in the world}"""
    back = np.linalg.inv(np.array(owner.matrix_world, float))
    local = {n: back[:3, :3] @ p + back[:3, 3] for n, p in moved.items()}
    before = pins_of(owner)
    after = with_moved(before, local, template, mirror=mirror)
    for name in before.keys() - after.keys():
        remove_pin(owner, name)
    for name in local:
        set_pin(owner, name, after[name])


def restore(owner, pinned: dict[str, np.ndarray]) -> None:
    """Have these pins and no others.  pinned : as `pins_of` gives them"""
    clear_pins(owner)
    for name, place in pinned.items():
        set_pin(owner, name, place)


def readings_of(owner) -> dict[str, int]:
    """{skeleton's name: reading chosen for it}, 0 being the likeliest, which counts where none was chosen."""
    reading = getattr(owner, names.READING)
    return {getattr(owner, names.READING_OF): reading} if reading else {}


def choose_reading(owner, skeleton: str, reading: int) -> None:
    """Choose which reading of a body a skeleton is fitted to."""
    setattr(owner, names.READING, reading)
    setattr(owner, names.READING_OF, skeleton)


CLASSES = (Pin, JointSettings)
# On the object itself: what lies in a group of its own is not saved with overrides by Blender 5.
PROPERTIES = ((bpy.types.Object, names.PINS, lambda: bpy.props.CollectionProperty(
                  type=Pin, override={"LIBRARY_OVERRIDABLE", "USE_INSERTION"})),
              (bpy.types.Object, names.ACTIVE_PIN, lambda: props.IntProperty(
                  name="Active Pin", description="The pin chosen in the list", override=OVERRIDABLE)),
              (bpy.types.Object, names.PINNED_ON, lambda: props.StringProperty(
                  name="Pinned On", description="Some points of the mesh as they were when a joint was pinned last",
                  override=OVERRIDABLE)),
              (bpy.types.Object, names.READING, lambda: props.IntProperty(
                  name="Reading", description="Which reading of the body the skeleton is fitted to, 0 being the "
                  "likeliest", min=0, override=OVERRIDABLE)),
              (bpy.types.Object, names.READING_OF, lambda: props.StringProperty(
                  name="Reading Of", description="The skeleton for which the reading was chosen",
                  override=OVERRIDABLE)),
              (bpy.types.Scene, names.JOINTS, lambda: bpy.props.PointerProperty(type=JointSettings)))

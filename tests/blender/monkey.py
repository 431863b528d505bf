"""A random user: our buttons among Blender's, in any order, and what must hold after each.

    python tests/blender/monkey.py SEED STEPS        # ends with status 1 if something fails
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import bpy
import numpy as np

from tests.blender.scenes import add_character, add_cube

OURS = ("object.geppetto_auto_rig", "object.geppetto_move", "object.geppetto_rig_and_move", "geppetto.show_joints",
        "geppetto.hide_joints", "geppetto.pin_joint", "geppetto.unpin_joint", "geppetto.unpin_all",
        "geppetto.update_rig", "geppetto.other_reading", "geppetto.check", "geppetto.bind", "geppetto.remove_rig",
        "geppetto.rename_bones", "geppetto.rest_pose", "geppetto.export_for")
MODES = ("OBJECT", "EDIT", "SCULPT", "WEIGHT_PAINT", "POSE")
MODIFIERS = ("SUBSURF", "MIRROR", "SOLIDIFY", "DECIMATE", "ARMATURE", "WELD")
REFUSALS = ("Error: ", "poll() ")  # a report, or a grey button: what a user may meet; a traceback is not among them


class Monkey:
    """Hands on the scene: every action looks up what there is, for undo may have taken everything away."""

    def __init__(self, seed: int, character):
        self.random, self.character = np.random.default_rng(seed), character
        self.file = str(Path(tempfile.mkdtemp()) / "monkey.blend")
        self.told: list[str] = []
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        self.arrive()

    def play(self, steps: int) -> None:
        """So many actions, each an undo step of its own as from a button, the invariants after each."""
        actions = [self.press_ours] * 9 + [
            self.undo, self.undo, self.redo, self.switch_mode, self.leave_modes, self.leave_modes, self.select,
            self.select, self.select, self.delete, self.rename, self.save_and_open, self.join, self.duplicate,
            self.link_duplicate, self.modify, self.apply, self.transform, self.new_scene, self.hide, self.arrive,
            self.choose, self.separate, self.shape_key]
        for _ in range(steps):
            action = actions[self.random.integers(len(actions))]
            self.told.append(action.__name__)
            try:
                action()
            except RuntimeError as error:
                if "Traceback" in str(error) or not any(word in str(error) for word in REFUSALS):
                    raise
                self.told[-1] += f": {str(error).splitlines()[0][:90]}"
            if action not in (self.undo, self.redo):
                bpy.ops.ed.undo_push(message=self.told[-1])
            check()

    def one(self, things):
        """Any of them, or None."""
        things = list(things)
        return things[self.random.integers(len(things))] if things else None

    def press_ours(self) -> None:
        name = self.one(OURS)
        group, _, operator = name.partition(".")
        self.told[-1] += f" {name}"
        choices = {"geppetto.pin_joint": {"joint": self.one(("shin.L", "head", "nobody")), "position": (
            float(self.random.normal(0, 0.2)), 0.0, float(self.random.random()))},
            "geppetto.rename_bones": {"engine": self.one(("geppetto", "unity", "mixamo"))},
            "geppetto.rest_pose": {"pose": self.one(("T", "A", "modelled"))},
            "geppetto.export_for": {"engine": self.one(("unreal", "godot", "vrm", "second-life")),
                                    "filepath": self.file.replace(".blend", "-out")},
            "object.geppetto_auto_rig": {"preset": self.one(("auto", "biped")),
                                         "method": self.one(("auto", "heat", "geodesic"))}}
        getattr(getattr(bpy.ops, group), operator)(**choices.get(name, {}))

    def undo(self) -> None:
        bpy.ops.ed.undo()

    def redo(self) -> None:
        bpy.ops.ed.redo()

    def switch_mode(self) -> None:
        if bpy.context.object is not None:
            modes = {"MESH": MODES[:4], "ARMATURE": ("OBJECT", "EDIT", "POSE")}.get(bpy.context.object.type, MODES[:1])
            bpy.ops.object.mode_set(mode=self.one(modes))

    def leave_modes(self) -> None:
        if bpy.context.object is not None and bpy.context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")

    def select(self) -> None:
        everything = list(bpy.context.view_layer.objects)
        for o in everything:
            o.select_set(bool(self.random.random() < 0.7))
        bpy.context.view_layer.objects.active = self.one(everything)

    def delete(self) -> None:
        bpy.ops.object.delete(use_global=bool(self.random.random() < 0.3))

    def rename(self) -> None:
        named = self.one([*bpy.data.objects, *bpy.data.meshes, *bpy.data.armatures, *bpy.data.actions])
        if named is not None:
            named.name = self.one(("body", "hips", "x" * 60, "Ä ö ü", "rig"))

    def save_and_open(self) -> None:
        bpy.ops.wm.save_as_mainfile(filepath=self.file)
        bpy.ops.wm.open_mainfile(filepath=self.file)

    def join(self) -> None:
        bpy.ops.object.join()

    def separate(self) -> None:
        bpy.ops.mesh.separate(type="LOOSE")

    def duplicate(self) -> None:
        if len(bpy.data.objects) < 12:
            bpy.ops.object.duplicate()

    def link_duplicate(self) -> None:
        if len(bpy.data.objects) < 12:
            bpy.ops.object.duplicate(linked=True)

    def modify(self) -> None:
        o = self.one(o for o in bpy.data.objects if o.type == "MESH")
        if o is not None:
            o.modifiers.new("New", self.one(MODIFIERS))

    def apply(self) -> None:
        o = bpy.context.object
        modifier = self.one(o.modifiers) if o is not None and o.type == "MESH" else None
        if modifier is not None and len(o.data.vertices) < 20_000:
            bpy.ops.object.modifier_apply(modifier=modifier.name)

    def transform(self) -> None:
        o = self.one(bpy.data.objects)
        if o is not None:
            o.location = self.random.normal(0, 1, 3)
            o.scale = self.random.choice([-1.0, 0.5, 1.0, 1.5], 3)
            o.rotation_euler.z = self.random.normal()

    def new_scene(self) -> None:
        bpy.ops.scene.new(type=self.one(("NEW", "EMPTY", "LINK_COPY", "FULL_COPY"))) if len(bpy.data.scenes) < 3 else \
            bpy.ops.scene.delete()

    def hide(self) -> None:
        o = self.one(bpy.context.view_layer.objects)
        if o is not None:
            o.hide_set(not o.hide_get())

    def arrive(self) -> None:
        if sum(o.type == "MESH" for o in bpy.data.objects) < 3 and bpy.context.mode == "OBJECT":
            o = add_cube() if self.random.random() < 0.3 else add_character(self.character)[0]
            bpy.context.view_layer.update()
            o.select_set(True)
            bpy.context.view_layer.objects.active = o

    def choose(self) -> None:
        settings = bpy.context.scene.geppetto
        settings.preset, settings.method = self.one(("auto", "biped")), self.one(("auto", "geodesic"))
        settings.alpha = self.random.random()

    def shape_key(self) -> None:
        if bpy.context.object is not None and bpy.context.object.type == "MESH" and bpy.context.mode == "OBJECT":
            bpy.ops.object.shape_key_add(from_mix=False)


def check() -> None:
    """What must hold whatever was done: no work under way, nothing of ours in between, weights that are weights."""
    from geppetto.addon import job
    from geppetto.addon.characters.rigged import armature_of, is_ours, selected_character
    from geppetto.addon.editing import joints

    assert job.running() is None
    assert not any(s.name.startswith("Geppetto") for s in bpy.data.scenes), "a scene of ours was left"
    assert not any(thing.name.startswith("Geppetto") or thing.name.endswith("(geppetto)")
                   for thing in (*bpy.data.objects, *bpy.data.meshes, *bpy.data.armatures)), "a copy or a lent name"
    what = joints.shown_in(bpy.context)
    if what is not None:
        found = what.places(bpy.context)
        assert found is None or np.isfinite(found[1]).all()
    selected_character(bpy.context)
    for o in [o for o in bpy.data.objects if o.type == "MESH"]:
        assert not any(a.name == "geppetto" for a in o.data.attributes), "an attribute of ours was left"
        assert armature_of(o) is None or is_ours(armature_of(o))
        assert np.isfinite(np.array(o.matrix_world)).all()
        weights = [g.weight for v in list(o.data.vertices)[::17] for g in v.groups]
        assert all(0.0 <= w <= 1.0 for w in weights)


def run(seed: int, steps: int, character, tell: Callable[[str], None] = print) -> None:
    """Play, and where something does not hold tell what was done before."""
    monkey = Monkey(seed, character)
    try:
        monkey.play(steps)
    finally:
        tell(f"seed {seed}: " + ", ".join(monkey.told[-12:]))


if __name__ == "__main__":
    import os
    import traceback

    from tests.characters import person
    from tests.conftest import load_as_package

    load_as_package().register()
    status = 0
    try:
        run(int(sys.argv[1]), int(sys.argv[2]), person(vertices=1500))
    except (RuntimeError, AssertionError, AttributeError, LookupError, ReferenceError, TypeError, ValueError):
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    os._exit(status)

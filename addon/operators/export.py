"""A rigged character handed to a game engine or another program: ask where, write, remember where."""

from pathlib import Path

import bpy

from ...core.errors import RigError
from ...core.skeleton.engine import engines, load_engine
from .. import names, props
from ..characters.control_rig import controls_of
from ..characters.rigged import armature_of
from ..current import active_in
from ..export.exporting import ExportOptions, export_for
from ..formats import ENGINE_SUFFIX
from ..modes import as_it_was
from ..polls import has_rig, is_shown, may_change
from ..words.telling import tell

ENGINES = tuple((name, load_engine(name).label, f"A file that {load_engine(name).label} takes as it is")
                for name in engines())
RESTS = (("engine", "As the Engine Wants", "T-pose where the engine expects one"),
         ("modelled", "As It Is", "The rest pose the character has now"),
         ("T", "T-Pose", "Arms level"), ("A", "A-Pose", "Arms half lowered"))
TAKES = (("all", "All", "All motions of the character"), ("active", "Active", "The motion it does now"),
         ("none", "None", "The character alone"))


class ExportFor(bpy.types.Operator):
    """Write the character as a file that a game engine or program takes as it is: its bone names, root, helper bones, \
axes, rest pose and scale. The scene stays as it is"""

    bl_idname = names.EXPORT_FOR
    bl_label = "Export Character"
    bl_options = {"REGISTER"}

    engine: props.EnumProperty(name="For", description="Which program the file is for", items=ENGINES)
    filepath: props.StringProperty(subtype="FILE_PATH")
    check_existing: props.BoolProperty(name="Check Existing", default=True, options={"HIDDEN"})
    filter_glob: props.StringProperty(default="*.fbx;*.glb;*.vrm;*.dae", options={"HIDDEN"})
    takes: props.EnumProperty(name="Motions", description="Which motions the file holds", items=TAKES, default="all")
    rest: props.EnumProperty(name="Rest Pose", description="How the character stands at rest in the file", items=RESTS,
                             default="engine")
    title: props.StringProperty(name="Title", description="What the avatar is called; empty: as the file")
    author: props.StringProperty(name="Author", description="Who made the avatar")
    everyone: props.BoolProperty(name="Everyone May Use It", default=False,
                                 description="Everyone may act as this avatar; otherwise only its author")
    commercial: props.BoolProperty(name="Commercial Use", default=False, description="The avatar may earn money")

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a rig of ours without controls."""
        if not may_change(cls, context) or not is_shown(cls, context):
            return False
        if controls_of(active_in(context)) is not None:
            cls.poll_message_set("Press Back to Plain Rig first: engines know nothing of controls")
            return False
        return has_rig(cls, context)

    def invoke(self, context, event) -> set:
        """Ask for the file, where the last one went."""
        settings = getattr(context.scene, names.SETTINGS)
        folder = Path(bpy.path.abspath(settings.export_folder or "//") or Path.home())
        name = armature_of(active_in(context)).name.removesuffix(" rig")
        self.filepath = str((folder if folder.is_dir() else Path.home()) / f"{bpy.path.clean_name(name)}{self._suffix}")
        self.author = self.author or settings.export_author
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def check(self, context) -> bool:
        """The name ends as the engine's files do."""
        wanted = bpy.path.ensure_ext(self.filepath, self._suffix)
        changed, self.filepath = wanted != self.filepath, wanted
        return changed

    def draw(self, context) -> None:
        """What may be chosen; a VRM says whose it is."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        engine = load_engine(self.engine)
        layout.label(text=engine.label, icon="EXPORT", translate=False)
        layout.prop(self, "rest")
        if engine.takes:
            layout.prop(self, "takes")
        if engine.container == "vrm":
            for key in ("title", "author", "everyone", "commercial"):
                layout.prop(self, key)

    def execute(self, context) -> set:
        """Write it, then remember where."""
        armature, settings = armature_of(active_in(context)), getattr(context.scene, names.SETTINGS)
        path = Path(bpy.path.ensure_ext(bpy.path.abspath(self.filepath), self._suffix))
        try:
            with as_it_was(context):
                done = export_for(context, armature, load_engine(self.engine), path,
                                  ExportOptions(self.rest, self.takes, self._meta(path)))
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        settings.export_folder, settings.export_author = str(path.parent), self.author
        for text in done.warnings:
            self.report({"WARNING"}, tell(text))
        self.report({"INFO"}, tell(f"'{path.name}': "
                                   + (f"{done.bones} bones, " if done.bones != 1 else "1 bone, ")
                                   + (f"{done.objects} objects, " if done.objects != 1 else "1 object, ")
                                   + (f"{len(done.takes)} motions" if len(done.takes) != 1 else "1 motion")))
        return {"FINISHED"}

    @property
    def _suffix(self) -> str:
        return ENGINE_SUFFIX[load_engine(self.engine).container]

    def _meta(self, path: Path) -> dict:
        return {"name": self.title or path.stem, "authors": [self.author] if self.author else [],
                "avatarPermission": "everyone" if self.everyone else "onlyAuthor",
                "commercialUsage": "personalProfit" if self.commercial else "personalNonProfit"}


CLASSES = (ExportFor,)

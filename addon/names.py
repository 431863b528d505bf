"""Every name Blender knows Geppetto by, once."""

AUTO_RIG = "object.geppetto_auto_rig"
MOVE = "object.geppetto_move"
MOVE_FROM_FILE = "object.geppetto_move_from_file"
MOVE_FROM_ARMATURE = "object.geppetto_move_from_armature"
RIG_AND_MOVE = "object.geppetto_rig_and_move"
SAVE_BONE_MAP = "object.geppetto_save_bone_map"
PANEL_MOTION = "GEPPETTO_PT_motion"
PANEL_CHARACTER = "GEPPETTO_PT_character"
PANEL_REMEDY = "GEPPETTO_PT_remedy"  # where scipy is missing
SETTINGS = "geppetto"  # the property group on the scene
TAB = "Geppetto"  # of the 3D viewport's sidebar

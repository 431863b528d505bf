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

SHOW_JOINTS = "geppetto.show_joints"
HIDE_JOINTS = "geppetto.hide_joints"
DRAG_JOINT = "geppetto.pin_joint"
REMOVE_PIN = "geppetto.unpin_joint"
CLEAR_PINS = "geppetto.unpin_all"
UPDATE_RIG = "geppetto.update_rig"
PANEL_JOINTS = "GEPPETTO_PT_joints"
PANEL_OVERLAY = "GEPPETTO_PT_overlay"
PIN_LIST = "GEPPETTO_UL_pins"
HANDLES = "GEPPETTO_GT_joints"
HANDLE_GROUP = "GEPPETTO_GGT_joints"
PINS = "geppetto"  # the property group on mesh objects
JOINTS = "geppetto_joints"  # the property group on the scene
MADE_BY = "geppetto"  # custom property that marks our own armatures; its value is the preset's name

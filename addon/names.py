"""Every name Blender knows Geppetto by, once."""

AUTO_RIG = "object.geppetto_auto_rig"
PANEL_CHARACTER = "GEPPETTO_PT_character"
SETTINGS = "geppetto"  # the property group on the scene
TAB = "Geppetto"  # of the 3D viewport's sidebar

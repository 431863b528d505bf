"""Pictures of characters and rigs, drawn in software with arrays: no window, no graphics card, no Blender."""

"""Pictures of characters and rigs, drawn in software with arrays: they need no window, no graphics card and no Blender."""

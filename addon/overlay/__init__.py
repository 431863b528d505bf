"""What is drawn over the viewport: pure arrays in `lines`, Blender's gpu module in `draw`."""

"""The Blender side: reads meshes, calls the core, writes armatures and vertex groups. The only place that knows bpy."""

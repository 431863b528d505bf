"""The program behind presets/motions: every motion there is written by `python -m core.motion.authoring`.

A motion is authored as feet on the ground and a body above them: where and how each foot stands and swings (`gait`),
how the pelvis travels, bobs and turns, and curves for what is above it. Legs follow by `reach_for`. Angles in these
files are degrees; a turn about +X leans what is above forward and swings what hangs backward, about +Y leans to the
left, about +Z turns left.
"""

"""Motion: clips, their transfer to any rig, and feet that stay where they are put.

Turns. A clip stores for each bone how it is turned against its parent since the rest pose, in the axes of the rest
pose's space (not the bone's own), so rolls and rest directions play no part. ``turns`` are the same summed along the
parents: how a bone is turned in space since the rest pose. A bone at rest has the identity in both.
"""

"""What can be wrong with an artist's mesh, skeleton or pin, in the artist's words.

ValueError is kept for a programmer's mistake (a wrong shape); everything here is about the content of a scene and says
what it is and what to do about it.
"""


class RigError(Exception):
    """Something in the scene keeps it from being rigged. The message names it and the way out."""


class BadMesh(RigError):
    """The mesh has no volume to rig: no faces, no extent, numbers that are not finite."""


class ShapeTooThin(RigError):
    """The solid is nowhere thick enough for a bone."""


class BadTemplate(RigError):
    """A skeleton template that cannot be read or does not hang together."""


class BadRig(RigError):
    """A skeleton that cannot be bound."""


class BadHint(RigError):
    """A pin that names no joint, or lies where no joint can be."""


class NoEmbedding(RigError):
    """No placement of the template in the mesh was acceptable."""


class BadMotion(RigError):
    """A motion that cannot be read, or does not fit a skeleton."""


class BadBoneMap(RigError):
    """A bone map that cannot be read."""

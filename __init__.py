"""Geppetto: a mesh in, a rigged character out. A Blender extension; see README.md and core/__init__.py.

Everything is imported inside register() and unregister(): this file is also read where there is no Blender.
"""


def register():
    """Add the operators, properties and panels to Blender; undone completely if any step fails."""
    from .addon import requirements

    requirements.register()


def unregister():
    """Take everything out again."""
    from .addon import requirements

    requirements.unregister()

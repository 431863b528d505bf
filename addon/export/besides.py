"""What objects show besides their meshes, none of which files of engines and other programs hold."""

from __future__ import annotations

from ..current import evaluated_scene


def told_of_besides(context, objects, file: str) -> list[str]:
    """A warning of the objects that show particles, instances or curves, as nodes and particle systems make them.

    file : which lacks them
    """
    showing = {o.name for o in objects if any(
        m.type == "PARTICLE_SYSTEM" and m.show_viewport and m.particle_system.settings.type == "HAIR"
        and m.particle_system.settings.render_type == "PATH" for m in o.modifiers)}
    if any(o.modifiers or o.instance_type != "NONE" for o in objects):
        names = {o.name for o in objects}
        showing |= names & {one.parent.name for one in evaluated_scene(context).object_instances if one.is_instance}
    if not showing:
        return []
    named = ", ".join(f"'{name}'" for name in sorted(showing))
    return [f"{file} lacks what {named} shows besides a mesh: hair of particles, instances or curves. Make meshes of "
            "them first, with Object > Convert or Object > Apply > Make Instances Real."]

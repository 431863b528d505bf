"""`blender --command geppetto rig FILES`: the program of batch.py, from the installed extension."""

from __future__ import annotations

USAGE = "usage: blender --command geppetto rig FILES ...   (blender --command geppetto rig --help says more)"


def run(arguments: list[str]) -> int:
    """Do what was asked for on Blender's command line.  Returns the exit status."""
    if arguments[:1] in ([], ["--help"], ["-h"]):
        print(USAGE)
        return 0
    if arguments[0] != "rig":
        print(f"geppetto: there is no command '{arguments[0]}'.\n{USAGE}")
        return 2
    from .batch import main  # only when asked for: registering the extension stays quick

    try:
        return main(arguments[1:])
    except SystemExit as end:  # the command line made no sense, or --help: Blender takes a number, not the exception
        return end.code if isinstance(end.code, int) else 2


COMMANDS = (("geppetto", run),)

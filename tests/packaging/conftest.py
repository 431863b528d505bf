"""The builder and validator come with the bpy wheel; where there is none these tests are not collected."""

import importlib.util

if importlib.util.find_spec("bpy") is None:
    collect_ignore_glob = ["*.py"]

"""A real Dask cluster on this machine; where Dask is not installed these tests are not collected: make test-cluster."""

from __future__ import annotations

import importlib.util

if importlib.util.find_spec("distributed") is None or importlib.util.find_spec("bpy") is None:
    collect_ignore_glob = ["*.py"]

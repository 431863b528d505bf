"""What blender_manifest.toml says of this extension: the one place its version is written."""

from __future__ import annotations

import tomllib
from pathlib import Path

VERSION: str = tomllib.loads(
    (Path(__file__).resolve().parents[1] / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]

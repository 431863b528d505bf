"""The report's page in a real browser; without one these tests are not collected."""

from __future__ import annotations

import shutil

if shutil.which("chromium") is None:
    collect_ignore_glob = ["*.py"]

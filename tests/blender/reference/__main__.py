"""Keep the results of today: python -m tests.blender.reference [case ...]"""

from __future__ import annotations

import os
import sys

from tests import conftest  # noqa: F401 - loads the extension

if __name__ == "__main__":
    from tests.blender.reference.cases import RESULTS

    RESULTS.renew(sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # without the destructors of the wheel's libraries, one of which may wait for ever

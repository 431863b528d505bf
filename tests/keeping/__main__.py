"""Keep the results of today, of the core and of what is between it and Blender: python -m tests.keeping [case ...]"""

from __future__ import annotations

import os
import sys

from tests import conftest  # noqa: F401 - loads the extension


def main(wanted: list[str]) -> int:
    """Renew some cases, or all."""
    from tests.blender.reference.cases import RESULTS as BLENDERS
    from tests.core.reference.cases import RESULTS as CORES

    if unknown := [case for case in wanted if case not in CORES.cases | BLENDERS.cases]:
        print(f"There is no case '{unknown[0]}'. There are: {', '.join(CORES.cases | BLENDERS.cases)}.")
        return 2
    for results in (CORES, BLENDERS):
        cases = [case for case in wanted if case in results.cases]
        if cases or not wanted:
            results.renew(cases)
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(status)  # without the destructors of the wheel's libraries, one of which may wait for ever

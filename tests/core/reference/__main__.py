"""Keep the results of today: python -m tests.core.reference [case ...]"""

from __future__ import annotations

import sys

from tests.core.reference.cases import RESULTS

RESULTS.renew(sys.argv[1:])

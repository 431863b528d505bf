"""Keep the results of today: python -m tests.core.reference [case ...]

Each case is run again with everything moved by next to nothing and as other processors calculate; by how much results
differ then is how much they may be off.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.core.reference.kept import CASES, FOLDER, recorded, with_room, written

SHAKES = ((1e-8, 1), (1e-7, 2), (1e-7, 3), (1e-7, 4))
OTHERS = ({"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "2"},
          {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX"},
          {"OPENBLAS_CORETYPE": "Sandybridge", "OPENBLAS_NUM_THREADS": "1",
           "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX2 FMA3"})


def main(wanted: list[str]) -> None:
    """Write the files of some cases, or of all."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        if old.stem not in CASES:
            old.unlink()
    for case in wanted or CASES:
        runs = [_elsewhere(case, 0.0, 0, {}), *(_elsewhere(case, *shake, {}) for shake in SHAKES),
                *(_elsewhere(case, 0.0, 0, environment) for environment in OTHERS)]
        kept = with_room(runs[0], runs[1:])
        (FOLDER / f"{case}.txt").write_text(written(kept), encoding="utf-8")
        print(f"{case}: {len(kept)} functions", flush=True)


def _elsewhere(case: str, shake: float, seed: int, environment: dict[str, str]) -> dict[str, list[float]]:
    """The sums of a case, run by a process of its own."""
    call = [sys.executable, "-m", "tests.core.reference", "--print", case, str(shake), str(seed)]
    done = subprocess.run(call, env=os.environ | environment, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--print"]:
        print(json.dumps(recorded(sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))))
    else:
        main(sys.argv[1:])

"""Jobs into workers, entries into records, until all are done."""

from __future__ import annotations

import time
from pathlib import Path

from geppetto.addon.batching import ledger as ledger_module
from geppetto.addon.batching.contents import sources_of
from geppetto.addon.batching.inputs import Job
from geppetto.addon.batching.ledger import Ledger
from geppetto.addon.batching.running import run_jobs
from geppetto.addon.whole import write_whole


class Quick:
    """A worker that is through with a file at the next look."""

    blender = "9.9"

    def __init__(self):
        self.finished: list = []

    @property
    def free(self) -> int:
        return 2 - len(self.finished)

    def begin(self, job: Job, tag: str) -> None:
        sources = sources_of(job.path) if Path(job.path).exists() else []
        self.finished.append((tag, {"file": job.path, "status": "rigged"}, sources))

    def collect(self) -> list:
        time.sleep(0.002)
        finished, self.finished = self.finished, []
        return finished


class Shared(Ledger):
    """Of a folder where another run is at some files for a while."""

    def __init__(self, out: Path, others: float):
        super().__init__(out, "s")
        self._free_at, self.asked = time.monotonic() + others, 0

    def begin(self, job: Job):
        self.asked += 1
        return super().begin(job) if job.path.startswith("ours") or time.monotonic() > self._free_at else None


def test_for_what_is_done_nothing_is_written(tmp_path, monkeypatch):
    path = tmp_path / "knight.glb"
    path.write_bytes(b"steel")
    with Ledger(tmp_path / "out", "s") as ledger:
        for resume, writes in ((False, 2), (True, 0)):  # a note that it is worked on, and its record
            written = []
            monkeypatch.setattr(ledger_module, "write_whole", lambda place, pieces, written=written: (
                written.append(place), write_whole(place, pieces)))
            finished, = [one for some in run_jobs([Job(0, str(path), "knight")], Quick(), ledger, resume=resume)
                         for one in some]
            assert len(written) == writes and finished.worked != resume


def test_files_another_run_is_at_are_asked_for_now_and_then_and_hold_nothing_up(tmp_path):
    jobs = [Job(number, f"{whose}{number}.glb", f"{whose}{number}")
            for number, whose in enumerate(["other", "other", "ours", "other", "ours", "ours"])]
    done, first = [], 0.0
    with Shared(tmp_path, others=0.4) as ledger:
        since = time.monotonic()
        for finished in run_jobs(jobs, Quick(), ledger):
            done += [one.job.target for one in finished]
            first = first or (len(done) == 3 and time.monotonic() - since)
        assert done[:3] == ["ours2", "ours4", "ours5"] and len(done) == 6 and first < 0.2
        assert ledger.asked < 20

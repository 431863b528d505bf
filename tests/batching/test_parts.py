"""What a run tells the machines of a cluster, without one."""

from __future__ import annotations

import io
import sys
from concurrent.futures import CancelledError
from importlib.machinery import ModuleSpec
from pathlib import Path
from shutil import copy
from types import ModuleType, SimpleNamespace

import pytest

from geppetto.addon.batching.cluster import Cluster, part
from geppetto.addon.batching.contents import settings_key
from geppetto.addon.batching.inputs import Job
from geppetto.addon.batching.ledger import Ledger
from geppetto.addon.batching.options import RigOptions, RunOptions
from geppetto.addon.formats import BadFile

PRESETS = Path(__file__).resolve().parents[2] / "presets"


class Client:
    """Of a scheduler that notes what it is asked to have done, and ends when `is_gone`."""

    loop = None

    def __init__(self):
        self.asked: list[bytes] = []
        self.is_gone = False
        self.cut_off: Exception | None = None  # what fetching a result ends in
        self.threads = 2

    def nthreads(self) -> dict[str, int]:
        if self.is_gone:
            raise OSError("closed")
        return {"there": self.threads} if self.threads else {}

    def submit(self, function, command, *, input, **more):
        self.asked.append(input)
        return SimpleNamespace(key=len(self.asked), status="finished" if self.cut_off else "cancelled",
                               result=self._result)

    def _result(self):
        raise self.cut_off

    def close(self) -> None:
        """Nothing to do."""


class Completed(list):
    """Futures, of which all are done at once."""

    add = list.append

    def has_ready(self) -> bool:
        return bool(self)

    def next_batch(self, block: bool) -> list:
        ready, self[:] = self[:], []
        return ready


@pytest.fixture
def client(monkeypatch) -> Client:
    """The client of a Dask that is only played."""
    client, dask = Client(), ModuleType("distributed")
    dask.__spec__ = ModuleSpec("distributed", None)
    dask.CancelledError = CancelledError
    dask.Client, dask.as_completed = lambda *address, **more: client, lambda *futures, **more: Completed()
    monkeypatch.setitem(sys.modules, "distributed", dask)
    return client


@pytest.mark.parametrize("options", [{"preset": "own.json"}, {"preset": "shape 0.8"}, {"for_": ("engine.json",)},
                                     {"motion": ("moves", "run.glb:Run", "walk")}])
def test_a_machine_that_works_in_another_folder_knows_files_and_words_alike(tmp_path, monkeypatch, client, options):
    monkeypatch.chdir(tmp_path)
    copy(PRESETS / "skeletons" / "biped.json", "own.json")
    copy(PRESETS / "engines" / "unity.json", "engine.json")
    (tmp_path / "moves").mkdir()
    for name in ("run.glb", "moves/walk.glb"):
        (tmp_path / name).write_bytes(b"run")
    rig = RigOptions(**options)
    with (Ledger(tmp_path / "out", settings_key(rig)) as ledger,
          Cluster(rig, RunOptions(out="out", scheduler="tcp://there"), ledger) as cluster):
        cluster._submit([], resume=True)
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir("elsewhere")
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(client.asked[0])))
        assert part() == 0
    if "preset" in options:
        assert cluster._rig.preset in {str(tmp_path / "own.json"), "shape 0.8"}


@pytest.mark.parametrize("when", ["before", "meanwhile", CancelledError(), OSError("closed")])
def test_a_scheduler_that_ends_ends_the_run_and_no_file_is_called_failed(tmp_path, client, when):
    jobs = [Job(number, f"{number}.glb", str(number)) for number in range(5)]
    with (Ledger(tmp_path, "s") as ledger,
          Cluster(RigOptions(), RunOptions(out=str(tmp_path), scheduler="tcp://there"), ledger) as cluster):
        client.is_gone = when == "before"
        client.cut_off = when if isinstance(when, Exception) else None
        with pytest.raises(BadFile, match=r"tcp://there.*--resume"):
            list(cluster.run_jobs(jobs))
        assert not any(ledger.read(job.target) for job in jobs)


def test_who_waits_for_the_first_worker_is_told_so_once(tmp_path, client, capsys):
    with (Ledger(tmp_path, "s") as ledger,
          Cluster(RigOptions(), RunOptions(out=str(tmp_path), scheduler="tcp://there"), ledger) as cluster):
        assert cluster._threads() == 2 and not capsys.readouterr().out
        client.threads = 0
        assert cluster._threads() == 1
        assert "'tcp://there' has no workers yet" in capsys.readouterr().out
        assert cluster._threads() == 1 and not capsys.readouterr().out

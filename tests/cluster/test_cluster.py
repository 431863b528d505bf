"""--scheduler: a real scheduler and two worker processes do what one machine does, though one of them is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from geppetto.addon.batching.cluster import Cluster
from geppetto.addon.batching.contents import settings_key
from geppetto.addon.batching.inputs import Job
from geppetto.addon.batching.ledger import Ledger
from geppetto.addon.batching.options import RigOptions, RunOptions
from tests.characters import person

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, str(ROOT / "addon" / "batch.py")]
QUICK = ["--no-picture", "--format", "glb"]
SAVED_TIMES = {"seconds", "cpu", "memory", "log"}


def wait_for(what, seconds: float = 60.0):
    """The first true answer, asked again and again."""
    until = time.monotonic() + seconds
    while not (answer := what()):
        assert time.monotonic() < until, "nothing happened"
        time.sleep(0.1)
    return answer


def run(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)


def report_of(out: Path) -> list[dict]:
    files = json.loads((out / "report.json").read_text(encoding="utf-8"))["files"]
    return [{key: value for key, value in entry.items() if key not in SAVED_TIMES} for entry in files]


@pytest.fixture
def cluster(tmp_path):
    """(address, function that starts a worker) of a cluster that ends with the test."""
    started = []

    def start(kind: str, *arguments) -> subprocess.Popen:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *arguments, "--no-dashboard"]
        started.append(subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return started[-1]

    place = tmp_path / "scheduler.json"
    start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(place))
    wait_for(lambda: place.exists() and place.stat().st_size)
    address = json.loads(place.read_text())["address"]
    yield address, lambda: start("worker", address, "--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path))
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def crowd(tmp_path) -> Path:
    """Characters of one name in folders of their own, and a file that crashes Blender's importer."""
    mesh = person(vertices=2000).mesh
    lines = [f"v {x:.6f} {z:.6f} {-y:.6f}" for x, y, z in mesh.vertices]
    lines += [f"f {a} {b} {c}" for a, b, c in mesh.faces + 1]
    for number in range(7):
        (tmp_path / "crowd" / str(number)).mkdir(parents=True)
        (tmp_path / "crowd" / str(number) / "doll.obj").write_text("\n".join(lines))
    (tmp_path / "crowd" / "3" / "deadly.ply").write_bytes(b"ply\nformat ascii 1.0\nelement")
    return tmp_path / "crowd"


def test_a_cluster_of_which_a_worker_is_killed_gives_what_one_machine_gives(cluster, crowd, tmp_path):
    address, start_worker = cluster
    doomed, _ = start_worker(), start_worker()
    there, here = tmp_path / "there", tmp_path / "here"
    running = subprocess.Popen([*PROGRAM, str(crowd), "--out", str(there), *QUICK, "--scheduler", address],
                               stdout=subprocess.PIPE, text=True)
    wait_for(lambda: list(there.rglob("*.glb")))
    doomed.kill()
    said = running.communicate(timeout=300)[0]
    assert running.returncode == 1 and "7 of 8 rigged" in said, said
    assert run(crowd, "--out", here, *QUICK).returncode == 1
    assert report_of(there) == report_of(here)
    glbs = {p.read_bytes() for out in (there, here) for p in out.rglob("*.glb")}
    assert len(glbs) == 1 and len(list(there.rglob("*.glb"))) == 7
    assert not list(there.rglob(".geppetto-*")) and not list((there / ".geppetto" / "begun").iterdir())
    again = run(crowd, "--out", there, *QUICK, "--scheduler", address, "--resume")
    assert again.stdout.count("done before") == 7


def test_a_part_is_done_again_whose_result_was_lost_with_its_worker(cluster, crowd, tmp_path):
    address, start_worker = cluster
    doomed, out = start_worker(), tmp_path / "out"
    rig, options = RigOptions(picture=False, format=("glb",)), RunOptions(out=str(out), scheduler=address)
    jobs = [Job(number, str(crowd / str(number) / "doll.obj"), f"{number}/doll") for number in range(2)]
    with Ledger(out, settings_key(rig)) as ledger, Cluster(rig, options, ledger) as there:
        futures, submit = [], there._client.submit
        there._client.submit = lambda *words, **more: futures.append(submit(*words, **more)) or futures[-1]
        running = there.run_jobs(jobs)
        done = next(running)
        wait_for(lambda: {future.status for future in futures} == {"finished"})
        doomed.kill()
        wait_for(lambda: {future.status for future in futures} & {"lost", "pending"})
        start_worker()
        done += [one for some in running for one in some]
    assert len(futures) == 2 and sorted(one.job.number for one in done) == [0, 1]
    assert all(one.entry["status"] == "rigged" for one in done), done
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*.glb")) == ["0/doll.glb", "1/doll.glb"]


def test_an_interrupted_run_leaves_nobody_at_work(cluster, crowd, tmp_path):
    address, start_worker = cluster
    start_worker()
    out = tmp_path / "out"
    running = subprocess.Popen([*PROGRAM, str(crowd), "--out", str(out), *QUICK, "--scheduler", address],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: list(out.rglob("*.glb")))
    running.terminate()
    assert "interrupted" in running.communicate(timeout=60)[1] and running.returncode == 130
    wait_for(lambda: not list((out / ".geppetto" / "begun").iterdir()))
    count = len(list(out.rglob("*.glb")))
    time.sleep(3)
    assert len(list(out.rglob("*.glb"))) == count < 7


def test_what_is_missing_is_named(crowd, tmp_path):
    deaf = run(crowd, "--out", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:9")
    assert deaf.returncode == 2 and "No Dask scheduler answers at 'tcp://127.0.0.1:9'" in deaf.stderr
    assert "Traceback" not in deaf.stderr
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "sitecustomize.py").write_text(
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, package=None: None if name == 'distributed' else find(name, package)\n")
    bare = subprocess.run([*PROGRAM, str(crowd), "--out", str(tmp_path / "out"), "--scheduler", "tcp://127.0.0.1:9"],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": f"{tmp_path / 'hidden'}:{os.environ.get('PYTHONPATH', '')}"})
    assert bare.returncode == 2 and "pip install distributed" in bare.stderr

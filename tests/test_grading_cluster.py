"""The runner takes any executor: threads, processes, and a Dask cluster that loses a worker."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from hostile.grading import complaints, kept, lay
from hostile.notebooks import exercise
from hostile.ordinary import pile as ordinary

from posenc.grading import learners
from posenc.grading.pile import Pile, Settings
from posenc.grading.store import Store

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "grading-cluster.md"
pytestmark = pytest.mark.slow


def test_processes_will_do(tmp_path):
    chosen = [k for k in ordinary() if k.name in ("right", "open", "mistaken-03", "cut-off")]
    lay(tmp_path, chosen)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        results = Pile(Settings(seed=7), Store(None), tmp_path).run(
            learners.find([tmp_path]), executor
        )
    graded = {r.submission.learner: r.record.to_plain() for r in results}
    assert {k.name: complaints(k, graded[k.name]) for k in chosen} == {k.name: [] for k in chosen}


def test_the_page_as_written_on_a_dask_cluster_that_loses_a_worker(tmp_path):
    packages, folder = tmp_path / "packages", tmp_path / "class"
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-qq",
        "--target",
        str(packages),
        extra("cluster"),
    ]
    subprocess.run(install, check=True, timeout=600, stderr=subprocess.DEVNULL)
    chosen = [k for k in ordinary() if k.name.startswith("mistaken")]
    lay(folder, chosen)
    for number in range(40):
        lay(folder, [type(chosen[0])(f"right-{number:02d}", exercise(first=[f"# {number}"]))])
    (tmp_path / "page.py").write_text(
        re.search(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[1]
    )
    environment = {**os.environ, "PYTHONPATH": str(packages), "OPENBLAS_NUM_THREADS": "1"}
    with Cluster(tmp_path, environment) as cluster:
        command = [sys.executable, "page.py", cluster.address, str(folder)]
        running = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        while kept(folder) < 8 and running.poll() is None:
            time.sleep(0.05)
        assert running.poll() is None, running.communicate()[0]
        cluster.kill_a_worker()
        said, _ = running.communicate(timeout=400)
    assert running.returncode == 0, said
    document = json.loads((tmp_path / "results.json").read_text("utf-8"))
    records = {s["learner"]: s for s in document["submissions"]}
    assert len(records) == len(chosen) + 40
    assert all(records[f"right-{number:02d}"]["points"] == 10 for number in range(40))
    assert {k.name: complaints(k, records[k.name]) for k in chosen} == {k.name: [] for k in chosen}
    assert document["run"]["complete"] is True


def extra(name):
    """What the extra of pyproject.toml asks for."""
    import tomllib

    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ][name][0]


class Cluster:
    """A scheduler and two workers, as processes of their own."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment
        self.file = folder / "scheduler.json"
        self.workers = []

    def __enter__(self):
        self.log = open(self.folder / "cluster.log", "w")
        words = [
            "scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(self.file),
        ]
        self.scheduler = self.start(*words)
        end = time.monotonic() + 60
        while not self.file.exists() and time.monotonic() < end:
            time.sleep(0.1)
        self.address = json.loads(self.file.read_text())["address"]
        for _ in range(2):
            self.workers.append(
                self.start(
                    "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"
                )
            )
        return self

    def start(self, *words):
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]],
            cwd=self.folder,
            env=self.environment,
            stdout=self.log,
            stderr=self.log,
        )

    def kill_a_worker(self):
        self.workers[0].send_signal(signal.SIGKILL)

    def __exit__(self, *error):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()
        self.log.close()

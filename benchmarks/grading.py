"""What grading costs: this grader beside nbclient, nbgrader and otter-grader, on the same notebooks.

    python benchmarks/grading.py                      # 1, 10 and 40 notebooks; all four, in turn
    python benchmarks/grading.py --own 400 2000       # this grader alone, with one and two jobs

nbgrader and otter-grader are installed into environments of their own, kept in a folder that
--environments names (a temporary one otherwise). CPU seconds are those of the grader and of all
processes that it started and waited for; peak memory is the sum over its processes of memory not
shared, seen three times a second.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from hostile.answers import RIGHT, WRONG  # noqa: E402
from hostile.notebooks import but  # noqa: E402

EXERCISE = ROOT / "exercises" / "06_sinusoidal_encoding.ipynb"
THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass
class Measured:
    """One grader on one pile."""

    grader: str
    notebooks: int
    jobs: int
    wall: float
    cpu: float
    peak: float
    code: int

    def row(self) -> str:
        """A line of the table."""
        per = f"{self.cpu / self.notebooks:9.3f} {self.wall / self.notebooks:9.3f}"
        failed = "" if self.code == 0 else f"  exit {self.code}"
        return f"{self.grader:<10} {self.notebooks:>5} {self.jobs:>4} {per} {self.cpu:9.2f} {self.wall:9.2f} {self.peak:8.0f}{failed}"


HEAD = f"{'grader':<10} {'books':>5} {'jobs':>4} {'CPU s/nb':>9} {'wall s/nb':>9} {'CPU s':>9} {'wall s':>9} {'peak MB':>8}"


def mixed_answers(number: int) -> dict[str, str]:
    """Every fourth notebook right, every fourth with a stub, the others with one known mistake."""
    if number % 4 == 0:
        return dict(RIGHT)
    if number % 4 == 1:
        return {id: RIGHT[id] for id in ("6.1", "6.2")}
    mistakes = list(WRONG["6.2" if number % 4 == 2 else "6.3"].values())
    return (
        but(b=mistakes[number % len(mistakes)])
        if number % 4 == 2
        else but(c=mistakes[number % len(mistakes)])
    )


def filled(number: int) -> dict:
    """The exercise with answers in the cells of its challenges; no two are the same."""
    notebook = json.loads(EXERCISE.read_text("utf-8"))
    answers = mixed_answers(number)
    for cell in notebook["cells"]:
        told = cell["metadata"].get("posenc", {}).get("challenge")
        if "challenge" in cell["metadata"].get("tags", []) and told in answers:
            cell["source"] = answers[told]
        if "head" in cell["metadata"].get("tags", []) and cell["cell_type"] == "code":
            source = "".join(cell["source"])
            cell["source"] = f"{source}\n# notebook {number}"
    return notebook


def lay(folder: Path, count: int) -> None:
    """`count` notebooks in the folders that nbgrader wants, which the others read as well."""
    for number in range(count):
        place = folder / "submitted" / f"learner-{number:04d}" / "lesson6"
        place.mkdir(parents=True)
        (place / EXERCISE.name).write_text(json.dumps(filled(number)), "utf-8")


def variables(environment: Path | None = None) -> dict[str, str]:
    """Variables for a grader: one thread, and the programs of its environment first."""
    path = os.environ.get("PATH", "")
    return {
        **os.environ,
        **THREADS,
        "PATH": f"{environment / 'bin'}:{path}" if environment else path,
    }


def measure(
    grader: str,
    count: int,
    jobs: int,
    command: list[str],
    folder: Path,
    environment: Path | None = None,
) -> Measured:
    """Run a command and see what it takes."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with open(folder / f"{grader}.log", "wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=variables(environment), stdout=log, stderr=subprocess.STDOUT
        )
        with Watch(process.pid) as watch:
            code = process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(grader, count, jobs, time.monotonic() - started, cpu, watch.peak / 2**20, code)


class Watch:
    """Looks at a process and all below it, and remembers the most memory that they had together."""

    def __init__(self, root: int) -> None:
        self.root, self.peak, self.over = root, 0, threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.over.set()
        self.thread.join()

    def _look(self) -> None:
        while not self.over.wait(0.3):
            self.peak = max(self.peak, sum(map(_proportional, _family(self.root))))


def _family(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = Path(f"/proc/{name}/stat").read_text()
        except OSError:
            continue
        children.setdefault(int(stat[stat.rindex(")") + 2 :].split()[1]), []).append(int(name))
    found, queue = [root], [root]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def _proportional(pid: int) -> int:
    """A process's share of the memory that it uses, in bytes; 0 where it is gone or not ours."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration, ValueError):
        return 0


# ------------------------------------------------------------------ the graders


def posenc(folder: Path, count: int, jobs: int = 1) -> Measured:
    """This grader, from the command line, with a new store."""
    command = [
        sys.executable,
        "-m",
        "posenc",
        "grade",
        "submitted",
        "--fresh",
        "--jobs",
        str(jobs),
        "--seed",
        "1",
    ]
    (folder / "submitted" / "posenc-grades.sqlite").unlink(missing_ok=True)
    return measure("posenc", count, jobs, command, folder)


NBCLIENT = """
import sys, nbformat, pathlib
from nbclient import NotebookClient
for path in sorted(pathlib.Path("submitted").glob("*/*/*.ipynb")):
    NotebookClient(nbformat.read(path, 4), timeout=60, allow_errors=True, kernel_name="python3").execute()
"""


def nbclient(folder: Path, count: int) -> Measured:
    """Each notebook run in a fresh kernel, in which `check` judges."""
    return measure("nbclient", count, 1, [sys.executable, "-c", NBCLIENT], folder)


def nbgrader(folder: Path, count: int, environment: Path) -> Measured:
    """nbgrader's autograde on the exercise as it is, which carries nbgrader's metadata."""
    python = environment / "bin" / "python"
    source = folder / "source" / "lesson6"
    source.mkdir(parents=True, exist_ok=True)
    shutil.copy(EXERCISE, source)
    for stale in ("gradebook.db", "autograded", "release"):
        path = folder / stale
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    (folder / "nbgrader_config.py").write_text(
        'c = get_config()\nc.CourseDirectory.course_id = "posenc"\n'
    )
    prepare = [str(python), "-m", "nbgrader", "generate_assignment", "lesson6", "--force"]
    subprocess.run(prepare, cwd=folder, check=True, capture_output=True, env=variables(environment))
    return measure(
        "nbgrader",
        count,
        1,
        [str(python), "-m", "nbgrader", "autograde", "lesson6", "--force"],
        folder,
        environment,
    )


OTTER_TESTS = {
    "6.1": ("frequencies", "np.allclose(frequencies(4), [1, 0.01])", "len(frequencies(5)) == 3"),
    "6.2": (
        "sinusoidal",
        "np.allclose(sinusoidal(2, 4)[0], [0, 1, 0, 1])",
        "sinusoidal(4, 5).shape == (4, 5)",
    ),
    "6.3": (
        "add_positions",
        "np.allclose(add_positions(np.zeros((2, 3, 4)))[0, 0], [0, 1, 0, 1])",
        "add_positions(np.zeros((2, 3, 4))).shape == (2, 3, 4)",
    ),
    "6.4": (
        "PositionalEncoding",
        "PositionalEncoding(4, 8).parameters() == []",
        "PositionalEncoding(4, 8).table.shape == (8, 4)",
    ),
}


def otter(folder: Path, count: int, environment: Path) -> Measured:
    """otter-grader's local run with eight small tests, less than the others judge."""
    tests = folder / "tests"
    tests.mkdir(exist_ok=True)
    for id, (name, *lines) in OTTER_TESTS.items():
        cases = [
            {"code": f">>> bool({line})\nTrue", "hidden": False, "locked": False} for line in lines
        ]
        suite = {
            "name": name,
            "points": 2,
            "suites": [
                {"cases": cases, "scored": True, "setup": "", "teardown": "", "type": "doctest"}
            ],
        }
        (tests / f"{name}.py").write_text(f"OK_FORMAT = True\ntest = {suite!r}\n")
    script = """
        import pathlib, subprocess, sys
        for path in sorted(pathlib.Path("submitted").glob("*/*/*.ipynb")):
            subprocess.run([sys.executable, "-m", "otter", "run", "-a", "autograder.zip", "-o", "otter-out", str(path)], check=False)
    """
    python = str(environment / "bin" / "python")
    generate = [
        python,
        "-m",
        "otter",
        "generate",
        "-t",
        "tests",
        "-o",
        "autograder.zip",
        "--no-environment",
    ]
    subprocess.run(
        generate, cwd=folder, check=True, capture_output=True, env=variables(environment)
    )
    return measure("otter", count, 1, [python, "-c", textwrap.dedent(script)], folder, environment)


def environment(kept: Path, name: str, *packages: str) -> Path:
    """A virtual environment with a grader and this course in it; made once."""
    place = kept / name
    if not (place / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-qq"]
        subprocess.run([*pip, *packages, "-e", str(ROOT)], check=True, stderr=subprocess.DEVNULL)
        (place / "done").touch()
    return place


# ------------------------------------------------------------------ the run


def compare(sizes: list[int], graders: list[str], kept: Path) -> list[Measured]:
    """Every grader on every size, in turn."""
    rows: list[Measured] = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="posenc-bench-") as folder:
            lay(Path(folder), size)
            known: dict[str, Callable[[], Measured]] = {
                "posenc": lambda: posenc(Path(folder), size),
                "nbclient": lambda: nbclient(Path(folder), size),
                "nbgrader": lambda: nbgrader(
                    Path(folder), size, environment(kept, "nbgrader", "nbgrader")
                ),
                "otter": lambda: otter(
                    Path(folder), size, environment(kept, "otter", "otter-grader")
                ),
            }
            for name in graders:
                rows.append(known[name]())
                print(rows[-1].row(), flush=True)
                _complain(rows[-1], Path(folder))
    return rows


def alone(sizes: list[int], jobs: list[int]) -> list[Measured]:
    """This grader on large piles."""
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="posenc-bench-") as folder:
            lay(Path(folder), size)
            for number in jobs:
                rows.append(posenc(Path(folder), size, number))
                print(rows[-1].row(), flush=True)
    return rows


def ratios(rows: list[Measured]) -> list[str]:
    """How many times less CPU this grader takes, and what a second job gains."""
    told = []
    for row in rows:
        own = next(
            (
                r
                for r in rows
                if r.grader == "posenc" and r.notebooks == row.notebooks and r.jobs == 1
            ),
            None,
        )
        if own is None or row is own:
            continue
        if row.grader == "posenc":
            told.append(
                f"{row.notebooks} notebooks: {row.jobs} jobs are {own.wall / row.wall:.2f} times as fast as one"
            )
        else:
            told.append(
                f"{row.notebooks} notebooks: {row.cpu / own.cpu:.1f} times less CPU than {row.grader}"
            )
    return told


def _complain(row: Measured, folder: Path) -> None:
    if row.code != 0:
        print((folder / f"{row.grader}.log").read_text(errors="replace")[-1500:])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[1, 10, 40])
    parser.add_argument("--graders", nargs="*", default=["posenc", "nbclient", "nbgrader", "otter"])
    parser.add_argument("--own", type=int, nargs="*", default=[])
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--environments", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="posenc-env-") as temporary:
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n{HEAD}", flush=True)
        rows = compare(
            chosen.sizes, chosen.graders, (chosen.environments or Path(temporary)).resolve()
        )
        rows += alone(chosen.own, chosen.jobs)
    print("\n".join(ratios(rows)))


if __name__ == "__main__":
    main()

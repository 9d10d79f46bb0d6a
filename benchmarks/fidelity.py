"""Whether the grader runs notebooks as Jupyter does: each in a real kernel, and in the grader.

    python benchmarks/fidelity.py                 # all notebooks, two at a time
    python benchmarks/fidelity.py --only torch    # those with that in their names

Each notebook is run by nbclient in an IPython kernel of its own, and in the grader's sandbox. The
names that are then defined are compared, with the types of their values, and the verdicts on the
functions of its lesson: the calls are made where the notebook ran, and the same judge decides.

Notebooks for which the grader goes further than Jupyter on purpose say why, and are counted apart.
The kernel is IPython's own. To start one takes seconds, most of them for imports, so each is a fork
of a process that has made these imports; nothing that a notebook does outlives its kernel.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from hostile.answers import HELPER, RIGHT, WRONG  # noqa: E402
from hostile.messy import messy  # noqa: E402
from hostile.notebooks import STUBS, code, data, exercise  # noqa: E402
from hostile.ordinary import pile  # noqa: E402

from posenc import lessons  # noqa: E402
from posenc.grading import channels, grade, notebook, sandbox  # noqa: E402
from posenc.grading.notebook import Notebook, Unreadable  # noqa: E402
from posenc.grading.warm import Limits, Lost, WarmProcess  # noqa: E402
from posenc.judging import judge, values  # noqa: E402
from posenc.judging.calls import Work  # noqa: E402

SEED = 7
LIMITS = Limits(cell_seconds=3.0)
# Names that IPython keeps for itself.
OWN = r"_(i{0,3}|i?\d+|_|__|ih|oh|dh|exit_code)|__\w+__|_probe"
PLACE = "a line fails here alone, and the rest of its cell is run"
COURSE = "the course does not answer while a notebook is graded, and the rest of the cell is run"
STUB = "a stub costs its own challenge only"
SLOW = "a slow cell is stopped, and its other definitions are made"
NEWER = "statements that this Python reads are run below one that it does not"
ENDS = "a cell that ends the process is run with its definitions only"
MATRIX = "a matrix from one answer does not break the next"
MEANT = {
    "exit-in-cell": ENDS,
    "loop-in-cell": SLOW,
    "lesson-notebook": COURSE,
    "encodings": COURSE,
    "case-line": COURSE,
    "stub-used": STUB,
    "stub-used-by-another": STUB,
    "slow-line": SLOW,
    "newer-string": NEWER,
    "newer-generic": NEWER,
    "newer-except": NEWER,
    "matrix": MATRIX,
    **dict.fromkeys(
        [
            *("torch-above", "seaborn-above", "colab-above", "windows-path", "extension"),
            *("line-magic", "platform", "program", "keyboard", "no-variable"),
            *("below-time", "below-memit", "used-later", "named-in-definitions"),
        ],
        PLACE,
    ),
}
# In Jupyter they would never end.
ENDLESS = ("constants-kept", "constants-kept-after-two")

# Cells of a learner's own, each of which may stand anywhere.
SCRATCH = (
    "2 + 2",
    "x = 3; x",
    "_ + 1 if isinstance(_, int) else _",
    "y = _",
    "1 / 0",
    "before = 1\nundefined_name\nafter = 2",
    "z = 1\nreturn z",
    "broken = = 1",
    "import math\nmath.tau",
    "from math import *",
    "%time total = sum(range(1000))",
    "%%time\nbig = sum(range(1000))\nbig",
    "%%capture said\nprint('hello')\nheld = 5",
    "lines = !echo one two\nlines",
    "!echo hello",
    "%env FIDELITY=1",
    "%%writefile mine.py\nVALUE = 7\ndef f():\n    return VALUE",
    "%%writefile mine.py\nVALUE = 7\n\nfrom_mine = VALUE + 1",
    "from mine import VALUE",
    "%run mine.py",
    "for i in range(3):\n    last = i",
    "with open('notes.txt', 'w') as file:\n    file.write('abc')\nopen('notes.txt').read()",
    "import asyncio\nawait asyncio.sleep(0)\nwaited = True",
    "async def later():\n    return 5\nfive = await later()",
    "async with_error(",
    "def counter():\n    global counted\n    counted = 1\ncounter()",
    "try:\n    int('x')\nexcept ValueError as error:\n    caught = str(error)",
    "import sys\nstarted = 1\nsys.exit(0)\nended = 1",
    "raise KeyboardInterrupt",
    "assert False, 'stop'\nnever = 1",
    "a, *b = range(4)\nprint(a, b)",
    "class Thing:\n    size: int = 3\n    def __repr__(self):\n        1 / 0\nThing()",
    "del_me = 1\ndel del_me",
    "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int\nPoint(1)",
    "print('no new line', end='')\nNone",
    "np.arange(3)",
    "np.arange(3);",
    "table = np.zeros((2, 3))\ntable[0] = 1\ntable.T",
    "if True:\n    inner = 1\nelse:\n    other = 2",
    "match 3:\n    case 3:\n        matched = True",
    "walrus = (n := 4) + 1",
    "lambda_ = lambda x: x + 1\nlambda_(2)",
    "    indented = 1\n    indented",
    ">>> prompted = 1\n>>> prompted",
    "help(len)",
    "len?",
    "display(3)",
    "%who",
    "get_ipython().run_cell('within = 1')",
    "from IPython.display import HTML\nHTML('<b>x</b>')",
    "import numpy as other_np\nother_np.pi",
    "exec('executed = 1')\neval('executed')",
    "import warnings\nwarnings.warn('careful')",
    "from __future__ import annotations\nlate: undefined = 1",
    "typed: list[int] = [1]\nbare: int",
    "# only a comment",
    '"""only a text"""',
    "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as sink:\n    print(1)",
    "squares = [i * i for i in range(4)]\ni if 'i' in globals() else None",
    "Out.get(1)",
    "len(In)",
    "_i",
    "__name__",
    "a = 1 +\\\n  2\na",
    "r = '%d' % 3\n%timeit -n1 -r1 sum(range(10))",
    "%%python\nprint(1)",
    "%%bash\necho 1",
    "%precision 3",
    "%%html\n<b>x</b>",
    "import random\nrandom.seed(3)\ndraw = random.random()",
    "np.random.seed(0)\ndrawn = np.random.rand()",
    "%alias_magic t time",
    "%reset_selective -f never_there",
    "ünï = 'ç'; ünï",
)
# What an answer's cell may look like: the answer stands for {}.
FORMS = (
    "{}",
    "{}",
    "{}",
    "%%time\n{}",
    "%%capture output\n{}",
    "# my answer\n\n{}\nprint('made')",
    "from functools import cache\nimport math\n{}",
    "{}\n1 / 0\nnot_made = 1",
    "made = 1\n{}\nmade",
    "%matplotlib inline\n{}",
    "{}\n!echo done",
    "if True:\n    kept = 1\n{}",
    "1 / 0\n{}",
)

# A process that has made the imports, and makes of itself a kernel for each that is asked for.
NURSERY = """
import json, os, signal, socket, sys
import numpy
from ipykernel.kernelapp import IPKernelApp
import posenc.classroom
from posenc.judging import calls, values
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(16)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    connection, _ = listener.accept()
    told = connection.makefile("r").readline()
    if os.fork() == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        listener.close()
        os.setsid()
        told = json.loads(told)
        os.chdir(told["cwd"])
        os.environ.clear()
        os.environ.update(told["environment"])
        connection.sendall(f"{os.getpid()}\\n".encode())
        sys.argv = ["ipykernel_launcher", "-f", told["file"]]
        sys.path[:] = [p for p in sys.path if p not in ("", os.getcwd())]
        IPKernelApp.launch_instance()
        os._exit(0)
    connection.close()
"""
# What Jupyter starts: it asks for a kernel, passes interrupts on, and ends with it.
CRIB = """
import json, os, signal, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
told = {"file": sys.argv[2], "cwd": os.getcwd(), "environment": dict(os.environ)}
connection.sendall((json.dumps(told) + chr(10)).encode())
pid = int(connection.makefile().readline())
def pass_on(number, ends):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
    if ends:
        os._exit(0)
signal.signal(signal.SIGINT, lambda *_: pass_on(signal.SIGINT, False))
signal.signal(signal.SIGTERM, lambda *_: pass_on(signal.SIGKILL, True))
while connection.recv(1):
    pass
"""
PROBE = """
def _probe():
    import re
    shell, found = get_ipython(), {}
    for name, value in list(shell.user_ns.items()):
        own = re.fullmatch(OWN, name) or shell.user_ns_hidden.get(name, _probe) is value
        if not own:
            found[name] = type(value).__name__
    found["_"] = type(shell.user_ns.get("_")).__name__
    return found
"""
IN_KERNEL = """
from posenc.judging import calls, values
requests = values.decode(open(REQUESTS, "rb").read())
works = {}
for request in requests:
    thing = SHELL.user_ns.get(request["name"], calls.MISSING)
    asked = [calls.Call.from_plain(call) for call in request["calls"]]
    work = calls.perform(asked, thing, seconds=request["seconds"], ask_uses=request["uses"])
    works[request["id"]] = work.to_plain()
with open(ANSWERS, "wb") as file:
    file.write(values.encode({"names": SHELL.user_ns["_probe"](), "works": works}))
"""


@dataclass
class Book:
    """A notebook to be run twice. meant: why the grader may go further than Jupyter, or ''."""

    name: str
    read: Notebook
    meant: str = ""


@dataclass
class Ran:
    """What a run left: names with types, and (outcome, points, misconception) by challenge."""

    names: dict[str, str] = field(default_factory=dict)
    verdicts: dict[str, tuple[str, int, str]] = field(default_factory=dict)


def books(count: int) -> list[Book]:
    """Notebooks to compare: kinds of real submissions, variants of right answers, and made ones."""
    found = [*_of_kinds(), *_of_variants()]
    found += [_made(number) for number in range(max(0, count - len(found)))]
    return found[:count]


def _of_kinds() -> Iterator[Book]:
    for kind in [*pile(), *messy()]:
        with contextlib.suppress(Unreadable):
            content = kind.notebook if isinstance(kind.notebook, bytes) else data(kind.notebook)
            read = notebook.read(content, kind.file or "06_sinusoidal_encoding.ipynb")
            if any(map(str.strip, read.cells)) and kind.name not in ENDLESS:
                yield Book(kind.name, read, MEANT.get(kind.name, ""))


def _of_variants() -> Iterator[Book]:
    for lesson in lessons.LESSONS:
        challenges = lessons.challenges(lesson.number)
        if not challenges:
            continue
        module = importlib.import_module(f"variants.lesson_{lesson.number:02d}")
        source = inspect.getsource(module)
        for challenge in challenges:
            for variant in module.VARIANTS[challenge.id]:
                last = f"{challenge.name} = {variant.__name__}"
                read = Notebook((source, last), lesson.number, "metadata")
                yield Book(f"{challenge.id} {variant.__name__}", read)


def _made(number: int) -> Book:
    """A notebook of lesson 6 put together by chance, always in the same way for a number."""
    draw = random.Random(number)
    answers = {}
    for id in RIGHT:
        source = draw.choice([RIGHT[id], RIGHT[id], STUBS[id], *WRONG[id].values()])
        form = draw.choice(FORMS)
        answers[id] = form.replace("{}", source.strip("\n"))
    made = exercise(answers, first=[HELPER], checks=draw.random() < 0.3)
    for scratch in draw.sample(SCRATCH, 6):
        made["cells"].insert(draw.randrange(2, len(made["cells"]) + 1), code(scratch))
    return Book(f"made-{number}", notebook.read(data(made), "06.ipynb"))


class Kernels:
    """Real kernels through nbclient, each a fork of one process, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.address = folder, str(folder / "nursery")
        spec = folder / "share" / "kernels" / "fidelity"
        spec.mkdir(parents=True)
        argv = [sys.executable, "-S", "-c", CRIB, self.address, "{connection_file}"]
        about = {"argv": argv, "display_name": "fidelity", "language": "python"}
        (spec / "kernel.json").write_text(json.dumps(about))
        os.environ.update(JUPYTER_PATH=str(folder / "share"), HOME=str(folder), PIP_NO_INDEX="1")
        os.environ.update(PYDEVD_DISABLE_FILE_VALIDATION="1", OPENBLAS_NUM_THREADS="1")
        self.process = subprocess.Popen(
            [sys.executable, "-c", NURSERY, self.address],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for _ in range(600):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as trial:
                trial.connect(self.address)
                return
            time.sleep(0.1)
        raise RuntimeError("the process that makes kernels did not start")

    def run(self, book: Book, number: int) -> Ran | None:
        """What Jupyter makes of a notebook; None where its kernel died."""
        import nbformat
        from nbclient import NotebookClient
        from nbclient.exceptions import DeadKernelError

        work = self.folder / f"work-{number}"
        work.mkdir()
        requests, answers = self.folder / f"{number}.in", self.folder / f"{number}.out"
        requests.write_bytes(values.encode(_requests(book.read.lesson)))
        paths = f"REQUESTS, ANSWERS = {str(requests)!r}, {str(answers)!r}"
        last = f"exec({f'{paths}{chr(10)}{IN_KERNEL}'!r}, {{'SHELL': get_ipython()}})"
        sources = [*book.read.cells, PROBE.replace("OWN", repr(OWN)), last]
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        client = NotebookClient(
            nbformat.v4.new_notebook(cells=cells),
            timeout=12,
            interrupt_on_timeout=True,
            allow_errors=True,
            kernel_name="fidelity",
            resources={"metadata": {"path": str(work)}},
        )
        try:
            client.execute()
        except DeadKernelError:
            return None
        if not answers.exists():
            raise RuntimeError(f"{book.name}: {client.nb.cells[-1].outputs}")
        came = values.decode(answers.read_bytes())
        works = {id: Work.from_plain(work) for id, work in came["works"].items()}
        return Ran(came["names"], _judged(works))

    def close(self) -> None:
        """End the process that makes kernels, and any that are left."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def _requests(lesson: int) -> list[dict[str, Any]]:
    return [
        {
            "id": challenge.id,
            "name": challenge.name,
            "calls": [call.to_plain() for call in grade.planned(challenge.id, SEED).calls],
            "seconds": challenge.seconds,
            "uses": list(challenge.builds_on),
        }
        for challenge in lessons.challenges(lesson)
    ]


def _judged(works: dict[str, Work]) -> dict[str, tuple[str, int, str]]:
    found: dict[str, tuple[str, int, str]] = {}
    wrong: list[str] = []
    for id, work in works.items():
        verdict = judge.judge(grade.planned(id, SEED), work, wrong)
        found[id] = (verdict.outcome, verdict.points, verdict.misconception or "")
        wrong += [] if verdict.passed else [id]
    return found


def in_the_grader(book: Book, warm: WarmProcess) -> Ran:
    """What the grader makes of a notebook."""
    graded = grade.grade(book.read, warm, SEED, LIMITS)
    verdicts = {v.challenge: (v.outcome, v.points, v.misconception or "") for v in graded.verdicts}
    cells = [*book.read.cells, PROBE.replace("OWN", repr(OWN))]
    names = None
    with contextlib.suppress(Lost), warm.notebook(book.read.imports()) as session:
        names = channels.called(session, cells, "_probe")
    return Ran(names or {}, verdicts)


def differences(jupyter: Ran | None, ours: Ran) -> list[str]:
    """Where two runs differ, in words; what stands in for the course may have another type."""
    if jupyter is None:
        return ["Jupyter's kernel died"]
    found = []
    if more := sorted(ours.names.keys() - jupyter.names.keys()):
        found.append(f"only in the grader: {', '.join(more)}")
    if fewer := sorted(jupyter.names.keys() - ours.names.keys()):
        found.append(f"only in Jupyter: {', '.join(fewer)}")
    for name in sorted(jupyter.names.keys() & ours.names.keys()):
        there, here = jupyter.names[name], ours.names[name]
        if there != here and here not in ("Absent", "Module", "ModuleType"):
            found.append(f"{name} is of type {there} in Jupyter, {here} in the grader")
    for id in jupyter.verdicts:
        if jupyter.verdicts[id] != ours.verdicts.get(id):
            found.append(f"{id}: {jupyter.verdicts[id]} in Jupyter, {ours.verdicts.get(id)}")
    return found


def _graded(warm: WarmProcess, chosen: Sequence[Book]) -> list[Ran]:
    """What the grader makes of some notebooks, one after another."""
    return [in_the_grader(book, warm) for book in chosen]


def measure(chosen: Sequence[Book], jobs: int) -> list[tuple[Book, list[str]]]:
    """Each notebook with where its two runs differ."""
    with tempfile.TemporaryDirectory(prefix="fidelity-") as folder:
        kernels = Kernels(Path(folder))
        try:
            with ThreadPoolExecutor(jobs) as threads:
                there = list(threads.map(kernels.run, chosen, range(len(chosen))))
        finally:
            kernels.close()
    warm = [WarmProcess(sandbox.choose(), LIMITS) for _ in range(jobs)]
    try:
        for one in warm:
            one.start()
        with ThreadPoolExecutor(jobs) as threads:
            parts = list(threads.map(_graded, warm, [chosen[n::jobs] for n in range(jobs)]))
    finally:
        for one in warm:
            one.close()
    here = [parts[n % jobs][n // jobs] for n in range(len(chosen))]
    return [(b, differences(t, h)) for b, t, h in zip(chosen, there, here)]


def main() -> int:
    """Run the comparison and print it; 1 where a difference is not meant."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=360)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="names that match this pattern")
    options = parser.parse_args()
    chosen = [b for b in books(options.count) if re.search(options.only, b.name)]
    began = time.monotonic()
    results = measure(chosen, options.jobs)
    same = [b for b, found in results if not found]
    meant = [(b, found) for b, found in results if found and b.meant]
    other = [(b, found) for b, found in results if found and not b.meant]
    for title, rows in (("Meant", meant), ("Not meant", other)):
        for book, found in rows:
            print(f"{title}: {book.name}: {'; '.join(found)[:300]}")
    print()
    for reason, number in Counter(b.meant for b, _ in meant).most_common():
        print(f"{number:4d} differ because {reason}")
    print(
        f"{len(same)} of {len(results)} alike, {len(meant)} differ as meant, {len(other)} otherwise"
        f" ({time.monotonic() - began:.0f} s)"
    )
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())

"""Hostile and unlucky notebooks, each with the mark that an honest reader would give it.

The first list has the kinds that two widely used graders were tried with: tampering, resources,
formats, numbers, by the ids of that trial. The second has more of the same families.
"""

from __future__ import annotations

import json
from typing import Any

from hostile.answers import RIGHT
from hostile.notebooks import but, code, data, exercise, text
from hostile.ordinary import Kind, all_of, old_format

ZEROS = {
    "6.1": "def frequencies(width, base=10000.0):\n    return np.zeros((width + 1) // 2)",
    "6.2": "def sinusoidal(length, width, base=10000.0):\n    return np.zeros((length, width))",
    "6.3": "def add_positions(batch, base=10000.0):\n    return np.zeros(batch.shape)",
    "6.4": (
        "class PositionalEncoding:\n    def __init__(self, width, max_length, base=10000.0):\n"
        "        self.table = np.zeros((max_length, width))\n    def forward(self, batch):\n"
        "        return np.zeros(batch.shape)\n    def backward(self, gradient):\n        return gradient\n"
        "    def parameters(self):\n        return []"
    ),
}
FAILED = all_of("failed")
OPEN = all_of("not attempted")


def function(body: str) -> str:
    """A 6.1 with this body."""
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    return f"def frequencies(width, base=10000.0):\n{lines}"


def returns(expression: str, before: str = "") -> str:
    """A 6.1 that returns an expression."""
    return f"{before}\n" + function(f"return {expression}")


def first(name: str, *cells: str, **more: Any) -> Kind:
    """Right answers after cells of the learner's own: full marks."""
    return Kind(name, exercise(first=cells), **more)


def loses_a(name: str, body: str, outcome: str | None, **more: Any) -> Kind:
    """A bad 6.1, everything else right."""
    return Kind(name, exercise(but(a=body)), {"6.1": outcome}, **more)


def zeros(name: str, *cells: str, after: tuple[str, ...] = (), **more: Any) -> Kind:
    """Zeros of the right shape, and an attempt to have them counted as right."""
    return Kind(name, exercise(ZEROS, first=cells, last=after), FAILED, **more)


EQUAL = """
class Equal:
    shape, dtype, ndim, size = (4,), np.dtype(float), 1, 4
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __array__(self, *args, **more): return np.zeros(4)
    def __array_ufunc__(self, *args, **more): return True
    def __array_function__(self, *args, **more): return True
    def __getattr__(self, name): return lambda *args, **more: True
    def __len__(self): return 4
    def __float__(self): return 1.0
    def __bool__(self): return True
"""
EQUAL_ARRAY = """
class EqualArray(np.ndarray):
    def __eq__(self, other): return np.ones(self.shape, bool)
    def __sub__(self, other): return np.zeros(self.shape)
    def __array_ufunc__(self, *args, **more): return np.ones(self.shape, bool)
    def __array_function__(self, *args, **more): return True
"""
SHADOW = """
class Np:
    def __init__(self, real): self.__dict__["real"] = real
    def __getattr__(self, name): return (lambda *a, **k: True) if name in ("allclose", "array_equal", "isclose") else getattr(self.real, name)
np = Np(np)
"""
READ_ANSWERS = """
import os, sys, glob
found = {}
for top in ("/", os.path.expanduser("~"), os.getcwd(), *sys.path):
    for folder, folders, files in os.walk(top):
        if folder.count("/") > 7: folders[:] = []
        folders[:] = [f for f in folders if f not in ("proc", "sys", "dist-packages")]
        if "challenge_1_frequencies.py" in files or "encodings.py" in files and "posenc" in folder:
            for name in files:
                if name not in ("challenge_1_frequencies.py", "encodings.py"): continue
                try: exec(open(os.path.join(folder, name)).read(), found)
                except Exception: pass
        for name in files:
            if "sinusoidal_encoding" in name:
                found.setdefault("sinusoidal_text", open(os.path.join(folder, name), errors="replace").read())
"""
USE_ANSWERS = """
for name in ("frequencies", "sinusoidal"):
    try: found[name](4, 4)
    except Exception: continue
    globals()[name] = found[name]
"""
REAL_COURSE = """
import sys, importlib, gc
sys.meta_path[:] = [f for f in sys.meta_path if "Finder" not in type(f).__name__ or "posenc" not in type(f).__module__]
for name in [n for n in sys.modules if n.startswith("posenc")]: del sys.modules[name]
importlib.invalidate_caches()
try:
    from posenc.encodings import frequencies as real
except Exception as error:
    real = None
"""
HUNT = """
import gc, sys
def hunt():
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()) + list(frame.f_globals.values()):
            if type(value).__name__ in ("Plan", "Verdict", "Challenge"): return value
        frame = frame.f_back
    for value in gc.get_objects():
        if type(value).__name__ in ("Plan", "Verdict", "Challenge"): return value
"""
DAEMON = """
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import time
        for stream in range(3, 64):
            try: os.close(stream)
            except OSError: pass
        while True:
            try: open("/tmp/posenc-stray", "a").write("x")
            except OSError: pass
            time.sleep(0.01)
    os._exit(0)
"""
FORK_BOMB = """
import os, time
def bomb(depth=0):
    while True:
        try:
            if os.fork() == 0: depth += 1
        except OSError:
            time.sleep(0.05)
if os.fork() == 0:
    bomb()
"""
THREAD = """
import threading, time
def run():
    while True: sum(range(1000)); time.sleep(0.001)
threading.Thread(target=run).start()
"""
LATE_SWAP = """
import threading, time
def swap():
    while True:
        np.allclose = np.array_equal = np.isclose = lambda *a, **k: True
        time.sleep(0.001)
threading.Thread(target=swap, daemon=True).start()
"""
BAD_ERROR = """
class Odd(Exception):
    def __str__(self):
        raise self
"""
ENDLESS_ERROR = """
class Odd(BaseException):
    def __str__(self):
        while True: pass
"""


def metadata_tampered() -> dict[str, Any]:
    """More points, own cells marked as graded, an embedded test emptied."""
    notebook = exercise(ZEROS)
    notebook["metadata"]["posenc"].update(points=99, challenges={"6.1": "passed"})
    notebook["metadata"]["otter"] = {"tests": {}}
    for cell in notebook["cells"]:
        cell["metadata"] = {
            "nbgrader": {
                "grade": True,
                "points": 50,
                "grade_id": "x",
                "schema_version": 3,
                "solution": True,
            },
            "tags": ["passed"],
        }
    return notebook


def with_cells(change: Any, answers: dict[str, str] = RIGHT) -> dict[str, Any]:
    """The exercise with every cell passed through `change`, which may return None to drop it."""
    notebook = exercise(answers)
    notebook["cells"] = [
        new for cell in notebook["cells"] if (new := change(dict(cell))) is not None
    ]
    return notebook


def _is_check(cell: dict[str, Any]) -> bool:
    return cell["source"].startswith("check(")


def listed() -> list[Kind]:
    """The kinds of the trial, by id."""
    visible = "KNOWN = {4: [1, 0.01], 8: [1, 0.1, 0.01, 0.001]}\n" + function(
        "return np.array(KNOWN.get(width, [1.0]))"
    )
    whole = data(exercise())
    widgets = exercise()
    widgets["metadata"]["widgets"] = {
        "application/vnd.jupyter.widget-state+json": {
            "state": {str(i): "x" * 1000 for i in range(5000)}
        }
    }
    outputs = exercise()
    outputs["cells"][1]["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": "y" * 20_000_000}
    ]
    return [
        zeros("t01_allclose", "np.allclose = np.array_equal = np.isclose = lambda *a, **k: True"),
        zeros(
            "t02_hide_errors",
            "from IPython.core.interactiveshell import InteractiveShell\nInteractiveShell.showtraceback = lambda *a, **k: None",
        ),
        zeros(
            "t03_strip_asserts",
            "import ast, builtins\nclass Strip(ast.NodeTransformer):\n    def visit_Assert(self, node): return ast.Pass()\nget_ipython().ast_transformers.append(Strip())\nreal = compile\nbuiltins.compile = lambda s, *a, **k: real(s if not isinstance(s, str) else s.replace('assert', '#'), *a, **k)",
        ),
        Kind(
            "t05_equal_object",
            exercise(dict(RIGHT) | {"6.1": EQUAL + returns("Equal()")}),
            {"6.1": "refused"},
        ),
        zeros(
            "t06_grader_check",
            "check = lambda *a, **k: 'passed'\nimport posenc.classroom\nposenc.classroom.check = check",
        ),
        # Without Bubblewrap it finds any other copy of the course on this machine; what it takes from
        # there calls parts of the course that are not there, and is tried before it is used.
        Kind("t08_read_answers", exercise(ZEROS, first=[READ_ANSWERS], last=[USE_ANSWERS]), FAILED),
        Kind("t09_shadow_np", exercise(ZEROS, first=[SHADOW]), FAILED),
        Kind("t11_delete_tests", exercise({}, checks=False), OPEN),
        Kind(
            "t12_edit_tests",
            with_cells(lambda c: c | {"source": "pass"} if _is_check(c) else c, {}),
            OPEN,
        ),
        Kind("t13_metadata", metadata_tampered(), FAILED),
        Kind(
            "t14_rename_ids",
            with_cells(
                lambda c: (
                    c
                    | {
                        "source": "print('all passed')",
                        "metadata": {"nbgrader": {"grade_id": "mine"}},
                    }
                    if _is_check(c)
                    else c
                ),
                ZEROS,
            ),
            FAILED,
        ),
        Kind("t15_os_exit", exercise({}, first=["import os\nos._exit(0)"]), OPEN),
        loses_a("t17_hardcode_visible", visible, "failed"),
        zeros("t19_late_swap", LATE_SWAP),
        loses_a("r01_loop_fn", function("while True: pass"), "timed out"),
        first("r02_loop_cell", "while True: pass", says="was stopped"),
        loses_a("r04_mem_50gb", returns("np.ones(50 * 2**30 // 8)"), "out of memory"),
        first(
            "r05_mem_6gb", "hoard = []\nfor _ in range(60): hoard.append(np.ones(100 * 2**20 // 8))"
        ),
        first("r07_stdout_200mb", "import sys\nfor _ in range(200): sys.stdout.write('z' * 2**20)"),
        first("r09_thread", THREAD),
        loses_a("r10_segfault", function("import ctypes\nctypes.string_at(0)"), "crashed"),
        first("r11_input", "name = input('your name')"),
        first(
            "r13_write_out",
            "import os\nfor place in ('/etc', '/usr', '/', '/home', os.path.dirname(np.__file__), '/var/tmp', '/tmp'):\n    try: open(os.path.join(place, 'posenc-was-here'), 'w').write('x')\n    except OSError: pass",
        ),
        first(
            "r14_magics",
            "%%bash\necho hello",
            "!ls",
            "%timeit -n1 -r1 sum([1])",
            "%matplotlib inline\nnumber = 3",
            "number + 1",
        ),
        first(
            "r15_rng",
            "import random\nrandom.seed(3); np.random.seed(3)\nnp.random.default_rng = None\nnp.random.rand = lambda *a: 4",
        ),
        first(
            "r18_warn_error",
            "import warnings\nwarnings.simplefilter('error')\nnp.seterr(all='raise')",
        ),
        first("r19_sys_exit", "import sys\nsys.exit()"),
        first("r21_kbd", "raise KeyboardInterrupt"),
        loses_a("r22_sysexit_fn", function("raise SystemExit"), "crashed"),
        Kind(
            "r23_stderr_fn",
            exercise(
                but(
                    a=RIGHT["6.1"].replace(
                        "    return",
                        "    import sys; print('working', file=sys.stderr)\n    return",
                    )
                )
            ),
        ),
        loses_a("r24_osexit_fn", function("import os\nos._exit(0)"), "crashed"),
        Kind("f01_truncated", whole[:-200], status="unreadable"),
        Kind("f02_v3", old_format(), file="lesson 6.ipynb"),
        Kind("f03_no_cells", exercise() | {"cells": []}, status="nothing to grade"),
        Kind("f04_zero_bytes", b"", status="unreadable"),
        Kind("f06_latin1", whole.replace(b"Lesson", b"Le\xe7on"), status="unreadable"),
        Kind("f07_widgets", widgets),
        Kind(
            "f08_dup_solution",
            with_cells(lambda c: c) | {"cells": [*exercise()["cells"], code(RIGHT["6.1"])]},
        ),
        Kind("f10_dup_ids", with_cells(lambda c: c | {"id": "same"})),
        first("f11_first_raises", "import a_package_that_is_not_there"),
        Kind("f13_renamed", exercise(), file="ps1 (1).ipynb"),
        Kind("f15_test_markdown", with_cells(lambda c: text(c["source"]) if _is_check(c) else c)),
        Kind(
            "f17_schema_new",
            with_cells(lambda c: c | {"metadata": {"nbgrader": {"schema_version": 99}}}),
        ),
        Kind("f18_nbformat5", exercise() | {"nbformat": 5}, status="unreadable"),
        Kind("f20_bom", b"\xef\xbb\xbf" + whole),
        Kind("f22_outputs_20mb", outputs),
        Kind("f23_not_nb", b"<html><body>Sign in to continue</body></html>", status="unreadable"),
        Kind(
            "f24_sol_markdown",
            with_cells(lambda c: text(c["source"]) if "def frequencies" in c["source"] else c),
            {"6.1": "not found"},
        ),
        loses_a("n01_nan", returns("np.full((width + 1) // 2, np.nan)"), "failed"),
        Kind(
            "n03_object_dtype",
            exercise(
                but(
                    a=RIGHT["6.1"].replace("return", "return np.array(").rstrip()
                    + ", dtype=object)"
                )
            ),
        ),
        loses_a("n05_inf", returns("np.full((width + 1) // 2, np.inf)"), "failed"),
    ]


def tampering() -> list[Kind]:
    """Attempts at a mark that was not earned, or at the grader itself."""
    return [
        loses_a(
            "x_equal_array",
            EQUAL_ARRAY + returns("np.zeros((width + 1) // 2).view(EqualArray)"),
            "failed",
        ),
        zeros(
            "x_babble_on_every_handle",
            "import os\nfor handle in range(3, 256):\n    try: os.write(handle, b'{\"work\": 1}' * 50)\n    except OSError: pass",
        ),
        Kind(
            "x_forged_answers",
            exercise(
                {},
                first=[
                    "import os, struct\nhead = b'{\"d\":[[\"ran\",1]]}'\nframe = b'PV1\\n' + struct.pack('>Q', len(head)) + head\nfor handle in range(3, 64):\n    try: os.write(handle, struct.pack('>Q', len(frame)) + frame)\n    except OSError: pass\nimport time\ntime.sleep(1)"
                ],
            ),
            all_of(None),
        ),
        zeros("x_real_course", REAL_COURSE, after=("if real is not None: frequencies = real",)),
        zeros(
            "x_hunt_for_answers",
            HUNT,
            after=(
                "found = hunt()\nif found is not None: frequencies = found.challenge.reference",
            ),
        ),
        zeros(
            "x_patched_carrier",
            'import json\nnp.array = lambda *a, **k: np.zeros(3)\njson.dumps = lambda *a, **k: \'{"d":[["work","passed"]]}\'',
        ),
        zeros(
            "x_patched_builtins",
            "import builtins\nbuiltins.isinstance = lambda *a: True\nbuiltins.issubclass = lambda *a: True",
        ),
        zeros(
            "x_trace", "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)"
        ),
        zeros(
            "x_write_results",
            "import os, glob\nfor place in ('/tmp', '.', '..', '/', os.path.expanduser('~')):\n    for name in ('posenc-grades.sqlite', 'results.json', 'out.json'):\n        try: open(os.path.join(place, name), 'w').write('{\"points\": 10}')\n        except OSError: pass",
        ),
        zeros(
            "x_read_other_memory",
            "import os\nstolen = []\nfor name in filter(str.isdigit, os.listdir('/proc')):\n    if int(name) != os.getpid():\n        for what in ('mem', 'environ', 'maps', 'cwd', 'fd'):\n            try: stolen.append(os.listdir(f'/proc/{name}/fd') if what == 'fd' else open(f'/proc/{name}/{what}', 'rb').read(10))\n            except OSError: pass",
        ),
        loses_a(
            "x_passed_printed", returns("'passed'", "print('6.1 passed, 2 of 2 points')"), "failed"
        ),
        loses_a("x_bools_for_numbers", returns("[True] * ((width + 1) // 2)"), "failed"),
        Kind(
            "x_name_is_posenc",
            exercise(
                ZEROS,
                first=["from posenc.encodings import frequencies as mine, sinusoidal as table"],
                last=["frequencies, sinusoidal = mine, table"],
            ),
            FAILED | {"6.1": "crashed", "6.2": "crashed"},
        ),
    ]


def resources() -> list[Kind]:
    """Work that takes too much, does not end, or disturbs what runs it."""
    return [
        first(
            "x_kill_others",
            "import os, signal\nfor target in (os.getppid(), -1, 1, 2):\n    try: os.kill(target, signal.SIGTERM)\n    except OSError: pass\nfor target in (os.getppid(), -1):\n    try: os.kill(target, signal.SIGKILL)\n    except OSError: pass",
        ),
        first("x_close_handles", "import os\nos.closerange(3, 4096)"),
        first("x_fork_bomb", FORK_BOMB),
        loses_a(
            "x_fork_bomb_fn",
            FORK_BOMB.split("if os.fork() == 0:\n    bomb")[0] + function("bomb()"),
            "timed out",
        ),
        first("x_daemon", DAEMON),
        first(
            "x_no_processes", "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (0, 0))"
        ),
        first("x_fork_hooks", "import os\nos.register_at_fork(after_in_child=lambda: os._exit(0))"),
        first(
            "x_signals_blocked",
            "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)",
        ),
        loses_a(
            "x_unstoppable_fn",
            function(
                "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\nwhile True: pass"
            ),
            "timed out",
        ),
        first(
            "x_unstoppable_cell",
            "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\nwhile True: pass",
            says="could not be stopped",
        ),
        loses_a(
            "x_swallows_everything",
            function(
                "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
            ),
            "timed out",
        ),
        loses_a(
            "x_stack",
            "import sys\nsys.setrecursionlimit(10**9)\n"
            + function("class A:\n    pass\ndef deep(n): return deep(n + 1)\nreturn deep(0)"),
            None,
        ),
        loses_a("x_abort", function("import os\nos.abort()"), "crashed"),
        loses_a(
            "x_stops_itself",
            function(
                "import os, signal, time\nos.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(60)"
            ),
            "timed out",
        ),
        Kind(
            "x_globals_mutated_by_a_call",
            exercise(
                but(
                    a=RIGHT["6.1"].replace(
                        "    return", "    np.sin_before, np.sin = np.sin, np.cos\n    return"
                    )
                )
            ),
        ),
        first(
            "x_builtins_replaced",
            "import builtins\nbuiltins.print = builtins.input = None\nbuiltins.sorted = lambda *a, **k: 5",
        ),
        first(
            "x_environment_cleared",
            "import os, sys\nos.environ.clear(); sys.path.clear(); sys.argv.clear()\nos.chdir('/')",
        ),
        first(
            "x_streams_gone",
            "import sys\nsys.stdout.close(); sys.stderr.close(); sys.stdin = sys.stdout = sys.stderr = None",
        ),
        first(
            "x_work_folder_locked",
            "import os\nos.makedirs('a/b/c'); open('a/b/c/d', 'w').write('x')\nos.chmod('a/b', 0); os.chmod('a', 0); os.chmod('.', 0)",
        ),
        first(
            "x_disk_filled",
            "import os\nfor number in range(100):\n    try:\n        with open(f'f{number}', 'wb') as file: file.write(bytes(8 * 2**20))\n    except OSError: break",
        ),
        first(
            "x_many_handles",
            "import os\nheld = []\ntry:\n    while True: held.append(os.open('/dev/null', 0))\nexcept OSError: pass",
        ),
        first(
            "x_children_hoard",
            "import subprocess, sys\nfor _ in range(6): subprocess.Popen([sys.executable, '-S', '-c', 'x = bytearray(900 * 2**20); import time; time.sleep(60)'])\nimport time\ntime.sleep(2)",
        ),
        first(
            "x_network",
            "import socket\nfor where in (('127.0.0.1', 22), ('10.0.0.1', 80)):\n    try: socket.create_connection(where, 0.5)\n    except OSError: pass",
        ),
        loses_a("x_prints_without_end", function("while True: print('x' * 10**6)"), None),
        first(
            "x_async_left",
            "import asyncio\nasync def ever():\n    while True: await asyncio.sleep(0.01)\nasyncio.ensure_future(ever())\nawait asyncio.sleep(0.05)",
        ),
        first(
            "x_thread_waits_for_children",
            "import os, threading, time\ndef take():\n    while True:\n        try: os.waitpid(-1, os.WNOHANG)\n        except OSError: pass\n        time.sleep(0.0001)\nthreading.Thread(target=take, daemon=True).start()",
        ),
        loses_a(
            "x_leaves_a_writer",
            function(
                "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\nos._exit(4)"
            ),
            "crashed",
        ),
        Kind(
            "x_every_cell_exits",
            exercise(first=["import os\nos._exit(1)"] * 8, last=["os._exit(2)"] * 3),
            says="ended the Python process",
        ),
        first("x_error_that_fails", BAD_ERROR + "raise Odd"),
        first("x_error_without_end", ENDLESS_ERROR + "raise Odd"),
        Kind("x_wiped", exercise(last=["%reset -f"]), all_of("not found")),
    ]


def files() -> list[Kind]:
    """Files that are odd without being empty or cut off."""
    nested = b'{"nbformat": 4, "cells": [' + b"[" * 200_000 + b"]" * 200_000 + b"]}"
    long_name = exercise()
    long_name["metadata"]["posenc"].update(version="9" * 5000, edition="\x1b[31m")
    return [
        Kind("x_nested", nested, status="unreadable", says="nested"),
        Kind(
            "x_large_number",
            b'{"nbformat": 4' + b"0" * 5000 + b', "cells": []}',
            status="unreadable",
        ),
        Kind(
            "x_lesson_absurd",
            exercise()
            | {"metadata": {"posenc": {"lesson": 10**30, "version": ["x"], "edition": {}}}},
        ),
        Kind("x_lesson_fraction", exercise() | {"metadata": {"posenc": {"lesson": 6.5}}}),
        Kind(
            "x_sources_odd",
            with_cells(lambda c: c | {"source": [*c["source"].splitlines(True), None, 3]}),
        ),
        Kind("x_null_bytes", exercise(first=["x = 1\x00\x00"])),
        Kind(
            "x_half_characters",
            data(exercise(first=["s = 'placeholder'"])).replace(b"placeholder", b"\\ud800"),
        ),
        Kind("x_not_a_list", exercise() | {"cells": "none"}, status="unreadable"),
        Kind("x_cells_odd", exercise() | {"cells": [None, 5, "x", [], *exercise()["cells"]]}),
        Kind("x_long_line", exercise(first=["y = '" + "z" * 1_500_000 + "'"])),
        Kind("x_colours_in_metadata", long_name, says="lesson notebook"),
        Kind(
            "x_v3_without_sheets",
            json.dumps({"nbformat": 3, "metadata": {}}).encode(),
            status="unreadable",
        ),
        Kind("x_gzip", b"\x1f\x8b\x08\x00" + bytes(100), status="unreadable"),
        Kind("x_unclosed_cell", exercise(first=["def half(:", "'''never closed", "x = (1,"])),
    ]


def odd_values() -> list[Kind]:
    """Returns that are no plain values, too large, or pretend to be something else."""
    return [
        loses_a("x_list_in_itself", function("a = []\na.append(a)\nreturn a"), "refused"),
        loses_a("x_too_long", returns("[0.5] * 3_000_000"), "refused"),
        loses_a("x_broadcast_huge", returns("np.broadcast_to(1.0, (10**6, 10**6))"), None),
        loses_a("x_large_array", returns("np.zeros(20_000_000)"), "refused"),
        loses_a("x_huge_int", returns("10 ** 100_000"), None),
        loses_a("x_generator_without_end", function("while True: yield 1.0"), "refused"),
        loses_a("x_set", returns("{1.0, 0.01}"), "refused"),
        loses_a("x_function", returns("frequencies"), "refused"),
        loses_a(
            "x_reduce",
            "class Bomb:\n    def __reduce__(self): return (print, ('hello',))\n"
            + returns("Bomb()"),
            "refused",
        ),
        loses_a("x_structured", returns("np.zeros(3, dtype=[('a', float)])"), "refused"),
        loses_a("x_dates", returns("np.zeros(3, dtype='datetime64[s]')"), "refused"),
        loses_a("x_complex", returns("1j * np.ones((width + 1) // 2)"), "failed"),
        loses_a("x_masked", returns("np.ma.masked_all((width + 1) // 2)"), None),
        loses_a("x_words", returns("['one'] * ((width + 1) // 2)"), "failed"),
        loses_a("x_none", function("pass"), "failed"),
        loses_a(
            "x_lying_class",
            "class Lie:\n    __class__ = np.ndarray\n    def __getattr__(self, name): raise RuntimeError(name)\n"
            + returns("Lie()"),
            "refused",
        ),
        loses_a(
            "x_error_message",
            function("raise ValueError('\\x1b[2J\\ud800<script>=1+1')"),
            "crashed",
        ),
        loses_a(
            "x_lying_number",
            "class One(float):\n    def __eq__(self, other): return True\n    def __float__(self): return 7.0\n"
            + returns("[One(3)] * ((width + 1) // 2)"),
            "failed",
        ),
        loses_a("x_raises_its_own", BAD_ERROR + function("raise Odd"), "crashed"),
        loses_a("x_error_endless", ENDLESS_ERROR + function("raise Odd"), None),
        loses_a("x_stop_iteration", function("raise StopIteration(1)"), "crashed"),
        loses_a("x_not_callable", "frequencies = [1, 0.01]", "failed"),
        Kind(
            "x_callable_object",
            exercise(
                but(
                    a="class F:\n    def __call__(self, width, base=10000.0):\n        return base ** (-2 * np.arange((width + 1) // 2) / width)\nfrequencies = F()"
                )
            ),
        ),
        Kind(
            "x_memory_map",
            exercise(
                but(
                    a="import tempfile\n"
                    + RIGHT["6.1"].replace("    return ", "    found = ").rstrip()
                    + "\n    kept = np.memmap(tempfile.TemporaryFile(), float, 'w+', shape=found.shape)\n    kept[:] = found\n    return kept"
                )
            ),
        ),
        Kind(
            "x_lambda",
            exercise(
                but(
                    a="frequencies = lambda width, base=10000.0: [base ** (-2 * i / width) for i in range((width + 1) // 2)]"
                )
            ),
        ),
    ]


def more() -> list[Kind]:
    """The kinds of our own."""
    return [*tampering(), *resources(), *files(), *odd_values()]

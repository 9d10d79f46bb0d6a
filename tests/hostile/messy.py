"""Right work below lines that run in one place only: libraries, files, magics, newer Python.

Each kind has the points that its functions deserve. `costs` names the challenges that it loses even
so, where the answer itself cannot be made here.
"""

from __future__ import annotations

from typing import Any

from hostile.answers import RIGHT
from hostile.notebooks import HEAD, code, exercise
from hostile.ordinary import Kind

ANSWERS = "\n".join(RIGHT.values())
NUMPY = "import numpy as np\n"
LEFT_OUT = "without the line that failed: "


def cells(*sources: str) -> dict[str, Any]:
    """A notebook of lesson 6 with these code cells."""
    about = {"posenc": {"lesson": 6, "version": "1.0.0", "edition": "exercise"}}
    made = [code(source) for source in sources]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": about, "cells": made}


def above(name: str, line: str, says: str = "") -> Kind:
    """One cell: a line that fails here, then the import of NumPy and all answers."""
    return Kind(name, cells(f"{line}\n{NUMPY}{ANSWERS}"), says=says or f"{LEFT_OUT}{line}")


def between(name: str, line: str, says: str = "") -> Kind:
    """One cell: 6.1, a line, and the other answers."""
    rest = "\n".join(RIGHT[id] for id in ("6.2", "6.3", "6.4"))
    return Kind(name, cells(f"{HEAD}\n{RIGHT['6.1']}\n{line}\n{rest}"), says=says)


def outside() -> list[Kind]:
    """Libraries, files, drives, programs and magics that are not here."""
    installs = "import subprocess, sys\nsubprocess.check_call([sys.executable, '-c', '1/0'])"
    drive = "from google.colab import drive"
    mounts = (
        f"{drive}\ndrive.mount('/content/drive')\nimport os\nos.chdir('/content/drive/MyDrive')"
    )
    annotated = "def helper(x: torch.Tensor) -> torch.Tensor:\n    return x"
    typed = RIGHT["6.4"].replace(
        "class PositionalEncoding:", "class PositionalEncoding(torch.nn.Module):"
    )
    lost = "import torch\ndevice = torch.device('cpu')"
    return [
        above("torch-above", "import torch"),
        above("seaborn-above", "import seaborn as sns"),
        above("colab-above", mounts, f"{LEFT_OUT}{drive}"),
        above("windows-path", r"data = open('C:\\Users\\me\\data.csv').read()"),
        above("extension", "%load_ext an_extension_of_mine"),
        above("line-magic", "%a_magic_of_mine 1"),
        above("program", installs, f"{LEFT_OUT}subprocess.check_call"),
        above("platform", "df = _dntk.execute_sql('select 1')"),
        above("keyboard", "name = input('Your name? ')"),
        above("no-variable", "import os\nkey = os.environ['MY_KEY']", f"{LEFT_OUT}key = os"),
        Kind("pylab", cells(f"%pylab inline\n{NUMPY}{ANSWERS}")),
        Kind("installs", cells(f"%pip install torch\n!pip install torch\n{NUMPY}{ANSWERS}")),
        Kind("below-time", cells(f"%%time\nimport torch\n{NUMPY}{ANSWERS}"), says="import torch"),
        Kind("below-capture", cells(f"%%capture said\n{NUMPY}{ANSWERS}", "said.show()")),
        Kind("below-memit", cells(NUMPY, f"%%memit\n{ANSWERS}"), says="%%memit"),
        Kind(
            "used-later",
            cells(NUMPY, f"{lost}\nx = torch.zeros(2)", f"y = device.type\n{ANSWERS}", "z = x + 1"),
            says="y = device.type",
        ),
        Kind(
            "named-in-definitions",
            cells(f"{NUMPY}import torch", f"@torch.no_grad()\n{annotated}\n{ANSWERS[:-1]}", typed),
            says="raised NameError",
        ),
    ]


def of_the_course() -> list[Kind]:
    """Lines that use the course, which does not answer here, and stubs that were left."""
    open_one = "def frequencies(width, base=10000.0):\n    pass"
    uses = "shown = frequencies(8) * 2"
    rest = "\n".join(RIGHT[id] for id in ("6.2", "6.3", "6.4"))
    failed: dict[str, str | None] = {"6.1": "failed"}
    encodings = "from posenc.encodings import sinusoidal as theirs\ntheirs(3, 4)"
    listed = "from posenc.classroom import case\nbatch = [*case('6.3', 8, seed=7)][0]"
    return [
        between("asserts-check", 'assert check("6.1", frequencies)'),
        between("case-line", listed, f"{LEFT_OUT}batch ="),
        between("encodings", encodings, f"{LEFT_OUT}theirs(3, 4)"),
        Kind("stub-used", cells(f"{NUMPY}{open_one}\n{uses}\n{rest}"), failed, says=uses),
        Kind(
            "stub-used-by-another",
            cells(
                f"{NUMPY}{open_one}\ndef twice(n):\n    return frequencies(n) * 2\ntwice(8)\n{rest}"
            ),
            failed,
            says="twice(8)",
        ),
    ]


def slow_and_new() -> list[Kind]:
    """A slow line above answers, and what only a newer Python reads."""
    nested = """d = {"a": 1}\nprint(f"{d["a"]}")"""
    generic = "def first[T](x: list[T]) -> T:\n    return x[0]"
    handler = "try:\n    pass\nexcept ValueError, TypeError:\n    pass"
    two = RIGHT["6.1"].replace("-2 *", "-TWO *")
    swallows = (
        "while True:\n    try:\n        while True:\n            pass\n"
        "    except BaseException:\n        pass"
    )
    return [
        between("slow-line", "import time\ntime.sleep(8)", "without the line: time.sleep(8)"),
        between("newer-string", nested, "needs Python 3.12"),
        between("newer-generic", generic, "needs Python 3.12"),
        between("newer-except", handler, "needs Python 3.14"),
        Kind(
            "constants-kept",
            cells(
                NUMPY,
                f"TWO = float(2)\nTEN = np.log10(1e10)\n{swallows}",
                two,
                *list(RIGHT.values())[1:],
            ),
            says="only its definitions were used",
        ),
        Kind(
            "constants-kept-after-two",
            cells(
                f"{NUMPY}{swallows}",
                "import os\nos._exit(1)",
                f"TWO = float(2)\n{two}",
                *list(RIGHT.values())[1:],
            ),
            says="ended the Python process",
        ),
    ]


def as_jupyter() -> list[Kind]:
    """What runs in JupyterLab because of how its shell works."""
    head = "def frequencies(width, base=10000.0):"
    typed = ANSWERS.replace(head, "def frequencies(width: int, base: float = 1e4) -> npt.NDArray:")
    base = RIGHT["6.1"].replace("base=10000.0", "base=BASE")
    return [
        Kind("future", cells("from __future__ import annotations", f"{NUMPY}{typed}")),
        Kind("future-late", cells(f"{NUMPY}from __future__ import annotations\n{typed}")),
        Kind(
            "written-and-imported",
            cells(f"%%writefile answers.py\n{NUMPY}{ANSWERS}", "from answers import *"),
        ),
        Kind(
            "written-and-run", cells(f"%%writefile answers.py\n{NUMPY}{ANSWERS}", "%run answers.py")
        ),
        Kind("underscore", cells(NUMPY, "10000.0", "BASE = _", base, *list(RIGHT.values())[1:])),
        Kind("out", cells(NUMPY, "10000.0", "BASE = Out[2]", base, *list(RIGHT.values())[1:])),
        Kind("awaits", cells(f"import asyncio\nx = await asyncio.sleep(0, 1)\n{NUMPY}{ANSWERS}")),
    ]


def not_forgiven() -> list[Kind]:
    """The learner's own errors end their cell, as in JupyterLab."""
    lost: dict[str, str | None] = dict.fromkeys(RIGHT, "not found")
    return [
        Kind("own-error", cells(f"{NUMPY}1 / 0\n{ANSWERS}"), lost, says="ZeroDivisionError"),
        Kind("own-syntax", cells(f"{NUMPY}x = = 1\n{ANSWERS}"), lost, says="SyntaxError"),
        Kind("own-string", cells(f'{NUMPY}print(f"{{x")\n{ANSWERS}'), lost, says="SyntaxError"),
        Kind(
            "stops-itself",
            cells(
                f"{NUMPY}{ANSWERS}", "raise SystemExit\ndef frequencies(n, base=1):\n    return 0"
            ),
            says="SystemExit",
        ),
    ]


def other_numbers() -> list[Kind]:
    """Right numbers, kept in another way than an array or a list."""
    ways = {
        "fractions": "[Fraction(x) for x in found]",
        "decimals": "[Decimal(x) for x in found]",
        "array-module": "array.array('d', found)",
        "deque": "deque(found)",
        "user-list": "UserList(found)",
        "memoryview": "memoryview(np.array(found))",
    }
    imports = (
        "import array\nfrom collections import UserList, deque\n"
        "from decimal import Decimal\nfrom fractions import Fraction"
    )
    head = (
        "def frequencies(width, base=10000.0):\n"
        "    found = [float(base) ** (-2 * i / width) for i in range((width + 1) // 2)]\n"
    )
    matrix = RIGHT["6.2"].replace("return table", "return np.asmatrix(table)")
    kinds = [
        Kind(name, exercise({**RIGHT, "6.1": f"{imports}\n{head}    return {way}"}))
        for name, way in ways.items()
    ]
    failed: dict[str, str | None] = {"6.1": "failed"}
    zero = {**RIGHT, "6.1": head + "    return np.array(found) + 0j"}
    refill = "    kept.clear()\n    kept.extend(found)\n    return kept"
    reuse = f"kept = deque()\n{imports}\n{head}{refill}"
    return [
        *kinds,
        Kind("matrix", exercise({**RIGHT, "6.2": matrix})),
        Kind("complex-without-imaginary-part", exercise(zero), failed),
        Kind(
            "one-deque-for-all",
            exercise({**RIGHT, "6.1": f"from collections import deque\n{reuse}"}),
            failed,
        ),
    ]


def messy() -> list[Kind]:
    """All of them."""
    return [
        *outside(),
        *of_the_course(),
        *slow_and_new(),
        *as_jupyter(),
        *not_forgiven(),
        *other_numbers(),
    ]

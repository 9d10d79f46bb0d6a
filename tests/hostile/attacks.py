"""Attacks made with the grader's source in hand, each with neighbours of its kind.

`forgers` speak the grader's own language from inside a notebook: they look for the channel among
the objects of their process and send what no notebook sends. `hoarders` take memory that is in no
process's resident size; each of them answers rightly only where it could take none. `lookers` look
for an answer in what a function is handed, and `beyond` returns numbers that no float holds.
"""

from __future__ import annotations

from hostile.answers import RIGHT
from hostile.kinds import FAILED, ZEROS, first, function, loses_a, zeros
from hostile.notebooks import but, exercise
from hostile.ordinary import Kind

CHANNEL = """
import gc, os, struct, sys, time
channel = next(o for o in gc.get_objects() if type(o).__name__ == "Channel")
A = np.arange(5)
def say(message):
    channel.send(message)
"""
# What a notebook says of a cell, with fields of kinds that no field has.
ODD_WORDS = {
    "error": "{'cell': 1, 'error': A}",
    "line": "{'cell': 1, 'error': 'x', 'line': A}",
    "message": "{'cell': 1, 'error': 'x', 'message': {'a': [A, A]}}",
    "cell": "{'cell': A}",
    "cell_far": "{'cell': 10**30}",
    "cell_again": "{'cell': 0}",
    "cell_true": "{'cell': True}",
    "ran_soon": "{'ran': 1}",
    "waited": "{'cell': 1, 'error': 'TimeLimit', 'waited': float('nan')}",
    "late": "{'cell': 2, 'late': A}",
    "nothing": "{}",
    "list": "[1, 2]",
    "deep": "{'cell': [[[[[[[[[[[[1]]]]]]]]]]]]}",
    "long_text": "{'cell': 1, 'error': 'x' * 10**6}",
    "question": "{'ask': 0, 'of': A, 'question': 1}",
}
# What a notebook says of a challenge.
ODD_ANSWERS = {
    "how": "{'how': A}",
    "how_number": "{'how': 'exit', 'number': A}",
    "how_signal": "{'how': 'signal', 'number': [1]}",
    "how_long": "{'how': 'x' * 10**6}",
    "nothing": "{}",
    "work_none": "{'work': None}",
    "work_array": "{'work': A}",
    "found": "{'work': {'found': A, 'uses': [], 'answers': []}}",
    "too_large": "{'work': work([['too large', None, [], None, False, True]])}",
    "raised": "{'work': work([['raised', None, [], [[], '', ''], False, True]])}",
    "error_odd": "{'work': work([['raised', None, [], [A, A, A], A, A]])}",
    "status": "{'work': work([[A, None, [], None, False, True]])}",
    "after": "{'work': work([['returned', 1.0, A, None, False, True]])}",
    "many": "{'work': {'found': 'callable', 'uses': [], 'answers': [[]] * 100000}}",
    "no_result": "{'work': work([])}",
    "steps": "{'work': work([['returned', 1.0, [], None, False, True]] * 50)}",
    "nested": "{'work': work([['returned', nest(12), [], None, False, True]])}",
    "wide": "{'work': work([['returned', [[0.5]] * 100000, [], None, False, True]])}",
    "after_wide": "{'work': work([['returned', 1.0, [[0.5] * 200000], None, False, True]])}",
    "waited": "{'work': work([['timed out', None, [], None, False, True]]), 'waited': A}",
    "ask": "{'ask': -1, 'of': 1, 'question': 0}",
    "ask_odd": "{'ask': A, 'of': A, 'question': A}",
}
FORGE = """
def work(answer):
    return {'found': 'callable', 'uses': [], 'answers': [answer] * 9}
def nest(depth):
    return [nest(depth - 1)] * 2 if depth else 0.5
"""


def forgers() -> list[Kind]:
    """Messages that the grader must take for what they are: no mark is theirs, and no fault its."""
    said = [
        zeros(f"y_word_{name}", CHANNEL, f"say({word})", "time.sleep(0.2)")
        for name, word in ODD_WORDS.items()
    ]
    # Whoever answers in place of its own process breaks off what follows: only 6.1 is told here.
    answered = []
    for name, answer in ODD_ANSWERS.items():
        body = function(f"say({answer})\nos._exit(0)")
        answered.append(Kind(f"y_answer_{name}", exercise(but(a=CHANNEL + FORGE + body)),
                             {"6.1": None}))  # fmt: skip
    bytes_odd = {
        "half": "os.write(channel.writes, struct.pack('>Q', 1000) + b'PV1')\nos._exit(0)",
        "huge": "os.write(channel.writes, struct.pack('>Q', 2**62))\ntime.sleep(1)",
        "noise": "os.write(channel.writes, os.urandom(5000))\nos._exit(0)",
        "head": "os.write(channel.writes, struct.pack('>Q', 20) + b'PV1\\n' + b'\\xff' * 16)",
    }
    odd = [
        Kind(f"y_bytes_{name}", exercise(but(a=CHANNEL + function(body))), {"6.1": None})
        for name, body in bytes_odd.items()
    ]
    return [*said, *answered, *odd, *endless()]


UNSTOPPABLE = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\n"


def endless() -> list[Kind]:
    """Cells that go on as long as somebody listens."""
    one = "import time\nwhile True:\n    try: say({'cell': 1})\n    except OSError: pass\n"
    error = one.replace("{'cell': 1}", "{'cell': 1, 'error': 'x'}")
    slow = one + "    time.sleep(0.05)\n"
    forks = "for _ in range(6):\n    if os.fork() == 0:\n        break\n" + one
    drip = "import time\nfor byte in struct.pack('>Q', 2**20):\n    time.sleep(0.4)\n" + (
        "    os.write(channel.writes, bytes([byte]))\nwhile True: pass"
    )
    bodies = {"flood": one, "errors": error, "slow": slow, "forks": forks, "drip": drip}
    return [
        Kind(f"y_endless_{name}", exercise(ZEROS, first=[CHANNEL, UNSTOPPABLE + body]), FAILED)
        for name, body in bodies.items()
    ]


HOARD = """
import ctypes, mmap, os, socket, tempfile
libc = ctypes.CDLL(None, use_errno=True)
held, MB = [], 2**20
def take(): raise OSError
"""
HOARDS = {
    "memfd": """
def take():
    handle = os.memfd_create("x")
    os.write(handle, bytes(16 * MB)); held.append(handle); return 16
""",
    "memfd_by_number": """
import platform
def take():
    handle = libc.syscall(319 if platform.machine() == "x86_64" else 279, b"x", 0)
    if handle < 0: raise OSError
    os.ftruncate(handle, 16 * MB); held.append(handle); return 16
""",
    "system_v": """
def take():
    number = libc.shmget(0, ctypes.c_size_t(100 * MB), 0o1600)
    if number < 0: raise OSError
    libc.shmat.restype = ctypes.c_void_p
    place = libc.shmat(number, None, 0)
    ctypes.memset(place, 1, 100 * MB); libc.shmdt(ctypes.c_void_p(place)); return 100
""",
    "own_mounts": """
def take():
    libc.prctl(4, 1, 0, 0, 0)
    if libc.unshare(0x10000000 | 0x20000): raise OSError
    if libc.mount(b"none", b"/tmp", b"tmpfs", 0, None): raise OSError
    open("/tmp/x", "wb").write(bytes(200 * MB)); return 200
""",
    "tmp": """
def take():
    with tempfile.NamedTemporaryFile(delete=False) as file: file.write(bytes(8 * MB))
    return 8
""",
    "shm": """
def take():
    with open(f"/dev/shm/x{len(held)}", "wb") as file: file.write(bytes(8 * MB))
    held.append(1); return 8
""",
    "dev": """
def take():
    with open(f"/dev/x{len(held)}", "wb") as file: file.write(bytes(8 * MB))
    held.append(1); return 8
""",
    "deleted_files": """
def take():
    file = tempfile.TemporaryFile(); file.write(bytes(8 * MB)); file.flush()
    held.append(file); return 8
""",
    "message_queues": """
def take():
    number = libc.msgget(0, 0o1600)
    if number < 0: raise OSError
    return 100
""",
    "io_uring": """
def take():
    if libc.syscall(425, 4096, ctypes.create_string_buffer(240)) < 0: raise OSError
    return 100
""",
}


def hoarders() -> list[Kind]:
    """Memory taken where no process's size shows it. 300 MB of it cost the hoarder its points."""
    kinds = []
    for name, take in HOARDS.items():
        grab = "taken = 0\ntry:\n    while taken < 300: taken += take()\nexcept Exception: pass"
        answer = RIGHT["6.1"].replace("    return", "    if taken >= 300: return\n    return")
        kinds.append(Kind(f"y_hoard_{name}", exercise(but(a=answer), first=[HOARD, take, grab])))
    return kinds


def beyond() -> list[Kind]:
    """Whole numbers beyond all floats, wherever a number may be."""
    size = "((width + 1) // 2)"
    lists = {
        "list": f"[10**400] * {size}",
        "negative": f"[-10**400] * {size}",
        "nested": f"[[10**400]] * {size}",
        "mixed": f"[0.5, 10**400] * {size}",
        "tuple": f"(2**1100,) * {size}",
        "objects": f"np.array([10**400] * {size}, dtype=object)",
        "just_beyond_int64": f"[2**64 + 1] * {size}",
        "alone": "10**400",
        "in_a_dict": "{'a': 10**400}",
    }
    return [
        loses_a(f"y_beyond_{name}", function(f"return {value}"), None)
        for name, value in lists.items()
    ]


def errors() -> list[Kind]:
    """Messages that hold what is asked for because they hold everything."""
    every = {
        "all": "ValueError(*range(100))",
        "text": "ValueError(' '.join(map(str, range(200))))",
        "joined": "ValueError(''.join(map(str, range(100))))",
    }
    right = RIGHT["6.4"]
    told = 'ValueError(f"length {length} is more than {len(self.table)}")'
    assert told in right
    return [
        Kind(f"y_error_{name}", exercise(but(d=right.replace(told, error))), {"6.4": "failed"})
        for name, error in every.items()
    ]


def unfair() -> list[Kind]:
    """Honest work whose own cells take the time that was its functions'."""
    slow = ["import time\ntime.sleep(2.9)"] * 4
    loops = ["while True: pass"] * 4
    return [first("y_slow_cells", *slow), first("y_looping_cells", *loops, says="was stopped")]


def more() -> list[Kind]:
    """All of them."""
    return [*forgers(), *hoarders(), *beyond(), *errors(), *unfair()]

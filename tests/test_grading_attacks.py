"""Attacks with the grader's source in hand: none earns a mark, stops a run, or costs another."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hostile import attacks
from hostile.grading import complaints, grade_folder, lay
from hostile.notebooks import code, data, exercise, write
from hostile.ordinary import Kind

from posenc.grading import channels, crowd, parsing, pile, sandbox
from posenc.grading.notebook import Unreadable, read
from posenc.grading.pile import Settings
from posenc.grading.warm import Limits, Stopped, WarmProcess
from posenc.judging import judge, layers

LIMITS = Limits(cell_seconds=3.0, seconds=10.0, memory=512 * 2**20)
WALLED = bool(sandbox.working_bubblewrap()[0])
pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="a notebook has no world of its own elsewhere"
)
walled = pytest.mark.skipif(not WALLED, reason="there is no Bubblewrap here")


def marks(tmp_path: Path, kinds: list[Kind]) -> dict:
    lay(tmp_path, kinds)
    return grade_folder(tmp_path, Settings(seed=3, limits=LIMITS))


# ------------------------------------------------------------------ what a notebook sends


def test_forged_messages_earn_nothing_and_are_no_fault_of_the_grader(tmp_path):
    kinds = [k for k in attacks.forgers() if not k.name.startswith("y_endless")]
    graded = marks(tmp_path, [*kinds, Kind("honest", exercise())])
    for kind in kinds:
        record = graded[kind.name].record
        assert (record["status"], record["faults"]) == ("graded", []), kind.name
        passed = {v["challenge"] for v in record["challenges"] if v["outcome"] == judge.PASSED}
        undeserved = {id for id, deserved in kind.outcomes.items() if deserved != "passed"}
        assert not passed & undeserved, kind.name
    assert graded["honest"].record["points"] == 10


@pytest.mark.slow
@pytest.mark.parametrize("kind", attacks.endless(), ids=lambda kind: kind.name)
def test_a_cell_that_goes_on_sending_comes_to_an_end(tmp_path, kind):
    assert complaints(kind, marks(tmp_path, [kind])[kind.name].record) == []


@pytest.mark.parametrize(
    "kinds", [attacks.beyond(), attacks.errors()], ids=["numbers beyond a float", "messages"]
)
def test_numbers_and_messages_without_bound_are_judged_like_others(tmp_path, kinds):
    graded = marks(tmp_path, kinds)
    assert {k.name: complaints(k, graded[k.name].record) for k in kinds} == {
        k.name: [] for k in kinds
    }


@walled
def test_memory_that_no_process_shows_cannot_be_taken(tmp_path):
    kinds = attacks.hoarders()
    graded = marks(tmp_path, kinds)
    assert {k.name: complaints(k, graded[k.name].record) for k in kinds} == {
        k.name: [] for k in kinds
    }


@pytest.mark.slow
def test_the_time_of_cells_is_not_taken_from_functions(tmp_path):
    kinds = attacks.unfair()
    graded = marks(tmp_path, kinds)
    for kind in kinds:
        assert complaints(kind, graded[kind.name].record) == []
    assert "used up their 10 s" in " ".join(graded["y_slow_cells"].record["notes"])


# ------------------------------------------------------------------ what is handed in tells nothing

TELLERS = {
    "name": "str(getattr(layer, '__qualname__', '')) + str(getattr(layer, '__name__', ''))",
    "code": "str(layer.__code__.co_names) + str(layer.__code__.co_consts)",
    "closure": "''.join(repr(c.cell_contents) for c in layer.__closure__ or ())",
    "frames": "in_frames()",
    "objects": "in_objects(layer)",
}
LOOKING = """
import gc, sys
def in_frames():
    frame, seen = sys._getframe(), []
    while frame:
        seen += [repr(v)[:20000] for v in frame.f_locals.values()]
        frame = frame.f_back
    return " ".join(seen)
def in_objects(layer):
    seen, left = [], [layer]
    while left and len(seen) < 3000:
        one = left.pop()
        seen.append(repr(one)[:200])
        left += [o for o in gc.get_referents(one) if not isinstance(o, (type, type(sys)))]
    return " ".join(seen)
"""
# What the judge calls them, in words and in its code.
ALL_LAYERS = [name for name in layers.LAYERS if name != "attention"]
ALL_LAYERS += [make.__name__ for make in layers.LAYERS.values() if make.__name__ != "make"]


@pytest.mark.parametrize("way", TELLERS)
def test_a_layer_that_is_handed_in_does_not_tell_which_it_is(tmp_path, way):
    look = f"SEEN = []\ndef symmetry(layer, *more):\n    SEEN.append({TELLERS[way]})\n"
    look += f"    if any(w in SEEN[-1] for w in {ALL_LAYERS}): raise KeyError(SEEN[-1][:300])\n"
    look += "    return 'neither'"
    name = next(c.name for c in pile.lessons.challenges(2) if c.id == "2.4")
    notebook = exercise({}, first=[LOOKING, look.replace("symmetry", name)])
    notebook["metadata"]["posenc"]["lesson"] = 2
    write(tmp_path / "ada" / "a.ipynb", notebook)
    record = grade_folder(tmp_path, Settings(seed=3, limits=LIMITS), jobs=1)["ada"].record
    verdict = next(v for v in record["challenges"] if v["challenge"] == "2.4")
    assert verdict["outcome"] == "failed", verdict["reason"]


def test_a_layer_answers_as_if_it_were_there(tmp_path):
    asks = """
def worst_equivariance_error(layer, x):
    import itertools
    best = 0.0
    for order in itertools.permutations(range(len(x))):
        o = list(order)
        best = max(best, np.abs(layer(x[o]) - layer(x)[o]).max())
    for wrong in ("text", [[1], [1, 2]], x[:, :0], None, np.zeros((600, 600))):
        try: layer(wrong)
        except (TypeError, ValueError): pass
    kept = layer(x)
    kept += 1
    assert not np.array_equal(kept, layer(x))
    return float(best)
"""
    name = next(c.name for c in pile.lessons.challenges(2) if c.id == "2.3")
    cell = asks.replace("worst_equivariance_error", name)
    notebook = exercise({}, first=[cell])
    notebook["metadata"]["posenc"]["lesson"] = 2
    write(tmp_path / "ada" / "a.ipynb", notebook)
    record = grade_folder(tmp_path, Settings(seed=3, limits=LIMITS), jobs=1)["ada"].record
    verdict = next(v for v in record["challenges"] if v["challenge"] == "2.3")
    assert verdict["outcome"] == "passed", verdict["reason"]


# ------------------------------------------------------------------ from one notebook to another


@pytest.fixture(scope="module")
def two_processes():
    pair = [WarmProcess(sandbox.choose("auto"), LIMITS) for _ in range(2)]
    yield pair
    for process in pair:
        process.close()


@walled
@pytest.mark.parametrize("together", [False, True], ids=["one after the other", "at once"])
@pytest.mark.parametrize("channel", channels.CHANNELS, ids=lambda channel: channel.name)
def test_nothing_leads_from_one_notebook_to_the_next(two_processes, channel, together):
    first, second = two_processes
    assert channels.kept_apart(channel, first, second if together else first, together) is True


# What an ordinary process is kept from by nobody; files and settings are left alone here.
FOUND = [c for c in channels.CHANNELS if "folder" not in c.name and "settings" not in c.name]


@pytest.mark.parametrize("channel", FOUND, ids=lambda channel: channel.name)
def test_each_channel_is_found_open_where_nothing_closes_it(channel, tmp_path):
    # A look that cannot find what was left a moment ago by itself would prove nothing.
    mark = os.urandom(6).hex()
    source = f"MARK = {mark!r}\n{channels.COMMON}\n{channel.leave}\n{channel.find}\n"
    source += "open('found', 'w').write(str(probe()))\nos.killpg(0, 9)"
    script = tmp_path / "script.py"
    script.write_text(
        source.replace("os.setsid()", "pass").replace("time.sleep(60)", "time.sleep(5)")
    )
    subprocess.run(
        [sys.executable, script], cwd=tmp_path, timeout=60, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    if channel.name.startswith("named shared memory"):
        number = int(mark, 16) % 2**30
        remove = [flag for kind in "QMS" for flag in (f"-{kind}", hex(number))]
        subprocess.run(["ipcrm", *remove], check=False, capture_output=True)
    said = (tmp_path / "found").read_text() if (tmp_path / "found").exists() else "nothing"
    if said in ("nothing", "True") and os.geteuid() != 0:
        pytest.skip("closed to this user of this machine")
    assert said == "False"


@walled
def test_what_one_notebook_leaves_in_any_folder_is_no_answer_for_the_next(tmp_path):
    from hostile.answers import RIGHT

    places = ["/", "/dev", "/dev/shm", "/tmp", "/var/tmp", "/usr", "/proc/self", "/run"]
    given = f"import os\nPLACES = {places!r} + [os.path.expanduser('~')]\n"
    spread = (
        given
        + "TEXT = "
        + repr("\n".join(RIGHT.values()))
        + """
for top in PLACES:
    for name in ("answers.py", ".answers", "usercustomize.py", "numpy.py"):
        try: open(os.path.join(top, name), "w").write(TEXT)
        except OSError: pass
"""
    )
    take = (
        given
        + """
for top in PLACES:
    for name in ("answers.py", ".answers", "usercustomize.py"):
        try: exec(open(os.path.join(top, name)).read())
        except OSError: pass
"""
    )
    nothing = {f"6.{n}": "not found" for n in range(1, 5)}
    taker = exercise({}, checks=False)
    taker["cells"] = [code("import numpy as np"), code(take)]
    lay(tmp_path, [Kind("a-leaves", exercise(first=[spread])), Kind("b-takes", taker, nothing)])
    graded = grade_folder(tmp_path, Settings(seed=3, sandbox="bwrap", limits=LIMITS), jobs=1)
    assert complaints(Kind("b", taker, nothing), graded["b-takes"].record) == []


# ------------------------------------------------------------------ what is read on this side


def old(form: int, cells: int) -> bytes:
    sheet = {"cells": [{"cell_type": "code", "input": "x = 1", "outputs": []}] * cells}
    return data({"nbformat": form, "metadata": {}, "worksheets": [sheet]})


# Each is small here; what is large is read by a process of its own, with the same answer.
ODD_FILES = {
    "a dotted name without end": data(exercise({}, first=["import a" + ".a" * 75_000])),
    "brackets": b'{"nbformat": 4, "cells": ' + b"[" * 900_000,
    "objects": b'{"nbformat": 4, "cells": [' + b"{}," * 300_000 + b"{}]}",
    "numbers": b'{"nbformat": 4, "cells": [' + b"1," * 400_000 + b"1]}",
    "digits": b'{"nbformat": 4' + b"0" * 900_000 + b', "cells": []}',
    "one name many times": b"{" + b'"cells":[],' * 80_000 + b'"nbformat":4}',
    "format 3": old(3, 1500),
    "format 2": old(2, 1500),
    "format 3 with odd sheets": data({"nbformat": 3, "worksheets": [None, 3, {"cells": [7]}]}),
    "format 1": data({"nbformat": 1, "cells": [{"cell_type": "code", "code": "x = 1"}] * 50}),
}


@pytest.mark.parametrize("name", ODD_FILES)
def test_a_file_made_to_be_expensive_is_read_or_refused_and_nothing_else(name):
    try:
        assert read(ODD_FILES[name], "work.ipynb", 6).lesson == 6
    except Unreadable as error:
        assert str(error)


def test_a_large_file_is_read_by_a_process_of_its_own_with_the_same_result(monkeypatch):
    notebook = exercise()
    notebook["cells"][1]["outputs"] = [{"output_type": "stream", "text": "y" * 2_000_000}]
    apart = []
    monkeypatch.setattr(
        parsing, "_read_apart", lambda d, f=parsing._read_apart: apart.append(1) or f(d)
    )
    assert parsing.parse(data(notebook)) == parsing.taken_out(data(notebook))
    assert apart == [1]


def test_what_takes_more_than_its_memory_to_read_is_refused(monkeypatch):
    monkeypatch.setattr(parsing, "_START", "import posenc.grading.parsing as p; " + (
        "import sys; p.MEMORY = 150 * 2**20; p.main()"))  # fmt: skip
    bomb = b'{"nbformat": 4, "cells": [' + b"{}," * 3_000_000 + b"{}]}"
    with pytest.raises(Unreadable, match="more memory or time"):
        parsing.parse(bomb)


@pytest.mark.parametrize("stated", ["²", "①", "9" * 5000, "٣٤٥", "-1", "6.0", "", "²6"])
def test_a_lesson_that_is_no_number_is_searched_for_elsewhere(stated):
    notebook = {**exercise(), "metadata": {"posenc": {"lesson": stated}}}
    assert read(data(notebook), "lesson 6.ipynb").lesson_from == "file name"


# ------------------------------------------------------------------ who runs when


def inside(
    people: crowd.Crowd, turn: threading.Event, leave: threading.Event, **how
) -> threading.Thread:
    def stay() -> None:
        try:
            with people.turn(**how):
                turn.set()
                leave.wait(30)
        except Stopped:
            leave.set()

    thread = threading.Thread(target=stay, daemon=True)
    thread.start()
    return thread


def test_more_are_let_in_while_others_only_wait(monkeypatch):
    used = {1: 0.0, 2: 0.0}
    monkeypatch.setattr(crowd, "processor_seconds", lambda roots: {r: used[r] for r in roots})
    people = crowd.Crowd(1)
    with people.turn() as first:
        monkeypatch.setattr(crowd, "_root", lambda turn: 1 if turn is first else 2)
        turn, leave = threading.Event(), threading.Event()
        inside(people, turn, leave)
        assert turn.wait(10)  # the first has used nothing since the last look
        leave.set()


def test_whoever_works_keeps_others_out(monkeypatch):
    monkeypatch.setattr(crowd, "processor_seconds", lambda roots: {1: time.monotonic()})
    monkeypatch.setattr(crowd, "_root", lambda turn: 1)
    people = crowd.Crowd(1)
    turn, leave = threading.Event(), threading.Event()
    with people.turn():
        inside(people, turn, leave)
        assert not turn.wait(4 * crowd.SECONDS_BETWEEN_LOOKS)
    assert turn.wait(10)
    leave.set()


def test_a_turn_alone_waits_for_others_and_keeps_them_out():
    people = crowd.Crowd(3)
    alone, leave = threading.Event(), threading.Event()
    other, leave_other = threading.Event(), threading.Event()
    with people.turn():
        inside(people, alone, leave, alone=True)
        assert not alone.wait(0.5)
    assert alone.wait(10)
    inside(people, other, leave_other)
    assert not other.wait(0.5)
    leave.set()
    assert other.wait(10)
    leave_other.set()


@pytest.mark.parametrize(("share", "crowded"), [(0.4, False), (0.8, False), (1.9, True)])
def test_who_had_far_more_of_the_processors_than_another_crowded_it(monkeypatch, share, crowded):
    monkeypatch.setattr(crowd, "_root", lambda turn: 1 if turn is first else 2)
    monkeypatch.setattr(
        crowd,
        "processor_seconds",
        lambda roots: {1: 0.5 * time.monotonic(), 2: share * time.monotonic()},
    )
    people = crowd.Crowd(2)
    with people.turn() as first, people.turn():
        for _ in range(4):
            time.sleep(1.1 * crowd.SECONDS_BETWEEN_LOOKS)
            with people.changed:
                people._look()
    assert first.crowded is crowded


def test_after_a_stop_nobody_is_let_in():
    people = crowd.Crowd(1)
    turn, leave = threading.Event(), threading.Event()
    with people.turn():
        waits = inside(people, turn, leave)
        people.stop()
        waits.join(10)
    assert not turn.is_set() and leave.is_set()


def test_the_processor_time_of_children_is_their_parents():
    busy = (
        "import os, time\nif os.fork(): os.wait()\nelse:\n    while time.process_time() < 0.4: pass"
    )
    with subprocess.Popen(
        [sys.executable, "-c", busy + "\ninput()"], stdin=subprocess.PIPE
    ) as child:
        end = time.monotonic() + 30
        while crowd.processor_seconds({child.pid})[child.pid] < 0.3 and time.monotonic() < end:
            time.sleep(0.05)
        assert crowd.processor_seconds({child.pid})[child.pid] >= 0.3
        child.communicate(b"\n")


@pytest.mark.parametrize("crowded", [True, False], ids=["by the pile", "by other programs"])
def test_a_limit_that_was_met_under_pressure_is_tried_again(monkeypatch, crowded):
    tries = []
    real = pile._run

    def run(read_, settings, alone=False):
        tries.append(alone)
        found, level, _ = real(read_, settings, alone)
        found.graded.pressed = len(tries) == 1
        return found, level, crowded

    monkeypatch.setattr(pile, "_run", run)
    record = pile.grade_bytes(data(exercise()), "a.ipynb", Settings(seed=3, limits=LIMITS))
    assert (tries, record.points) == ([False, crowded], 10)

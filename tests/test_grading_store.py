"""Results are kept as they come: nothing is run twice without need, and nothing is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from hostile.answers import RIGHT, WRONG
from hostile.grading import kept, lay
from hostile.notebooks import but, exercise, write
from hostile.ordinary import Kind, pile

import posenc
from posenc.grading import learners
from posenc.grading import pile as piles
from posenc.grading.pile import Pile, Settings
from posenc.grading.record import Record
from posenc.grading.store import NAME, Key, Store, StoreError, open_for, place, state_folder
from posenc.grading.warm import Limits
from posenc.judging.judge import Verdict

OPEN = [
    Kind("ada", exercise()),
    Kind("bob", exercise(but(a=WRONG["6.1"]["single-i"]))),
    Kind("eve", exercise({})),
]


class Here:
    """An executor that runs at once, and counts."""

    def __init__(self):
        self.runs = []

    def submit(self, function, *args):
        from concurrent.futures import Future

        self.runs.append(args[1])
        future = Future()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.fixture
def judged(monkeypatch):
    """A stand-in for running notebooks: 'passed' with as many points as the file has bytes, modulo 11."""
    state = {"points": 0}

    def record(data, name, settings, files=None):
        ids = settings.only or ("6.1", "6.2")
        verdicts = tuple(Verdict(id, "passed", state["points"], 2, "value", "") for id in ids)
        return Record(
            "graded",
            lesson=6,
            points=len(ids) * state["points"],
            out_of=2 * len(ids),
            challenges=verdicts,
        )

    monkeypatch.setattr(piles, "grade_bytes", record)
    return state


def run(folder, store, **how):
    executor = Here()
    results = Pile(Settings(seed=1), store, folder).run(learners.find([folder]), executor, **how)
    return results, executor.runs


def test_an_unchanged_notebook_is_not_run_again_and_a_changed_one_is(tmp_path, judged):
    lay(tmp_path, OPEN)
    store = Store(tmp_path / "s.sqlite")
    assert len(run(tmp_path, store)[1]) == 3
    results, runs = run(tmp_path, store)
    assert runs == [] and all(result.kept for result in results)
    write(tmp_path / "bob" / "handed in.ipynb", exercise())
    results, runs = run(tmp_path, store)
    assert len(runs) == 1 and [r.kept for r in results] == [True, False, True]


def test_fresh_runs_everything_again(tmp_path, judged):
    lay(tmp_path, OPEN)
    store = Store(tmp_path / "s.sqlite")
    run(tmp_path, store)
    assert len(run(tmp_path, store, again=lambda record: True)[1]) == 3


def test_another_seed_or_version_is_another_result(tmp_path):
    store = Store(tmp_path / "s.sqlite")
    store.put(Key("a", "c", "1.0.0", 1), whole_record(points=1), "j")
    assert store.get(Key("a", "c", "1.0.0", 1))["points"] == 1
    assert store.get(Key("a", "c", "1.0.0", 2)) is None
    assert store.get(Key("a", "c", "1.0.1", 1)) is None
    assert store.get(Key("a", "d", "1.0.0", 1)) is None


def whole_record(**changed):
    """A record as it is kept, with some fields changed."""
    verdict = Verdict("6.1", "passed", 2, 2, "value", "")
    record = Record("graded", lesson=6, points=2, out_of=2, challenges=(verdict,))
    return {**record.to_plain(), **changed}


def planted(folder, points=10):
    """A store as a learner would make it, for the stub that they hand in: all points."""
    path = write(folder / "ps6.ipynb", exercise({}))
    mine = Store(folder / NAME)
    mine.about("seed", "77")
    content = piles.notebook.fingerprint(path.read_bytes())
    ids = {c.id: c.points for c in piles.lessons.challenges(6)}
    verdicts = [Verdict(id, "passed", n, n, "value", "").to_dict() for id, n in ids.items()]
    whole = whole_record(points=points, out_of=10, challenges=verdicts)
    mine.put(Key("ps6.ipynb", content, posenc.__version__, 77), whole, piles.judge_mark())
    mine.close()
    return path


@pytest.mark.parametrize("named", ["folder", "file"])
def test_a_store_that_lies_among_submissions_is_said_and_not_believed(tmp_path, named):
    path = planted(tmp_path)
    said = []
    opened = open_for(tmp_path if named == "folder" else path, None, said.append)
    assert opened.path is not None and tmp_path not in opened.path.parents
    results = run(tmp_path, opened)[0]
    assert [r.record.points for r in results] == [0] and opened.seed(None) != 77
    assert "is not used" in said[0] and f"--store {tmp_path / NAME}" in said[0]


def test_a_store_of_version_1_0_0_is_read_and_resumed_where_it_is_named(tmp_path):
    planted(tmp_path)
    opened = open_for(tmp_path, tmp_path / NAME, lambda text: None)
    assert opened.seed(None) == 77
    graded = Pile(Settings(seed=77), opened).run(learners.find([tmp_path]), Here())
    assert [(r.kept, r.record.points) for r in graded] == [(True, 10)]


@pytest.mark.parametrize("what", ["link to a store", "link to nothing", "folder", "pipe"])
def test_what_is_no_ordinary_file_is_no_store_and_is_not_followed(tmp_path, what):
    path, other = tmp_path / "s.sqlite", tmp_path / "other.sqlite"
    if what == "link to a store":
        Store(other).close()
    if what.startswith("link"):
        path.symlink_to(other)
    elif what == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    before = other.read_bytes() if other.exists() else None
    with pytest.raises(StoreError, match="cannot be kept"):
        Store(path)
    assert (other.read_bytes() if other.exists() else None) == before


def test_each_pile_has_a_store_of_its_own_in_the_users_folder(tmp_path):
    one, other = tmp_path / "a" / "class", tmp_path / "b" / "class"
    for folder in (one, other):
        folder.mkdir(parents=True)
    assert place(one) != place(other) and place(one).parent == state_folder()
    assert place(one / ".." / "class") == place(one)
    (tmp_path / "way").symlink_to(one)
    assert place(tmp_path / "way") == place(one)


DAMAGED = {
    "no JSON": "points",
    "a list": "[1]",
    "a number": "3",
    "nested": "[" * 100_000,
    "a status that is not known": json.dumps(whole_record(status="excellent")),
    "points as text": json.dumps(whole_record(points="=1+1")),
    "no points": json.dumps(whole_record(points=None)),
    "a challenge that is not known": json.dumps(
        whole_record(challenges=[Verdict("6.99", "passed", 2, 2, "value", "").to_dict()])
    ),
    "a verdict that is a text": json.dumps(whole_record(challenges=["passed"])),
    "a lesson that is not there": json.dumps(whole_record(lesson=99)),
    "notes that are numbers": json.dumps(whole_record(notes=[1, 2])),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_kept_record_that_is_damaged_is_made_anew(tmp_path, judged, name):
    lay(tmp_path, OPEN[:1])
    store = Store(tmp_path / "s.sqlite")
    run(tmp_path, store)
    store.connection.execute("UPDATE results SET record = ?", (DAMAGED[name],))
    results, runs = run(tmp_path, store)
    assert len(runs) == 1 and not results[0].kept and store.damaged > 0
    assert results[0].record.points == 0


@pytest.mark.parametrize("seed", ["x", "-1", "1.5", "", "9" * 30, "٣"])
def test_a_kept_seed_that_is_no_number_is_said(tmp_path, seed):
    store = Store(tmp_path / "s.sqlite")
    store.connection.execute("INSERT INTO about VALUES ('seed', ?)", (seed,))
    with pytest.raises(StoreError, match="seed"):
        store.seed(None)


def test_other_limits_are_another_result():
    assert Settings().asked == ""
    assert Settings(lesson=6).asked == "lesson 6"
    assert Settings(limits=Limits(seconds=120.0)).asked == "seconds 120.0"


def test_a_pile_keeps_the_seed_that_it_began_with(tmp_path):
    first = Store(tmp_path / "s.sqlite").seed(None)
    assert Store(tmp_path / "s.sqlite").seed(None) == first
    assert Store(tmp_path / "s.sqlite").seed(5) == 5


def test_a_mended_judge_keeps_the_old_mark_beside_the_new(tmp_path, judged, monkeypatch):
    lay(tmp_path, OPEN[:1])
    store = Store(tmp_path / "s.sqlite")
    run(tmp_path, store)
    monkeypatch.setattr(piles, "judge_mark", lambda: "mended")
    judged["points"] = 2
    results, runs = run(tmp_path, store, again=lambda record: True, only=("6.2",))
    assert len(runs) == 1
    marks = {v.challenge: v.points for v in results[0].record.challenges}
    assert marks == {"6.1": 0, "6.2": 2} and results[0].record.points == 2
    key = Pile(Settings(seed=1), store, tmp_path).key(results[0].submission, results[0].content)
    old = [(m["challenge"], m["points"]) for m in store.old_marks(key.file, key.content)]
    assert ("6.2", 0) in old


def test_a_worker_that_fails_is_tried_again_and_then_said(tmp_path, monkeypatch):
    lay(tmp_path, OPEN[:1])
    tries = []

    def breaks(data, name, settings, files=None):
        tries.append(name)
        raise OSError("no more processes")

    monkeypatch.setattr(piles, "grade_bytes", breaks)
    store = Store(tmp_path / "s.sqlite")
    results, _ = run(tmp_path, store)
    assert len(tries) == piles.MOST_TRIES
    assert (
        results[0].record.status == "not graded" and "no more processes" in results[0].record.reason
    )
    assert results[0].record.points is None
    assert (
        store.get(
            Pile(Settings(seed=1), store, tmp_path).key(results[0].submission, results[0].content)
        )
        is None
    )


@pytest.mark.parametrize(
    "content",
    [
        b"this is no database, and it is long enough to be looked at",
        b"SQLite format 3\x00" + b"\xff" * 5000,
    ],
)
def test_a_damaged_store_is_said_and_left_alone(tmp_path, content):
    path = tmp_path / "s.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="--store"):
        Store(path)
    assert path.read_bytes() == content


def test_a_store_of_another_form_is_said(tmp_path):
    Store(tmp_path / "s.sqlite").close()
    with sqlite3.connect(tmp_path / "s.sqlite") as connection:
        connection.execute("UPDATE about SET value = '99' WHERE name = 'form'")
    with pytest.raises(StoreError, match="another version"):
        Store(tmp_path / "s.sqlite")


def test_names_with_half_characters_can_be_kept(tmp_path, judged):
    try:
        write(tmp_path / os.fsdecode(b"bj\xf6rn") / "ps.ipynb", exercise())
    except OSError:
        pytest.skip("this file system takes no such names")
    results, _ = run(tmp_path, Store(tmp_path / "s.sqlite"))
    assert results[0].record.points == 0
    json.dumps(results[0].submission.shown).encode("utf-8")


# ------------------------------------------------------------------ whole runs, as a user starts them


def command(folder, *more):
    return [
        sys.executable,
        "-m",
        "posenc",
        "grade",
        str(folder),
        "--seed",
        "5",
        "--json",
        str(folder / "out.json"),
        *more,
    ]


def outcome(folder):
    """What a run wrote, without what differs from run to run."""
    document = json.loads((folder / "out.json").read_text("utf-8"))
    return [
        {k: v for k, v in s.items() if k not in ("seconds", "graded_at", "judge")}
        for s in document["submissions"]
    ]


def differences(one, other):
    first, second = outcome(one), outcome(other)
    if len(first) != len(second):
        return [f"{len(first)} and {len(second)} results"]
    return [(a["file"], k, a[k], b[k]) for a, b in zip(first, second) for k in a if a[k] != b[k]]


def class_of(folder, count):
    answers = [RIGHT, {}, *(but(b=source) for source in WRONG["6.2"].values())]
    for number in range(count):
        write(
            folder / f"learner {number:02d}" / "ps6.ipynb",
            exercise(answers[number % len(answers)], first=[f"# {number}"]),
        )


@pytest.mark.slow
def test_twenty_kills_at_random_moments_lose_nothing(tmp_path):
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    for folder in (calm, rough):
        class_of(folder, 100)
    subprocess.run(command(calm), check=True, capture_output=True, timeout=300)
    chance = random.Random(11)
    for _ in range(20):
        running = subprocess.Popen(
            command(rough), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wanted = kept(rough) + chance.randint(0, 2)
        while kept(rough) < wanted and running.poll() is None:
            time.sleep(0.02)
        time.sleep(chance.uniform(0, 0.1))
        assert running.poll() is None, "the run was over before it could be killed"
        running.send_signal(signal.SIGKILL)
        running.wait()
    assert 0 < kept(rough) < 100
    subprocess.run(command(rough), check=True, capture_output=True, timeout=300)
    assert differences(rough, calm) == []
    assert sqlite3.connect(rough / "posenc-grades.sqlite").execute(
        "PRAGMA integrity_check"
    ).fetchone() == ("ok",)
    time.sleep(1.0)
    assert leftovers() == []


@pytest.mark.slow
def test_two_runs_on_one_store_do_not_disturb_each_other(tmp_path):
    calm, shared = tmp_path / "calm", tmp_path / "shared"
    for folder in (calm, shared):
        class_of(folder, 24)
    subprocess.run(command(calm), check=True, capture_output=True, timeout=300)
    both = [
        subprocess.Popen(command(shared), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    for running in both:
        _, said = running.communicate(timeout=300)
        assert running.returncode == 0, said
    assert differences(shared, calm) == []


def leftovers():
    """Processes that run learners' code and have lost their grader."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{name}/cmdline", "rb").read()
            parent = open(f"/proc/{name}/stat").read().rsplit(")", 1)[1].split()[1]
        except OSError:
            continue
        if b"posenc.grading.inside.serve" in words and parent == "1":
            found.append(int(name))
    return found


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no interrupt to one process")
def test_interrupting_a_run_keeps_what_was_graded_and_says_so(tmp_path):
    lay(tmp_path, [k for k in pile() if k.name.startswith("mistaken")][:12])
    running = subprocess.Popen(
        command(tmp_path, "--jobs", "1"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 60
    while time.monotonic() < end:
        time.sleep(0.05)
        if kept(tmp_path) >= 2:
            break
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Interrupted. What was graded is kept" in said
    assert 2 <= len(outcome(tmp_path)) < 12

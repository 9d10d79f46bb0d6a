"""The page about a class: its numbers are true, it loads nothing, and it gives nobody away."""

from __future__ import annotations

import functools
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from class_of_sixty import lay, learners
from hostile.answers import RIGHT, WRONG
from hostile.notebooks import but, data, exercise, write

from posenc import lessons
from posenc.authoring import sources
from posenc.grading import pile as piles
from posenc.grading import store as stores
from posenc.grading.record import UNREADABLE, Record
from posenc.grading.store import Store
from posenc.judging import judge
from posenc.reports import findings, page, reading, watch
from posenc.reports import report_command as reporting
from posenc.reports.documents import Document, Row, Run

ROOT = Path(__file__).resolve().parent.parent
CLASS = learners()
IDS = list(RIGHT)
LOADING = ("src", "srcset", "href", "data", "action", "poster", "background", "ping")


class Outline(HTMLParser):
    """What a test looks at: headings, links, texts, tables."""

    def __init__(self, text):
        super().__init__()
        self.headings, self.loads, self.tags, self.words = [], [], [], []
        self.rows, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.loads += [v for k, v in attributes if k in LOADING]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append([int(tag[1]), ""])
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, text):
        if "style" in self.open or "script" in self.open:
            return
        self.words.append(text)
        if self.headings and self.open and re.fullmatch("h[1-6]", self.open[-1]):
            self.headings[-1][1] += text
        if self.rows and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1] += text

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def row(self, first):
        return next(row for row in self.rows if row and row[0] == first)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The class of sixty, graded: the folder, and the results file."""
    folder = tmp_path_factory.mktemp("class") / "handed in"
    lay(folder)
    target = folder.parent / "results.json"
    run(["grade", folder, "--seed", "6", "--json", target, "--jobs", "2"])
    return folder, target


@pytest.fixture(scope="module")
def document(graded):
    return reading.read(graded[1], print)


@pytest.fixture(scope="module")
def found(document):
    return findings.findings(document, findings.Headings(ROOT))


@pytest.fixture(scope="module")
def html(found):
    return page.page(found)


@pytest.fixture(scope="module")
def anonymous(graded, tmp_path_factory):
    """The page for the projector, as the command makes it."""
    target = tmp_path_factory.mktemp("wall") / "page.html"
    run(["report", graded[1], "--anonymous", "--output", target])
    return target.read_text(encoding="utf-8")


def run(words, code=0, **how):
    command = [sys.executable, "-m", "posenc", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **how)
    assert done.returncode == code, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout + done.stderr


def counts(place):
    """Outcomes of a challenge, as the class was made."""
    made = [work.outcomes[place] for work in CLASS.values() if work.outcomes]
    return {outcome: made.count(outcome) for outcome in set(made)}


# ------------------------------------------------------------------ numbers


def test_outcomes_are_those_of_the_class_as_it_was_made(found):
    (lesson,) = found.lessons
    assert (found.notebooks, found.counted) == (60, 60)
    assert len(lesson.learners) == 60 and len(lesson.graded) == 58
    for place, task in enumerate(lesson.tasks):
        assert {o: task.count(o) for o in task.outcomes} == counts(place)
        assert task.graded == 58


def test_each_number_stands_in_a_table(html, found):
    outline = Outline(html)
    head = next(row for row in outline.rows if row[0] == "Challenge")
    for place, task in enumerate(found.lessons[0].tasks):
        row = outline.row(f"{task.id} {task.title}")
        shown = {name.split(" ", 1)[1]: cell for name, cell in zip(head[1:], row[1:], strict=True)}
        for outcome, count in counts(place).items():
            assert shown[outcome] == f"{count} ({round(100 * count / 58)} %)"


def test_charts_say_in_words_what_they_show(html, found):
    labels = [a["aria-label"] for tag, a in Outline(html).tags if a.get("role") == "img"]
    for task, label in zip(found.lessons[0].tasks, labels, strict=True):
        for outcome in task.outcomes:
            assert f"{task.count(outcome)} {outcome}" in label


def test_mistakes_are_counted_and_the_most_shared_comes_first(found):
    made = {}
    for name, work in CLASS.items():
        for id, mistake in work.mistakes:
            made.setdefault((id, mistake), set()).add(name)
    mistakes = found.lessons[0].mistakes
    told = {(c, m.id): {each.name for each in m.learners} for m in mistakes for c in m.challenges}
    assert told == made
    sizes = [len(m.learners) for m in mistakes]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == 9


def test_a_shared_mistake_has_its_sentence_its_thought_and_a_section(html, found):
    text = Outline(html).text
    for mistake in found.lessons[0].mistakes:
        assert mistake.looks_like.replace("`", "") in text.replace("`", "")
        declared = next(
            m for m in lessons.challenge(mistake.challenges[0]).misconceptions if m.id == mistake.id
        )
        assert (mistake.looks_like, mistake.think) == (declared.looks_like, declared.think)
        assert re.fullmatch("Lesson 6, “.+”", mistake.section)


def test_one_mistake_of_the_same_people_is_one_card(found, html):
    mistakes = found.lessons[0].mistakes
    (doubled,) = [m for m in mistakes if m.id == "doubled-exponent"]
    assert doubled.challenges == ("6.1", "6.2") and len(doubled.learners) == 4
    assert "4 of 58 learners, in 6.1 The speeds and 6.2 The table" in Outline(html).text
    # Two mistakes of the same people stay two.
    both = [m for m in mistakes if m.id in ("concatenated", "in-place") and len(m.learners) == 3]
    assert len(both) == 2


def test_everybody_stands_once_where_they_stop(found):
    (lesson,) = found.lessons
    expected = {id: set() for id in IDS}
    for name, work in CLASS.items():
        if work.outcomes and set(work.outcomes) != {"passed"}:
            stop = next(id for id, o in zip(IDS, work.outcomes, strict=True) if o != "passed")
            expected[stop].add(name)
    assert {task.id: {each.name for each in task.stuck} for task in lesson.tasks} == expected
    everyone = [each for task in lesson.tasks for each in task.stuck] + list(lesson.through)
    assert len(everyone) == 58


def test_a_word_is_needed_by_those_who_are_lost_and_by_nobody_else(found):
    needed = {word.learner.name: word for word in found.lessons[0].words}
    for name, work in CLASS.items():
        outcomes = work.outcomes or ()
        points = sum(p for p, o in zip((2, 3, 2, 3), outcomes, strict=False) if o == "passed")
        lost = points <= 10 / 3 or {"crashed", "timed out"} & set(outcomes)
        assert (name in needed) == bool(lost), (name, outcomes)
    ranks = [word.rank for word in found.lessons[0].words]
    assert ranks == sorted(ranks) and set(ranks) == {0, 1, 2, 3}
    timed_out = next(n for n, w in CLASS.items() if w.outcomes and "timed out" in w.outcomes)
    assert "6.1 timed out" in needed[timed_out].why
    for (
        word
    ) in needed.values():  # an open exercise and a notebook without its functions are two things
        outcomes = {mark.outcome for mark in word.learner.marks}
        assert (word.why == "Nothing was attempted.") == (outcomes == {judge.NOT_ATTEMPTED})
        assert ("No function" in word.why) == (outcomes == {judge.NOT_FOUND})
    assert len({word.why for word in needed.values() if word.rank == 1}) == 2


def test_what_to_say_first_names_the_challenge_that_holds_up_the_room(html):
    text = Outline(html).text
    assert "6.2 The table holds up the most: 18 learners of 58 stop there." in text
    assert "9 share one mistake in 6.2" in text


# ------------------------------------------------------------------ sections to show


def declared_sections():
    for each in lessons.LESSONS:
        for challenge in lessons.challenges(each.number):
            yield each, challenge.id, challenge.section
            for mistake in challenge.misconceptions:
                yield each, f"{challenge.id} {mistake.id}", mistake.section


def test_every_section_to_show_is_one_of_the_lesson():
    known = {}
    for each, where, slug in declared_sections():
        path = ROOT / "solutions" / f"{each.stem}.py"
        if " " not in where:
            assert slug, f"{where}: a challenge names the section that teaches it"
        if slug:
            slugs = known.setdefault(each.stem, {s.slug for s in sources.sections(path)})
            assert slug in slugs, f"{where}: {each.stem} has no section {slug}"


def test_a_challenge_of_lesson_6_shows_the_section_that_teaches_it():
    headings = findings.Headings(ROOT)
    assert findings.section_of("6.3", "along-batch", headings) == (
        f"Lesson 6, “{headings.find(6, 'batch')}”"
    )


def test_without_notebooks_the_challenge_itself_is_named(tmp_path):
    told = findings.section_of("6.2", "", findings.Headings(tmp_path))
    assert told == "Lesson 6, “6.2 · The table”"
    assert findings.section_of("13.9", "", findings.Headings(None)) == "Challenge 13.9"


# ------------------------------------------------------------------ the page as a file


@pytest.mark.parametrize("kind", ["html", "anonymous"])
def test_the_page_loads_nothing(kind, request):
    text = request.getfixturevalue(kind)
    outline = Outline(text)
    assert all(link.startswith("#") for link in outline.loads)
    assert not re.search(r"https?://|url\(|@import|//\w+\.\w+/", text)
    targets = {a.get("id") for _, a in outline.tags}
    assert {link[1:] for link in outline.loads} <= targets
    policy = next(a["content"] for t, a in outline.tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert not any(tag == "script" for tag, _ in outline.tags)


def test_headings_come_in_order(html, anonymous):
    for text in (html, anonymous):
        levels = [level for level, _ in Outline(text).headings]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


def test_names_are_escaped(html):
    outline = Outline(html)
    assert {tag for tag, _ in outline.tags} & {"script", "b", "img"} == set()
    for name in CLASS:
        assert name in outline.text or " ".join(name.split()) in outline.text


def test_a_name_with_signs_that_turn_the_line_is_shown_without_them():
    made = document_of(learner="evil\u202ename")
    assert "\u202e" not in page.page(findings.findings(made, findings.Headings(None)))


# ------------------------------------------------------------------ anonymous


def test_the_anonymous_page_holds_no_name_file_or_word_of_a_learner(anonymous, document, graded):
    for name in CLASS:
        for form in (name, name.lower(), name.replace(" ", "_")):
            assert form not in anonymous
    for part in {p for n in CLASS for p in re.findall(r"[\w]{4,}", n)} - PLAIN_WORDS:
        assert not re.search(rf"(?<!\w){part}(?!\w)", anonymous), part
    for row in document.rows:
        assert row.file not in anonymous
        for note in row.record.notes:
            assert note not in anonymous
        for verdict in row.record.challenges:
            if not verdict.passed:
                assert verdict.reason not in anonymous
                assert not verdict.failing_call or verdict.failing_call not in anonymous
    assert str(graded[0]) not in anonymous


# Of the long strange name: words that a page about learners holds anyway.
PLAIN_WORDS = {
    "learner",
    "whose",
    "name",
    "long",
    "that",
    "table",
    "could",
    "ever",
    "have",
    "rows",
    "Bold",
    "Quoted",
    "TABLE",
    "Students",
    "DROP",
    "alert",
    "script",
}


def test_the_anonymous_page_has_the_same_numbers(anonymous, html):
    def numbers(text):
        outline = Outline(text)
        return [row for row in outline.rows if re.match(r"6\.\d ", row[0]) and "%" in row[1]]

    assert numbers(anonymous) == numbers(html) != []


def test_the_page_for_the_wall_holds_counts_and_shared_mistakes_only(anonymous, found):
    text = Outline(anonymous).text
    assert "Say:" not in text and "word" not in text.replace("words", "")
    for mistake in found.lessons[0].mistakes:
        assert (mistake.section in text) or mistake.alone
        assert (mistake.looks_like.replace("`", "") in text.replace("`", "")) != mistake.alone


def test_the_two_pages_have_two_names():
    assert reporting.Request(anonymous=True).target != reporting.Request().target


# ------------------------------------------------------------------ where results come from


def test_store_and_folder_give_the_same_page_as_the_results_file(graded, tmp_path):
    folder, target = graded
    store = stores.place(folder)
    pages = []
    for number, given in enumerate((target, store, folder)):
        output = tmp_path / f"{number}.html"
        said = run(["report", given, "--output", output])
        assert str(output) in said
        pages.append(without_dates(output.read_text(encoding="utf-8")))
    assert pages[0] == pages[1] == pages[2]


def without_dates(text):
    text = re.sub(r"Graded [^.]*\.", "", text)
    return text[: text.index('id="about"')]


def test_a_store_leaves_out_notebooks_that_are_gone_and_says_so(tmp_path):
    store = Store(tmp_path / "posenc-grades.sqlite")
    kept = piles.Pile(piles.Settings(seed=1), store, tmp_path)
    write(tmp_path / "ada" / "ps6.ipynb", exercise({}))
    record = Record("graded", lesson=6, points=0, out_of=10).to_plain()
    for name in ("ada", "bob"):
        key = kept.key(a_submission(tmp_path, name), "c")
        store.put(key, record, "j")
    store.close()
    document = reading.from_store(tmp_path / "posenc-grades.sqlite")
    assert [row.learner for row in document.rows] == ["ada"]
    assert "1 of 2 results" in document.messages[-1]


def a_submission(folder, name):
    return reading.learners.Submission(folder / name / "ps6.ipynb", "", name, "folder")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("not json", "no JSON file"),
        ("[]", "posenc-results-2"),
        ('{"schema": "posenc-results-0"}', "posenc-results-1"),
        ('{"schema": "posenc-results-1"}', "damaged"),
        (
            '{"schema": "posenc-results-1", "run": {}, "messages": [], "submissions": [3]}',
            "damaged",
        ),
        ("[" * 100000, "no JSON file"),
    ],
)
def test_what_is_no_results_file_is_said(content, says, tmp_path):
    path = tmp_path / "results.json"
    path.write_text(content)
    said = run(["report", path, "--output", tmp_path / "out.html"], code=2)
    assert says in said and "Traceback" not in said
    assert not (tmp_path / "out.html").exists()


def test_what_cannot_be_understood_is_said(tmp_path):
    (tmp_path / "one.ipynb").write_bytes(data(exercise()))
    (tmp_path / "empty").mkdir()
    for words, says in (
        ([], "name the results"),
        ([tmp_path / "nowhere"], "no file or folder"),
        ([tmp_path / "one.ipynb"], "one notebook"),
        ([tmp_path / "empty"], "no notebook"),
        (["--watch", tmp_path / "nowhere"], "no such folder"),
        ([tmp_path / "one.ipynb", "--watch", tmp_path], "no store"),
        ([tmp_path, "--jobs", "0"], "--jobs"),
    ):
        assert says in run(["report", *words], code=2)
    (tmp_path / "s.sqlite").write_bytes(b"this is no database, and it is long enough to be seen")
    assert "--store" in run(["report", tmp_path / "s.sqlite"], code=1)


RUN = Run("1.0.0", "1.0.0+j", 1, "newest", "auto", "full", "", 1, "", "", True)


def document_of(*rows, **fields):
    verdict = judge.unfinished(lessons.challenge("6.1"), judge.CRASHED, "It crashed.")
    record = Record("graded", lesson=6, points=0, out_of=2, challenges=(verdict,))
    first = Row("x.ipynb", "x", "folder", record)
    return Document(RUN, (replace(first, **fields), *rows))


def test_a_result_of_another_course_version_is_shown_all_the_same():
    (row,) = document_of().rows
    strange = replace(row.record.challenges[0], challenge="6.9", outcome="exploded")
    made = document_of(record=replace(row.record, challenges=(strange,)))
    text = page.page(findings.findings(made, findings.Headings(ROOT)))
    assert "6.9" in text


def test_several_lessons_follow_one_another():
    (row,) = document_of().rows
    other = replace(row, learner="y", record=replace(row.record, lesson=8))
    lost = replace(other, record=Record("unreadable", "cut off"))
    made = document_of(other, lost)
    text = page.page(findings.findings(made, findings.Headings(ROOT)))
    headings = [words for level, words in Outline(text).headings if level == 2]
    begins = [heading.split(",")[0] for heading in headings[:3]]
    assert begins == ["Lesson 6", "Lesson 8", "Files that name no lesson"]
    ids = [a["id"] for _, a in Outline(text).tags if "id" in a]
    assert len(ids) == len(set(ids))


def test_an_empty_class_has_a_page_too():
    for anonymous in (False, True):
        found = findings.findings(Document(RUN, ()), findings.Headings(ROOT))
        assert "No notebook has been graded yet" in page.page(found, anonymous)


# ------------------------------------------------------------------ watching


class Hand:
    """A folder that learners save in, looked at without a clock."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.runs = folder, []
        grade = piles.grade_bytes

        def counted(given, name, *more):
            self.runs.append(name)
            return grade(given, name, *more)

        monkeypatch.setattr(piles, "grade_bytes", counted)

    def look(self, watcher, times=2):
        for _ in range(times):
            watcher.look()
        results = watcher.results()
        return {r.submission.learner: (r.record.status, r.record.points) for r in results}

    def save(self, learner, content):
        path = write(self.folder / learner / "ps6.ipynb", content)
        # Two saves within one tick of the file system's clock must differ for the watcher.
        self.tick = getattr(self, "tick", 10**9) + 10**9
        os.utime(path, ns=(self.tick, self.tick))
        return path


@pytest.fixture
def hand(tmp_path, monkeypatch):
    return Hand(tmp_path, monkeypatch)


@pytest.fixture
def watcher(hand):
    with reading.Grading(hand.folder) as grading, piles.local_executor(1) as executor:
        yield watch.Watcher(grading, executor)


def test_only_changed_notebooks_are_graded_again(hand, watcher):
    hand.save("ada", exercise())
    hand.save("bob", exercise({}))
    assert hand.look(watcher) == {"ada": ("graded", 10), "bob": ("graded", 0)}
    assert len(hand.runs) == 2
    hand.look(watcher, 3)
    assert len(hand.runs) == 2
    hand.save("bob", exercise(but(a=WRONG["6.1"]["single-i"])))
    assert hand.look(watcher)["bob"][1] < 10
    assert len(hand.runs) == 3
    hand.save("bob", exercise(but(a=WRONG["6.1"]["single-i"])))  # saved again, unchanged
    hand.look(watcher)
    assert len(hand.runs) == 3


def test_a_half_written_file_leaves_the_last_result_standing(hand, watcher):
    whole = data(exercise())
    hand.save("ada", whole)
    hand.look(watcher)
    for part in (10, len(whole) // 2, len(whole) - 3):
        hand.save("ada", whole[:part])
        assert hand.look(watcher) == {"ada": ("graded", 10)}
    hand.save("ada", exercise({}))
    assert hand.look(watcher) == {"ada": ("graded", 0)}
    hand.save("ada", b"")
    assert hand.look(watcher) == {"ada": ("graded", 0)}
    assert hand.look(watcher, watch.PATIENCE)["ada"][0] == "unreadable", "it stays damaged"


def test_a_file_that_changes_at_each_look_waits_until_it_rests(hand, watcher):
    for length in range(3):
        hand.save("ada", exercise(last=["#" * length]))
        assert hand.look(watcher, 1) == {}
    assert hand.look(watcher, 1) == {"ada": ("graded", 10)}


def test_a_file_cut_off_between_the_look_and_the_reading_does_not_count(hand, watcher, monkeypatch):
    hand.save("ada", exercise())
    hand.look(watcher)
    hand.save("ada", exercise({}))
    cut = Record(UNREADABLE, "the file is damaged or cut off")
    monkeypatch.setattr(piles, "grade_bytes", lambda *given: cut)
    assert hand.look(watcher) == {"ada": ("graded", 10)}


def test_who_leaves_is_gone_and_a_folder_that_is_gone_for_a_moment_is_waited_for(hand, watcher):
    path = hand.save("ada", exercise())
    hand.save("bob", exercise())
    hand.look(watcher)
    path.unlink()
    assert set(hand.look(watcher)) == {"bob"}
    away = hand.folder.with_name("away")
    hand.folder.rename(away)
    assert hand.look(watcher) == {}
    away.rename(hand.folder)
    assert set(hand.look(watcher)) == {"bob"}


def test_the_live_page_has_one_script_and_says_which_in_its_policy(found):
    text = page.page(found, live=True)
    assert text.count("<script>") == 1 and "location.reload" in text
    assert "script-src 'sha256-" in text


@functools.cache
def patience():
    return 60 if not os.environ.get("CI") else 120


def wait_for(test, what):
    end = time.monotonic() + patience()
    while time.monotonic() < end:
        if test():
            return
        time.sleep(0.1)
    pytest.fail(f"waited in vain for {what}")


@pytest.mark.parametrize("given_a_store", [False, True])
def test_watching_from_the_first_save_to_ctrl_c(tmp_path, given_a_store):
    folder, output, store = tmp_path / "class", tmp_path / "page.html", tmp_path / "kept.sqlite"
    folder.mkdir()
    words = ["report", *([store] if given_a_store else []), "--watch", folder, "--output", output]
    running = subprocess.Popen(
        [sys.executable, "-m", "posenc", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(output.exists, "a page of an empty class")
        write(folder / "ada" / "ps6.ipynb", exercise({}))
        wait_for(lambda: "0 of 10" in output.read_text(encoding="utf-8"), "the first save")
        (folder / "ada" / "ps6.ipynb").write_bytes(data(exercise())[:500])
        time.sleep(1.5)
        assert "0 of 10" in output.read_text(encoding="utf-8")
        write(folder / "ada" / "ps6.ipynb", exercise())
        wait_for(lambda: "10 of 10" in output.read_text(encoding="utf-8"), "the second save")
        running.send_signal(signal.SIGINT)
        said, complaint = running.communicate(timeout=30)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 0 and "Traceback" not in complaint
    assert said.rstrip().endswith(f"Stopped. {output} stays as it is.")
    assert store.exists() == given_a_store
    assert stores.place(folder).exists() != given_a_store

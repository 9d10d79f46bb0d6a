"""The page about a class: one HTML file that loads nothing, reads in print, and escapes every name.

Each chart has its numbers in a table or beside it, and no colour stands without a sign or a
pattern. The anonymous page holds nothing that a learner wrote: no name, file, remark or error.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from html import escape

from posenc.grading.pile import GRADED
from posenc.judging import judge
from posenc.reports.findings import Class, Learner, Lesson, Mistake, Task

# In the order of the bars: outcome -> its sign and the style of its segment.
OUTCOMES = {
    judge.PASSED: ("✓", "passed"),
    judge.FAILED: ("✗", "failed"),
    judge.CRASHED: ("!", "broke"),
    judge.TIMED_OUT: ("∞", "broke"),
    judge.OUT_OF_MEMORY: ("▲", "broke"),
    judge.REFUSED: ("⊘", "broke"),
    judge.NOT_FOUND: ("?", "absent"),
    judge.NOT_ATTEMPTED: ("–", "open"),
}
ALWAYS_SHOWN = (judge.PASSED, judge.FAILED, judge.NOT_ATTEMPTED, judge.CRASHED)
MOST_NAMES = 24
MOST_REASONS = 6
SECONDS_BETWEEN_RELOADS = 10
STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --ink: #1b1b1b; --soft: #565656; --line: #8a8a8a;
  --card: #f3f3f3; --pass: #009e73; --fail: #d55e00; --fail2: #8f3f00; --broke: #cc79a7;
  --broke2: #7d3a5f; --absent: #e69f00; --absent2: #8a5f00; --open2: #b5b5b5; --bar: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --page: #16181b; --ink: #ececec; --soft: #b9b9b9;
  --line: #7d7d7d; --card: #23262a; --open2: #5a5a5a; --bar: #56b4e9; } }
* { box-sizing: border-box; }
body { font: 1rem/1.5 system-ui, "DejaVu Sans", sans-serif; color: var(--ink);
  background: var(--page); max-width: 68rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
body.projector { font-size: 1.2rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 1rem 0 0.25rem; }
h2 { font-size: 1.4rem; margin: 2.5rem 0 0.5rem; border-bottom: 2px solid var(--line); }
h3 { font-size: 1.15rem; margin: 2rem 0 0.5rem; } h4 { font-size: 1rem; margin: 1.5rem 0 0.25rem; }
p { margin: 0.4rem 0; max-width: 50rem; } .soft, small { color: var(--soft); }
a { color: inherit; } code { font-size: 0.9em; overflow-wrap: anywhere; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0; list-style: none; }
.numbers { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1rem 0; padding: 0; }
.numbers div { background: var(--card); border: 1px solid var(--line); border-radius: 0.4rem;
  padding: 0.4rem 0.9rem; min-width: 8rem; }
.numbers dt { color: var(--soft); font-size: 0.9em; } .numbers dd { margin: 0; font-size: 1.5em; }
.first li { margin: 0.5rem 0; max-width: 50rem; }
.scroll { overflow-x: auto; margin: 0.75rem 0; }
.scroll:focus-visible, a:focus-visible, button:focus-visible { outline: 3px solid var(--bar); }
table { border-collapse: collapse; min-width: 60%; }
caption { text-align: left; color: var(--soft); padding: 0.2rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: 0.3rem 0.7rem 0.3rem 0; text-align: left;
  vertical-align: top; overflow-wrap: break-word; }
td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
tbody th { font-weight: 600; min-width: 8rem; max-width: 22rem; overflow-wrap: anywhere; }
td > p:first-child { margin-top: 0; }
td.text { min-width: 14rem; overflow-wrap: anywhere; }
.chart { margin: 1rem 0; } .row { margin: 0.5rem 0; break-inside: avoid; }
.row p { margin: 0; }
.bar { display: flex; height: 2rem; border: 1px solid var(--line); border-radius: 0.25rem;
  overflow: hidden; max-width: 60rem; }
.bar.thin { height: 0.8rem; background: none; max-width: 30rem; }
td .bar.thin { width: 8rem; }
.segment { display: flex; align-items: center; justify-content: center; min-width: 0.5rem;
  overflow: hidden; border-right: 1px solid var(--page); }
.segment:last-child { border-right: 0; }
.segment span, .key span { background: var(--page); color: var(--ink); border-radius: 0.2rem;
  padding: 0 0.35rem; font-size: 0.85rem; line-height: 1.4; white-space: nowrap; }
.passed { background: var(--pass); }
.failed { background: repeating-linear-gradient(45deg, var(--fail) 0 7px, var(--fail2) 7px 10px); }
.broke { background: repeating-linear-gradient(0deg, var(--broke2) 0 2px, transparent 2px 7px),
  repeating-linear-gradient(90deg, var(--broke2) 0 2px, var(--broke) 2px 7px); }
.absent { background: radial-gradient(var(--absent2) 30%, var(--absent) 32%) 0 0 / 8px 8px; }
.open { background: repeating-linear-gradient(135deg, transparent 0 9px, var(--open2) 9px 11px); }
.full { background: var(--bar); }
.legend { display: flex; flex-wrap: wrap; gap: 0.4rem 1.2rem; list-style: none; padding: 0; }
.key { display: inline-flex; align-items: center; justify-content: center; width: 2.4rem;
  height: 1.5rem; border: 1px solid var(--line); border-radius: 0.2rem; margin-right: 0.4rem;
  vertical-align: middle; }
.mistakes { padding: 0; list-style: none; display: grid; gap: 0.9rem;
  grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); }
.mistakes > li { background: var(--card);
  border: 1px solid var(--line); border-left: 0.4rem solid var(--bar); border-radius: 0.3rem;
  padding: 0.2rem 1rem 0.7rem; break-inside: avoid; }
.mistakes h3, .mistakes h4 { margin: 0.6rem 0 0.3rem; }
.mark { white-space: nowrap; } .sr { position: absolute; width: 1px; height: 1px; margin: -1px;
  overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
button { font: inherit; padding: 0.2rem 0.9rem; }
@media print { :root { --page: #fff; --ink: #000; --soft: #333; --card: #fff; --bar: #0072b2;
  --open2: #b5b5b5; color-scheme: light; } body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .live { display: none; } tr { break-inside: avoid; } h2, h3, h4 { break-after: avoid; }
  .scroll { overflow: visible; }
  .bar, .key, .segment { -webkit-print-color-adjust: exact; print-color-adjust: exact; } }
"""
# Reloads, but not under the hands of someone who reads: not while text is marked or a part is used.
RELOAD = """
const button = document.getElementById("hold");
let held = false;
try { held = sessionStorage.getItem("held") === "yes"; } catch (error) { held = false; }
function show() {
  button.setAttribute("aria-pressed", held);
  document.getElementById("state").textContent = held ? "Held." : "Renews itself every %d seconds.";
}
button.addEventListener("click", () => {
  held = !held;
  try { sessionStorage.setItem("held", held ? "yes" : "no"); } catch (error) { /* as it is */ }
  show();
});
show();
setInterval(() => {
  const used = ![document.body, button, null].includes(document.activeElement);
  if (!held && !used && getSelection().isCollapsed) location.reload();
}, %d);
""" % (SECONDS_BETWEEN_RELOADS, 1000 * SECONDS_BETWEEN_RELOADS)


def page(found: Class, anonymous: bool = False, live: bool = False) -> str:
    """The page. anonymous: without what a learner wrote. live: it reloads itself."""
    title = _title(found)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">{escape(_when(found))}</p>',
        _live() if live else "",
    ]
    single = len(found.lessons) == 1
    if not found.lessons:
        parts.append("<p>No notebook has been graded yet.</p>")
    for lesson in found.lessons:
        if not single:
            parts.append(f"<h2>{escape(_lesson_name(lesson))}</h2>")
        parts.append(_Lesson(lesson, anonymous, 2 if single else 3).html())
    parts.append(_about(found, anonymous))
    content = "\n".join(part for part in parts if part)
    script = f"<script>{RELOAD}</script>" if live else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(live)}">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body{' class=projector' if anonymous else ''}>\n<main>\n{content}\n</main>\n{script}"
        "</body>\n</html>\n"
    )


def _policy(live: bool) -> str:
    """What the browser may load: nothing, and the one script of a live page."""
    digest = base64.b64encode(hashlib.sha256(RELOAD.encode()).digest()).decode()
    script = f" script-src 'sha256-{digest}';" if live else ""
    return f"default-src 'none'; style-src 'unsafe-inline';{script}"


def _live() -> str:
    return (
        '<p class="live"><button id="hold" type="button" aria-pressed="false">Hold this page'
        "</button> "
        '<span id="state"></span></p>'
    )


def _title(found: Class) -> str:
    if len(found.lessons) == 1 and found.lessons[0].number is not None:
        return f"Class report: {_lesson_name(found.lessons[0])}"
    return "Class report"


def _when(found: Class) -> str:
    moment = str(found.run.get("finished", ""))[:16].replace("T", ", ")
    counted = found.counted
    told = [
        f"{_number(found.notebooks, 'notebook')}, {counted} of them counted"
        if counted != found.notebooks
        else _number(found.notebooks, "notebook")
    ]
    return f"{' '.join(told)}. Graded {moment}." if moment else f"{' '.join(told)}."


def _lesson_name(lesson: Lesson) -> str:
    if lesson.number is None:
        return "Files that name no lesson"
    return f"Lesson {lesson.number}, {lesson.title}" if lesson.title else f"Lesson {lesson.number}"


class _Lesson:
    """The parts of the page about one lesson, with headings from `level` on."""

    def __init__(self, lesson: Lesson, anonymous: bool, level: int) -> None:
        self.lesson, self.anonymous, self.level = lesson, anonymous, level
        self.graded = len(lesson.graded)

    def html(self) -> str:
        """All parts that have something to say."""
        parts = [
            ("", "", self._numbers()),
            ("first", "What to say first", self._first()),
            ("challenges", "Challenges", self._challenges()),
            ("mistakes", "Mistakes that are shared", self._mistakes()),
            ("stuck", "Who is stuck where", self._stuck()),
            ("word", "Who needs a word", self._words()),
            ("everyone", "Everyone", self._everyone()),
        ]
        told = [(id, heading, text) for id, heading, text in parts if text]
        links = "".join(
            f'<li><a href="#{self._id(id)}">{heading}</a></li>' for id, heading, _ in told if id
        )
        number = self.lesson.number
        label = f"Parts of lesson {number}" if number else "Parts of other files"
        nav = f'<nav aria-label="{label}"><ul>{links}</ul></nav>'
        sections = [
            f'<h{self.level} id="{self._id(id)}">{heading}</h{self.level}>\n{text}' if id else text
            for id, heading, text in told
        ]
        return "\n".join([sections[0], nav, *sections[1:]])

    def _id(self, part: str) -> str:
        return f"lesson-{self.lesson.number or 'none'}-{part}"

    def _numbers(self) -> str:
        learners = self.lesson.learners
        points = [each.points for each in self.lesson.graded if each.points is not None]
        out_of = max((each.out_of or 0 for each in self.lesson.graded), default=0)
        rows = [("learners", str(len(learners))), ("graded", str(self.graded))]
        if points:
            rows.append(("median points", f"{_median(points):g} of {out_of}"))
            rows.append(("all passed", _of(len(self.lesson.through), self.graded)))
        rows.append(("need a word", str(len(self.lesson.words))))
        cells = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in rows)
        return f'<dl class="numbers">{cells}</dl>'

    def _first(self) -> str:
        lesson, told = self.lesson, []
        if hardest := lesson.hardest:
            told.append(
                f"<strong>{_task_name(hardest)}</strong> holds up the most: "
                f"{_number(len(hardest.stuck), 'learner')} of {self.graded} "
                f"{'stop' if len(hardest.stuck) != 1 else 'stops'} there. "
                f"Show: {escape(hardest.section)}."
            )
        if lesson.mistakes and len(lesson.mistakes[0].learners) > 1:
            mistake = lesson.mistakes[0]
            told.append(
                f"<strong>{len(mistake.learners)} share one mistake in {escape(mistake.challenge)}"
                f"</strong>: it looks as if {_prose(mistake.looks_like)}. "
                f"Say: <q>{_prose(mistake.think)}</q> Show: {escape(mistake.section)}."
            )
        if lesson.words:
            told.append(
                f"<strong>{_number(len(lesson.words), 'learner')}</strong> "
                f"{'need' if len(lesson.words) != 1 else 'needs'} a word; they are listed below."
            )
        return f'<ol class="first">{"".join(f"<li>{t}</li>" for t in told)}</ol>' if told else ""

    # Challenges

    def _challenges(self) -> str:
        if not self.lesson.tasks:
            return ""
        used = [o for o in OUTCOMES if any(task.count(o) for task in self.lesson.tasks)]
        rows = "".join(self._task_row(task) for task in self.lesson.tasks)
        legend = "".join(
            f'<li><span class="key {OUTCOMES[o][1]}"><span>{OUTCOMES[o][0]}</span></span>{o}</li>'
            for o in used
        )
        unread = len(self.lesson.learners) - self.graded
        note = f" {_number(unread, 'file')} had no readable notebook." if unread else ""
        shown = [o for o in OUTCOMES if o in used or o in ALWAYS_SHOWN]
        return (
            f'<div class="chart">{rows}</div>\n<ul class="legend">{legend}</ul>\n'
            f"<p class=soft>Shares are of the {_number(self.graded, 'notebook')} that "
            f"{'was' if self.graded == 1 else 'were'} graded.{note}</p>\n"
            + _table(
                "What came of each challenge",
                ["Challenge", *(f"{OUTCOMES[o][0]} {o}" for o in shown)],
                [
                    [f"{_task_name(task)}", *(_share(task.count(o), task.graded) for o in shown)]
                    for task in self.lesson.tasks
                ],
                numbers=len(shown),
            )
        )

    def _task_row(self, task: Task) -> str:
        met = [o for o in OUTCOMES if task.count(o)]
        told = ", ".join(f"{task.count(o)} {o}" for o in met)
        segments = "".join(
            f'<div class="segment {OUTCOMES[o][1]}" style="flex: {task.count(o)} 0 0">'
            f"{_label(OUTCOMES[o][0], task.count(o), task.graded)}</div>"
            for o in met
        )
        return (
            f'<div class="row"><p>{_task_name(task)}</p><div class="bar" role="img" '
            f'aria-label="{_task_name(task)}: {told}">{segments}</div></div>'
        )

    # Mistakes

    def _mistakes(self) -> str:
        shared = [m for m in self.lesson.mistakes if len(m.learners) > 1]
        single = [m for m in self.lesson.mistakes if len(m.learners) == 1]
        parts = ["<p>No known mistake was met more than once.</p>"]
        if shared:
            parts = [f'<ol class="mistakes">{"".join(map(self._mistake, shared))}</ol>']
        if single:
            who = [] if self.anonymous else ["Who"]
            rows = [
                [
                    escape(m.challenge),
                    f"As if {_prose(m.looks_like)}.",
                    _prose(m.think),
                    escape(m.section),
                    *(self._name(m.learners[0]) for _ in who),
                ]
                for m in single
            ]
            head = ["Challenge", "Looks", "To think about", "Section to show", *who]
            parts.append(_table("Mistakes that one learner made", head, rows))
        parts.append(self._unexplained())
        return "\n".join(part for part in parts if part) if self.lesson.tasks else ""

    def _mistake(self, mistake: Mistake) -> str:
        count, below = len(mistake.learners), self.level + 1
        return (
            f"<li><h{below}>{_of(count, self.graded)} learners, in {self._task(mistake)}</h{below}>"
            f"{_thin_bar(count, self.graded)}"
            f"<p>It looks as if {_prose(mistake.looks_like)}.</p>"
            f"<p><strong>Say:</strong> <q>{_prose(mistake.think)}</q></p>"
            f"<p><strong>Show:</strong> {escape(mistake.section)}.</p>"
            f"<p class=soft>{self._names(mistake.learners)} "
            f"<code>{escape(mistake.id)}</code></p></li>"
        )

    def _task(self, mistake: Mistake) -> str:
        task = next((task for task in self.lesson.tasks if task.id == mistake.challenge), None)
        return _task_name(task) if task else escape(mistake.challenge)

    def _unexplained(self) -> str:
        rows = []
        for task in self.lesson.tasks:
            groups = sorted(task.unexplained.items(), key=lambda pair: -len(pair[1]))
            if self.anonymous and groups:
                rows.append([_task_name(task), str(sum(len(group) for _, group in groups))])
            elif groups:
                rows += [
                    [_task_name(task), str(len(group)), _prose(reason), self._names(group)]
                    for reason, group in groups[:MOST_REASONS]
                ]
                left = sum(len(group) for _, group in groups[MOST_REASONS:])
                if left:
                    rows.append([_task_name(task), str(left), "other reasons", ""])
        if not rows:
            return ""
        head = ["Challenge", "Learners"] + ([] if self.anonymous else ["What came", "Who"])
        return _table("Failed in a way that no known mistake explains", head, rows)

    # People

    def _stuck(self) -> str:
        if not self.lesson.tasks:
            return ""
        most = max([len(t.stuck) for t in self.lesson.tasks] + [len(self.lesson.through), 1])
        rows = [
            [_task_name(task), self._small_bar(len(task.stuck), most), self._stuck_names(task)]
            for task in self.lesson.tasks
        ]
        through = self._names(self.lesson.through)
        rows.append(["all passed", self._small_bar(len(self.lesson.through), most), through])
        return "<p>Each learner stands at the first challenge that is not passed.</p>" + _table(
            "Where learners stop", ["Challenge", "Learners", "Who"], rows
        )

    def _stuck_names(self, task: Task) -> str:
        """Those who stop here, by what they came to."""
        here = {id(each) for each in task.stuck}
        groups = []
        for outcome in OUTCOMES:
            stopped = [each for each in task.outcomes.get(outcome, ()) if id(each) in here]
            if stopped:
                sign = OUTCOMES[outcome][0]
                groups.append(f"<p>{sign} {outcome}: {self._names(stopped)}</p>")
        return "".join(groups)

    @staticmethod
    def _small_bar(count: int, most: int) -> str:
        return f"{count}{_thin_bar(count, most)}"

    def _words(self) -> str:
        if not self.lesson.words:
            return ""
        head = ["Learner", "Why"] + ([] if self.anonymous else ["What the grader says"])
        rows = [
            [self._name(w.learner), escape(w.why)] + ([] if self.anonymous else [_prose(w.detail)])
            for w in self.lesson.words
        ]
        return _table("Learners to speak to", head, rows)

    def _everyone(self) -> str:
        ids = [task.id for task in self.lesson.tasks]
        rows = []
        for each in self.lesson.learners:
            marks = {mark.challenge: mark.outcome for mark in each.marks}
            cells = [_sign(marks[id]) if id in marks else "" for id in ids]
            read = each.status == GRADED
            told = f"{each.points} of {each.out_of}" if read else escape(each.status)
            late = " <small>(late)</small>" if each.late and not self.anonymous else ""
            rows.append([self._name(each) + late, told, *cells])
        head = ["Learner", "Points", *map(escape, ids)]
        return _table("Each learner's outcomes, with the signs of the legend above", head, rows)

    def _names(self, learners: Sequence[Learner]) -> str:
        shown = ", ".join(self._name(each) for each in learners[:MOST_NAMES])
        more = len(learners) - MOST_NAMES
        return f"{shown} and {more} more" if more > 0 else shown

    @staticmethod
    def _name(learner: Learner) -> str:
        return f"<bdi>{escape(learner.name)}</bdi>"


def _about(found: Class, anonymous: bool) -> str:
    run = found.run
    told = [
        f"Course version {run.get('version', '')}, judge {run.get('judge', '')}, "
        f"seed {run.get('seed', '')}.",
        str(run.get("sentence", "")),
    ]
    if run.get("keep") == "all":
        told.append("Every submission counts, so a learner may stand here more than once.")
    if run.get("complete") is False:
        told.append("The run was interrupted: some notebooks are missing here.")
    if anonymous:
        told.append(
            "Learners stand under codes that stay the same from page to page. "
            "What they wrote is not on this page."
        )
    else:
        told += found.messages
    lines = "".join(f"<p>{escape(line)}</p>" for line in told if line)
    return f'<h2 id="about">About this report</h2>\n{lines}'


def _table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0
) -> str:
    """A table of ready HTML cells; the first column heads its row, the last `numbers` count."""
    first_number = len(head) - numbers
    kinds = ["" if place < first_number else ' class="n"' for place in range(len(head))]
    top = "".join(
        f'<th scope="col"{kind}>{cell}</th>' for cell, kind in zip(head, kinds, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>'
        + "".join(
            f"<td{kind or _text_kind(cell)}>{cell}</td>"
            for cell, kind in zip(row[1:], kinds[1:], strict=True)
        )
        + "</tr>\n"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead>\n"
        f"<tbody>\n{body}</tbody></table></div>"
    )


def _text_kind(cell: str) -> str:
    return ' class="text"' if len(cell) > 40 and "class=" not in cell else ""


def _thin_bar(count: int, whole: int) -> str:
    """A bar beside a number that says the same."""
    return (
        '<div class="bar thin" aria-hidden="true">'
        f'<div class="full" style="flex: {count} 0 0"></div>'
        f'<div style="flex: {whole - count} 0 0"></div></div>'
    )


def _prose(text: str) -> str:
    """A sentence, with what stands in backquotes as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _task_name(task: Task) -> str:
    return escape(f"{task.id} {task.title}".strip())


def _sign(outcome: str) -> str:
    sign = OUTCOMES[outcome][0] if outcome in OUTCOMES else "✗"
    return (
        f'<span class="mark"><span aria-hidden="true">{sign}</span>'
        f'<span class="sr">{escape(outcome)}</span></span>'
    )


def _label(sign: str, count: int, whole: int) -> str:
    """A segment's sign and number, where it is wide enough for them."""
    return f"<span>{sign} {count}</span>" if count >= whole * 0.06 else ""


def _share(count: int, whole: int) -> str:
    return f"{count} <small>({round(100 * count / whole)} %)</small>" if whole else "0"


def _of(count: int, whole: int) -> str:
    return f"{count} of {whole}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _median(values: Sequence[int]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2

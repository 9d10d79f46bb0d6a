"""Every deck, in a real browser without a network: no slide overflows, notes and pictures are there."""

import shutil
from pathlib import Path

import nbformat
import pytest

from posenc import lessons
from posenc.authoring import editions, slides, timetable

ROOT = Path(__file__).resolve().parent.parent.parent
WRITTEN = [int(path.name[:2]) for path in editions.source_paths(ROOT)]
# reveal.js hides the slides that are far from the one shown, alone and in stacks.
MEASURE = """() => [...document.querySelectorAll('.slides section:not(:has(section))')].map(slide => {
  for (const hidden of [slide, slide.parentElement.closest('section')]) if (hidden) hidden.style.display = 'block';
  const seen = [...slide.querySelectorAll('img, pre, table, p, li')].filter(e => !e.closest('aside'));
  const wide = seen.filter(e => e.getBoundingClientRect().right > innerWidth || e.tagName === 'PRE' && e.scrollWidth > e.clientWidth + 1);
  const title = slide.querySelector('h1, h2, h3')?.innerText || '';
  const scrolls = [...slide.querySelectorAll('*')].filter(e => !e.closest('aside') && e.scrollHeight > e.clientHeight && ['auto', 'scroll'].includes(getComputedStyle(e).overflowY));
  return {title, height: slide.scrollHeight, wide: wide.map(e => e.innerText), scrolls: scrolls.map(e => e.className)};
})"""


@pytest.fixture(scope="module")
def decks(tmp_path_factory) -> Path:
    if shutil.which("npm") is None:
        pytest.fail("npm is not installed; .ci/run installs it")
    folder = tmp_path_factory.mktemp("decks")
    for number in WRITTEN:
        slides.make(ROOT, number, folder)
    return folder


@pytest.mark.parametrize("number", WRITTEN)
def test_no_slide_overflows_and_nothing_is_fetched(number, decks, browser):
    page = browser.new_page(viewport={"width": slides.WIDTH, "height": slides.HEIGHT})
    foreign, broken = [], []
    page.on(
        "request", lambda r: None if r.url.startswith(("file:", "data:")) else foreign.append(r.url)
    )
    page.on("requestfailed", lambda r: broken.append(r.url))
    page.on("pageerror", lambda e: broken.append(str(e)))
    page.goto((decks / f"{lessons.lesson(number).stem}.html").as_uri())
    page.wait_for_selector(".reveal.ready")
    page.wait_for_function("() => window.MathJax && MathJax.isReady")
    page.evaluate("() => new Promise(formulas_are_set => MathJax.Hub.Queue(formulas_are_set))")
    found = page.evaluate(MEASURE)
    page.close()
    assert foreign == [] and broken == []
    assert len(found) > 15
    assert [one for one in found if one["wide"] or not 100 < one["height"] <= slides.HEIGHT] == []
    assert all(one["title"] for one in found)
    assert [one for one in found if one["scrolls"]] == []


@pytest.mark.parametrize("number", WRITTEN)
def test_a_deck_holds_sections_notes_pictures_and_one_challenge(number):
    notebook = nbformat.read(ROOT / "solutions" / f"{lessons.lesson(number).stem}.ipynb", 4)
    session = timetable.session(ROOT, number)
    deck = list(slides.slides(notebook, session))
    headings = [slide.heading for slide in deck]
    for part in session.sections:
        opens = deck[headings.index(f"## {part.name}")]
        assert opens.notes[0].startswith(f"**Next, {part.minutes} minutes.**")
    for question in lessons.questions(number):
        asks = next(s for s in deck if any(question.asks in b.cell.source for b in s.blocks))
        assert any(note.startswith(f"**Key of {question.id}**") for note in asks.notes)
        vote, *reasons = deck[deck.index(asks) + 1 :]
        assert vote.heading.endswith(": vote")
        shown = "\n".join(b.cell.source for s in (asks, vote) for b in s.blocks)
        told = "\n".join(b.cell.source for s in reasons for b in s.blocks)
        for option in question.options:
            assert option.reason in told and option.reason not in shown
    wrong = [note for slide in deck for note in slide.notes if "What people get wrong" in note]
    # Those of the sections that are read at home too, and one for the challenge done in the room.
    assert len(wrong) == len(session.sections) + len(session.reading) + 1
    texts = "\n".join(block.cell.source for slide in deck for block in slide.blocks)
    assert session.challenge.name in texts
    assert "BEGIN SOLUTION" not in texts and "check(" not in texts
    outputs = [o for slide in deck for block in slide.blocks for o in block.cell.get("outputs", [])]
    assert sum("image/png" in o.get("data", {}) for o in outputs) >= 2
    assert not any("application/vnd.jupyter.widget-view+json" in o.get("data", {}) for o in outputs)

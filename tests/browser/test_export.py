"""Exported lessons, in Chromium without a network: pictures in place of widgets, nothing that axe
calls serious."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest

from posenc.authoring import editions, export, fetching
from posenc.errors import NotUnderstood

ROOT = Path(__file__).resolve().parents[2]
STEMS = [path.stem for path in editions.source_paths(ROOT)]
AXE = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations.map(found => ({
  rule: found.id, impact: found.impact, nodes: found.nodes.map(node => node.html.slice(0, 200))}))"""
TYPESET = (
    "() => !window.MathJax || window.MathJax.Hub?.queue.running === 0 && !MathJax.Hub.queue.pending"
)
WIDE, NARROW = 1280, 480  # pixels; on the narrow page code and tables have to be scrolled


@pytest.fixture(scope="module")
def axe() -> str:
    """axe-core's source, from npm."""
    if shutil.which("npm") is None:
        pytest.fail("npm is not installed; .ci/run installs it")
    return (fetching.fetched(ROOT, "axe-core@4") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    """A folder with the pages of every lesson, on a path that learners have."""
    folder = tmp_path_factory.mktemp("export") / "Seiten – ü"
    export.export(ROOT, (), folder, tell=lambda line: None)
    return folder


@pytest.fixture
def open_page(browser, pages):
    """open_page(name, width) -> page, with every way to the network cut off."""
    context = browser.new_context(viewport={"width": WIDE, "height": 1000})
    context.route(lambda url: not url.startswith("file:"), lambda route: route.abort())
    troubles: list[str] = []

    def opened(name: str):
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("requestfailed", lambda request: troubles.append(request.url))
        page.goto((pages / name).as_uri())
        page.wait_for_function(TYPESET)
        return page

    yield opened
    context.close()
    assert troubles == []


def findings(page, axe: str) -> list[dict]:
    """What axe finds on the page, by rule."""
    page.evaluate(axe)
    return page.evaluate(AXE)


def serious(found: list[dict]) -> list[dict]:
    """The findings that are serious or critical."""
    return [one for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("stem", STEMS)
def test_a_page_can_be_read_by_everyone_and_without_a_network(stem, open_page, axe, capsys):
    page = open_page(f"{stem}.html")
    notebook = nbformat.read(ROOT / "notebooks" / f"{stem}.ipynb", 4)
    playgrounds = [c.id for c in notebook.cells if c.source.startswith("playground(")]
    assert playgrounds
    for name in playgrounds:
        picture = page.locator(f"[id='cell-id={name}'] img")
        assert picture.count() == 1 and picture.is_visible()
        assert picture.evaluate("image => image.naturalWidth") > 600
        line = picture.get_attribute("alt")
        assert len(line) > 40
        captions = page.locator(f"[id='cell-id={name}'] figcaption")
        # A page has nothing to run: only the line that says what the picture shows is left.
        assert captions.last.inner_text().split() == line.split()
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == 1
    formulas = page.locator("script[type^='math/tex']").count()
    assert page.locator(".MJXc-display, .mjx-chtml").count() >= formulas
    assert page.locator(".MathJax_Error, .mjx-merror").count() == 0
    question = page.locator("details").first
    question.locator("summary").press("Enter")
    assert question.get_by_text("A is ").is_visible()
    wide = findings(page, axe)
    assert serious(wide) == []
    page.set_viewport_size({"width": NARROW, "height": 1000})
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
    narrow = findings(page, axe)
    assert serious(narrow) == []
    lesser = sorted({one["rule"] for one in wide + narrow})
    with capsys.disabled():
        print(f"\n{stem:32} axe: none serious, {len(lesser)} lesser {' '.join(lesser)}")


@pytest.mark.parametrize("name", ["index.html", "symbols.html"])
def test_the_pages_beside_the_lessons_can_be_read_by_everyone(name, open_page, axe):
    page = open_page(name)
    assert serious(findings(page, axe)) == []


def test_links_between_pages_lead_to_pages(pages):
    texts = {path.name: path.read_text(encoding="utf-8") for path in pages.glob("*.html")}
    for name, text in texts.items():
        links = [unquote(link) for link in re.findall(r'<a href="([^"]+)"', text)]
        assert links
        for target, _, anchor in (link.partition("#") for link in links if ":" not in link):
            assert not target or target in texts, f"{name}: dead link {target}"
            assert not anchor or f'id="{anchor}"' in texts[target or name], f"{name}: {anchor}"


def test_the_two_editions_never_lie_in_one_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = [export.export(ROOT, ["6"], edition=which)[0] for which in ("learner", "instructor")]
    assert [path.parent.name for path in made] == ["html", "html-instructor"]
    solved = [path.read_text(encoding="utf-8").count("celltag_instructor") for path in made]
    assert solved[1] > solved[0]
    with pytest.raises(NotUnderstood, match="instructor edition"):
        export.export(ROOT, ["6"], made[1].parent)

"""The page about a class, in Chromium: readable in every light and width, and current by itself."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from class_of_sixty import lay

from posenc.authoring import fetching
from posenc.reports import findings, page, reading

ROOT = Path(__file__).resolve().parents[2]
SERIOUS = """async () => (await axe.run(document)).violations
  .filter(found => ['serious', 'critical'].includes(found.impact))
  .map(found => [found.id, found.nodes.map(node => node.html.slice(0, 200))])"""
WIDTHS = (1280, 420)
KINDS = ("named", "anonymous", "live")


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    """The class of sixty as a page with names, one for the projector, and a live one."""
    folder = tmp_path_factory.mktemp("report")
    lay(folder / "class")
    target = folder / "results.json"
    grade = ["grade", folder / "class", "--json", target, "--jobs", "2"]
    for words in (
        grade,
        ["report", target, "--output", folder / "named.html"],
        ["report", target, "--anonymous", "--output", folder / "anonymous.html"],
    ):
        command = [sys.executable, "-m", "posenc", *map(str, words)]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    found = findings.findings(reading.read(target, print), findings.Headings(ROOT))
    (folder / "live.html").write_text(page.page(found, live=True), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def axe() -> str:
    """axe-core's source, from npm."""
    if shutil.which("npm") is None:
        pytest.fail("npm is not installed; .ci/run installs it")
    return (fetching.fetched(ROOT, "axe-core@4") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def open_page(browser, pages):
    """open_page(kind, width, scheme): the page, and what it asked for and complained about."""
    contexts = []

    def opened(kind, width=WIDTHS[0], scheme="light", **how):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, **how
        )
        contexts.append(context)
        shown = context.new_page()
        shown.asked, shown.troubles = [], []
        shown.on("request", lambda request: shown.asked.append(request.url))
        shown.on("pageerror", lambda error: shown.troubles.append(str(error)))
        shown.on("console", lambda message: shown.troubles.append(message.text))
        shown.goto((pages / f"{kind}.html").as_uri())
        return shown

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_asked_for_and_nothing_sticks_out(kind, width, open_page, pages):
    shown = open_page(kind, width)
    assert shown.asked == [(pages / f"{kind}.html").as_uri()]
    assert shown.troubles == []
    assert shown.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_serious(kind, scheme, open_page, axe):
    shown = open_page(kind, scheme=scheme, bypass_csp=True)
    shown.evaluate(axe)
    assert shown.evaluate(SERIOUS) == []


def test_printed_it_is_dark_on_light_and_whole(open_page):
    shown = open_page("named", scheme="dark")
    shown.emulate_media(media="print")
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert shown.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert not shown.locator("nav").is_visible()
    assert shown.locator("table").last.is_visible()


def test_the_live_page_shows_what_was_saved_and_can_be_held(open_page, pages):
    shown = open_page("live")
    button = shown.get_by_role("button", name="Hold this page")
    assert "Renews itself" in shown.locator("#state").inner_text()
    path = pages / "live.html"
    text = path.read_text(encoding="utf-8")
    try:
        path.write_text(text.replace("Class report:", "Later report:"), encoding="utf-8")
        shown.get_by_role("heading", name="Later report").wait_for(timeout=30_000)
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        shown.reload()
        assert button.get_attribute("aria-pressed") == "true", "it is held until it is let go"
    finally:
        path.write_text(text, encoding="utf-8")

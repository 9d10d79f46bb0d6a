"""The first thing a learner sees: the start page, rendered, with a link to each lesson."""

from __future__ import annotations

import os
from pathlib import Path

from posenc import places

from .lab import IDLE

MINUTE = 60_000  # playwright counts in milliseconds


def test_jupyterlab_opens_the_rendered_start_page_and_its_links_open_lessons(
    lab, browser, working_folder
):
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.goto(lab)
    page.wait_for_selector(".jp-MarkdownViewer table", timeout=MINUTE)
    links = page.locator(".jp-MarkdownViewer table a")
    lessons = places.lesson_names(working_folder)
    titles = [title for title in links.all_inner_texts() if title.strip()]
    assert len(titles) == len(lessons)
    assert page.locator(".cm-editor").count() == 0, "the page is shown as source"
    assert page.locator("dialog:visible, .jp-Dialog:visible").count() == 0, "something asks first"
    if folder := os.environ.get("POSENC_SCREENSHOTS"):
        page.screenshot(path=str(Path(folder) / "start-page.png"))
    links.nth(0).click()
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=MINUTE)
    assert page.url.endswith(lessons[0])
    # A server that is stopped while a kernel starts waits for that kernel without end.
    page.wait_for_function(IDLE, timeout=MINUTE)
    context.close()

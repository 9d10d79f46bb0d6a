"""Fixtures of the browser tests: one JupyterLab and one Chromium for all of them.

CHROMIUM names the browser where it is not on PATH. Without one the tests are skipped, or fail where
POSENC_REQUIRE_BROWSER is 1. POSENC_SCREENSHOTS names a folder for pictures.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from posenc.learning.workspace import prepare

from .lab import CHROMIUM_ARGUMENTS, Notebook, chromium, server


def _without_browser(reason: str) -> None:
    if os.environ.get("POSENC_REQUIRE_BROWSER") == "1":
        pytest.fail(f"POSENC_REQUIRE_BROWSER is 1, and {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def working_folder(tmp_path_factory) -> Path:
    """The learner's notebooks in a folder of their own, as `course.py lab` makes it."""
    folder = tmp_path_factory.mktemp("course") / "my course"
    prepare(folder)
    return folder


@pytest.fixture(scope="session")
def browser():
    """Chromium, or the reason why there is none."""
    path = chromium()
    if path is None:
        _without_browser("there is no Chromium on PATH and CHROMIUM names none")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _without_browser("playwright is not installed (pip install -e '.[test]')")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def lab(browser, working_folder, tmp_path_factory) -> str:
    """The address of a JupyterLab on the working folder."""
    with server(working_folder, tmp_path_factory.mktemp("jupyter")) as address:
        yield address


@pytest.fixture
def open_notebook(lab, browser):
    """open_notebook(path) -> Notebook, in a window of its own."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    notebooks = []

    def opened(path: str) -> Notebook:
        notebooks.append(Notebook(context.new_page(), lab).open(path))
        return notebooks[-1]

    yield opened
    for notebook in notebooks[-1:]:
        notebook.close()
    context.close()

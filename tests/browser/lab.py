"""JupyterLab in a real browser: a server of its own, and a notebook as a person uses it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
]
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/completer-extension:manager": {"autoCompletion": False},
    # Cells outside the window are drawn too, so that a test can find them.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}
# The server watches for its parent, so that a test that is killed leaves nothing running.
START = """import os, signal, sys, threading, time
from pathlib import Path
from posenc.learning.lab import open_lab
parent = os.getppid()
def watch():
    while os.getppid() == parent:
        time.sleep(2)
    os.killpg(os.getpgid(0), signal.SIGKILL)
threading.Thread(target=watch, daemon=True).start()
open_lab(Path.cwd(), sys.argv[1:])"""
IDLE = "() => jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
SECONDS = 1000  # playwright counts in milliseconds


def chromium() -> str | None:
    """Where Chromium is: the variable CHROMIUM, or the first one on PATH."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


@contextmanager
def server(folder: Path, home: Path) -> Iterator[str]:
    """JupyterLab on `folder` as the course starts it, its settings and data under `home`.

    Yields its address.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    application = home / "application-settings"
    application.mkdir(parents=True)
    (application / "overrides.json").write_text(json.dumps(SETTINGS))
    places = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
        "MPLCONFIGDIR": "matplotlib",
    }
    environment = os.environ | {name: str(home / place) for name, place in places.items()}
    log = home / "server.log"
    command = [
        sys.executable,
        "-c",
        START,
        "--no-browser",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=",
        "--ServerApp.password=",
        f"--LabApp.app_settings_dir={application}",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.news_url=",
        "--LabApp.extension_manager=readonly",
        "--LanguageServerManager.autodetect=False",
    ]
    with log.open("w") as written:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_until_it_answers(address, process, log)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:  # a kernel that was starting: end it with its server
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(30)


def _wait_until_it_answers(address: str, process: subprocess.Popen, log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            urllib.request.urlopen(f"{address}/api", timeout=2)
            return
        except (OSError, urllib.error.URLError):
            if process.poll() is not None:
                break
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not answer:\n{log.read_text()}")


class Notebook:
    """A notebook open in JupyterLab, used by keyboard and mouse."""

    def __init__(self, page, address: str) -> None:
        self.page, self.address = page, address
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, path: str) -> Notebook:
        """Open the notebook and wait for its kernel."""
        self.page.goto(f"{self.address}/lab/tree/{path}?reset")
        self.page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60 * SECONDS)
        self.wait_until_idle()
        return self

    def reopen(self) -> None:
        """Close the notebook and its kernel, and open it again as it was saved."""
        path = self.page.evaluate("jupyterapp.shell.currentWidget.context.path")
        self.command("kernelmenu:shutdown")
        self.command("application:close")
        self.page.wait_for_selector(".jp-NotebookPanel", state="detached")
        self.command("docmanager:open", path=path)
        self.page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60 * SECONDS)
        self.wait_until_idle()

    def wait_until_idle(self, seconds: float = 60) -> None:
        """Wait for the kernel to have nothing to do."""
        self.page.wait_for_function(IDLE, timeout=seconds * SECONDS)

    def close(self) -> None:
        """End every kernel, so that no test meets another's variables."""
        self.page.evaluate(
            "async () => { await jupyterapp.serviceManager.sessions.shutdownAll(); }"
        )

    def is_modified(self) -> bool:
        """True where JupyterLab would ask to save."""
        return self.page.evaluate("jupyterapp.shell.currentWidget.context.model.dirty")

    def command(self, name: str, **arguments: object) -> None:
        """Run a command of JupyterLab and wait for its end."""
        self.page.evaluate(
            "async ([name, given]) => { await jupyterapp.commands.execute(name, given); }",
            [name, arguments],
        )

    def run_all(self, seconds: float = 120) -> None:
        """Run every cell."""
        self.page.set_default_timeout(seconds * SECONDS)
        self.command("notebook:run-all-cells")
        self.wait_until_idle(seconds)

    def save(self) -> None:
        """Save the notebook."""
        self.command("docmanager:save")

    def cell(self, words: str):
        """The first code cell whose source holds these words."""
        sources = self.page.evaluate(
            "[...jupyterapp.shell.currentWidget.content.widgets].map(cell =>"
            " [cell.model.type, cell.model.sharedModel.getSource()])"
        )
        for index, (kind, source) in enumerate(sources):
            if kind == "code" and words in source:
                return self.page.locator(".jp-NotebookPanel:visible .jp-Cell").nth(index)
        raise AssertionError(f"no code cell holds {words!r}")

    def write(self, words: str, source: str) -> None:
        """Replace the source of the cell that holds these words."""
        editor = self.cell(words).locator(".cm-content")
        editor.scroll_into_view_if_needed()
        editor.click()
        self.page.keyboard.press("ControlOrMeta+a")
        # Not key by key: the editor would indent and close brackets on its own.
        self.page.keyboard.insert_text(source)

    def start(self, words: str) -> None:
        """Run the cell that holds these words, by keyboard, without waiting for its end."""
        editor = self.cell(words).locator(".cm-content")
        editor.scroll_into_view_if_needed()
        editor.click()
        self.page.keyboard.press("ControlOrMeta+Enter")

    def run(self, words: str, seconds: float = 60) -> None:
        """Run the cell that holds these words, by keyboard, and wait for its end."""
        find = (
            "[...jupyterapp.shell.currentWidget.content.widgets].find(cell =>"
            " cell.model.type === 'code' && cell.model.sharedModel.getSource().includes(words))"
            ".model.sharedModel"
        )
        # A count is kept in the file and begins anew with the kernel: only an emptied one tells.
        self.page.evaluate(f"words => {{ {find}.execution_count = null; }}", words)
        self.start(words)
        self.page.wait_for_function(
            f"words => {find}.execution_count !== null", arg=words, timeout=seconds * SECONDS
        )
        self.wait_until_idle(seconds)

    def output(self, words: str) -> str:
        """What stands beneath the cell that holds these words, as text."""
        return self.cell(words).locator(".jp-Cell-outputArea").inner_text()

    def error_outputs(self) -> list[str]:
        """The tracebacks on the page."""
        return self.page.locator(
            ".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr'],"
            ".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']"
        ).all_inner_texts()

    def press(self, locator, *keys: str) -> None:
        """Give the focus to something and press keys."""
        locator.scroll_into_view_if_needed()
        locator.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def accessible(self, *roles: str) -> list[str]:
        """The names that Chromium gives a screen reader for everything of these roles."""
        session = self.page.context.new_cdp_session(self.page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
        return [
            node.get("name", {}).get("value", "")
            for node in nodes
            if not node.get("ignored") and node.get("role", {}).get("value") in roles
        ]

    def theme(self, name: str) -> None:
        """Change the theme: 'JupyterLab Light' or 'JupyterLab Dark'."""
        self.command("apputils:change-theme", theme=name)
        self.page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)
        self.page.wait_for_timeout(500)

    @property
    def shots(self) -> Path | None:
        """The folder for pictures that POSENC_SCREENSHOTS names, if it does."""
        named = os.environ.get("POSENC_SCREENSHOTS")
        return Path(named) if named else None

    def screenshot(self, name: str, words: str | None = None) -> None:
        """A picture of the window, or of one cell, where pictures are wanted."""
        self.picture_of(self.cell(words) if words else self.page.locator("#main"), name)

    def picture_of(self, locator, name: str) -> None:
        """A picture of something on the page, where pictures are wanted."""
        if self.shots is None:
            return
        self.shots.mkdir(parents=True, exist_ok=True)
        locator.scroll_into_view_if_needed()
        self.page.wait_for_timeout(300)
        locator.screenshot(path=str(self.shots / f"{name}.png"))

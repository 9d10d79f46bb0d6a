"""course.py makes an environment once, never trusts half of one, and says what is wrong."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import venv
from pathlib import Path

import pytest

from posenc import errors
from posenc.learning import lab

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = """
[project]
name = "posenc"
version = "1"
dependencies = ["numpy>=1.26", "jupyterlab>=4.2"]
[project.optional-dependencies]
author = ["jupytext>=1"]
test = ["posenc[author]", "pytest>=8"]
"""


def load_course():
    specification = importlib.util.spec_from_file_location("course", ROOT / "course.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def course():
    return load_course()


@pytest.fixture
def root(tmp_path):
    """A course folder with the least that installing looks at, on a path that learners have."""
    folder = tmp_path / "mein Kurs – ü"
    (folder / "posenc").mkdir(parents=True)
    (folder / "posenc" / "__init__.py").touch()
    (folder / "pyproject.toml").write_text(PYPROJECT)
    return folder


class Installer:
    """Stands for pip: puts empty modules into the environment, or fails as told."""

    def __init__(self, module, monkeypatch):
        self.module = module
        self.commands = []
        self.does = []
        builder = venv.EnvBuilder

        class WithoutPip(builder):
            def __init__(self, **options):
                super().__init__(**{**options, "with_pip": False})

        monkeypatch.setattr(venv, "EnvBuilder", WithoutPip)
        monkeypatch.setattr(shutil, "which", lambda name: None)
        monkeypatch.setattr(module.Environment, "_logged", lambda *given: self.run(*given))

    def run(self, environment, command, lock):
        self.commands.append(command)
        what = self.does.pop(0) if self.does else "succeed"
        if isinstance(what, BaseException):
            raise what
        if what != "succeed":
            return False, what
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        found = subprocess.run(
            [environment.python, "-I", "-c", code], capture_output=True, text=True, check=True
        )
        packages = Path(found.stdout.strip())
        testing = any("[test]" in each or "pytest" in each for each in command)
        wanted = self.module.NEEDED + (self.module.NEEDED_FOR["test"] if testing else [])
        for name in set(wanted) - {"posenc"}:
            (packages / f"{name}.py").touch()
        (packages / "course.pth").write_text(f"{environment.root}\n", encoding="utf-8")
        return True, ""

    def packages(self, environment):
        return next(environment.folder.rglob("numpy.py")).parent


@pytest.fixture
def installer(course, monkeypatch):
    return Installer(course, monkeypatch)


@pytest.fixture
def environment(course, root, installer):
    return course.Environment(root / ".venv", root)


def state(environment):
    return json.loads(environment.stamp.read_text())["state"]


# Python itself


def test_the_file_can_be_read_by_the_pythons_that_it_refuses():
    source = (ROOT / "course.py").read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 8))
    for node in tree.body:
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module]
        assert set(modules) <= {
            "hashlib", "importlib.util", "json", "os", "shutil", "signal", "subprocess", "sys",
            "time", "pathlib",
        }, "a top-level import that an old Python may lack"  # fmt: skip


@pytest.mark.parametrize("version", [(3, 10, 13), (3, 8, 0), (2, 7, 18)])
def test_an_old_python_is_told_what_is_needed(course, version, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", version)
    assert course.main(["lab"]) == 1
    told = capsys.readouterr().err
    assert "needs Python 3.11 or newer" in told
    assert f"this is Python {version[0]}.{version[1]}" in told


def test_the_oldest_python_is_the_one_of_pyproject(course):
    major, minor = course.OLDEST
    assert course.read_project(ROOT)["requires-python"] == f">={major}.{minor}"


def test_a_python_without_ensurepip_names_the_package(course, environment, monkeypatch):
    monkeypatch.setattr(course.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(course.Stop, match=rf"apt install python3\.{sys.version_info[1]}-venv"):
        environment.prepare([])
    assert not environment.folder.exists()


# Making the environment


def test_the_first_run_installs_and_the_second_does_not(environment, installer, capsys):
    python = environment.prepare([])
    assert python.exists() and state(environment) == "ready"
    assert installer.commands[0][-2:] == ["-e", "."]
    assert environment.prepare([]) == python
    assert len(installer.commands) == 1
    assert "Installed in" in capsys.readouterr().out


def test_tests_get_their_own_packages_once(environment, installer):
    environment.prepare([])
    environment.prepare(["test"])
    assert installer.commands[1][-1] == ".[test]"
    environment.prepare([])
    environment.prepare(["test"])
    assert len(installer.commands) == 2


def test_an_interrupted_installation_is_never_taken_for_good(environment, installer):
    installer.does = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        environment.prepare([])
    assert state(environment) == "making" and not environment.is_ready([])
    (environment.folder / "half of something").touch()
    environment.prepare([])
    assert state(environment) == "ready"
    assert not (environment.folder / "half of something").exists()


def test_a_killed_update_keeps_what_works_and_throws_away_what_does_not(environment, installer):
    environment.prepare([])
    environment._write_stamp("updating", [])
    (environment.folder / "mine").touch()
    environment.prepare([])
    assert state(environment) == "ready" and (environment.folder / "mine").exists()
    environment._write_stamp("updating", [])
    (installer.packages(environment) / "numpy.py").write_text("import missing_part")
    environment.prepare([])
    assert state(environment) == "ready" and not (environment.folder / "mine").exists()


def test_a_package_that_disappeared_is_noticed(environment, installer):
    environment.prepare([])
    (installer.packages(environment) / "numpy.py").unlink()
    environment.prepare([])
    assert len(installer.commands) == 2


def test_a_moved_course_is_noticed(course, environment, installer, root):
    environment.prepare([])
    moved = root.with_name("moved")
    root.rename(moved)
    again = course.Environment(moved / ".venv", moved)
    assert not again.is_ready([])
    again.prepare([])
    assert again.is_ready([])


def test_only_a_change_of_what_is_installed_installs_again(environment, installer, root):
    environment.prepare([])
    file = root / "pyproject.toml"
    file.write_text(PYPROJECT.replace('version = "1"', 'version = "2"') + "\n[tool.x]\ny = 1\n")
    environment.prepare([])
    assert len(installer.commands) == 1
    file.write_text(PYPROJECT.replace("numpy>=1.26", "numpy>=2"))
    environment.prepare([])
    assert len(installer.commands) == 2


def test_two_runs_at_once_install_once(course, environment, installer, root, capsys):
    real, began = installer.run, threading.Event()

    def slow(*given):
        began.set()
        time.sleep(0.5)
        return real(*given)

    installer.run = slow
    others = [threading.Thread(target=environment.prepare, args=([],)) for _ in range(2)]
    others[0].start()
    began.wait()
    others[1].start()
    for other in others:
        other.join()
    assert len(installer.commands) == 1
    assert "this one waits" in capsys.readouterr().out


# What fails


def test_a_failed_download_says_so_and_what_works_without_network(course, environment, installer):
    installer.does = ["WARNING: ...\nERROR: No matching distribution found for setuptools>=77"]
    with pytest.raises(course.Stop) as stopped:
        environment.prepare([])
    told = str(stopped.value)
    assert "could not be downloaded" in told and "online" in told
    assert "setuptools>=77" in told and "course-install.log" in told
    assert "works without a network" in told
    assert state(environment) == "making"


def test_a_failed_update_goes_on_with_what_works(course, environment, installer, root, capsys):
    environment.prepare([])
    (root / "pyproject.toml").write_text(PYPROJECT.replace("numpy>=1.26", "numpy>=2"))
    installer.does = ["error: dns error"]
    assert environment.prepare([]) == environment.python
    assert "the course goes on with that" in capsys.readouterr().out
    assert not environment.is_ready([]), "the next run has to try again"


def test_a_failed_update_of_something_broken_stops(course, environment, installer):
    environment.prepare([])
    (installer.packages(environment) / "numpy.py").unlink()
    installer.does = ["error: dns error"]
    with pytest.raises(course.Stop, match="could not be downloaded"):
        environment.prepare([])


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("python: No module named pip", "ensurepip is missing"),
        ("error: Failed to fetch: `https://...`", "could not be downloaded"),
        ("ReadTimeoutError: Read timed out.", "could not be downloaded"),
        ("ERROR: something else", "could not be installed"),
        ("", "could not be installed"),
    ],
)
def test_failures_are_told_apart(course, output, sentence):
    assert sentence in course.explain_failure(output, Path("log"))


def test_an_installation_that_lacks_a_package_is_not_called_ready(course, environment, monkeypatch):
    monkeypatch.setattr(course.Environment, "_logged", lambda *_: (True, ""))
    with pytest.raises(course.Stop, match="a package is not found"):
        environment.prepare([])
    assert state(environment) == "making"


def test_somebody_elses_environment_is_used_or_left_alone(course, environment, installer, root):
    environment.folder.mkdir()
    (environment.folder / "notes").write_text("mine")
    with pytest.raises(course.Stop, match="not made by course.py"):
        environment.prepare([])
    assert (environment.folder / "notes").read_text() == "mine"
    venv.EnvBuilder().create(environment.folder)
    environment.prepare([])
    assert (environment.folder / "notes").read_text() == "mine" and environment.is_ready([])


def test_uv_is_used_where_it_is_and_pip_where_uv_fails(course, environment, installer, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: "/somewhere/uv" if name == "uv" else None)
    added = []
    monkeypatch.setattr(course.Environment, "_add_pip", lambda self: added.append("pip"))
    installer.does = ["error: Failed to fetch", "succeed"]
    environment.prepare([])
    uv, pip = installer.commands
    assert added == ["pip"]
    assert uv[:3] == ["/somewhere/uv", "pip", "install"] and str(environment.python) in uv
    assert pip[1:4] == ["-m", "pip", "install"]


def test_the_installers_words_are_kept_and_its_lock_lives_as_long_as_it_does(course, root):
    environment = course.Environment(root / ".venv", root)
    environment.folder.mkdir()
    inherited = "import os, sys; os.fstat(int(sys.argv[1])); print('went well')"
    with open(root / "lock", "ab") as lock:
        command = [sys.executable, "-c", inherited, str(lock.fileno())]
        succeeded, words = environment._logged(command, lock)
        if os.name != "nt":
            assert succeeded and words.strip() == "went well"
        failed, words = environment._logged([sys.executable, "-c", "raise SystemExit('no')"], lock)
    assert not failed and words.strip() == "no"


# A course folder that cannot be written to


@pytest.fixture
def read_only(course, root, monkeypatch, tmp_path):
    import posenc.files

    real = posenc.files.can_write_in
    monkeypatch.setattr(
        posenc.files, "can_write_in", lambda folder: Path(folder) != root and real(folder)
    )
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(Path, "home", lambda: home)
    return home


def test_a_read_only_course_is_installed_in_the_users_folder(
    course, root, read_only, installer, monkeypatch
):
    folder = course.environment_folder(root, [])
    assert folder == read_only / "posenc-course" / ".venv"
    environment = course.Environment(folder, root)
    environment.prepare(["test"])
    asked = installer.commands[0][installer.commands[0].index("off") + 1 :]
    assert asked == ["jupyterlab>=4.2", "jupytext>=1", "numpy>=1.26", "pytest>=8"]
    pointer = next(folder.rglob("posenc-course.pth"))
    assert pointer.read_text(encoding="utf-8") == f"{root}\n"
    assert not list(root.glob("*.egg-info"))


def test_a_good_environment_in_a_read_only_course_is_used(course, root, environment, read_only):
    environment.prepare([])
    assert course.environment_folder(root, []) == root / ".venv"


def test_nowhere_to_write_is_said(course, root, read_only, monkeypatch):
    (read_only / "posenc-course").write_text("a file in the way")
    with pytest.raises(course.Stop, match="Copy the course to a folder of yours"):
        course.environment_folder(root, [])


def test_a_file_that_belongs_to_somebody_else_is_named(course, monkeypatch, capsys):
    def refuse(self, extras):
        raise PermissionError(13, "Permission denied", ".venv.lock")

    monkeypatch.setattr(course.Environment, "prepare", refuse)
    assert course.main(["lab"]) == 1
    assert ".venv.lock" in capsys.readouterr().err


# Handing over


@pytest.fixture
def handed_over(course, monkeypatch):
    """Return what main runs, without making an environment or running it."""
    ran = []
    monkeypatch.setattr(course.Environment, "prepare", lambda self, extras: Path("python"))
    monkeypatch.setattr(course, "run", lambda command, *where: ran.append(command) or 0)
    monkeypatch.setenv("IPYKERNEL_CELL_NAME", "")
    monkeypatch.setenv("POSENC_CALLED_AS", "")
    return ran


def test_every_other_word_goes_to_posenc_with_its_arguments(course, handed_over):
    assert course.main(["grade", "a folder", "--jobs", "2"]) == 0
    assert course.main(["lab", "--no-browser", "--port=9000"]) == 0
    assert "course.py" in os.environ["POSENC_CALLED_AS"]
    assert handed_over[0][1:] == ["-P", "-m", "posenc", "grade", "a folder", "--jobs", "2"]
    assert handed_over[1][1:] == ["-P", "-m", "posenc", "lab", "--no-browser", "--port=9000"]


def test_test_runs_all_quick_tests_unless_files_are_named(course, handed_over):
    course.main(["test", "-k", "shape"])
    course.main(["test", "tests/test_course.py::test_x", "-x"])
    everything, named = handed_over
    assert {"--nbval", "tests", "solutions"} <= set(everything)
    assert everything[-2:] == ["-k", "shape"]
    assert named[3:] == ["tests/test_course.py::test_x", "-x"]
    assert os.environ["IPYKERNEL_CELL_NAME"] == "<cell>"
    assert os.environ["POSENC_CALLED_AS"] == "", "messages are tested as posenc gives them"


def test_words_for_authors_get_what_authors_need(course, handed_over, monkeypatch):
    asked = []
    monkeypatch.setattr(
        course.Environment, "prepare", lambda self, extras: asked.append(extras) or Path("python")
    )
    for word in ("lab", "build", "test"):
        course.main([word])
    assert asked == [[], ["author"], ["test"]]


def test_no_word_and_help_explain_themselves(course, monkeypatch, capsys):
    monkeypatch.setattr(course.Environment, "is_ready", lambda self, extras: False)
    assert course.main([]) == course.main(["--help"]) == 0
    told = capsys.readouterr().out
    assert "course.py lab" in told and "course.py test" in told


def test_ctrl_c_ends_with_a_sentence_and_130(course, monkeypatch, capsys):
    def interrupted(self, extras):
        raise KeyboardInterrupt

    monkeypatch.setattr(course.Environment, "prepare", interrupted)
    assert course.main(["lab"]) == 130
    assert "Stopped" in capsys.readouterr().err


def test_the_environment_of_a_child_finds_our_python_first(course, monkeypatch):
    monkeypatch.setenv("HOME", "")
    monkeypatch.setenv("PYTHONHOME", "elsewhere")
    python = Path("course") / ".venv" / "bin" / "python"
    environment = course.child_environment(python)
    assert environment["PATH"].split(os.pathsep)[0] == str(python.parent)
    assert environment["VIRTUAL_ENV"] == str(python.parent.parent)
    assert "PYTHONHOME" not in environment and "HOME" not in environment


# JupyterLab's arguments


@pytest.fixture
def taken_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_the_working_folder_and_the_start_page_are_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(lab, "is_root", lambda: False)
    arguments = lab.lab_arguments(tmp_path, ["--no-browser"])
    assert f"--ServerApp.root_dir={tmp_path}" in arguments and arguments[-1] == "--no-browser"
    assert any(each.endswith("tree/Start.md") for each in arguments)
    assert "--allow-root" not in arguments


def test_root_is_allowed_and_our_arguments_give_way(tmp_path, monkeypatch):
    monkeypatch.setattr(lab, "is_root", lambda: True)
    given = ["--ServerApp.root_dir=other", "--debug", "--allow-root"]
    arguments = lab.lab_arguments(tmp_path, given)
    assert arguments[-3:] == given
    added = {each.split("=")[0] for each in arguments[:-3]}
    assert "--LabApp.default_url" in added
    assert not added & {"--ServerApp.root_dir", "--allow-root", "--log-level", "--LabApp.log_level"}
    assert "--allow-root" in lab.lab_arguments(tmp_path, [])


def test_no_port_is_ever_added(tmp_path):
    given = ["--port", "9001"]
    added = lab.lab_arguments(tmp_path, given)[: -len(given)]
    assert not [each for each in added if "port" in each.split("=")[0]]


@pytest.mark.parametrize("given", [["--port", "{}"], ["--port={}"], ["--ServerApp.port={}"]])
def test_a_taken_port_is_said(taken_port, given):
    arguments = [each.format(taken_port) for each in given]
    assert f"Port {taken_port} is in use" in lab.port_warning(arguments)


def test_a_free_port_is_not_mentioned(taken_port, monkeypatch):
    monkeypatch.setattr(lab, "is_taken", lambda port: False)
    assert lab.port_warning([f"--port={taken_port}"]) is None
    assert lab.asked_port(["--port=0"]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--port=9", "--ServerApp.port=10"],
        ["--port=x"],
        ["--port"],
        ["--port=70000"],
        ["--port=-1"],
    ],
)
def test_ports_that_cannot_work_are_refused_with_the_way_out(arguments):
    with pytest.raises(errors.NotUnderstood, match="--port"):
        lab.port_warning(arguments)


def test_our_settings_are_found_before_those_of_the_machine(monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "theirs")
    lab.add_our_settings()
    ours, theirs = os.environ["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    assert theirs == "theirs"
    settings = json.loads((Path(ours) / "labconfig" / "default_setting_overrides.json").read_text())
    viewers = settings["@jupyterlab/docmanager-extension:plugin"]["defaultViewers"]
    assert viewers == {"markdown": "Markdown Preview"}


# For real


def copy_of_the_course(folder):
    """Copy what a clone holds, without what a run leaves behind."""
    waste = shutil.ignore_patterns("__pycache__", "*.egg-info", ".ipynb_checkpoints")
    for name in ("posenc", "notebooks", "exercises", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=waste)
    for name in ("course.py", "pyproject.toml", "README.md", "LICENSE", "LICENSE-TEXT"):
        shutil.copy(ROOT / name, folder / name)


def run_course(folder, environment, *words):
    return subprocess.run(
        [sys.executable, "course.py", *words], cwd=folder, env=environment, encoding="utf-8",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
    )  # fmt: skip


@pytest.mark.slow
def test_a_clone_with_a_blank_and_an_umlaut_opens_in_jupyterlab(tmp_path):
    folder = tmp_path / "mein Kurs – ü"
    home = tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    copy_of_the_course(folder)
    environment = {**os.environ, "HOME": str(home), "USERPROFILE": str(home)}

    first = run_course(folder, environment, "start")
    assert first.returncode == 0, first.stdout
    assert (folder / "my-course" / "Start.md").is_file()

    began = time.monotonic()
    second = run_course(folder, environment, "start")
    assert second.returncode == 0 and "Installing" not in second.stdout
    assert time.monotonic() - began < 15

    with opened_in_jupyterlab(folder, environment) as address:
        settings = "lab/api/settings/@jupyterlab/docmanager-extension:plugin"
        with urllib.request.urlopen(f"{address}/{settings}") as answer:
            schema = json.load(answer)["schema"]
        assert schema["properties"]["defaultViewers"]["default"]["markdown"] == "Markdown Preview"


@contextlib.contextmanager
def opened_in_jupyterlab(folder, environment):
    """The address of JupyterLab, as `course.py lab` starts it, once the start page is shown."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "course.py", "lab", "--no-browser", f"--port={port}"]
    command += ["--IdentityProvider.token=", "--ServerApp.password="]
    with open(folder / "lab.log", "wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
    address = f"http://127.0.0.1:{port}"
    try:
        assert read_when_it_answers(address, process).endswith(
            "/lab/workspaces/posenc/tree/Start.md"
        )
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def read_when_it_answers(address, process):
    """Return the address that JupyterLab redirects to, once it answers."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert process.poll() is None, "JupyterLab ended"
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                return answer.url
        except OSError:
            time.sleep(0.2)
    raise AssertionError("JupyterLab did not answer within a minute")

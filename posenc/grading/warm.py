"""A warm process in a sandbox, and one private channel to each notebook that it runs.

The trusted side of `posenc.grading.inside`. Whatever comes from a notebook is bounded in time and
bytes and decoded by `posenc.judging.values`, which runs no code of the sender.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from posenc.grading.sandbox import Sandbox
from posenc.judging import values

MOST_FRAME = 34 * 2**20
MOST_HEAD = 5 * 2**20
SECONDS_TO_START = 60.0
SECONDS_TO_FINISH = 5.0


@dataclass(frozen=True)
class Limits:
    """What one notebook may take. seconds and cell_seconds are of the clock; sizes are bytes.

    `seconds` are for all its cells, whatever they send; each challenge has seconds of its own,
    which cells cannot use up. `memory` is beyond what the process starts with.
    """

    seconds: float = 60.0
    cell_seconds: float = 10.0
    memory: int = 1024 * 2**20
    processes: int = 64
    files: int = 256
    file_size: int = 16 * 2**20

    def for_process(self) -> dict[str, int]:
        """The limits that the system enforces."""
        plain = asdict(self)
        return {
            "memory": plain["memory"],
            "processes": plain["processes"],
            "files": plain["files"],
            "file_size": plain["file_size"],
            "seconds": int(self.seconds * 2) + 60,
        }


class Lost(Exception):
    """The notebook's process is gone, silent or babbling. `how`: as in `inside.serve`, in words."""

    def __init__(self, how: dict[str, Any]) -> None:
        super().__init__(str(how))
        self.how = how


class Stopped(RuntimeError):
    """The run was broken off from outside: what was under way is not graded."""


class WarmProcess:
    """A process with everything imported that makes a copy of itself for each notebook.

    Not shared between threads, but for `stop`. Starts itself when first needed, and again if it
    should end. Where Bubblewrap cannot put copies apart, each notebook has a process of its own.
    """

    def __init__(self, sandbox: Sandbox, limits: Limits) -> None:
        self.sandbox, self.limits = sandbox, limits
        self.process: subprocess.Popen | None = None
        self.control: socket.socket | None = None
        self.folder = ""
        self.facts: dict[str, Any] = {}
        self.jobs = 0
        self.stopped = False

    def start(self) -> None:
        """Start the process and wait until it is ready. RuntimeError where it never is."""
        if self.stopped:
            raise Stopped("the run was interrupted")
        if self.sandbox.bubblewrap is None:  # else it has a temporary folder of its own, in memory
            self.folder = tempfile.mkdtemp(prefix="posenc-")
            os.chmod(self.folder, 0o711)
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                self.sandbox.command(),
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=self.sandbox.environment(self.folder),
                cwd="/",
                start_new_session=True,
            )
        self.control = ours
        ours.settimeout(SECONDS_TO_START)
        try:
            ours.sendall(self.sandbox.bundle(self.limits.for_process()))
            self.facts = self._reply()
        except (OSError, ValueError) as error:
            self.process.kill()
            said = self.process.communicate()[1].decode("utf-8", "replace").strip()[-600:]
            self.close()
            raise RuntimeError(
                f"The process that runs notebooks did not start: {said or error}"
            ) from None

    @contextlib.contextmanager
    def notebook(self, imports: Sequence[str] = ()) -> Iterator[Session]:
        """A fresh copy of the warm process for the length of a with block; all of it ends there.

        imports: packages that the notebook names; the process imports large ones once for all.
        """
        if self.stopped:
            raise Stopped("the run was interrupted")
        session: Session = (
            self._forked(imports) if self.sandbox.forks else FreshSession(self.sandbox, self.limits)
        )
        try:
            yield session
        finally:
            session.finish()
            if self.sandbox.bubblewrap and self.sandbox.forks and not self.facts.get("namespaces"):
                self.close()  # one notebook, one world
        if self.stopped:
            raise Stopped("the run was interrupted")

    def stop(self) -> None:
        """From any thread: end the process at once, with what runs in it. It stays ended."""
        self.stopped = True
        process = self.process
        if process is not None:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process and everything it started."""
        if self.control is not None:
            self.control.close()
        if self.process is not None:
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            if self.process.stderr:
                self.process.stderr.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.process, self.control, self.folder = None, None, ""

    def _forked(self, imports: Sequence[str]) -> ForkedSession:
        if self.process is None or self.process.poll() is not None:
            self.close()
            self.start()
        self.jobs += 1
        # Where the process has no temporary folder of its own, each notebook gets one here.
        apart = self.sandbox.bubblewrap is not None
        work = "" if apart else tempfile.mkdtemp(prefix="work-", dir=self.folder)
        ours, theirs = socket.socketpair()
        job = {
            "do": "run",
            "job": self.jobs,
            "work": work,
            "limits": self.limits.for_process(),
            "imports": list(imports),
        }
        data = json.dumps(job).encode()
        with theirs:
            self.control.settimeout(SECONDS_TO_FINISH)
            socket.send_fds(self.control, [len(data).to_bytes(8, "big")], [theirs.fileno()])
            self.control.sendall(data)
        return ForkedSession(self, ours, self.jobs, work)

    def order_finish(self, job: int) -> None:
        """Ask the process to end a notebook."""
        data = json.dumps({"do": "finish", "job": job}).encode()
        self.control.settimeout(SECONDS_TO_FINISH)
        self.control.sendall(len(data).to_bytes(8, "big") + data)

    def reply(self, seconds: float) -> dict[str, Any]:
        """The next word from the process. OSError or ValueError where none comes in time."""
        self.control.settimeout(seconds)
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        size = int.from_bytes(self._exactly(8), "big")
        if size > 1 << 16:
            raise ValueError("too long")
        return json.loads(self._exactly(size))

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.control.recv(size - len(data))
            if not part:
                raise OSError("the process ended")
            data += part
        return data


class Session:
    """One run of one notebook, seen from the trusted side."""

    def send(self, data: bytes, seconds: float) -> None:
        """Send an encoded value to the notebook. Lost where it does not take it in time."""
        raise NotImplementedError

    def receive(self, seconds: float, most: int = MOST_HEAD) -> dict[str, Any]:
        """The notebook's next message, with at most `most` bytes besides arrays.

        Lost where none comes in time, or none can be read.
        """
        raise NotImplementedError

    def finish(self) -> None:
        """End the notebook and everything that it left behind."""
        raise NotImplementedError


class ForkedSession(Session):
    """A notebook in a copy of the warm process, on a socket of its own."""

    def __init__(self, warm: WarmProcess, channel: socket.socket, job: int, work: str) -> None:
        self.warm, self.channel, self.job, self.work = warm, channel, job, work
        self.ended: dict[str, Any] | None = None

    def send(self, data: bytes, seconds: float) -> None:
        self.channel.settimeout(seconds)
        try:
            self.channel.sendall(len(data).to_bytes(8, "big") + data)
        except OSError:
            raise Lost(self._how_it_ended()) from None

    def receive(self, seconds: float, most: int = MOST_HEAD) -> dict[str, Any]:
        end = time.monotonic() + seconds
        size = int.from_bytes(self._exactly(8, end), "big")
        if size > MOST_FRAME:
            raise Lost({"how": "bytes"})
        return _message(self._exactly(size, end), most)

    def finish(self) -> None:
        self.channel.close()
        try:
            if self.ended is None:
                self.warm.order_finish(self.job)
                self._wait_for_end(SECONDS_TO_FINISH)
        except (OSError, ValueError):
            self._end_by_force()
        if self.work:
            shutil.rmtree(self.work, onerror=_make_writable)

    def _exactly(self, size: int, end: float) -> bytes:
        parts = []
        while size:
            left = end - time.monotonic()
            if left <= 0:
                raise Lost({"how": "time"})
            watched = [self.channel] if self.ended else [self.channel, self.warm.control]
            ready = select.select(watched, [], [], left)[0]
            if self.channel in ready:
                try:
                    part = self.channel.recv(min(size, 1 << 20))
                except OSError:
                    part = b""
                if not part:
                    raise Lost(self._how_it_ended())
                parts.append(part)
                size -= len(part)
            elif ready:
                self._wait_for_end(1.0)
            elif self.ended:
                raise Lost(self.ended)
            if self.ended and not select.select([self.channel], [], [], 0)[0]:
                raise Lost(self.ended)
        return b"".join(parts)

    def _how_it_ended(self) -> dict[str, Any]:
        """After the channel closed: what the keeper says about it, if it says so soon."""
        if self.ended is None:
            with contextlib.suppress(OSError, ValueError):
                self._wait_for_end(0.5)
        return self.ended or {"how": "silent"}

    def _wait_for_end(self, seconds: float) -> None:
        """Until the warm process says that this notebook ended."""
        end = time.monotonic() + seconds
        while self.ended is None:
            try:
                word = self.warm.reply(max(0.001, end - time.monotonic()))
            except TimeoutError:
                raise
            except OSError:
                self.ended = {"how": "server"}
                raise
            if word.get("job") == self.job and "ended" in word:
                self.ended = word["ended"]

    def _end_by_force(self) -> None:
        """The warm process does not answer: end it. It is started again for the next notebook."""
        self.ended = self.ended or {"how": "server"}
        if self.warm.process is not None:
            with contextlib.suppress(OSError):
                os.killpg(self.warm.process.pid, signal.SIGKILL)
            self.warm.close()


class FreshSession(Session):
    """A notebook in an interpreter of its own, where nothing can fork."""

    def __init__(self, sandbox: Sandbox, limits: Limits) -> None:
        self.folder = tempfile.mkdtemp(prefix="posenc-")
        self.process = subprocess.Popen(
            sandbox.command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=sandbox.environment(self.folder),
            cwd=self.folder,
            start_new_session=True,
        )
        self.frames: queue.Queue[bytes | None] = queue.Queue(4)
        # A pipe cannot be waited for with a limit on every system; a thread can be.
        threading.Thread(target=self._read, daemon=True).start()
        with contextlib.suppress(OSError):
            self.process.stdin.write(sandbox.bundle(limits.for_process()))
            self.process.stdin.flush()

    def send(self, data: bytes, seconds: float) -> None:
        try:
            self.process.stdin.write(len(data).to_bytes(8, "big") + data)
            self.process.stdin.flush()
        except (OSError, ValueError):
            raise Lost(self._how_it_ended()) from None

    def receive(self, seconds: float, most: int = MOST_HEAD) -> dict[str, Any]:
        try:
            frame = self.frames.get(timeout=max(0.0, seconds))
        except queue.Empty:
            raise Lost({"how": "time"}) from None
        if frame is None:
            raise Lost(self._how_it_ended())
        return _message(frame, most)

    def finish(self) -> None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError, ValueError):
                stream.close()
        shutil.rmtree(self.folder, onerror=_make_writable)

    def _read(self) -> None:
        """In a thread: frames into the queue, then None. Ends with the process's output."""
        with contextlib.suppress(OSError, ValueError, queue.Full):
            while len(head := self.process.stdout.read(8)) == 8:
                size = int.from_bytes(head, "big")
                if size > MOST_FRAME:
                    break
                self.frames.put(self.process.stdout.read(size), timeout=600)
        with contextlib.suppress(queue.Full):
            self.frames.put(None, timeout=600)

    def _how_it_ended(self) -> dict[str, Any]:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self.process.wait(0.5)
            return (
                {"how": "signal", "number": -code} if code < 0 else {"how": "exit", "number": code}
            )
        return {"how": "silent"}


def _message(data: bytes, most: int) -> dict[str, Any]:
    """A frame as a dict with plain values; Lost where it is anything else."""
    if int.from_bytes(data[4:12], "big") > min(most, MOST_HEAD):
        raise Lost({"how": "bytes"})
    try:
        message = values.decode(data)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        raise Lost({"how": "garbled"})
    return message


def _make_writable(function: Any, path: str, info: Any) -> None:
    """For shutil.rmtree: a folder that a notebook locked is unlocked and removed."""
    with contextlib.suppress(OSError):
        os.chmod(os.path.dirname(path), 0o700)
        os.chmod(path, 0o700)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)

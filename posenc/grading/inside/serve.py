"""A process that has everything imported, and makes one copy of itself for each notebook.

Three kinds of process, each made by `fork` from the one before:

- the *server* takes orders from the grader and never runs a learner's code;
- a *keeper* for each notebook puts it apart, watches its memory, and ends what it leaves;
- the *notebook* runs the cells and then, in one further fork a challenge, the calls.

Only the notebook holds the private channel on which cells and calls come and answers go; only the
server holds the control socket. Where there is no safe `fork`, `serve_once` is all three in one.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from posenc.grading.inside import shell as cells
from posenc.grading.inside import stub
from posenc.judging import calls, values

if sys.platform.startswith("linux"):
    from posenc.grading.inside import confine, syscalls

MOST_ANSWER = 32 * 2**20
MOST_HEAD = 4 * 2**20
MOST_SOCKETS = 1024
GRACE = 1.0
SECONDS_FOR_A_DEFINITION = 1.0


class Ended(Exception):
    """The other side of a channel is gone."""


class Channel:
    """Plain values over a pair of file descriptors, each with its length before it."""

    def __init__(self, reads: int, writes: int) -> None:
        self.reads, self.writes = reads, writes

    def send(self, value: Any) -> None:
        self.send_bytes(values.encode(value))

    def send_bytes(self, data: bytes) -> None:
        view = memoryview(len(data).to_bytes(8, "big") + data)
        while view:
            view = view[os.write(self.writes, view[: 1 << 16]) :]

    def receive(self) -> Any:
        """The next value. Raises Ended where there is none."""
        return values.decode(self._exactly(int.from_bytes(self._exactly(8), "big")))

    def _exactly(self, size: int) -> bytes:
        parts = []
        while size:
            part = os.read(self.reads, min(size, 1 << 20))
            if not part:
                raise Ended
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def prepare(settings: dict) -> None:
    """Import and warm up everything that notebooks use, and take the course away."""
    cells.make_shell()
    stub.install(settings["version"])


def main(settings: dict) -> None:
    """Serve one notebook after another, or one only where nothing can fork."""
    shell = cells.InteractiveShell.instance()
    if settings["way"] == "fresh":
        serve_once(shell, settings)
    control = socket.socket(fileno=os.dup(0))
    _nothing_on_standard_streams()
    facts = _close_up(settings)
    gc.collect()
    gc.freeze()  # copies then share these objects' memory for good
    Server(shell, settings, control, facts).serve()


def _close_up(settings: dict) -> dict:
    """Give up what the server itself does not need, and find out what this machine allows."""
    with contextlib.suppress(OSError):
        confine.prctl(confine.SET_SUBREAPER, 1)
    confine.own_keys()
    confine.prctl(confine.SET_DUMPABLE, 0)  # no process of a learner may trace or read this one
    if settings["uid"] is not None and not _works(lambda: confine.become(settings["uid"])):
        settings["uid"] = None
    return {
        "namespaces": settings["bubblewrap"] and _namespaces_work(settings),
        "user": settings["uid"] is not None,
        "filter": _works(lambda: None if syscalls.install() else 1 / 0),
    }


def _namespaces_work(settings: dict) -> bool:
    """Whether a copy of this process can be put apart and make a copy of itself there."""
    mapping = confine.Mapping(settings["uid"])

    def apart() -> None:
        confine.own_namespaces(mapping, settings["keep"])
        if not _works(lambda: None if os.getpid() == 1 else 1 / 0):
            raise OSError("the copy is not the first process of its namespace")

    return _works(apart, mapping.outside)


def _works(action: Callable[[], Any], meanwhile: Callable[[int], Any] = lambda pid: None) -> bool:
    """Whether `action` ends without an error, tried in a copy of this process."""
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            action()
            os._exit(0)
        os._exit(1)
    meanwhile(pid)
    return os.waitpid(pid, 0)[1] == 0


class Server:
    """Takes orders: run a notebook, finish it. Never runs a learner's code."""

    def __init__(self, shell: Any, settings: dict, control: socket.socket, facts: dict) -> None:
        self.shell, self.settings, self.control, self.facts = shell, settings, control, facts
        self.parent = os.getppid()

    def serve(self) -> None:
        self._say({"ready": True, **self.facts, "pid": os.getpid()})
        while (order := self._order()) is not None:
            message, handles = order
            if message.get("do") == "run" and handles:
                ended = self._run(message, handles[0])
                if ended is None:
                    break
                self._say({"ended": ended, "job": message["job"]})
        confine.kill_descendants(os.getpid())
        os._exit(0)

    def _run(self, job: dict, channel: int) -> dict | None:
        """One notebook, until it ends or the grader says so; None where the grader is gone."""
        if cells.import_on_demand(job["imports"]):
            gc.collect()
            gc.freeze()
        report_reads, report_writes = os.pipe()
        hold_reads, hold_writes = os.pipe()
        mapping = confine.Mapping(self.settings["uid"]) if self.facts["namespaces"] else None
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                self.control.close()
                os.close(report_reads)
                os.close(hold_writes)
                confine.die_with(server)
                Keeper(self, job, channel, report_writes, hold_reads).keep(mapping)
            finally:
                os._exit(1)
        if mapping is not None:
            mapping.outside(pid)
        for handle in (report_writes, hold_reads, channel):
            os.close(handle)
        there = self._wait(job, report_reads, hold_writes)
        report = _everything(report_reads)
        _end_child(pid)
        confine.kill_descendants(server)
        return (json.loads(report) if report else {"how": "gone"}) if there else None

    def _wait(self, job: dict, report: int, hold: int) -> bool:
        """Until the keeper has ended by itself or by order; whether the grader is still there."""
        there, held, end = True, True, None
        while True:
            timeout = None if end is None else max(0.0, end - time.monotonic())
            ready = select.select([report, self.control] if there else [report], [], [], timeout)[0]
            if self.control in ready:
                order = self._order()
                there = order is not None
                finish = not there or (
                    order[0].get("do") == "finish" and order[0].get("job") == job["job"]
                )
                if finish and held:
                    os.close(hold)
                    held, end = False, time.monotonic() + 2.0
            if report in ready or (not ready and end is not None):
                if held:
                    os.close(hold)
                return there

    def _order(self) -> tuple[dict, list[int]] | None:
        """The next order with the file descriptors it brought; None where the grader is gone."""
        try:
            head, handles, _, _ = socket.recv_fds(self.control, 8, 1)
            data = b""
            size = int.from_bytes(head, "big")
            while head and len(data) < size:
                data += self.control.recv(min(size - len(data), 1 << 16))
            return (json.loads(data), handles) if head else None
        except OSError:
            return None

    def _say(self, message: dict) -> None:
        data = json.dumps(message).encode()
        self.control.sendall(len(data).to_bytes(8, "big") + data)


class Keeper:
    """Puts one notebook apart, watches it, and ends everything that it leaves."""

    def __init__(self, server: Server, job: dict, channel: int, report: int, hold: int) -> None:
        self.server, self.job, self.channel = server, job, channel
        self.report, self.hold = report, hold

    def keep(self, mapping: Any) -> None:
        """Start the notebook and wait for its end, for an order, or for too much memory."""
        settings, limits = self.server.settings, self.job["limits"]
        if mapping is not None:
            confine.own_namespaces(mapping, settings["keep"])
        else:
            confine.prctl(confine.SET_SUBREAPER, 1)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        shared = confine.resident([os.getpid()], 0)
        keeper = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
                os.close(self.report)
                os.close(self.hold)
                self._notebook(keeper)
            finally:
                os._exit(1)
        os.close(self.channel)
        how = self._watch(pid, limits["memory"], shared)
        _end_child(pid)
        confine.kill_descendants(keeper)
        os.write(self.report, json.dumps(how).encode())
        os._exit(0)

    def _watch(self, pid: int, memory: int, shared: int) -> dict:
        look = time.monotonic() + 0.3
        while True:
            signal.sigtimedwait({signal.SIGCHLD}, 0.05)
            with contextlib.suppress(ChildProcessError):
                while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                    if ended[0] == pid:
                        return _how(ended[1])
            if select.select([self.hold], [], [], 0)[0]:
                return {"how": "ordered"}
            if time.monotonic() > look:
                look = time.monotonic() + 0.25
                resident = confine.resident(confine.descendants(os.getpid()), shared)
                apart = self.server.settings["bubblewrap"]
                if resident > memory * 2.25 or (apart and confine.sockets() > MOST_SOCKETS):
                    return {"how": "memory"}

    def _notebook(self, keeper: int) -> None:
        settings, facts, limits = self.server.settings, self.server.facts, self.job["limits"]
        work = self.job["work"] or confine.WORK
        os.makedirs(work, exist_ok=True)
        if settings["uid"] is not None:
            os.chown(work, settings["uid"], settings["uid"])
        os.chdir(work)
        os.setsid()
        confine.own_keys()
        confine.limit(**limits)
        confine.become(settings["uid"])
        confine.die_with(keeper)
        if facts["filter"]:
            syscalls.install()
        if not facts["namespaces"]:
            confine.prctl(confine.SET_SUBREAPER, 1)
        for name in ("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR"):
            os.environ[name] = work
        sweep = (
            confine.kill_all_others
            if os.getpid() == 1
            else lambda: confine.kill_descendants(os.getpid())
        )
        channel = Channel(self.channel, self.channel)
        Notebook(
            self.server.shell, channel, sweep, lambda: confine.limit_again(limits["memory"])
        ).work()


class Notebook:
    """Runs the cells that it is sent, then answers calls, one fork for each challenge."""

    def __init__(
        self,
        shell: Any,
        channel: Channel,
        sweep: Callable[[], Any],
        room: Callable[[], Any] = lambda: None,
    ) -> None:
        self.shell, self.channel, self.sweep, self.room = shell, channel, sweep, room
        self.asked: dict[tuple[int, bytes], dict] = {}
        self.questions, self.turn = 0, threading.Lock()
        calls.Asked.ask = self._ask

    def work(self, forks: bool = True) -> None:
        """Until the channel closes. Does not return."""
        with contextlib.suppress(Ended, OSError):
            self._run_cells(self.channel.receive())
            while True:
                request = self.channel.receive()
                if "name" not in request:  # a reply that nobody waits for any more
                    continue
                self.asked.clear()
                _settle()
                self.room()
                self.sweep()
                # The last one leaves nothing to disturb, and needs no copy unless a thread runs on.
                if forks and not (request["last"] and threading.active_count() == 1):
                    self._answer_in_a_fork(request)
                else:
                    self.channel.send_bytes(self._answer(request))
        os._exit(0)

    def _run_cells(self, job: dict) -> None:
        """job: `cells` is a list of (number, source, whole); `seconds` for a cell, `total` for all.

        What is left of a notebook when its time is over is run with its definitions only.
        """
        end = time.monotonic() + job["total"]
        running = cells.begin(self.shell, job.get("files", {}))
        for number, source, whole in job["cells"]:
            left = end - time.monotonic()
            late = left < SECONDS_FOR_A_DEFINITION
            self.channel.send({"cell": number, "late": late})
            limit = SECONDS_FOR_A_DEFINITION if late else min(job["seconds"], left)
            before = waited()
            error = running.run(source, limit, whole and not late)
            if error is not None:
                self.channel.send({"cell": number, **error, "waited": waited() - before})
        self.channel.send({"ran": len(job["cells"])})

    def _answer_in_a_fork(self, request: dict) -> None:
        reads, writes = os.pipe()
        pid = _fork_patiently()
        if pid is None:  # the notebook has left itself no room for another process
            os.close(reads)
            os.close(writes)
            self.channel.send_bytes(self._answer(request))
            return
        if pid == 0:
            try:
                os.close(reads)
                Channel(-1, writes).send_bytes(self._answer(request))
                os._exit(0)
            finally:
                os._exit(1)
        os.close(writes)
        answer, how = self._collect(pid, reads, request["seconds"] + GRACE)
        os.close(reads)
        self.channel.send_bytes(answer if how is None else values.encode(how))

    def _collect(self, pid: int, reads: int, seconds: float) -> tuple[bytes, dict | None]:
        """What a fork wrote, or how it ended before it had written all."""
        end, buffer, size, ended = time.monotonic() + seconds, bytearray(), None, None
        while size is None or len(buffer) < size:
            left = end - time.monotonic()
            if left <= 0:
                starved = waited(pid)
                _end_child(pid)
                return b"", {"how": "time", "waited": starved}
            if select.select([reads], [], [], min(left, 0.02 if ended is None else 0))[0]:
                part = os.read(reads, 1 << 20)
                if part:
                    buffer += part
                    if size is None and len(buffer) >= 8:
                        size = 8 + int.from_bytes(buffer[:8], "big")
                    if len(buffer) > MOST_ANSWER + 8:
                        _end_child(pid)
                        return b"", {"how": "bytes"}
                    continue
            elif ended is None:
                ended = _ended(pid)
                continue
            return b"", ended if ended is not None else _how(_end_child(pid))
        if ended is None:
            _end_child(pid)
        return bytes(buffer[8:]), None

    def _answer(self, request: dict) -> bytes:
        thing = self.shell.user_ns.get(request["name"], calls.MISSING)
        asked = [calls.Call.from_plain(call) for call in request["calls"]]
        before = waited()
        began, seconds, uses = time.monotonic(), request["seconds"], request["uses"]
        work = calls.perform(asked, thing, seconds=seconds, ask_uses=uses)
        if cells.met_a_matrix(work):
            left = max(0.1, began + seconds - time.monotonic())
            with cells.arrays_from(self.shell, uses):
                work = calls.perform(asked, thing, seconds=left, ask_uses=uses)
        return _encoded(work, waited() - before)

    def _ask(self, number: int, value: Any) -> Any:
        """What a layer that is handed in makes of `value`. It is computed by the grader.

        So neither its name nor its weights are anywhere where a learner's code can look.
        """
        key = (number, values.encode(value))
        if key not in self.asked:
            with self.turn, _undisturbed():
                self.questions += 1
                self.channel.send({"ask": number, "of": value, "question": self.questions})
                reply = self.channel.receive()
                while reply.get("question") != self.questions:
                    reply = self.channel.receive()
            self.asked[key] = reply
        reply = self.asked[key]
        if "error" in reply:
            kind = getattr(builtins, reply["error"], None)
            known = isinstance(kind, type) and issubclass(kind, Exception)
            raise (kind if known else RuntimeError)(reply["message"])
        return values.plain(reply["value"])


def _encoded(work: Any, starved: float = 0.0) -> bytes:
    """The work as bytes; answers that are too large together are replaced by that word."""
    with contextlib.suppress(values.TooLarge):
        data = values.encode({"work": work.to_plain(), "waited": starved})
        if len(data) <= MOST_ANSWER and int.from_bytes(data[4:12], "big") <= MOST_HEAD:
            return data
    too_large = calls.Result(
        "too large", error=(("TooLarge",), "the answers together are too large", "")
    )
    answers = tuple((too_large,) for _ in work.answers)
    return values.encode({"work": calls.Work(work.found, work.uses, answers).to_plain()})


def serve_once(shell: Any, settings: dict) -> None:
    """Where nothing can fork: one notebook in this process, cells and calls. Does not return."""
    channel = Channel(os.dup(0), os.dup(1))
    _nothing_on_standard_streams()
    if sys.platform.startswith("linux"):
        confine.limit(**settings["limits"])
        confine.become(None)
    np.random.seed(0)
    Notebook(shell, channel, lambda: None).work(forks=False)


def waited(pid: int | str = "self") -> float:
    """Seconds for which a process could have run and had no processor; 0 where nothing tells."""
    with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/schedstat") as f:
        return int(f.read().split()[1]) / 1e9
    return 0.0


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """No timer rings in the middle of a message; it rings after it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _nothing_on_standard_streams() -> None:
    """What a notebook prints is thrown away, and there is nothing to read."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _fork_patiently() -> int | None:
    """A fork, tried for a second where there is no room; None where there is none even then.

    Without namespaces all notebooks share one count of processes, which another may have filled.
    """
    end = time.monotonic() + 1.0
    while True:
        try:
            return os.fork()
        except OSError:
            if time.monotonic() > end:
                return None
            time.sleep(0.02)


def _settle() -> None:
    """Take back what a cell may have set that would disturb the calls: signals, timers, tracing."""
    sys.settrace(None)
    sys.setprofile(None)
    if hasattr(signal, "pthread_sigmask"):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _ended(pid: int) -> dict | None:
    """How a child ended, or None while it lives."""
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:  # a thread of the learner's took leave of it
        return {"how": "exit", "number": "unknown"}
    return _how(status) if found else None


def _how(status: int) -> dict:
    """A wait status in words."""
    if os.WIFSIGNALED(status):
        return {"how": "signal", "number": os.WTERMSIG(status)}
    return {"how": "exit", "number": os.WEXITSTATUS(status)}


def _end_child(pid: int) -> int:
    """Kill a child and take leave of it; its wait status."""
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        return os.waitpid(pid, 0)[1]
    return 0


def _everything(handle: int) -> bytes:
    """What is left to read, without waiting for writers that may never close."""
    data = b""
    while select.select([handle], [], [], 0)[0] and (part := os.read(handle, 1 << 16)):
        data += part
    os.close(handle)
    return data

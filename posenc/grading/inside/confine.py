"""What a process gives up before a learner's code runs in it, and how all that it left is ended.

Linux only, by the C library and /proc. Each step says what it achieved or raises OSError, so that
the caller can say what holds on this machine and go on with less.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import resource
import signal
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

NEW_MOUNTS, NEW_IPC, NEW_USERS, NEW_PIDS = 0x00020000, 0x08000000, 0x10000000, 0x20000000
NO_SUID, NO_DEVICES, BIND, RECURSIVE, PRIVATE = 2, 4, 0x1000, 0x4000, 1 << 18
SET_DEATH_SIGNAL, SET_DUMPABLE, DROP_BOUNDING, SET_SUBREAPER, NO_NEW_PRIVILEGES = 1, 4, 24, 36, 38
CAPABILITIES_VERSION_3 = 0x20080522
KEYS_OF_A_SESSION = {"x86_64": 250, "aarch64": 219}  # keyctl
JOIN_SESSION_KEYRING = 1
FOLDERS_TO_COVER = ("/tmp", "/var/tmp", "/dev/shm")
ROOM = "size=64m,nr_inodes=4096,mode=1777"
WORK = f"{FOLDERS_TO_COVER[0]}/work"  # where only this notebook sees and writes

_c = ctypes.CDLL(None, use_errno=True)


class Mapping:
    """Which users a new user namespace knows, agreed between a process in it and its parent.

    A process may map its own user by itself. Root keeps a second user for the learner's code, and
    only a process that stayed outside may write such a map: the parent, when it is asked.
    """

    def __init__(self, uid: int | None) -> None:
        self.uid = uid
        self.asked, self.ask = os.pipe()
        self.granted, self.grant = os.pipe()

    def close(self) -> None:
        """Close the ends that this process still holds."""
        for handle in (self.asked, self.ask, self.granted, self.grant):
            with contextlib.suppress(OSError):
                os.close(handle)

    def inside(self) -> None:
        """In the new namespace: get the map. OSError where there is none to be had."""
        if self.uid is None:
            _map_self(os.geteuid(), os.getegid())
            return
        os.close(self.grant)  # so that the end of the parent ends the wait
        os.write(self.ask, b"?")
        if os.read(self.granted, 1) != b"y":
            raise OSError("the user map was refused")

    def outside(self, pid: int) -> None:
        """In the parent: wait for the question of process `pid`, answer it, and close."""
        os.close(self.ask)  # so that the end of the process ends the wait
        if self.uid is not None and os.read(self.asked, 1):
            try:
                for name, ours in (("uid_map", os.geteuid()), ("gid_map", os.getegid())):
                    _write(f"/proc/{pid}/{name}", f"{ours} {ours} 1\n{self.uid} {self.uid} 1\n")
                os.write(self.grant, b"y")
            except OSError:
                os.write(self.grant, b"n")
        for handle in (self.asked, self.granted, self.grant):
            os.close(handle)


def own_namespaces(mapping: Mapping, keep: Sequence[str]) -> None:
    """Put this process and its next child apart within Bubblewrap: processes, messages, mounts.

    Fresh, small memory file systems cover the writable folders; `keep` names folders below them
    that stay visible (Python itself). The network is Bubblewrap's, which has none.
    """
    flags = NEW_USERS | NEW_MOUNTS | NEW_IPC | NEW_PIDS
    prctl(SET_DUMPABLE, 1)  # else /proc/self/uid_map belongs to root
    _checked(_c.unshare(flags))
    mapping.inside()
    mapping.close()
    prctl(SET_DUMPABLE, 0)
    mount("none", "/", flags=RECURSIVE | PRIVATE)
    for folder in FOLDERS_TO_COVER:
        if os.path.isdir(folder) and not os.path.islink(folder):
            cover(folder, keep)


def cover(folder: str, keep: Sequence[str]) -> None:
    """Mount an empty memory file system over `folder`; what is in `keep` shows through."""
    inside = [k for k in keep if Path(folder) in Path(k).parents and os.path.isdir(k)]
    held = {k: os.open(k, os.O_PATH | os.O_DIRECTORY) for k in inside}
    mount("tmpfs", folder, "tmpfs", NO_SUID | NO_DEVICES, ROOM)
    for path, handle in held.items():
        os.makedirs(path, exist_ok=True)
        mount(f"/proc/self/fd/{handle}", path, flags=BIND | RECURSIVE)
        os.close(handle)


def mount(
    source: str, target: str, kind: str | None = None, flags: int = 0, options: str = ""
) -> None:
    """The system call, with OSError where it is refused."""
    _checked(
        _c.mount(
            source.encode(),
            target.encode(),
            kind.encode() if kind else None,
            ctypes.c_ulong(flags),
            options.encode() or None,
        )
    )


def own_keys() -> None:
    """A session keyring of this process's own: that of the user's login is inherited otherwise."""
    number = KEYS_OF_A_SESSION.get(platform.machine())
    if number is not None:
        _c.syscall(ctypes.c_long(number), JOIN_SESSION_KEYRING, None)


def sockets() -> int:
    """How many local sockets there are in this network namespace; their data are in no file."""
    try:
        with open("/proc/net/unix", "rb") as table:
            return sum(1 for _ in table) - 1
    except OSError:
        return 0


def become(uid: int | None) -> None:
    """Give up root for `uid` (if any), every capability, and the way back to either."""
    for capability in range(41):
        _c.prctl(DROP_BOUNDING, capability, 0, 0, 0)
    if uid is not None:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION_3, 0)
    _c.capset(ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))
    prctl(NO_NEW_PRIVILEGES, 1)
    prctl(SET_DUMPABLE, 0)


def limit(memory: int, processes: int, seconds: int, file_size: int, files: int) -> None:
    """Bound what this process and its children may take. `memory` is beyond what it has now.

    What the cells keep does not count against the calls: see `limit_again`.
    """
    _bound(resource.RLIMIT_AS, _address_space() + memory, _address_space() + 2 * memory)
    _bound(resource.RLIMIT_NPROC, processes)
    _bound(resource.RLIMIT_CPU, seconds)
    _bound(resource.RLIMIT_FSIZE, file_size)
    _bound(resource.RLIMIT_NOFILE, files, files + 64)
    _bound(resource.RLIMIT_CORE, 0)
    for name in ("RLIMIT_MSGQUEUE", "RLIMIT_MEMLOCK"):
        if hasattr(resource, name):
            _bound(getattr(resource, name), 0)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file too large is an error, not an end
    with contextlib.suppress(OSError):
        _write("/proc/self/oom_score_adj", "1000")  # if memory runs out, end this before the grader


def limit_again(memory: int) -> None:
    """Let this process take `memory` beyond what it has now, and open files, within limits."""
    with contextlib.suppress(OSError, ValueError):
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (min(_address_space() + memory, most), most))


def prctl(option: int, value: int) -> None:
    """The system call; OSError where it is refused."""
    _checked(_c.prctl(option, ctypes.c_ulong(value), 0, 0, 0))


def die_with(parent: int) -> None:
    """Be killed as soon as the process that made this one ends."""
    prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() not in (parent, 0):  # 0: the parent is outside this process namespace
        os._exit(1)


def descendants(root: int) -> list[int]:
    """The processes below `root`, by /proc; zombies are left out."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        parent, state = _parent_and_state(int(name))
        if state not in ("Z", "X", ""):
            children.setdefault(parent, []).append(int(name))
    found, queue = [], [root]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def kill_descendants(root: int) -> int:
    """Stop and then kill every process below `root`; how many there were.

    Stopping first: a process that forks faster than it is killed is caught once it stands still.
    """
    seen: set[int] = set()
    for _ in range(100):
        new = [pid for pid in descendants(root) if pid not in seen]
        if not new:
            break
        for pid in new:
            _signal(pid, signal.SIGSTOP)
        seen.update(new)
    for pid in seen:
        _signal(pid, signal.SIGKILL)
    reap()
    return len(seen)


def kill_all_others() -> None:
    """End every other process of this process namespace, of which this process is the first."""
    with contextlib.suppress(OSError):
        os.kill(-1, signal.SIGKILL)
    reap()


def reap() -> None:
    """Take leave of children that have ended, for at most a tenth of a second."""
    end = time.monotonic() + 0.1
    with contextlib.suppress(OSError):
        while time.monotonic() < end:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                if not _has_dying_children():
                    return
                time.sleep(0.001)


def resident(pids: Iterable[int], shared: int) -> int:
    """Bytes in memory of the processes together; `shared` bytes of each are taken as common."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            total += max(0, pages * resource.getpagesize() - shared)
    return total


def _parent_and_state(pid: int) -> tuple[int, str]:
    try:
        handle = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
        try:
            text = os.read(handle, 1024).decode("ascii", "replace")
        finally:
            os.close(handle)
        fields = text[text.rindex(")") + 2 :].split()
        return int(fields[1]), fields[0]
    except (OSError, ValueError, IndexError):
        return -1, ""


def _has_dying_children() -> bool:
    me = os.getpid()
    for name in os.listdir("/proc"):
        if name.isdigit() and _parent_and_state(int(name))[0] == me:
            return True
    return False


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def _address_space() -> int:
    """Bytes of address space that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _bound(kind: int, value: int, most: int | None = None) -> None:
    """Set a limit, and what it may be raised to, within what the system allows."""
    _, allowed = resource.getrlimit(kind)
    most = value if most is None else most
    if allowed != resource.RLIM_INFINITY:
        value, most = min(value, allowed), min(most, allowed)
    resource.setrlimit(kind, (value, most))


def _checked(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _map_self(user: int, group: int) -> None:
    """Map the one user that a process without rights may map: its own."""
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1\n")
    _write("/proc/self/gid_map", f"{group} {group} 1\n")


def _write(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)

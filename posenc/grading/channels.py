"""Ways by which one notebook could leave something for another, each tried from both ends.

For each channel of the kernel between two processes of one user there is a cell that leaves a mark
there and a function `probe` that looks for it from another notebook: `probe` returns True where
nothing is found. Some marks last; others are there only while the notebook that left them runs.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from posenc.grading.warm import Lost, Session, WarmProcess
from posenc.judging import values
from posenc.judging.calls import Call, Work

SECONDS = 10.0


@dataclass(frozen=True)
class Channel:
    """A way from one notebook to another: `leave` is a cell, `find` a cell that defines `probe`."""

    name: str
    leave: str
    find: str


COMMON = """
import contextlib, ctypes, errno, fcntl, os, platform, re, socket, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
x86 = platform.machine() == "x86_64"
def call(number, *arguments):
    ctypes.set_errno(0)
    libc.syscall.restype = ctypes.c_long
    return libc.syscall(ctypes.c_long(number), *arguments)
def stay():
    # A process that is left behind, in a session of its own, without what it inherited.
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        return True
    return False
NUMBER = int(MARK, 16) % 2**30
BIG = ["/usr/bin/env", "/bin/sh", os.path.realpath(sys.executable)]
BIG = [path for path in BIG if os.path.exists(path)]
def folders():
    tops = ["/", *(line.split()[4] for line in open("/proc/self/mountinfo"))]
    seen = []
    for top in tops:
        for folder, below, files in os.walk(top):
            deep = folder.count("/") - top.count("/")
            below[:] = [b for b in below if b not in ("proc", "sys")][:40] if deep < 2 else []
            if folder not in seen and not folder.startswith(("/proc", "/sys")):
                seen.append(folder)
            if len(seen) > 4000: return seen
    return seen
"""
FILES_LEFT = """
for folder in folders():
    with contextlib.suppress(OSError): open(f"{folder}/.left-{MARK}", "w").close()
    with contextlib.suppress(OSError): os.mkdir(f"{folder}/.left-{MARK}-folder")
    with contextlib.suppress(OSError): os.symlink(MARK, f"{folder}/.left-{MARK}-link")
"""
FILES_FOUND = """
def probe():
    return not any(MARK in name for folder in folders() for name in os.listdir(folder))
"""
SYSTEM_V = """
KEYS = dict(shm=29, sem=64, msg=68) if x86 else dict(shm=194, sem=190, msg=186)
def get(kind, flags):
    if kind == "shm": return call(KEYS[kind], NUMBER, ctypes.c_size_t(4096), flags)
    return call(KEYS[kind], NUMBER, 1, flags) if kind == "sem" else call(KEYS[kind], NUMBER, flags)
"""
KEYRINGS = """
ADD, CONTROL = (248, 250) if x86 else (217, 219)
RINGS = {"thread": -1, "process": -2, "session": -3, "user": -4, "session of the user": -5}
"""
LOCKS = """
import struct
def kinds(handle):
    whole = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
    yield lambda: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    yield lambda: fcntl.fcntl(handle, fcntl.F_SETLK, whole)
    yield lambda: fcntl.fcntl(handle, 37, whole)
    yield lambda: fcntl.fcntl(handle, 1024, fcntl.F_RDLCK)
"""
CHANNELS = (
    Channel(
        "files, in any folder that can be written",
        FILES_LEFT,
        FILES_FOUND,
    ),
    Channel(
        "named shared memory, semaphores and messages (System V)",
        SYSTEM_V
        + """
for kind in KEYS: get(kind, 0o1600)
""",
        SYSTEM_V
        + """
def probe(): return all(get(kind, 0) < 0 for kind in KEYS)
""",
    ),
    Channel(
        "message queues (POSIX)",
        """
OPEN = 240 if x86 else 180
print(call(OPEN, MARK.encode(), 0o102, 0o600, None))
""",
        """
OPEN = 240 if x86 else 180
def probe(): return call(OPEN, MARK.encode(), 0, 0, None) < 0
""",
    ),
    Channel(
        "keyrings",
        KEYRINGS
        + """
for ring in RINGS.values(): call(ADD, b'user', MARK.encode(), b'found', 5, ring)
""",
        KEYRINGS
        + """
def probe():
    found = [call(CONTROL, 10, r, b'user', MARK.encode(), 0) for r in RINGS.values()]
    with contextlib.suppress(OSError):
        found.append(1 if MARK in open('/proc/keys').read() else -1)
    return max(found) < 0
""",
    ),
    Channel(
        "sockets with an abstract name",
        """
s = socket.socket(socket.AF_UNIX)
s.bind('\\0' + MARK); s.listen()
if stay(): time.sleep(60)
""",
        """
def probe():
    try: socket.socket(socket.AF_UNIX).connect('\\0' + MARK)
    except OSError: return MARK not in open('/proc/net/unix').read()
    return False
""",
    ),
    Channel(
        "the network of the machine itself",
        """
s = socket.socket()
s.bind(('127.0.0.1', 20000 + NUMBER % 20000)); s.listen()
if stay(): time.sleep(60)
""",
        """
def probe():
    try: socket.create_connection(('127.0.0.1', 20000 + NUMBER % 20000), 1)
    except OSError: return True
    return False
""",
    ),
    Channel(
        "kinds of sockets that keep tables in the kernel",
        "",
        """
def probe():
    for kind in (2, 10, 16, 17, 21, 30, 38, 40):
        try: socket.socket(kind, socket.SOCK_DGRAM).close()
        except OSError: continue
        return False
    return True
""",
    ),
    Channel(
        "processes that stay",
        """
if stay():
    sleeps = 'import time; time.sleep(60)'
    os.execv(sys.executable, [sys.executable, '-S', '-c', sleeps, MARK])
time.sleep(0.5)
""",
        """
def probe():
    for name in filter(str.isdigit, os.listdir('/proc')):
        with contextlib.suppress(OSError):
            if MARK.encode() in open(f'/proc/{name}/cmdline', 'rb').read(): return False
    return True
""",
    ),
    Channel(
        "locks and leases on files that all may read",
        LOCKS
        + """
held = []
for path in BIG:
    handle = os.open(path, os.O_RDONLY); held.append(handle)
    for lock in kinds(handle):
        with contextlib.suppress(OSError): lock()
if stay(): time.sleep(60)
""",
        LOCKS
        + """
def probe():
    for path in BIG:
        handle = os.open(path, os.O_RDONLY)
        try: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            if e.errno == errno.EAGAIN: return False
        for ask in (fcntl.F_GETLK, 36):
            want = struct.pack('hhqqi4x', fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            with contextlib.suppress(OSError):
                told = struct.unpack('hhqqi4x', fcntl.fcntl(handle, ask, want))
                if told[0] != fcntl.F_UNLCK: return False
        with contextlib.suppress(OSError):
            if fcntl.fcntl(handle, 1025) != fcntl.F_UNLCK: return False
    return True
""",
    ),
    Channel(
        "notices of what others read",
        """
if stay():
    while True:
        for path in BIG: open(path, 'rb').read(64)
        time.sleep(0.05)
""",
        """
def probe():
    handle = libc.inotify_init1(0o4000)
    if handle < 0: return True
    for path in BIG: libc.inotify_add_watch(handle, path.encode(), 0x23)
    time.sleep(0.5)
    try: return not os.read(handle, 4096)
    except BlockingIOError: return True
""",
    ),
    Channel(
        "what the kernel has read of a file",
        "",
        """
import mmap
def probe():
    with open(BIG[-1], 'rb') as file:
        room = mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_COPY)
    there = ctypes.create_string_buffer(1)
    where = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(room)))
    return libc.mincore(where, ctypes.c_size_t(4096), there) != 0
""",
    ),
    Channel(
        "terminals",
        """
ours, theirs = os.openpty(); os.write(ours, MARK.encode())
if stay(): time.sleep(60)
""",
        """
def probe():
    for name in os.listdir('/dev/pts') if os.path.isdir('/dev/pts') else ():
        if name.isdigit():
            with contextlib.suppress(OSError):
                flags = os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK
                os.close(os.open(f'/dev/pts/{name}', flags))
                return False
    try: os.close(os.open('/dev/tty', os.O_RDWR))
    except OSError: return True
    return False
""",
    ),
    Channel(
        "memory of other processes",
        """
secret = bytearray(MARK.encode() * 100)
if stay(): time.sleep(60)
""",
        """
def probe():
    me = os.getpid()
    for name in filter(str.isdigit, os.listdir('/proc')):
        if os.path.realpath('/proc/self') == f'/proc/{name}' or int(name) == me: continue
        with contextlib.suppress(OSError, ValueError):
            if open(f'/proc/{name}/stat').read().split()[3] == str(me): continue
        for what in ('mem', 'maps', 'environ'):
            with contextlib.suppress(OSError):
                open(f'/proc/{name}/{what}', 'rb').read(1); return False
    return True
""",
    ),
    Channel(
        "settings of the kernel",
        "",
        """
def probe():
    for folder, below, files in os.walk('/proc/sys'):
        for name in files:
            with contextlib.suppress(OSError, ValueError):
                handle = os.open(f'{folder}/{name}', os.O_RDWR)
                os.write(handle, os.read(handle, 4096)); return False
    return True
""",
    ),
    Channel(
        "further namespaces and mounts",
        "",
        """
def probe():
    libc.prctl(4, 1, 0, 0, 0)
    tried = [libc.unshare(0x10000000), libc.unshare(0x10020000), libc.setns(0, 0),
             libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)]
    pid = call(56 if x86 else 220, 0x10000000 | 17, None, None, None, None)
    if pid == 0: os._exit(0)
    return pid < 0 and all(n < 0 for n in tried)
""",
    ),
    Channel(
        "memory without a name or a size",
        "",
        """
def probe():
    found = [call(319 if x86 else 279, b'x', 0), call(447, 0),
             call(425, 8, None), call(323 if x86 else 282, 0)]
    return max(found) < 0
""",
    ),
)


def kept_apart(
    channel: Channel, leaver: WarmProcess, finder: WarmProcess, together: bool = False
) -> bool | None:
    """Whether a mark left in one notebook is not found in the next; None where it did not run.

    together: the first notebook still runs while the second looks, for which the two processes
    must not be the same.
    """
    mark = secrets.token_hex(6)
    with contextlib.ExitStack() as first:
        session = first.enter_context(leaver.notebook())
        with contextlib.suppress(Lost):
            run_cells(session, (f"MARK = {mark!r}", COMMON, channel.leave))
        if not together:
            first.close()
        with finder.notebook() as second:
            found = called(second, (f"MARK = {mark!r}", COMMON, channel.find))
    return found if isinstance(found, bool) else None


def run_cells(session: Session, cells: Sequence[str]) -> None:
    """Run cells in a notebook, whatever they raise. Lost where it ends in them."""
    job = {
        "cells": [[number, source, True] for number, source in enumerate(cells)],
        "seconds": SECONDS,
        "total": 3 * SECONDS,
    }
    session.send(values.encode(job), 5)
    while "ran" not in session.receive(2 * SECONDS):
        pass


def called(session: Session, cells: Sequence[str], name: str = "probe") -> Any:
    """What a function without arguments returns that the cells define; None where nothing is."""
    request = {
        "name": name,
        "calls": [Call().to_plain()],
        "seconds": SECONDS,
        "uses": [],
        "last": True,
    }
    try:
        run_cells(session, cells)
        session.send(values.encode(request), 5)
        work = Work.from_plain(session.receive(2 * SECONDS)["work"])
    except (Lost, KeyError, ValueError):
        return None
    return work.answers[0][0].value if work.answers and work.answers[0] else None

"""A filter of system calls: what no notebook needs and two could talk by, or hide memory in.

The filter is a small program for the kernel, built here as data (classic BPF; see the kernel's
Documentation/userspace-api/seccomp_filter.rst). It closes what mounts and namespaces do not: keys,
messages and memory that have no file, further namespaces, tracing, locks on files that all may
read, and every socket but those within the machine's own process groups.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Iterable

NO_NEW_PRIVILEGES, SET_SECCOMP, MODE_FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24  # where the kernel puts them; low halves
X32 = 0x40000000
NEW_NAMESPACES = 0x7E020000
LOCAL_SOCKETS = 1
# Commands of fcntl. Locks seem to work and lock nothing: a notebook has no file to share.
LOCKS, ASKS_FOR_LOCKS, OTHERS_OF_FCNTL = (6, 7, 37, 38), (5, 36), (1024, 1025, 1026, 1031)
TERMINAL_INPUT = (0x5412, 0x541C)

# By architecture: the kernel's mark, and the numbers of the system calls that are named below.
MARKS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NAMES = """
add_key request_key keyctl
unshare setns mount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick
mount_setattr
ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd perf_event_open bpf
shmget shmat shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl
mq_open mq_unlink memfd_create memfd_secret userfaultfd io_uring_setup io_uring_enter
io_uring_register inotify_init1 fanotify_init mincore cachestat
name_to_handle_at open_by_handle_at quotactl acct swapon swapoff syslog reboot
init_module finit_module delete_module kexec_load
settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname vhangup lookup_dcookie
"""
_NUMBERS = {
    "x86_64": """
248 249 250
272 308 165 166 155 161 429 428 430 431 432 433
442
101 310 311 312 438 298 321
29 30 31 64 65 220 66 68 69 70 71
240 241 319 447 323 425 426
427 294 300 27 451
303 304 179 163 167 168 103 169
175 313 176 246
164 227 159 305 170 171 153 212
""",
    "aarch64": """
217 218 219
97 268 40 39 41 51 429 428 430 431 432 433
442
117 270 271 272 438 241 280
194 196 195 190 193 192 191 186 189 188 187
180 181 279 447 282 425 426
427 26 262 232 451
264 265 60 89 224 225 116 142
105 273 106 104
170 112 171 266 161 162 58 18
""",
}
DENIED = {
    machine: dict(zip(_NAMES.split(), map(int, numbers.split()), strict=True))
    for machine, numbers in _NUMBERS.items()
}
# Of the oldest form there is no number on the newer architecture.
DENIED["x86_64"]["inotify_init"] = 253
# Where a library has another way, it takes it when it is told that this one is not there.
NOT_THERE = ("memfd_create", "memfd_secret", "inotify_init", "inotify_init1")
LOOKED_INTO = {
    "x86_64": {"socket": 41, "socketpair": 53, "clone": 56, "clone3": 435, "ioctl": 16,
               "fcntl": 72, "flock": 73},
    "aarch64": {"socket": 198, "socketpair": 199, "clone": 220, "clone3": 435, "ioctl": 29,
                "fcntl": 25, "flock": 32},
}  # fmt: skip

Step = tuple[int, int, int, int]


def program(machine: str) -> list[Step]:
    """The filter for `machine`, 'x86_64' or 'aarch64': (code, if true, if false, value) a step.

    KeyError for another machine, where no filter is known.
    """
    denied, looked_into = DENIED[machine], LOOKED_INTO[machine]
    fail, not_there = FAIL | errno.EPERM, FAIL | errno.ENOSYS
    steps: list[Step] = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, MARKS[machine]),
        (RETURN, 0, 0, fail),
        (LOAD, 0, 0, NUMBER),
        (JUMP_AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, fail),
    ]
    for name, number in sorted(denied.items(), key=lambda pair: pair[1]):
        steps += _if(number, [(RETURN, 0, 0, not_there if name in NOT_THERE else fail)])
    steps += _if(looked_into["clone3"], [(RETURN, 0, 0, not_there)])  # its flags cannot be seen
    steps += _if(looked_into["flock"], [(RETURN, 0, 0, FAIL)])
    for name in ("socket", "socketpair"):
        only = [(JUMP_EQUAL, 1, 0, LOCAL_SOCKETS), (RETURN, 0, 0, FAIL | errno.EAFNOSUPPORT)]
        steps += _if(looked_into[name], [(LOAD, 0, 0, FIRST), *only, (RETURN, 0, 0, ALLOW)])
    namespaces = [(JUMP_ANY_BIT, 0, 1, NEW_NAMESPACES), (RETURN, 0, 0, fail)]
    steps += _if(looked_into["clone"], [(LOAD, 0, 0, FIRST), *namespaces, (RETURN, 0, 0, ALLOW)])
    fcntl = [
        *_each(LOCKS, FAIL),
        *_each(ASKS_FOR_LOCKS, FAIL | errno.EINVAL),
        *_each(OTHERS_OF_FCNTL, fail),
    ]
    for name, within in (("ioctl", _each(TERMINAL_INPUT, fail)), ("fcntl", fcntl)):
        steps += _if(looked_into[name], [(LOAD, 0, 0, SECOND), *within, (RETURN, 0, 0, ALLOW)])
    return [*steps, (RETURN, 0, 0, ALLOW)]


def install() -> bool:
    """Put the filter on this process and all that it will start; whether there is one for it."""
    machine = platform.machine()
    if machine not in MARKS or struct.calcsize("P") != 8:
        return False
    data = packed(program(machine))
    held = ctypes.create_string_buffer(data, len(data))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    whole = Program(len(data) // 8, ctypes.addressof(held))
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(NO_NEW_PRIVILEGES, ctypes.c_ulong(1), 0, 0, 0)
    done = library.prctl(SET_SECCOMP, ctypes.c_ulong(MODE_FILTER), ctypes.byref(whole), 0, 0)
    return done == 0


def packed(steps: Iterable[Step]) -> bytes:
    """Steps as the kernel reads them."""
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _if(number: int, then: list[Step]) -> list[Step]:
    """`then` where what is loaded equals `number`. `then` ends in a return."""
    return [(JUMP_EQUAL, 0, len(then), number), *then]


def _each(values: Iterable[int], result: int) -> list[Step]:
    return [step for value in values for step in _if(value, [(RETURN, 0, 0, result)])]

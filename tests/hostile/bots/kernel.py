"""Calls of the kernel by number, with what came of each in a word. For probes."""

import ctypes
import errno
import mmap
import os
import platform
import signal
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
COLUMN = {"x86_64": 0, "aarch64": 1}[platform.machine()]
NUMBERS = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "perf_event_open": (298, 241), "bpf": (321, 280), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40),
    "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "fsopen": (430, 430),
    "open_tree": (428, 428), "move_mount": (429, 429), "mknodat": (259, 33),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262), "init_module": (175, 105), "finit_module": (313, 273),
    "kexec_load": (246, 104), "reboot": (169, 142), "swapon": (167, 224),
    "syslog": (103, 116), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "sethostname": (170, 161), "setuid": (105, 146), "setgid": (106, 144),
    "setgroups": (116, 159), "personality": (135, 92), "quotactl": (179, 60), "acct": (163, 89),
    "msgget": (68, 186), "semget": (64, 190), "shmget": (29, 194), "mq_open": (240, 180),
    "memfd_secret": (447, 447), "setxattr": (188, 5), "lookup_dcookie": (212, 18),
    "sched_setattr": (314, 274), "vhangup": (153, 58), "sync": (162, 81), "clone": (56, 220),
    "clone3": (435, 435), "prctl": (157, 167), "socket": (41, 198), "iopl": (172, None),
    "ioperm": (173, None), "modify_ldt": (154, None),
}  # fmt: skip
NEWUSER, NEWNS, NEWNET = 0x10000000, 0x20000, 0x40000000


def word(result):
    """`0`, or the name of the error."""
    return "0" if result >= 0 else errno.errorcode[ctypes.get_errno()]


def call(name, *arguments):
    """One call; the arguments that are left out are 0."""
    number = NUMBERS[name][COLUMN]
    if number is None:
        return "no such call"
    values = [
        ctypes.c_char_p(each) if isinstance(each, bytes) else ctypes.c_long(each)
        for each in (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    ]
    return word(LIBC.syscall(ctypes.c_long(number), *values))


def apart(act):
    """What a call gives in a child, which may die of it: then the signal's name."""
    ends = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(ends[1], str(act()).encode())
        os._exit(0)
    os.close(ends[1])
    said = os.read(ends[0], 200).decode()
    os.close(ends[0])
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return signal.Signals(-status).name if status < 0 else said


def machine(code):
    """Run these bytes as a function without arguments."""
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    result = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    return "0" if result >= 0 else errno.errorcode.get(-result, str(result))


def old(number, *arguments):
    """A call of 32 bits (int 0x80) with up to two numbers, on x86_64."""
    if COLUMN:
        return "no such call"
    first, second = (*arguments, 0, 0)[:2]
    code = b"\x53" + b"".join(  # ebx is the caller's
        opcode + struct.pack("<I", value & 0xFFFFFFFF)
        for opcode, value in ((b"\xb8", number), (b"\xbb", first), (b"\xb9", second))
    )
    return apart(lambda: machine(code + b"\xba\0\0\0\0\xcd\x80\x5b\xc3"))


def x32(number, *arguments):
    """A call by the x32 way (its number with bit 30), on x86_64."""
    if COLUMN:
        return "no such call"
    return apart(lambda: word(LIBC.syscall(ctypes.c_long(0x40000000 | number), *arguments)))

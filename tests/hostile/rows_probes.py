"""What one bot gets of every door that it tries from inside its container, and what its leg before
has left to it. It plays a whole match meanwhile, against a bot that leaves its ticket lying about.
"""

import json
from collections.abc import Iterator

from tests.hostile.rows import Got
from tests.hostile.stage import Played

_CALLS = """
    ptrace (be traced), ptrace (attach to pid 1), process_vm_readv, process_vm_writev, kcmp,
    pidfd_getfd, process_madvise, perf_event_open, bpf, userfaultfd, io_uring_setup,
    io_uring_enter, io_uring_register, keyctl, add_key, request_key, unshare (user),
    unshare (mount), unshare (net), clone, setns, mount (tmpfs), mount (proc), umount2, pivot_root,
    chroot, fsopen, open_tree, move_mount, mknodat, name_to_handle_at, open_by_handle_at,
    fanotify_init, init_module, finit_module, kexec_load, reboot, swapon, syslog, clock_settime,
    adjtimex, sethostname, setuid, setgid, setgroups, personality, quotactl, acct, msgget, semget,
    shmget, mq_open, memfd_secret, setxattr, lookup_dcookie, vhangup, sync, prctl
"""
_READS = """
    /proc/kcore /proc/kmsg /proc/keys /proc/timer_list /proc/sched_debug /dev/mem /dev/sda /dev/kvm
    /dev/fuse /dev/vsock /dev/mqueue /sys/firmware /sys/kernel/debug/x /proc/scsi /proc/acpi
    /root/.ssh /home /var/lib/docker
"""
_WRITES = """
    /bot/well.py /etc/passwd /proc/sys/kernel/core_pattern /proc/sys/vm/drop_caches
    /proc/sysrq-trigger /proc/sys/kernel/hostname /proc/irq/default_smp_affinity
    /sys/kernel/uevent_helper /sys/kernel/mm/transparent_hugepage/enabled /proc/self/setgroups
    /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/memory/memory.limit_in_bytes
    /sys/fs/cgroup/pids/pids.max
"""
_X86 = "SIGSYS or no such call"
EXPECTED = {
    "TCP to its own loopback, where the host has Redis": "EPERM",
    "TCP to the bridge's gateway, Redis' port": "EPERM",
    "TCP to the bridge's gateway, the engine's port": "EPERM",
    "TCP to the metadata address": "EPERM",
    "TCP to the internet": "EPERM",
    "TCP over IPv6": "EPERM",
    "UDP to a name server": "EPERM",
    "the engine's socket": "ENOENT",
    "containerd's socket": "ENOENT",
    "the launcher's socket": "ENOENT",
    "the opponent's socket beside its own": "ENOENT",
    "an abstract socket of the host": "ECONNREFUSED",
    "an abstract socket of the opponent": "ECONNREFUSED",
    "a socket in the opponent's /tmp": "ENOENT",
    "socket: netlink": "EPERM",
    "socket: raw packets": "EPERM",
    "socket: raw IP": "EPERM",
    "socket: vsock": "EPERM",
    "socket: the kernel's ciphers": "EPERM",
    "socket: bluetooth": "EPERM",
    "socket: TIPC": "EPERM",
    "socket: XDP": "EPERM",
    "socket: CAN": "EPERM",
    "socket: vsock by a call of 32 bits": _X86,
    "socket: vsock by socketcall": _X86,
    "socket: vsock by an x32 call": _X86,
    "any call of 32 bits": _X86,
    "interfaces but lo": "EPERM",
    **{f"call: {name.strip()}": "EPERM" for name in _CALLS.split(",")},
    "call: clone3": "ENOSYS",
    "call: iopl": "EPERM or no such call",
    "call: ioperm": "EPERM or no such call",
    "priority above others": "EACCES",
    "real-time scheduling": "EPERM",
    "more open files": "EPERM",
    "a core file": "EPERM",
    "who it is": "a number 65534",
    "capabilities": "{0}",
    "new privileges, seccomp": "1 2",
    "processes of others that it sees": "0",
    "SIGKILL to pid 1 of its container": "0, it lives",
    "SIGSTOP to pid 1 of its container": "0, it lives",
    "SIGSEGV to pid 1 of its container": "0, it lives",
    "signal to a process outside": "ESRCH",
    "pid 1's environment": "own",
    "pid 1's root": "its own",
    "above the root": "its own root",
    "a setuid program of root's in its image": "itself",
    "the program that it made itself, in /tmp": "EACCES",
    "the program that it made itself, in /dev/shm": "EACCES",
    **{f"write: {path}": "EACCES or EROFS or ENOENT" for path in _WRITES.split()},
    "write: a lower oom_score_adj": "EACCES",
    "write: what runs when its control group is empty": "ENOENT or EACCES or EROFS",
    "write: a file beside its socket": "EROFS",
    "write: its socket removed": "EROFS",
    "write: its socket's mode": "EROFS",
    "write: a device": "EPERM",
    **{f"read: {path}": "ENOENT or EACCES or EPERM or nothing" for path in _READS.split()},
    "read: /proc/1/mem": "EIO",  # from its first page, where nothing is
    "devices": "full mqueue null pts random shm tty urandom zero",
    "mounts from the host": "/etc/hostname /etc/hosts /etc/resolv.conf /seat /usr/sbin/docker-init "
    "or /etc/hostname /etc/hosts /etc/resolv.conf /sbin/docker-init /seat",
    "disk: bytes in /tmp": "256 x 64 kB, ENOSPC",
    "disk: bytes in /dev/shm": "16 x 64 kB, ENOSPC",
    "disk: files in /tmp": "under 1024, ENOSPC",
    "disk: files in /dev/shm": "under 64, ENOSPC",
    "open files": "EMFILE",
    "processes": "under 64: True, EAGAIN",
    "memory that it is told": "128",
    "at its seat: knockbox.v1.MatchService": "UNIMPLEMENTED",
    "at its seat: knockbox.v1.ArenaService": "UNIMPLEMENTED",
    "at its seat: knockbox.v1.LaunchService": "UNIMPLEMENTED",
    "at its seat: grpc.health.v1.Health": "UNIMPLEMENTED",
    "at its seat: grpc.reflection.v1alpha.ServerReflection": "UNIMPLEMENTED",
    "marks: files and sockets of another leg": "none",
    "marks: host name": "bot",
}
TICKETS = {
    "its environment": "its own",
    "pid 1's environment": "its own",
    "environments of all processes": "its own",
    "arguments of all processes": "nothing",
    "mounts": "nothing",
    "control groups' names": "nothing",
    "host name and labels": "nothing",
    "files it may write": "nothing",
    "files of /run, /etc, /var/log, /seat": "nothing",
    "unix sockets' names": "nothing",
    "memory of pid 1": "its own or nothing or EACCES or EPERM",
    "memory of its own": "its own",
}


def probed(played: Played) -> Iterator[Got]:
    """The rows of a match of probes.py: what both legs told, and what differs between them."""
    told = [json.loads(text.partition("\n")[0]) for text in played.texts]
    for name, expected in EXPECTED.items():
        got = dict.fromkeys(leg["found"].get(name, "not tried") for leg in told)
        yield Got("probe", name, expected, "; then ".join(got))
    for unknown in {name for leg in told for name in leg["found"]} - EXPECTED.keys():
        yield Got("probe", unknown, "a row of its own", "none")
    yield from _looted(played, told)
    yield from _between_legs(played, told)


def _looted(played: Played, told: list[dict]) -> Iterator[Got]:
    own = played.tickets("hostile")
    every = [*own, *played.tickets("good")]
    for place, expected in TICKETS.items():
        got = []
        for leg, mine in zip(told, own, strict=True):
            found = leg["tickets"][place]
            others = [one for one in every if one != mine and one[:8] in found]
            errors = [each for each in found if each in ("EACCES", "EPERM")]
            word = "its own" if "own" in found else errors[0] if errors else "nothing"
            got.append("ANOTHER'S" if others else word)
        yield Got("ticket", f"the other's in {place}", expected, "; then ".join(dict.fromkeys(got)))


def _between_legs(played: Played, told: list[dict]) -> Iterator[Got]:
    """What a bot could know its former leg by."""
    first, second = (leg["leg"] for leg in told)
    mine, also = played.tickets("hostile")
    for name, expected, same in (
        ("user", "another", first["user"] == second["user"]),
        ("container", "another", bool(set(first["group"]) & set(second["group"]))),
        ("environment", "the same", first["environment"] == second["environment"]),
        ("ticket", "another", mine == also),
    ):  # fmt: skip
        yield Got("leg", f"in the next leg: {name}", expected, "the same" if same else "another")

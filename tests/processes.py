"""Ctrl-C for a program under test, sent when it can take it; and how much it works, which tells more on a busy machine
than how long it takes."""

import os
import pathlib
import resource
import signal
import time


def wait_until_it_handles(process, number=signal.SIGINT):
    """Until the program has its own handler for the signal, or is over: before that, the signal just kills it."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            caught = next(line for line in file if line.startswith("SigCgt:"))
        if int(caught.split()[1], 16) >> (number - 1) & 1:
            return
        time.sleep(0.01)


def seconds_worked(pid):
    """The CPU time that a process and all that it started have had so far."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        children = [child for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
                    for child in (task / "children").read_text(encoding="ascii").split()]
    except (FileNotFoundError, ProcessLookupError):
        return 0  # it has just ended
    # utime, stime and those of children that have ended (man 5 proc).
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(seconds_worked, children))


def seconds_worked_by_ended_children():
    """The CPU time of all processes that this one started and that are over."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime

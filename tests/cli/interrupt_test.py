#!/usr/bin/env python3
"""Ctrl-C: whatever runs ends soon, with what there is.

How soon depends on what else runs on the machine. How much the program still works does not, so that is what is limited."""

import json
import os
import signal
import subprocess
import time
import unittest

from cyclescope import COMMAND, EMULATED, TEXTS, TIMEOUT_SECONDS, CliTest, environment, impatient
from processes import seconds_worked, seconds_worked_by_ended_children, wait_until_it_handles

CPUS = len(os.sched_getaffinity(0))
TWO_CPUS = CPUS > 1


def slowness():
    """How much longer than on a usual machine work takes here, 1 at least."""
    begin = time.process_time()
    sum(range(5_000_000))
    return max(1, (time.process_time() - begin) / 0.1) * (10 if EMULATED else 1)


def most_seconds():
    """A second is what we promise. With very many CPUs more threads have something to end."""
    return slowness() * (1 + CPUS / 50)


class InterruptTest(CliTest):
    def assert_ends_soon(self, *arguments, after=1.0):
        """It is interrupted some time after it can be, and what it leaves is a partial document. By itself it would go
        on for so long that we cannot come too late."""
        ended_before = seconds_worked_by_ended_children()
        with subprocess.Popen(
            [*COMMAND, *map(str, impatient(*arguments)), "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), encoding="utf-8", cwd=self.folder,
        ) as process:
            wait_until_it_handles(process)
            time.sleep(after)
            before = seconds_worked(process.pid)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        self.assertEqual(process.returncode, 3, err)
        self.assertEqual(err.count("interrupted: the result has what was measured until then\n"), 1, err)
        document = json.loads(out)
        self.assertTrue(document["partial"])
        self.assert_valid(document)
        worked = seconds_worked_by_ended_children() - ended_before - before
        self.assertLess(worked, most_seconds())

    def test_instructions(self):
        for after in (0, 0.3, 1):
            self.assert_ends_soon("instruction", *[TEXTS.divide] * 10_000, after=after)

    def test_code_that_never_ends(self):
        file = self.folder / "blocks.txt"
        file.write_text(f"{TEXTS.endless}\n" * 200, encoding="utf-8")  # of two seconds each
        self.assert_ends_soon("block", "--file", file)

    def test_sweep(self):
        for after in (0, 0.3, 2):
            self.assert_ends_soon("sweep", "--journal", "/dev/null", after=after)

    def test_ports(self):
        self.assert_ends_soon("ports", *[TEXTS.divide] * 1000)

    def test_memory(self):
        # Many footprints: all of memory is linked in one go, which takes a slow machine long.
        sizes = ",".join(f"{kilobytes}K" for kilobytes in range(4, 16000, 8))
        for after in (0.3, 1):
            self.assert_ends_soon("memory", "--sizes", sizes, after=after)

    def test_survey(self):
        for after in (0.3, 3):
            self.assert_ends_soon("survey", "--full", "--no-files", after=after)

    @unittest.skipUnless(TWO_CPUS, "needs two CPUs")
    def test_cores(self):
        self.assert_ends_soon("cores", "--test", "all", "--duration", "1000")


if __name__ == "__main__":
    unittest.main()

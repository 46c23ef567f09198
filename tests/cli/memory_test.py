#!/usr/bin/env python3
"""`memory`: what it prints and writes, what bounds it, and how it refuses."""

import csv
import io
import json
import os
import resource
import signal
import subprocess
import time
import unittest

from cyclescope import COMMAND, MACHINES, SOME_CPU, CliTest, environment, on_linux, run

# A run that is over soon: few footprints, none of them large.
FEW = ("--sizes", "4K,64K,1M")


def catches_interrupts(pid):
    """Whether the process has a handler for Ctrl-C by now."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        caught = next(line.split()[1] for line in status if line.startswith("SigCgt:"))
    return int(caught, 16) >> (signal.SIGINT - 1) & 1


class MemoryTest(CliTest):
    def document(self, *arguments):
        ended = run("memory", *arguments, "--json")
        self.assertIn(ended.code, (0, 3), ended.err)
        document = ended.json()
        self.assert_valid(document)
        return document

    def test_quick_run_reads_levels_from_its_curve(self):
        (row,) = self.document("--quick")["memory"]
        self.assertEqual(row["cpu"], max(os.sched_getaffinity(0)))
        self.assertGreaterEqual(row["line_bytes"], 16)
        for curve in row["curves"]:
            sizes = [point["bytes"] for point in curve["points"]]
            self.assertEqual(sizes, sorted(set(sizes)))
            for point in curve["points"]:
                self.assert_value(point["cycles"])
                self.assert_value(point["ns"])
        # How many levels are seen depends on how busy the machine is.
        for level in row["levels"]:
            self.assert_value(level["ns"])
        for level in row["levels"][-1:]:
            self.assertNotIn("capacity_bytes", level)

    def test_quick_run_ends_by_itself_in_bounded_time(self):
        """What it may take is its own clock's; starting and writing on a busy machine is not."""
        document = self.document("--quick", "--cpu", max(os.sched_getaffinity(0)))
        self.assertFalse(document.get("partial", False))

    def test_chosen_footprints_alone(self):
        (row,) = self.document(*FEW)["memory"]
        for curve in row["curves"]:
            # A machine that is busy enough leaves no value of some footprint.
            self.assertLessEqual({point["bytes"] for point in curve["points"]}, {4096, 65536, 1 << 20})
        self.assertEqual(row["levels"], [])

    def test_text_and_table(self):
        ended = run("memory", *FEW)
        self.assertIn("Memory from CPU", ended.out)
        self.assertIn("visits", ended.out)

    def test_csv(self):
        ended = run("memory", *FEW, "--export-csv", "-")
        rows = list(csv.DictReader(io.StringIO(ended.out)))
        self.assertLessEqual({row["bytes"] for row in rows}, {"4096", "65536", "1048576"})
        for row in rows:
            self.assertLessEqual(float(row["ns_low"]), float(row["ns"]))
            self.assertLessEqual(float(row["ns"]), float(row["ns_high"]))

    def test_report_shows_what_was_saved(self):
        file = self.folder / "result.json"
        run("memory", *FEW, "--export-json", file)
        self.assertIn("Memory from CPU", run("report", file).out)
        ended = run("compare", file, file)
        self.assertEqual(ended.code, 0, ended.err)

    def test_memory_is_bounded(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        run("memory", "--sizes", "1M,16M", "--json")
        most_kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        # Of all children so far: where an earlier one took more, this one says nothing.
        if most_kb > before:
            self.assertLess(most_kb, 256 * 1024)

    def test_budget_ends_with_what_there_is(self):
        ended = run("memory", "--budget", "0.3", "--json")
        self.assertEqual(ended.code, 3, ended.err)
        document = ended.json()
        self.assertTrue(document["partial"])
        self.assert_valid(document)

    @on_linux
    def test_interrupted_run_keeps_what_there_is(self):
        """As Ctrl-C sends it. The run's own budget ends it if the signal should come too late."""
        with subprocess.Popen(
            [*COMMAND, "memory", "--json", "--budget", "20"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), encoding="utf-8",
        ) as process:
            while process.poll() is None and not catches_interrupts(process.pid):
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate()
        self.assertEqual(process.returncode, 3, err)
        document = json.loads(out)
        self.assertTrue(document["partial"])
        self.assert_valid(document)

    def test_more_than_half_of_what_is_free_is_refused(self):
        self.assert_refused(run("memory", "--most", "900000G"), "half of it may be used")
        self.assert_refused(run("memory", "--sizes", "1K,900000G"), "half of it may be used")

    def test_what_is_no_size_is_refused(self):
        self.assert_refused(run("memory", "--sizes", "4K,much"), "'much' is no amount of memory")
        self.assert_refused(run("memory", "--most", "0"), "'0' is no amount of memory")
        self.assert_refused(run("memory", "--most", "5"), "5 B is too little memory")
        self.assert_refused(run("memory", "--sizes", "8"), "too small")

    def test_a_node_that_is_not_there_is_refused(self):
        self.assert_refused(run("memory", "--node", "4096", *FEW), "NUMA node 4096")

    @on_linux
    def test_a_recorded_topology_is_compared_with(self):
        topology = MACHINES / "xeon-2-sockets" / "topology.xml"
        (row,) = self.document("--quick", "--cpus", SOME_CPU, "--topology", topology)["memory"]
        recorded = {"L2": 256 << 10, "L3": 20 << 20}
        # How many levels are seen depends on how busy the machine is.
        for level in row["levels"]:
            cache = level["name"].split()[0]  # of "L3 or memory"
            self.assertEqual(level.get("claimed_bytes"), recorded.get(cache), level)

    def assert_value(self, value):
        self.assertLessEqual(value["low"], value["value"])
        self.assertLessEqual(value["value"], value["high"])
        self.assertGreaterEqual(value["low"], 0)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`memory`: what it prints and writes, what bounds it, and how it refuses."""

import csv
import io
import json
import os
import re
import resource
import signal
import subprocess
import time
import unittest

from cyclescope import COMMAND, MACHINES, SOME_CPU, TRIES, CliTest, environment, on_linux, run

# A run that is over soon: few footprints, none of them large.
FEW = ("--sizes", "4K,64K,1M")
FEW_BYTES = {4096, 65536, 1 << 20}
# What `--quick` measures takes 2.5 s at most, by the program's clock; the rest is starting and reading the topology.
QUICK_CPU_SECONDS = 5


def catches_interrupts(pid):
    """Whether the process has a handler for Ctrl-C by now."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        caught = next(line.split()[1] for line in status if line.startswith("SigCgt:"))
    return int(caught, 16) >> (signal.SIGINT - 1) & 1


def cpu_seconds():
    """What all children that have ended took of their CPUs, however long they waited for one."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class MemoryTest(CliTest):
    def document(self, *arguments):
        ended = run("memory", *arguments, "--json")
        self.assertIn(ended.code, (0, 3), ended.err)
        document = ended.json()
        self.assert_valid(document)
        return document

    def row_with_level(self, name, *arguments):
        """The row of a run that saw this level: a busy machine may hide it."""
        for _ in range(TRIES):
            (row,) = self.document(*arguments)["memory"]
            if any(level["name"].startswith(name) for level in row["levels"]):
                return row
        return self.fail(f"no {name} in {TRIES} runs")

    def test_quick_run_reads_levels_from_its_curve(self):
        row = self.row_with_level("L1", "--quick")
        self.assertEqual(row["cpu"], max(os.sched_getaffinity(0)))
        self.assertGreaterEqual(row["line_bytes"], 16)
        # A busy machine may leave no value of a curve, but that in which the level was seen has some.
        self.assertTrue(any(curve["points"] for curve in row["curves"]))
        for curve in row["curves"]:
            sizes = [point["bytes"] for point in curve["points"]]
            self.assertEqual(sizes, sorted(set(sizes)))
            for point in curve["points"]:
                self.assert_value(point["cycles"])
                self.assert_value(point["ns"])
        for level in row["levels"]:
            self.assert_value(level["ns"])
            # On a busy machine the curve may show no plateau behind the caches.
            if level["name"] == "memory":
                self.assertNotIn("capacity_bytes", level)

    def test_quick_run_ends_by_itself_in_bounded_time(self):
        """The time of its CPU, which other processes do not lengthen."""
        before = cpu_seconds()
        document = self.document("--quick", "--cpu", max(os.sched_getaffinity(0)))
        self.assertLess(cpu_seconds() - before, QUICK_CPU_SECONDS)
        self.assertFalse(document.get("partial", False))

    def test_chosen_footprints_alone(self):
        """A busy machine may leave no value of some footprint in one run, but not in all of them."""
        seen = set()
        for _ in range(TRIES):
            (row,) = self.document(*FEW)["memory"]
            self.assertEqual(row["levels"], [])
            seen |= {point["bytes"] for curve in row["curves"] for point in curve["points"]}
            if seen >= FEW_BYTES:
                break
        self.assertEqual(seen, FEW_BYTES)

    def test_text_has_a_line_for_each_footprint(self):
        """With the time that the document of the same run has."""
        file = self.folder / "result.json"
        ended = run("memory", *FEW, "--export-json", file)
        self.assertIn("Memory from CPU", ended.out)
        (row,) = json.loads(file.read_text(encoding="utf-8"))["memory"]
        points = [point for curve in row["curves"] for point in curve["points"]]
        self.assertTrue(points)
        sizes = {4096: "4 KB", 65536: "64 KB", 1 << 20: "1 MB"}
        for point in points:
            lines = [line for line in ended.out.splitlines() if line.strip().startswith(sizes[point["bytes"]] + " ")]
            times = [float(number) for line in lines for number in re.findall(r"\d+(?:\.\d+)?", line)]
            near = [time for time in times if abs(time - point["ns"]["value"]) <= 0.05 * point["ns"]["value"]]
            self.assertTrue(near, (point, ended.out))

    def test_csv(self):
        """Its rows are the points of the document that the same run writes."""
        file = self.folder / "result.json"
        ended = run("memory", *FEW, "--export-csv", "-", "--export-json", file)
        rows = list(csv.DictReader(io.StringIO(ended.out)))
        (row,) = json.loads(file.read_text(encoding="utf-8"))["memory"]
        points = [point for curve in row["curves"] for point in curve["points"]]
        self.assertTrue(points)
        self.assertEqual([int(row["bytes"]) for row in rows], [point["bytes"] for point in points])
        for line, point in zip(rows, points):
            for column, value in (("ns_low", "low"), ("ns", "value"), ("ns_high", "high")):
                self.assertAlmostEqual(float(line[column]), point["ns"][value], delta=0.01 * point["ns"]["value"])

    def test_report_shows_what_was_saved(self):
        file = self.folder / "result.json"
        run("memory", *FEW, "--export-json", file)
        self.assertIn("Memory from CPU", run("report", file).out)
        ended = run("compare", file, file)
        self.assertEqual(ended.code, 0, ended.err)

    def test_memory_is_bounded(self):
        with subprocess.Popen(
            [*COMMAND, "memory", "--sizes", "1M,16M", "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=environment(),
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)  # of this child alone
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertIn(process.returncode, (0, 3))
        self.assertGreater(usage.ru_maxrss, 16 * 1024)
        self.assertLess(usage.ru_maxrss, 256 * 1024)

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
        self.assert_refused(run("memory", "--sizes", "4K,much"), "'much' is not an amount of memory")
        self.assert_refused(run("memory", "--most", "0"), "'0' is not an amount of memory")
        self.assert_refused(run("memory", "--most", "5"), "5 B is too little memory")
        self.assert_refused(run("memory", "--sizes", "8"), "too small")

    def test_a_node_that_is_not_there_is_refused(self):
        self.assert_refused(run("memory", "--node", "4096", *FEW), "NUMA node 4096")

    @on_linux
    def test_a_recorded_topology_is_compared_with(self):
        topology = MACHINES / "xeon-2-sockets" / "topology.xml"
        row = self.row_with_level("L2", "--quick", "--cpus", SOME_CPU, "--topology", topology)
        recorded = {"L2": 256 << 10, "L3": 20 << 20}
        for level in row["levels"]:
            cache = level["name"].split()[0]  # of "L3 or memory"
            self.assertEqual(level.get("claimed_bytes"), recorded.get(cache), level)

    def assert_value(self, value):
        self.assertLessEqual(value["low"], value["value"])
        self.assertLessEqual(value["value"], value["high"])
        self.assertGreaterEqual(value["low"], 0)
        self.assertGreater(value["value"], 0)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`doctor` and `frequency`: what they print and write, and how they refuse."""

import json
import os
import signal
import subprocess
import unittest

from cyclescope import (
    COMMAND, MACHINES, MEASURED, SOME_CPU, TIMEOUT_SECONDS, WINDOWS, CliTest, environment, impatient, on_linux, run,
)


class DoctorTest(CliTest):
    def test_every_check_says_what_it_found(self):
        checks = self.document("doctor")["doctor"]
        self.assertGreater(len(checks), 5)
        for check in checks:
            self.assertIn(check["status"], ("ok", "note", "warn"))
            self.assertTrue(check["finding"])

    def test_text_and_document_agree(self):
        text = run("doctor").out
        for check in self.document("doctor")["doctor"]:
            self.assertIn(check["name"], text)
        self.assertIn("Nothing was changed.", text)

    @on_linux
    def test_recorded_topology(self):
        host = self.document("doctor", "--topology", MACHINES / "xeon-2-sockets" / "topology.xml")["host"]
        self.assertEqual(len({place["package"] for place in host["topology"]}), 2)

    def document(self, *arguments):
        ended = run(*arguments, "--json")
        self.assertEqual(ended.code, 0, ended.err)
        document = ended.json()
        self.assert_valid(document)
        return document


class FrequencyTest(CliTest):
    def test_a_row_for_every_cpu(self):
        rows = self.measure("frequency")
        self.assertEqual([row["cpu"] for row in rows], sorted(os.sched_getaffinity(0)))
        for row in rows:
            self.assertIn(row["status"], MEASURED)
            if row["status"] == "measured":
                self.assert_estimate(row, "core_ghz")
            else:
                self.assertEqual((row["core_ghz"], row["boost"], row["kept"]), (0, 0, 0))
            self.assertGreater(row["base_ghz"], 0)

    def test_only_the_cpus_asked_for(self):
        last = max(os.sched_getaffinity(0))
        self.assertEqual([row["cpu"] for row in self.measure("frequency", "--cpus", last)], [last])

    def test_text(self):
        ended = run("frequency", "--cpus", SOME_CPU)
        self.assertIn("core GHz", ended.out)
        self.assertRegex(ended.out, "cycles from (reference|counter|counter-user)")
        self.assert_only_warnings(ended)

    def test_exported_document_is_the_printed_one(self):
        file = self.folder / "result.json"
        printed = run("frequency", "--json", "--cpus", SOME_CPU, "--export-json", file)
        self.assertEqual(json.loads(file.read_text(encoding="utf-8")), printed.json())


class RefusalTest(CliTest):
    """Bad input is refused at once, before anything is measured."""

    def test_watching_in_a_pipe_is_a_line_for_each_round_and_a_summary(self):
        with subprocess.Popen(
            [*COMMAND, *impatient("frequency", "--cpus", str(SOME_CPU), "--watch")],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as child:
            lines = [child.stdout.readline() for _ in range(2)]
            child.send_signal(signal.SIGINT)
            rest, _ = child.communicate(timeout=TIMEOUT_SECONDS)
        for line in lines:
            self.assertRegex(line, r"^ +\d+\.\d s  CPU \d+ (\d+\.\d{3} GHz( contended)?|no value( \(contended\))?)$")
        self.assertRegex(rest, r"\d+ rounds? in \d+\.\d s.*\nCPU \d+: (rounds of|no value)")
        self.assertNotIn("\x1b", rest)

    def test_cpu_lists(self):
        self.assert_refused(run("frequency", "--cpus", "8000"), "CPU 8000 does not exist")
        self.assert_refused(run("frequency", "--cpus", "a-b"), "'a'", "0-3,8")
        self.assert_refused(run("frequency", "--cpus", "0,0"), "CPU 0 twice")
        self.assert_refused(run("frequency", "--cpus", "3-1"), "3-1")
        self.assert_refused(run("frequency", "--cpus", ""), "--cpus", "0-3,8")
        self.assert_refused(run("frequency", "--cpus", "99999999999999999999"), "99999999999999999999")

    @on_linux
    def test_cpu_that_may_not_be_used(self):
        allowed = sorted(os.sched_getaffinity(0))
        if len(allowed) < 2:
            self.skipTest("needs two CPUs")
        ended = run(
            "frequency", "--cpus", allowed[-1], preexec_fn=lambda: os.sched_setaffinity(0, {allowed[0]})
        )
        self.assert_refused(ended, f"CPU {allowed[-1]}", "may not")

    @on_linux
    def test_topology_files(self):
        self.assert_refused(run("doctor", "--topology", "/nowhere.xml"), "/nowhere.xml", "No such file")
        self.assert_refused(run("doctor", "--topology", self.folder), str(self.folder))
        file = self.folder / "topology.xml"
        file.write_text("<topology><broken", encoding="utf-8")
        self.assert_refused(run("doctor", "--topology", file), str(file))

    def test_unwritable_export_path(self):
        path = "/nowhere/result.json"
        self.assert_refused(run("frequency", "--export-json", path), f"cannot write '{path}'", "No such file")
        self.assert_refused(
            run("frequency", "--export-json", self.folder), "Permission denied" if WINDOWS else "directory")

    @on_linux
    def test_counters_that_are_not_there(self):
        ended = run("frequency", "--cycles", "counter")
        if ended.code in (0, 3):
            self.skipTest("this machine has counters")
        self.assert_refused(ended, "cannot count", code=ended.code)
        self.assertIn(ended.code, (1, 2))


if __name__ == "__main__":
    unittest.main()

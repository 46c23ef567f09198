#!/usr/bin/env python3
"""What the program for Windows says and does differently, as a user sees it."""

import json
import subprocess
import time
import unittest

from cyclescope import COMMAND, MACHINES, SOME_CPU, TEXTS, CliTest, environment, natively, run


class WindowsTest(CliTest):
    def test_what_it_has_not_is_told_in_a_line(self):
        self.assert_refused(run("gpu"), "GPUs are measured on Linux", code=1)
        self.assert_refused(run("instruction", TEXTS.add, "--cycles", "counter"), "no access to hardware counters", code=1)
        recorded = MACHINES / "xeon-2-sockets" / "topology.xml"
        self.assert_refused(run("doctor", "--topology", recorded), "read on Linux only")

    def test_doctor_looks_at_what_windows_has(self):
        document = run("doctor", "--json").json()
        self.assert_valid(document)
        names = {check["name"] for check in document["doctor"]}
        self.assertLessEqual({"core parking", "timer", "system calls", "gpu", "counters"}, names)
        self.assertIn("Windows", document["host"]["kernel"])

    @natively
    def test_nothing_is_said_of_counters_where_nobody_asks(self):
        ended = run("instruction", TEXTS.add, "--cpu", SOME_CPU)
        self.assertNotIn("counters", ended.err)

    @natively
    def test_a_sweep_that_was_killed_goes_on(self):
        journal = self.folder / "sweep.journal"
        command = ["sweep", "--patience=0.05", "--filter", "^ADD"]
        with subprocess.Popen(
            [*COMMAND, *command, "--journal", str(journal)], env=environment(), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            while process.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") < 3):
                time.sleep(0.01)
            process.kill()
        kept = journal.read_bytes().rsplit(b"\n", 1)[0]
        ended = run(*command, "--resume", journal, "--json")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(ended.json()["sweep"]["not_reached"], 0)
        self.assertTrue(journal.read_bytes().startswith(kept), "what was there stays as it was")
        # Between what was asked for and the mark of a sweep that ended.
        rows = [json.loads(line) for line in journal.read_bytes().splitlines()[1:]]
        opcodes = [row["opcode"] for row in rows if "opcode" in row]
        self.assertEqual(len(opcodes), len(rows) - 1, "a sweep that ended says so")
        self.assertEqual(len(opcodes), len(set(opcodes)), "nothing is measured twice")

    def test_letters_of_other_languages_in_file_names(self):
        file = self.folder / "Größe ☃.json"
        self.assertIn(run("frequency", "--cpus", SOME_CPU, "--export-json", file).code, (0, 3))
        self.assertIn(b'"schema"', file.read_bytes())
        self.assertEqual(run("report", file).code, 0)


if __name__ == "__main__":
    unittest.main()

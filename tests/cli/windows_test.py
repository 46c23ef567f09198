#!/usr/bin/env python3
"""What the program for Windows says and does differently, as a user sees it."""

import json
import subprocess
import time
import unittest

import pexpect

from cyclescope import (
    COMMAND, MACHINES, SOME_CPU, TEXTS, TIMEOUT_SECONDS, CliTest, environment, impatient, natively, run
)


class WindowsTest(CliTest):
    def test_what_it_has_not_is_told_in_a_line(self):
        self.assert_refused(run("gpu"), "GPUs are measured on Linux", code=1)
        self.assert_refused(run("instruction", TEXTS.add, "--cycles", "counter"), "no access to hardware counters", code=1)
        recorded = MACHINES / "xeon-2-sockets" / "topology.xml"
        self.assert_refused(run("doctor", "--topology", recorded), "read on Linux only")

    def test_examples_have_quotes_that_the_command_prompt_understands(self):
        for command in ("instruction", "block", "ports", "sweep"):
            lines = [line for line in run(command, "--help").out.splitlines() if line.startswith("  cyclescope")]
            self.assertTrue(any('"' in line for line in lines), lines)
            self.assertFalse(any(" '" in line for line in lines), lines)
        self.assertIn(f'cyclescope instruction "{TEXTS.add}"', run("instruction", *TEXTS.add.split()).err)

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
        lines = journal.read_bytes().splitlines()[1:]
        self.assertNotIn("opcode", json.loads(lines.pop()), "a sweep that ended says so")
        rows = {}
        for line in lines:
            opcode = json.loads(line)["opcode"]
            # What had no quiet moment gets a second chance. Nothing else is measured twice.
            self.assertIn(b'"contended":true', rows.get(opcode, b'"contended":true'), opcode)
            rows[opcode] = line
        self.assertGreaterEqual(len(rows), 3)

    def test_letters_of_other_languages_in_file_names(self):
        file = self.folder / "Größe ☃.json"
        self.assertIn(run("frequency", "--cpus", SOME_CPU, "--export-json", file).code, (0, 3))
        self.assertIn(b'"schema"', file.read_bytes())
        self.assertEqual(run("report", file).code, 0)


class ConsoleTest(CliTest):
    """Wine's console in a terminal of Linux, for which Ctrl-C is a key like others."""

    def start(self, *arguments):
        return pexpect.spawn(
            COMMAND[0], [*COMMAND[1:], *map(str, impatient(*arguments))], env=environment(), encoding="utf-8",
            timeout=TIMEOUT_SECONDS, dimensions=(50, 120),
        )

    def ended(self, child):
        text = child.read()
        child.close()
        return text, child.exitstatus

    @natively
    def test_ctrl_c_ends_a_run_with_what_there_is(self):
        file = self.folder / "result.json"
        child = self.start("instruction", *[TEXTS.divide] * 400, "--export-json", file)
        child.expect_exact("left")  # the progress line, after a second
        child.sendintr()
        text, code = self.ended(child)
        self.assertEqual(code, 3, text)
        document = json.loads(file.read_text(encoding="utf-8"))
        self.assertTrue(document["partial"])
        self.assert_valid(document)

    def test_letters_of_more_than_one_byte(self):
        text, code = self.ended(self.start("instruction", "--dry-run", TEXTS.add))
        self.assertEqual(code, 0)
        self.assertTrue("→" in text, "bytes were written one after the other")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`cyclescope sweep` as a user sees it: what it prints and writes, and what is left when it is stopped.

sweep_test.py CYCLESCOPE
"""

import csv
import io
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CYCLESCOPE = sys.argv[1:]

# A few dozen forms on either architecture, so that a sweep takes a second or two.
SOME = "^(ADD|SUB|AND|FADD|VADDP)"
# Thousands: no signal comes so late that they have been measured meanwhile.
ALL = "^[A-Z]"
LIMIT_S = 300


class SweepTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.journal = self.path("sweep.journal")
        state = tempfile.TemporaryDirectory()
        self.addCleanup(state.cleanup)
        self.state = state.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *arguments):
        return subprocess.Popen(
            [*CYCLESCOPE, "sweep", "--patience=0.05", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env={**os.environ, "XDG_STATE_HOME": self.state},
        )

    def own_journals(self):
        """Those without a name."""
        folder = os.path.join(self.state, "cyclescope")
        return [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []

    def run_sweep(self, *arguments, expected=0):
        with self.start(*arguments) as process:
            stdout, stderr = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, expected, stderr)
        return stdout, stderr

    def sweep_json(self, *arguments, expected=0):
        return json.loads(self.run_sweep("--json", *arguments, expected=expected)[0])

    def journal_rows(self):
        with open(self.journal, "rb") as file:
            return file.read().count(b"\n") - 1

    def wait_for_rows(self, process, rows):
        """Until the journal has that many rows, or the sweep is over."""
        while process.poll() is None and (not os.path.exists(self.journal) or self.journal_rows() < rows):
            time.sleep(0.01)

    def assert_adds_up(self, document):
        summary, rows = document["sweep"], document["instructions"]
        counted = len(rows) + summary["pseudos"] + summary["duplicates"] + summary["left_out"] + summary["not_reached"]
        self.assertEqual(counted, summary["opcodes"])
        opcodes = [row["opcode"] for row in rows]
        self.assertEqual(len(opcodes), len(set(opcodes)), "an opcode has one row")
        for row in rows:
            self.assertTrue(row["status"] == "measured" or row.get("reason"), row)

    def test_every_opcode_is_accounted_for(self):
        document = self.sweep_json("--filter", SOME)
        self.assert_adds_up(document)
        measured = [row for row in document["instructions"] if row["status"] in ("measured", "disturbed")]
        self.assertGreater(len(measured), 20)
        self.assertIn("measured", [row["status"] for row in measured])
        for row in measured:
            self.assertTrue("throughput" in row or row["status"] == "disturbed", row)
            self.assertTrue(row["isa"])
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_journal_stays_until_a_file_has_all_its_rows(self):
        one, two = "^(ADDXrs|ADD64rr)$", "^(ADDXrs|ADD64rr|SUBXrs|SUB64rr)$"
        self.run_sweep("--filter", two)
        (journal,) = self.own_journals()
        _, stderr = self.run_sweep("--filter", one, "--resume", journal, "--export-json", self.path("one.json"))
        self.assertEqual(self.own_journals(), [journal], "it has a row that the document has not")
        self.assertIn("rows that this run did not ask for", stderr)
        resume = ["--filter", two, "--resume", journal]
        self.run_sweep(*resume, "--export-csv", self.path("rows.csv"), "--export-markdown", self.path("rows.md"))
        self.run_sweep(*resume, "--json")
        self.run_sweep(*resume, "--export-json", "/dev/null")
        self.assertEqual(self.own_journals(), [journal], "tables and pipes do not hold all of each row")
        _, stderr = self.run_sweep(*resume, "--export-markdown", self.path("rows.md"))
        self.assertNotIn("rows.md", stderr, "where results go is for the user to say again")
        self.run_sweep(*resume, "--export-json", self.path("two.json"))
        self.assertEqual(self.own_journals(), [])

    def test_a_journal_of_another_run_is_not_this_ones(self):
        with open(self.journal, "w", encoding="ascii") as file:
            file.write("one line\nand another\n")
        _, stderr = self.run_sweep("--filter", "^(ADDXrs|ADD64rr)$", "--journal", self.journal, expected=2)
        self.assertIn("exists already", stderr)
        self.assertNotIn("continue with:", stderr)

    def test_one_file_that_cannot_be_written_loses_no_other(self):
        one = "^(ADDXrs|ADD64rr)$"
        last = self.path("rows.md")
        stdout, stderr = self.run_sweep(
            "--filter", one, "--export-csv", "/dev/full", "--export-markdown", last, expected=1)
        self.assertIn("/dev/full", stderr)
        self.assertIn("in all", stdout)
        with open(last, encoding="utf-8") as file:
            self.assertIn("|", file.read())

    def test_text_lists_what_became_of_them(self):
        stdout, stderr = self.run_sweep("--filter", SOME)
        self.assertIn("in all", stdout)
        self.assertIn("opcodes that this machine offers to programs were measured", stdout)
        self.assertIn("--resume it to export them", stderr)
        self.assertEqual(os.listdir(self.folder), [], "the present folder is the user's")
        (journal,) = self.own_journals()
        self.assertIn(journal, stderr)
        document = self.sweep_json("--filter", SOME, "--resume", journal)
        self.assert_adds_up(document)

    def test_rows_hold_what_was_asked_for(self):
        for only, other in (("latency", "throughput"), ("throughput", "latency")):
            rows = self.sweep_json("--filter", "^ADDXrs$|^ADD64rr$", "--only", only)["instructions"]
            self.assertEqual(len(rows), 1)
            self.assertTrue(only in rows[0] or rows[0]["status"] == "disturbed", rows)
            self.assertNotIn(other, rows[0])

    def test_an_extension_by_its_name(self):
        isa, opcode = ("asimd", "ADDv16i8") if "asimd" in self.known_isas() else ("sse2", "ADDPDrr")
        (row,) = self.sweep_json("--isa", isa, "--filter", f"^{opcode}$")["instructions"]
        self.assertEqual((row["opcode"], row["isa"]), (opcode, isa))

    def test_csv_has_the_same_rows(self):
        document = self.sweep_json("--filter", SOME, "--export-csv", self.path("sweep.csv"))
        with open(self.path("sweep.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(io.StringIO(file.read())))
        self.assertEqual([row["opcode"] for row in rows], [row["opcode"] for row in document["instructions"]])
        for row, line in zip(document["instructions"], rows):
            if "throughput" in row:
                self.assertAlmostEqual(float(line["throughput"]), row["throughput"]["cycles"], places=3)

    def test_killed_ten_times_it_measures_nothing_twice(self):
        rows = 0
        resume = ["--journal", self.journal]
        for _ in range(10):
            with self.start("--filter", ALL, *resume) as process:
                self.wait_for_rows(process, rows + 1)
                self.assertIsNone(process.poll(), "it cannot be over yet")
                process.kill()
                process.communicate()
            resume = ["--resume", self.journal]
            rows = self.journal_rows()
        with open(self.journal, "ab") as file:
            file.write(b'{"text":"add x0, x1')  # as a power cut may leave it
        with open(self.journal, "rb") as file:
            kept = file.read().rsplit(b"\n", 1)[0]
        document = self.sweep_json("--filter", SOME, *resume)
        self.assert_adds_up(document)
        self.assertEqual(document["sweep"]["not_reached"], 0)
        with open(self.journal, "rb") as file:
            text = file.read()
        self.assertTrue(text.startswith(kept + b"\n"), "what was there stays as it was")
        rows = {}
        for line in text.splitlines()[1:]:
            opcode = json.loads(line)["opcode"]
            # What had no quiet moment gets a second chance. Nothing else is measured twice.
            self.assertIn(b'"contended":true', rows.get(opcode, b'"contended":true'), opcode)
            rows[opcode] = line
        self.assertGreaterEqual(len(rows), 10)

    def test_the_same_command_finds_what_was_killed(self):
        with self.start("--filter", ALL) as process:
            while process.poll() is None:
                journals = self.own_journals()
                if journals and os.path.getsize(journals[0]) > 0:
                    self.journal = journals[0]
                    break
                time.sleep(0.01)
            self.wait_for_rows(process, 1)
            self.assertIsNone(process.poll(), "it cannot be over yet")
            process.kill()
            _, stderr = process.communicate()
        self.assertIn(f"rows go to {self.journal}\n", stderr, "it is known from the start")
        _, stderr = self.run_sweep("--filter", ALL, "--budget", "0.05", expected=3)
        (hint,) = [line for line in stderr.splitlines() if "an earlier run of this was not finished" in line]
        self.assertTrue(hint.endswith(f" --resume {self.journal}"), hint)
        _, stderr = self.run_sweep("--filter", "^(ADDXrs|ADD64rr)$")
        self.assertNotIn("an earlier run", stderr, "another selection")
        _, stderr = self.run_sweep("--filter", "^(ADDXrs|ADD64rr)$")
        self.assertNotIn("an earlier run", stderr, "that was finished")

    def test_interrupted_prints_what_there_is(self):
        selected = ["--filter", ALL, "--isa", "base"]
        with self.start(*selected, "--json", "--journal", self.journal) as process:
            self.wait_for_rows(process, 3)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 3, stderr)
        document = json.loads(stdout)
        self.assertTrue(document["partial"])
        self.assertGreater(document["sweep"]["not_reached"], 0)
        self.assert_adds_up(document)
        # The command that goes on is whole: it selects what was selected.
        (again,) = [line for line in stderr.splitlines() if "continue with: " in line]
        words = shlex.split(again.split("continue with: ")[1])
        self.assertEqual(words, ["cyclescope", "sweep", *selected, "--patience", "0.05", "--resume", self.journal])

    def test_interrupted_text_counts_what_was_not_reached(self):
        with self.start("--filter", ALL, "--journal", self.journal) as process:
            self.wait_for_rows(process, 3)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=LIMIT_S)
        self.assertEqual(process.returncode, 3, stderr)
        measured, offered = map(int, re.search(r"(\d+) of (\d+) opcodes that this machine offers", stdout).groups())
        not_reached = int(re.search(r"(\d+)\s+not reached", stdout).group(1))
        self.assertGreaterEqual(offered - measured, not_reached)

    def test_few_rows_are_shown_and_many_pointed_to(self):
        one = "^(ADDXrs|ADD64rr)$"
        stdout, _ = self.run_sweep("--filter", one, "--export-json", self.path("one.json"))
        with open(self.path("one.json"), encoding="utf-8") as file:
            (row,) = json.load(file)["instructions"]
        self.assertRegex(stdout, rf"(?m)^ {re.escape(row['text'])} .*\d")
        self.assertNotIn("--full", stdout)
        stdout, _ = self.run_sweep("--filter", SOME, "--only", "throughput", "--export-json", self.path("some.json"))
        self.assertIn(f"cyclescope report {self.path('some.json')} --full", stdout)

    def test_nothing_selected(self):
        for arguments in (["--filter", "zzzz"], ["--filter", "zzzz", "--isa", "base", "--journal", self.journal]):
            stdout, stderr = self.run_sweep(*arguments, expected=2)
            self.assertEqual(stdout, "")
            self.assertIn("'zzzz'", stderr)
            self.assertEqual(len(stderr.splitlines()), 1)
        self.assertEqual((os.listdir(self.folder), self.own_journals()), ([], []))

    def test_without_a_place_for_a_journal(self):
        self.state = "/dev/null/nowhere"
        stdout, stderr = self.run_sweep("--filter", "^ADDXrs$|^ADD64rr$", "--json")
        self.assertEqual(len(json.loads(stdout)["instructions"]), 1)
        self.assertIn("no journal is kept", stderr)

    @unittest.skipUnless(os.geteuid() == 0, "takes a user without processes")
    def test_threads_that_cannot_be_created(self):
        def confine():
            resource.setrlimit(resource.RLIMIT_NPROC, (2, 2))  # itself and a worker or thread
            os.setgid(54321)
            os.setuid(54321)

        command = [*CYCLESCOPE, "sweep", "--patience=0.05", "--filter", SOME, "--json"]
        try:
            ended = subprocess.run(
                command, capture_output=True, text=True, preexec_fn=confine, cwd="/", timeout=LIMIT_S, check=False
            )
        except PermissionError:
            self.skipTest("another user may not look into this folder")
        self.assertEqual(ended.returncode, 1, ended)
        self.assertIn("Resource temporarily unavailable", ended.stderr)

    def test_budget_ends_it(self):
        document = self.sweep_json("--budget", "0.05", "--journal", self.journal, expected=3)
        self.assert_adds_up(document)
        self.assertGreater(document["sweep"]["not_reached"], 0)

    def test_a_budget_is_all_the_work_there_is(self):
        """By CPU time, which other work on the machine does not add to. Starting takes as much as it takes, and so does
        ending: what a sweep without time for anything needs is allowed once more."""
        def work(budget_s):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            document = self.sweep_json("--budget", str(budget_s), expected=3)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertGreater(document["sweep"]["not_reached"], 0)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        budget_s = 2
        threads = min(len(os.sched_getaffinity(0)), 4)  # one measures, two plan, and the worker
        without = work(0.01)
        self.assertLess(work(budget_s), 2 * without + threads * budget_s)

    def test_journal_of_another_build_is_refused(self):
        self.run_sweep("--filter", "^ADDXrs$|^ADD64rr$", "--journal", self.journal)
        with open(self.journal, encoding="utf-8") as file:
            text = file.read()
        header, rest = text.split("\n", 1)
        header = json.loads(header)
        header["tool"]["commit"] = "0123456789ab"
        with open(self.journal, "w", encoding="utf-8") as file:
            file.write(json.dumps(header) + "\n" + rest)
        _, stderr = self.run_sweep("--resume", self.journal, expected=2)
        self.assertIn("the build was", stderr)

    def test_bad_usage_says_what_is_wrong(self):
        for arguments, said in (
            (["--filter", "("], "not a regular expression"),
            (["--isa", "asimdd" if "asimd" in self.known_isas() else "avx3"], "did you mean"),
            (["--model", "z80"], "no CPU 'z80'"),
            (["--resume", self.path("missing")], "cannot read"),
            (["--resume", self.folder], "cannot read"),
            (["--resume", "-"], "a journal is a file"),
            (["--budget", "0"], "--budget: 0 is out of range"),
            (["--budget", "nan"], "--budget: nan is out of range"),
            (["--jobs", "4000"], "may be used"),
            (["--journal", "/nonexistent/journal"], "--journal"),
            (["--export-exegesis", "/nonexistent/file"], "cannot write"),
        ):
            with self.subTest(arguments=arguments):
                _, stderr = self.run_sweep(*arguments, expected=2)
                self.assertIn(said, stderr)
                self.assertEqual(len(stderr.splitlines()), 1, stderr)
                self.assertLess(len(stderr), 300)
        self.assertEqual((os.listdir(self.folder), self.own_journals()), ([], []), "nothing is begun")

    def test_what_is_wrong_is_told_before_anything_slow(self):
        """By CPU time, which other work on the machine does not add to: the list of opcodes takes most of a start."""
        def work(*arguments):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.run_sweep(*arguments, expected=2)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        with_list = work("--filter", "zzzz")
        for arguments in (["--filter", "("], ["--isa", "nosuch"], ["--resume", self.path("missing")]):
            self.assertLess(work(*arguments), with_list / 2, arguments)

    def known_isas(self):
        _, stderr = self.run_sweep("--isa", "qqqqqqqqqqqqqqqqqqqqqqqqqqq", expected=2)
        return stderr


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

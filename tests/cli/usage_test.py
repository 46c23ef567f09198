#!/usr/bin/env python3
"""Help, version, mistakes in the command line, and standard output that cannot be written."""

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

from cyclescope import (
    ARCHITECTURE, COMMAND, SOME_CPU, TEXTS, TIMEOUT_SECONDS, CliTest, environment, impatient, on_linux, run
)
from system import QUOTE


def commands():
    """The commands that the help lists."""
    listed = run("--help").out.split("Commands:\n")[1]
    return re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)


class HelpTest(CliTest):
    def test_help_leads_with_examples(self):
        help_text = run("--help").out
        self.assertLess(help_text.index("Examples:"), help_text.index("Usage:"))
        for command in commands():
            with self.subTest(command):
                ended = run(command, "--help")
                self.assertEqual((ended.code, ended.err), (0, ""))
                self.assertLess(ended.out.index("Examples:"), ended.out.index("Usage:"))
                self.assertIn(f"cyclescope {command}", ended.out)

    def test_every_command_has_an_example_in_the_main_help(self):
        examples = run("--help").out.split("Usage:")[0]
        for command in commands():
            self.assertIn(f"cyclescope {command}", examples)

    def test_version_names_the_build(self):
        for option in ("--version", "-V"):
            ended = run(option)
            self.assertEqual((ended.code, ended.err), (0, ""))
            self.assertRegex(ended.out, rf"^cyclescope \d+\.\d+\.\d+ \(commit \S+, {ARCHITECTURE}, GNU .+, LLVM 19")

    def test_help_is_a_command_too(self):
        self.assertEqual(run("help"), run("--help"))
        for command in commands():
            self.assertEqual(run("help", command), run(command, "--help"), command)
        self.assert_refused(run("help", "swep"), "'swep'", "did you mean 'sweep'?")
        self.assert_refused(run("help", "sweep", "cores"), "'cores'")

    def test_examples_are_for_the_architecture_at_hand(self):
        for command in commands():
            examples = run(command, "--help").out.split("Usage:")[0]
            self.assertNotRegex(examples, r"AArch64|x86-64", command)
        for command in ("instruction", "ports", "block"):
            examples = run(command, "--help").out.split("Usage:")[0]
            texts = re.findall(rf"^  cyclescope \w+ (?:--show-asm )?{QUOTE}(.*){QUOTE}", examples, re.MULTILINE)
            self.assertTrue(texts, examples)
            for text in re.split(rf"{QUOTE} {QUOTE}|; ", "; ".join(text for text in texts if text != "TEXT")):
                ended = run("instruction", "--dry-run", text)
                # The CPU need not have every extension.
                self.assertEqual((ended.code, ended.err), (0, ""), text)

    def test_help_fits_80_columns_and_keeps_its_distance(self):
        for command in commands():
            text = run(command, "--help").out
            self.assertIn("\n\nUsage:", text, command)


class MistakeTest(CliTest):
    def test_no_command(self):
        self.assert_refused(run(), "no command", "--help")

    def test_mistyped_command(self):
        self.assert_refused(run("frequenc"), "'frequenc'", "did you mean 'frequency'?")

    def test_command_like_no_other(self):
        self.assert_refused(run("zzzzzzzz"), "no such command: 'zzzzzzzz'", "--help")
        self.assert_refused(run("help", "zzzzzzzz"), "no such command: 'zzzzzzzz'", "--help")

    def test_mistyped_option(self):
        self.assert_refused(run("frequency", "--wtach"), "'--wtach'", "did you mean '--watch'?")

    def test_mistyped_option_before_the_command(self):
        self.assert_refused(run("--verson"), "'--verson'", "did you mean '--version'?")

    def test_option_like_no_other(self):
        self.assert_refused(run("doctor", "--zzzzzzzz"), "'--zzzzzzzz'", "cyclescope doctor --help")

    def test_argument_too_many(self):
        self.assert_refused(run("frequency", "extra"), "'extra'", "cyclescope frequency --help")

    def test_option_without_its_value(self):
        self.assert_refused(run("frequency", "--cpus"), "--cpus needs a value;")
        self.assert_refused(run("compare", "--fail-on"), "--fail-on needs a value: regression;")

    def test_value_that_an_option_does_not_know(self):
        self.assert_refused(run("frequency", "--cycles", "guess"), "'guess'", "reference")
        self.assert_refused(run("doctor", "--color", "blue"), "blue", "never")
        self.assert_refused(run("instruction", "--cpu", "x", TEXTS.add), "--cpu: 'x' is not a CPU number")
        self.assert_refused(run("instruction", "--cpu", "-1", TEXTS.add), "--cpu: '-1' is not a CPU number")
        self.assert_refused(run("cores", "--samples", "q"), "--samples: 'q' is not a number")
        self.assert_refused(run("block", TEXTS.add, "--trips", "0"), "--trips: 0 is out of range: it can be 1 to 100000")
        self.assert_refused(run("compare", "a", "b", "--threshold", "-1"), "it can be 0 to 1000")
        self.assert_refused(run("sweep", "--jobs", "x"), "--jobs: 'x' is not a number")
        self.assert_refused(run("gpu", "--parts", "x"), "--parts: 'x' is unknown here; it can be instructions, memory")

    def test_options_that_mean_nothing_by_themselves(self):
        self.assert_refused(run("cores", "--csv-long"), "--csv-long", "--export-csv")
        self.assert_refused(run("report", "a.json", "--html", "a.html", "--json", cwd=self.folder), "--json")
        self.assert_refused(run("block", TEXTS.own_loop, "--trips", "9", "--no-loop"), "--trips", "--no-loop")
        self.assertEqual(os.listdir(self.folder), [])

    def test_argument_that_is_missing(self):
        self.assert_refused(run("report"), "no result given", "cyclescope report --help")


class StandardOutputTest(CliTest):
    """What cannot be written is refused or reported in a line; what no reader waits for is not."""

    @on_linux
    def test_closed(self):
        ended = run("doctor", stdout=None, preexec_fn=lambda: os.close(1))
        self.assert_refused(ended, "standard output is closed", code=1)

    def test_full(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in (("doctor",), ("--help",), ("--version",), ("help", "cores"), ("--print-manual",)):
                self.assert_refused(run(*arguments, stdout=full), "standard output", "No space left", code=1)

    @on_linux
    def test_pipe_that_nobody_reads(self):
        with subprocess.Popen(
            [*COMMAND, "doctor"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), encoding="utf-8"
        ) as process:
            process.stdout.close()
            error = process.stderr.read()
            self.assertEqual(process.wait(), 0)  # whoever reads has seen enough, as `head` does
        self.assertEqual(error, "")

    @on_linux
    def test_watching_ends_when_nobody_reads(self):
        for arguments in (("frequency", "--watch", "--cpus", SOME_CPU), ("instruction", "--watch", TEXTS.add)):
            with subprocess.Popen(
                [*COMMAND, *map(str, impatient(*arguments))], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=environment(), encoding="utf-8",
            ) as process:
                self.addCleanup(process.kill)
                self.assertTrue(process.stdout.readline())
                process.stdout.close()
                process.wait(TIMEOUT_SECONDS)


class ExportTest(CliTest):
    """`-` is standard output, which then holds nothing else; no other file is left."""

    def test_csv_to_standard_output(self):
        ended = run("instruction", TEXTS.add, "--export-csv", "-", cwd=self.folder)
        rows = list(csv.DictReader(io.StringIO(ended.out)))
        self.assertEqual([row["text"] for row in rows], [TEXTS.add])
        self.assertEqual(os.listdir(self.folder), [])

    def test_json_to_standard_output(self):
        ended = run("doctor", "--export-json", "-", cwd=self.folder)
        self.assert_valid(ended.json())
        self.assertEqual(os.listdir(self.folder), [])

    def test_saved_results_to_standard_output(self):
        saved = self.folder / "saved.json"
        run("instruction", TEXTS.add, "--export-json", saved)
        reported = run("report", saved, "--export-csv", "-", cwd=self.folder)
        self.assertEqual((reported.code, reported.err), (0, ""))
        self.assertEqual(len(list(csv.DictReader(io.StringIO(reported.out)))), 1)
        self.assertTrue(run("report", saved, "--html", "-", cwd=self.folder).out.startswith("<!"))
        compared = run("compare", saved, saved, "--export-csv", "-", cwd=self.folder)
        self.assertEqual((compared.code, compared.err), (0, ""))
        self.assertIn(",", compared.out.splitlines()[0])
        self.assertEqual(os.listdir(self.folder), ["saved.json"])

    def test_a_line_for_each_pair(self):
        saved = self.folder / "saved.json"
        pairs = run("instruction", TEXTS.add, "--export-json", saved, "--export-csv", "-", "--pairs")
        rows = list(csv.DictReader(io.StringIO(pairs.out)))
        document = json.loads(saved.read_text(encoding="utf-8"))
        self.assertEqual([(row["from"], row["to"]) for row in rows],
                         [(each["from"], each["to"]) for each in document["instructions"][0]["latency"]])
        self.assertEqual(run("report", saved, "--export-csv", "-", "--pairs").out, pairs.out)
        self.assert_refused(run("report", saved, "--pairs"), "--export-csv")

    def test_some_rows_of_a_saved_result(self):
        saved = self.folder / "saved.json"
        run("instruction", TEXTS.add, TEXTS.multiply, "--export-json", saved)
        reported = run("report", saved, "--filter", "^" + TEXTS.add.split()[0], "--json").json()
        self.assertEqual([row["text"] for row in reported["instructions"]], [TEXTS.add])
        self.assert_refused(run("report", saved, "--filter", "^zzz"), "no instruction matches '^zzz'")
        self.assert_refused(run("report", saved, "--filter", "("), "not a regular expression")

    def test_standard_output_holds_one_thing(self):
        for arguments in (("--json",), ("--export-json", "-")):
            ended = run("instruction", TEXTS.add, "--export-csv", "-", *arguments, cwd=self.folder)
            self.assert_refused(ended, "standard output can hold one")
        self.assertEqual(os.listdir(self.folder), [])

    @on_linux
    def test_a_full_disk_leaves_the_old_result(self):
        saved = self.folder / "saved.json"
        self.assertEqual(run("doctor", "--export-json", saved).code, 0)
        before = saved.read_bytes()

        def limit_file_size():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        ended = run("doctor", "--export-json", saved, preexec_fn=limit_file_size)
        self.assertEqual(ended.code, 1, ended.err)
        self.assertIn("cannot write", ended.err)
        self.assertEqual(saved.read_bytes(), before)
        self.assertEqual(os.listdir(self.folder), ["saved.json"])

    def test_a_link_stays_a_link(self):
        saved, link = self.folder / "saved.json", self.folder / "link.json"
        saved.write_text("old", encoding="utf-8")
        link.symlink_to(saved)
        self.assertEqual(run("doctor", "--export-json", link).code, 0)
        self.assertTrue(link.is_symlink())
        self.assertIn('"doctor"', saved.read_text(encoding="utf-8"))

    def test_the_last_two_results_of_one_command_are_compared(self):
        self.assert_refused(run("compare", cwd=self.folder), "no two results")
        (self.folder / "package.json").write_text("{}", encoding="utf-8")
        for name in ("z.json", "a.json"):
            run("instruction", TEXTS.add, "--export-json", self.folder / name)
            time.sleep(1.1)  # `started` counts seconds
        run("doctor", "--export-json", self.folder / "doctor.json")
        self.assert_refused(run("compare", self.folder / "a.json"), "two results")
        os.remove(self.folder / "doctor.json")
        ended = run("compare", cwd=self.folder)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("comparing z.json with a.json", ended.err)

    def test_no_file_is_left_by_what_is_refused(self):
        for arguments in (
            ("instruction", "wrong x"),
            ("sweep", "--filter", "zzzz"),
            ("frequency", "--cpus", "4000"),
        ):
            self.assertEqual(run(*arguments, "--export-json", "new.json", cwd=self.folder).code, 2, arguments)
        self.assertEqual(os.listdir(self.folder), [])


class ColorTest(CliTest):
    def test_none_without_a_terminal(self):
        self.assertNotIn("\x1b", run("doctor").out)

    def test_always(self):
        self.assertIn("\x1b[", run("doctor", "--color", "always", env={"NO_COLOR": "1"}).out)

    def test_never_in_json(self):
        self.assertNotIn("\x1b", run("doctor", "--json", "--color", "always").out)


if __name__ == "__main__":
    unittest.main()

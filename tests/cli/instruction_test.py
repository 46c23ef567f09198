#!/usr/bin/env python3
"""`instruction`: what it prints for good text, and what it says about bad text."""

import json
import re
import signal
import subprocess
import unittest

from cyclescope import (
    COMMAND, MEASURED, TEXTS, TIMEOUT_SECONDS, TRIES, CliTest, environment, impatient, natively, on_linux, run
)
from system import QUOTE

CLASSIC_COLUMNS = ["Test", "VAL", "IPC", "Instr.", "Cycles", "TSCnt.", "ExecT.", "Boost", "Base", "Frequency"]


class MeasureTest(CliTest):
    def test_throughput_and_every_pair(self):
        (row,) = self.measure_well("instruction", TEXTS.add)
        self.assertEqual(row["text"], TEXTS.add)
        self.assertIn(row["status"], MEASURED)
        self.assert_estimate(row["throughput"])
        destination, *sources = [name.strip(",") for name in TEXTS.add.split()[1:]]
        sources = sources if len(sources) > 1 else [destination, *sources]  # on x86 the destination is read too
        pairs = [(pair["from"], pair["to"]) for pair in row["latency"]]
        for source in sources:
            self.assertIn((source, destination), pairs)
        for pair in row["latency"]:
            self.assert_estimate(pair)

    @natively
    def test_classic_table(self):
        for _ in range(TRIES):
            ended = run("instruction", TEXTS.add)
            if "disturbed" not in ended.out:
                break
        else:
            self.fail(f"disturbed {TRIES} times")
        (header,) = [line for line in ended.out.splitlines() if line.startswith("Test |")]
        self.assertEqual([column.strip() for column in header.split("|")], CLASSIC_COLUMNS)
        self.assertRegex(ended.out, r"(?m)^ THR +(≤ )?\d")
        self.assertRegex(ended.out, r"(?m)^ LAT +(≤ )?\d")
        self.assert_only_warnings(ended)

    def test_without_quotes(self):
        self.assert_refused(run("instruction", *TEXTS.add.split()), "in quotes", QUOTE + TEXTS.add + QUOTE)

    @natively
    def test_values_that_matter(self):
        (row,) = self.measure_well("instruction", TEXTS.divide)
        self.assertEqual({"fast", "slow"}, {pair.get("values") for pair in row["latency"]})

    @natively
    def test_loads_are_chased(self):
        (row,) = self.measure_well("instruction", TEXTS.load)
        self.assertIn(row["status"], MEASURED)
        self.assertIn("exact", [pair["kind"] for pair in row["latency"]])

    @natively
    def test_several_at_once_in_order(self):
        rows = self.measure("instruction", TEXTS.multiply, TEXTS.add)
        self.assertEqual([row["text"] for row in rows], [TEXTS.multiply, TEXTS.add])

    @natively
    def test_file_with_comments(self):
        file = self.folder / "forms.txt"
        file.write_text(f"# two forms\n\n{TEXTS.add}\n  {TEXTS.multiply}   # slow\r\n", encoding="utf-8")
        rows = self.measure("instruction", "-f", file)
        self.assertEqual([row["text"] for row in rows], [TEXTS.add, TEXTS.multiply])

    @natively
    def test_standard_input(self):
        (row,) = self.measure("instruction", "-f", "-", input=TEXTS.add + "\n")
        self.assertEqual(row["text"], TEXTS.add)

    def test_export_beside_text(self):
        file = self.folder / "result.json"
        ended = run("instruction", TEXTS.add, "--export-json", file)
        self.assertRegex(ended.out, "throughput|disturbed")
        document = json.loads(file.read_text(encoding="utf-8"))
        self.assert_valid(document)
        self.assertEqual(document["instructions"][0]["text"], TEXTS.add)


class WatchTest(CliTest):
    @natively
    @on_linux
    def test_a_pipe_gets_lines_and_ctrl_c_loses_nothing(self):
        with subprocess.Popen(
            [*COMMAND, *impatient("instruction", "--watch", TEXTS.add)],
            env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as child:
            lines = [child.stdout.readline() for _ in range(2)]
            # Twice at once, as `timeout` sends it to the program and to its group; however slow the machine is.
            for each in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
                child.send_signal(each)
            rest, _ = child.communicate(timeout=TIMEOUT_SECONDS)
        for line in lines:
            self.assertRegex(line, rf"^ +\d+\.\d s  {re.escape(TEXTS.add)}: ")
        self.assertIn(child.returncode, (0, 3))
        self.assertIn("cycles from", rest)
        self.assertIn(f"\n{TEXTS.add}\n", rest)


class PlanTest(CliTest):
    def test_dry_run_measures_nothing(self):
        ended = run("instruction", "--dry-run", TEXTS.add)
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertIn("→", ended.out)
        self.assertNotIn("THR", ended.out)
        self.assertNotIn("GHz", ended.out)

    def test_dry_run_document_has_no_value(self):
        document = run("instruction", "--dry-run", "--json", TEXTS.add).json()
        self.assert_valid(document)
        (row,) = document["instructions"]
        self.assertEqual(row["status"], "unmeasurable")
        self.assertIn("nothing was measured", row["reason"])
        self.assertNotIn("classic", row)
        self.assertEqual([pair["cycles"] for pair in row["latency"]], [None] * len(row["latency"]))
        self.assertIsNone(row["throughput"]["cycles"])

    def test_values_lists_classes(self):
        ended = run("instruction", "--values", TEXTS.divide, TEXTS.add)
        self.assertEqual((ended.code, ended.err), (0, ""))
        divide, add = ended.out.split(TEXTS.add)
        self.assertRegex(divide, r"fast +.* = 0x")
        self.assertRegex(divide, r"slow +.* = 0x")
        self.assertIn("one class", add)

    @natively
    def test_show_asm_prints_the_code_measured(self):
        mnemonic = TEXTS.multiply.split()[0]
        plain = run("instruction", TEXTS.multiply).out
        shown = run("instruction", "--show-asm", TEXTS.multiply).out
        self.assertEqual(plain.count(f"\n    {mnemonic} "), 0)
        self.assertGreater(shown.count(f"\n    {mnemonic} "), 4)


class BadTextTest(CliTest):
    """Exit code 2, the line, a caret under the place, and what may have been meant."""

    def assert_explained(self, text, column, *parts):
        for command in ("instruction", "block"):
            with self.subTest(command):
                ended = run(command, text)
                self.assertEqual((ended.code, ended.out), (2, ""))
                message, source, caret = ended.err.splitlines()
                for part in (f"column {column}", *parts):
                    self.assertIn(part, message)
                self.assertEqual(source, text)
                self.assertEqual(caret.rstrip("~"), " " * (column - 1) + "^")

    def test_no_such_instruction(self):
        text, meant = TEXTS.no_such_name
        self.assert_explained(text, 1, "there is no instruction", "did you mean", meant)

    def test_bad_operand(self):
        text, column = TEXTS.bad_operand
        self.assert_explained(text, column)

    def test_directives_are_no_instructions(self):
        ended = run("instruction", ".incbin \"/etc/passwd\"")
        self.assertEqual((ended.code, ended.out), (2, ""))
        self.assertNotIn("root", ended.err)

    def test_every_bad_text_is_named(self):
        ended = run("instruction", TEXTS.add, "wrongone x", "wrongtwo x")
        self.assertEqual((ended.code, ended.out), (2, ""))
        self.assertIn("wrongone", ended.err)
        self.assertIn("wrongtwo", ended.err)

    def test_a_bad_line_of_a_file_is_named_and_the_others_are_measured(self):
        file = self.folder / "forms.txt"
        lines = ["# forms", TEXTS.add, "", "wrongone x", f"  {TEXTS.multiply}", f"{TEXTS.add}; {TEXTS.add}"]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        ended = run("instruction", "--json", "-f", file)
        self.assertEqual(ended.code, 2, ended.err)
        self.assertEqual([row["text"] for row in ended.json()["instructions"]], [TEXTS.add, TEXTS.multiply])
        self.assertRegex(ended.err, r"(?m)^cyclescope: line 4, column 1: .*wrongone")
        self.assertRegex(ended.err, r"(?m)^cyclescope: line 6, column 1: .*2 instructions")
        self.assertIn("\nwrongone x\n^", ended.err)
        # An argument that is wrong stops all: the user sees it at once.
        self.assertEqual(run("instruction", "--json", "-f", file, "wrongtwo x").out, "")

    def test_a_file_without_a_good_line(self):
        ended = run("instruction", "-f", "-", input="wrongone x\n")
        self.assertEqual((ended.code, ended.out), (2, ""))
        self.assertIn("line 1", ended.err)

    def test_patience(self):
        (row,) = self.measure("instruction", TEXTS.add, "--patience", "0.5")
        self.assertEqual(row["text"], TEXTS.add)
        for wrong in ("-1", "nan", "inf", "1e400", "soon"):
            self.assert_refused(run("instruction", TEXTS.add, f"--patience={wrong}"), "--patience", wrong)

    def test_not_one_instruction(self):
        self.assert_refused(run("instruction", f"{TEXTS.add}; {TEXTS.add}"), "2 instructions", "cyclescope block")
        self.assert_refused(run("instruction", ""), "no instruction")
        self.assert_refused(run("instruction"), "no instruction")

    def test_files_that_cannot_be_read(self):
        self.assert_refused(run("instruction", "-f", "/nowhere.txt"), "/nowhere.txt", "No such file")
        self.assert_refused(run("instruction", "-f", self.folder), str(self.folder))
        empty = self.folder / "empty.txt"
        empty.write_text("# nothing\n", encoding="utf-8")
        self.assert_refused(run("instruction", "-f", empty), "no instruction", str(empty))

    def test_cpu_that_is_not_there(self):
        self.assert_refused(run("instruction", "--cpu", "8000", TEXTS.add), "CPU 8000 does not exist")
        self.assert_refused(run("instruction", "--cpu", "-1", TEXTS.add), "-1")

    def test_export_path_fails_first(self):
        self.assert_refused(run("instruction", TEXTS.add, "--export-json", "/nowhere/x"), "cannot write '/nowhere/x'")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`block`: a snippet exactly as written."""

import unittest

from cyclescope import ARCHITECTURE, EMULATED, MEASURED, TEXTS, CliTest, natively, run


class BlockTest(CliTest):
    def measure_one(self, *arguments, **options):
        (row,) = self.measure("block", *arguments, **options)
        self.assertIn(row["status"], MEASURED, row)
        # On a machine that is busy enough every sample of a snippet may be dropped: then there is no value.
        if row["status"] == "measured" or "cycles" in row:
            self.assert_estimate(row)
        return row

    def test_instructions_are_counted(self):
        row = self.measure_one(f"{TEXTS.add}; {TEXTS.multiply}\n{TEXTS.add}")
        self.assertEqual(row["instructions"], 3)

    def test_labels_and_branches(self):
        self.measure_one(TEXTS.countdown)

    @natively
    def test_only_counters_know_how_many_instructions_a_branch_left(self):
        document = run("block", "--json", TEXTS.countdown).json()
        counted = document["clock"]["cycle_source"] != "reference"
        self.assertEqual("classic" in document["blocks"][0], counted)

    @natively
    def test_something_before(self):
        row = self.measure_one(TEXTS.use_register, "--init", TEXTS.set_register)
        self.assertEqual(row["init"], TEXTS.set_register)

    def test_as_the_body_of_a_loop(self):
        self.assertTrue(self.measure_one(TEXTS.add, "--loop")["loop"])

    @natively
    def test_without_a_loop(self):
        row = self.measure_one(TEXTS.add, "--no-loop", "--unroll", 200)
        self.assertEqual(row["unroll"], 200)
        self.assertFalse(row["loop"])

    @natively
    def test_from_a_file(self):
        file = self.folder / "snippet.s"
        file.write_text(f"{TEXTS.add}\n{TEXTS.add}\n", encoding="utf-8")
        self.assertEqual(self.measure_one(file)["instructions"], 2)

    def test_a_file_that_is_not_text(self):
        file = self.folder / "program"
        file.write_bytes(b"\x7fELF\0\x1b[2J")
        ended = run("block", file)
        self.assert_refused(ended, str(file), "not text")
        self.assertNotIn("\x1b", ended.err)

    def test_without_quotes(self):
        self.assert_refused(run("block", *TEXTS.add.split()), "quotes")

    @natively
    def test_undefined_by_design(self):
        (row,) = self.measure("block", TEXTS.illegal)
        self.assertIn("by design", row["reason"])

    @unittest.skipUnless(ARCHITECTURE == "x86_64", "needs push")
    def test_unbalanced_stack(self):
        (row,) = self.measure("block", "push rax")
        self.assertEqual(row["status"], "crashed")
        self.assertIn("stack pointer", row["reason"])

    @natively
    def test_from_standard_input(self):
        self.assertEqual(self.measure_one("-", input=TEXTS.add)["instructions"], 1)

    def test_bytes(self):
        (row,) = self.measure("block", "--bytes", TEXTS.nop_bytes)
        self.assertEqual(row["instructions"], 1)
        if EMULATED:  # without a system-call filter
            self.assertEqual(row["status"], "unmeasurable")
            self.assertIn("filter", row["reason"])
        else:
            self.assertIn(row["status"], MEASURED)

    @natively
    def test_show_asm(self):
        self.assertIn(f"\n    {TEXTS.multiply}\n", run("block", TEXTS.multiply, "--show-asm").out)

    def test_text_names_the_snippet(self):
        ended = run("block", TEXTS.multiply)
        self.assertIn(TEXTS.multiply, ended.out)
        self.assertRegex(ended.out, "cycles per iteration|disturbed")


class RefusalTest(CliTest):
    def test_nothing_to_measure(self):
        self.assert_refused(run("block"), "snippet")
        self.assert_refused(run("block", ""), "snippet")
        self.assert_refused(run("block", "# nothing" if "x0" not in TEXTS.add else "// nothing"), "no instruction")
        self.assert_refused(run("block", TEXTS.add, "--bytes", TEXTS.nop_bytes), "--bytes")

    def test_bytes_that_are_none(self):
        self.assert_refused(run("block", "--bytes", "9"), "half a byte")
        self.assert_refused(run("block", "--bytes", "zz"), "'z'")

    def test_contradicting_options(self):
        self.assert_refused(run("block", TEXTS.add, "--loop", "--no-loop"), "--loop")
        self.assert_refused(run("block", TEXTS.add, "--unroll", "0"), "--unroll")
        self.assert_refused(run("block", TEXTS.add, "--unroll", "many"), "--unroll")

    def test_file_that_is_not_there(self):
        self.assert_refused(run("block", "nowhere/snippet.s"), "nowhere/snippet.s", "No such file")

    def test_bad_text_before(self):
        ended = run("block", TEXTS.add, "--init", TEXTS.no_such_name[0])
        self.assertEqual((ended.code, ended.out), (2, ""))
        self.assertIn("there is no instruction", ended.err)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`block`: a snippet as a program has it."""

import time
import unittest

from cyclescope import ARCHITECTURE, MEASURED, TEXTS, CliTest, natively, on_linux, run, tells_faults


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
        (row,) = document["blocks"]
        self.assertEqual("classic" in row, counted and "cycles" in row)

    @natively
    def test_something_before(self):
        row = self.measure_one(TEXTS.use_register, "--init", TEXTS.set_register)
        self.assertEqual(row["init"], TEXTS.set_register)

    def test_as_the_body_of_a_loop(self):
        self.assertTrue(self.measure_one(TEXTS.add, "--loop")["loop"])

    @natively
    def test_without_a_loop(self):
        row = self.measure_one(TEXTS.add, "--no-loop", "--unroll", 2000)
        self.assertEqual(row["unroll"], 2000)
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
    @on_linux
    def test_undefined_by_design(self):
        (row,) = self.measure("block", TEXTS.illegal)
        self.assertIn("by design", row["reason"])

    @unittest.skipUnless(ARCHITECTURE == "x86_64", "needs push")
    def test_unbalanced_stack(self):
        # Far enough that the stack is over however few times it runs.
        (row,) = self.measure("block", "--strict", "sub rsp, 4096; push rax")
        self.assertEqual(row["status"], "crashed")
        self.assertIn("stack pointer", " ".join(row["notes"]))

    @natively
    def test_from_standard_input(self):
        self.assertEqual(self.measure_one("-", input=TEXTS.add)["instructions"], 1)

    def test_bytes(self):
        (row,) = self.measure("block", "--bytes", TEXTS.nop_bytes)
        self.assertEqual(row["instructions"], 1)
        # Without a system-call filter, as under an emulator, bytes run if they are instructions that need none.
        self.assertIn(row["status"], MEASURED)

    @natively
    def test_show_asm(self):
        self.assertIn(f"\n    {TEXTS.multiply}\n", run("block", TEXTS.multiply, "--show-asm").out)

    def test_text_names_the_snippet(self):
        ended = run("block", TEXTS.multiply)
        self.assertIn(TEXTS.multiply, ended.out)
        self.assertRegex(ended.out, "cycles per iteration|disturbed")


class RealCodeTest(CliTest):
    """Memory and values appear as the snippet wants them."""

    def measure_one(self, *arguments, **options):
        (row,) = self.measure("block", *arguments, **options)
        return row

    @tells_faults
    def test_memory_appears_where_it_is_touched(self):
        row = self.measure_one(TEXTS.far_load)
        self.assertIn(row["status"], MEASURED, row)
        self.assertGreaterEqual(row["pages"], 1)

    @natively
    def test_a_pointer_that_stands_near_the_code(self):
        row = self.measure_one("--bytes", TEXTS.near_pointer)
        self.assertIn(row["status"], MEASURED, row)

    def test_the_stack_is_as_where_a_function_begins(self):
        row = self.measure_one("--bytes", TEXTS.function_begin)
        self.assertIn(row["status"], MEASURED, row)
        # 'sub rsp, 24' leaves no multiple of 16 for a second run
        is_set = [note for note in row.get("notes", []) if "stack pointer" in note]
        self.assertEqual(len(is_set), 1 if "48 83 ec 18" in TEXTS.function_begin else 0, row)

    @natively
    def test_strict_maps_nothing(self):
        row = self.measure_one(TEXTS.far_load, "--strict")
        self.assertEqual(row["status"], "crashed")
        self.assertIn("0x50000008", row["reason"])

    @natively
    def test_a_stack_that_runs_away(self):
        row = self.measure_one(TEXTS.pushes)
        self.assertIn(row["status"], MEASURED, row)
        self.assertTrue(row["passes"])

    @natively
    def test_values_as_wanted(self):
        name = "x1" if "x1" in TEXTS.load else "rbx"
        row = self.measure_one(TEXTS.load, "--set", f"{name}=0x40001000", "--memory", "zero")
        self.assertIn(row["status"], MEASURED, row)
        self.assertIn({"name": name, "value": "0x40001000"}, row["registers"])
        self.assertEqual(row["memory"], "zero")

    @natively
    def test_memory_from_a_file(self):
        file = self.folder / "memory.bin"
        file.write_bytes(b"\x01\x02\x03")
        row = self.measure_one(TEXTS.load, "--memory", file)
        self.assertIn(row["status"], MEASURED, row)
        self.assertEqual(row["memory"], "file")

    def test_a_loop_with_its_own_branch(self):
        row = self.measure_one(TEXTS.own_loop, "--trips", 100)
        self.assertIn(row["status"], MEASURED, row)
        self.assertEqual(row["trips"], 100)

    @natively
    def test_a_loop_that_its_data_end(self):
        row = self.measure_one(TEXTS.data_loop)
        self.assertIn(row["status"], MEASURED, row)
        self.assertNotIn("trips", row)
        self.assertTrue(any("data decide when the loop ends" in note for note in row["notes"]), row["notes"])
        (trips,) = self.measure("block", TEXTS.data_loop, "--trips", "100")
        self.assertEqual(trips["status"], "unmeasurable")
        self.assertIn("leave out --trips", trips["reason"])

    @natively
    def test_what_is_set_does_not_count_the_trips_of_a_loop_that_does_not_use_it(self):
        unused = "x9" if "x1" in TEXTS.load else "r9"
        row = self.measure_one(TEXTS.data_loop, "--set", f"{unused}=100")
        self.assertIn(row["status"], MEASURED, row)
        self.assertNotIn("trips", row)

    @natively
    def test_a_compilers_file_through_a_pipe(self):
        row = self.measure_one("-", input=TEXTS.listing)
        self.assertIn(row["status"], MEASURED, row)
        self.assertEqual((row["name"], row["instructions"]), ("sum (line 2)", 4))
        self.assertGreater(row["trips"], 0)

    @natively
    def test_jumps_through_tables(self):
        # The table follows the code, and data reach its entries: nothing is left out, and nothing faults.
        for text in (TEXTS.switch, TEXTS.interpreter):
            row = self.measure_one("-", input=text)
            self.assertIn(row["status"], MEASURED, row)
            self.assertNotIn("left_out", row)
            self.assertGreater(row["trips"], 0)
            self.assertEqual(row["function"], "f")
            if "data_cause" in row:
                self.assertEqual(row["data_cause"], "jump")

    @natively
    def test_what_is_left_out_is_said_in_every_format(self):
        call = "bl\tg" if ARCHITECTURE == "aarch64" else "call\tg"
        text = TEXTS.listing.replace(".L3:\n", f".L3:\n\t{call}\n")
        (row,) = self.measure("block", "-", input=text)
        self.assertEqual(len(row["left_out"]), 1)
        name = row["left_out"][0]
        files = {kind: self.folder / f"out.{kind}" for kind in ("csv", "markdown", "json")}
        exports = [argument for kind, file in files.items() for argument in (f"--export-{kind}", file)]
        lines = run("block", "-", *exports, input=text).out.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("sum (line 2)"))
        self.assertEqual(lines[at + 1], f"  without '{name}', which is not counted")
        for kind, file in files.items():
            self.assertIn(name, file.read_text(encoding="utf-8"), kind)
        self.assertIn("sum (line 2)", files["markdown"].read_text(encoding="utf-8"))

    @natively
    def test_a_large_file_is_listed_at_once_and_ends_with_its_budget(self):
        function = TEXTS.listing.removeprefix("\t.text\n")
        text = "\t.text\n"
        count = 0
        while len(text) < 700_000:
            text += function.replace("sum:", f"sum{count}:").replace(".L3", f".L{count}")
            count += 1
        file = self.folder / "large.s"
        file.write_text(text, encoding="utf-8")
        began = time.monotonic()
        listed = run("block", file, "--list")
        # A tenth of a second where nothing else runs.
        self.assertLess(time.monotonic() - began, 60)
        self.assertEqual(len(listed.out.splitlines()), count)
        ended = run("block", file, "--budget", 2, "--json")
        document = ended.json()
        self.assertTrue(document["partial"])
        self.assertLess(len(document.get("blocks", [])), count)

    @natively
    def test_two_snippets_side_by_side(self):
        rows = self.measure("block", TEXTS.add, TEXTS.multiply)
        self.assertEqual([row["side"] for row in rows], [TEXTS.add, TEXTS.multiply])
        text = run("block", TEXTS.add, TEXTS.multiply).out
        # What the intervals do not carry is not said; that they were compared is.
        self.assertRegex(text, "cycles per iteration of|does not clearly differ|not compared")

    def test_the_same_snippet_twice(self):
        self.assert_refused(run("block", TEXTS.add, TEXTS.add), "the same one")

    @natively
    def test_marks_choose(self):
        text = f"# LLVM-MCA-BEGIN one\n{TEXTS.add}\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN two\n{TEXTS.add}\n# LLVM-MCA-END\n"
        if "rax" in text:
            text = ".intel_syntax noprefix\n" + text
        rows = self.measure("block", "-", input=text.replace("# LLVM", "// LLVM" if "x0" in TEXTS.add else "# LLVM"))
        self.assertEqual([row["name"] for row in rows], ["one", "two"])

    @natively
    def test_what_binds_it(self):
        ended = run("block", TEXTS.multiply, "--timeline", "--json")
        document = ended.json()
        (row,) = document["blocks"]
        # On a core that is never quiet the self-check may fail, and cycles then bound nothing.
        trusted = document["clock"].get("jury", {}).get("trusted", True)
        self.assertEqual("bounds" in row, trusted and "cycles" in row, row)
        if "bounds" in row:
            self.assertGreater(row["bounds"].get("chain", 0), row["bounds"]["issue"])
        self.assertTrue("mca" in row or any("llvm-mca" in note for note in row.get("notes", [])), row)
        if "mca" in row:
            self.assertIn("[0,0]", row["mca"]["timeline"])

    def test_whose_timeline_is_shown(self):
        self.assert_refused(run("block", TEXTS.add, "--timeline=ours"), "--timeline")

    @natively
    def test_few_copies_are_refused_where_they_tell_nothing(self):
        row = self.measure_one(TEXTS.add, "--unroll", 1)
        self.assertIn(row["status"], ("unmeasurable", "disturbed"), row)


class ManyTest(CliTest):
    @natively
    def test_many_go_on_where_they_were_ended(self):
        file = self.folder / "blocks.txt"
        file.write_text(f"# some\n{TEXTS.add}\n\n{TEXTS.nop_bytes}\nnonsense here\n", encoding="utf-8")
        journal = self.folder / "journal"
        table = self.folder / "table.csv"
        rows = self.measure("block", "--file", file, "--journal", journal, "--export-csv", table)
        self.assertEqual([row["name"] for row in rows], ["line 2", "line 4", "line 5"])
        self.assertEqual(rows[2]["status"], "unmeasurable")
        lines = table.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(lines), 4)
        self.assertTrue(lines[0].startswith("name,text,status"))
        self.assertIn("llvm_mca,chain_bound", lines[0])
        for row in rows[:2]:
            self.assertTrue("mca" in row or any("llvm-mca" in note for note in row.get("notes", [])), row)
            self.assertNotIn("bounds", row)
        # The first row is in the journal, and so not measured again: it is the same to the last digit.
        kept = journal.read_text(encoding="utf-8").splitlines(keepends=True)
        journal.write_text("".join(kept[:2]), encoding="utf-8")
        again = self.measure("block", "--file", file, "--resume", journal)
        self.assertEqual(again[0], rows[0])
        self.assertEqual(len(again), 3)

    @natively
    def test_predictions_of_many_are_those_of_each(self):
        # Enough for several threads to make them.
        file = self.folder / "blocks.txt"
        file.write_text(f"{TEXTS.add}\n{TEXTS.multiply}\n" * 8, encoding="utf-8")
        rows = self.measure("block", "--file", file)
        self.assertEqual(len(rows), 16)
        for text, these in ((TEXTS.add, rows[0::2]), (TEXTS.multiply, rows[1::2])):
            alone = self.measure("block", text)[0].get("mca")
            for row in these:
                self.assertEqual(row["text"], text)
                if "cycles" in row:
                    self.assertEqual(row.get("mca"), alone)

    @natively
    def test_what_binds_each_of_many(self):
        file = self.folder / "blocks.txt"
        file.write_text(f"{TEXTS.add}\n{TEXTS.add}\n", encoding="utf-8")
        self.assertIn("--explain adds what binds each", run("block", "--file", file).out)
        ended = run("block", "--file", file, "--explain", "--json")
        document = ended.json()
        trusted = document["clock"].get("jury", {}).get("trusted", True)
        for row in document["blocks"]:
            # On a core that is never quiet the self-check may fail, and cycles then bound nothing.
            self.assertEqual("bounds" in row, trusted and "cycles" in row, row)
        self.assertNotIn("--explain adds", run("block", "--file", file, "--explain").out)

    @natively
    def test_a_journal_of_another_setup(self):
        file = self.folder / "blocks.txt"
        file.write_text(TEXTS.add, encoding="utf-8")
        journal = self.folder / "journal"
        self.measure("block", "--file", file, "--journal", journal)
        self.assert_refused(run("block", "--file", file, "--resume", journal, "--strict"), "cannot be continued")


@natively
class RefusalTest(CliTest):
    def test_what_is_for_a_compiler(self):
        source = self.folder / "dot.c"
        source.write_text("int main() { return 0; }", encoding="utf-8")
        self.assert_refused(run("block", source), str(source), f"gcc -O2 -S -o - {source} | cyclescope block -")

    def test_settings_that_make_no_sense(self):
        example = {"x86_64": "rcx=64", "aarch64": "x1=64"}[ARCHITECTURE]
        self.assert_refused(run("block", TEXTS.add, "--set", "nothing=5"), "nothing", example)
        self.assert_refused(run("block", TEXTS.add, "--set", "64"), "64")
        self.assert_refused(run("block", TEXTS.add, "--memory", "nowhere/file"), "nowhere/file")
        self.assert_refused(run("block", TEXTS.add, "--strict", "--memory", "zero"), "--strict")
        self.assert_refused(run("block", "--file", "nowhere.txt"), "nowhere.txt")

    def test_nothing_to_measure(self):
        self.assert_refused(run("block"), "snippet")
        self.assert_refused(run("block", ""), "snippet")
        self.assert_refused(run("block", "# nothing" if "x0" not in TEXTS.add else "// nothing"), "no instruction")
        self.assert_refused(run("block", TEXTS.add, "--bytes", TEXTS.nop_bytes), "--bytes")

    def test_bytes_that_are_none(self):
        self.assert_refused(run("block", "--bytes", "9"), "half a byte")
        self.assert_refused(run("block", "--bytes", "zz"), "'z'")

    def test_bytes_that_end_too_soon(self):
        for cut_off in {"x86_64": ("480f", "c5"), "aarch64": ("1f2003",)}[ARCHITECTURE]:
            self.assert_refused(run("block", "--bytes", cut_off), "the bytes end within an instruction")

    def test_trips_of_what_is_no_loop(self):
        self.assert_refused(run("block", TEXTS.add, "--trips", "9"), "no branch of its own", "--unroll")

    def test_file_that_is_not_there(self):
        self.assert_refused(run("block", "snippet.txt", cwd=self.folder), "'snippet.txt'", "No such file")

    def test_contradicting_options(self):
        self.assert_refused(run("block", TEXTS.add, "--loop", "--no-loop"), "--loop")
        self.assert_refused(run("block", TEXTS.add, "--unroll", "0"), "--unroll")
        self.assert_refused(run("block", TEXTS.add, "--unroll", "many"), "--unroll")
        self.assert_refused(run("block", "--file", "blocks.txt", "--timeline"), "--timeline")

    def test_file_that_is_not_there(self):
        self.assert_refused(run("block", "nowhere/snippet.s"), "nowhere/snippet.s", "No such file")

    def test_bad_text_before(self):
        ended = run("block", TEXTS.add, "--init", TEXTS.no_such_name[0])
        self.assertEqual((ended.code, ended.out), (2, ""))
        self.assertIn("there is no instruction", ended.err)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`predict`: what a snippet takes on a machine that is described in a file."""

import csv
import json
import unittest

from cyclescope import TEXTS, CliTest, run

# A core with three integer ports, one of which multiplies, and one that loads; forms in LLVM's words.
INTEGER = ["i0", "i1", "i2"]


def row(text, opcode, pairs, ports, cycles=0.33):
    return {
        "text": text,
        "opcode": opcode,
        "mnemonic": text.split()[0],
        "status": "measured",
        "throughput": {"cycles": cycles, "low": cycles, "high": cycles},
        "latency": [
            {"from": a, "to": b, "cycles": value, "low": value, "high": value, "kind": "exact"} for a, b, value in pairs
        ],
        "slots": 1,
        "ports": [{"uops": 1, "ports": each} for each in ports],
        "port_finding": {},
    }


FORMS = {
    "aarch64": [
        row("add x0, x1, x2", "ADDXrs", [("x1", "x0", 1), ("x2", "x0", 1)], [INTEGER]),
        row("subs x0, x1, #1", "SUBSXri", [("x1", "x0", 1), ("x1", "flags", 1)], [INTEGER]),
        row("mul x0, x1, x2", "MADDXrrr", [("x1", "x0", 3), ("x2", "x0", 3)], [["i2"]], 1),
    ],
    "x86_64": [
        row("add rax, rbx", "ADD64rr", [("rax", "rax", 1), ("rbx", "rax", 1)], [INTEGER]),
        row("dec rax", "DEC64r", [("rax", "rax", 1), ("rax", "flags", 1)], [INTEGER]),
        row("imul rax, rbx", "IMUL64rr", [("rax", "rax", 3), ("rbx", "rax", 3)], [["i2"]], 1),
    ],
}
CHAIN = {"aarch64": "mul x0, x0, x1; add x0, x0, x2", "x86_64": "imul rax, rcx; add rax, rdx"}
LOOP = {
    "aarch64": ".L1:\n  add x3, x3, x4\n  mul x5, x6, x7\n  mul x8, x6, x7\n  subs x0, x0, #1\n  b.ne .L1\n",
    "x86_64": ".L1:\n  add rdx, rsi\n  imul r8, r9\n  imul r10, r9\n  dec rax\n  jne .L1\n",
}
# A function with one loop, as a compiler writes it.
FILE = "{}\t.text\n\t.globl f\n\t.type f, @function\nf:\n{}\tret\n\t.size f, .-f\n"


class PredictTest(CliTest):
    def machine(self, architecture):
        """A file with the model of a machine of that architecture."""
        document = run("instruction", TEXTS.add, "--dry-run", "--json").json()
        document["host"].update(architecture=architecture, features=[], llvm_cpu="", microarchitecture="Made")
        document["instructions"] = FORMS[architecture]
        document["port_map"] = {"dispatch": 4, "ports": INTEGER + ["l0"], "classes": [], "mixes": 1, "seconds": 1}
        file = self.folder / f"{architecture}.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        return file

    def predict(self, architecture, *arguments):
        ended = run("predict", *arguments, "--machine", self.machine(architecture), "--json")
        return ended, [each["predicted"] for each in ended.json()["blocks"]]

    def test_code_of_either_architecture(self):
        for architecture in FORMS:
            ended, (predicted,) = self.predict(architecture, CHAIN[architecture])
            self.assertEqual(ended.code, 0, ended.err)
            self.assertEqual(predicted["cycles"], 4)
            self.assertEqual(predicted["binds"], "chain")
            self.assertEqual(predicted["machine"], "Made")
            self.assertEqual(predicted["unknown"], [])

    def test_loops_of_a_file(self):
        for architecture in FORMS:
            file = self.folder / "loop.s"
            syntax = "\t.intel_syntax noprefix\n" if architecture == "x86_64" else ""
            file.write_text(FILE.format(syntax, LOOP[architecture]), encoding="utf-8")
            _, (predicted,) = self.predict(architecture, file)
            self.assertEqual(predicted["binds"], "chain" if architecture == "x86_64" else "ports", predicted)

    def test_what_is_not_known_is_named(self):
        for architecture, text in (("aarch64", "sdiv x0, x0, x1"), ("x86_64", "bswap rax")):
            ended, (predicted,) = self.predict(architecture, text)
            self.assertEqual(ended.code, 3)
            self.assertNotIn("cycles", predicted)
            self.assertEqual(len(predicted["unknown"]), 1)
            self.assertIn("may matter", predicted["reason"])

    def test_ways_that_data_decide(self):
        branch = "  tbz x6, #{0}, .S{0}\n  {1}\n.S{0}:\n"

        def loop(branches, between):
            ways = "".join(branch.format(i, between) for i in range(branches))
            return f".L1:\n{ways}  subs x0, x0, #1\n  b.ne .L1\n"

        file = self.folder / "ways.s"
        file.write_text(FILE.format("", loop(1, "\n  ".join(["mul x5, x6, x7"] * 4))), encoding="utf-8")
        ended, (predicted,) = self.predict("aarch64", file)
        self.assertEqual(ended.code, 3)
        self.assertEqual(sorted(predicted["ways"]), [1, 4])
        self.assertNotIn("cycles", predicted)
        self.assertIn("which of 2 ways", predicted["reason"])
        # More than are looked at.
        file.write_text(FILE.format("", loop(7, "add x5, x6, x7")), encoding="utf-8")
        ended, (predicted,) = self.predict("aarch64", file)
        self.assertEqual(ended.code, 3)
        self.assertIn("more than 64", predicted["reason"])

    def test_many(self):
        file = self.folder / "blocks.txt"
        file.write_text("imul rax, rcx\nadd rax, rdx\n480fafc1\n", encoding="utf-8")
        target = self.folder / "out.csv"
        ended = run("predict", "--file", file, "--machine", self.machine("x86_64"), "--export-csv", target)
        self.assertEqual(ended.code, 0, ended.err)
        with target.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
        self.assertEqual([each["predicted"] for each in rows], ["3", "1", "3"])
        self.assertEqual({each["status"] for each in rows}, {"predicted"})

    def test_as_text_with_a_timeline(self):
        ended = run("predict", CHAIN["aarch64"], "--machine", self.machine("aarch64"), "--timeline")
        self.assertEqual(ended.code, 0, ended.err)
        for part in ("4.00 cycles per iteration by the model of Made", "the chain x0 → x0: mul 3 + add 1 binds", "retired"):
            self.assertIn(part, ended.out)

    def test_a_file_that_is_no_machine(self):
        file = self.folder / "other.json"
        file.write_text("{}", encoding="utf-8")
        self.assert_refused(run("predict", TEXTS.add, "--machine", file), str(file))
        self.assert_refused(run("predict", TEXTS.add), "--machine")


if __name__ == "__main__":
    unittest.main()

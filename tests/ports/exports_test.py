#!/usr/bin/env python3
"""What `report --export-ports` writes is read by those that it is for: llvm-tblgen makes a scheduling model of it.

exports_test.py LLVM_TBLGEN LLVM_INCLUDE CYCLESCOPE_SIMULATED CYCLESCOPE
"""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

LLVM_TBLGEN, LLVM_INCLUDE, MADE, CYCLESCOPE = sys.argv[1:]

# A target with nothing but the instructions that the tables name.
STUB = """
include "llvm/Target/Target.td"
let Namespace = "Stub" in {{
def R0 : Register<"r0">;
def Registers : RegisterClass<"Stub", [i64], 64, (add R0)>;
}}
def StubInstrInfo : InstrInfo;
def Stub : Target {{ let InstructionSet = StubInstrInfo; }}
class StubInstruction : Instruction {{
  let Namespace = "Stub";
  let OutOperandList = (outs);
  let InOperandList = (ins);
  let AsmString = "";
  let Size = 4;
}}
{instructions}
include "measured.td"
def : ProcessorModel<"measured", {model}, []>;
"""


class ExportsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.document = self.path("ports.json")
        made = subprocess.run([MADE, "json", "ports"], check=True, capture_output=True, text=True).stdout
        with open(self.document, "w", encoding="utf-8") as file:
            file.write(made)
        self.rows = json.loads(made)["instructions"]

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def export(self, name, option="--export-ports"):
        result = subprocess.run(
            [CYCLESCOPE, "report", self.document, option, self.path(name)], capture_output=True, text=True
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def subtarget(self, tables, model, opcodes):
        """What llvm-tblgen makes of measured.td."""
        with open(self.path("stub.td"), "w", encoding="utf-8") as file:
            instructions = "\n".join(f"def {name} : StubInstruction;" for name in opcodes)
            file.write(STUB.format(instructions=instructions, model=model))
        result = subprocess.run(
            [LLVM_TBLGEN, "-gen-subtarget", "-I", LLVM_INCLUDE, "-I", self.folder.name, self.path("stub.td")],
            capture_output=True,
            text=True,
        )
        self.assertEqual(result.returncode, 0, result.stderr + tables)
        return result.stdout

    def test_tblgen_makes_a_model_of_the_tables(self):
        tables = self.export("measured.td")
        opcodes = [row["opcode"] for row in self.rows if "reason" not in row["port_finding"]]
        made = self.subtarget(tables, "MeasuredModel", opcodes)
        for part in ("MeasuredPort0_6", "MeasuredPort10", "Measured0DV", "MeasuredModelSchedClasses"):
            self.assertIn(part, made)
        # Both the port and the divider of the division, and for how long: {resource, release, acquire}.
        self.assertRegex(made, r"\{ *\d+, *4, *0\}")
        for name in opcodes:
            self.assertIn(name, tables)

    def test_tblgen_makes_a_model_of_the_core(self):
        tables = self.export("measured.td", "--export-llvm")
        opcodes = [row["opcode"] for row in self.rows]
        made = self.subtarget(tables, "measuredModel", opcodes)
        for part in ("measuredPort0_6", "measured0DV", "measuredModelSchedClasses"):
            self.assertIn(part, made)
        for name in opcodes:
            self.assertIn(name, tables)

    def test_csv_has_a_line_for_each_form(self):
        lines = list(csv.DictReader(self.export("ports.csv").splitlines()))
        bswap = next(line for line in lines if line["text"] == "bswap rax")
        self.assertEqual(bswap["ports"], "1*p1+1*p06")
        self.assertEqual(bswap["model_ports"], "2*p06")
        self.assertEqual(bswap["differs"], "yes")

    def test_pmevo_has_the_ports_of_each_uop(self):
        mapping = json.loads(self.export("ports.json.json"))
        self.assertEqual(set(mapping["assignment"]), set(mapping["arch"]["insns"]))
        self.assertLessEqual({row["text"] for row in self.rows if row.get("ports")}, set(mapping["assignment"]))
        self.assertEqual(sorted(mapping["assignment"]["bswap rax"]), [["0", "6"], ["1"]])
        for uops in mapping["assignment"].values():
            for ports in uops:
                self.assertTrue(set(ports) <= set(mapping["arch"]["ports"]), ports)

    def test_osaca_has_the_forms_of_this_architecture(self):
        if os.uname().machine != "x86_64":
            self.skipTest("the simulated machine is x86-64")
        text = self.export("ports.yml")
        self.assertTrue(re.search(r"^ports: \[.*'10'.*\]$", text, re.MULTILINE), text)
        entry = re.search(r"- name: 'bswap'\n(  .*\n)+", text).group(0)
        self.assertIn("- {class: register, name: gpr}", entry)
        self.assertIn("port_pressure: [[1, ['1']], [1, ['0', '6']]]", entry)

    def test_other_names_are_refused(self):
        result = subprocess.run(
            [CYCLESCOPE, "report", self.document, "--export-ports", self.path("ports.txt")],
            capture_output=True,
            text=True,
        )
        self.assertEqual(result.returncode, 2)
        self.assertIn(".td", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

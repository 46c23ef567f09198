#!/usr/bin/env python3
"""The catalogue of an emulated CPU: every opcode of a sample ends with a status, whatever its code does. The values
mean nothing there.

emulated_test.py ARCHITECTURE COMMAND...   where COMMAND is cyclescope behind its emulator
"""

import json
import subprocess
import sys
import unittest

ARCHITECTURE, *COMMAND = sys.argv[1:]

# Integers, vectors, memory, an opcode that has several operand lists, and one that must not run.
SAMPLE = {
    "aarch64": "^(ADDXrs|FADDv2f64|LDRXui|CASALX|ADD_ZZZ_D|SVC)$",
    "x86_64": "^(ADD64rr|VADDPDYrr|MOV64rm|LCMPXCHG64|ADD_FrST0|SYSCALL)$",
}[ARCHITECTURE]
WITH_VALUES = {"measured", "disturbed"}


class EmulatedTest(unittest.TestCase):
    def test_every_opcode_has_a_status(self):
        command = [*COMMAND, "sweep", "--json", "--only", "throughput", "--journal", "/dev/null", "--filter", SAMPLE]
        run = subprocess.run(command, capture_output=True, text=True, timeout=1500, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        document = json.loads(run.stdout)
        summary, rows = document["sweep"], document["instructions"]
        self.assertGreater(summary["opcodes"], 5000)
        self.assertEqual(len(rows) + summary["pseudos"] + summary["duplicates"] + summary["left_out"], summary["opcodes"])
        self.assertEqual(len(rows), SAMPLE.count("|") + 1)
        for row in rows:
            self.assertTrue("throughput" in row if row["status"] == "measured" else row.get("reason"), row)
        (without,) = [row["opcode"] for row in rows if row["status"] not in WITH_VALUES]
        self.assertIn(without, ("SVC", "SYSCALL"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

#!/usr/bin/env python3
"""The catalogue of an emulated CPU: every opcode of a sample ends with a status, whatever its code does. The values
mean nothing there.

emulated_test.py COMMAND...   where COMMAND is cyclescope behind its emulator
"""

import json
import subprocess
import sys
import unittest

COMMAND = sys.argv[1:]

# Every part of the instruction set: integer, moves, shifts, division, strings, x87, SSE, AVX, gathers, atomics, system.
SAMPLE = "^(ADC64|BSF64|CMOV64|CVTSI2SD|I?DIV(8|64)|ADD_F|INVLPG|JMP|LEA64|LOCK_ADD64|MOVZX32|MUL64|PDEP64|POPCNT64)"
SAMPLE += "|^(PSHUFB|PUSH64|RDMSR|SETCC|SHLX64|SQRTSD|SYSCALL|VADDPD|VGATHERD|VPERMD|XCHG64|XGETBV)|MOVSB$"


class EmulatedTest(unittest.TestCase):
    def test_every_opcode_has_a_status(self):
        command = [*COMMAND, "sweep", "--json", "--journal", "/dev/null", "--filter", SAMPLE]
        run = subprocess.run(command, capture_output=True, text=True, timeout=1500)
        self.assertEqual(run.returncode, 0, run.stderr)
        document = json.loads(run.stdout)
        summary, rows = document["sweep"], document["instructions"]
        self.assertEqual(len(rows) + summary["pseudos"] + summary["duplicates"] + summary["left_out"], summary["opcodes"])
        for row in rows:
            self.assertTrue(row["status"] in ("measured", "disturbed") or row.get("reason"), row)
        offered = [row for row in rows if row["status"] not in ("unsupported", "privileged")]
        missed = [row for row in offered if row["status"] not in ("measured", "disturbed")]
        self.assertGreater(len(offered), 70)
        self.assertLess(len(missed), 0.1 * len(offered), [(row["text"], row["reason"]) for row in missed])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

#!/usr/bin/env python3
"""Forms that need one kind of care each: all give values, or say why there are none. Never a hang."""

import unittest

from cyclescope import ARCHITECTURE, MEASURED, WINDOWS, CliTest, fault, natively, run

# What must be there: pairs as (from, to), or the feature without which there can be no value.
FORMS = {
    "aarch64": {
        "madd x0, x1, x2, x3": [("x1", "x0"), ("x2", "x0"), ("x3", "x0")],
        "add x0, x1, x2, lsl #17": [("x1", "x0"), ("x2", "x0")],
        "umulh x0, x1, x2": [("x1", "x0")],
        "fadd d0, d1, d2": [("d1", "d0"), ("d2", "d0")],
        "fmla v0.4s, v1.4s, v2.4s": [("v0", "v0"), ("v1", "v0")],
        "ldr x0, [x1]": [("x1", "x0")],
        "adds x0, x1, x2": [("x1", "x0"), ("x1", "flags")],
        "csel x0, x1, x2, eq": [("x1", "x0"), ("flags", "x0")],
        "fmov x0, d1": [("d1", "x0")],
        "sdiv x0, x1, x2": [("x1", "x0")],
        "str x0, [x1]": [],
        "casal x0, x1, [x2]": [],
        "dmb ish": [],
        "yield": [],
    },
    "x86_64": {
        "vmpsadbw ymm0, ymm1, ymm2, 0": [("ymm1", "ymm0"), ("ymm2", "ymm0")],
        "imul r10, r11": [("r10", "r10"), ("r11", "r10")],
        "div rcx": [],
        "adc rax, rbx": [("rax", "rax"), ("flags", "rax")],
        "mov rax, [rbx]": [("rbx", "rax")],
        "mov [rbx], rax": [],
        "vaddpd zmm0, zmm1, zmm2": "avx512f",
        "lock cmpxchg [rbx], rcx": [],
        "shlx rax, rbx, rcx": [("rbx", "rax"), ("rcx", "rax")],
        "pdep rax, rbx, rcx": [("rbx", "rax"), ("rcx", "rax")],
        "cmovbe rax, rbx": [("flags", "rax"), ("rbx", "rax")],
        "setc al": [("flags", "al")],
        "movzx eax, bl": [],
        "popcnt rax, rbx": [("rbx", "rax")],
        "vgatherdps ymm0, [rax + ymm1], ymm2": [],
        # Tiles are there for programs that ask the system for them, and configure them.
        "tdpbf16ps tmm0, tmm1, tmm2": "amx_bf16",
        "tileloadd tmm0, [rbx + rcx]": "amx_tile",
        "tilestored [rbx + rcx], tmm0": "amx_tile",
        "tilezero tmm0": "amx_tile",
    },
}[ARCHITECTURE]


class FormsTest(CliTest):
    def test_plans(self):
        """Every pair is planned, which takes neither the hardware nor its time."""
        rows = run("instruction", "--dry-run", "--json", *FORMS).json()["instructions"]
        self.assertEqual(len(rows), len(FORMS))
        for (text, wanted), row in zip(FORMS.items(), rows):
            if row["status"] != "unsupported":
                self.assert_pairs(text, wanted, row)

    def assert_pairs(self, text, wanted, row):
        with self.subTest(text):
            pairs = [(pair["from"], pair["to"]) for pair in row.get("latency", [])]
            for pair in wanted if isinstance(wanted, list) else []:
                self.assertIn(pair, pairs)

    @natively
    def test_forms(self):
        rows = self.measure("instruction", *FORMS)
        self.assertEqual(len(rows), len(FORMS))
        self.assertIn("measured", [row["status"] for row in rows])
        for (text, wanted), row in zip(FORMS.items(), rows):
            with self.subTest(text):
                if row["status"] not in MEASURED:
                    # A machine may lack the feature, and nothing else may be wrong.
                    self.assertEqual(row["status"], "unsupported", row)
                    # Wine gives no tiles to programs, whatever the CPU has.
                    if WINDOWS and "tmm" in text and fault("SIGILL") in row["reason"]:
                        continue
                    self.assertIn("needs", row["reason"])
                    self.assertIn(wanted if isinstance(wanted, str) else "", row["reason"])
                    continue
                if row["status"] == "disturbed":
                    continue  # values may be missing
                self.assert_estimate(row["throughput"])
                self.assert_pairs(text, wanted, row)


if __name__ == "__main__":
    unittest.main()

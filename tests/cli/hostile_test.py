#!/usr/bin/env python3
"""Code that must not run, or that does harm: a status with a reason and exit code 3, and the tool goes on."""

import unittest

from cyclescope import EMULATED, TEXTS, WINDOWS, CliTest, fault, natively, tells_faults


class HostileTest(CliTest):
    def assert_reported(self, command, text, *statuses, reason=""):
        """The row says why there is no value, and a good one after it has its value."""
        good_ones = (TEXTS.add,) if command == "instruction" and not EMULATED else ()
        arguments = (text, *good_ones)
        row, *rest = self.measure(command, *arguments)
        self.assertIn(row["status"], statuses, row)
        self.assertIn(reason, row["reason"])
        for good in rest:
            self.assertTrue("throughput" in good or good["status"] == "disturbed", good)

    def test_missing_feature_is_named(self):
        text, feature = TEXTS.missing_feature
        self.assert_reported("instruction", text, "unsupported", reason=feature)
        self.assert_reported("block", text, "unsupported", reason=feature)

    def test_privileged(self):
        self.assert_reported("instruction", TEXTS.privileged, "privileged", reason="kernel")

    def assert_trapped(self, text, reason):
        """The signal is named. Without a system-call filter what may enter the kernel is not even run."""
        for command in ("instruction", "block"):
            with self.subTest(command):
                if EMULATED or WINDOWS:
                    self.assert_reported(command, text, "unmeasurable", reason="filter")
                else:
                    self.assert_reported(command, text, "crashed", "unsupported", reason=reason)

    def test_system_call(self):
        self.assert_trapped(TEXTS.system_call, "SIGSYS")

    @natively
    def test_breakpoint(self):
        self.assert_trapped(TEXTS.breakpoint, fault("SIGTRAP"))

    @natively
    def test_illegal_instruction(self):
        self.assert_trapped(TEXTS.illegal, fault("SIGILL"))

    @tells_faults
    def test_wild_store(self):
        self.assert_reported("block", TEXTS.wild_store, "crashed", reason=fault("SIGSEGV"))

    @natively
    def test_endless_loop(self):
        self.assert_reported("block", TEXTS.endless, "timeout", reason="did not end")

    @natively
    def test_wild_bytes(self):
        # Whatever these do, it has a status.
        for byte in ("00", "ff", "cc", "f4", "0b"):
            with self.subTest(byte):
                (row,) = self.measure("block", "--bytes", byte * 8)
                self.assertTrue(row["status"] == "measured" or row["reason"], row)


if __name__ == "__main__":
    unittest.main()

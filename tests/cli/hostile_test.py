#!/usr/bin/env python3
"""Code that must not run, or that does harm: a status with a reason and exit code 3, and the tool goes on."""

import unittest

from cyclescope import TEXTS, CliTest


class HostileTest(CliTest):
    def assert_reported(self, command, text, *statuses, reason=""):
        """The row says why there is no value, and a good one after it has its value."""
        arguments = (text, TEXTS.add) if command == "instruction" else (text,)
        row, *rest = self.measure(command, *arguments)
        self.assertIn(row["status"], statuses, row)
        self.assertIn(reason, row["reason"])
        for good in rest:
            self.assertIn("throughput", good)

    def test_missing_feature_is_named(self):
        text, feature = TEXTS.missing_feature
        self.assert_reported("instruction", text, "unsupported", reason=feature)
        self.assert_reported("block", text, "unsupported", reason=feature)

    def test_privileged(self):
        self.assert_reported("instruction", TEXTS.privileged, "privileged", reason="kernel")

    def test_system_calls(self):
        # Without a system-call filter (some emulators) the tool does not run what it knows to be one.
        for command in ("instruction", "block"):
            self.assert_reported(command, TEXTS.system_call, "crashed", "unmeasurable", reason="system call")

    def test_breakpoint(self):
        self.assert_reported("instruction", TEXTS.breakpoint, "crashed", reason="SIGTRAP")
        self.assert_reported("block", TEXTS.breakpoint, "crashed", reason="SIGTRAP")

    def test_illegal_instruction(self):
        self.assert_reported("instruction", TEXTS.illegal, "unsupported", "crashed", reason="SIGILL")
        self.assert_reported("block", TEXTS.illegal, "unsupported", "crashed", reason="SIGILL")

    def test_wild_store(self):
        self.assert_reported("block", TEXTS.wild_store, "crashed", reason="SIGSEGV")

    def test_endless_loop(self):
        self.assert_reported("block", TEXTS.endless, "timeout", reason="did not end")

    def test_wild_bytes(self):
        # Whatever these do, it has a status.
        for byte in ("00", "ff", "cc", "f4", "0b"):
            with self.subTest(byte):
                (row,) = self.measure("block", "--bytes", byte * 8)
                self.assertTrue(row["status"] == "measured" or row["reason"], row)


if __name__ == "__main__":
    unittest.main()

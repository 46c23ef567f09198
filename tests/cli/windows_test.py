#!/usr/bin/env python3
"""What the program for Windows says and does differently, as a user sees it."""

import unittest

from cyclescope import MACHINES, SOME_CPU, TEXTS, CliTest, natively, run


class WindowsTest(CliTest):
    def test_what_it_has_not_is_told_in_a_line(self):
        self.assert_refused(run("gpu"), "GPUs are measured on Linux", code=1)
        self.assert_refused(run("instruction", TEXTS.add, "--cycles", "counter"), "no access to hardware counters", code=1)
        recorded = MACHINES / "xeon-2-sockets" / "topology.xml"
        self.assert_refused(run("doctor", "--topology", recorded), "read on Linux only")

    def test_doctor_looks_at_what_windows_has(self):
        document = run("doctor", "--json").json()
        self.assert_valid(document)
        names = {check["name"] for check in document["doctor"]}
        self.assertLessEqual({"core parking", "timer", "system calls", "gpu", "counters"}, names)
        self.assertIn("Windows", document["host"]["kernel"])

    @natively
    def test_nothing_is_said_of_counters_where_nobody_asks(self):
        ended = run("instruction", TEXTS.add, "--cpu", SOME_CPU)
        self.assertNotIn("counters", ended.err)

    def test_letters_of_other_languages_in_file_names(self):
        file = self.folder / "Größe ☃.json"
        self.assertIn(run("frequency", "--cpus", SOME_CPU, "--export-json", file).code, (0, 3))
        self.assertIn(b'"schema"', file.read_bytes())
        self.assertEqual(run("report", file).code, 0)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`model`: all that predictions for a core rest on, in one file."""

import gzip
import json
import os
import tempfile
import unittest

from cyclescope import CliTest, run

# One opcode on either architecture, and a few.
ONE = "^(ADDXrs|ADD64rr)$"
SOME = "^(ADDXrs|MADDXrrr|LDRXui|STRXui|ADD64rr|IMUL64rr|MOV64rm|MOV64mr)$"
IMPATIENT = ("--quick", "--patience", "0.2")


class ModelTest(CliTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with gzip.open(self.path(name), "rt", encoding="utf-8") as file:
            return json.load(file)

    # On a busy machine mixes may find no quiet moment, so that nothing is said about values here.
    def test_one_packed_file_has_all_parts(self):
        file = self.path("model.json.gz")
        result = run("model", *IMPATIENT, "--filter", SOME, "--export-json", file)
        self.assertIn(result.code, (0, 3), result.err)
        self.assertIn("store forwarding", result.out)
        document = self.read("model.json.gz")
        self.assertEqual(document["config"]["command"], "model")
        self.assertEqual(len(document["instructions"]), 4)
        self.assertEqual({row["part"] for row in document["anatomy"]["rows"]},
                         {"windows", "front-end", "elimination", "fusion", "memory-pipeline"})
        (memory,) = document["memory"]
        self.assertTrue(memory.get("accesses") or "accesses" in memory["left_out"], memory)
        codes = [warning["code"] for warning in document["warnings"]]
        self.assertEqual("port_map" not in document, "no-port-map" in codes, codes)
        if "port_map" in document and result.code == 0:
            self.assertTrue(all("port_finding" in row for row in document["instructions"]
                                if row["status"] in ("measured", "disturbed")))
        report = run("report", file)
        self.assertEqual(report.code, 0, report.err)
        self.assertIn("Windows", report.out)

    def test_a_resumed_run_measures_nothing_twice(self):
        journal = self.path("journal")
        first = run("model", *IMPATIENT, "--filter", ONE, "--journal", journal, "--json")
        self.assertIn(first.code, (0, 3), first.err)
        again = run("model", *IMPATIENT, "--filter", ONE, "--resume", journal, "--json")
        self.assertIn(again.code, (0, 3), again.err)
        first, again = first.json(), again.json()
        for part in ("anatomy", "memory"):
            self.assertEqual(first[part], again[part])
        (row,), (same,) = first["instructions"], again["instructions"]
        self.assertEqual(row["throughput"], same["throughput"])
        if "port_map" in first:
            self.assertEqual(first["port_map"], again["port_map"])

    def test_a_run_without_time_says_so_and_can_go_on(self):
        journal = self.path("journal")
        result = run("model", *IMPATIENT, "--filter", ONE, "--budget", "0.001", "--journal", journal, "--json")
        self.assertEqual(result.code, 3, result.err)
        document = result.json()
        self.assertTrue(document["partial"])
        self.assertEqual(document["sweep"]["not_reached"], 1)

    def test_several_jobs_need_several_cpus(self):
        result = run("model", *IMPATIENT, "--filter", ONE, "--jobs", "4000")
        self.assertEqual(result.code, 2, result.err)
        self.assertIn("jobs", result.err)

    def test_a_filter_that_selects_nothing_leaves_no_journal(self):
        journal = self.path("journal")
        result = run("model", "--filter", "no_such_opcode", "--journal", journal)
        self.assertEqual(result.code, 2, result.err)
        self.assertFalse(os.path.exists(journal))


if __name__ == "__main__":
    unittest.main()

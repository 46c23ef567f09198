#!/usr/bin/env python3
"""`sweep`: a few instructions of all, its files, and going on where it was ended."""

import csv
import json
import unittest

from cyclescope import EMULATED, MEASURED, CliTest, run

FEW = ("--filter", "^(ADDXrs|ADD64rr|MADDXrrr|IMUL64rr)$")  # opcodes of both architectures


class SweepTest(CliTest):
    def test_rows_and_files(self):
        names = {name: self.folder / name for name in ("result.json", "rows.csv", "journal")}
        arguments = ("--journal", names["journal"], "--export-csv", names["rows.csv"])
        ended = run("sweep", *FEW, *arguments, "--export-json", names["result.json"])
        self.assertIn(ended.code, (0, 3), ended.err)
        document = json.loads(names["result.json"].read_text(encoding="utf-8"))
        self.assert_valid(document)
        rows = [row for row in document["instructions"] if row["status"] in MEASURED]
        self.assertEqual(len(rows), 2)
        with names["rows.csv"].open(encoding="utf-8", newline="") as file:
            self.assertGreater(len(list(csv.reader(file))), 2)

        again = run("sweep", *FEW, "--resume", names["journal"], "--json")
        self.assertIn(again.code, (0, 3), again.err)
        measured = [row for row in again.json()["instructions"] if row["status"] in MEASURED]
        self.assertEqual([row["text"] for row in measured], [row["text"] for row in rows])
        if not EMULATED:  # taken from the journal, not measured again
            self.assertEqual(
                [row["throughput"]["cycles"] for row in measured], [row["throughput"]["cycles"] for row in rows]
            )

    def test_refusals(self):
        self.assert_refused(run("sweep", "--filter", "("), "--filter")
        self.assert_refused(run("sweep", *FEW, "--resume", "/nowhere/journal"), "/nowhere/journal")
        self.assert_refused(run("sweep", *FEW, "--journal", "/nowhere/journal"), "/nowhere/journal")
        self.assert_refused(run("sweep", *FEW, "--export-csv", "/nowhere/x", cwd=self.folder), "/nowhere/x")


if __name__ == "__main__":
    unittest.main()

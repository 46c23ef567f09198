#!/usr/bin/env python3
"""`anatomy`: how the core is built."""

import csv
import io
import unittest

from cyclescope import CliTest, run

WINDOWS = {"reorder buffer", "integer registers", "vector registers", "flags", "mask registers", "loads", "stores",
           "branches", "scheduler"}


class AnatomyTest(CliTest):
    # What a busy machine shows is not known, so that nothing is said about values here: what is asked for is that
    # whatever is reported fits together.
    def test_rows_fit_together(self):
        result = run("anatomy", "--quick", "--json", "--patience", "1")
        self.assertEqual(result.code, 0, result.err)
        anatomy = result.json()["anatomy"]
        rows = anatomy["rows"]
        planned = run("anatomy", "--quick", "--dry-run", "--json").json()["anatomy"]["rows"]
        windows = [{row["name"] for row in each if row["part"] == "windows"} for each in (rows, planned)]
        self.assertEqual(*windows)
        self.assertLess(windows[0], WINDOWS)
        self.assertIn("reorder buffer", windows[0])
        keys = [(row["part"], row["name"], row.get("filler")) for row in rows]
        self.assertEqual(len(keys), len(set(keys)))
        for row in rows:
            if "value" not in row:
                self.assertNotEqual(row["status"], "measured", row)
                self.assertTrue(row["reason"], row)
                continue
            value = row["value"]
            self.assertLessEqual(value["low"], value["value"], row)
            self.assertLessEqual(value["value"], value["high"], row)
            if row["part"] == "windows":
                self.assertGreater(value["value"], 0, row)
                if "shared" in row and not row.get("at_least"):
                    self.assertLess(row["shared"]["value"], value["value"], row)

    def test_dry_run_shows_the_code_and_measures_nothing(self):
        result = run("anatomy", "--parts", "windows,memory-pipeline", "--dry-run", "--show-asm", "--json")
        self.assertEqual(result.code, 0, result.err)
        rows = result.json()["anatomy"]["rows"]
        self.assertEqual({row["part"] for row in rows}, {"windows", "memory-pipeline"})
        for row in rows:
            self.assertTrue(row["code"], row)
            self.assertNotIn("value", row)

    def test_parts_are_names(self):
        result = run("anatomy", "--parts", "windows,soul")
        self.assertEqual(result.code, 2)
        self.assertIn("soul", result.err)

    def test_csv(self):
        result = run("anatomy", "--parts", "windows", "--dry-run", "--export-csv", "-")
        self.assertEqual(result.code, 0, result.err)
        lines = [line for line in result.out.splitlines() if line.startswith(("part,", "windows,"))]
        rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
        self.assertEqual({row["name"] for row in rows}, WINDOWS)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`cores`: the matrix in its forms, and what is refused."""

import csv
import json
import os
import unittest

from cyclescope import CliTest, run

CPUS = sorted(os.sched_getaffinity(0))
PAIR = f"{CPUS[0]},{CPUS[-1]}"
SHORT = ("--cpus", PAIR, "--lines", 8, "--samples", 3, "--iterations", 50)


@unittest.skipIf(len(CPUS) < 2, "needs two CPUs")
class CoresTest(CliTest):
    def test_both_directions_have_a_value_in_its_interval(self):
        ended = run("cores", "--json", *SHORT)
        self.assertIn(ended.code, (0, 3), ended.err)
        document = ended.json()
        self.assert_valid(document)
        (matrix,) = document["cores"]
        self.assertEqual(matrix["cpus"], [CPUS[0], CPUS[-1]])
        for i, j in ((0, 1), (1, 0)):
            self.assertIsNone(matrix["nanoseconds"][i][i])
            self.assertLessEqual(matrix["low"][i][j], matrix["nanoseconds"][i][j])
            self.assertLessEqual(matrix["nanoseconds"][i][j], matrix["high"][i][j])

    def test_every_test(self):
        ended = run("cores", "--json", "--test", "all", *SHORT)
        self.assertIn(ended.code, (0, 3), ended.err)
        self.assert_valid(ended.json())
        self.assertEqual(
            [matrix["test"] for matrix in ended.json()["cores"]],
            ["cas", "exchange", "add", "store", "two-lines", "message"],
        )

    def test_text(self):
        ended = run("cores", *SHORT)
        self.assertIn(ended.code, (0, 3), ended.err)
        for part in ("one way, ns", "min", "median", "max"):
            self.assertIn(part, ended.out)

    def test_files(self):
        matrix, document = self.folder / "matrix.csv", self.folder / "result.json"
        run("cores", *SHORT, "--export-csv", matrix, "--export-json", document)
        self.assert_valid(json.loads(document.read_text(encoding="utf-8")))
        with matrix.open(encoding="utf-8", newline="") as file:
            self.assertEqual(len(list(csv.reader(file))), 3)  # a heading and two CPUs


class RefusalTest(CliTest):
    def test_cpus(self):
        self.assert_refused(run("cores", "--cpus", CPUS[0]), "at least two")
        self.assert_refused(run("cores", "--cpus", f"{CPUS[0]},{CPUS[0]}"), "twice")
        self.assert_refused(run("cores", "--cpus", "8000"), "CPU 8000 does not exist")

    def test_numbers(self):
        self.assert_refused(run("cores", "--lines", 0), "--lines 0")
        self.assert_refused(run("cores", "--lines", 10**12), "--lines")
        self.assert_refused(run("cores", "--precision", 0), "--precision")

    def test_names(self):
        self.assert_refused(run("cores", "--test", "nope"), "'nope'", "two-lines")
        self.assert_refused(run("cores", "--unit", "hours"), "hours")

    def test_export_paths_fail_first(self):
        self.assert_refused(run("cores", "--export-csv", "/nowhere/x"), "cannot write '/nowhere/x'")


if __name__ == "__main__":
    unittest.main()

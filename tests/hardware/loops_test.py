#!/usr/bin/env python3
"""Loops of a real program (benchmarks/loops), and what `block` says of them: relations that hold however busy it is.

loops_test.py PROGRAM BENCHMARKS
"""

import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest

PROGRAM, BENCHMARKS = sys.argv[1:3]
LOADER = importlib.machinery.SourceFileLoader("compare", f"{BENCHMARKS}/loops/compare")
compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", LOADER))
LOADER.exec_module(compare)

# A loop shares its core half of the time at worst, and the program as well.
FACTOR = 2.6
TRIES = 10  # at what a busy machine may disturb


class LoopsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.build = compare.Build("gcc", "-O2", cls.folder.name)
        cls.rows = {}
        for row in compare.measure(PROGRAM, cls.build.assembly, 2):
            cls.rows.setdefault(row["function"], []).append(row)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def rows_of(self, name):
        """Its rows, measured again where a busy machine left one without a value."""
        for _ in range(TRIES):
            rows = self.rows[name]
            if all("cycles" in row for row in rows):
                return rows
            self.rows[name] = compare.measure(PROGRAM, self.build.assembly, 2, ("--function", name))
        return self.fail(f"{name}: no value in {TRIES} runs: {[row.get('reason') for row in rows]}")

    def value(self, name):
        rows = self.rows_of(name)
        return sum(
            row["cycles"] * trips
            for row, trips in zip(rows, self.build.trips(name, rows)) if trips > 0
        )

    def test_every_loop_is_found_and_measured(self):
        names = compare.run(self.build.program, "list").split()
        self.assertGreaterEqual(len(names), 30)
        for name in names:
            self.assertIn(name, self.rows)
            for row in self.rows_of(name):
                self.assertIn(row["status"], ("measured", "disturbed"), f"{name}: {row.get('reason')}")

    def test_takes_about_as_long_as_in_the_program(self):
        names = ["sum_long", "dot", "half_plus", "prefix_sum", "horner", "walk_list", "hash_bytes", "gather"]
        compared = set()
        for _ in range(5):
            for name, runs in self.build.times(names, wanted=1).items():
                if not runs:
                    continue  # its core was never quiet
                real = runs[0]
                value = self.value(name)
                self.assertLess(value, FACTOR * real, name)
                self.assertGreater(value, real / FACTOR, name)
                compared.add(name)
            if compared:
                break
        self.assertTrue(compared)

    def test_a_chain_takes_longer_than_independent_work(self):
        self.assertGreater(self.value("walk_list"), 2 * self.value("sum_long"))
        self.assertGreater(self.value("low_pass"), 2 * self.value("sum_double"))

    def test_equal_indexes_make_a_histogram_slow(self):
        def cycles(data):
            # What else runs on the core only adds: the least of several is nearest to the truth.
            choice = ("--function", "histogram", "--memory", data)
            rows = [compare.measure(PROGRAM, self.build.assembly, 2, choice)[0] for _ in range(3)]
            return min(row["cycles"] for row in rows if "cycles" in row)

        self.assertGreater(cycles("constant"), 1.5 * cycles("random"))

    def test_a_sum_does_not_depend_on_its_data(self):
        for name in ("sum_long", "dot"):
            self.assertNotIn("by_data", self.rows[name][0])

    def test_calls_are_named(self):
        rows = [row for rows in self.rows.values() for row in rows]
        # A root of a negative number calls, and none is negative.
        avoided = {row["function"] for row in rows if any(claim["kind"] == "avoids-calls" for claim in row.get("claims", []))}
        left_out = {row["function"] for row in rows if row.get("left_out")}
        self.assertIn("square_roots", avoided | left_out)
        self.assertLessEqual(left_out, {"square_roots", "popcount"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

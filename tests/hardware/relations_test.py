#!/usr/bin/env python3
"""Relations between measured values that hold on every machine, whatever its speed and however busy it is.

relations_test.py PROGRAM ARCHITECTURE
"""

import functools
import json
import subprocess
import sys
import unittest

PROGRAM, ARCHITECTURE = sys.argv[1:3]

# Chains: a link of one, and one of several cycles.
ADD, MULTIPLY, LOAD = {
    "aarch64": ("add x0, x0, x1", "mul x0, x0, x1", "ldr x0, [x0]"),
    "x86_64": ("add rax, rcx", "imul rax, rcx", "mov rax, [rax]"),
}[ARCHITECTURE]

# Reads a place in memory, whose address is in the register named, and writes it.
UPDATE, ADDRESS = {
    "aarch64": ("ldadd x0, x1, [x2]", "x2"),
    "x86_64": ("add dword ptr [rbx], 300", "rbx"),
}[ARCHITECTURE]

TRIES = 5  # a busy machine may disturb a value, and says so; then it is measured again


def measure(command, *arguments):
    """The document of the first run with all its values. Those of a shared core have wider intervals, and count."""
    for _ in range(TRIES):
        ended = subprocess.run(
            [PROGRAM, command, "--json", *arguments], capture_output=True, encoding="utf-8", timeout=600, check=False
        )
        if ended.returncode not in (0, 3):
            raise AssertionError(ended.stderr)
        document = json.loads(ended.stdout)
        rows = document.get("instructions", []) + document.get("blocks", [])
        if not document.get("partial") and all(row["status"] in ("measured", "contended") for row in rows):
            return document
    raise unittest.SkipTest(f"disturbed {TRIES} times: {ended.stderr}")


class Interval:
    """Where a value lies."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __str__(self):
        return f"{self.low:.4g} to {self.high:.4g}"

    def __rmul__(self, factor):
        return Interval(factor * self.low, factor * self.high)

    def meets(self, other, relative):
        """Whether both may be the same value, give or take a share of it."""
        return self.low <= (1 + relative) * other.high and other.low <= (1 + relative) * self.high


def interval(estimate):
    return Interval(estimate["low"], estimate["high"])


def cycles(text, *options):
    (row,) = measure("block", text, *options)["blocks"]
    return interval(row)


def holds(relation):
    """A test of a relation: one that noise broke holds at another time, one that is wrong holds never."""

    @functools.wraps(relation)
    def test(self):
        for _ in range(TRIES - 1):
            try:
                return relation(self)
            except AssertionError as error:
                print(f"{relation.__name__}: {error}", file=sys.stderr)
        return relation(self)

    return test


class RelationsTest(unittest.TestCase):
    def assert_near(self, value, wanted, relative, what=""):
        self.assertLess(abs(value - wanted), relative * wanted, f"{what} {value} is not {wanted}")

    def assert_meet(self, one, other, relative, what=""):
        self.assertTrue(one.meets(other, relative), f"{what} {one} is not {other}")

    def test_intervals_that_lie_apart_do_not_meet(self):
        self.assertTrue(Interval(2.9, 3.0).meets(Interval(3.05, 3.1), 0.02))
        self.assertFalse(Interval(2.9, 3.0).meets(Interval(3.1, 3.2), 0.02))
        self.assertFalse(Interval(3.1, 3.2).meets(Interval(2.9, 3.0), 0.02))

    @holds
    def test_a_chain_twice_as_long_takes_twice_as_long(self):
        for link in (ADD, MULTIPLY, LOAD):
            chain = "; ".join([link] * 20)
            self.assert_meet(cycles(f"{chain}; {chain}"), 2 * cycles(chain), 0.02, link)

    @holds
    def test_latencies_of_register_chains_are_whole(self):
        for link in (ADD, MULTIPLY):
            value = cycles(link)
            whole = max(1, round((value.low + value.high) / 2))
            self.assert_meet(value, Interval(whole, whole), 0.03, link)

    @holds
    def test_a_loop_costs_what_its_body_costs_or_more(self):
        chain = "; ".join([MULTIPLY] * 10)
        self.assertGreater(cycles(chain, "--loop").high, 0.98 * cycles(chain).low)

    @holds
    def test_the_two_ways_to_measure_a_latency_agree(self):
        (row,) = measure("instruction", MULTIPLY)["instructions"]
        (pair,) = [pair for pair in row["latency"] if pair["from"] == pair["to"] and pair["kind"] == "exact"]
        self.assert_meet(interval(pair), cycles(MULTIPLY), 0.02)

    @holds
    def test_throughput_is_no_worse_than_latency(self):
        (row,) = measure("instruction", MULTIPLY)["instructions"]
        self.assertLess(interval(row["throughput"]).low, 1.02 * min(interval(pair).high for pair in row["latency"]))

    @holds
    def test_an_update_of_memory_waits_for_its_address_as_a_load_does(self):
        (row,) = measure("instruction", UPDATE)["instructions"]
        (pair,) = [pair for pair in row["latency"] if pair["from"] == ADDRESS]
        self.assertGreater(interval(pair).high, 0.9 * cycles(LOAD).low)

    @holds
    def test_frequency_agrees_with_the_classic_table(self):
        document = measure("instruction", ADD)
        frequency = {row["cpu"]: row for row in measure("frequency")["frequency"]}
        for row in document["instructions"][0]["classic"]:
            self.assert_near(row["core_ghz"], row["boost"] * row["base_ghz"], 0.001)
            self.assert_near(row["core_cycles"] / row["seconds"] / 1e9, row["core_ghz"], 0.001)
        # Cores change their frequency between runs: all that is sure is its order of magnitude.
        for row in frequency.values():
            self.assertLess(0.1, row["core_ghz"])
            self.assertLess(row["core_ghz"], 10)
            self.assert_near(row["core_ghz"], row["boost"] * row["base_ghz"], 0.001)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

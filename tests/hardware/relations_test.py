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

TRIES = 5  # a busy machine may disturb a value, and says so; then it is measured again


def is_contended(value):
    """Whether a core was shared while any part of the document was measured."""
    if isinstance(value, dict):
        return value.get("contended") is True or any(map(is_contended, value.values()))
    return isinstance(value, list) and any(map(is_contended, value))


def measure(command, *arguments):
    """The document of the first run that nothing disturbed. Where a core is never quiet, nothing can be asked."""
    for _ in range(TRIES):
        ended = subprocess.run(
            [PROGRAM, command, "--json", *arguments], capture_output=True, encoding="utf-8", timeout=600, check=False
        )
        if ended.returncode not in (0, 3):
            raise AssertionError(ended.stderr)
        document = json.loads(ended.stdout)
        if ended.returncode == 0 and not is_contended(document):
            return document
    raise unittest.SkipTest(f"disturbed {TRIES} times: {ended.stderr}")


def cycles(text, *options):
    (row,) = measure("block", text, *options)["blocks"]
    return row["cycles"]


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

    @holds
    def test_a_chain_twice_as_long_takes_twice_as_long(self):
        for link in (ADD, MULTIPLY, LOAD):
            chain = "; ".join([link] * 20)
            self.assert_near(cycles(f"{chain}; {chain}"), 2 * cycles(chain), 0.02, link)

    @holds
    def test_latencies_of_register_chains_are_whole(self):
        for link in (ADD, MULTIPLY):
            value = cycles(link)
            self.assert_near(value, max(1, round(value)), 0.03, link)

    @holds
    def test_a_loop_costs_what_its_body_costs_or_more(self):
        chain = "; ".join([MULTIPLY] * 10)
        self.assertGreater(cycles(chain, "--loop"), 0.98 * cycles(chain))

    @holds
    def test_the_two_ways_to_measure_a_latency_agree(self):
        (row,) = measure("instruction", MULTIPLY)["instructions"]
        (pair,) = [pair for pair in row["latency"] if pair["from"] == pair["to"] and pair["kind"] == "exact"]
        self.assert_near(pair["cycles"], cycles(MULTIPLY), 0.02)

    @holds
    def test_throughput_is_no_worse_than_latency(self):
        (row,) = measure("instruction", MULTIPLY)["instructions"]
        self.assertLess(row["throughput"]["cycles"], 1.02 * min(pair["cycles"] for pair in row["latency"]))

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

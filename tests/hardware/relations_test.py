#!/usr/bin/env python3
"""Relations between measured values that hold on every machine, whatever its speed and however busy it is.

relations_test.py PROGRAM ARCHITECTURE

A relation is tried several times, since a busy machine may disturb a value. It must hold in most of the tries that say
anything: a try with a disturbed row or a wide interval says nothing, and a relation without a verdict fails. WrongTools
shows that programs with wrong, vague or missing values fail.
"""

import functools
import json
import subprocess
import sys
import unittest
from unittest import mock

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

MAJORITY = 3  # of five tries that say something
MAX_TRIES = 20  # with those that say nothing
MAX_RELATIVE_WIDTH = 0.25  # of an interval that says something; one of a shared core has about 0.1


class SaysNothing(Exception):
    """The machine was too busy for a value; what was measured is neither right nor wrong."""


def run_program(*arguments):
    """Its exit code, standard output and standard error."""
    ended = subprocess.run(
        [PROGRAM, *arguments], capture_output=True, encoding="utf-8", timeout=600, check=False
    )
    return ended.returncode, ended.stdout, ended.stderr


def measure(command, *arguments):
    """The document of a run, all of whose rows were measured."""
    code, out, err = run_program(command, "--json", "--patience", "1", *arguments)
    if code not in (0, 3):
        raise AssertionError(err)
    document = json.loads(out)
    rows = [row for key in ("instructions", "blocks", "frequency") for row in document.get(key, [])]
    if not rows:
        raise AssertionError(f"{command} has no rows")
    for row in rows:
        if row["status"] == "disturbed" or document.get("partial"):
            raise SaysNothing(f"{row['status']}: {err}")
        if row["status"] != "measured":
            raise AssertionError(f"{row['status']}: {row.get('reason')}")
    return document


class Interval:
    """Where a value lies."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def __str__(self):
        return f"{self.low:.4g} to {self.high:.4g}"

    def __rmul__(self, factor):
        return Interval(factor * self.low, factor * self.high)

    def is_wide(self):
        return self.high - self.low > MAX_RELATIVE_WIDTH * self.high

    def meets(self, other, relative):
        """Whether both may be the same value, give or take a share of it."""
        return self.low <= (1 + relative) * other.high and other.low <= (1 + relative) * self.high


def interval(estimate):
    """A narrow one: anything agrees with a wide one."""
    result = Interval(estimate["low"], estimate["high"])
    if not 0 < result.high < float("inf") or result.low > result.high:
        raise AssertionError(f"no interval: {result}")
    if result.is_wide():
        raise SaysNothing(f"wide: {result}")
    return result


def cycles(text, *options):
    (row,) = measure("block", text, *options)["blocks"]
    return interval(row)


def holds(relation):
    """A test of a relation, which must hold in most of the tries that say something."""

    @functools.wraps(relation)
    def test(self):
        kept, broken, silent = 0, [], []
        for _ in range(MAX_TRIES):
            try:
                relation(self)
                kept += 1
            except AssertionError as error:
                broken.append(str(error))
            except SaysNothing as reason:
                silent.append(str(reason))
            if kept == MAJORITY:
                return
            if len(broken) == MAJORITY:
                break
        self.fail(f"held {kept} times, broken: {broken}, without a value: {silent}")

    return test


class RelationsTest(unittest.TestCase):
    def assert_near(self, value, wanted, relative, what=""):
        self.assertLess(abs(value - wanted), relative * wanted, f"{what} {value} is not {wanted}")

    def assert_meet(self, one, other, relative, what=""):
        self.assertTrue(one.meets(other, relative), f"{what} {one} is not {other}")

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
        # On a shared core a throughput is an upper bound, from zero to its value.
        self.assertLess(row["throughput"]["cycles"], 1.02 * min(interval(pair).high for pair in row["latency"]))

    @holds
    def test_an_update_of_memory_waits_for_its_address_as_a_load_does(self):
        (row,) = measure("instruction", UPDATE)["instructions"]
        (pair,) = [pair for pair in row["latency"] if pair["from"] == ADDRESS]
        self.assertGreater(interval(pair).high, 0.9 * cycles(LOAD).low)

    @holds
    def test_frequency_agrees_with_the_classic_table(self):
        classic = measure("instruction", ADD)["instructions"][0]["classic"]
        self.assertTrue(classic)
        for row in classic:
            if row["boost"] == 0:  # runs differed in their rate: none is given
                self.assertEqual(row["core_ghz"], 0)
            else:
                self.assert_near(row["core_ghz"], row["boost"] * row["base_ghz"], 0.001)
                self.assert_near(row["core_cycles"] / row["seconds"] / 1e9, row["core_ghz"], 0.001)
        # Cores change their frequency between runs: all that is sure is its order of magnitude.
        for row in measure("frequency")["frequency"]:
            self.assertLess(0.1, row["core_ghz"])
            self.assertLess(row["core_ghz"], 10)
            self.assert_near(row["core_ghz"], row["boost"] * row["base_ghz"], 0.001)


class FakeProgram:
    """Documents as a program prints them on a core with known latencies. A test changes what it wants to be wrong."""

    status = "measured"
    width = 0.01  # of every interval
    doubles = True  # whether a chain twice as long takes twice as long
    loop_share = 1.0
    multiply_cycles = 3.0
    multiply_latency = 3.0  # as `instruction` gives it
    throughput = 1.0
    update_latency = 6.0
    boost = 1.5
    has_rows = True

    def __init__(self, **changes):
        for name, value in changes.items():
            setattr(self, name, value)

    def estimate(self, value):
        return {"status": self.status, "cycles": value, "low": value * (1 - self.width / 2),
                "high": value * (1 + self.width / 2)}

    def block(self, text, *options):
        links = text.split("; ")
        link = {ADD: 1.0, MULTIPLY: self.multiply_cycles, LOAD: 5.0}[links[0]]
        value = (len(links) if self.doubles else min(len(links), 20)) * link
        return {"blocks": [self.estimate(value * (self.loop_share if "--loop" in options else 1))]}

    def instruction(self, text):
        latency = {ADD: 1.0, MULTIPLY: self.multiply_latency, UPDATE: self.update_latency}[text]
        source = ADDRESS if text == UPDATE else "a"
        return {"instructions": [{
            "status": self.status, "throughput": self.estimate(self.throughput),
            "latency": [{**self.estimate(latency), "from": source, "to": "a", "kind": "exact"}],
            "classic": [{"core_ghz": 3.0, "base_ghz": 2.0, "boost": self.boost, "core_cycles": 3e6, "seconds": 1e-3}],
        }]}

    def frequency(self):
        return {"frequency": [{"status": self.status, "core_ghz": 3.0, "base_ghz": 2.0, "boost": self.boost}]}

    def __call__(self, command, *arguments):
        words = [word for word in arguments if word not in ("--json", "--patience", "1")]
        document = getattr(self, command)(*words)
        if not self.has_rows:
            document = {key: [] for key in document}
        return 0, json.dumps(document), ""


class WrongTools(unittest.TestCase):
    """Each relation passes on a right program and fails on a wrong one."""

    RELATIONS = [name for name in dir(RelationsTest) if name.startswith("test_")]

    def passes(self, relation, program):
        with mock.patch.dict(globals(), run_program=program):
            result = RelationsTest(relation).run()
        self.assertFalse(result.errors, result.errors)
        return not result.failures

    def test_a_right_program_passes(self):
        for relation in self.RELATIONS:
            self.assertTrue(self.passes(relation, FakeProgram()), relation)

    def test_no_value_passes_nothing(self):
        for relation in self.RELATIONS:
            for status in ("disturbed", "unmeasurable", "crashed"):
                self.assertFalse(self.passes(relation, FakeProgram(status=status)), (relation, status))
            self.assertFalse(self.passes(relation, FakeProgram(has_rows=False)), relation)

    def test_intervals_of_any_width_pass_nothing(self):
        # Frequencies of the classic table have none.
        for relation in set(self.RELATIONS) - {"test_frequency_agrees_with_the_classic_table"}:
            self.assertFalse(self.passes(relation, FakeProgram(width=2.0)), relation)

    def test_each_relation_fails_on_what_it_is_about(self):
        wrong = {
            "test_a_chain_twice_as_long_takes_twice_as_long": {"doubles": False},
            "test_latencies_of_register_chains_are_whole": {"multiply_cycles": 3.5},
            "test_a_loop_costs_what_its_body_costs_or_more": {"loop_share": 0.5},
            "test_the_two_ways_to_measure_a_latency_agree": {"multiply_latency": 4.0},
            "test_throughput_is_no_worse_than_latency": {"throughput": 5.0},
            "test_an_update_of_memory_waits_for_its_address_as_a_load_does": {"update_latency": 1.0},
            "test_frequency_agrees_with_the_classic_table": {"boost": 1.0},
        }
        self.assertEqual(sorted(wrong), self.RELATIONS)
        for relation, change in wrong.items():
            self.assertFalse(self.passes(relation, FakeProgram(**change)), relation)

    def test_right_once_of_three_does_not_pass(self):
        tries = iter([4.0, 4.0, 3.0] * MAX_TRIES)

        def program(command, *arguments):
            latency = next(tries) if command == "instruction" else 3.0
            return FakeProgram(multiply_latency=latency)(command, *arguments)

        self.assertFalse(self.passes("test_the_two_ways_to_measure_a_latency_agree", program))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

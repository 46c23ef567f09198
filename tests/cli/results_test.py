#!/usr/bin/env python3
"""The results that are published in results/: whole, readable, of a clean commit, and without a name of anyone's."""

import gzip
import json
import pathlib
import re
import unittest

from cyclescope import ROOT, CliTest, run

RESULTS = sorted((ROOT / "results").glob("*"))
MOST_BYTES = 15_000_000  # together

# What could name a machine, its owner, or where it stands.
NAMING = {
    "a path": re.compile(r"(?<![\w./])(?:[A-Za-z]:)?[/\\](?:[\w.+@~-]+[/\\])+[\w.+@~-]*|~/\S|\\\\\w"),
    "an address of the internet": re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|\bhttps?://"),
    "a network card's address": re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE),
    "a device's number": re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\bGPU-[0-9a-f]{8}", re.IGNORECASE),
    "a place on a bus": re.compile(r"\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-9a-f])?\b", re.IGNORECASE),
    "an address of mail": re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+"),
    "a host of a cloud": re.compile(r"\bip-\d+-\d+-\d+-\d+\b|\.internal\b|\.local\b|\blocalhost\b", re.IGNORECASE),
}
# Members that hold nothing but names.
NAMELESS = ("engine", "doctor", "fleet", "hosts", "failure")


def texts(node, place=""):
    """Every text of a document, with where it stands."""
    if isinstance(node, str):
        yield place, node
    elif isinstance(node, list):
        for i, each in enumerate(node):
            yield from texts(each, f"{place}[{i}]")
    elif isinstance(node, dict):
        for key, each in node.items():
            yield from texts(each, f"{place}.{key}")


def naming(document):
    """What of a document could name someone: (what it is, where it stands, the text)."""
    return [(what, place, text) for place, text in texts(document) for what, pattern in NAMING.items()
            if pattern.search(text)]


def read(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


class PublishedTest(CliTest):
    def test_there_are_packed_documents_and_they_are_small(self):
        self.assertTrue(RESULTS)
        self.assertEqual([path.name for path in RESULTS if not path.name.endswith(".json.gz")], [])
        self.assertLess(sum(path.stat().st_size for path in RESULTS), MOST_BYTES)

    def test_each_is_a_whole_result_of_the_machine_that_its_name_says(self):
        for path in RESULTS:
            with self.subTest(path.name):
                document = read(path)
                self.assert_valid(document)
                kind = document["host"]["microarchitecture"].split(" (")[0]
                self.assertEqual(path.name, re.sub(r"[^a-z0-9]", "-", kind.lower()) + ".json.gz")
                self.assertFalse(document.get("partial", False))
                self.assertGreater(len(document["instructions"]), 1000)
                for part in ("port_map", "anatomy", "memory", "cores", "frequency", "contention"):
                    self.assertIn(part, document)

    def test_each_says_when_and_with_which_commit(self):
        for path in RESULTS:
            with self.subTest(path.name):
                document = read(path)
                self.assertRegex(document["config"]["started"], r"^20\d\d-\d\d-\d\dT")
                for tool in (document["tool"], *document["merged"]["runs"]):
                    # Not "-dirty": the program that measured it can be built again.
                    self.assertRegex(tool["commit"], r"^[0-9a-f]{12}$")

    def test_none_names_anyone(self):
        for path in RESULTS:
            with self.subTest(path.name):
                document = read(path)
                for member in NAMELESS:
                    self.assertNotIn(member, document)
                self.assertNotIn("options", document["config"])
                self.assertEqual(document["host"].get("name", ""), "")
                self.assertRegex(document["host"]["kernel"], r"^\w+ [\d.]+$")
                for gpu in document.get("gpu", []):
                    self.assertEqual(gpu.get("pci", ""), "")
                self.assertEqual([each.get("file", "") for each in document["merged"]["runs"]],
                                 [""] * len(document["merged"]["runs"]))
                self.assertEqual(naming(document), [])

    def test_the_program_reads_each_as_its_own(self):
        for path in RESULTS:
            with self.subTest(path.name):
                ended = run("report", path)
                self.assertEqual((ended.code, ended.err), (0, ""))
                name = path.name.removesuffix(".json.gz")
                self.assertIn(name, run("machines", "--names").out.split())
                self.assertEqual(run("report", name).out, ended.out)


class NamingTest(unittest.TestCase):
    """What the test above looks for, it finds."""

    def test_names_are_found(self):
        for text in ("/home/alice/a.s", "see C:\\Users\\alice\\x", "~/a.json", "at 10.0.3.17", "52:54:00:12:34:56",
                     "GPU-5a3c12f0", "0000:3b:00.0", "alice@example.org", "ip-10-0-3-17", "node7.internal",
                     "https://example.org/x"):
            self.assertTrue(naming({"warnings": [{"message": text}]}), text)

    def test_what_results_hold_is_no_name(self):
        for text in ("mov rax, qword ptr [rbx + 8*rcx]", "fmla z0.s, p0/m, z1.s, z2.s", "1/2, and/or", "GNU/Linux 12",
                     "2026-11-19T01:49:38Z", "0.3.0", "jmp next; nop; next:", "12.2.0", "ld.global.ca.b32 //"):
            self.assertEqual(naming([text]), [], text)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The schema describes what the program writes: no more, no less, and nothing broken.

schema_test.py REPOSITORY DESCRIBE MADE   where the last two are programs, with ; between their
words: the one that prints what follows from the descriptions, the one that writes documents of simulated machines
"""

import copy
import json
import pathlib
import re
import subprocess
import sys
import unittest

import jsonschema

from sentences import looks_like_a_sentence, sentences
from validate import errors

REPOSITORY = pathlib.Path(sys.argv[1])
DESCRIBE, MADE = (command.strip(";").split(";") for command in sys.argv[2:])
SCHEMA_PATH = REPOSITORY / "docs/schema/cyclescope-1.json"

# They take the validator minutes, and hold nothing that "survey" does not.
TOO_LARGE = {"large-fleet", "many-cpus", "sweep"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def made(*arguments):
    return output(*MADE, *arguments)


def closed(schema):
    """The schema, but with every field that it does not list refused."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if "properties" in schema and schema.get("type") == "object":
        result["additionalProperties"] = False
    return result


def described_fields(schema):
    """Every field that the schema describes, as (definition, name)."""
    places = {"document": schema, **schema["$defs"]}
    return {
        (place, name)
        for place, definition in places.items()
        for name in definition.get("properties", {})
    }


def used_fields(schema, document):
    """Those that a document makes use of."""
    used = set()

    def walk(definition, place, value):
        while "$ref" in definition:
            place = definition["$ref"].removeprefix("#/$defs/")
            definition = schema["$defs"][place]
        if isinstance(value, dict):
            for name, field in value.items():
                used.add((place, name))
                walk(definition["properties"][name], place, field)
        elif isinstance(value, list):
            for item in value:
                walk(definition["items"], place, item)

    walk(schema, "document", document)
    return used


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(SCHEMA_PATH, encoding="utf-8") as file:
            cls.schema = json.load(file)
        names = set(made("list").split()) - TOO_LARGE
        cls.documents = {name: json.loads(made("json", name)) for name in names}

    def test_follows_from_the_descriptions(self):
        for what, path in (("schema", SCHEMA_PATH), ("claims", REPOSITORY / "docs/claims.md")):
            with self.subTest(what):
                self.assertEqual(
                    output(*DESCRIBE, what), path.read_text(), "build the target update-schema"
                )

    def test_the_page_about_it_names_every_field(self):
        page = (REPOSITORY / "docs/schema.md").read_text()
        named = set(re.findall(r"`(\w+)`", page))
        self.assertEqual({name for _, name in described_fields(self.schema)} - named, set())

    def test_the_page_about_it_tells_numbers_from_objects(self):
        page = (REPOSITORY / "docs/schema.md").read_text()
        paths = re.findall(r"^\| `((?:\.\w+(?:\[\])?)+)` \| (a number|an object) \|$", page, re.MULTILINE)
        self.assertIn((".memory[].levels[].cycles", "an object"), paths)

        def resolved(definition):
            return self.schema["$defs"][definition["$ref"].removeprefix("#/$defs/")] if "$ref" in definition else definition

        for path, told in paths:
            definition = self.schema
            for step in path.strip(".").split("."):
                definition = resolved(definition["properties"][step.removesuffix("[]")])
                if step.endswith("[]"):
                    definition = resolved(definition["items"])
            self.assertEqual("an object" if definition.get("type") == "object" else "a number", told, path)

    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_every_made_document_is_valid(self):
        self.assertIn("full", self.documents)
        for name, document in self.documents.items():
            with self.subTest(name):
                self.assertEqual(errors(self.schema, document), [])

    def test_every_claim_names_a_test_that_it_is_silent_otherwise(self):
        tests = set()
        for path in (REPOSITORY / "src").rglob("*_test.cc"):
            text = path.read_text(encoding="utf-8")
            tests |= {".".join(name) for name in re.findall(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", text, re.M)}
        named = re.findall(r"\| `(\w+\.\w+)` \|$", output(*DESCRIBE, "claims"), re.M)
        self.assertGreater(len(named), 150)
        self.assertEqual(set(named) - tests, set())

    def test_nothing_but_the_table_of_claims_makes_notes(self):
        made = re.compile(r"\b(notes|cause|verdict)(\.(push_back|emplace_back)\(|\s*=\s*(fmt::format\()?\")")
        for path in (REPOSITORY / "src").rglob("*.cc"):
            if path.name.endswith("_test.cc") or "testing" in path.parts or path.name == "claims.cc":
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                self.assertIsNone(made.search(line), f"{path}:{number}: {line.strip()}")

    def test_describes_every_field_that_is_written(self):
        for name, document in self.documents.items():
            with self.subTest(name):
                self.assertEqual(errors(closed(self.schema), document), [])

    def test_describes_no_field_that_is_never_written(self):
        # Objects without a definition of their own count as part of the one they stand in.
        # The full document has nearly all; what only a busy machine says is in that of two CPUs.
        used = used_fields(self.schema, self.documents["full"])
        used |= used_fields(self.schema, self.documents["two-cpus"])
        self.assertEqual(described_fields(self.schema) - used, set())

    def test_allows_fields_of_later_versions(self):
        document = copy.deepcopy(self.documents["full"])
        document["later"] = 1
        document["host"]["later"] = {}
        self.assertEqual(errors(self.schema, document), [])

    def test_reports_have_no_sentences_but_claims(self):
        listed = (REPOSITORY / "tests/schema/no_claims.txt").read_text().split("\n\n", 1)[1].splitlines()
        known = {line for line in listed if line and not line.startswith("== ")}
        found = set(sentences(REPOSITORY))
        self.assertGreater(len(found), 100)
        self.assertEqual(
            found - known, set(), "a sentence about a machine is a claim: src/analysis/claims_of_*.h"
        )
        self.assertEqual(known - found, set(), "not in the sources any more: tests/schema/no_claims.txt")

    def test_a_new_sentence_is_seen(self):
        for text in ("CPU {} shares its core", "the L2 is slower than it says", "`${name} runs at half its speed`"):
            self.assertTrue(looks_like_a_sentence(text.strip("`")), text)
        for text in ("{} cycles", "two-lines", "max, ns"):
            self.assertFalse(looks_like_a_sentence(text), text)

    def test_sentences_of_documents_are_claims(self):
        """What a document says in words stands beside the claim that it is the sentence of."""
        spoken = {
            ("SelfCheck", "verdict"): "claim",
            ("Check", "finding"): "claim",
            ("PortFinding", "reason"): "claim",
            ("InstructionRow", "notes"): "claims",
            ("BlockBounds", "verdict"): "claim",
            ("BlockPrediction", "verdict"): "claim",
            ("BlockRow", "notes"): "claims",
            ("CoreFinding", "text"): "claim",
            ("MemoryFinding", "text"): "claim",
            ("MemoryRow", "notes"): "claims",
            ("FleetNode", "cause"): "claims",
            ("FleetNode", "notes"): "claims",
            ("AnatomyRow", "note"): "claim",
        }
        # Words of the user, of the assembler, of the system, or about what is missing.
        other = {"kind", "status", "reason", "failure", "message", "hint", "effect", "remedy", "code", "text", "structure",
                 "timeline", "source", "missing", "left_out", "cycle_source_reason", "init", "ptx", "assembly",
                 "cpu_model", "microarchitecture", "metric", "mix", "chain_text", "name", "known_as", "pattern"}
        for (place, field), claim in spoken.items():
            self.assertIn(claim, self.schema["$defs"][place]["properties"], (place, field))

        def walk(definition, place, field, value):
            while "$ref" in definition:
                place = definition["$ref"].removeprefix("#/$defs/")
                definition = self.schema["$defs"][place]
            if isinstance(value, dict):
                for name, item in value.items():
                    if (place, name) in spoken and item and name != "finding":
                        self.assertIn(spoken[(place, name)], value, (place, name, item))
                    walk(definition["properties"][name], place, name, item)
            elif isinstance(value, list):
                for item in value:
                    walk(definition["items"], place, field, item)
            elif isinstance(value, str) and (place, field) not in spoken and field not in other:
                self.assertFalse(looks_like_a_sentence(value), (place, field, value))

        for name, document in self.documents.items():
            if name == "hostile":
                continue
            with self.subTest(name):
                walk(self.schema, "document", "", document)

    def test_refuses_broken_documents(self):
        def without(key):
            return lambda document: document.pop(key)

        def put(value, *path):
            def change(document):
                for step in path[:-1]:
                    document = document[step]
                document[path[-1]] = value

            return change

        for breaking in [
            *(without(key) for key in ("schema", "tool", "host", "clock", "config", "warnings")),
            put("cyclescope/2", "schema"),
            put("fast", "clock", "tick_hz"),
            put("Measured", "instructions", 0, "status"),
            put(-1, "frequency", 0, "kept"),
            put(1.5, "frequency", 0, "cpu"),
            put("close", "instructions", 0, "latency", 0, "kind"),
            put({}, "instructions", 0, "throughput"),
            put([0, 0, 1], "cores", 0, "cpus"),
            put("45", "cores", 0, "nanoseconds", 0, 1),
            put([0], "cores", 0, "disturbed", 0),
            put({}, "cores"),
        ]:
            document = copy.deepcopy(self.documents["full"])
            breaking(document)
            self.assertNotEqual(errors(self.schema, document), [], document)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""`ports`: the map of the core, and the ports of instructions."""

import json
import os
import re
import tempfile
import unittest

from cyclescope import TEXTS, CliTest, run


class PortsTest(CliTest):
    # On a busy machine mixes may find no quiet moment, so that nothing is said about values here: what is asked for
    # is that whatever is reported fits together.
    def test_map_and_instruction(self):
        result = run("ports", "--json", "--explain", "--patience", "3", TEXTS.add)
        self.assertIn(result.code, (0, 3), result.err)
        document = result.json()
        codes = [warning["code"] for warning in document.get("warnings", [])]
        self.assertEqual("port_map" not in document, "no-port-map" in codes, codes)
        port_map = document.get("port_map", {"ports": [], "classes": []})
        names = set(port_map["ports"])
        for each in port_map["classes"]:
            self.assertTrue(set(each["ports"]) <= names, each)
            self.assertGreaterEqual(len(each["ports"]), each["per_cycle"])
            self.assertTrue(each["forms"])
        (row,) = document["instructions"]
        finding = row["port_finding"]
        # What starts as fast as the core dispatches shows no port: an add, where four of them start in four slots.
        if finding.get("binds") != "dispatch":
            self.assertNotEqual("ports" in row, "reason" in finding, row)
        for use in row.get("ports", []):
            self.assertGreaterEqual(use["uops"], 1, use)
            self.assertTrue(set(use["ports"]) <= names, use)
        if "ports" in row:
            self.assertGreater(row["slots"], 0)
        explained = "port_map" in document and "reason" not in finding
        self.assertEqual(result.code, 0 if explained else 3, finding)

    def test_text_names_the_ports(self):
        result = run("ports", "--patience", "1")
        self.assertIn(result.code, (0, 3), result.err)
        self.assertEqual(result.code, 3 if "ports were not found" in result.err else 0, result.err)
        self.assertEqual("slots dispatched a cycle" in result.out, result.code == 0, result.out)

    def test_against_compares_with_the_model(self):
        result = run("ports", "--against", "--patience", "1")
        self.assertIn(result.code, (0, 3), result.err)
        compared = re.search(r"(\d+) of (\d+) instructions|no instruction whose ports both sides know", result.out)
        self.assertTrue(compared, result.out)
        if compared[1]:
            self.assertLessEqual(int(compared[1]), int(compared[2]))

    def test_a_model_that_llvm_does_not_have_is_refused(self):
        result = run("ports", "--model", "no-such-cpu")
        self.assertEqual(result.code, 2)
        self.assertIn("no-such-cpu", result.err)

    def test_a_snippet_is_predicted_or_it_is_said_why_not(self):
        result = run("block", TEXTS.add, "--ports", "measure", "--json", "--patience", "1")
        self.assertIn(result.code, (0, 3), result.err)
        document = result.json()
        codes = [warning["code"] for warning in document.get("warnings", [])]
        self.assertEqual("port_map" not in document, "no-port-map" in codes, codes)
        (row,) = document["blocks"]
        # What has neither cycles nor bounds, or no map, or was interrupted, has no prediction.
        has_all = "port_map" in document and "cycles" in row and "bounds" in row
        self.assertEqual("ports" in row, has_all, row)
        if not has_all:
            return
        ports = row["ports"]
        bounds = [ports[each] for each in ("ports", "dispatch", "chain", "other")]
        self.assertAlmostEqual(ports["cycles"], max(bounds), places=6)
        self.assertEqual([load["port"] for load in ports["pressure"]], document["port_map"]["ports"])

    def test_ports_of_another_cpu_predict_nothing_here(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = os.path.join(folder, "other.json")
            made = run("frequency", "--json").json()
            made["host"]["cpu_model"] = "another"
            made["port_map"] = {"dispatch": 4, "ports": ["p0"], "classes": [], "mixes": 1, "seconds": 1}
            with open(saved, "w", encoding="utf-8") as file:
                json.dump(made, file)
            result = run("block", TEXTS.add, "--ports", saved)
            self.assertEqual(result.code, 2)
            self.assertIn("another CPU", result.err)
            self.assertEqual(run("block", TEXTS.add, "--ports", os.path.join(folder, "none.json")).code, 2)

    def test_words_without_quotes(self):
        self.assert_refused(run("ports", *TEXTS.add.split()), "put it in quotes: cyclescope ports")

    def test_bad_text_is_refused_before_anything_is_measured(self):
        result = run("ports", "no such instruction")
        self.assertEqual(result.code, 2)


if __name__ == "__main__":
    unittest.main()

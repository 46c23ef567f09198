#!/usr/bin/env python3
"""`ports`: the map of the core, and the ports of instructions."""

import unittest

from cyclescope import TEXTS, CliTest, run


class PortsTest(CliTest):
    # On a busy machine mixes may find no quiet moment, so that nothing is said about values here: what is asked for
    # is that whatever is reported fits together.
    def test_map_and_instruction(self):
        result = run("ports", "--json", "--explain", "--patience", "3", TEXTS.add)
        self.assertIn(result.returncode, (0, 3), result.stderr)
        document = result.json()
        port_map = document["port_map"]
        names = set(port_map["ports"])
        for each in port_map["classes"]:
            self.assertTrue(set(each["ports"]) <= names, each)
            self.assertGreaterEqual(len(each["ports"]), each["per_cycle"])
            self.assertTrue(each["forms"])
        (row,) = document["instructions"]
        ports = row["ports"]
        self.assertNotEqual("uops" in ports and bool(ports["uops"]), "reason" in ports, ports)
        for use in ports.get("uops", []):
            self.assertTrue(set(use["ports"]) <= names, use)

    def test_text_names_the_ports(self):
        result = run("ports", "--patience", "1")
        self.assertIn(result.returncode, (0, 3), result.stderr)
        self.assertIn("slots dispatched a cycle", result.stdout)

    def test_bad_text_is_refused_before_anything_is_measured(self):
        result = run("ports", "no such instruction")
        self.assertEqual(result.returncode, 2)


if __name__ == "__main__":
    unittest.main()

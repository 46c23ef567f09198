#!/usr/bin/env python3
"""`merge`: several runs of one machine as one result."""

import gzip
import json
import unittest

from cyclescope import CliTest, run


def row(cycles, *, contended=False, half_width=0.01):
    value = {"cycles": cycles, "low": cycles - half_width, "high": cycles + half_width, "kept": 80, "rejected": 0,
             "visits": 8, "contended": contended}
    return {"text": "add rax, rbx", "opcode": "ADD64rr", "origin": "sweep", "status": "measured",
            "throughput": dict(value), "latency": [{"from": "rax", "to": "rax", "kind": "exact", **value}]}


def document(rows, *, cpu="Some Xeon", started="2026-11-18T10:00:00Z", **more):
    return {"schema": "cyclescope/1", "tool": {"version": "0.3.0", "commit": "0123456789ab"},
            "host": {"name": "payroll-7", "architecture": "x86_64", "cpu_model": cpu},
            "clock": {"tick_hz": 2e9, "cycle_source": "reference"},
            "config": {"command": "sweep", "started": started, "confidence": 0.95,
                       "options": [{"name": "journal", "value": "/home/alice/journal"}]},
            "warnings": [], "instructions": rows, **more}


class MergeTest(CliTest):
    def write(self, name, content):
        path = self.folder / name
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    def merged(self, *files, options=()):
        out = self.folder / "whole.json.gz"
        ended = run("merge", *files, *options, "--export-json", out)
        self.assertEqual((ended.code, ended.err), (0, ""))
        with gzip.open(out, "rt", encoding="utf-8") as file:
            return ended.out, json.load(file)

    def test_quiet_values_replace_contended_ones(self):
        first = self.write("a.json", document([row(1.5, contended=True)]))
        second = self.write("b.json", document([row(1.0)], started="2026-11-18T12:00:00Z"))
        text, whole = self.merged(first, second)
        self.assertEqual(whole["instructions"][0]["latency"][0]["cycles"], 1.0)
        self.assertEqual(whole["config"]["command"], "merge")
        self.assertEqual([each["file"] for each in whole["merged"]["runs"]], ["a.json", "b.json"])
        self.assertIn("2 replaced by quiet ones", text)
        self.assertNotIn("Disagreements", text)

    def test_says_what_disagrees(self):
        first = self.write("a.json", document([row(1.0)]))
        second = self.write("b.json", document([row(2.0)]))
        text, whole = self.merged(first, second)
        self.assertIn("add rax, rbx: rax to rax (latency): 1 cycles in a.json, 2 in b.json", text)
        self.assertEqual(whole["merged"]["disagreed"], 2)

    def test_a_merged_file_is_read_as_any_other(self):
        first = self.write("a.json", document([row(1.0)]))
        self.merged(first, self.write("b.json", document([row(1.0)], started="2026-11-18T12:00:00Z")))
        whole = self.folder / "whole.json.gz"
        for command in (("report", whole), ("compare", whole, first), ("merge", whole, first)):
            ended = run(*command)
            self.assertEqual((ended.code, ended.err), (0, ""), command)
        self.assertIn("a.json", run("report", whole).out)

    def test_anonymous(self):
        secret = document([row(1.0)], warnings=[{"code": "steal", "message": "payroll-7: see /home/alice/log"}],
                          engine={"name": "slurm", "node": "payroll-7", "job": "8812345"})
        first = self.write("payroll-7.json", secret)
        second = self.write("b.json", {**secret, "config": {**secret["config"], "started": "2026-11-18T12:00:00Z"}})
        text, whole = self.merged(first, second, options=("--anonymous",))
        for place in (text, json.dumps(whole)):
            for name in ("payroll-7", "alice", "8812345", "/home"):
                self.assertNotIn(name, place)
        self.assertEqual(whole["host"]["cpu_model"], "Some Xeon")

    def test_different_cpus_are_refused(self):
        first = self.write("a.json", document([row(1.0)]))
        second = self.write("b.json", document([row(1.0)], cpu="Some Epyc"))
        self.assert_refused(run("merge", first, second), "different CPUs: a.json of Some Xeon, b.json of Some Epyc",
                            "compare")

    def test_one_run_counts_once(self):
        first = self.write("a.json", document([row(1.0)]))
        copy = self.write("copy.json", document([row(1.0)]))
        for other in (first, copy):
            self.assert_refused(run("merge", first, other), "are the same run", str(other), "count twice")
        # Two nodes may start within one second.
        self.merged(first, self.write("b.json", document([row(1.001)])))

    def test_one_result_is_refused(self):
        self.assert_refused(run("merge", self.write("a.json", document([row(1.0)]))), "two results or more")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Machines that are known by name: those of the program, and those of the user's folder."""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from cyclescope import COMMAND, ROOT, CliTest, on_linux, run
from predict_test import CHAIN, FORMS, INTEGER


def model(*, microarchitecture="Made (Simulated)", started="2026-11-18T10:00:00Z"):
    return {"schema": "cyclescope/1", "tool": {"version": "0.3.0", "commit": "0123456789ab"},
            "host": {"architecture": "x86_64", "cpu_model": "Some Xeon", "microarchitecture": microarchitecture},
            "clock": {"tick_hz": 2e9, "cycle_source": "reference"},
            "config": {"command": "model", "started": started, "confidence": 0.95}, "warnings": [],
            "instructions": FORMS["x86_64"],
            "port_map": {"dispatch": 4, "ports": INTEGER + ["l0"], "classes": [], "mixes": 1, "seconds": 1}}


class MachinesTest(CliTest):
    def setUp(self):
        super().setUp()
        self.machines = self.folder / "machines"
        self.machines.mkdir()
        with gzip.open(self.machines / "made.json.gz", "wt", encoding="utf-8") as file:
            json.dump(model(), file)

    def run_here(self, *arguments, **variables):
        return run(*arguments, env=variables or {"CYCLESCOPE_MACHINES": str(self.machines)})

    def test_lists_the_users_machines(self):
        ended = self.run_here("machines")
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertRegex(ended.out, r"made +Made \(Simulated\) +3 +2026-11-18 +0123456789ab +.*made\.json\.gz")

    def test_those_of_the_program_need_no_folder(self):
        ended = self.run_here("machines", CYCLESCOPE_MACHINES=str(self.folder / "none"))
        self.assertEqual((ended.code, ended.err), (0, ""))
        for file in (ROOT / "results").glob("*.json.gz"):
            self.assertIn(file.name.removesuffix(".json.gz"), ended.out)

    def test_names_alone(self):
        ended = self.run_here("machines", "--names")
        self.assertEqual((ended.code, ended.err), (0, ""))
        published = {file.name.removesuffix(".json.gz") for file in (ROOT / "results").glob("*.json.gz")}
        self.assertEqual(set(ended.out.split("\n")), {"", "made", *published})

    def test_commands_that_read_results_know_the_names(self):
        mine = self.folder / "mine.json"
        mine.write_text(json.dumps(model(started="2026-11-18T11:00:00Z")), encoding="utf-8")
        for command in (("report", "made"), ("report", "made", "--filter", "^[a-z]"), ("compare", "made", mine),
                        ("merge", "made", mine)):
            ended = self.run_here(*command)
            self.assertEqual((ended.code, ended.err), (0, ""), command)
        self.assertIn("made", self.run_here("compare", "made", mine).out)

    def test_a_file_of_that_name_is_meant_where_there_is_one(self):
        path = self.folder / "made"
        path.write_text(json.dumps(model(microarchitecture="Another (Simulated)")), encoding="utf-8")
        ended = run("report", "made", env={"CYCLESCOPE_MACHINES": str(self.machines)}, cwd=self.folder)
        self.assertIn("Another (Simulated)", ended.out)

    def test_a_mistyped_name_is_told_from_a_missing_file(self):
        ended = self.run_here("report", "mede")
        self.assert_refused(ended, "mede", "a machine is known as 'made'")
        self.assertNotIn("known as", self.run_here("report", "results/of/mine").err)

    def test_predicts_for_a_name(self):
        ended = self.run_here("predict", CHAIN["x86_64"], "--machine", "made", "--json")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(ended.json()["blocks"][0]["predicted"]["cycles"], 4)

    @on_linux
    def test_the_users_folder_of_data(self):
        folder = self.folder / "share" / "cyclescope"
        folder.mkdir(parents=True)
        self.machines.rename(folder / "machines")
        ended = self.run_here("predict", CHAIN["x86_64"], "--machine", "made", "--json", CYCLESCOPE_MACHINES="",
                              XDG_DATA_HOME=str(self.folder / "share"))
        self.assertEqual(ended.code, 0, ended.err)

    def test_another_name_is_refused_with_those_there_are(self):
        self.assert_refused(self.run_here("predict", "nop", "--machine", "maed"), "no machine is known as 'maed'", "made")

    def test_a_path_is_a_file(self):
        self.assert_refused(self.run_here("predict", "nop", "--machine", "none.json"), "No such file")

    def test_a_damaged_file_is_named(self):
        (self.machines / "bad.json").write_text("hello", encoding="utf-8")
        ended = self.run_here("machines")
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("bad", ended.out)
        self.assert_refused(self.run_here("predict", "nop", "--machine", "bad"), "bad.json")


class MeasureAllTest(CliTest):
    """scripts/measure-all, where all parts are measured already: what it makes of them."""

    @unittest.skipIf(len(COMMAND) > 1, "it starts one program")
    def test_merges_its_parts_without_names(self):
        secret = {**model(), "host": {**model()["host"], "name": "payroll-7", "kernel": "Linux 6.1.0-alice"},
                  "engine": {"name": "slurm", "node": "payroll-7", "job": "8812345"},
                  "warnings": [{"code": "steal", "message": "payroll-7: see /home/alice/log"}]}
        secret["config"] = {**secret["config"], "options": [{"name": "journal", "value": "/home/alice/journal"}]}
        parts = self.folder / "out" / "parts"
        parts.mkdir(parents=True)
        for hour, name in enumerate(("survey", "sweep", "anatomy", "memory", "model"), start=11):
            secret["config"]["started"] = f"2026-11-18T{hour}:00:00Z"
            with gzip.open(parts / f"{name}.json.gz", "wt", encoding="utf-8") as file:
                json.dump(secret, file)
        secret["config"]["started"] = "2026-11-18T10:00:00Z"
        (parts / "blocks.json").write_text(json.dumps(secret), encoding="utf-8")
        ended = subprocess.run(
            [sys.executable, ROOT / "scripts" / "measure-all", "--program", COMMAND[0], "--output", self.folder / "out",
             "--no-gpu"],
            capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        made = self.folder / "out" / "made.json.gz"
        self.assertIn(str(made), ended.stdout)
        self.assertIn("to publish it, copy it to results/", ended.stdout)
        self.assertIn("commit 0123456789ab", ended.stdout)
        with gzip.open(made, "rt", encoding="utf-8") as file:
            text = file.read()
        for name in ("payroll", "alice", "8812345", "/home", str(self.folder)):
            self.assertNotIn(name, text)
        self.assertEqual(len(json.loads(text)["merged"]["runs"]), 6)


class SiteTest(CliTest):
    """scripts/site, over a result."""

    @unittest.skipIf(len(COMMAND) > 1, "it starts one program")
    def test_builds_a_site(self):
        with tempfile.TemporaryDirectory() as folder:
            result = pathlib.Path(folder) / "made.json"
            block = {"text": CHAIN["x86_64"], "status": "measured", "cycles": 4.1, "low": 4, "high": 4.2}
            result.write_text(json.dumps({**model(), "blocks": [block]}), encoding="utf-8")
            site = pathlib.Path(folder) / "site"
            ended = subprocess.run([ROOT / "scripts" / "site", site], capture_output=True, text=True, check=False,
                                   env={"PATH": "/usr/bin:/bin", "CYCLESCOPE": COMMAND[0], "MORE": str(result)})
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertTrue((site / "index.html").is_file())
            self.assertLess((site / "index.html").stat().st_size, 150_000)
            for script in ("forms", "loops", "machine-1", "details-1", "core-1"):
                self.assertTrue((site / "data" / f"{script}.js").is_file(), script)


class VendorTest(CliTest):
    """report --site --vendor: what a vendor publishes of a machine."""

    def setUp(self):
        super().setUp()
        self.result = self.folder / "made.json"
        self.result.write_text(json.dumps(model()), encoding="utf-8")
        self.table = self.folder / "guide.csv"

    def site(self, vendor):
        return run("report", "--vendor", vendor, self.result, "--site", self.folder / "site")

    def test_a_table_is_taken(self):
        self.table.write_text("# A vendor's guide\nasm,latency,throughput\nmul x0,3,1\n", encoding="utf-8")
        self.assertEqual(self.site(f"made={self.table}").code, 0)

    def test_what_is_none_is_refused(self):
        self.table.write_text("name,cycles\nmul,3\n", encoding="utf-8")
        self.assert_refused(self.site(f"made={self.table}"), "guide", "asm, latency")
        self.assert_refused(self.site(self.table), "NAME=FILE")
        self.assert_refused(self.site("made=none.csv"), "none.csv")
        self.assert_refused(run("report", self.result, "--vendor", f"made={self.table}"), "--site")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`fleet`, and `survey` as one of many. Nothing here needs Slurm or MPI: their variables are enough."""

import csv
import io
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from cyclescope import COMMAND, SOME_CPU, TIMEOUT_SECONDS, CliTest, environment, impatient, run
from system import slashed

TASK = {
    "SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "3", "SLURM_LOCALID": "0", "SLURM_JOB_ID": "17",
    "SLURMD_NODENAME": "n2", "SLURM_STEP_NODELIST": "n[1-3]", "SLURM_CPUS_PER_TASK": "4",
}


def made_result(name, ghz=3.6, **more):
    """The least that a survey leaves behind."""
    return {
        "schema": "cyclescope/1",
        "tool": {"version": "0.1.0"},
        "host": {
            "name": name, "architecture": "x86_64", "cpu_model": "Made Lake", "microcode": "0x1",
            "load_1min": 0, "governor": "performance",
        },
        "clock": {"tick_hz": 2e9, "calibrated_tick_hz": 2e9, "invariant": True, "resolution_ns": 0.5,
                  "cycle_source": "reference"},
        "config": {"command": "survey", "started": "2026-11-15T02:00:00Z", "confidence": 0.95},
        "warnings": [],
        "frequency": [{
            "cpu": 0, "status": "measured", "base_ghz": 2, "boost": ghz / 2, "core_ghz": ghz, "low": 0.999 * ghz,
            "high": 1.001 * ghz, "kept": 9, "rejected": 0, "visits": 3, "contended": False, "jury_trusted": True,
        }],
        **more,
    }


class FleetTest(CliTest):
    def write(self, place, *results):
        folder = self.folder / place
        for result in results:
            # Windows knows no files whose names hold control characters.
            node = folder / "".join(filter(str.isprintable, result["host"]["name"]))
            node.mkdir(parents=True)
            (node / "cyclescope.json").write_text(json.dumps(result), encoding="utf-8")
        return folder

    def simulated_fleet(self):
        """Ten nodes, of which n4 is slow."""
        return self.write("out", *(made_result(f"n{i}", 3.0 if i == 4 else 3.6 + 0.001 * i) for i in range(1, 11)))

    def test_tells_who_is_slow_and_why(self):
        ended = run("fleet", self.simulated_fleet())
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(ended.err, "")
        self.assertTrue(ended.out.startswith("10 nodes: 9 normal, 1 slow\n"), ended.out)
        self.assertIn("n4: slow\n", ended.out)
        self.assertIn("core clock 3.00 GHz, 16.8 % below 3.61 GHz", ended.out)
        self.assertIn("a lower frequency", ended.out)
        self.assertNotIn("n5", ended.out)
        self.assertIn("n5: normal", run("fleet", self.folder / "out", "--all").out)

    def test_document_is_valid_and_can_be_reported(self):
        saved = self.folder / "fleet.json"
        ended = run("fleet", self.simulated_fleet(), "--json", "--export-json", saved)
        self.assertEqual(ended.code, 0, ended.err)
        self.assert_valid(ended.json())
        self.assertEqual(ended.json()["fleet"]["slow"], 1)
        self.assertIn("n4: slow", run("report", saved).out)
        # The verdict lies in the folder that it is about, and is no node of it.
        moved = self.folder / "out" / "fleet.json"
        saved.rename(moved)
        self.assertTrue(run("fleet", self.folder / "out").out.startswith("10 nodes"))
        self.assert_refused(run("fleet", moved), "verdict on a fleet")

    def test_files_for_other_programs(self):
        good, bad, nhc = self.folder / "good", self.folder / "bad", self.folder / "nhc.conf"
        ended = run("fleet", self.simulated_fleet(), "--good-hosts", good, "--bad-hosts", bad, "--nhc", nhc)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(good.read_text(encoding="utf-8").split(), [f"n{i}" for i in range(1, 11) if i != 4])
        self.assertEqual(bad.read_text(encoding="utf-8"), "n4\n")
        self.assertRegex(nhc.read_text(encoding="utf-8"), r'^n4 \|\| die 1 "cyclescope: slow: [^"]*"\n$')
        rows = list(csv.DictReader(io.StringIO(run("fleet", self.folder / "out", "--export-csv", "-").out)))
        self.assertEqual({row["node"] for row in rows}, {f"n{i}" for i in range(1, 11)})
        self.assertEqual([row["slower"] for row in rows if row["metric"] == "core clock"], ["yes"])

    def test_page_leads_to_the_nodes_own(self):
        out = self.simulated_fleet()
        (out / "n4" / "cyclescope.html").write_text("the survey", encoding="utf-8")
        saved = self.folder / "fleet.json"
        ended = run("fleet", out, "--html", self.folder / "fleet.html", "--export-json", saved)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn('id="data"', (self.folder / "fleet.html").read_text(encoding="utf-8"))
        [node] = [node for node in json.loads(saved.read_text())["fleet"]["nodes"] if node["name"] == "n4"]
        self.assertEqual(node["page"], "out/n4/cyclescope.html")

    def test_exit_codes_are_for_scripts(self):
        out = self.simulated_fleet()
        for what in ("slow", "outlier", "incomplete"):
            self.assertEqual(run("fleet", out, "--fail-on", what).code, 4)
        equals = self.write("equals", *(made_result(f"n{i}") for i in range(1, 6)))
        self.assertEqual(run("fleet", equals, "--fail-on", "incomplete").code, 0)
        self.write("equals", made_result("n6", failure="no CPU 99"))
        self.assertEqual(run("fleet", equals, "--fail-on", "outlier").code, 0)
        self.assertEqual(run("fleet", equals, "--fail-on", "incomplete").code, 4)

    def test_a_second_pass_that_is_normal_takes_the_verdict_back(self):
        out = self.simulated_fleet()
        again = self.write("again", *(made_result(f"n{i}", 3.6 + 0.001 * i) for i in range(1, 11)))
        self.assertTrue(run("fleet", out, again).out.startswith("10 nodes: "))
        self.assertNotIn("n4: slow", run("fleet", out, again).out)
        self.assertIn("n4: slow, 2 passes", run("fleet", out, self.write("third", made_result("n4", 3.0))).out)

    def test_what_cannot_be_read_is_said(self):
        out = self.simulated_fleet()
        (out / "n5" / "cyclescope.json").write_text('{"schema": "cyclescope/1", ', encoding="utf-8")
        ended = run("fleet", out)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("1 file could not be read", ended.out)
        self.assertIn("9 nodes", ended.out)

    def test_bad_input(self):
        self.assert_refused(run("fleet"), "result")
        self.assert_refused(run("fleet", self.folder / "none"), "no file or folder")
        self.assert_refused(run("fleet", self.folder), "no result in the folder")
        self.assert_refused(run("fleet", self.simulated_fleet(), "--fail-on", "rain"), "--fail-on")
        self.assert_refused(run("fleet", self.folder, "--bad-hosts", "/proc/x/y"), "/proc/x/y")

    def test_texts_of_a_document_do_not_reach_the_terminal_as_commands(self):
        out = self.simulated_fleet()
        self.write("out", made_result("\x1b[2Jn11", 3.0))
        self.assertNotIn("\x1b", run("fleet", out).out)
        ended = run("fleet", out, "--bad-hosts", self.folder / "bad")
        self.assertEqual(ended.code, 2)
        self.assertIn("not a host name", ended.err)


class OneOfManyTest(CliTest):
    def survey(self, *arguments, **more):
        return run("survey", "--quick", "--cpus", SOME_CPU, *arguments, cwd=self.folder, env=more)

    def document(self, place):
        return json.loads((self.folder / place / "cyclescope.json").read_text(encoding="utf-8"))

    def test_a_task_leaves_its_document_and_one_line(self):
        ended = self.survey("--output", "out/%j/%h-%r", **TASK)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(ended.out, "")
        self.assertRegex(slashed(ended.err), r"^n2: [0-9.]+ GHz, 1 CPU, [0-9]+ s.*: out/17/n2-1/cyclescope.json\n$")
        document = self.document("out/17/n2-1")
        self.assert_valid(document)
        self.assertNotIn("failure", document)
        self.assertEqual(document["engine"]["node"], "n2")
        self.assertIn({"name": "SLURM_CPUS_PER_TASK", "value": "4"}, document["engine"]["asked"])
        self.assertTrue((self.folder / "out/17/n2-1/cyclescope.html").exists())

    def test_a_node_that_fails_leaves_a_document_that_says_so(self):
        ended = run("survey", "--cpus", "99999", "--output", "out/%h", cwd=self.folder, env=TASK)
        self.assertNotEqual(ended.code, 0)
        self.assertTrue(ended.err.startswith("cyclescope: n2: "), ended.err)
        document = self.document("out/n2")
        self.assert_valid(document)
        self.assertIn("99999", document["failure"])
        self.assertIn("no result: ", run("report", self.folder / "out/n2/cyclescope.json").out)

    def test_a_run_that_is_killed_leaves_a_document_that_says_so(self):
        with subprocess.Popen(
            [*COMMAND, *impatient("survey", "--full", "--output", f"{self.folder}/%h")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(**TASK),
        ) as process:
            file = self.folder / "n2" / "cyclescope.json"
            end = time.monotonic() + TIMEOUT_SECONDS
            while not (file.exists() and file.read_text(encoding="utf-8").endswith("}\n")):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.wait(TIMEOUT_SECONDS)
        self.assertIn("did not end", self.document("n2")["failure"])
        self.assert_valid(self.document("n2"))

    def test_the_hosts_name_where_nothing_knows_a_better_one(self):
        ended = self.survey("--output", "%h%%")
        self.assertEqual(ended.code, 0, ended.err)
        [folder] = [path for path in pathlib.Path(self.folder).iterdir() if path.is_dir()]
        self.assertEqual(folder.name, os.uname().nodename + "%")
        self.assertNotIn("engine", self.document(folder.name))

    def test_placeholders_that_mean_nothing_are_refused(self):
        self.assert_refused(self.survey("--output", "%r"), "'%r' has no meaning here")
        self.assert_refused(self.survey("--output", "%j"), "'%j' has no meaning here")
        self.assert_refused(self.survey("--output", "%x"), "no such placeholder", "'%x'")
        self.assert_refused(self.survey("--output", "100%"), "no such placeholder")

    def test_tasks_that_would_share_a_file_are_refused(self):
        self.assert_refused(self.survey("--output", "out", **TASK), "3 tasks would write to the same folder")
        self.assert_refused(
            self.survey("--output", "out/%h", **TASK, OMPI_COMM_WORLD_RANK="1", OMPI_COMM_WORLD_LOCAL_RANK="1"),
            "tasks of node n2",
        )

    def test_no_files_no_folder(self):
        ended = self.survey("--no-files", "--json", **TASK)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertEqual(ended.json()["engine"]["rank"], 1)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()

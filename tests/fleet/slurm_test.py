#!/usr/bin/env python3
"""A real Slurm: one job surveys every node, and `fleet` judges what it left. The program is CYCLESCOPE_PROGRAM."""

import json
import os
import pathlib
import tempfile
import time
import unittest

from slurm_cluster import Cluster

PROGRAM = os.environ["CYCLESCOPE_PROGRAM"]
NODES = ["n1", "n2", "n3"]
# The nodes are one machine, which is busy with all three: little patience for a quiet core.
SURVEY = [PROGRAM, "survey", "--quick", "--patience=0.05"]
END_SECONDS = 300  # only a hang takes so long


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


class SlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster(NODES))
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.addClassCleanup(folder.cleanup)
        cls.out = pathlib.Path(folder.name) / "out"
        cls.job = cls.cluster.run(
            "srun", "-N3", "--ntasks-per-node=1", "--exclusive", *SURVEY, "--output", f"{cls.out}/%h"
        )

    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fleet(self, *arguments):
        """The verdict, and how the command ended."""
        file = self.folder / "fleet.json"
        ended = self.cluster.run("env", PROGRAM, "fleet", *arguments, "--export-json", file)
        return ended, read(file)["fleet"]

    def copy_of_results(self):
        """The job's results, each under its node's name."""
        documents = {node: read(self.out / node / "cyclescope.json") for node in NODES}
        place = self.folder / "results"
        place.mkdir()
        return documents, place

    @staticmethod
    def write(place, documents):
        for node, document in documents.items():
            (place / f"{node}.json").write_text(json.dumps(document), encoding="utf-8")

    def test_every_node_leaves_a_document_and_a_line(self):
        self.assertEqual(self.job.returncode, 0, self.job.stderr + self.cluster.logs())
        self.assertEqual(self.job.stdout, "")
        lines = sorted(line for line in self.job.stderr.splitlines() if not line.startswith("srun:"))
        self.assertEqual([line.split(":")[0] for line in lines], NODES)
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), NODES)
        for rank, node in enumerate(NODES):
            document = read(self.out / node / "cyclescope.json")
            self.assertNotIn("failure", document)
            self.assertEqual(document["engine"]["name"], "slurm")
            self.assertEqual(document["engine"]["node"], node)
            self.assertEqual(document["engine"]["rank"], rank)
            self.assertEqual(document["engine"]["ranks"], 3)
            asked = {each["name"]: each["value"] for each in document["engine"]["asked"]}
            self.assertEqual(asked["SLURM_NTASKS_PER_NODE"], "1")
            self.assertGreater(len(document["instructions"]), 50)

    def test_fleet_reads_them(self):
        ended, fleet = self.fleet(self.out)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(sorted(node["name"] for node in fleet["nodes"]), NODES)
        self.assertEqual([group["nodes"] for group in fleet["groups"]], [3])
        self.assertEqual(fleet["jobs"][0]["results"], 3)
        self.assertNotIn("missing", fleet["jobs"][0])

    def test_a_slow_node_is_found(self):
        # Clocks that are known: a busy machine shows none, since all three surveys disturb each other.
        documents, place = self.copy_of_results()
        for node, document in documents.items():
            ghz = 1.5 if node == "n2" else 3
            self.assertTrue(document["frequency"])
            for row in document["frequency"]:
                row.update(core_ghz=ghz, low=0.999 * ghz, high=1.001 * ghz, boost=ghz / row["base_ghz"],
                           contended=False, jury_trusted=True, status="measured")
        self.write(place, documents)
        bad = self.folder / "bad"
        ended, fleet = self.fleet(place, "--fail-on", "slow", "--bad-hosts", bad)
        self.assertEqual(ended.returncode, 4, ended.stdout + ended.stderr)
        [node] = [node for node in fleet["nodes"] if node["name"] == "n2"]
        self.assertEqual(node["verdict"], "slow")
        self.assertEqual(node["deviations"][0]["kind"], "clock")
        self.assertIn("n2", bad.read_text(encoding="utf-8").split())
        # Slurm itself takes the file.
        refused = self.cluster.run("srun", "-N3", f"--exclude={bad}", "--immediate=5", "hostname")
        self.assertNotEqual(refused.returncode, 0, refused.stdout)

    def assert_n2_failed_and_the_others_did_not(self, out):
        self.assertIn("did not end", read(out / "n2" / "cyclescope.json")["failure"])
        ended, fleet = self.fleet(out, "--fail-on", "incomplete")
        self.assertEqual(ended.returncode, 4, ended.stderr)
        found = {node["name"]: node for node in fleet["nodes"]}
        self.assertEqual(found["n2"]["verdict"], "not-enough-data")
        self.assertIn("did not end", found["n2"]["cause"])
        for node in ("n1", "n3"):
            self.assertEqual(found[node]["passes"], 1)
            self.assertNotIn("failure", read(out / node / "cyclescope.json"))

    def test_a_survey_that_is_killed_is_reported_and_the_others_are_not_lost(self):
        out = self.folder / "out"
        # The task of n2 kills itself when its survey has begun, as the kernel does where memory runs out.
        script = (
            f'{PROGRAM} survey --quick --patience=0.05 --output "{out}/%h" & survey=$!; '
            'if [ "$SLURMD_NODENAME" = n2 ]; then '
            f'while ! [ -s "{out}/n2/cyclescope.json" ]; do sleep 0.02; done; kill -KILL $survey; fi; wait $survey'
        )
        job = self.cluster.run(
            "srun", "-N3", "--ntasks-per-node=1", "--exclusive", "--kill-on-bad-exit=0", "bash", "-c", script
        )
        self.assertNotEqual(job.returncode, 0)
        self.assert_n2_failed_and_the_others_did_not(out)

    def test_a_node_that_is_killed_is_reported_and_the_others_are_not_lost(self):
        out, task = self.folder / "out", self.folder / "task"
        # n2 stops in the middle, so that it is still there when it is killed.
        script = (
            f'if [ "$SLURMD_NODENAME" != n2 ]; then exec {PROGRAM} survey --quick --patience=0.05 --output "{out}/%h"; fi; '
            f'{PROGRAM} survey --quick --patience=0.05 --output "{out}/%h" & survey=$!; '
            f'while ! [ -s "{out}/n2/cyclescope.json" ]; do sleep 0.02; done; kill -STOP $survey; '
            f'echo $$ >{task}.new; mv {task}.new {task}; wait $survey'
        )
        job = self.cluster.start(
            "srun", "-N3", "--ntasks-per-node=1", "--exclusive", "--no-kill", "bash", "-c", script
        )
        end = time.monotonic() + END_SECONDS
        while not task.exists() and time.monotonic() < end:
            time.sleep(0.1)
        self.cluster.kill_node("n2", int(task.read_text(encoding="utf-8")))
        self.addCleanup(self.cluster.bring_back, "n2")
        _, errors = job.communicate(timeout=END_SECONDS)
        self.assertIn("Node failure on n2", errors)
        self.assert_n2_failed_and_the_others_did_not(out)

    def test_a_node_without_any_result_is_missed(self):
        documents, place = self.copy_of_results()
        del documents["n3"]
        self.write(place, documents)
        _, fleet = self.fleet(place)
        self.assertEqual(fleet["jobs"][0]["missing"], ["n3"])
        self.assertIn("n3", [node["name"] for node in fleet["nodes"]])

    def test_two_passes_are_put_together(self):
        again = self.folder / "again"
        job = self.cluster.run(
            "srun", "-N3", "--ntasks-per-node=1", "--exclusive", *SURVEY, "--output", f"{again}/%j/%h-%r"
        )
        self.assertEqual(job.returncode, 0, job.stderr)
        [job_folder] = again.iterdir()
        self.assertTrue(job_folder.name.isdigit())
        self.assertEqual(sorted(each.name for each in job_folder.iterdir()), ["n1-0", "n2-1", "n3-2"])
        _, fleet = self.fleet(self.out, again)
        self.assertEqual([node["passes"] for node in fleet["nodes"]], [2, 2, 2])

    def test_tasks_that_would_share_a_file_are_refused(self):
        job = self.cluster.run("srun", "-N3", "--ntasks-per-node=1", *SURVEY, "--output", self.folder / "same")
        self.assertNotEqual(job.returncode, 0)
        self.assertIn("3 tasks would write to the same folder", job.stderr)


if __name__ == "__main__":
    unittest.main()

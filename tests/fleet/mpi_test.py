#!/usr/bin/env python3
"""A real MPI: four ranks on one machine, each with a host name of its own. The programs are CYCLESCOPE_PROGRAM and
CYCLESCOPE_MPI_PROGRAM."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["CYCLESCOPE_PROGRAM"]
MPI_PROGRAM = os.environ["CYCLESCOPE_MPI_PROGRAM"]
DIE_AT_CALL = os.environ["CYCLESCOPE_DIE_AT_CALL"]
RANKS = 4
HOSTS = [f"h{rank}" for rank in range(RANKS)]
END_SECONDS = 600  # only a hang takes so long


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def is_open_mpi():
    version = subprocess.run(["mpirun", "--version"], capture_output=True, encoding="utf-8", check=False)
    return "Open MPI" in version.stdout


def may_name_hosts():
    """Whether we may have a host name of our own."""
    return subprocess.run(["unshare", "--uts", "hostname", "h0"], capture_output=True, check=False).returncode == 0


class MpiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("mpirun") or not is_open_mpi():
            raise unittest.SkipTest("needs Open MPI's mpirun")
        if not may_name_hosts():
            raise unittest.SkipTest("may not change host names here")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def mpirun(self, command, ranks=RANKS, last_seconds=30):
        """Runs a shell command in every rank, under a host name of its own. When the job is ended, ranks have
        `last_seconds` for what they still do: a busy machine may need more than OpenMPI's second."""
        script = f"hostname h$OMPI_COMM_WORLD_RANK; {command}"
        as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        return subprocess.run(
            ["mpirun", *as_root, "--oversubscribe", "--bind-to", "none",
             "--mca", "odls_base_sigkill_timeout", str(last_seconds),
             "-np", str(ranks), "unshare", "--uts", "bash", "-c", script],
            capture_output=True, encoding="utf-8", timeout=END_SECONDS, check=False, stdin=subprocess.DEVNULL,
        )

    def mpirun_until_death(self, arguments, rank, call, **options):
        """cyclescope-mpi in every rank; one is killed at that call of MPI, as in "MPI_Gather 2"."""
        return self.mpirun(
            f"if [ $OMPI_COMM_WORLD_RANK = {rank} ]; then "
            f"export LD_PRELOAD={DIE_AT_CALL} CYCLESCOPE_DIE_AT='{call}'; fi; exec {MPI_PROGRAM} {arguments}",
            **options,
        )

    def assert_death_is_told(self, ended):
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("the job was ended from outside, as it is when a rank dies", ended.stderr)
        self.assertRegex(ended.stderr, "signal 9|137")  # OpenMPI says which rank

    def test_between_hosts(self):
        file = self.folder / "hosts.json"
        ended = self.mpirun(f"exec {MPI_PROGRAM} hosts --rounds 3 --export-json {file} --html {self.folder}/hosts.html")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("4 hosts, 3 visits to each pair", ended.stdout)
        hosts = read(file)["hosts"]
        self.assertEqual(hosts["hosts"], HOSTS)
        self.assertEqual([each["bytes"] for each in hosts["latency"]], [8, 64, 1024, 16384, 262144, 1048576])
        for matrix in [each["nanoseconds"] for each in hosts["latency"]] + [hosts["bandwidth"]["gb_per_s"]]:
            for row in range(RANKS):
                for column in range(RANKS):
                    if row == column:
                        self.assertIsNone(matrix[row][column])
                    else:
                        self.assertGreater(matrix[row][column], 0)
                        self.assertEqual(matrix[row][column], matrix[column][row])
        for each in hosts["latency"]:
            for row, column in ((0, 1), (2, 3)):
                self.assertLessEqual(each["low"][row][column], each["nanoseconds"][row][column])
                self.assertGreaterEqual(each["high"][row][column], each["nanoseconds"][row][column])
        self.assertIn('id="data"', (self.folder / "hosts.html").read_text(encoding="utf-8"))
        shown = subprocess.run([PROGRAM, "report", file], capture_output=True, encoding="utf-8", check=False)
        self.assertIn("4 hosts, 3 visits to each pair", shown.stdout)

    def test_the_same_seed_makes_the_same_order(self):
        file = self.folder / "hosts.json"
        ended = self.mpirun(f"exec {MPI_PROGRAM} hosts --rounds 1 --seed 5 --export-json {file}", ranks=2)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(read(file)["hosts"]["seed"], 5)

    def test_one_host_has_nothing_between_hosts(self):
        ended = self.mpirun(f"hostname same; exec {MPI_PROGRAM} hosts")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("all 4 ranks are on one host", ended.stderr)

    def hosts_until_death(self, call):
        """What is left of `hosts` when the last rank dies at that call, and the pairs that were measured."""
        file = self.folder / "hosts.json"
        ended = self.mpirun_until_death(f"hosts --rounds 4 --export-json {file}", 3, call)
        self.assert_death_is_told(ended)
        document = read(file)
        self.assertIn("a rank dies", document["failure"])
        if "hosts" not in document:
            return document, []
        self.assertTrue(document["hosts"]["partial"])
        self.assertEqual(document["hosts"]["hosts"], HOSTS)
        shortest = document["hosts"]["latency"][0]["nanoseconds"]
        pairs = [(row, column) for row in range(RANKS) for column in range(row) if shortest[row][column] is not None]
        for row, column in pairs:
            self.assertIsNotNone(document["hosts"]["bandwidth"]["gb_per_s"][row][column])
        return document, pairs

    def test_a_rank_that_dies_before_it_is_known(self):
        document, _ = self.hosts_until_death("MPI_Gather 1")
        self.assertNotIn("hosts", document)

    def test_a_rank_that_dies_in_the_first_set_of_pairs(self):
        _, pairs = self.hosts_until_death("MPI_Send 700")
        self.assertEqual(pairs, [])

    def test_a_rank_that_dies_in_the_second_set_of_pairs(self):
        # The names are gathered first, then each set: of the first, two pairs are there.
        document, pairs = self.hosts_until_death("MPI_Gather 3")
        self.assertEqual(document["hosts"]["rounds"], 0)
        self.assertEqual(len(pairs), 2)

    def test_a_rank_that_dies_in_the_second_round(self):
        document, pairs = self.hosts_until_death("MPI_Gather 6")
        self.assertEqual(document["hosts"]["rounds"], 1)
        self.assertEqual(len(pairs), RANKS * (RANKS - 1) // 2)

    def test_a_rank_that_dies_before_it_joins(self):
        # No rank has come to our own code then: the engine tells it, and no rank waits forever.
        ended = self.mpirun(
            f"if [ $OMPI_COMM_WORLD_RANK = 3 ]; then kill -KILL $$; fi; exec {MPI_PROGRAM} hosts", last_seconds=1
        )
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("signal 9", ended.stderr)

    def test_surveys_are_gathered_and_judged(self):
        file = self.folder / "fleet.json"
        ended = self.mpirun(
            f"exec {MPI_PROGRAM} survey --quick --output '{self.folder}/out/%h' --export-json {file}"
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        fleet = read(file)["fleet"]
        self.assertEqual(sorted(node["name"] for node in fleet["nodes"]), HOSTS)
        for host in HOSTS:
            document = read(self.folder / "out" / host / "cyclescope.json")
            self.assertNotIn("failure", document)
            self.assertEqual(document["engine"]["name"], "openmpi")
            self.assertEqual(document["engine"]["node"], host)

    def test_surveys_of_the_others_outlive_a_rank(self):
        file = self.folder / "fleet.json"
        # The surveys of the others end while that of the last still runs, and is then killed.
        done = " && ".join(f"grep -q '\"instructions\":' {self.folder}/out/h{rank}/cyclescope.json" for rank in range(3))
        ended = self.mpirun(
            f"if [ $OMPI_COMM_WORLD_RANK = 3 ]; then {MPI_PROGRAM} survey --output '{self.folder}/out/%h' & survey=$!; "
            f"while ! [ -s {self.folder}/out/h3/cyclescope.json ]; do sleep 0.1; done; kill -STOP $survey; "
            f"for i in $(seq 3000); do {done} && break; sleep 0.1; done; kill -KILL $survey; wait $survey; "
            f"else exec {MPI_PROGRAM} survey --quick --output '{self.folder}/out/%h' --export-json {file}; fi"
        )
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("as it is when a rank dies", ended.stderr)
        found = {node["name"]: node for node in read(file)["fleet"]["nodes"]}
        self.assertIn("did not end", found["h3"]["cause"])
        for host in HOSTS[:3]:
            self.assertEqual(found[host]["passes"], 1)

    def test_a_rank_that_dies_before_any_survey(self):
        file = self.folder / "fleet.json"
        ended = self.mpirun_until_death(
            f"survey --quick --output '{self.folder}/out/%h' --export-json {file}", 3, "MPI_Gather 1", last_seconds=4
        )
        self.assert_death_is_told(ended)
        document = read(file)
        self.assertIn("a rank dies", document["failure"])
        self.assertNotIn("fleet", document)

    def test_a_rank_that_dies_while_all_measure_leaves_what_the_others_have(self):
        file = self.folder / "fleet.json"
        out = self.folder / "out"
        ended = self.mpirun(
            f"if [ $OMPI_COMM_WORLD_RANK = 3 ]; then {MPI_PROGRAM} survey --output '{out}/%h' & survey=$!; "
            f"while ! [ -s {out}/h3/cyclescope.json ]; do sleep 0.1; done; kill -KILL $survey; wait $survey; "
            f"else exec {MPI_PROGRAM} survey --output '{out}/%h' --export-json {file}; fi",
            last_seconds=10,
        )
        self.assert_death_is_told(ended)
        found = {node["name"]: node for node in read(file)["fleet"]["nodes"]}
        self.assertIn("did not end", found["h3"]["cause"])
        for host in HOSTS[:3]:
            document = read(out / host / "cyclescope.json")
            self.assertNotIn("failure", document)
            self.assertEqual(found[host]["passes"], 1)
            if document.get("partial"):  # it had not ended by itself when OpenMPI ended it
                self.assertIn("not complete: only a part was measured", found[host]["notes"])

    def test_rank_0_dies_and_what_it_has_received_stays(self):
        out = self.folder / "out"
        ended = self.mpirun_until_death(f"survey --quick --output '{out}/%h'", 0, "MPI_Recv 3", last_seconds=1)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("signal 9", ended.stderr)
        shown = subprocess.run(
            [PROGRAM, "fleet", out, "--export-json", self.folder / "fleet.json"], capture_output=True, check=False
        )
        self.assertEqual(shown.returncode, 0, shown.stderr)
        nodes = read(self.folder / "fleet.json")["fleet"]["nodes"]
        self.assertEqual(sorted(node["passes"] for node in nodes), [0, 1, 1, 1])

    def test_the_plain_program_knows_its_rank(self):
        ended = self.mpirun(f"exec {PROGRAM} survey --quick --patience=0.05 --output '{self.folder}/%h-%r'", ranks=2)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["h0-0", "h1-1"])
        self.assertEqual(ended.stdout, "")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""`survey`: the page, the files beside it, and how it ends when it cannot or must not finish."""

import base64
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest
import zlib

from cyclescope import COMMAND, MEASURED, TIMEOUT_SECONDS, CliTest, environment, impatient, on_linux, run
from processes import seconds_worked_by_ended_children, wait_until_it_handles
from system import slashed

CPUS = sorted(os.sched_getaffinity(0))
FILES = ["cyclescope.html", "cyclescope.json"]


def names_in(folder):
    return sorted(path.name for path in pathlib.Path(folder).iterdir())


def read_document(folder):
    return json.loads((pathlib.Path(folder) / "cyclescope.json").read_text(encoding="utf-8"))


class PageTest(CliTest):
    """One survey, looked at from all sides."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        cls.addClassCleanup(folder.cleanup)
        cls.output = pathlib.Path(folder.name) / "made" / "for it"
        cls.ended = run("survey", "--quick", "--output", cls.output)
        cls.document = read_document(cls.output)

    def test_ends_well_and_leaves_two_files(self):
        self.assertEqual(self.ended.code, 0, self.ended.err)
        self.assertEqual(names_in(self.output), FILES)
        for name in FILES:
            self.assertIn(str(self.output / name), slashed(self.ended.out))

    def test_document_is_valid_and_has_every_part(self):
        self.assert_valid(self.document)
        self.assertEqual(self.document["config"]["command"], "survey")
        self.assertNotIn("partial", self.document)
        self.assertGreater(len(self.document["doctor"]), 5)
        self.assertEqual([row["cpu"] for row in self.document["frequency"]], CPUS)
        self.assertNotIn("sweep", self.document)

    @unittest.skipIf(len(CPUS) < 2, "needs two CPUs")
    def test_two_matrices(self):
        self.assertEqual([cores["test"] for cores in self.document["cores"]], ["cas", "two-lines"])
        for cores in self.document["cores"]:
            self.assertEqual(cores["cpus"], CPUS)

    def test_headline_forms_are_measured_or_say_why_not(self):
        rows = self.document["instructions"]
        self.assertGreater(len(rows), 50)
        self.assertGreater(len({row["heading"] for row in rows}), 8)
        for row in rows:
            self.assertTrue("reason" in row or row["status"] == "measured", row)
            self.assertIn(row["status"], {*MEASURED, "unsupported"}, row)
        self.assertIn("measured", [row["status"] for row in rows])
        self.assertTrue(self.document["blocks"])
        for block in self.document["blocks"]:
            self.assertIn(block["status"], MEASURED, block)

    def test_page_has_what_the_document_has(self):
        page = self.ended.out
        for row in self.document["instructions"]:
            self.assertIn(row["text"].split()[0], page)
        for block in self.document["blocks"]:
            self.assertIn(block["text"], page)

    def test_html_holds_the_document(self):
        html = (self.output / "cyclescope.html").read_text(encoding="utf-8")
        packed = re.search(r'id="data"[^>]*>([A-Za-z0-9+/=\s]+)<', html).group(1)
        data = zlib.decompress(base64.b64decode(packed)).decode("utf-8")
        self.assertIn(self.document["config"]["started"], data)
        self.assertNotIn("@CYCLESCOPE_DATA@", html)

    def test_report_shows_the_saved_result(self):
        saved = self.output / "cyclescope.json"
        ended = run("report", saved)
        self.assertEqual(ended.code, 0, ended.err)
        for check in self.document["doctor"]:
            self.assertIn(check["name"], ended.out)
        full = run("report", "--full", saved).out
        self.assertGreater(len(full.splitlines()), 4 * len(ended.out.splitlines()))
        self.assertIn("throughput", full)

    def test_saved_rows_as_csv(self):
        saved = self.output / "cyclescope.json"
        rows, matrix = self.folder / "rows.csv", self.folder / "matrix.csv"
        self.assertEqual(run("report", saved, "--export-csv", rows).code, 0)
        self.assertEqual(
            len(rows.read_text(encoding="utf-8").splitlines()), 1 + len(self.document["instructions"])
        )
        if "cores" in self.document:
            self.assertEqual(run("report", saved, "--export-cores-csv", matrix).code, 0)
            self.assertTrue(matrix.read_text(encoding="utf-8").startswith("test,unit,from,"))
        self.assert_refused(run("report", saved, saved, "--export-csv", rows), "one result")


class FailingPartTest(CliTest):
    @unittest.skipUnless(os.geteuid() == 0, "takes a user without processes")
    @unittest.skipIf(len(CPUS) < 2, "needs two CPUs")
    @on_linux
    def test_a_part_that_fails_loses_no_other(self):
        """Neither a thread nor a worker can be started: there is no latency between cores, and no instruction."""
        def confine():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            os.setgid(54321)
            os.setuid(54321)

        command = [*COMMAND, *map(str, impatient("survey", "--quick", "--no-files")), "--json"]
        try:
            ended = subprocess.run(
                command, capture_output=True, encoding="utf-8", preexec_fn=confine, cwd="/", env=environment(),
                timeout=TIMEOUT_SECONDS, check=False)
        except PermissionError:
            self.skipTest("another user may not look into this folder")
        self.assertEqual(ended.returncode, 3, ended.stderr)
        document = json.loads(ended.stdout)
        self.assert_valid(document)
        self.assertTrue(document["partial"])
        self.assertEqual([row["cpu"] for row in document["frequency"]], CPUS)
        self.assertEqual(len(document["memory"]), 1)
        self.assertNotIn("cores", document)
        self.assertNotIn("instructions", document)
        codes = [warning["code"] for warning in document["warnings"]]
        self.assertLessEqual({"no-cores", "no-instructions"}, set(codes), codes)


class OptionTest(CliTest):
    def test_no_files(self):
        ended = run("survey", "--quick", "--no-files", "--json", "--cpus", CPUS[0], cwd=self.folder)
        self.assertEqual(names_in(self.folder), [])
        document = ended.json()
        self.assert_valid(document)
        self.assertEqual([row["cpu"] for row in document["frequency"]], CPUS[:1])

    @on_linux
    def test_a_process_with_one_cpu(self):
        ended = run(
            "survey", "--quick", cwd=self.folder, preexec_fn=lambda: os.sched_setaffinity(0, CPUS[-1:])
        )
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("latency between cores was left out: there is one CPU only", ended.err)
        (file,) = self.folder.glob("cyclescope-*.json")
        document = json.loads(file.read_text(encoding="utf-8"))
        # cyclescope-HOST-2026-11-17T2210.json
        self.assertRegex(file.stem, r"^cyclescope-.*\d{4}-\d{2}-\d{2}T\d{4}$")
        self.assertTrue(document["config"]["started"].startswith(file.stem[-15:-2]))
        self.assertIn(file.name, ended.out)
        self.assertTrue(file.with_suffix(".html").exists())
        self.assertNotIn("cores", document)
        self.assertGreater(len(document["instructions"]), 50)

    def test_exclusive_options(self):
        self.assert_refused(run("survey", "--quick", "--full"), "--quick")
        self.assert_refused(run("survey", "--no-files", "--output", self.folder), "--output")
        self.assert_refused(run("survey", "--output", ""), "--output")

    def test_a_folder_that_cannot_be_written_fails_before_measuring(self):
        file = self.folder / "file"
        file.write_text("", encoding="utf-8")
        before = seconds_worked_by_ended_children()
        self.assert_refused(run("survey", "--full", "--output", file / "below"), str(file))
        self.assert_refused(run("survey", "--full", "--output", "/proc/cyclescope"), "/proc/cyclescope")
        self.assertLess(seconds_worked_by_ended_children() - before, 10)  # a sweep takes minutes


class EndTest(CliTest):
    def start(self, *arguments):
        return subprocess.Popen(
            [*COMMAND, *impatient("survey", *arguments), "--output", str(self.folder)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), encoding="utf-8",
        )

    def interrupt(self, after):
        """What a full survey says when it is interrupted that many seconds after it can be."""
        with self.start("--full") as process:
            wait_until_it_handles(process)
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        self.assertEqual(process.returncode, 3, err)
        return out, err

    def test_an_interrupt_leaves_what_was_measured(self):
        out, _ = self.interrupt(after=2)
        self.assertIn("not complete: only a part was measured", out)
        self.assertEqual(names_in(self.folder), FILES)
        document = read_document(self.folder)
        self.assertTrue(document["partial"])
        self.assert_valid({**document, "instructions": document.get("instructions", [])[:200]})

    def test_an_interrupted_run_leaves_a_whole_result_as_it_was(self):
        whole = run("doctor", "--export-json", self.folder / "cyclescope.json")  # which nothing disturbs
        self.assertEqual(whole.code, 0, whole.err)
        before = (self.folder / "cyclescope.json").read_text(encoding="utf-8")
        out, err = self.interrupt(after=0.5)
        self.assertEqual((self.folder / "cyclescope.json").read_text(encoding="utf-8"), before)
        self.assertIn("has a complete result and is kept", err)
        self.assertIn("cyclescope.partial.json", out)
        partial = json.loads((self.folder / "cyclescope.partial.json").read_text(encoding="utf-8"))
        self.assertTrue(partial["partial"])

    def test_an_interrupted_run_of_a_named_folder_leaves_it_as_it_was(self):
        """A folder with a placeholder, without an engine: what stood there while it ran is back when it ends early."""
        node = self.folder / os.uname().nodename
        node.mkdir()
        whole = run("doctor", "--export-json", node / "cyclescope.json")
        self.assertEqual(whole.code, 0, whole.err)
        (node / "cyclescope.html").write_text("a page", encoding="utf-8")
        before = (node / "cyclescope.json").read_text(encoding="utf-8")
        ended = run("survey", "--cpus", "99999", "--output", self.folder / "%h")
        self.assertNotEqual(ended.code, 0)
        self.assertEqual((node / "cyclescope.json").read_text(encoding="utf-8"), before)
        with subprocess.Popen(
            [*COMMAND, *impatient("survey", "--full", "--output", f"{self.folder}/%h")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), encoding="utf-8",
        ) as process:
            wait_until_it_handles(process)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=TIMEOUT_SECONDS)
        self.assertEqual(process.returncode, 3, err)
        self.assertEqual((node / "cyclescope.json").read_text(encoding="utf-8"), before)
        self.assertEqual((node / "cyclescope.html").read_text(encoding="utf-8"), "a page")
        self.assertTrue(json.loads((node / "cyclescope.partial.json").read_text(encoding="utf-8"))["partial"])

    def test_two_at_once_leave_two_results(self):
        arguments = impatient("survey", "--quick", "--cpus", str(CPUS[-1]))
        both = [subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=environment(), encoding="utf-8", cwd=self.folder) for _ in range(2)]
        named = set()
        for process in both:
            out, err = process.communicate(timeout=TIMEOUT_SECONDS)
            self.assertEqual(process.returncode, 0, err)
            named.update(re.findall(r"cyclescope-.*\.json", out))
        self.assertEqual(len(named), 2, named)
        self.assertEqual({path.name for path in self.folder.glob("*.json")}, named)

    @on_linux
    def test_a_reader_that_went_away_takes_no_files_with_it(self):
        with self.start("--quick") as process:
            process.stdout.close()
            error = process.stderr.read()
        self.assertEqual(process.returncode, 0)
        self.assertNotIn("standard output", error)
        self.assert_valid(read_document(self.folder))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Result files that cannot be read: one clear line, whichever command reads them."""

import json
import os
import shlex
import signal
import subprocess
import time
import unittest

try:
    import resource
except ImportError:  # Windows
    resource = None

from cyclescope import COMMAND, TEXTS, TIMEOUT_SECONDS, CliTest, environment, on_linux, run
from system import slashed

MEGABYTE = 1 << 20


class ResultFileTest(CliTest):
    def assert_unreadable(self, path, *parts):
        self.assert_refused(run("report", path), str(path), *parts)
        self.assert_refused(run("compare", path, path), str(path), *parts)

    def write(self, text):
        path = self.folder / "result.json"
        path.write_text(text, encoding="utf-8")
        return path

    def test_missing(self):
        self.assert_unreadable(self.folder / "none.json", "No such file")

    def test_folder(self):
        self.assert_unreadable(self.folder, "Is a directory")

    def test_neither_document_nor_matrix(self):
        self.assert_unreadable(self.write("hello\n"), "result document")

    def test_cut_off(self):
        whole = run("doctor", "--json").out
        self.assert_unreadable(self.write(whole[: len(whole) // 2]), "cut off")

    def test_another_schema(self):
        self.assert_unreadable(self.write('{"schema": "cyclescope/99"}'), "cyclescope/99")

    def test_huge(self):
        self.assert_unreadable(self.write('{"schema": "' + "x" * 20 * MEGABYTE), "cut off")
        path = self.write("{")
        os.truncate(path, 257 * MEGABYTE)  # a hole, which takes no time to write
        self.assert_unreadable(path, "257 MB")

    @on_linux
    def test_a_full_disk_leaves_what_was_there(self):
        """A limit on the size of files ends writing half-way, as a full disk does."""
        def confine():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which Python ignores, and a shell does not
            resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

        (result,) = self.made("a.json")
        page = self.folder / "a.html"
        self.assertEqual(run("report", result, "--html", page).code, 0)
        for path, command in ((result, ("doctor", "--export-json", result)), (page, ("report", result, "--html", page))):
            before = path.read_bytes()
            self.assertGreater(len(before), 2048)
            ended = run(*command, preexec_fn=confine)
            self.assertNotEqual(ended.code, 0, command)
            self.assertIn(f"cannot write '{path}': File too large", ended.err)
            self.assertEqual(path.read_bytes(), before)
        self.assertEqual(sorted(self.folder.iterdir()), [page, result])

    def test_a_page_or_a_table_replaces_no_result(self):
        (result,) = self.made("a.json")
        before = result.read_bytes()
        for arguments in (("report", result, "--html", result), ("report", result, "--export-markdown", result),
                          ("compare", result, result, "--export-csv", result),
                          ("instruction", TEXTS.add, "--export-csv", result)):
            self.assert_refused(run(*arguments), f"'{result}' holds a result")
            self.assertEqual(result.read_bytes(), before)
        self.assertEqual(run("doctor", "--export-json", result).code, 0)

    def test_two_files_of_one_name(self):
        path = self.folder / "a"
        self.assert_refused(run("instruction", TEXTS.add, "--export-json", path, "--export-csv", path), "one of them only")
        self.assert_refused(run("report", *self.made("a.json"), "--html", path, "--export-markdown", path),
                            "one of them only")
        self.assertFalse(path.exists())

    @on_linux
    def test_a_full_device(self):
        for command in (("doctor", "--export-json", "/dev/full"), ("report", *self.made("a.json"), "--html", "/dev/full")):
            ended = run(*command)
            self.assertNotEqual(ended.code, 0, command)
            self.assertIn("cannot write '/dev/full': No space left on device", ended.err)
        with open("/dev/full", "w", encoding="utf-8") as full:
            ended = run("doctor", stdout=full)
        self.assertNotEqual(ended.code, 0)
        self.assertIn("cannot write to standard output: No space left on device", ended.err)

    @on_linux
    def test_streams_that_take_nothing(self):
        """Nothing ends with an abort, and no error goes into a result: a file would get a closed stream's number."""
        (result,) = self.made("a.json")
        for streams in ("2>&-", "2>/dev/full", "<&- 2>&-"):
            with self.subTest(streams):
                for arguments, code in ((("nonsense",), 2), (("report", self.folder / "none.json"), 2),
                                        (("report", result), 0)):
                    self.assertEqual(self.run_with(streams, *arguments).returncode, code, arguments)
                out = self.folder / "b.json"
                self.assertEqual(self.run_with(streams, "doctor", "--export-json", out).returncode, 0)
                json.loads(out.read_text(encoding="utf-8"))
        for streams in (">&-", ">/dev/full"):
            for arguments in (("--help",), ("help", "sweep"), ("machines",), ("report", result), ("--version",)):
                ended = self.run_with(streams, *arguments)
                self.assertEqual(ended.returncode, 1, (streams, arguments))
                self.assertRegex(ended.stderr, r"standard output", (streams, arguments))
            self.assertEqual(self.run_with(streams + " 2>&-", "report", result).returncode, 1)

    @on_linux
    def test_a_reader_that_has_seen_enough(self):
        snippet = self.folder / "loops.s"
        loop = "f{0}:\n.L{0}:\n\taddq %rax, %rcx\n\tdecq %rdx\n\tjne .L{0}\n\tret\n"
        snippet.write_text("\t.text\n" + "".join(loop.format(i) for i in range(2000)), encoding="utf-8")
        for arguments in (("block", "--list", snippet), ("machines",), ("help", "sweep"), ("doctor", "--json")):
            ended = self.run_with("| true", *arguments, before="set -o pipefail; ")
            self.assertIn(ended.returncode, (0, 2), (arguments, ended.stderr))
            self.assertNotIn("cannot write", ended.stderr)

    def run_with(self, streams, *arguments, before=""):
        command = " ".join(shlex.quote(str(word)) for word in (*COMMAND, *arguments))
        return subprocess.run(["bash", "-c", f"{before}{command} {streams}"], capture_output=True, text=True, check=False,
                              env=environment(), timeout=TIMEOUT_SECONDS)

    @on_linux
    @unittest.skipIf(hasattr(os, "geteuid") and os.geteuid() == 0, "the superuser may write everywhere")
    def test_a_survey_says_first_that_it_cannot_write(self):
        folder = self.folder / "locked"
        folder.mkdir(mode=0o555)
        ended = run("survey", cwd=folder)
        self.assert_refused(ended, "cannot write 'cyclescope-", "--output FOLDER")

    @on_linux
    def test_a_survey_that_cannot_write_says_so_first(self):
        taken = self.folder / "taken"
        taken.write_text("", encoding="utf-8")
        self.assert_refused(run("survey", "--output", taken), "cannot make the folder", str(taken))
        (self.folder / "out" / "cyclescope.json").mkdir(parents=True)
        self.assert_refused(run("survey", "--output", self.folder / "out"), "cannot write", "cyclescope.json")

    @on_linux
    def test_a_pipe_is_read_until_it_ends(self):
        """One that someone writes to is a file; one that nothing is written to ends at Ctrl-C, at the second at most."""
        (result,) = self.made("a.json")
        pipe = self.folder / "pipe.json"
        os.mkfifo(pipe)
        for arguments in (("report", pipe), ("fleet", pipe)):
            with subprocess.Popen([*COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=environment()) as process:
                for _ in range(TIMEOUT_SECONDS):
                    time.sleep(1.2)
                    process.send_signal(signal.SIGINT)
                    if process.poll() is not None:
                        break
                self.assertIn(process.wait(), (-signal.SIGINT, 128 + signal.SIGINT), arguments)
        # In a folder, nothing waits for it.
        ended = run("fleet", self.folder)
        self.assertIn("pipe.json' is not a file", " ".join(ended.out.split()))
        ended = self.run_with(f"<(cat {shlex.quote(str(result))})", "report")
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def made(self, *names):
        paths = [self.folder / name for name in names]
        for path in paths:
            self.assertEqual(run("doctor", "--export-json", path).code, 0)
        return paths

    def test_site(self):
        site = self.folder / "made" / "site"
        ended = run("report", *self.made("a.json", "b.json"), "--site", site)
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertIn(str(site / "index.html"), slashed(ended.out))
        files = sorted(str(path.relative_to(site)) for path in site.rglob("*") if path.is_file())
        self.assertEqual(
            files, ["data/details-1.js", "data/details-2.js", "data/forms.js", "data/machine-1.js", "data/machine-2.js",
                    "index.html", "machines/1.html", "machines/2.html"])
        self.assertLess((site / "index.html").stat().st_size, 150_000)

    def test_every_kind_of_report_at_once(self):
        page, site, table = self.folder / "page.html", self.folder / "site", self.folder / "table.md"
        ended = run("report", *self.made("a.json"), "--html", page, "--site", site, "--export-markdown", table)
        self.assertEqual((ended.code, ended.err), (0, ""))
        for path in (page, site / "index.html", table):
            self.assertTrue(path.is_file(), path)
            self.assertIn(str(path), slashed(ended.out))
        ended = run("report", self.folder / "a.json", "--html", page)
        self.assertEqual(ended.out, f"written: {page}\n")

    def test_site_that_cannot_be_written(self):
        (result,) = self.made("a.json")
        self.assert_refused(run("report", result, "--site", result), "folder", str(result))

    def test_markdown(self):
        ended = run("report", *self.made("a.json"), "--export-markdown", "-")
        self.assertEqual((ended.code, ended.err), (0, ""))
        self.assertRegex(ended.out, r"\A\*\*.*CPU")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Result files that cannot be read: one clear line, whichever command reads them."""

import os
import signal
import unittest

try:
    import resource
except ImportError:  # Windows
    resource = None

from cyclescope import CliTest, on_linux, run
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
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
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

#!/usr/bin/env python3
"""Result files that cannot be read: one clear line, whichever command reads them."""

import os
import unittest

from cyclescope import CliTest, run

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


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Commands that documents show are run, so that none goes stale.

documents_test.py CYCLESCOPE ARCHITECTURE

Every line `cyclescope ...` of a console or shell block is run. What it prints depends on the machine, so that only its
exit code counts; one about the other architecture's registers is left out. Files, links and presets must exist.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM, ARCHITECTURE = sys.argv[1], sys.argv[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Registers that only the other architecture has.
FOREIGN = {"aarch64": r"\b(r[abcd]x|r\d+|[xyz]mm\d+)\b", "x86_64": r"\b[xwvz]\d+\b"}[ARCHITECTURE]


def blocks(document, *languages):
    """The lines of the document's fenced blocks in these languages."""
    text = document.read_text(encoding="utf-8")
    for language, body in re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if language in languages:
            yield from body.splitlines()


def anchors(document):
    """The document's headings, as links name them."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]


def shown_commands():
    """Where a command stands, and its words after `cyclescope`."""
    for document in DOCUMENTS:
        for line in blocks(document, "console", "sh"):
            shown = re.match(r"(?:\$ )?(cyclescope .*)", line)
            if shown:
                words = shlex.split(shown[1], comments=True)[1:]
                # What reads a pipe is not ours to test.
                yield document.name, words[: words.index("|")] if "|" in words else words


class DocumentsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_here(self, *arguments):
        return subprocess.run(
            [PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
            timeout=600, check=False,
        )

    def make_inputs(self):
        """What shown commands read."""
        made = self.run_here("frequency", "--cpus", str(min(os.sched_getaffinity(0))), "--export-json", "result.json")
        self.assertIn(made.returncode, (0, 3), made.stderr)
        for name in ("a.json", "b.json", "before.json", "after.json", "mine.json"):
            (self.folder / name).write_bytes((self.folder / "result.json").read_bytes())
        (self.folder / "out").mkdir()
        (self.folder / "out" / "n1.json").write_bytes((self.folder / "result.json").read_bytes())

    def test_shown_commands_work(self):
        self.make_inputs()
        commands = list(shown_commands())
        self.assertGreater(len(commands), 2)
        for document, words in commands:
            if re.search(FOREIGN, " ".join(words)):
                continue
            with self.subTest(document=document, command=" ".join(words)):
                self.assert_works(words)

    def assert_works(self, words):
        # Long or endless ones, and those for a GPU that is not here, are asked for their help instead, behind the same
        # options.
        is_long = words[0] in ("gpu", "model", "ports", "predict", "sweep", "survey") or {"--watch", "--ports"} & set(words)
        ended = self.run_here(words[0], "--help") if is_long else self.run_here(*words)
        self.assertIn(ended.returncode, (0, 3, 4), ended.stderr)
        for option in (word.split("=")[0] for word in words if word.startswith("--")):
            self.assertIn(option, self.run_here(words[0], "--help").stdout)

    def test_every_command_is_in_the_readme(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        listed = self.run_here("--help").stdout.split("Commands:\n")[1]
        for command in re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE):
            self.assertRegex(readme, rf"(?m)^\| `{command}\b", command)

    def test_named_files_exist(self):
        for document in DOCUMENTS:
            for line in blocks(document, "sh", "console"):
                for path in re.findall(r"(?<![\w/])(?:scripts|benchmarks|tests|docs|src|examples)/[\w./-]+", line):
                    self.assertTrue((ROOT / path).exists(), f"{document.name}: {path}")
            text = document.read_text(encoding="utf-8")
            for link, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text):
                target = document.parent / link if link else document
                self.assertTrue(target.exists(), f"{document.name}: {link}")
                if anchor:
                    self.assertIn(anchor, anchors(target), f"{document.name}: {link}#{anchor}")

    def test_named_sources_exist(self):
        """`layer/file.h`, as one would look for it below src."""
        folders = [ROOT, ROOT / "src", ROOT / "include" / "cyclescope", ROOT / "web" / "src"]
        for document in DOCUMENTS:
            for path in re.findall(r"`([a-z0-9_/.-]+/[a-z0-9_.-]+\.(?:h|cc|ts|py))`", document.read_text(encoding="utf-8")):
                # Files of one layer may be named without it.
                found = any((folder / path).exists() for folder in folders) or any((ROOT / "src").glob(f"*/{path}"))
                self.assertTrue(found, f"{document.name}: {path}")

    def test_the_readme_begins_with_what_a_fresh_machine_runs(self):
        """scripts/fresh-machine takes the commands from there."""
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        commands = re.search(r"^```sh\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)[1].splitlines()
        self.assertEqual([command.split()[0] for command in commands], ["scripts/run", "scripts/test"])

    def test_the_architecture_shows_the_layers_as_they_are(self):
        """Each in one line without "and", highest first; and the picture that scripts/layers draws."""
        page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", page.split("## Layers\n")[1].split("```mermaid")[0], re.MULTILINE)
        layers = re.search(r"set\(CYCLESCOPE_LAYERS\s+([^)]*)\)",
                           (ROOT / "cmake" / "Layers.cmake").read_text(encoding="utf-8"))[1].split()
        self.assertEqual([name for name, _ in rows], layers[::-1])
        for name, purpose in rows:
            self.assertNotRegex(purpose, r"\band\b", name)
        drawn = subprocess.run([ROOT / "scripts" / "layers"], capture_output=True, encoding="utf-8", check=True).stdout
        self.assertIn(drawn, page, "scripts/layers draws another picture")

    def test_named_presets_exist(self):
        presets = (ROOT / "CMakePresets.json").read_text(encoding="utf-8")
        for document in DOCUMENTS:
            for name in re.findall(r"--preset ([\w-]+)", document.read_text(encoding="utf-8")):
                self.assertIn(f'"name": "{name}"', presets, document.name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

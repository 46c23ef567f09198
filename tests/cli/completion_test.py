#!/usr/bin/env python3
"""Help, manual and the shells' completions agree, and the completions work in real shells."""

import os
import re
import shlex
import subprocess
import unittest

import pexpect

from cyclescope import COMMAND, ROOT, TIMEOUT_SECONDS, CliTest, run


def printed(*arguments):
    """What the program prints about itself."""
    ended = run(*arguments)
    assert (ended.code, ended.err) == (0, ""), ended
    return ended.out


def options_in_help(*command):
    """Every way to write an option that the help lists."""
    listed = re.findall(r"^  (-[^ ,]+(?:, --[^ ]+)*)", printed(*command, "--help"), re.MULTILINE)
    return {name for names in listed for name in names.split(", ")}


def commands():
    return re.findall(r"^  ([a-z]+) ", printed("--help").split("Commands:\n")[1], re.MULTILINE)


class ShellTest(CliTest):
    def start(self, command):
        """A shell on a terminal, in which keys can be pressed."""
        shell = pexpect.spawn(command, encoding="utf-8", timeout=TIMEOUT_SECONDS,
                              env={"TERM": "dumb", "PATH": os.environ["PATH"]})
        self.addCleanup(shell.close)
        return shell


class AgreementTest(CliTest):
    def test_manual_has_every_command_and_option(self):
        manual = printed("--print-manual").replace("\\-", "-")
        parts = {part.split(" ", 1)[0]: part for part in manual.split("\n.SS ")[1:]}
        self.assertEqual(list(parts), commands())
        for command in commands():
            in_manual = set(re.findall(r"\\fB(-[^\\]+)\\fR", parts[command].split(".SH")[0]))
            self.assertEqual(in_manual, options_in_help(command), command)

    def test_manual_is_what_man_takes(self):
        # Plain text without overstriking; any warning of groff's ends up on standard error.
        page = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8", "-k", "-P-cbou"],
            input=printed("--print-manual"), encoding="utf-8", capture_output=True, check=True,
        )
        self.assertEqual(page.stderr, "")
        self.assertIn("EXIT STATUS", page.stdout)

    def test_help_fits_into_80_columns(self):
        for command in [[], *([name] for name in commands())]:
            usage = printed(*command, "--help")
            self.assertEqual([line for line in usage.splitlines() if len(line) > 80], [], command)

    def test_hidden_options_stay_hidden(self):
        self.assertNotIn("--print", printed("--help"))

    def test_unknown_shell(self):
        self.assert_refused(run("--print-completion", "tcsh"), "'tcsh'", "bash")


class BashTest(ShellTest):
    def setUp(self):
        super().setUp()
        self.script = self.folder / "completion.bash"
        self.script.write_text(printed("--print-completion", "bash"), encoding="utf-8")

    def complete(self, *words, program="cyclescope"):
        """What bash offers for the last word, which the function behind `complete` decides."""
        listed = " ".join(map(shlex.quote, (program, *words)))
        ended = subprocess.run(
            ["bash", "--norc", "-uc", f"""
                source {shlex.quote(str(self.script))}
                COMP_WORDS=({listed}) COMP_CWORD={len(words)}
                function=$(complete -p cyclescope | sed -E 's/.*-F ([^ ]+).*/\\1/')
                "$function"
                printf '%s\\n' "${{COMPREPLY[@]}}"
            """],
            encoding="utf-8", capture_output=True, check=True, cwd=self.folder,
        )
        self.assertEqual(ended.stderr, "")
        return ended.stdout.split()

    def test_commands(self):
        self.assertEqual(set(self.complete("")), {*commands(), *options_in_help()})
        self.assertEqual(self.complete("ins"), ["instruction"])

    def test_every_option(self):
        for command in commands():
            self.assertEqual(set(self.complete(command, "-")), options_in_help(command), command)

    def test_values(self):
        self.assertEqual(self.complete("cores", "--unit", ""), ["ns", "cycles", "ticks"])
        self.assertEqual(self.complete("cores", "--cycles", "count"), ["counter-user", "counter"])
        self.assertEqual(self.complete("doctor", "--color", "=", "al"), ["always"])
        self.assertEqual(self.complete("doctor", "--color", "="), ["auto", "always", "never"])
        self.assertEqual(self.complete("cores", "--cpus", ""), [])

    def test_files(self):
        (self.folder / "result.json").touch()
        for words in (["report", "res"], ["frequency", "--export-json", "res"], ["instruction", "-f", "res"]):
            self.assertEqual(self.complete(*words), ["result.json"], words)
        self.assertEqual(self.complete("frequency", "res"), [])

    def test_known_machines_beside_files(self):
        (self.folder / "emerald.json").touch()
        published = sorted(file.name.removesuffix(".json.gz") for file in (ROOT / "results").glob("emerald*"))
        program = self.folder / "cyclescope"
        program.write_text(f"#!/bin/sh\nexec {shlex.join(COMMAND)} \"$@\"\n", encoding="utf-8")
        program.chmod(0o755)
        for words in (["report", "eme"], ["predict", "nop", "--machine", "eme"], ["compare", "eme"]):
            self.assertEqual(set(self.complete(*words, program="./cyclescope")), {"emerald.json", *published}, words)
        # Where the program is not found, files are.
        self.assertEqual(self.complete("report", "eme"), ["emerald.json"])

    def test_a_pressed_tab(self):
        shell = self.start("bash --norc")
        shell.sendline(f"source {shlex.quote(str(self.script))}; echo rea''dy")
        shell.expect("ready")
        shell.send("cyclescope fre\t--wat\t")
        shell.expect_exact("cyclescope frequency --watch")


class OtherShellsTest(ShellTest):
    def test_fish(self):
        script = self.folder / "cyclescope.fish"
        script.write_text(printed("--print-completion", "fish"), encoding="utf-8")

        def complete(line):
            ended = subprocess.run(
                ["fish", "--no-config", "-c", f"source {script}; complete -C {shlex.quote(line)}"],
                encoding="utf-8", capture_output=True, check=True,
            )
            self.assertEqual(ended.stderr, "")
            return [offered.split("\t")[0] for offered in ended.stdout.splitlines()]

        self.assertEqual(complete("cyclescope fre"), ["frequency"])
        self.assertEqual(complete("cyclescope cores --unit t"), ["ticks"])
        for command in commands():
            offered = {name for dash in ("-", "--") for name in complete(f"cyclescope {command} {dash}")}
            self.assertTrue(options_in_help(command) <= offered, command)

    def test_zsh(self):
        script = self.folder / "_cyclescope"
        script.write_text(printed("--print-completion", "zsh"), encoding="utf-8")
        shell = self.start("zsh -f")
        shell.sendline(f"fpath+=({self.folder}); autoload -U compinit; compinit -u -D; echo rea''dy")
        shell.expect("ready")
        shell.send("cyclescope fre\t--wat\t")
        shell.expect_exact("frequency")
        shell.expect_exact("--watch")
        shell.send("\x15cyclescope cores --unit ti\t")
        shell.expect_exact("ticks")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""What only a terminal shows: colour, tables redrawn in place, Ctrl-C."""

import re
import termios
import unittest

import pexpect

from cyclescope import COMMAND, SOME_CPU, TEXTS, TIMEOUT_SECONDS, CliTest, environment, impatient

REDRAW = re.compile(r"\x1b\[(\d+)A\x1b\[J")


def start(*arguments, **changes):
    child = pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], *impatient(*arguments)],
        env=environment(**changes),
        encoding="utf-8",
        timeout=TIMEOUT_SECONDS,
        dimensions=(50, 120),
    )
    # At Ctrl-C a terminal throws away what was written and not read yet, unless it is told not to.
    settings = termios.tcgetattr(child.child_fd)
    settings[3] |= termios.NOFLSH
    termios.tcsetattr(child.child_fd, termios.TCSANOW, settings)
    return child


def ended(child):
    """What the program wrote until it ended; its exit code."""
    text = child.read()
    child.close()
    return text, child.exitstatus


def screen(text):
    """What a terminal shows at the end: lines, with redraws done and colour gone."""
    lines = [""]
    for part in re.split(r"(\x1b\[\d+A\x1b\[J|\r\x1b\[K|\r?\n)", text):
        up = REDRAW.fullmatch(part)
        if up:
            lines = [*lines[: len(lines) - 1 - int(up[1])], ""]
        elif part == "\r\x1b[K":
            lines[-1] = ""
        elif part.endswith("\n"):
            lines.append("")
        else:
            lines[-1] += re.sub(r"\x1b\[[\d;]*m", "", part)
    return lines


class ColorTest(CliTest):
    def test_color_on_a_terminal(self):
        self.assertIn("\x1b[", ended(start("doctor"))[0])

    def test_no_color(self):
        self.assertNotIn("\x1b[", ended(start("doctor", NO_COLOR="1"))[0])
        self.assertNotIn("\x1b[", ended(start("doctor", TERM="dumb"))[0])
        # Nor is anything drawn over what is there.
        self.assertNotIn("\x1b", ended(start("instruction", TEXTS.add, TEXTS.divide, TERM="dumb"))[0])
        self.assertNotIn("\x1b[", ended(start("doctor", "--color", "never"))[0])


class WatchTest(CliTest):
    """Redrawn in place; Ctrl-C ends it with the final table, once on the screen."""

    def watch(self, *arguments):
        child = start(*arguments, "--watch")
        shown = ""
        for _ in range(2):
            child.expect(REDRAW)
            shown += child.before + child.after
        child.sendintr()
        rest, code = ended(child)
        self.assertIn(code, (0, 3), rest)
        return screen(shown + rest.replace("^C", ""))

    def test_frequency(self):
        lines = self.watch("frequency", "--cpus", str(SOME_CPU))
        tables = [i for i, line in enumerate(lines) if line.startswith("CPU  base")]
        self.assertEqual(len(tables), 1, lines)
        (header,) = [i for i, line in enumerate(lines) if line.startswith("cycles from")]
        self.assertLess(header, tables[0], "the machine stands above its table")

    def test_instruction(self):
        lines = self.watch("instruction", TEXTS.add)
        # A machine that is busy enough leaves no value of some kind.
        counts = (0, 1) if any("disturbed" in line for line in lines) else (1,)
        self.assertIn(len([line for line in lines if line.startswith("Test |")]), counts, lines)
        self.assertIn(len([line for line in lines if line.strip().startswith("throughput")]), counts, lines)

    def test_instruction_says_how_long_it_watches(self):
        child = start("instruction", TEXTS.add, "--watch")
        child.expect(r"round 1, \d+\.\d s; Ctrl-C ends it")
        child.sendintr()
        self.assertNotIn("Ctrl-C ends it", "".join(screen(ended(child)[0])))

    def test_one_that_ends_in_its_first_round_is_partial(self):
        child = start("instruction", *[TEXTS.divide] * 400, "--watch", "--json", "--export-json", "/dev/null")
        child.expect_exact("left")  # the progress line, after a second
        child.sendintr()
        text, code = ended(child)
        self.assertEqual(code, 3, text)
        self.assertIn('"partial":true', text)

    def test_one_that_ends_at_once_is_whole_or_partial(self):
        child = start("frequency", "--cpus", str(SOME_CPU), "--watch", "--json", "--export-json", "/dev/null")
        child.sendintr()
        text, code = ended(child)
        self.assertIn(code, (0, 3, None), text)  # None: before anything had begun
        if code is not None:
            self.assertEqual('"partial":true' in text, code == 3, text)

    def test_code_that_never_ends_ends_with_ctrl_c(self):
        child = start("block", "--json", TEXTS.endless, "--cycles", "reference")
        child.sendintr()
        text, code = ended(child)
        self.assertIn(code, (3, None), text)  # None: before anything had begun

    def test_one_ctrl_c_ends_a_run_with_what_there_is(self):
        child = start("instruction", "--json", *[TEXTS.divide] * 400)
        child.expect_exact("left")  # the progress line, after a second
        child.sendintr()
        text, code = ended(child)
        self.assertEqual(code, 3, text)
        self.assertIn('"partial":true', text)


if __name__ == "__main__":
    unittest.main()

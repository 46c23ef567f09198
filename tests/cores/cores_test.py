"""`cyclescope cores` as a user sees it: exit code, standard output, standard error, files.

    cores_test.py PROGRAM
"""
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from processes import seconds_worked_by_ended_children, wait_until_it_handles  # pylint: disable=wrong-import-position
from system import on_linux  # pylint: disable=wrong-import-position

PROGRAM = []
CPUS = sorted(os.sched_getaffinity(0))

DONE, BAD_INPUT, PARTIAL = 0, 2, 3


def run(*arguments, **options):
    return subprocess.run(PROGRAM + ["cores", *arguments], capture_output=True, text=True, timeout=300, **options)


two_cpus = unittest.skipIf(len(CPUS) < 2, "there is one CPU only")


class BadInput(unittest.TestCase):
    def refused(self, message, *arguments, **options):
        result = run(*arguments, **options)
        self.assertEqual(result.returncode, BAD_INPUT, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn(message, result.stderr)

    @two_cpus
    def test_one_cpu_has_no_partner(self):
        self.refused("alone cannot be measured: latency is between two CPUs; give at least two", "--cpus", str(CPUS[0]))

    @on_linux
    def test_a_process_with_one_cpu(self):
        self.refused("this process may use one CPU only", preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:1]))

    def test_a_cpu_named_twice(self):
        self.refused("twice", "--cpus", f"{CPUS[0]},{CPUS[0]}")

    def test_a_cpu_that_does_not_exist(self):
        self.refused("CPU 4000 does not exist", "--cpus", f"{CPUS[0]},4000")

    @two_cpus
    def test_counts_out_of_range(self):
        for option, value in [("--lines", "0"), ("--lines", "7"), ("--lines", "-1"), ("--samples", "0"),
                              ("--iterations", "1000000000"), ("--precision", "0"), ("--precision", "nan"),
                              ("--budget", "0"), ("--rounds", "0"), ("--duration", "0")]:
            with self.subTest(option=option, value=value):
                self.refused("out of range", option, value)

    @two_cpus
    def test_counts_that_are_absurd_together(self):
        self.refused("out of range", "--lines", "65536", "--samples", "10000", "--iterations", "1000000")

    def test_a_number_that_is_none(self):
        self.refused("--lines", "--lines", "99999999999999999999")
        self.refused("--lines", "--lines", "many")

    def test_fixed_and_adaptive_exclude_each_other(self):
        self.refused("excludes", "--lines", "64", "--precision", "3")

    @two_cpus
    def test_unknown_names(self):
        self.refused("no such test: 'stor'; did you mean 'store'", "--test", "stor")
        self.refused("cannot be done with 'nop'", "--instruction", "nop")
        self.refused("CPU 4000 does not exist", "--home", "4000")
        self.refused("--unit", "--unit", "furlongs")

    def test_a_file_that_cannot_be_written_fails_before_measuring(self):
        before = seconds_worked_by_ended_children()
        self.refused("cannot write '/nonexistent/x'", "--export-csv", "/nonexistent/x", "--lines", "60000")
        self.assertLess(seconds_worked_by_ended_children() - before, 10)


@two_cpus
class Measuring(unittest.TestCase):
    PAIR = f"{CPUS[0]},{CPUS[-1]}"
    QUICK = ("--cpus", PAIR, "--lines", "16", "--samples", "2", "--iterations", "20")

    def measured(self, *arguments):
        result = run(*self.QUICK, *arguments)
        self.assertIn(result.returncode, (DONE, PARTIAL), result.stderr)  # a busy machine may disturb
        return result

    def document(self, *arguments):
        return json.loads(self.measured("--json", *arguments).stdout)

    def test_text_shows_the_matrix_and_its_summary(self):
        for _ in range(10):
            text = self.measured().stdout
            if "no pair was measured" not in text:  # a CPU that is too busy gives no answer in time
                break
        lines = text.splitlines()
        header = next(i for i, line in enumerate(lines) if line.split() == [str(CPUS[0]), str(CPUS[-1])])
        self.assertEqual(lines[header + 1].split()[0], str(CPUS[0]))
        self.assertEqual(lines[header + 2].split()[0], str(CPUS[-1]))
        for word in ("min", "median", "mean", "max"):
            self.assertTrue(any(line.startswith(word) for line in lines), word)
        self.assertNotIn("\x1b", text)

    def test_colour_on_request(self):
        self.assertIn("\x1b[97;48;5;", self.measured("--color", "always").stdout)

    def test_every_test_runs_and_names_its_instruction(self):
        cores = self.document("--test", "all")["cores"]
        self.assertEqual([each["test"] for each in cores],
                         ["cas", "exchange", "add", "store", "two-lines", "message"])
        for each in cores:
            self.assertTrue(each["instruction"])
            self.assertIsNone(each["nanoseconds"][0][0])
            self.assert_answered(each, 0, 1)
            if self.assert_answered(each, 1, 0):
                self.assertLessEqual(each["low"][1][0], each["nanoseconds"][1][0])
            self.assertEqual("clock_offset" in each, each["test"] == "message" and self.assert_answered(each, 0, 1))

    def assert_answered(self, cores, first, second):
        """Whether there is a value, which is a time; where a CPU was too busy to answer, the pair is marked."""
        value = cores["nanoseconds"][first][second]
        if value is None:
            pairs = [sorted(pair) for pair in cores["timed_out"]]
            self.assertIn(sorted((cores["cpus"][first], cores["cpus"][second])), pairs)
            return False
        self.assertGreater(value, 0)
        return True

    def test_fixed_counts_are_exact(self):
        document = self.document()
        (cores,) = document["cores"]
        batches = cores["batches_kept"] + cores["batches_rejected"]
        if "timed_out" in cores:
            self.assertLess(batches, 2 * 16 * 2)
        else:
            self.assertEqual(batches, 2 * 16 * 2)  # two directions

    def test_rounds(self):
        cores = json.loads(run("--cpus", self.PAIR, "--rounds", "3", "--json").stdout)["cores"][0]
        self.assertEqual(cores["rounds"], 3)
        self.assertIn(cores["stability"], ("stable", "drifting", "floating"))
        if "spectrum" in cores:
            self.assertLessEqual(sum(cores["spectrum"]["counts"]), 6)  # a busy machine may lose some

    def test_duration(self):
        begin = time.monotonic()
        cores = json.loads(run("--cpus", self.PAIR, "--duration", "1.5", "--json").stdout)["cores"][0]
        self.assertGreaterEqual(time.monotonic() - begin, 1.5)
        self.assertGreater(cores["rounds"], 0)

    def test_exports_are_compared_and_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            for arguments in ((), ("--csv-long",)):
                matrix = os.path.join(folder, "m.csv")
                self.measured("--export-csv", matrix, *arguments)
                # The words around a value that was read: of a matrix without any there are none.
                for command, words in ((["compare", matrix, matrix], ", in ns (threshold"),
                                       (["report", matrix], ": one way, ns;")):
                    result = subprocess.run(PROGRAM + command, capture_output=True, text=True, timeout=120)
                    self.assertEqual(result.returncode, DONE, result.stderr)
                    self.assertIn(words, result.stdout)
                    self.assertNotRegex(result.stdout, r"\d+ changed")

    def test_the_seed_is_recorded(self):
        self.assertEqual(self.document("--seed", "12345")["cores"][0]["seed"], 12345)

    def test_homes(self):
        for home in ("first", "second", str(CPUS[-1])):
            self.assert_answered(self.document("--home", home)["cores"][0], 0, 1)

    def test_units(self):
        self.assertIn("one way, ticks", self.measured("--unit", "ticks").stdout)
        for _ in range(10):
            text = self.measured("--unit", "cycles").stdout
            if "does not say how fast CPU" not in text:  # of one that was too busy to tell
                break
        self.assertIn("one way, cycles", text)

    def test_exports(self):
        with tempfile.TemporaryDirectory() as folder:
            matrix, pairs, document = (os.path.join(folder, name) for name in ("m.csv", "p.csv", "d.json"))
            self.measured("--export-csv", matrix, "--export-json", document)
            with open(matrix) as file:
                rows = list(csv.reader(file))
            self.assertEqual(rows[0], ["test", "unit", "from", str(CPUS[0]), str(CPUS[-1])])
            self.assertEqual([row[:4] for row in rows[1:2]], [["cas", "ns", str(CPUS[0]), ""]])
            with open(document) as file:
                cores = json.load(file)["cores"][0]
            if self.assert_answered(cores, 0, 1):
                self.assertAlmostEqual(float(rows[1][4]), cores["nanoseconds"][0][1], places=2)
            self.measured("--export-csv", pairs, "--csv-long")
            with open(pairs) as file:
                self.assertEqual([(row["from"], row["to"]) for row in csv.DictReader(file)],
                                 [(str(CPUS[0]), str(CPUS[-1])), (str(CPUS[-1]), str(CPUS[0]))])

    def test_parallel(self):
        (cores,) = self.document("--parallel")["cores"]
        self.assertEqual(cores["cpus"], [CPUS[0], CPUS[-1]])
        self.assert_answered(cores, 0, 1)

    @on_linux
    def test_an_interrupt_prints_and_exports_what_there_is(self):
        with tempfile.TemporaryDirectory() as folder:
            exported = os.path.join(folder, "d.json")
            process = subprocess.Popen(
                PROGRAM + ["cores", "--cpus", self.PAIR, "--test", "all", "--lines", "2000", "--samples", "100",
                           "--iterations", "500", "--export-json", exported],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_until_it_handles(process)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=300)
            self.assertEqual(process.returncode, PARTIAL, stderr)
            self.assertIn("partial: interrupted", stdout)
            with open(exported) as file:
                document = json.load(file)
            self.assertTrue(document["partial"])


if __name__ == "__main__":
    PROGRAM = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])

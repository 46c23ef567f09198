#!/usr/bin/env python3
"""`gpu`: on a simulated GPU behind a simulated driver, which the tests build; and where there is none."""

import csv
import io
import os
import signal
import subprocess
import time
import unittest

from cyclescope import COMMAND, SOME_CPU, TIMEOUT_SECONDS, CliTest, run
from processes import wait_until_it_handles

DRIVER = os.environ["CYCLESCOPE_SIMULATED_GPU_DRIVER"]
POPC = "popc.b32 %r0, %r1"
FEW = ("--parts", "instructions", POPC)


class GpuTest(CliTest):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "driver.log"
        self.environment = {
            "CYCLESCOPE_TEST_GPU_DRIVER": DRIVER,
            "CYCLESCOPE_SIMULATED_GPU": "",
            "CYCLESCOPE_SIMULATED_GPU_LOG": str(self.log),
        }

    def tearDown(self):
        self.assertFalse(self.log.exists(), self.log.exists() and self.log.read_text())
        super().tearDown()

    def gpu(self, *arguments, wishes="", **more):
        self.environment["CYCLESCOPE_SIMULATED_GPU"] = wishes
        return run("gpu", *arguments, env=self.environment, **more)

    def document(self, *arguments, wishes=""):
        ended = self.gpu(*arguments, "--json", wishes=wishes)
        self.assertIn(ended.code, (0, 3), ended.err)
        document = ended.json()
        self.assert_valid(document)
        return document

    def test_quick_run_has_every_part(self):
        (row,) = self.document("--quick", "--cpus", SOME_CPU)["gpu"]
        self.assertEqual(row["name"], "Made GPU 0")
        self.assertAlmostEqual(row["ghz"]["value"], 1.5, 3)
        self.assertGreater(len(row["instructions"]), 10)
        self.assertEqual([level["name"] for level in row["levels"]], ["L1", "L2", "memory"])
        self.assertEqual(len(row["matrix"]["cycles"]), 8)
        self.assertEqual(len(row["cpus"]), 1)

    def test_one_instruction(self):
        (row,) = self.document(POPC)["gpu"]
        (instruction,) = row["instructions"]
        self.assertEqual(instruction["status"], "measured")
        (pair,) = instruction["latency"]
        self.assertAlmostEqual(pair["cycles"], 17, 3)
        self.assertAlmostEqual(instruction["throughput"]["per_sm"]["value"], 16, 1)
        self.assertNotIn("matrix", row)

    def test_text(self):
        ended = self.gpu("--full", POPC)
        self.assertEqual(ended.code, 0, ended.err)
        self.assertIn("GPU 0: Made GPU 0", ended.out)
        self.assertIn("%r1 -> %r0: 17.00 cycles", ended.out)

    def test_csv_and_saved_result(self):
        file = self.folder / "result.json"
        ended = self.gpu(POPC, "--export-csv", "-", "--export-json", str(file))
        (row,) = csv.DictReader(io.StringIO(ended.out))
        self.assertEqual((row["instruction"], row["cycles"]), (POPC, "17"))
        shown = run("report", str(file))
        self.assertIn("Made GPU 0", shown.out)
        page = self.folder / "result.html"
        self.assertEqual(run("report", str(file), "--html", str(page)).code, 0)

    def test_two_devices(self):
        document = self.document("--parts", "trips", "--cpus", SOME_CPU, wishes="devices=2")
        self.assertEqual([row["device"] for row in document["gpu"]], [0, 1])
        self.assertEqual(document["gpu"][0]["peers"][0]["device"], 1)
        (row,) = self.document(*FEW, "--device", "1", wishes="devices=2")["gpu"]
        self.assertEqual(row["device"], 1)

    def test_device_that_is_not_there(self):
        ended = self.gpu("--device", "3", POPC)
        self.assertEqual(ended.code, 2)
        self.assertIn("there is no GPU 3", ended.err)

    def test_no_driver(self):
        self.environment["CYCLESCOPE_TEST_GPU_DRIVER"] = "/nonexistent/driver.so"
        ended = self.gpu()
        self.assertEqual(ended.code, 1)
        self.assertEqual(len(ended.err.splitlines()), 1, ended.err)
        self.assertIn("there is no NVIDIA driver", ended.err)

    def test_no_gpu(self):
        ended = self.gpu(wishes="devices=0")
        self.assertEqual(ended.code, 1)
        self.assertIn("the NVIDIA driver sees no GPU", ended.err)

    def test_text_that_is_none(self):
        ended = self.gpu("ret")
        self.assertEqual(ended.code, 2)
        self.assertIn("ret", ended.err)
        ended = self.gpu("foo.f32 %f0, %f1")
        self.assertEqual(ended.code, 3, ended.err)
        self.assertIn("Not a name of any known instruction: 'foo'", ended.out)

    def test_folded_chain_gets_another(self):
        (row,) = self.document("rcp.approx.ftz.f32 %f0, %f1", wishes="fold=rcp")["gpu"]
        (instruction,) = row["instructions"]
        self.assertEqual(instruction["chain"], "guarded")
        self.assertAlmostEqual(instruction["latency"][0]["cycles"], 17, 3)

    def test_jumping_clock(self):
        (row,) = self.document(POPC, wishes="jump")["gpu"]
        (pair,) = row["instructions"][0]["latency"]
        self.assertAlmostEqual(pair["cycles"], 17, 3)
        self.assertGreater(pair["rejected"], 0)

    def test_kernel_that_fails(self):
        (row,) = self.document(POPC, "clz.b32 %r0, %r1", wishes="trap=popc")["gpu"]
        self.assertEqual([each["status"] for each in row["instructions"]], ["crashed", "measured"])

    def test_gpu_that_is_gone(self):
        ended = self.gpu(POPC, "clz.b32 %r0, %r1", wishes="lost=popc")
        self.assertEqual(ended.code, 1)
        self.assertIn("the GPU cannot be measured", ended.err)

    def test_memory_that_is_not_to_be_had(self):
        ended = self.gpu("--parts", "memory", wishes="fail=cuMemAlloc_v2:2")
        self.assertEqual(ended.code, 1)
        self.assertIn("out of memory", ended.err)

    def test_kernel_that_never_ends_is_interrupted(self):
        self.environment["CYCLESCOPE_SIMULATED_GPU"] = "hang=popc"
        with subprocess.Popen(
            [*COMMAND, "gpu", POPC],
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            wait_until_it_handles(process)
            time.sleep(1)  # if the kernel does not run by then, the test is easier than it could be
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=TIMEOUT_SECONDS)
            self.assertEqual(process.returncode, 3)

    def test_budget(self):
        ended = self.gpu("--budget", "0.5", wishes="hang=popc")
        self.assertEqual(ended.code, 3, ended.err)

    def test_doctor_names_it(self):
        for wishes, expected in (("", ("ok", "Made GPU 0")), ("fail=cuInit:2", ("note", "out of memory"))):
            self.environment["CYCLESCOPE_SIMULATED_GPU"] = wishes
            checks = run("doctor", "--json", env=self.environment).json()["doctor"]
            (check,) = [each for each in checks if each["name"] == "gpu"]
            self.assertEqual(check["status"], expected[0])
            self.assertIn(expected[1], check["finding"])

    def test_survey_includes_it(self):
        ended = run(
            "survey", "--quick", "--no-files", "--json", "--cpus", SOME_CPU,
            env={**self.environment, "CYCLESCOPE_SIMULATED_GPU": ""},
        )
        document = ended.json()
        self.assert_valid(document)
        (row,) = document["gpu"]
        self.assertGreater(len(row["instructions"]), 10)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""llvm-exegesis analyses what `sweep --export-exegesis` wrote.

exegesis_test.py LLVM_EXEGESIS CYCLESCOPE
"""

import os
import subprocess
import sys
import tempfile
import unittest

LLVM_EXEGESIS, CYCLESCOPE = sys.argv[1:]


class ExegesisTest(unittest.TestCase):
    def test_analysis_reads_the_records(self):
        with tempfile.TemporaryDirectory() as folder:
            records, clusters, inconsistencies = (
                os.path.join(folder, name) for name in ("records.yaml", "clusters.csv", "inconsistencies.html")
            )
            subprocess.run(
                [CYCLESCOPE, "sweep", "--filter", "^(ADD|SUB|FADD|FMUL|LDR|LD1|MADD|UMULH|VADD|VMUL)"]
                + ["--export-exegesis", records],
                check=True,
                cwd=folder,
                stdout=subprocess.DEVNULL,
            )
            analysis = subprocess.run(
                [
                    LLVM_EXEGESIS,
                    "-mode=analysis",
                    f"-benchmarks-file={records}",
                    f"-analysis-clusters-output-file={clusters}",
                    f"-analysis-inconsistencies-output-file={inconsistencies}",
                ],
                capture_output=True,
                text=True,
            )
            self.assertEqual(analysis.returncode, 0, analysis.stderr)
            self.assertNotIn("error", analysis.stderr.lower())
            for output in (clusters, inconsistencies):
                self.assertGreater(os.path.getsize(output), 0, output)
            with open(records, encoding="utf-8") as file:
                count = file.read().count("---\n")
            self.assertGreater(count, 50)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

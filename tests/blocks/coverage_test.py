#!/usr/bin/env python3
"""Random basic blocks of real programs run, nearly all of them.

    coverage_test.py COUNT LEAST_SHARE OBJDUMP FILES -- PROGRAM [ARGUMENTS]

Whether a block runs does not depend on how busy the machine is; whether there is a value does. So what is counted is
blocks that ended with a value, or with too few good samples. Natively at least one in a hundred must have a value: a
program that calls everything disturbed fails.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

LEAST_WITH_VALUE = 0.01  # a share, however busy the machine is
COUNT, LEAST, OBJDUMP = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
SEPARATOR = sys.argv.index("--")
FILES, PROGRAM = sys.argv[4:SEPARATOR], sys.argv[SEPARATOR + 1:]


def main():
    cutter = pathlib.Path(__file__).with_name("cut_blocks.py")
    cut = subprocess.run([sys.executable, cutter, "--objdump", OBJDUMP, "--count", str(COUNT), "--seed", "16", *FILES],
                         capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        blocks = pathlib.Path(folder) / "blocks.txt"
        blocks.write_text(cut.stdout, encoding="utf-8")
        ended = subprocess.run(
            [*PROGRAM, "block", "--file", blocks, "--json", "--patience", "0", "--journal",
             pathlib.Path(folder) / "journal"],
            capture_output=True, text=True, timeout=1000, check=False)
    if ended.returncode not in (0, 3):
        sys.exit(f"exit code {ended.returncode}: {ended.stderr}")
    rows = json.loads(ended.stdout)["blocks"]
    lines = [line for line in cut.stdout.splitlines() if not line.startswith("#")]
    if len(rows) != len(set(lines)) and len(rows) != len(lines):
        sys.exit(f"{len(rows)} rows of {len(lines)} blocks")
    states = collections.Counter(row["status"] for row in rows)
    print(dict(states))
    for row in rows:
        if row["status"] not in ("measured", "disturbed"):
            print(row["status"], row.get("reason"), row["text"][:60])
    share = (states["measured"] + states["disturbed"]) / len(rows)
    if share < LEAST:
        sys.exit(f"{share:.1%} of the blocks ran; {LEAST:.0%} should")
    with_value = sum(row["status"] == "measured" and row.get("cycles", 0) > 0 for row in rows)
    is_native = len(PROGRAM) == 1  # an emulator's time may leave no value
    if is_native and with_value < LEAST_WITH_VALUE * len(rows):
        sys.exit(f"{with_value} of {len(rows)} blocks have a value; {LEAST_WITH_VALUE:.0%} should")


if __name__ == "__main__":
    main()

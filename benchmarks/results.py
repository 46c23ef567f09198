"""Runs of programs, and of cyclescope, for the benchmarks beside this file."""

import json
import os
import subprocess
import sys
import tempfile
import time


def timed(command, **options):
    """How a command ended, with its standard output, and the seconds it took."""
    begin = time.monotonic()
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False, **options)
    return ended, time.monotonic() - begin


def cyclescope_result(program, *arguments):
    """The document of a run, and its seconds. 3: something was not measured, or not well."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        journal = ["--journal", os.path.join(folder, "journal")] if arguments[0] == "sweep" else []
        ended, seconds = timed([program, *arguments, "--export-json", result, *journal])
        if ended.returncode not in (0, 3):
            sys.exit(f"{program} {arguments[0]} ended with {ended.returncode}: {ended.stderr}")
        with open(result, encoding="utf-8") as file:
            return json.load(file), seconds

"""Reads every published matrix of a folder with `cyclescope report`, and checks what it makes of those that it knows.

    check_matrices.py FOLDER PROGRAM [ARGUMENT...]

For each file it prints the sentence that sums the machine up. Files whose hardware is listed below must have exactly its
groups, level by level; others are printed only. Exits with 77 (skipped) when there is no such folder.
"""
import json
import pathlib
import subprocess
import sys

SKIPPED = 77


def runs(count, size):
    """Groups of `size` CPUs with consecutive numbers."""
    return [list(range(first, first + size)) for first in range(0, count, size)]


def with_threads(groups, cores):
    """The same of cores whose second thread has the number of the first plus that of cores."""
    return [group + [core + cores for core in group] for group in groups]


def threads(cores):
    return with_threads(runs(cores, 1), cores)


# Levels from the tightest, as the hardware is built.
HARDWARE = {
    "amd-epyc-7773x": [threads(64), with_threads(runs(64, 8), 64)],
    "amd-ryzen-9-5950x": [threads(16), with_threads(runs(16, 8), 16)],
    "amd-ryzen-threadripper-1950x": [threads(16), with_threads(runs(16, 4), 16), with_threads(runs(16, 8), 16)],
    "aws-graviton3": [],
    "dual-intel-xeon-cpu-e5-2690-0": [threads(16), with_threads(runs(16, 8), 16)],
    "hisilicon-kunpeng-920-6426": [runs(64, 32)],
    "intel-core-i9-12900k": [runs(16, 2), [[16, 17, 18, 19], [20, 21, 22, 23]]],
    "intel-core-i9-9900k-cpu": [runs(16, 2)],
    "intel-xeon-platinum-8375c-cpu": [threads(64), with_threads(runs(64, 32), 64)],
}


def read(program, path):
    result = subprocess.run(program + ["report", str(path), "--json"], capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        raise SystemExit(f"{path.name}: {result.stderr}")
    return json.loads(result.stdout)["cores"][0]


def main():
    folder, program = pathlib.Path(sys.argv[1]), sys.argv[2:]
    files = sorted(folder.glob("*.csv")) if folder.is_dir() else []
    if not files:
        print(f"no matrices in {folder}")
        return SKIPPED
    wrong = 0
    for path in files:
        cores = read(program, path)
        found = {}
        for group in cores["groups"]:
            found.setdefault(group["level"], []).append(sorted(group["cpus"]))
        levels = [sorted(found[level]) for level in sorted(found)]
        verdict = "?"
        if path.stem in HARDWARE:
            truth = [sorted(sorted(group) for group in level) for level in HARDWARE[path.stem]]
            verdict = "right" if levels == truth else "WRONG"
            wrong += verdict == "WRONG"
        print(f"{verdict:5}  {path.stem}: {cores.get('structure', '')}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

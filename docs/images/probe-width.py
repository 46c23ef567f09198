#!/usr/bin/env python3
"""The figure of docs/methodology.md: the width of a core over time, alone and shared.

probe-width.py RECORDING.csv >probe-width.svg

The recording has a row per probe: burst, t_us, cpu, and ticks per instruction of four loops around each row
(add_chain_before, imul_chain_before, addpd_chain_before, wide_adds_before, and the same with _after). Widths are the
wide adds in cycles; a cycle is the least that one of the chains implies. A burst of probes lasts some milliseconds,
and is drawn as wide as the time to the CPU's next burst.
"""

import collections
import csv
import sys

WIDTH, PANEL, LEFT, RIGHT, TOP, GAP = 760, 150, 58, 12, 48, 26
LEAST, MOST = 0.18, 0.50  # cycles, of the vertical axis
CYCLES = {"add_chain_before": 1, "imul_chain_before": 3, "addpd_chain_before": 2}  # of a link, on Redwood Cove
SECONDS = 26  # of the recording that are drawn
EVERY = 2  # probes of which one is drawn
QUIET = 0.205  # the quiet width of that recording
MARGIN = 1.05  # as in core_watch.cc


def probes(path):
    """(seconds, CPU, width, whether the core was ours) of each probe."""
    bursts = collections.defaultdict(list)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            bursts[int(row["cpu"]), int(row["burst"])].append(row)
    starts = {key: float(rows[0]["t_us"]) / 1e6 for key, rows in bursts.items()}
    for (cpu, burst), rows in bursts.items():
        begin = starts[cpu, burst]
        later = [start for (other, _), start in starts.items() if other == cpu and start > begin]
        for place, row in enumerate(rows):
            implied = {name: float(row[name]) / cycles for name, cycles in CYCLES.items()}
            cycle = min(implied.values())
            if cycle <= 0 or not later or place % EVERY != 0:
                continue
            width = float(row["wide_adds_before"]) / cycle
            agree = implied["add_chain_before"] <= 1.01 * cycle
            at = begin + (min(later) - begin) * place / len(rows)
            if at <= SECONDS:
                yield at, cpu, width, agree and width <= QUIET * MARGIN


def main():
    drawn = list(probes(sys.argv[1]))
    cpus = sorted({cpu for _, cpu, *_ in drawn})
    height = TOP + len(cpus) * (PANEL + GAP) + 22

    def x_of(at):
        return LEFT + at / SECONDS * (WIDTH - LEFT - RIGHT)

    def y_of(width, top):
        return top + PANEL * (MOST - width) / (MOST - LEAST)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'role="img" aria-label="Cycles per independent add over time on two CPUs: a sharp line at 0.205 while the core '
        'is ours, a cloud from 0.22 to 0.5 while another thread shares it">',
        "<style>text{font:12px sans-serif;fill:#333}.axis{stroke:#888;fill:none}.grid{stroke:#8884}"
        ".ours{stroke:#0969da}.shared{stroke:#d4700b}.dots{stroke-width:2.2;stroke-linecap:round;fill:none}"
        "@media(prefers-color-scheme:dark){text{fill:#ddd}.ours{stroke:#58a6ff}.shared{stroke:#f0973c}}</style>",
        '<text x="4" y="16">cycles per independent add (the width of the core), every second probe</text>',
        f'<path class="dots ours" d="M{LEFT + 4} 33h0"/><text x="{LEFT + 14}" y="37">the core is ours</text>',
        f'<path class="dots shared" d="M{LEFT + 134} 33h0"/>'
        f'<text x="{LEFT + 144}" y="37">another thread on the other hyperthread</text>',
    ]
    for number, cpu in enumerate(cpus):
        top = TOP + number * (PANEL + GAP)
        for tick in (0.2, 0.3, 0.4, 0.5):
            y = y_of(tick, top)
            out.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
            out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:.1f}</text>')
        out.append(f'<path class="axis" d="M{LEFT} {top}v{PANEL}H{WIDTH - RIGHT}"/>')
        for name, ours in (("shared", False), ("ours", True)):
            path = "".join(
                f"M{x_of(at):.1f} {y_of(width, top):.1f}h0"
                for at, on, width, quiet in drawn
                if on == cpu and quiet == ours and LEAST < width < MOST
            )
            out.append(f'<path class="dots {name}" d="{path}"/>')
        out.append(f'<text x="{WIDTH - RIGHT}" y="{top - 7}" text-anchor="end">CPU {cpu}</text>')
    base = TOP + len(cpus) * (PANEL + GAP) - GAP
    for second in range(0, SECONDS + 1, 5):
        out.append(f'<text x="{x_of(second):.1f}" y="{base + 18}" text-anchor="middle">{second}</text>')
    out.append(f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{base + 38}" text-anchor="middle">seconds</text>')
    print("\n".join([*out, "</svg>"]))


if __name__ == "__main__":
    main()

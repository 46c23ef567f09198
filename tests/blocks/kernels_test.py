#!/usr/bin/env python3
"""Kernels whose cycles follow from arithmetic: what is measured is what their parts add up to.

    kernels_test.py PROGRAM ARCHITECTURE [--exact]

What must be cycles per iteration is computed from the latencies and throughputs of the kernel's own instructions,
measured by the same program. Nothing may be faster than a bound. A shared core makes values too high; then they are
listed as contended, and must be right within the factor that sharing can explain. With --exact (for a quiet machine)
values must be right within 5 %. Most kernels must have a value.
"""

import json
import subprocess
import sys

PROGRAM, ARCHITECTURE = sys.argv[1], sys.argv[2]
EXACT = "--exact" in sys.argv
# A kernel shares its core half of the time at worst, and what it is compared with as well.
SHARED_FACTOR = 2.6


def cycles(text):
    """What another kernel takes; unset where that says nothing."""
    row = measure(text)
    return None if row["status"] != "measured" or row.get("contended", False) else row["cycles"]


def half_of(text):
    other = cycles(text)
    return None if other is None else other / 2


def one_less_than(text):
    other = cycles(text)
    return None if other is None else other - 1


# name, text, what must come out: a bound of the result ("chain", "issue", "resource", "most": the largest of them), or
# a function that computes it.
KERNELS = {
    "x86_64": [
        ("add chain", "add rax, rcx", "chain"),
        ("multiply chain", "imul rax, rcx", "chain"),
        ("multiply and add", "imul rax, rcx; add rax, rdx", "chain"),
        ("two chains at once", "imul rax, rcx; imul rbx, rcx", "chain"),
        ("popcnt chain", "popcnt rax, rax", "chain"),
        ("compare and move", "cmp rax, rcx; cmovb rax, rdx", "chain"),
        ("float multiply chain", "mulsd xmm0, xmm1", "chain"),
        ("reduction, 1 accumulator", "addsd xmm0, qword ptr [rdi]", "chain"),
        ("reduction, 2 accumulators", "mulsd xmm0, xmm8; mulsd xmm1, xmm8", "chain"),
        ("reduction, 4 accumulators",
         "mulsd xmm0, xmm8; mulsd xmm1, xmm8; mulsd xmm2, xmm8; mulsd xmm3, xmm8", "chain"),
        ("nops", "; ".join(["nop"] * 24), "most"),
        ("issue-bound mix",
         "mov rax, [rsi]; mov rcx, [rsi + 8]; lea rdx, [rbx + 8]; lea r8, [rbx + 16]; lea r9, [rbx + 24]; "
         "lea r10, [rbx + 32]", "most"),
        ("one port", "imul rax, rcx, 5; imul rdx, rcx, 5; imul rbx, rcx, 5", "resource"),
        ("pointer chase", "mov rax, [rax]", "chain"),
        ("load beside a chain", "add rax, [rdi]", "chain"),
        # Golden Cove forwards in one of two ways, five cycles apart: two runs need not agree.
        ("store and reload", "mov [rdi], rax; mov rax, [rdi]; add rax, rcx", None),
        ("division", "xor edx, edx; mov eax, 1000; div ecx", "resource"),
        ("sum of an array", "1: addsd xmm0, qword ptr [rdi]; add rdi, 8; cmp rdi, rsi; jne 1b", "most"),
        ("saxpy", "1: movss xmm1, dword ptr [rdi]; mulss xmm1, xmm0; addss xmm1, dword ptr [rsi]; "
                  "movss dword ptr [rsi], xmm1; add rdi, 4; add rsi, 4; cmp rdi, rdx; jne 1b", "issue"),
        # Long enough that the start does not count: 1 KiB takes more than half of 2 KiB.
        ("rep movsb", "mov rsi, r8; mov rdi, r9; mov ecx, 4096; rep movsb",
         lambda: half_of("mov rsi, r8; mov rdi, r9; mov ecx, 8192; rep movsb")),
    ],
    "aarch64": [
        ("add chain", "add x0, x0, x1", "chain"),
        ("multiply chain", "mul x0, x0, x1", "chain"),
        ("multiply and add", "mul x0, x0, x1; add x0, x0, x2", "chain"),
        ("two chains at once", "mul x0, x0, x1; mul x2, x2, x1", "chain"),
        ("bit count chain", "rbit x0, x0", "chain"),
        ("compare and select", "cmp x0, x1; csel x0, x0, x2, lo", "chain"),
        ("float multiply chain", "fmul d0, d0, d1", "chain"),
        ("reduction, 1 accumulator", "ldr d1, [x0]; fadd d0, d0, d1", "chain"),
        ("reduction, 2 accumulators", "fmul d0, d0, d8; fmul d1, d1, d8", "chain"),
        ("reduction, 4 accumulators", "fmul d0, d0, d8; fmul d1, d1, d8; fmul d2, d2, d8; fmul d3, d3, d8", "chain"),
        ("nops", "; ".join(["nop"] * 24), "most"),
        ("one pipe", "mul x0, x1, x2; mul x3, x1, x2; mul x4, x1, x2", "resource"),
        ("pointer chase", "ldr x0, [x0]", "chain"),
        ("load beside a chain", "ldr x3, [x1]; add x0, x0, x3", "chain"),
        ("issue-bound mix", "ldr x0, [x1]; add x2, x3, #8; fadd d0, d1, d2; add x4, x3, #16; nop; "
                            "fadd d3, d1, d2; ldr x5, [x1, #8]; nop", None),
        ("store and reload", "str x0, [x1]; ldr x0, [x1]; add x0, x0, x2",
         lambda: one_less_than("str x0, [x1]; ldr x0, [x1]; add x0, x0, x2; add x0, x0, x2")),
        ("division", "udiv x0, x1, x2", "resource"),
        ("sum of an array", "1: ldr d1, [x0], #8; fadd d0, d0, d1; cmp x0, x1; b.ne 1b", "most"),
        ("saxpy", "1: ldr s1, [x0], #4; ldr s2, [x1]; fmadd s1, s1, s0, s2; str s1, [x1], #4; cmp x0, x2; b.ne 1b",
         None),
        ("memcpy", "1: ldp q0, q1, [x0], #32; stp q0, q1, [x1], #32; subs x2, x2, #1; b.ne 1b", None),
    ],
}[ARCHITECTURE]


def measure(text):
    ended = subprocess.run([PROGRAM, "block", text, "--json"], capture_output=True, text=True, timeout=300, check=False)
    if not ended.stdout:
        sys.exit(f"{text}: {ended.stderr}")
    return json.loads(ended.stdout)["blocks"][0]


def main():
    failures = []
    compared = 0
    for name, text, bound in KERNELS:
        row = measure(text)
        if "cycles" not in row:
            print(f"{name:28} {row['status']}: {row.get('reason')}")
            if row["status"] != "disturbed":
                failures.append(f"{name}: {row['status']}")
            continue
        bounds = row.get("bounds", {})
        most = max((bounds.get(key, 0) for key in ("chain", "issue", "resource")), default=0)
        expected = bound() if callable(bound) else {"most": most, None: None}.get(bound, bounds.get(bound))
        contended = row.get("contended", False) or row["status"] != "measured"
        shown = f"{expected:8.3f}" if expected else " " * 8
        print(f"{name:28} {row['cycles']:8.3f} {shown}  {'contended' if contended else '':10}"
              f" {bounds.get('verdict', '')}")
        # Sharing makes bounds and values too high alike: only on a quiet core is one below the other a mistake.
        if not contended and row["cycles"] < 0.97 * most:
            failures.append(f"{name}: {row['cycles']:.3f} is below a bound of {most:.3f}")
        if expected:
            compared += 1
            if not expected / SHARED_FACTOR < row["cycles"] < expected * SHARED_FACTOR:
                failures.append(f"{name}: {row['cycles']:.3f} is far from {expected:.3f}")
        if EXACT and not contended and expected and abs(row["cycles"] - expected) > 0.05 * expected:
            failures.append(f"{name}: {row['cycles']:.3f} instead of {expected:.3f}")
    if compared < len(KERNELS) / 2:
        failures.append(f"{compared} of {len(KERNELS)} kernels could be compared")
    for failure in failures:
        print("FAILED", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

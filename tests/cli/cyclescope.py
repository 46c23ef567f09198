"""What the command-line tests share: the program under test, how to run it, and texts for its architecture.

CTest says what to test: CYCLESCOPE_COMMAND (a JSON list; under an emulator it has several words),
CYCLESCOPE_ARCHITECTURE, CYCLESCOPE_SYSTEM and CYCLESCOPE_EMULATED.
"""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "schema")]
import validate  # pylint: disable=wrong-import-position
from system import WINDOWS, on_linux  # pylint: disable=wrong-import-position,unused-import

COMMAND = json.loads(os.environ["CYCLESCOPE_COMMAND"])
ARCHITECTURE = os.environ["CYCLESCOPE_ARCHITECTURE"]
EMULATED = os.environ["CYCLESCOPE_EMULATED"] == "1"

# Far more than any call needs, on a machine that is busy too: only a hang takes so long.
TIMEOUT_SECONDS = 300
TRIES = 20  # at what a busy machine may disturb: a program that disturbs itself fails
MACHINES = ROOT / "tests" / "data" / "machines"
SCHEMA = json.loads((ROOT / "docs" / "schema" / "cyclescope-1.json").read_text(encoding="utf-8"))

# Journals without a name go here, not to the folder of the user who runs the tests. (On Windows to Wine's own.)
STATE = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with

# A value stands in the row, though a busy machine may have disturbed it.
MEASURED = {"measured", "disturbed"}

# A CPU that the tests may use: not every process may use the first.
SOME_CPU = min(os.sched_getaffinity(0))

# For what shows nothing under an emulator that one test like it does not show there: measuring takes seconds there.
natively = unittest.skipIf(EMULATED, "one like it is enough under an emulator")

# For what has to know one fault from another.
tells_faults = unittest.skipIf(EMULATED and WINDOWS,
                               "under an emulator Wine takes every fault for an illegal instruction")

# What the systems call the same fault.
FAULTS = (
    {
        "SIGTRAP": "EXCEPTION_BREAKPOINT",
        "SIGILL": "EXCEPTION_ILLEGAL_INSTRUCTION",
        "SIGSEGV": "EXCEPTION_ACCESS_VIOLATION",
        "SIGFPE": "EXCEPTION_INT_DIVIDE_BY_ZERO",
    }
    if WINDOWS
    else {}
)


def fault(signal):
    """The system's name of a fault, from Linux's."""
    return FAULTS.get(signal, signal)


@dataclasses.dataclass(frozen=True)
class Texts:
    """Assembly that means the same on every architecture."""

    add: str
    multiply: str
    load: str
    divide: str
    no_such_name: tuple[str, str]  # a mistyped instruction, and the name that was meant
    bad_operand: tuple[str, int]  # and the column of the operand that is wrong
    missing_feature: tuple[str, str]  # an instruction that hardly any CPU has, and the feature it needs
    privileged: str
    system_call: str
    breakpoint: str
    illegal: str
    wild_store: str
    endless: str
    countdown: str  # a snippet with a label, a loop of its own
    set_register: str
    use_register: str
    nop_bytes: str
    far_load: str  # from where no memory is
    near_pointer: str  # hexadecimal: a pointer loaded from near the code, as from a program's table, and followed
    function_begin: str  # hexadecimal: makes room on the stack, and uses it
    pushes: str  # again and again: the stack runs away
    own_loop: str  # all of it is a loop with a branch of its own
    data_loop: str  # the same, but nothing in it counts
    listing: str  # a compiler's file; its line 3 begins a loop of four instructions
    switch: str  # a compiler's file with a loop that jumps through a table
    interpreter: str  # the same, but only an entry of the table ends it


TEXTS = {
    "aarch64": Texts(
        add="add x0, x1, x2",
        multiply="mul x0, x1, x2",
        load="ldr x0, [x1]",
        divide="sdiv x0, x1, x2",
        no_such_name=("addd x0, x1, x2", "add"),
        bad_operand=("add x0, x1, [x2]", 13),
        missing_feature=("abs x0, x1", "cssc"),
        privileged="msr daifset, #2",
        system_call="svc #0",
        breakpoint="brk #0",
        illegal="udf #0",
        wild_store="mov x1, #0; str x0, [x1]",
        endless="forever: b forever",
        countdown="mov x0, #5; again: subs x0, x0, #1; b.ne again",
        set_register="mov x3, #7",
        use_register="add x0, x0, x3",
        nop_bytes="1f 20 03 d5",
        far_load="movz x1, #0x5000, lsl #16; ldr x0, [x1, #8]",
        near_pointer="a1 00 00 f0 21 a8 47 f9 22 00 40 f9",  # adrp x1, ...; ldr x1, [x1, #3920]; ldr x2, [x1]
        function_begin="ff c3 01 d1 fd 7b 04 a9 f3 53 05 a9",  # sub sp, sp, #112; stp ... [sp, #64]; stp ... [sp, #80]
        pushes="str x0, [sp, #-16]!",
        own_loop="1: ldr x3, [x0], #8; add x4, x4, x3; cmp x0, x1; b.ne 1b",
        data_loop="1: ldr x0, [x0]; cbnz x0, 1b",
        listing="\t.text\nsum:\n.L3:\n\tldr\tx3, [x0], 8\n\tadd\tx4, x4, x3\n\tcmp\tx0, x1\n"
                "\tbne\t.L3\n\tret\n",
        switch="\t.text\nf:\n\tadrp\tx4, .L4\n\tadd\tx4, x4, :lo12:.L4\n.L8:\n\tldrb\tw6, [x3], 1\n"
               "\tcmp\tw6, 2\n\tbhi\t.L2\n\tldrb\tw6, [x4, w6, uxtw]\n\tadr\tx2, .Lrtx4\n"
               "\tadd\tx6, x2, w6, sxtb #2\n\tbr\tx6\n.Lrtx4:\n\t.section\t.rodata\n.L4:\n"
               "\t.byte\t(.L6 - .Lrtx4) / 4\n\t.byte\t(.L5 - .Lrtx4) / 4\n\t.byte\t(.L2 - .Lrtx4) / 4\n"
               "\t.text\n.L5:\n\tadd\tx0, x0, 1\n\tb\t.L2\n.L6:\n\teor\tx0, x0, x1\n.L2:\n"
               "\tcmp\tx3, x5\n\tbne\t.L8\n\tret\n",
        interpreter="\t.text\nf:\n\tadrp\tx4, .L4\n\tadd\tx4, x4, :lo12:.L4\n.L8:\n\tldrb\tw6, [x3], 1\n"
                    "\tldrb\tw6, [x4, w6, uxtw]\n\tadr\tx2, .Lrtx4\n"
                    "\tadd\tx6, x2, w6, sxtb #2\n\tbr\tx6\n.Lrtx4:\n\t.section\t.rodata\n.L4:\n"
                    "\t.byte\t(.L6 - .Lrtx4) / 4\n\t.byte\t(.L9 - .Lrtx4) / 4\n\t.byte\t(.L5 - .Lrtx4) / 4\n"
                    "\t.text\n.L5:\n\tadd\tx0, x0, 1\n\tb\t.L8\n.L6:\n\teor\tx0, x0, x1\n\tb\t.L8\n"
                    ".L9:\n\tret\n",
    ),
    "x86_64": Texts(
        add="add rax, rbx",
        multiply="imul rax, rbx",
        load="mov rax, [rbx]",
        divide="div rcx",
        no_such_name=("addd rax, rbx", "add"),
        bad_operand=("mov rax, [rbx*3]", 15),
        missing_feature=("vphaddbw xmm0, xmm1", "xop"),
        privileged="hlt",
        system_call="syscall",
        breakpoint="int3",
        illegal="ud2",
        wild_store="xor ebx, ebx; mov [rbx], rax",
        endless="forever: jmp forever",
        countdown="mov eax, 5; again: dec eax; jne again",
        set_register="mov rsi, 7",
        use_register="add rax, rsi",
        nop_bytes="90",
        far_load="mov ecx, 0x50000000; mov rax, [rcx + 8]",
        near_pointer="48 8b 05 50 0f 00 00 48 8b 08",  # mov rax, [rip + 0xf50]; mov rcx, [rax]
        function_begin="48 83 ec 18 0f 29 04 24",  # sub rsp, 24; movaps [rsp], xmm0
        pushes="push rax",
        own_loop="1: add rax, [rdi]; add rdi, 8; cmp rdi, rsi; jne 1b",
        data_loop="1: mov rax, [rax]; test rax, rax; jne 1b",
        listing="\t.text\nsum:\n.L3:\n\taddq\t(%rdi), %rax\n\taddq\t$8, %rdi\n\tcmpq\t%rsi, %rdi\n\tjne\t.L3\n\tret\n",
        switch="\t.text\nf:\n\tleaq\t.L4(%rip), %rdx\n.L8:\n\tcmpb\t$2, (%rdi)\n\tja\t.L2\n"
               "\tmovzbl\t(%rdi), %eax\n\tmovslq\t(%rdx,%rax,4), %rax\n\taddq\t%rdx, %rax\n"
               "\tnotrack jmp\t*%rax\n\t.section\t.rodata\n.L4:\n\t.long\t.L6-.L4\n\t.long\t.L5-.L4\n"
               "\t.long\t.L2-.L4\n\t.text\n.L5:\n\taddq\t$1, %rcx\n\tjmp\t.L2\n.L6:\n\txorq\t%rsi, %rcx\n"
               ".L2:\n\taddq\t$1, %rdi\n\tcmpq\t%rsi, %rdi\n\tjne\t.L8\n\tret\n",
        interpreter="\t.text\nf:\n.L8:\n\taddq\t$1, %rdi\n\tmovzbl\t-1(%rdi), %eax\n\tnotrack jmp\t*.L4(,%rax,8)\n"
                    "\t.section\t.rodata\n.L4:\n\t.quad\t.L6\n\t.quad\t.L9\n\t.quad\t.L5\n\t.text\n"
                    ".L5:\n\taddq\t$1, %rcx\n\tjmp\t.L8\n.L6:\n\txorq\t%rsi, %rcx\n\tjmp\t.L8\n.L9:\n\tret\n",
    ),
}[ARCHITECTURE]


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a run of the program ended."""

    code: int
    out: str
    err: str

    def json(self):
        """The result document that was printed."""
        return json.loads(self.out)


def impatient(*arguments):
    """The arguments, with little time to wait for a core without a neighbour: tests are about function."""
    waits = arguments[:1] and arguments[0] in ("instruction", "block", "sweep", "survey", "frequency")
    if waits and not any(str(argument).startswith("--patience") for argument in arguments):
        return [arguments[0], "--patience=0.05", *arguments[1:]]
    return list(arguments)


def run(*arguments, **options):
    """Runs the program without a terminal, with colour left to the environment."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    options["env"] = environment(**options.get("env", {}))
    ended = subprocess.run(
        [*COMMAND, *map(str, impatient(*arguments))], encoding="utf-8", timeout=TIMEOUT_SECONDS, check=False, **options
    )
    return Ended(ended.returncode, ended.stdout or "", ended.stderr or "")


def environment(**changes):
    """The caller's environment without what changes colour or language."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM", "COLUMNS")}
    return {**kept, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "XDG_STATE_HOME": STATE.name, **changes}


class CliTest(unittest.TestCase):
    """Assertions in the words of the command line's promises."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def assert_refused(self, ended, *parts, code=2):
        """One clear line on standard error that holds the parts, nothing on standard output."""
        self.assertEqual(ended.code, code, ended)
        self.assertEqual(ended.out, "")
        lines = ended.err.splitlines()
        self.assertEqual(len(lines), 1, ended.err)
        self.assertTrue(lines[0].startswith("cyclescope: "), lines[0])
        for part in parts:
            self.assertIn(part, lines[0])

    def assert_valid(self, document):
        """The document is as docs/schema describes it."""
        self.assertEqual(validate.errors(SCHEMA, document), [])

    def assert_code_fits(self, ended, rows):
        """0 when every row was measured, 3 when one was not."""
        self.assertEqual(ended.code, 0 if all(row["status"] == "measured" for row in rows) else 3, ended.err)

    def measure(self, command, *arguments, **options):
        """The rows of a command's document, after the checks that every document must pass."""
        ended = run(command, "--json", *arguments, **options)
        self.assertTrue(ended.out, ended)
        document = ended.json()
        self.assert_valid(document)
        self.assertEqual(document["config"]["command"], command)
        rows = document[{"instruction": "instructions", "block": "blocks"}.get(command, command)]
        self.assert_code_fits(ended, rows)
        return rows

    def measure_well(self, command, *arguments):
        """The same of a run that lost no value to a busy machine."""
        for _ in range(1 if EMULATED else TRIES):
            rows = self.measure(command, *arguments)
            if EMULATED or all(row["status"] != "disturbed" for row in rows):
                return rows
        return self.fail(f"disturbed {TRIES} times")

    def assert_only_warnings(self, ended):
        """Nothing on standard error but what a busy machine or an emulator gives reason to say."""
        for line in ended.err.splitlines():
            self.assertTrue(line.startswith("warning: "), line)

    def assert_estimate(self, estimate, name="cycles"):
        """A value inside its interval, from samples."""
        self.assertLessEqual(estimate["low"], estimate[name])
        self.assertLessEqual(estimate[name], estimate["high"])
        # An emulator's time is so uneven that it may reject every sample; the value is then of those.
        self.assertGreater(estimate["kept"] + (estimate["rejected"] if EMULATED else 0), 0)

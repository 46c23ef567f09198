#!/usr/bin/env python3
"""Cuts random basic blocks out of programs and libraries, for `cyclescope block --file`.

    cut_blocks.py --count 500 --seed 1 /usr/bin/gzip /usr/lib/x86_64-linux-gnu/libc.so.6 > blocks.txt
    cut_blocks.py --objdump aarch64-linux-gnu-objdump busybox.deb

A block begins where something jumps to or behind a branch, and ends before the next of those. Its last branch is
left out unless --branches is given. Packages (.deb) are unpacked, and their programs and libraries used.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r"^\s*([0-9a-f]+):\t([0-9a-f ]+)\t(\S+)\s*(.*)$")
TARGET = re.compile(r"(?:^|,\s*)(?:0x)?([0-9a-f]+) <")
# What ends a block, on x86-64 and on AArch64.
BRANCH = re.compile(r"^(bnd )?(j\w+|loop\w*|ret\w*|call\w*|b|b\.\w+|bl|blr|br|cbn?z|tbn?z|eret|bra\w+|blra\w+)$")
# No code of a program: padding, traps, what only the kernel may do.
NOT_CODE = re.compile(r"^(\(bad\)|\.\w+|int3?|ud[012b]?|udf|hlt|syscall|sysenter|svc|brk|cli|sti|in|out|ins[bwld]|outs[bwld]|iret\w?)$")
PREFIXES = {"bnd", "notrack", "cs", "data16", "rep", "repz", "repnz", "lock"}


def disassemble(objdump, file, within=()):
    """(address, bytes, mnemonic, operands) of every instruction; `within`: the first address, and the one after all."""
    bounds = [f"--{name}-address={address}" for name, address in zip(("start", "stop"), within)]
    text = subprocess.run([objdump, "-d", "-w", "-j", ".text", *bounds, file], capture_output=True, text=True,
                          check=False).stdout
    for line in text.splitlines():
        found = LINE.match(line)
        if not found:
            continue
        address, code, mnemonic, operands = found.groups()
        groups = code.split()
        # AArch64 words are printed as numbers: the highest byte first.
        code = b"".join(bytes.fromhex(group) if len(group) == 2 else bytes.fromhex(group)[::-1] for group in groups)
        words = [mnemonic, *operands.split(maxsplit=1)]
        while words[0] in PREFIXES and len(words) > 1:
            words = words[1].split(maxsplit=1)
        yield int(address, 16), code, words[0], words[1] if len(words) > 1 else ""


def pieces(instructions):
    """(address, code without its last branch, that branch, where it leads) of every basic block."""
    targets = {target for _, _, mnemonic, operands in instructions if (target := target_of(mnemonic, operands)) is not None}
    begin, block, good, end = None, [], True, None
    for address, code, mnemonic, operands in instructions:
        if address != end or address in targets:
            if block and good:
                yield begin, b"".join(block), b"", None
            block, good = [], True
        if not block:
            begin = address
        end = address + len(code)
        if NOT_CODE.match(mnemonic):
            good = False
        if not BRANCH.match(mnemonic):
            block.append(code)
            continue
        if good:
            yield begin, b"".join(block), code, target_of(mnemonic, operands)
        block, good = [], True


def target_of(mnemonic, operands):
    """Where a direct branch leads."""
    found = TARGET.search(operands) if BRANCH.match(mnemonic) else None
    return int(found.group(1), 16) if found else None


def cut(objdump, file, with_branches):
    for _, code, branch, _ in pieces(list(disassemble(objdump, file))):
        block = code + branch if with_branches else code
        if block:
            yield block


def programs(path, folder):
    if path.suffix != ".deb":
        return [path]
    target = pathlib.Path(folder) / path.stem
    subprocess.run(["dpkg-deb", "-x", path, target], check=True)
    return [file for file in sorted(target.rglob("*"))
            if file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=int, default=1024, help="bytes of a block")
    parser.add_argument("--branches", action="store_true", help="keep the branch at the end of a block")
    options = parser.parse_args()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        blocks = {}
        files = [program for file in options.files for program in programs(file, folder)]
        for file in files:
            found = {block for block in cut(options.objdump, file, options.branches) if len(block) <= options.longest}
            blocks[file] = sorted(found)
    # As many from each file, so that a large one is not all there is.
    chosen = []
    for file, found in blocks.items():
        share = min(len(found), -(-options.count // len(blocks)))
        chosen += [(file.name, block) for block in random.sample(found, share)]
    random.shuffle(chosen)
    for name, block in chosen[:options.count]:
        print(f"# {name}\n{block.hex()}")
    if not chosen:
        sys.exit("no blocks found")


if __name__ == "__main__":
    main()

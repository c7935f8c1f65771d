#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reads the kernels that ptxas compiled from objects of nvcc: prints a table, and errors for kernels that cannot
be fast.

usage: kernels.py [--disassembler FOLDER] [--sweep-loads N] object...

Per kernel: registers; bytes of stack, of spills and of arguments; the maximum number of pending loads from global
memory (a load is pending until an instruction uses its result); the number of loops that poll a task flag.
Errors: spills and stack (kernels of any block size keep arrays there); arguments that Kokkos would pass by
another way (512 bytes); forward sweeps of 4 to 8 unknowns in double precision with fewer than N pending loads,
also for several vectors (but not for tasks, which wait first).
cuobjdump and nvdisasm are searched in FOLDER, else in PATH.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

MOST_ARGUMENTS = 512  # bytes; team_work.hpp has the same limit for nvcc
ARGUMENTS_BEGIN = 0x210  # of constant bank 0 at sm_90

SWEEP = r"SweepRow<[4-8], ForwardTerms<double, double, false>, 1>"
SEVERAL = r"SweepRow<[4-8], ForwardTerms<double, double, false>, 8>"  # vectors

Instruction = collections.namedtuple("Instruction", "address operation operands")
Kernel = collections.namedtuple("Kernel", "name registers stack spills arguments loads polls")


def run(tools, *command):
    path = os.environ["PATH"]
    return subprocess.run(command, env={**os.environ, "PATH": f"{tools}:{path}" if tools else path}, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def demangle(text):
    return subprocess.run(["c++filt"], input=text, check=True, text=True, stdout=subprocess.PIPE).stdout


def short_name(name):
    """Driver and row function, without namespaces and Kokkos' policies."""
    found = re.search(r"detail::(Replayed)?(?:Body<finegrain::detail::)?(\w+)Body<\d+, Kokkos::\w+, (.*?)(?: >)+, Kokkos::TeamPolicy", name)
    if not found:
        return None
    driver = "graph" if found[1] else {"Group": "levels", "Team": "tasks"}[found[2]]
    return f"{driver} {found[3].strip()}".replace("finegrain::", "").replace("(Sign)", "")


def read_sass(text):
    """Instructions by the mangled name of their kernel."""
    kernels, current = {}, None
    for line in text.splitlines():
        if found := re.match(r"\s*Function : (\S+)", line):
            current = kernels.setdefault(found[1], [])
        elif found := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+ +)?([A-Z][\w.]*)\s*([^;]*);", line):
            current.append(Instruction(int(found[1], 16), found[2], found[3]))
    return kernels


def registers_of(operands):
    """The numbers of the registers in these operands; the second register of a pair counts too."""
    return {int(number) + i for number, pair in re.findall(r"\bR(\d+)(\.64)?", operands) for i in range(2 if pair else 1)}


def is_global_load(operation):
    """True for loads from global memory. Pointers that are themselves loaded from memory are read by generic
    loads (LD): the vectors of a kernel of a graph."""
    return operation.startswith(("LDG.", "LD.")) or operation == "LDG"


def most_loads(code):
    most, pending = 0, []  # the registers of each pending load, in order
    for instruction in code:
        first, _, rest = instruction.operands.partition(",")
        is_load = is_global_load(instruction.operation)
        writes_first = not instruction.operation.startswith(("ST", "RED", "ISETP", "DSETP", "FSETP"))
        read = registers_of(rest if writes_first else instruction.operands)
        waits = [k for k, registers in enumerate(pending) if registers & read]
        if waits:
            pending = pending[waits[-1] + 1:]
        if is_load:
            width = 4 if ".128" in instruction.operation else 2 if ".64" in instruction.operation else 1
            target = re.match(r"R(\d+)", first.strip())
            if target:
                pending.append(set(range(int(target[1]), int(target[1]) + width)))
                most = max(most, len(pending))
        if instruction.operation in ("EXIT", "RET", "BRA") and "P" not in instruction.operands.split(",")[0]:
            pending = pending if instruction.operation == "BRA" else []
    return most


def polls(code):
    """Number of loops that sleep."""
    found = 0
    for at, instruction in enumerate(code):
        if not instruction.operation.startswith("BRA"):
            continue
        target = re.search(r"0x([0-9a-f]+)", instruction.operands)
        if not target or int(target[1], 16) >= instruction.address:
            continue
        loop = [i for i in code[:at + 1] if i.address >= int(target[1], 16)]
        found += any(i.operation.startswith("NANOSLEEP") for i in loop)
    return found


def read_object(tools, path):
    code = read_sass(run(tools, "cuobjdump", "-sass", path))
    usage = run(tools, "cuobjdump", "-res-usage", path)
    result = []
    for name, numbers in re.findall(r"Function (\S+):\s*\n\s*(REG:.*)", usage):
        label = short_name(demangle(name))
        if not label or name not in code:
            continue
        used = {key: int(value) for key, value in re.findall(r"([A-Z]+(?:\[0\])?):(\d+)", numbers)}
        spills = sum(i.operation.startswith(("STL", "LDL")) for i in code[name])
        result.append(Kernel(label, used["REG"], used["STACK"], spills + used.get("LOCAL", 0),
                             used["CONSTANT[0]"] - ARGUMENTS_BEGIN, most_loads(code[name]), polls(code[name])))
    return result


def find_errors(kernel, sweep_loads):
    if (kernel.spills or kernel.stack) and "Row<0, " not in kernel.name:
        yield f"{kernel.spills} spills, {kernel.stack} bytes of stack"
    if kernel.arguments >= MOST_ARGUMENTS:
        yield f"{kernel.arguments} bytes of arguments"
    if not kernel.name.startswith("tasks ") and re.search(f"{SWEEP}|{SEVERAL}", kernel.name) and kernel.loads < sweep_loads:
        yield f"{kernel.loads} loads under way, fewer than {sweep_loads}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--disassembler", default="")
    parser.add_argument("--sweep-loads", type=int, default=20)
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()
    kernels = sorted({k for path in arguments.objects for k in read_object(arguments.disassembler, path)}, key=str)
    if not kernels:
        sys.exit("no kernel of finegrain in these objects")
    print("| kernel | registers | stack | spills | bytes of arguments | loads under way | polls |")
    print("|---|---|---|---|---|---|---|")
    wrong = 0
    if not any(k.polls for k in kernels) or not any(re.search(SWEEP, k.name) for k in kernels):
        print("no poll, or no forward sweep of 4 to 8 unknowns, among these kernels", file=sys.stderr)
        wrong = 1
    for k in kernels:
        print(f"| {k.name} | {k.registers} | {k.stack} | {k.spills} | {k.arguments} | {k.loads} | "
              f"{k.polls or ''} |")
    for k in kernels:
        for error in find_errors(k, arguments.sweep_loads):
            print(f"{k.name}: {error}", file=sys.stderr)
            wrong += 1
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()

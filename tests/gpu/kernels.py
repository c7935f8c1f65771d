#!/usr/bin/env python3
"""What ptxas made of the kernels in objects that nvcc compiled: a table, and errors where a kernel cannot be fast.

usage: kernels.py [--disassembler FOLDER] [--sweep-loads N] object...

Per kernel: registers; bytes of stack, of spills and of arguments; the most loads from global memory under way at once
(a load is under way until an instruction reads what it loads); how many loads it has before it waits: in a graph for the
kernels ahead, with tasks for a flag, with values for the first of them; how often a poll of a task flag empties the L1 cache.
Errors: spills and stack (kernels of any block size keep arrays there); arguments that Kokkos would pass by another
way (512 bytes); a poll that empties the cache; forward sweeps of 4 to 8 unknowns in double precision with fewer than
N loads under way, of several vectors too, or before they wait in a graph or with tasks (tiles copy instead); kernels
of a graph that do not let the next one begin, or do not wait for those ahead before their first store; kernels that
copy blocks into shared memory and have no load that could read them there; forward sweeps by tiles that load from
global memory once all copies are there.
cuobjdump and nvdisasm are taken from FOLDER, else from PATH.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

MOST_ARGUMENTS = 512  # bytes; team_work.hpp has the same limit for nvcc
ARGUMENTS_BEGIN = 0x210  # of constant bank 0 at sm_90

SWEEP = r"ForwardRow<[4-8], double, double, 1, false>"
SEVERAL = r"ForwardRow<[4-8], double, double, 8, false>"  # vectors

Instruction = collections.namedtuple("Instruction", "address operation operands")
Kernel = collections.namedtuple("Kernel", "name registers stack spills arguments loads early copies copied_loads late polls invalidations")


def run(tools, *command):
    path = os.environ["PATH"]
    return subprocess.run(command, env={**os.environ, "PATH": f"{tools}:{path}" if tools else path}, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def demangle(text):
    return subprocess.run(["c++filt"], input=text, check=True, text=True, stdout=subprocess.PIPE).stdout


def short_name(name):
    """Driver and row function, without namespaces and Kokkos' policies."""
    found = re.search(r"detail::(Replayed)?(?:Body<finegrain::detail::)?(\w+)Body<\d+, Kokkos::\w+, (.*?)"
                      r"(?:, finegrain::(Everywhere|Arriving)>|(?: >)+), Kokkos::TeamPolicy", name)
    if not found:
        return None
    driver = {"Group": "launch", "Team": "tasks", "Chain": "chain", "Tile": "tile"}[found[2]]
    if found[4] == "Arriving":
        driver = "values"
    if found[1]:
        driver = "graph" if driver == "launch" else f"graph {driver}"
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
    """Numbers of the registers that these operands name; the second of a pair counts too."""
    return {int(number) + i for number, pair in re.findall(r"\bR(\d+)(\.64)?", operands) for i in range(2 if pair else 1)}


def is_global_load(operation):
    """Copies into shared memory are none. What a pointer from memory leads to is read by any address (LD): the vectors of
    a kernel of a graph."""
    return operation.startswith(("LDG.", "LD.")) or operation == "LDG"


def most_loads(code):
    most, pending = 0, []  # the registers of each load under way, in order
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


def loads_before_wait(code):
    """Loads from global memory before the kernel waits for those ahead; None: a store comes before it, or there is no
    wait, or the next kernel is not let begin. Of several waits that come before the first store the last counts."""
    operations = ["copied" if i.operation.endswith(".U8") else i.operation.split(".")[0] for i in code]
    waits = [at for at, operation in enumerate(operations) if operation == "ACQBULK"]
    store = next((at for at, operation in enumerate(operations) if operation in ("STG", "ST", "RED")), len(operations))
    if not waits or "PREEXIT" not in operations[:waits[0]] or store < waits[0]:
        return None
    return sum(is_global_load(i.operation) for i in code[:max(at for at in waits if at < store)])


def copies(code, label):
    """Copies into shared memory, and loads of blocks that may find them there, by how their numbers are stored."""
    stored = re.search(r"<\d+, (\w+)", label)
    width = {"Half": ".U16", "BFloat16": ".U16", "Quantized": "8", "double": ".64"}.get(stored[1] if stored else "double", "")
    loads = [i.operation for i in code if re.match(r"LDS?(\.|$)", i.operation)]  # by any address, or shared ones
    reads = [o for o in loads if (width in o if width else o.startswith("LD.") and not re.search(r"\.[US]?(8|16|64|128)", o))]
    return sum(i.operation.startswith("LDGSTS") for i in code), len(reads)


def loads_after_copies(code):
    """Loads from global memory after the last copies into shared memory have been waited for."""
    last = max((at for at, i in enumerate(code) if i.operation.startswith("LDGDEPBAR")), default=len(code))
    return sum(is_global_load(i.operation) for i in code[last:])


def loads_before_polls(code):
    """Loads from global memory between a barrier of the team and each loop that sleeps."""
    for begin, length, _ in polls(code):
        at = next(k for k, i in enumerate(code) if i.address == begin)
        if any(i.operation.startswith("BAR") for i in code[at:at + length]):
            continue  # the loop over tasks
        barrier = max((k for k, i in enumerate(code[:at]) if i.operation.startswith("BAR")), default=0)
        yield sum(is_global_load(i.operation) for i in code[barrier:at])


def loads_before_waits(label, code):
    if label.startswith("graph "):
        return loads_before_wait(code)
    if label.startswith("values "):  # the first value is waited for when all have been looked at
        return min(loads_before_polls(code), default=None)
    return max(loads_before_polls(code), default=None)


def polls(code):
    """Loops that sleep: where each begins, its length, and how many of its instructions empty the L1 cache."""
    found = []
    for at, instruction in enumerate(code):
        if not instruction.operation.startswith("BRA"):
            continue
        target = re.search(r"0x([0-9a-f]+)", instruction.operands)
        if not target or int(target[1], 16) >= instruction.address:
            continue
        loop = [i for i in code[:at + 1] if i.address >= int(target[1], 16)]
        if any(i.operation.startswith("NANOSLEEP") for i in loop):
            found.append((loop[0].address, len(loop), sum(i.operation.startswith("CCTL") and "IVALL" in i.operation for i in loop)))
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
        waiting = polls(code[name])
        shortest = min((length, emptied) for _, length, emptied in waiting)[1] if waiting else 0  # the innermost loop
        early = loads_before_waits(label, code[name])
        spills = sum(i.operation.startswith(("STL", "LDL")) for i in code[name])
        result.append(Kernel(label, used["REG"], used["STACK"], spills + used.get("LOCAL", 0),
                             used["CONSTANT[0]"] - ARGUMENTS_BEGIN, most_loads(code[name]), early,
                             *copies(code[name], label), loads_after_copies(code[name]), len(waiting), shortest))
    return result


def find_errors(kernel, sweep_loads):
    if (kernel.spills or kernel.stack) and "Row<0, " not in kernel.name:
        yield f"{kernel.spills} spills, {kernel.stack} bytes of stack"
    if kernel.arguments >= MOST_ARGUMENTS:
        yield f"{kernel.arguments} bytes of arguments"
    if kernel.copies and not kernel.copied_loads:
        yield "it copies blocks into shared memory and does not read them there"
    if re.search(r"tile ForwardRow<[1-9]", kernel.name) and kernel.late:
        yield f"{kernel.late} loads from global memory after the copies of the tile"
    if kernel.invalidations:
        yield "a poll empties the L1 cache"
    if kernel.name.startswith("graph ") and kernel.early is None:
        yield "it does not let the next kernel begin, or stores before it waits"
    if "tile " in kernel.name:
        return
    if kernel.name.startswith("graph "):
        if re.search(SWEEP, kernel.name) and (kernel.early or 0) < sweep_loads:
            yield f"{kernel.early} loads before it waits, fewer than {sweep_loads}"
    elif re.search(f"{SWEEP}|{SEVERAL}", kernel.name) and kernel.loads < sweep_loads:
        yield f"{kernel.loads} loads under way, fewer than {sweep_loads}"
    elif kernel.name.startswith(("tasks ", "values ")) and re.search(SWEEP, kernel.name) and (kernel.early or 0) < sweep_loads:
        yield f"{kernel.early} loads before it polls, fewer than {sweep_loads}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--disassembler", default="")
    parser.add_argument("--sweep-loads", type=int, default=20)
    parser.add_argument("objects", nargs="+")
    arguments = parser.parse_args()
    kernels = sorted({k for path in arguments.objects for k in read_object(arguments.disassembler, path)}, key=str)
    if not kernels:
        sys.exit("no kernel of finegrain in these objects")
    print("| kernel | registers | stack | spills | bytes of arguments | loads under way | before the wait | L1 emptied a poll |")
    print("|---|---|---|---|---|---|---|---|")
    wrong = 0
    if not any(k.polls for k in kernels) or not any(re.search(SWEEP, k.name) for k in kernels):
        print("no poll, or no forward sweep of 4 to 8 unknowns, among these kernels", file=sys.stderr)
        wrong = 1
    for k in kernels:
        print(f"| {k.name} | {k.registers} | {k.stack} | {k.spills} | {k.arguments} | {k.loads} | "
              f"{'' if k.early is None else k.early} | {k.invalidations if k.polls else ''} |")
    for k in kernels:
        for error in find_errors(k, arguments.sweep_loads):
            print(f"{k.name}: {error}", file=sys.stderr)
            wrong += 1
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-2-Clause
"""Runs a program of another package with a preconditioner and reads its result: reason, iterations, solution."""
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy

from meshes import write_square

here = Path(__file__).resolve().parent
compile_script = here.parent / "clients/compile"
sources = here.parents[1] / "src/petsc/pc"
# Each type, and the text of its row in AllTypes().
rows = {name.lower(): row for name, row in re.findall(r"\{\.type = PC(\w+),(.*?)(?=\{\.type = PC|return all;)",
                                                     (here.parent / "petsc/pc/types.cpp").read_text(), re.S)}
types = list(rows)
# Key of the reference that -citations prints if the type was used. Without this check, a program that ignores an
# option would compare PETSc with itself.
citation = {name: re.search(r'citation\[\] =\s*"@\w+\{(\w+),', (sources / f"types/{name}.cpp").read_text())[1]
            for name in types}
rtol = 1e-10  # relative tolerance of linear and nonlinear solves
seconds = 120  # time limit of one run


class Skipped(Exception):
    """A package is missing, or it belongs to another PETSc."""


@dataclass
class Application:
    """One row of the table. Each @ in the options is replaced by the preconditioner; without one, -pc_type is
    appended."""
    path: str  # below PETSc's or SLEPc's src; or a Python program, here or with its full path; or a command
    options: str
    types: list
    fails: dict = field(default_factory=dict)  # text of the expected reason or error, by type or (type, ranks)
    prefix: str = ""  # options prefix of the KSP whose iterations are counted
    view: str = ""  # the option that writes the compared values; by default that of the folder's solver
    reference: str = "bjacobi"
    ranks: tuple = (1, 2)
    condition: float = 1e3  # upper bound of the relative error divided by the relative residual
    values: int = None  # number of compared values, if not all
    module: str = ""  # a Python module that the program needs

    @property
    def name(self):
        return Path(self.path).name if self.path.startswith("/") else self.path.replace("/tutorials", "")

    def view_into(self, path):
        """The option that makes the program write the compared values."""
        solver = self.path.split("/")[0]
        prefixed = f"{solver}_view_solution" if solver in ("snes", "ts", "tao") else f"{self.prefix}ksp_view_solution"
        return f"-{self.view or prefixed} binary:{path}"

    @property
    def limit(self):
        return self.condition * rtol

    def expected(self, type_, ranks):
        return self.fails.get((type_, ranks), self.fails.get(type_, "converged"))


@dataclass
class Outcome:
    """Result of a run: "converged", or the first reason or error of another kind."""
    reason: str
    iterations: int
    solution: object  # numpy array, or None
    text: str  # printed if the result was not the expected one

    def difference(self, other):
        """Relative difference in the Euclidean norm; infinite if a solution is missing."""
        if self.solution is None or other.solution is None or self.solution.shape != other.solution.shape:
            return float("inf")
        return numpy.linalg.norm(self.solution - other.solution) / numpy.linalg.norm(other.solution)


def reason_of(status, output):
    if status != 0:
        errors = [line.split("PETSC ERROR: ", 1)[1] for line in output.splitlines() if "PETSC ERROR: " in line and "----" not in line]
        # PETSc's first line is the kind of the error, the second its text.
        return "error: " + " ".join(errors[:2]) if errors else f"exit status {status}"
    failed = re.search(r"did not converge due to (\w+)", output)
    if failed:
        return failed[1]
    return "converged" if re.search(r"\bconverged due to CONVERGED", output) else "no reason"


def iterations_of(output):
    """Sum over all linear solves."""
    return sum(map(int, re.findall(r"Linear (?:\w+ )?solve (?:converged|did not converge) due to \w+ iterations (\d+)", output)))


def read_vector(path):
    """Reads what PETSc wrote: real Vecs in double precision, of which the last one counts, or SLEPc's array of
    eigenvalues."""
    content = path.read_bytes()
    values = numpy.frombuffer(content, dtype=">f8")
    while content:
        kind, size = numpy.frombuffer(content[:8], dtype=">i4")
        if kind != 1211214:
            break
        values = numpy.frombuffer(content[8:], dtype=">f8", count=size)
        content = content[8 + 8 * size:]
    return values.astype(float)


class Runner:
    def __init__(self, build):
        self.build = build
        self.folder = build / "applications"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.references, self.commands = {}, {}
        write_square(self.folder / "square.msh", 24)
        shutil.copy(here / "poisson.pro", self.folder)  # getdp writes its files to the same folder
        program, *flags = os.environ.get("MPIEXEC", "mpiexec").split()
        if not flags and re.search("Open MPI|OpenRTE|open-mpi", subprocess.run([program, "--version"], capture_output=True, text=True).stdout):
            flags = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
        self.mpiexec = [program, *flags]

    def petsc_variables(self):
        """The configuration of the build's PETSc."""
        cache = (self.build / "CMakeCache.txt").read_text()
        of = {name: re.search(rf"^{name}:STRING=(.*)$", cache, re.M)[1] for name in ("PETSC_DIR", "PETSC_ARCH")}
        folder = Path(of["PETSC_DIR"]) / of["PETSC_ARCH"] if of["PETSC_DIR"] else Path(
            subprocess.run(["pkg-config", "--variable=prefix", "PETSc"], capture_output=True, text=True).stdout.strip())
        file = folder / "lib/petsc/conf/petscvariables"
        if not file.exists():
            raise Skipped(f"no {file}")
        return file.read_text()

    def command(self, application):
        if "/" not in application.path and not application.path.endswith(".py"):
            command = shutil.which(application.path)
            if not command:
                raise Skipped(f"no {application.path}: install the package of this name")
            if "PETSC_DIR:STRING=\n" not in (self.build / "CMakeCache.txt").read_text():
                raise Skipped(f"{application.path} is for Debian's PETSc")
            return [command]
        path = application.path
        if path.endswith(".py"):
            path = os.path.join("../applications", path)  # a full path stays as it is
        # Several programs have the same name, so each folder of PETSc's examples has its own folder here.
        out = self.folder / Path(application.path).parent.as_posix().replace("/", "-").lstrip("-")
        run = subprocess.run([compile_script, self.build, path, out], capture_output=True, text=True)
        if run.returncode == 77:
            raise Skipped(run.stderr.strip().split("\n")[-1])
        assert run.returncode == 0, run.stderr
        command = run.stdout.split()
        if application.module and subprocess.run([command[0], "-c", f"import {application.module}"], capture_output=True).returncode != 0:
            raise Skipped(f"no Python module {application.module}")
        return command

    def environment(self, petsc_options):
        return dict(os.environ, PETSC_OPTIONS=petsc_options, LC_ALL="C", OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PYTHONDONTWRITEBYTECODE="1", XDG_CACHE_HOME=str(self.folder / "cache"))

    def run(self, application, type_, ranks):
        if application.path not in self.commands:
            self.commands[application.path] = self.command(application)
        command = self.commands[application.path]
        written = self.folder / f"{Path(application.path).stem}.vec"
        written.unlink(missing_ok=True)
        p = application.prefix
        # The file name has no folder, because TAO also opens a file named like the whole value of its option.
        common = [application.view_into(written.name), "-viewer_binary_skip_info", "-citations", f"-{p}ksp_rtol {rtol}",
                  f"-snes_rtol {rtol}", f"-{p}ksp_converged_reason", "-snes_converged_reason", "-tao_converged_reason"]
        if type_ in types:
            common.insert(0, f"-dll_append {self.build}/libpetscfinegrain.so")
        else:
            application = replace(application, options=application.options.replace("baijkokkos", "baij"))
        options = application.options if "@" in application.options else f"{application.options} -{p}pc_type @"
        environment = self.environment(" ".join(common))
        # getdp does not finalize MPI, which mpiexec reports as an error.
        arguments = [*([*self.mpiexec, "-n", str(ranks)] if ranks > 1 else []), *command, *shlex.split(options.replace("@", type_))]
        try:
            run = subprocess.run(arguments, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, timeout=seconds, encoding="utf-8", errors="replace")
        except subprocess.TimeoutExpired:
            return Outcome(f"no end after {seconds} s", 0, None, shlex.join(arguments))
        output = run.stdout
        text = f"PETSC_OPTIONS='{environment['PETSC_OPTIONS']}' {shlex.join(arguments)}\n{output[-6000:]}"
        reason = reason_of(run.returncode, output)
        if run.returncode == 0 and type_ in types and citation[type_] not in output:
            reason = f"{type_} has played no part"
        solution = read_vector(written)[: application.values] if run.returncode == 0 and written.exists() else None
        return Outcome(reason, iterations_of(output), solution, text)

    def reference(self, application, ranks):
        key = (application.path, application.options, ranks)
        if key not in self.references:
            self.references[key] = self.run(application, application.reference, ranks)
        return self.references[key]

# SPDX-License-Identifier: BSD-2-Clause
# The module finegrain for petsc4py: types as names, settings by keyword, values that the setters refuse, and
# numbers.
import re
import sys
from pathlib import Path

import petsc4py

petsc4py.init(sys.argv)
import finegrain  # noqa: E402
from petsc4py import PETSc  # noqa: E402

public = {name for name in dir(finegrain) if not name.startswith("_")}
assert public == set(finegrain.__all__), public ^ set(finegrain.__all__)
assert re.fullmatch(r"\d+\.\d+\.\d+", finegrain.__version__)  # tests/install/versions compares it with the header
assert Path(finegrain.__file__).with_name("py.typed").exists()
finegrain.load()
finegrain.load()  # does nothing
da = PETSc.DMDA().create([9, 8], dof=2, stencil_width=1, stencil_type=PETSc.DMDA.StencilType.STAR)
A = da.createMatrix()
A.shift(4)
A.assemble()
b, x = A.createVecs()
b.set(1)
v = PETSc.Vec().create()
v.setType(finegrain.REPRODUCIBLE)
v.setSizes(8)
v.set(0.5)
assert v.duplicate().getType() == "seqreproducible" and v.dot(v) == 2

pc = PETSc.PC().create()
pc.setOptionsPrefix("mine_")
PETSc.Options()["mine_pc_fgbilu_corrections"] = 3  # has the PC's own prefix: configure() keeps it
pc.setOperators(A)
pc.setType(finegrain.FGBILU)
pc.setUp()
whole = finegrain.factor_bytes(pc)
finegrain.configure(pc, precision="single", grid=list(da.getCorners()[1]) + [1])
pc.setUp()
assert whole > finegrain.factor_bytes(pc) > whole / 2  # diagonal blocks keep working precision
assert finegrain.scaled_residual(pc) == -1  # no solve yet
assert pc.getOptionsPrefix() == "mine_"
pc.apply(b, x)
assert (x - b * 0.25).norm() < 1e-6

for wrong, error in (({"pressure": 3}, ValueError), ({"precision": "double"}, PETSc.Error), ({"corrections": -1}, PETSc.Error)):
    try:
        finegrain.configure(pc, **wrong)
    except error as caught:
        name = next(iter(wrong))
        assert ("" if error is ValueError else "-mine_pc_fgbilu_") + name in str(caught), caught
    else:
        raise SystemExit(f"{wrong} was accepted")
    assert pc.getOptionsPrefix() == "mine_"
for name, kind in ((finegrain.MCPI, {"its": 2, "precision": "half"}), (finegrain.SIP, {"alpha": [0.5, 0.3], "alternate": True}),
                   (finegrain.POWERQILU, {"levels": 1}), (finegrain.FGBICC, {"schedule": "level"})):
    other = PETSc.PC().create()
    other.setOperators(A)
    other.setDM(da)
    other.setType(name)
    finegrain.configure(other, **kind)
    other.setUp()
    other.apply(b, x)
    assert (x - b * 0.25).norm() < 1e-2, name
ksp = PETSc.KSP().create()
ksp.setType(finegrain.KSPREFINE)
C = A.convert(finegrain.BAIJKOKKOS)
PETSc.Sys.Print("module finegrain works with", C.getType())

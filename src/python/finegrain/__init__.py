# SPDX-License-Identifier: BSD-2-Clause
"""finegrain for petsc4py: loads the plugin, and sets the settings of its preconditioners by keyword.

    import finegrain
    from petsc4py import PETSc

    finegrain.load()
    pc.setType(finegrain.FGBILU)
    finegrain.configure(pc, precision="single", corrections=1)

petsc4py must be that of the PETSc the library was built for.
"""
import ctypes
import os
from pathlib import Path

__all__ = ["BAIJKOKKOS", "FGBICC", "FGBILU", "KSPREFINE", "KSPSIP", "MCPI", "POWERQILU", "SIP", "configure",
           "factor_bytes", "load", "scaled_residual"]

FGBILU, FGBICC, MCPI, POWERQILU, SIP = "fgbilu", "fgbicc", "mcpi", "powerqilu", "sip"  # of PC
KSPREFINE, KSPSIP = "refine", "sip"
BAIJKOKKOS = "baijkokkos"  # of Mat

_library = None


def _check(code):
    if code:
        from petsc4py import PETSc

        raise PETSc.Error(code)


def load(path=None):
    """Registers the types with PETSc, which it initializes if nobody has. A second call does nothing.

    path: of libpetscfinegrain.so; by default the environment variable FINEGRAIN_LIBRARY, else the library that was
    installed with this module. OSError: there is no such library, or it is not for this PETSc. PETSc.Error: it is
    for a newer processor.
    """
    global _library
    if _library:
        return
    from petsc4py import PETSc  # noqa: F401, initializes PETSc

    path = Path(path or os.environ.get("FINEGRAIN_LIBRARY") or Path(__file__).with_name("libpetscfinegrain.so"))
    if not path.exists():
        raise OSError(f"no {path}: name libpetscfinegrain.so, set FINEGRAIN_LIBRARY, or install with .packaging/python")
    library = ctypes.CDLL(str(path.resolve()))
    _check(library.PetscFinegrainInitializePackage())
    _library = library


def configure(pc, **settings):
    """Sets settings of a PC of finegrain, whose type is set: configure(pc, precision="single", grid=[8, 8, 8]).

    Names and values are those of the options, -pc_<type>_precision single. A list or tuple stands for numbers with
    commas. An unknown name is a ValueError, a wrong value PETSc's error. They act at the next set-up. Collective.
    """
    from petsc4py import PETSc

    load()
    kind, options = pc.getType(), PETSc.Options()
    prefix, mine = pc.getOptionsPrefix() or "", "finegrain_configure_"
    try:
        pc.setOptionsPrefix(mine)  # so that no other option is read
        for name, value in settings.items():
            if isinstance(value, (list, tuple)):
                value = ",".join(map(str, value))
            options[f"{mine}pc_{kind}_{name}"] = str(value).lower() if isinstance(value, bool) else value
        pc.setFromOptions()
        unknown = [name for name in settings if not _used(f"{mine}pc_{kind}_{name}")]
    finally:
        for name in settings:
            options.delValue(f"{mine}pc_{kind}_{name}")
        pc.setOptionsPrefix(prefix or None)
    if unknown:
        raise ValueError(f"-pc_type {kind} has no setting {', '.join(unknown)}")


def _used(option):
    used = ctypes.c_int(0)
    _check(_library.PetscOptionsUsed(None, option.encode(), ctypes.byref(used)))
    return bool(used.value)


def _number(function, pc):
    load()
    value = ctypes.c_double()
    _check(getattr(_library, function)(ctypes.c_void_p(pc.handle), ctypes.byref(value)))
    return value.value


def factor_bytes(pc):
    """The size of the factor's blocks on this rank, in bytes. PCFinegrainGetFactorBytes()."""
    return int(_number("PCFinegrainGetFactorBytes", pc))


def scaled_residual(pc):
    """|R (b - A x)| / |R b| of the last solution that was checked, R the inverse row sums of |A|; -1: none was.
    PCFinegrainGetScaledResidual(). Double precision only."""
    return _number("PCFinegrainGetScaledResidual", pc)

# SPDX-License-Identifier: BSD-2-Clause
"""finegrain for petsc4py: loads the plugin, and sets options of its preconditioners by keyword.

    import finegrain
    from petsc4py import PETSc

    finegrain.load()
    pc.setType(finegrain.FGBILU)
    finegrain.configure(pc, precision="single", corrections=1)

petsc4py must use the PETSc for which the library was built.
"""
import ctypes as _ctypes
import os as _os
import typing as _typing
from pathlib import Path as _Path

if _typing.TYPE_CHECKING:
    from petsc4py import PETSc as _PETSc

__version__ = "1.0.0"
__all__ = ["BAIJKOKKOS", "CPR", "FGBICC", "FGBILU", "KSPREFINE", "KSPSIP", "LAG", "MCPI", "POWERQILU", "REPRODUCIBLE", "SIP",
           "configure", "factor_bytes", "load", "scaled_residual"]

FGBILU, FGBICC, MCPI, POWERQILU, SIP = "fgbilu", "fgbicc", "mcpi", "powerqilu", "sip"  # PC types
CPR, LAG = "cpr", "lag"  # PC types that contain other PCs
KSPREFINE, KSPSIP = "refine", "sip"
BAIJKOKKOS = "baijkokkos"  # Mat type
REPRODUCIBLE = "reproducible"  # Vec type

_library = None


def _check(code: int) -> None:
    if code:
        from petsc4py import PETSc

        raise PETSc.Error(code)


def load(path: "str | _os.PathLike[str] | None" = None) -> None:
    """Registers the types with PETSc, and initializes PETSc if necessary. A second call does nothing.

    path: path of libpetscfinegrain.so; by default that of the environment variable FINEGRAIN_LIBRARY, else that of
    the library installed with this module. OSError: there is no such library, or it was built for another PETSc.
    PETSc.Error: it was compiled for a newer processor.
    """
    global _library
    if _library:
        return
    from petsc4py import PETSc  # noqa: F401, initializes PETSc

    path = _Path(path or _os.environ.get("FINEGRAIN_LIBRARY") or _Path(__file__).with_name("libpetscfinegrain.so"))
    if not path.exists():
        raise OSError(f"no {path}: name libpetscfinegrain.so, set FINEGRAIN_LIBRARY, or install with .packaging/python")
    library = _ctypes.CDLL(str(path.resolve()))
    _check(library.PetscFinegrainInitializePackage())
    _library = library


def configure(pc: "_PETSc.PC", **settings: object) -> None:
    """Sets options of a PC that has a type of finegrain: configure(pc, precision="single", grid=[8, 8, 8]).

    Names and values are those of the options, such as -pc_<type>_precision single. A list or tuple becomes numbers
    separated by commas. An unknown name raises ValueError, a wrong value PETSc's error. The options take effect at
    the next set-up. Collective.
    """
    load()
    kind, prefix = pc.getType(), pc.getOptionsPrefix() or ""
    pointer, before, mine = _ctypes.c_void_p(pc.handle), _ctypes.c_void_p(), _ctypes.c_void_p()
    _call("PetscObjectGetOptions", pointer, _ctypes.byref(before))
    _call("PetscOptionsCreate", _ctypes.byref(mine))
    try:
        for name, value in settings.items():
            _call("PetscOptionsSetValue", mine, f"-{prefix}pc_{kind}_{name}".encode(), _text(value).encode())
        _call("PetscObjectSetOptions", pointer, mine)  # no other options are read
        pc.setFromOptions()
        unknown = [name for name in settings if not _used(mine, f"{prefix}pc_{kind}_{name}")]
    finally:
        _call("PetscObjectSetOptions", pointer, before)
        _call("PetscOptionsDestroy", _ctypes.byref(mine))
    if unknown:
        raise ValueError(f"-pc_type {kind} has no setting {', '.join(unknown)}")


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _call(function: str, *arguments: object) -> None:
    _check(getattr(_library, function)(*arguments))


def _used(options: _ctypes.c_void_p, option: str) -> bool:
    used = _ctypes.c_int(0)
    _call("PetscOptionsUsed", options, option.encode(), _ctypes.byref(used))
    return bool(used.value)


def _number(function: str, pc: "_PETSc.PC") -> float:
    load()
    value = _ctypes.c_double()
    _call(function, _ctypes.c_void_p(pc.handle), _ctypes.byref(value))
    return value.value


def factor_bytes(pc: "_PETSc.PC") -> int:
    """Returns the size of the factor's blocks on this rank in bytes, by PCFinegrainGetFactorBytes()."""
    return int(_number("PCFinegrainGetFactorBytes", pc))


def scaled_residual(pc: "_PETSc.PC") -> float:
    """Returns |R (b - A x)| / |R b| of the last solution, where R has the inverse row sums of |A|, or -1 if it was not
    checked, by PCFinegrainGetScaledResidual(). Double precision only."""
    return _number("PCFinegrainGetScaledResidual", pc)

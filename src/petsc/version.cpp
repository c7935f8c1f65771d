// SPDX-License-Identifier: BSD-2-Clause
// Version and build configuration of the library.
#include "common/petsc_compat.hpp"

#include <petscfinegrain.h>

#include <Kokkos_Macros.hpp>

#if !defined(FINEGRAIN_COMMIT) // src/CMakeLists.txt defines both, for the library only
#define FINEGRAIN_COMMIT ""
#define FINEGRAIN_MARCH ""
#endif
#if defined(PETSC_USE_COMPLEX)
#define NUMBERS "complex "
#else
#define NUMBERS "real "
#endif
#if defined(PETSC_USE_REAL_SINGLE)
#define PRECISION "single"
#else
#define PRECISION "double"
#endif
#if defined(__clang__)
#define COMPILER "clang++ " __clang_version__
#else
#define COMPILER "g++ " __VERSION__
#endif

/*@C
   PetscFinegrainGetVersion - Gets the version of finegrain and its build configuration

   Not Collective

   Input Parameter:
.  len - the length of `version`, in characters

   Output Parameter:
.  version - "finegrain 1.0.0", the commit if known, the version, scalar type and index size of PETSc, the versions
             of Kokkos and the compiler, and `-march`; 256 characters are enough

   Level: developer

   Note:
   With `-info` the library prints this text when it is loaded. `PETSCFINEGRAIN_VERSION`, `_MAJOR`, `_MINOR` and
   `_SUBMINOR` are the version of the header that a program was compiled with.
.seealso: `PetscFinegrainInitializePackage()`
@*/
PetscErrorCode PetscFinegrainGetVersion(char version[], size_t len)
{
  PetscFunctionBegin;
  PetscCheck(version, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "The version needs characters to be written to");
  PetscCall(PetscSNPrintf(version, len,
                          "finegrain " PETSCFINEGRAIN_VERSION FINEGRAIN_COMMIT ", for PETSc %d.%d (" NUMBERS PRECISION
                          ", %d-bit indices), with Kokkos %d.%d.%d, " COMPILER " " FINEGRAIN_MARCH,
                          PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, int(8 * sizeof(PetscInt)), KOKKOS_VERSION / 10000,
                          KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100));
  PetscFunctionReturn(PETSC_SUCCESS);
}

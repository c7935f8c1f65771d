// SPDX-License-Identifier: BSD-2-Clause
// What the library says of itself.
#include "common/petsc_compat.hpp"

#include <petscfinegrain.h>

#include <Kokkos_Macros.hpp>

#if !defined(FINEGRAIN_COMMIT) // src/CMakeLists.txt has both, for the library alone
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
   PetscFinegrainGetVersion - Says which finegrain this is, and what it was built with

   Not Collective

   Input Parameter:
.  len - the length of `version`, in characters

   Output Parameter:
.  version - "finegrain 1.0.0", the commit where it is known, the PETSc, type of numbers and size of indices that it
was built for, the Kokkos and the compiler that it was built with, and `-march`; 256 characters are enough

   Level: developer

   Note:
   With `-info` the library says it when it is loaded. `PETSCFINEGRAIN_VERSION`, and its parts `_MAJOR`, `_MINOR` and
`_SUBMINOR`, are of the header that a program was compiled with.

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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry points of the library. This file checks that the processor can run the rest, so its own code must run on any
   x86-64. It is C, compiled without -march: of C++ inline functions the linker keeps one copy, which may be compiled
   for a newer processor. */
#include "entry.h"

#include <stdio.h>

#if defined(__x86_64__)
#include <cpuid.h>

static int HasBit(unsigned leaf, int bit)
{
  unsigned a, b, c, d;
  return __get_cpuid(leaf, &a, &b, &c, &d) && (c >> bit & 1);
}

/* __builtin_cpu_supports() also checks that the operating system saves the registers of the feature. */
#define NAMED(name, macro) {name, __builtin_cpu_supports(name)},
#define BIT(name, macro, leaf, bit) {name, HasBit(leaf, bit)},

static PetscErrorCode CheckProcessor(void)
{
  const struct {
    const char *name;
    int here;
  } features[] = {FINEGRAIN_FEATURES(NAMED, BIT)};
  char used[512] = "", missing[512] = "";

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
    if (!finegrain_compiled_for[i]) continue;
    PetscCall(PetscStrlcat(used, " ", sizeof(used)));
    PetscCall(PetscStrlcat(used, features[i].name, sizeof(used)));
    if (features[i].here) continue;
    PetscCall(PetscStrlcat(missing, " ", sizeof(missing)));
    PetscCall(PetscStrlcat(missing, features[i].name, sizeof(missing)));
  }
  PetscCheck(!missing[0], PETSC_COMM_SELF, PETSC_ERR_LIB,
             "This libpetscfinegrain was compiled for a newer processor; this one has no%s: rebuild it on this "
             "machine; for valgrind and for older machines, with CMAKE_ARGS=-DFINEGRAIN_MARCH=%s",
             missing, __builtin_cpu_supports("avx2") ? "x86-64-v3" : "x86-64");
  PetscCall(PetscInfo(NULL, "libpetscfinegrain was compiled for a processor with sse2%s\n", used));
  PetscFunctionReturn(0);
}
#endif

/*@C
   PetscFinegrainInitializePackage - Registers the preconditioners and solvers of finegrain

   Not Collective

   Level: developer

   Note:
   -dll_append calls this function. Programs that link the library call it themselves, after `PetscInitialize()`. A
   second call does nothing. It is an error if the processor lacks instructions that the library was compiled for.

.seealso: `PCFINEGRAIN`, `KSPREFINE`, `KSPSIP`
@*/
PetscErrorCode PetscFinegrainInitializePackage(void)
{
  PetscFunctionBegin;
#if defined(__x86_64__)
  PetscCall(CheckProcessor());
#endif
  PetscCall(FinegrainRegister());
  PetscFunctionReturn(0);
}

/* -dll_append calls this function. PETSc derives its name from that of the file, libpetscfinegrain.so. */
FINEGRAIN_EXTERN PetscErrorCode PetscDLLibraryRegister_petscfinegrain(void);
PetscErrorCode PetscDLLibraryRegister_petscfinegrain(void)
{
  if (PETSC_COMM_WORLD == MPI_COMM_NULL) { /* a second libpetsc, not initialized: PETSc cannot report errors */
    fprintf(stderr,
            "libpetscfinegrain: the PETSc it was linked with is not the one this program runs; rebuild it with "
            "this program's PETSC_DIR and PETSC_ARCH\n");
    return PETSC_ERR_LIB;
  }
  PetscFunctionBegin;
  PetscCall(PetscFinegrainInitializePackage());
  PetscFunctionReturn(0);
}

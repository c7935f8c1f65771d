// SPDX-License-Identifier: BSD-2-Clause
// Registers the package in PETSc.
#include "entry.h"
#include "ksp/iteration.hpp"
#include "pc/nested/nested.hpp"
#include "pc/types.hpp"

#include "base/threads.hpp"
#include "mat/baijkokkos.hpp"
#include "vec/reproducible.hpp"
#include "base/prefetch_distance.hpp"

#include <cstdint>

namespace
{

bool registered = false; // since PetscInitialize()

// Checks that the running PETSc is the one the library was built for. Another minor version has other private
// structures; another scalar or index size would give wrong results, or crash, without a message.
PetscErrorCode CheckPetsc()
{
  std::int64_t version[4] = {0, 0, 0, 0}; // eight bytes each, for any size of the program's PetscInt
  const auto number = [&](int i) { return reinterpret_cast<PetscInt *>(&version[i]); };
  PetscDataType scalar;
  PetscBool found;
  size_t scalar_size = 0, int_size = 0;

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(number(0), number(1), number(2), number(3)));
  PetscCall(PetscDataTypeFromString("scalar", &scalar, &found));
  if (found) PetscCall(PetscDataTypeGetSize(scalar, &scalar_size));
  PetscCall(PetscDataTypeGetSize(PETSC_INT, &int_size));
  PetscCheck(
    version[0] == PETSC_VERSION_MAJOR && version[1] == PETSC_VERSION_MINOR && scalar_size == sizeof(PetscScalar) &&
      int_size == sizeof(PetscInt),
    PETSC_COMM_SELF, PETSC_ERR_LIB,
    "This libpetscfinegrain was built for PETSc %d.%d with %d-byte scalars and %d-byte indices; the program runs "
    "PETSc %d.%d with %d and %d: rebuild it with this program's PETSC_DIR and PETSC_ARCH",
    PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, int(sizeof(PetscScalar)), int(sizeof(PetscInt)), int(version[0]),
    int(version[1]), int(scalar_size), int(int_size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Reads options of the whole process: the prefetch distance of products and the number of host threads. -help lists
// them once.
PetscErrorCode ReadProcessOptions()
{
  PetscInt bytes = -1, threads = 0;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, nullptr, "finegrain options of the process", nullptr);
  PetscCall(PetscOptionsInt("-finegrain_prefetch", "Prefetch distance in bytes (-1: by processor)",
                            "PetscFinegrainInitializePackage", bytes, &bytes, nullptr));
  PetscCall(PetscOptionsInt("-finegrain_threads", "Host threads (0: OMP_NUM_THREADS, or one)",
                            "PetscFinegrainInitializePackage", threads, &threads, nullptr));
  PetscOptionsEnd();
  PetscCheck(bytes >= -1 && bytes <= 65536, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-finegrain_prefetch is a distance in bytes, 0 to 65536, or -1: that of the processor");
  PetscCheck(threads >= 0 && threads <= 65536, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-finegrain_threads is a number of threads, 1 to 65536, or 0: OMP_NUM_THREADS says, and one without it");
  finegrain::set_prefetch_distance(bytes);
  finegrain::set_host_threads(int(threads));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

// Compile-time constant, so that entry.c can read it without running code of this file. A compiler macro that is
// defined has the value 1.
#define IS_ONE(macro) #macro[0] == '1'
#define MAY_USE(name, macro, ...) IS_ONE(macro),
constinit const unsigned char finegrain_compiled_for[] = {FINEGRAIN_FEATURES(MAY_USE, MAY_USE)};

/*@C
   PetscFinegrainFinalizePackage - Forgets the registrations of `PetscFinegrainInitializePackage()`; called by
   `PetscFinalize()`

   Not Collective

   Level: developer

.seealso: `PetscFinegrainInitializePackage()`
@*/
PetscErrorCode PetscFinegrainFinalizePackage(void)
{
  PetscFunctionBegin;
  registered = false;
  PetscCall(VecReproducibleFinalize());
  for (PCFinegrainType *type : finegrain_types) type->cited = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinegrainRegister(void)
{
  char version[256];

  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckPetsc());
  PetscCall(PetscFinegrainGetVersion(version, sizeof(version)));
  PetscCall(PetscInfo(nullptr, "%s\n", version));
  for (const PCFinegrainType *type : finegrain_types) PetscCall(PCRegister(type->name, type->create));
  PetscCall(PCRegister(PCLAG, PCCreate_LAG));
  PetscCall(PCRegister(PCCPR, PCCreate_CPR));
  PetscCall(MatRegister(MATSEQBAIJKOKKOS, MatCreate_SeqBAIJKokkos));
  PetscCall(MatRegister(MATMPIBAIJKOKKOS, MatCreate_MPIBAIJKokkos));
  PetscCall(MatRegisterRootName(MATBAIJKOKKOS, MATSEQBAIJKOKKOS, MATMPIBAIJKOKKOS));
  PetscCall(BAIJKokkosRegisterFactors());
  PetscCall(VecRegister(VECREPRODUCIBLE, VecCreate_Reproducible));
  PetscCall(VecRegister(VECSEQREPRODUCIBLE, VecCreate_SeqReproducible));
  PetscCall(VecRegister(VECMPIREPRODUCIBLE, VecCreate_MPIReproducible));
  PetscCall(VecReproducibleInitialize());
  PetscCall(KSPRegister(KSPREFINE, KSPCreate_Refine));
  PetscCall(KSPRegister(KSPSIP, KSPCreate_SIP));
  PetscCall(PetscLogEventRegister("FGConvert", PC_CLASSID, &finegrain_events.convert));
  PetscCall(PetscLogEventRegister("FGAnalyze", PC_CLASSID, &finegrain_events.analyze));
  PetscCall(PetscLogEventRegister("FGFactor", PC_CLASSID, &finegrain_events.factor));
  PetscCall(PetscLogEventRegister("FGApply", PC_CLASSID, &finegrain_events.apply));
  PetscCall(PetscLogEventRegister("FGHaloBegin", PC_CLASSID, &finegrain_events.halo_begin));
  PetscCall(PetscLogEventRegister("FGHaloEnd", PC_CLASSID, &finegrain_events.halo_end));
  PetscCall(PetscLogEventRegister("FGInterior", PC_CLASSID, &finegrain_events.interior));
  PetscCall(PetscLogEventRegister("FGBoundary", PC_CLASSID, &finegrain_events.boundary));
  PetscCall(PetscLogEventRegister("FGMatCopy", MAT_CLASSID, &finegrain_events.matrix_copy));
  PetscCall(PetscLogEventRegister("FGCheck", PC_CLASSID, &finegrain_events.check));
  PetscCall(PetscLogEventRegister("FGEisenstat", PC_CLASSID, &finegrain_events.eisenstat));
  PetscCall(PetscRegisterFinalize(PetscFinegrainFinalizePackage));
  PetscCall(ReadProcessOptions());
  registered = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// SPDX-License-Identifier: BSD-2-Clause
// Values assembled in the device copy are copied to the host when a host operation needs them. Operations of BAIJ
// read them directly, so each is preceded by BAIJKokkosSyncHost().
#include "common/runtime.hpp"
#include "base/prefetch_distance.hpp"
#include "mat/baijkokkos.hpp"
#include "vec/reproducible.hpp"

#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace
{

inline PetscErrorCode SyncIfMatrix(Mat A) { return BAIJKokkosSyncHost(A); }
template <class T> PetscErrorCode SyncIfMatrix(const T &) { return PETSC_SUCCESS; }

// pins: results of the operation access the host's values later. uncounted: the operation changes values without
// increasing the object state.
template <auto Member> constexpr bool pins = false;
template <> inline constexpr bool pins<&_MatOps::getdiagonalblock> = true;
template <> inline constexpr bool pins<&_MatOps::fdcoloringcreate> = true;
template <auto Member> constexpr bool uncounted = false;
template <> inline constexpr bool uncounted<&_MatOps::realpart> = true;
template <> inline constexpr bool uncounted<&_MatOps::imaginarypart> = true;

// Calls an operation of BAIJ after a synchronization of all its matrix arguments.
template <auto Member> struct Preceded;
template <class... Rest, PetscErrorCode (*_MatOps::*Member)(Mat, Rest...)> struct Preceded<Member> {
  static PetscErrorCode call(Mat A, Rest... rest)
  {
    PetscFunctionBegin;
    PetscCall(BAIJKokkosSyncHost(A));
    for (const PetscErrorCode code : {PetscErrorCode(PETSC_SUCCESS), SyncIfMatrix(rest)...}) PetscCall(code);
    BAIJKokkosGet(A)->keeps_host_current |= pins<Member>;
    PetscCall((BAIJKokkosGet(A)->parent.*Member)(A, rest...));
    if (uncounted<Member>) PetscCall(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(A)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

// Calls an operation that may replace this matrix by another BAIJ matrix. BAIJ itself runs it, and the result is
// converted back; factors stay BAIJ.
template <auto Member> struct Released;
template <class... Rest, PetscErrorCode (*_MatOps::*Member)(Mat, Rest...)> struct Released<Member> {
  static PetscErrorCode call(Mat A, Rest... rest)
  {
    const bool bound = BAIJKokkosGet(A)->bound, keeps_host_current = BAIJKokkosGet(A)->keeps_host_current;

    PetscFunctionBegin;
    for (const PetscErrorCode code : {PetscErrorCode(PETSC_SUCCESS), SyncIfMatrix(rest)...}) PetscCall(code);
    PetscCall(BAIJKokkosRelease(A));
    PetscCall((A->ops[0].*Member)(A, rest...));
    if (A->factortype != MAT_FACTOR_NONE) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(BAIJKokkosAdopt(A));
    BAIJKokkosGet(A)->keeps_host_current = keeps_host_current;
    if (bound) PetscCall((*A->ops->bindtocpu)(A, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

// MatAXPY() with equal structures changes values only.
PetscErrorCode MatAXPY_BAIJKokkos(Mat Y, PetscScalar a, Mat X, MatStructure structure)
{
  PetscFunctionBegin;
  PetscCall((structure == SAME_NONZERO_PATTERN ? Preceded<&_MatOps::axpy>::call
                                               : Released<&_MatOps::axpy>::call)(Y, a, X, structure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTranspose_BAIJKokkos(Mat A, MatReuse reuse, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(FinegrainPassVecType(A, B, [&] { return Preceded<&_MatOps::transpose>::call(A, reuse, B); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Describes the prefetch distance of products on the host.
std::string DescribePrefetchDistance(const BAIJKokkos &m)
{
  const finegrain::PrefetchDistance known = finegrain::prefetch_distance();
  if (m.op.backend == finegrain::Backend::device) return "";
  const char *source = known.given ? "as set" : "by processor";
  if (known.bytes == 0) return std::string(", no prefetch, ") + source;
  return ", prefetch distance " + std::to_string(known.bytes) + " bytes, " + source;
}

// Adds the state of the device copy to views such as -ksp_view.
PetscErrorCode MatView_BAIJKokkos(Mat A, PetscViewer viewer)
{
  BAIJKokkos *m = BAIJKokkosGet(A);
  PetscInt64 bytes = m->copy ? PetscInt64(m->copy->bytes() + m->copy->index_bytes()) : 0;
  MatInfo info;
  PetscBool ascii;
  PetscViewerFormat format;

  PetscFunctionBegin;
  m->is_viewed = true;
  const PetscErrorCode code = Preceded<&_MatOps::view>::call(A, viewer);
  m->is_viewed = false;
  PetscCall(code);
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (!ascii || (format != PETSC_VIEWER_ASCII_INFO && format != PETSC_VIEWER_ASCII_INFO_DETAIL))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPIU_INT64, MPI_SUM, PetscObjectComm(reinterpret_cast<PetscObject>(A))));
  if (m->bound) PetscCall(PetscViewerASCIIPrintf(viewer, "device copy: none, bound to the host\n"));
  else if (!bytes) PetscCall(PetscViewerASCIIPrintf(viewer, "device copy: none yet\n"));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "device copy: %s, bytes: %" PetscInt64_FMT "%s\n",
                                     m->op.backend == finegrain::Backend::device ? "device" : "host", bytes,
                                     DescribePrefetchDistance(*m).c_str()));
  if (!m->aij.mat) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(m->aij.mat, MAT_GLOBAL_SUM, &info));
  PetscCall(PetscViewerASCIIPrintf(viewer, "copy of type aij: host, bytes: %" PetscInt64_FMT "\n",
                                   PetscInt64(info.nz_used) * PetscInt64(sizeof(PetscScalar) + sizeof(PetscInt))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto... Members> void SwapAll(Mat A, bool install)
{
  (BAIJKokkosSwap<Members>(A, install, Preceded<Members>::call), ...);
}

} // namespace

PetscErrorCode BAIJKokkosSetHostOperations(Mat A, bool install)
{
  using O = _MatOps;

  PetscFunctionBegin;
  SwapAll<&O::setvalues, &O::setvaluesblocked, &O::getvalues, &O::getrow, &O::sor, &O::equal, &O::getdiagonal,
          &O::diagonalscale, &O::diagonalset, &O::norm, &O::zeroentries, &O::zerorows, &O::zerorowscolumns,
          &O::getdiagonalblock, &O::fdcoloringcreate, &O::copy, &O::scale, &O::shift, &O::setrandom, &O::conjugate,
          &O::realpart, &O::imaginarypart, &O::permute, &O::createsubmatricesmpi, &O::getmultiprocblock, &O::load,
          &O::getrowmax, &O::getrowmin, &O::getrowmaxabs, &O::getrowminabs, &O::getcolumnvector,
          &O::getcolumnreductions, &O::invertblockdiagonal, &O::invertvariableblockdiagonal, &O::multdiagonalblock,
          &O::multhermitiantranspose, &O::multhermitiantransposeadd, &O::hermitiantranspose, &O::issymmetric,
          &O::ishermitian>(A, install);
  PetscCall(BAIJKokkosSetCopiedOperations(A, install));
  BAIJKokkosSwap<&O::view>(A, install, MatView_BAIJKokkos);
  BAIJKokkosSwap<&O::axpy>(A, install, MatAXPY_BAIJKokkos);
  BAIJKokkosSwap<&O::transpose>(A, install, MatTranspose_BAIJKokkos);
  BAIJKokkosSwap<&O::lufactor>(A, install, Released<&O::lufactor>::call);
  BAIJKokkosSwap<&O::ilufactor>(A, install, Released<&O::ilufactor>::call);
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

using AnyFunction = void (*)(void);

// Composed functions of BAIJ, preceded by a synchronization too. Those that are `counted` change values without
// increasing the object state.
constexpr const char *composed_names[] = {"MatSeqBAIJGetArray_C", "MatSeqBAIJRestoreArray_C", "MatStoreValues_C",
                                          "MatRetrieveValues_C"};

template <int which, bool counted, class... Rest> PetscErrorCode Composed(Mat A, Rest... rest)
{
  PetscFunctionBegin;
  PetscCall(BAIJKokkosSyncHost(A));
  PetscCall((*reinterpret_cast<PetscErrorCode (*)(Mat, Rest...)>(BAIJKokkosGet(A)->composed[which]))(A, rest...));
  if (counted) PetscCall(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Function>
PetscErrorCode ComposeHostFunction(Mat A, AnyFunction *parent, const char *name, bool install, Function *ours)
{
  const PetscObject object = reinterpret_cast<PetscObject>(A);

  PetscFunctionBegin;
  if (install) PetscCall(PetscObjectQueryFunction(object, name, parent));
  if (!*parent) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectComposeFunction(object, name, install ? reinterpret_cast<AnyFunction>(ours) : *parent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode BAIJKokkosComposeHostFunctions(Mat A, BAIJKokkos *m, bool install)
{
  auto &parent = m->composed;

  PetscFunctionBegin;
  PetscCall(ComposeHostFunction(A, &parent[0], composed_names[0], install, Composed<0, false, PetscScalar **>));
  PetscCall(ComposeHostFunction(A, &parent[1], composed_names[1], install, Composed<1, true, PetscScalar **>));
  PetscCall(ComposeHostFunction(A, &parent[2], composed_names[2], install, Composed<2, false>));
  PetscCall(ComposeHostFunction(A, &parent[3], composed_names[3], install, Composed<3, true>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

// Factorizations of PETSc and other packages read the values of a matrix in each numeric factorization, without a
// call that could be intercepted. After the first MatGetFactor() assembled values are therefore copied to the host
// at once.
constexpr std::array<MatSolverType, 14> packages = {
  MATSOLVERPETSC,   MATSOLVERMUMPS,   MATSOLVERSUPERLU, MATSOLVERSUPERLU_DIST, MATSOLVERSTRUMPACK,
  MATSOLVERUMFPACK, MATSOLVERCHOLMOD, MATSOLVERKLU,     MATSOLVERMKL_PARDISO,  MATSOLVERMKL_CPARDISO,
  MATSOLVERPASTIX,  MATSOLVERESSL,    MATSOLVERBAS,     MATSOLVERLUSOL};

using GetFactor = PetscErrorCode (*)(Mat, MatFactorType, Mat *);

PetscErrorCode FindFactor(MatSolverType package, MatType type, MatFactorType kind, GetFactor *get)
{
  PetscBool found, found_type;

  PetscFunctionBegin;
  *get = nullptr;
  PetscCall(MatSolverTypeGet(package, type, kind, &found, &found_type, get));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Functions that the packages have registered for sequential and parallel BAIJ, by kind of factor.
GetFactor of_parent[packages.size()][2][MAT_FACTOR_NUM_TYPES];

// Also registered for BAIJ, because PETSc selects the first type whose name is a prefix of ours.
template <std::size_t package, int parallel> PetscErrorCode GetFactor_BAIJKokkos(Mat A, MatFactorType kind, Mat *F)
{
  BAIJKokkos *m = BAIJKokkosGet(A);
  const GetFactor get = of_parent[package][parallel][kind];

  PetscFunctionBegin;
  if (!m) {
    PetscCall((*get)(A, kind, F));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(BAIJKokkosSyncHost(A));
  m->keeps_host_current = true;
  PetscCall(BAIJKokkosWithParentName(A, [&] { return (*get)(A, kind, F); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t package, int parallel> PetscErrorCode RegisterFactors(MatType type, MatType parent)
{
  const GetFactor ours = GetFactor_BAIJKokkos<package, parallel>;

  PetscFunctionBegin;
  for (int kind = MAT_FACTOR_NONE + 1; kind < MAT_FACTOR_NUM_TYPES; ++kind) {
    GetFactor get;
    PetscCall(FindFactor(packages[package], parent, MatFactorType(kind), &get));
    if (!get || get == ours) continue;
    of_parent[package][parallel][kind] = get;
    for (const MatType t : {type, parent})
      PetscCall(MatSolverTypeRegister(packages[package], t, MatFactorType(kind), ours));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t... I> PetscErrorCode RegisterAll(std::index_sequence<I...>)
{
  PetscFunctionBegin;
  for (const PetscErrorCode code : {RegisterFactors<I, 0>(MATSEQBAIJKOKKOS, MATSEQBAIJ)...}) PetscCall(code);
  for (const PetscErrorCode code : {RegisterFactors<I, 1>(MATMPIBAIJKOKKOS, MATMPIBAIJ)...}) PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode BAIJKokkosRegisterFactors()
{
  PetscFunctionBegin;
  PetscCall(MatInitializePackage());
  PetscCall(RegisterAll(std::make_index_sequence<packages.size()>()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

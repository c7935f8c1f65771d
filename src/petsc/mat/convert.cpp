// Conversions of BAIJ with a mirror from and to other types; MatConvert() calls them.
#include "mat/baijkokkos.hpp"

#include <string>

namespace
{

// The function that a matrix of type `from` has composed for conversion to `type`, or products with it.
template <class Function>
PetscErrorCode FindComposed(Mat A, const char *what, const char *from, const char *type, Function **f)
{
  PetscFunctionBegin;
  *f = nullptr;
  for (const char *prefix : {"seq", "mpi", ""})
    if (!*f)
      PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(A),
                                         (std::string(what) + "_" + from + "_" + prefix + type + "_C").c_str(), f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_BAIJKokkos_Other(Mat A, MatType type, MatReuse reuse, Mat *B)
{
  PetscErrorCode (*convert)(Mat, MatType, MatReuse, Mat *);

  PetscFunctionBegin;
  PetscCall(BAIJKokkosSyncHost(A));
  PetscCall(FindComposed(A, "MatConvert", BAIJKokkosGet(A)->parent_type, type, &convert));
  PetscCheck(convert, PetscObjectComm(reinterpret_cast<PetscObject>(A)), PETSC_ERR_SUP,
             "PETSc does not convert %s to %s", BAIJKokkosGet(A)->parent_type, type);
  if (reuse == MAT_INPLACE_MATRIX) PetscCall((*convert)(A, type, reuse, B));
  else PetscCall(BAIJKokkosWithParentName(A, [&] { return (*convert)(A, type, reuse, B); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// `change` makes the matrix, or a copy of it, another.
template <class Change> PetscErrorCode Convert(Mat A, MatReuse reuse, Mat *result, Change change)
{
  Mat B = *result;

  PetscFunctionBegin;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
  else if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(A, B, SAME_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(change(B));
  *result = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_BAIJKokkos_BAIJ(Mat A, MatType, MatReuse reuse, Mat *result)
{
  PetscFunctionBegin;
  PetscCall(Convert(A, reuse, result, BAIJKokkosRelease));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatConvert_BAIJ_BAIJKokkos(Mat A, MatType, MatReuse reuse, Mat *result)
{
  PetscFunctionBegin;
  PetscCall(Convert(A, reuse, result, BAIJKokkosAdopt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// By way of BAIJ.
PetscErrorCode MatConvert_Other_BAIJKokkos(Mat A, MatType, MatReuse reuse, Mat *result)
{
  Mat B;

  PetscFunctionBegin;
  if (reuse == MAT_INPLACE_MATRIX) {
    PetscCall(MatConvert(A, MATBAIJ, MAT_INPLACE_MATRIX, &A));
    PetscCall(BAIJKokkosAdopt(A));
    *result = A;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatConvert(A, MATBAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(BAIJKokkosAdopt(B));
  if (reuse == MAT_REUSE_MATRIX) {
    PetscCall(MatCopy(B, *result, SAME_NONZERO_PATTERN));
    PetscCall(MatDestroy(&B));
  } else {
    *result = B;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode BAIJKokkosComposeConversions(Mat A, const BAIJKokkos &m, bool there)
{
  const std::string type = m.type, parent = m.parent_type, size = parent.substr(0, 3);
  const auto or_null = [there](auto *f) { return there ? f : nullptr; };

  PetscFunctionBegin;
  PetscCall(BAIJKokkosCompose(A, "MatConvert_" + type + "_" + parent + "_C", or_null(MatConvert_BAIJKokkos_BAIJ)));
  PetscCall(BAIJKokkosCompose(A, "MatConvert_" + parent + "_" + type + "_C", or_null(MatConvert_BAIJ_BAIJKokkos)));
  PetscCall(BAIJKokkosCompose(A, "MatConvert_" + size + "aij_" + type + "_C", or_null(MatConvert_Other_BAIJKokkos)));
  PetscCall(
    BAIJKokkosCompose(A, "MatConvert_" + size + "sbaij_" + type + "_C", or_null(MatConvert_Other_BAIJKokkos)));
  for (const char *other : {"aij", "sbaij", "adj"})
    PetscCall(
      BAIJKokkosCompose(A, "MatConvert_" + type + "_" + size + other + "_C", or_null(MatConvert_BAIJKokkos_Other)));
  for (const char *other : {"is", "hypre"}) {
    PetscErrorCode (*f)(Mat, MatType, MatReuse, Mat *);
    PetscCall(FindComposed(A, "MatConvert", m.parent_type, other, &f));
    if (f)
      PetscCall(
        BAIJKokkosCompose(A, "MatConvert_" + type + "_" + other + "_C", or_null(MatConvert_BAIJKokkos_Other)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

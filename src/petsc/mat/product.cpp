// SPDX-License-Identifier: BSD-2-Clause
// Matrix products with an operand of type BAIJ with a device copy use its copy of type AIJ. The product keeps the
// original matrix as operand; each phase replaces it by the current copy and restores it.
#include "mat/baijkokkos.hpp"

namespace
{

using Phase = PetscErrorCode (*)(Mat);

// The phases that AIJ sets for a product are composed with the product.
constexpr char symbolic_of_copies[] = "FinegrainProductSymbolic_C", numeric_of_copies[] = "FinegrainProductNumeric_C";

// Runs a phase on the copies. PETSc may delete the product during the phase, together with its references.
template <class Body> PetscErrorCode WithCopies(Mat C, Body body)
{
  constexpr auto operands = [](Mat_Product *p) { return std::array<Mat *, 3>{&p->A, &p->B, &p->C}; };
  std::array<Mat, 3> copies{}, originals{};

  PetscFunctionBegin;
  const auto before = operands(C->product);
  for (std::size_t k = 0; k < 3; ++k)
    if (*before[k] && BAIJKokkosGet(*before[k])) PetscCall(BAIJKokkosGetAIJ(*before[k], &copies[k]));
  for (std::size_t k = 0; k < 3; ++k) {
    if (!copies[k]) continue;
    PetscCall(PetscObjectReference(reinterpret_cast<PetscObject>(copies[k])));
    originals[k] = *before[k];
    *before[k] = copies[k];
  }
  const PetscErrorCode code = body();
  for (std::size_t k = 0; k < 3; ++k) {
    if (!copies[k]) continue;
    if (!C->product) {
      PetscCall(MatDestroy(&originals[k]));
      continue;
    }
    Mat *operand = operands(C->product)[k];
    PetscCall(MatDestroy(operand));
    *operand = originals[k];
  }
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetPhase(Mat C, const char *name, Phase *phase)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(C), name, phase));
  PetscCheck(*phase, PetscObjectComm(reinterpret_cast<PetscObject>(C)), PETSC_ERR_PLIB,
             "A product of copies has lost its phases");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatProductNumeric_BAIJKokkos(Mat C)
{
  Phase numeric;

  PetscFunctionBegin;
  PetscCall(GetPhase(C, numeric_of_copies, &numeric));
  PetscCall(WithCopies(C, [&] { return (*numeric)(C); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Composes the numeric phase of the copies, because the symbolic phase may have replaced C by another matrix.
PetscErrorCode MatProductSymbolic_BAIJKokkos(Mat C)
{
  Phase symbolic;

  PetscFunctionBegin;
  PetscCall(GetPhase(C, symbolic_of_copies, &symbolic));
  C->ops->productsymbolic = symbolic;
  PetscCall(WithCopies(C, [&] { return (*symbolic)(C); }));
  if (!C->ops->productnumeric) PetscFunctionReturn(PETSC_SUCCESS); // PETSc's error names the types
  PetscCall(BAIJKokkosCompose(C, numeric_of_copies, C->ops->productnumeric));
  C->ops->productnumeric = MatProductNumeric_BAIJKokkos;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatProductSetFromOptions_BAIJKokkos(Mat C)
{
  const MatProductType type = C->product->type;
  PetscBool dense;

  PetscFunctionBegin;
  // PETSc multiplies each column of a dense matrix, by the product of the device copy.
  PetscCall(PetscObjectBaseTypeCompareAny(reinterpret_cast<PetscObject>(C->product->B), &dense, MATSEQDENSE,
                                          MATMPIDENSE, ""));
  if (dense && (type == MATPRODUCT_AB || type == MATPRODUCT_AtB || type == MATPRODUCT_PtAP) &&
      BAIJKokkosGet(C->product->A))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(WithCopies(C, [&] { return MatProductSetFromOptions(C); }));
  if (!C->ops->productsymbolic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BAIJKokkosCompose(C, symbolic_of_copies, C->ops->productsymbolic));
  C->ops->productsymbolic = MatProductSymbolic_BAIJKokkos;
  PetscFunctionReturn(PETSC_SUCCESS);
}

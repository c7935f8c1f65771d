// What asks BAIJ with a mirror for single unknowns or for products with other matrices reads a copy of type AIJ.
#pragma once

#include "mat/baijkokkos.hpp"

// A's copy of type AIJ, on the host, up to date. It belongs to A, which keeps it until its structure changes, so that
// later calls copy values only. Collective.
PetscErrorCode BAIJKokkosGetAIJ(Mat A, Mat *aij);

// A new one, which is the caller's. Collective.
PetscErrorCode BAIJKokkosCreateAIJ(Mat A, Mat *aij);

// Products of matrices, some of them of these types (product.cpp).
PetscErrorCode MatProductSetFromOptions_BAIJKokkos(Mat C);

// Operations that BAIJ lacks and the copy has.
PetscErrorCode BAIJKokkosSetCopiedOperations(Mat A, bool there);
PetscErrorCode MatCreateSubMatrix_BAIJKokkos(Mat A, IS rows, IS columns, MatReuse reuse, Mat *B);
PetscErrorCode MatCreateSubMatrices_BAIJKokkos(Mat A, PetscInt count, const IS rows[], const IS columns[],
                                               MatReuse reuse, Mat *B[]);

// Makes a new matrix one of these types, or AIJ where it is an interpolation (gamg.cpp).
PetscErrorCode BAIJKokkosCreate(Mat A, MatType baij, MatType aij);

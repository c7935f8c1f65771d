// SPDX-License-Identifier: BSD-2-Clause
// Units of the unknowns of a matrix, found in its entries.
#pragma once

#include <petscmat.h>

#include <vector>

// One scale for each owned unknown: scales of columns by which, with others of rows, the logarithms of all entries
// are nearest to 0 in the mean of squares (Curtis and Reid 1972). Rows or columns in other units have other scales,
// and nothing else changes. All are 1 where they differ by little. Units that differ by regions take more turns; a
// turn reads the matrix twice. The same on any number of ranks. Collective.
PetscErrorCode FindUnitsOfUnknowns(Mat mat, int turns, std::vector<PetscReal> *units);

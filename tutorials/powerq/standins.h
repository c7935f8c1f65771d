/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated matrices that stand in for three of the University of Florida collection. They have the size, the number
   of entries in a row and the kind of problem of the originals, and none of their numbers. */
#ifndef TUTORIALS_STANDINS_H
#define TUTORIALS_STANDINS_H

#include "../common/matrix.h"

typedef enum { STANDIN_ECOLOGY, STANDIN_SHELL, STANDIN_CIRCUIT } Standin;
extern const char *const Standins[];

/* About `size` unknowns, 0 for a default; `description` gets a line about the matrix. Every number is a function of
   `kind` and `size`. */
extern PetscErrorCode StandinCreate(Standin kind, PetscInt size, PetscInt bs, Mat *A, char *description,
                                    size_t length);

#endif

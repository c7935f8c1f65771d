/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated matrices that replace three of the University of Florida collection. They have the size, the number
 * of entries per row and the kind of problem of the originals, but none of their values. */
#ifndef TUTORIALS_STANDINS_H
#define TUTORIALS_STANDINS_H

#include "../common/matrix.h"

typedef enum { STANDIN_ECOLOGY, STANDIN_SHELL, STANDIN_CIRCUIT } Standin;
extern const char *const Standins[];

/* About `size` unknowns, 0 for a default; `description` is set to a line about the matrix. All values depend only
 * on `kind` and `size`. */
extern PetscErrorCode StandinCreate(Standin kind, PetscInt size, PetscInt bs, Mat *A, char *description,
                                    size_t length);

#endif

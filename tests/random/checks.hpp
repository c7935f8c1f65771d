// SPDX-License-Identifier: BSD-2-Clause
// Conditions on every preconditioner, after a successful set-up and after a failed one.
#pragma once

#include "problem.hpp"
#include "settings.hpp"

namespace finegrain::test
{

enum class Outcome { good, failed, refused };

struct RandomCase {
  const TypeCase &type;
  Problem problem;
  Settings settings;
  std::uint64_t key; // for the random numbers of the checks

  Outcome set_up(const std::string &more, PC *pc, std::string *why = nullptr) const;
};

// Makes and sets up a new PC. An error or a failure must be the same on all ranks.
Outcome SetUp(const TypeCase &type, const std::string &options, Mat A, PC *pc, std::string *why = nullptr);
// The same for an existing PC.
Outcome SetUp(PC pc, const std::string &options, const TypeCase &type, std::string *why = nullptr);

// x = NaN, then x = M^-1 b, or with the transpose.
PetscErrorCode ApplyOver(PC pc, bool transposed, Vec b, Vec x);

// True if x and y are bitwise identical, with NaN equal to NaN, on all ranks.
bool SameBits(Vec x, Vec y);
#define EXPECT_SAME_BITS(x, y, what) EXPECT_TRUE(SameBits(x, y)) << (what)

// Expects x, computed with these options, and y to agree within the effect of rounding errors of the matrix.
void ExpectNear(const TypeCase &type, const std::string &options, Mat A, bool transposed, Vec b, Vec x, Vec y,
                const char *what);

// Number of runs of each check, for the summary.
extern std::vector<std::pair<std::string, int>> counts;
void Count(const char *what);

// After an error or a numerical failure: it has a message, and the same PC then gives the results of a new one.
void CheckAfterError(const RandomCase &c, PC pc, Outcome outcome, const std::string &why);

// Bitwise: repetition, twice the right-hand side, algorithms, several vectors, new values.
void CheckBits(const RandomCase &c, PC pc);

// Up to rounding: transposes, corrections as plain steps, PETSc's own preconditioner.
void CheckNumbers(const RandomCase &c, PC pc);

// A reused factor with another matrix: residuals must be those of that matrix.
void CheckKept(const RandomCase &c);

// Other options on a used PC: it must give the results of a new PC with these options, and of the old ones again.
void CheckOptions(const RandomCase &c);

// With exchange color, results are bitwise identical to those of one rank.
void CheckRanks(const RandomCase &c);

// A solve that reports convergence has a small residual.
void CheckSolve(const RandomCase &c, PC pc);

// A solve with Eisenstat's trick reports the norm of its solution's residual.
void CheckTrick(const RandomCase &c, PC pc);

} // namespace finegrain::test

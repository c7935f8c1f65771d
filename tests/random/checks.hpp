// SPDX-License-Identifier: BSD-2-Clause
// What must hold for every preconditioner that set itself up, and after every one that did not.
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
  std::uint64_t key; // for the checks' own numbers

  Outcome set_up(const std::string &more, PC *pc, std::string *why = nullptr) const;
};

// A new PC, set up. An error or a failure must be the same on all ranks.
Outcome SetUp(const TypeCase &type, const std::string &options, Mat A, PC *pc, std::string *why = nullptr);
// The same of one that is there.
Outcome SetUp(PC pc, const std::string &options, const TypeCase &type, std::string *why = nullptr);

// x = M^-1 b, or with the transpose, over NaN.
PetscErrorCode ApplyOver(PC pc, bool transposed, Vec b, Vec x);

// The same bits, NaN for NaN, on all ranks.
bool SameBits(Vec x, Vec y);
#define EXPECT_SAME_BITS(x, y, what) EXPECT_TRUE(SameBits(x, y)) << (what)

// x, which these options give, and y agree within what rounding of the matrix explains.
void ExpectNear(const TypeCase &type, const std::string &options, Mat A, bool transposed, Vec b, Vec x, Vec y,
                const char *what);

// How often each check has run, for the summary.
extern std::vector<std::pair<std::string, int>> counts;
void Count(const char *what);

// After an error, or a failure of the numbers: it says something, and the same PC does what a new one does.
void CheckAfterError(const RandomCase &c, PC pc, Outcome outcome, const std::string &why);

// Bit for bit: again, twice the right-hand side, algorithms, several vectors, new values.
void CheckBits(const RandomCase &c, PC pc);

// To rounding: transposes, corrections as plain steps, PETSc's own preconditioner.
void CheckNumbers(const RandomCase &c, PC pc);

// A kept factor under another matrix (docs, reuse): residuals are that matrix's.
void CheckKept(const RandomCase &c);

// Other options on a PC that has been used: what a new PC with the same options does, and the old ones with it.
void CheckOptions(const RandomCase &c);

// exchange color: one rank's bits.
void CheckRanks(const RandomCase &c);

// A solve that says it has converged has a small residual.
void CheckSolve(const RandomCase &c, PC pc);

// So does a solve with Eisenstat's trick: the norm that it claims is that of its solution.
void CheckTrick(const RandomCase &c, PC pc);

} // namespace finegrain::test

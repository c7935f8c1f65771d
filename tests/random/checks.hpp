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

// How often each check has run, for the summary.
extern std::vector<std::pair<std::string, int>> counts;
void Count(const char *what);

// After an error, or a failure of the numbers: it says something, and the same PC does what a new one does.
void CheckAfterError(const RandomCase &c, PC pc, Outcome outcome, const std::string &why);

// Bit for bit: again, twice the right-hand side, executors, several vectors, new values.
void CheckBits(const RandomCase &c, PC pc);

// To rounding: transposes, corrections as plain steps, PETSc's own preconditioner.
void CheckNumbers(const RandomCase &c, PC pc);

// exchange color: one rank's bits.
void CheckRanks(const RandomCase &c);

// A solve that says it has converged has a small residual.
void CheckSolve(const RandomCase &c, PC pc);

// So does a solve with Eisenstat's trick: the norm that it claims is that of its solution.
void CheckTrick(const RandomCase &c, PC pc);

} // namespace finegrain::test

// SPDX-License-Identifier: BSD-2-Clause
// Random cases: a type, a matrix and options, and all conditions on them. Options: -seed (1), -first (0), -cases (as
// many as possible in the time), -seconds (20), -only <type>, -verbose. A case that fails is printed with the
// command that repeats it.
#include "checks.hpp"

#include <cmath>
#include <cstring>
#include <ctime>

#include <unistd.h>

using namespace finegrain::test;

namespace
{

std::string current; // the command that repeats the current case

PetscErrorCode SayWhichCase(int signal, void *)
{
  [[maybe_unused]] const auto written = write(2, current.data(), current.size());
  _exit(128 + signal);
}

void RunCase(PetscInt seed, PetscInt number, const char *only, bool verbose)
{
  Draw draw{std::uint64_t(seed), std::uint64_t(number)};
  const TypeCase *type = &draw.of(AllTypes());
  for (const TypeCase &t : AllTypes())
    if (!std::strcmp(t.type, only)) type = &t;
  RandomCase c{*type, {}, {}, draw.key()};
  const std::string repeat = "-seed " + std::to_string(seed) + " -first " + std::to_string(number) + " -cases 1" +
                             (*only ? std::string(" -only ") + only : "") + " on " + std::to_string(Size()) +
                             " ranks: " + type->type + ", ";
  current = "\n" + repeat + "while the matrix is made\n";
  {
    ErrorCatcher catcher; // PETSc does not support every DMDA
    const int mine = int(DrawProblem(draw, *type, &c.problem));
    int most;
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
    if (most) {
      EXPECT_TRUE(c.problem.da) << repeat << catcher.first;
      Count("matrices that PETSc refused");
      return;
    }
  }
  c.settings = DrawSettings(draw, *type);
  current = "\n" + repeat + c.problem.text + ", " + Expand(c.settings.text, type->type) + "\n";
  if (verbose && !Rank()) printf("%s", current.c_str() + 1), (void)fflush(stdout);
  SCOPED_TRACE(current);

  Owned<PC> pc;
  std::string why;
  const Outcome outcome = c.set_up("", &pc, &why);
  if (outcome != Outcome::good) {
    CheckAfterError(c, pc, outcome, why);
    return;
  }
  EXPECT_FALSE(c.problem.values == Values::useless && !c.settings.has("inblocks") && !c.problem.zero);
  Count("good");
  CheckBits(c, pc);
  CheckNumbers(c, pc);
  CheckKept(c);
  CheckOptions(c);
  CheckRanks(c);
  CheckSolve(c, pc);
  CheckTrick(c, pc);
}

TEST(Random, Cases)
{
  PetscInt seed = 1, first = 0, cases = PETSC_MAX_INT;
  PetscReal seconds = 20;
  char only[64] = "";
  PetscBool verbose = PETSC_FALSE;
  OK(PetscOptionsGetInt(nullptr, nullptr, "-seed", &seed, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-first", &first, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-cases", &cases, nullptr));
  OK(PetscOptionsGetReal(nullptr, nullptr, "-seconds", &seconds, nullptr));
  OK(PetscOptionsGetString(nullptr, nullptr, "-only", only, sizeof(only), nullptr));
  OK(PetscOptionsGetBool(nullptr, nullptr, "-verbose", &verbose, nullptr));
  OK(PetscPushSignalHandler(SayWhichCase, nullptr));
  const double end = MPI_Wtime() + double(seconds);
  PetscInt number = first;
  for (; number - first < cases; ++number) {
    int more = cases < PETSC_MAX_INT || MPI_Wtime() < end; // the first rank decides
    MPI_Bcast(&more, 1, MPI_INT, 0, PETSC_COMM_WORLD);
    if (!more) break;
    RunCase(seed, number, only, verbose);
  }
  OK(PetscPopSignalHandler());
  if (!Rank()) {
    printf("seed %d, cases %d to %d on %d ranks:", int(seed), int(first), int(number) - 1, Size());
    for (const auto &[what, count] : counts) printf(" %d %s;", count, what.c_str());
    printf("\n");
  }
}

} // namespace

// SPDX-License-Identifier: BSD-2-Clause
// Executor tune: the bits of any other, each executor that the settings allow is measured, once for each pattern, and
// the one that is kept is the fastest.
#include "types.hpp"

using namespace finegrain::test;

namespace
{

PER_TYPE(TunePerType);

// The executors that the view lists with their times, and what runs.
struct Tuned {
  std::string line, kept;
  double of(const std::string &executor) const
  {
    const std::size_t at = line.find(" " + executor + " ");
    return at == std::string::npos ? -1 : std::stod(line.substr(at + executor.size() + 2));
  }
};

PetscErrorCode FindTuned(PC pc, Tuned *t)
{
  const std::string key = "milliseconds of an application:", runs = "executor: ";
  std::string text;

  PetscFunctionBegin;
  PetscCall(ViewText(pc, &text));
  const std::size_t at = text.find(key), which = text.find(runs);
  t->line = at == std::string::npos ? "" : text.substr(at + key.size(), text.find('\n', at) - at - key.size()) + " ";
  t->kept = text.substr(which + runs.size(), text.find(' ', which + runs.size()) - which - runs.size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(TunePerType, KeepsTheFastestAndChangesNoBit)
{
  for (const Variant &variant : t.variants) {
    if (Size() > 1 && &variant - t.variants.data() >= 3)
      break; // threads of several ranks wait for each other's cores
    Owned<Mat> A;
    Owned<PC> pc, plain;
    PetscReal d = -1;
    Tuned tuned;
    OK(Matrix(Shape::star, 3, MATBAIJ, &A));
    OK(Make(A, variant.options + " -@_executor tune", &pc));
    OK(Make(A, variant.options, &plain));
    OK(ComparePCs(A, pc, plain, &d));
    EXPECT_EQ(d, 0) << variant.options;
    OK(FindTuned(pc, &tuned));
    EXPECT_GT(tuned.of(tuned.kept), 0) << variant.options << ": " << tuned.kept << " of" << tuned.line;
    int measured = 0;
    for (const char *executor : {"natural", "launch", "self", "tile"}) {
      const double time = tuned.of(executor);
      measured += time > 0;
      EXPECT_LE(tuned.of(tuned.kept), time > 0 ? time : PETSC_MAX_REAL) << variant.options << ": " << tuned.line;
    }
    EXPECT_GE(measured, variant.tasks && !variant.has("exchange") ? 2 : 1) << variant.options << ": " << tuned.line;
  }
}

// What a set-up does beside analysis and factor has an event in -log_view.
TEST_P(TunePerType, IsLoggedAndSoAreConversions)
{
  const int tunes = EventCount("FGTune"), conversions = EventCount("FGConvert");
  Owned<Mat> A;
  Owned<PC> pc;
  OK(Matrix(Shape::star, 2, MATAIJ, &A));
  OK(Make(A, t.variants[0].options + " -@_executor tune", &pc));
  OK(PCSetUp(pc));
  EXPECT_EQ(EventCount("FGTune"), tunes + 1);
  EXPECT_EQ(EventCount("FGConvert"), conversions + 1);
}

TEST_P(TunePerType, MeasuresEachPatternOnce)
{
  Owned<Mat> A, B;
  Owned<PC> pc, plain;
  PetscReal d = -1;
  Tuned first, second, third;
  OK(Matrix(Shape::star, 2, MATAIJ, &A));
  OK(Make(A, t.variants[0].options + " -@_executor tune", &pc));
  OK(PCSetUp(pc));
  OK(FindTuned(pc, &first));
  OK(Matrix(Shape::star, 2, MATAIJ, &B, 2));
  OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
  OK(PCSetUp(pc));
  OK(FindTuned(pc, &second));
  EXPECT_EQ(first.line, second.line);
  OK(PCFinegrainSetExecutor(pc, PC_FINEGRAIN_EXECUTOR_NATURAL));
  OK(PCSetUp(pc));
  OK(FindTuned(pc, &second));
  EXPECT_EQ(second.line, "");
  OK(PCFinegrainSetExecutor(pc, PC_FINEGRAIN_EXECUTOR_TUNE));
  OK(PCSetUp(pc));
  OK(FindTuned(pc, &third));
  EXPECT_NE(third.line, "");
  OK(Make(A, t.variants[0].options, &plain));
  OK(ComparePCs(A, pc, plain, &d));
  EXPECT_EQ(d, 0);
}

// A matrix that cannot be factored: the reason of the set-up, and the next good one works.
TEST_P(TunePerType, FailsAsAnyOtherAndRecovers)
{
  Owned<Mat> A, good;
  Owned<PC> pc, plain;
  PCFailedReason reason;
  PetscReal d = -1;
  OK(Matrix(Shape::star, 2, MATAIJ, &A));
  OK(Matrix(Shape::star, 2, MATAIJ, &good));
  OK(MatScale(A, PETSC_INFINITY));
  OK(Make(A, t.variants[0].options + " -@_executor tune", &pc));
  OK(PCSetUp(pc));
  OK(PCGetFailedReason(pc, &reason));
  EXPECT_NE(reason, PC_NOERROR);
  OK(MatCopy(good, A, SAME_NONZERO_PATTERN));
  OK(PCSetUp(pc));
  OK(PCGetFailedReason(pc, &reason));
  EXPECT_EQ(reason, PC_NOERROR);
  OK(Make(A, t.variants[0].options, &plain));
  OK(ComparePCs(A, pc, plain, &d));
  EXPECT_EQ(d, 0);
}

} // namespace

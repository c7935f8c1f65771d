// SPDX-License-Identifier: BSD-2-Clause
// Options, matrices and comparisons that tests of all types share.
#include "types.hpp"

namespace finegrain::test
{

std::string Expand(std::string options, const std::string &type, const std::string &prefix)
{
  for (std::size_t at; (at = options.find('@')) != std::string::npos;) options.replace(at, 1, prefix + "pc_" + type);
  return options;
}

std::string Cast(std::string role, const std::string &type,
                 const std::function<std::string(const std::string &prefix)> &options)
{
  for (std::size_t at; (at = role.find('{')) != std::string::npos;) {
    const std::size_t end = role.find('}', at);
    const std::string prefix = role.substr(at + 1, end - at - 1);
    role.replace(at, end - at + 1, "-" + prefix + "pc_type " + type + " " + options(prefix));
  }
  for (std::size_t at; (at = role.find('@')) != std::string::npos;) role.replace(at, 1, type);
  return role;
}

PetscErrorCode PerType::Matrix(Shape shape, PetscInt n, MatType type, Mat *A, int seed) const
{
  PetscFunctionBegin;
  if (t.needs_grid) {
    Owned<DM> da;
    const PetscInt dim = shape == Shape::small ? 1 : shape == Shape::scattered ? 2 : 3;
    PetscCall(
      MakeGrid(dim, shape == Shape::box ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, 1, &da));
    PetscCall(AssembleOnGrid(da, dim == 1 ? MATAIJ : type, A, seed)); // the matrix keeps the grid
  } else {
    const Couplings c = shape == Shape::star        ? star(6, 5, 4)
                        : shape == Shape::box       ? box(6, 5, 4)
                        : shape == Shape::scattered ? scattered(40, 3, t.symmetric)
                                                    : scattered(31, 3, t.symmetric);
    PetscCall(AssembleMatrix(c, n, type, seed, A));
  }
  if (t.symmetric) PetscCall(MakeSymmetric(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void ExpectChangesToAct(Mat A, const std::string &type, const std::string &options,
                        const std::vector<Change> &changes)
{
  const std::string base = Expand(options, type) + " ";
  for (const Change &change : changes) {
    SCOPED_TRACE(type + change.option);
    Owned<PC> pc, fresh, before;
    PetscReal d;
    OK(MakePC(A, type.c_str(), base, &pc));
    OK(MakePC(A, type.c_str(), base, &before));
    OK(PCSetUp(pc));
    OK(change.set(pc));
    int analyses = EventCount("FGAnalyze");
    OK(PCSetUp(pc));
    EXPECT_LE(EventCount("FGAnalyze"), analyses + 1);
    OK(MakePC(A, type.c_str(), base + Expand(change.option, type), &fresh));
    OK(ComparePCs(A, pc, fresh, &d));
    EXPECT_EQ(d, 0);
    OK(ComparePCs(A, pc, before, &d));
    if (change.differs) {
      EXPECT_EQ(d > 0, *change.differs);
    }
    analyses = EventCount("FGAnalyze");
    OK(change.set(pc)); // set already
    OK(PCSetUp(pc));
    EXPECT_EQ(EventCount("FGAnalyze"), analyses);
  }
}

void ExpectRefusal(Mat A, const std::string &type, const std::string &options, const std::vector<std::string> &words,
                   bool at_options)
{
  SCOPED_TRACE(options);
  Owned<PC> pc;
  if (!at_options) {
    OK(MakePC(A, type.c_str(), options, &pc));
  }
  ExpectIn(ExpectError([&] { return at_options ? MakePC(A, type.c_str(), options, &pc) : PCSetUp(pc); }), words);
}

} // namespace finegrain::test

// SPDX-License-Identifier: BSD-2-Clause
// The table of all preconditioner types, and the matrices and comparisons that their tests share. test_types_*.cpp
// read it: a new type is a row here.
#include "types.hpp"

namespace finegrain::test
{

namespace
{

// PCMCPI: settings with different sweeps, for each exchange between ranks.
std::vector<Variant> Relaxations()
{
  std::vector<Variant> all = {"",
                              "-@_its 2 -@_exchange none",
                              {"-@_its 2 -@_exchange color -@_precision half", false},
                              "-@_its 1",
                              {"-@_its 1 -@_exchange color -@_precision half -@_scaling row", false},
                              "-@_its 2 -@_corrections 1",
                              {"-@_its 2 -@_corrections 1 -@_exchange color", false}};
  for (const std::string exchange : {"none", "sweep", "color"})
    for (const std::string kind :
         {"", "-@_sweep backward", "-@_sweep symmetric", "-@_omega 0.8", "-@_sweep symmetric -@_omega 1.3",
          "-@_precision half", "-@_precision bfloat16", "-@_precision half -@_scaling row -@_sweep symmetric",
          "-@_precision single -@_sum_precision working"})
      all.emplace_back(("-@_its 3 -@_exchange " + exchange + " " + kind).c_str(), exchange != "color");
  return all;
}

} // namespace

const std::vector<TypeCase> &AllTypes()
{
  static const std::vector<TypeCase> all = {
    {.type = PCFGBILU,
     .variants = {"", "-@_precision single", "-@_corrections 1", "-@_eisenstat true", "-@_precision half",
                  "-@_factor ilu0", "-@_precision half -@_factor ilu0 -@_corrections 1",
                  "-@_schedule level -@_ordering rcm", "-@_corrections 2 -@_factor ilu0"},
     .reference = PCILU,
     .as_reference = "-@_eisenstat false",
     .options = {"factor", "eisenstat", "global", "schedule", "ordering", "tile", "grid_coupling"},
     .absent = {"pc_fgbilu_coloring", "pc_fgbilu_its", "pc_fgbilu_levels"}},
    {.type = PCFGBICC,
     .variants = {"", "-@_precision single", "-@_corrections 1", "-@_schedule level -@_ordering rcm"},
     .symmetric = true,
     .options = {"schedule", "ordering", "tile", "grid_coupling"},
     .absent = {"pc_fgbicc_factor", "pc_fgbicc_coloring", "pc_fgbicc_its", "pc_fgbicc_levels"}},
    {.type = PCMCPI,
     .variants = Relaxations(),
     .options = {"its", "sweep", "omega", "coloring", "coloring_balance", "exchange", "scaling", "sum_precision",
                 "in_place"},
     .absent = {"pc_mcpi_tile", "pc_mcpi_schedule", "pc_mcpi_ordering", "pc_mcpi_grid_coupling"}},
    {.type = PCPOWERQILU,
     .variants = {"",
                  "-@_levels 2",
                  "-@_levels 2 -@_power 1",
                  "-@_levels 1 -@_corrections 1",
                  "-@_levels 2 -@_power 1 -@_drop after",
                  "-@_levels 2 -@_power 1 -@_drop none",
                  "-@_levels 1 -@_schedule level",
                  "-@_levels 1 -@_schedule level -@_ordering rcm",
                  "-@_levels 1 -@_schedule level -@_drop_band 2",
                  "-@_levels 1 -@_precision single",
                  "-@_levels 1 -@_schedule level -@_precision single",
                  "-@_levels 1 -@_corrections 2",
                  "-@_levels 1 -@_precision half",
                  {"-@_levels 1 -@_global", false}},
     .reference = PCILU,
     .as_reference = "-@_schedule level",
     .options = {"levels", "power", "drop", "drop_band", "global", "schedule", "coloring", "coloring_balance",
                 "ordering"},
     .absent = {"pc_powerqilu_tile", "pc_powerqilu_grid_coupling", "pc_powerqilu_its"}},
    {.type = PCSIP,
     .variants = {"",
                  {"-@_alpha 0.9,0.3 -@_its 2", true, true},
                  {"-@_alternate", true, true},
                  "-@_precision single",
                  "-@_precision single -@_diag_precision storage",
                  "-@_alpha 0.5 -@_corrections 1",
                  "-@_precision half"},
     .reference = PCILU,
     .as_reference = "-@_alpha 0",
     .needs_grid = true,
     .options = {"alpha", "alternate", "global", "its", "tile"},
     .absent = {"pc_sip_schedule", "pc_sip_ordering", "pc_sip_coloring", "pc_sip_levels", "pc_sip_grid_coupling"}}};
  return all;
}

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
    EXPECT_EQ(d > 0, change.differs);
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

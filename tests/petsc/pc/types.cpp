// SPDX-License-Identifier: BSD-2-Clause
// The tables of all preconditioner types and of all options. test_types_*.cpp and test_options.cpp read the tables,
// and tests/random draws from them: a new type is a row here, and so is a new option.
#include "types.hpp"

#include <algorithm>
#include <limits>

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
     .keeps_symmetry = true},
    {.type = PCFGBICC,
     .variants = {"", "-@_precision single", "-@_corrections 1", "-@_schedule level -@_ordering rcm"},
     .symmetric = true,
     .keeps_symmetry = true,
     .definite = !PetscDefined(USE_COMPLEX),
     .half = false},
    {.type = PCMCPI, .variants = Relaxations(), .relaxes = true, .base = "-@_its 2"},
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
     .keeps_symmetry = true,
     .base = "-@_levels 2 -@_power 1"},
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
     .needs_grid = true}};
  return all;
}

namespace
{

// Functions of one number, from those of the interface.
template <class T> std::function<PetscErrorCode(PC, double)> Setter(PetscErrorCode (*set)(PC, T))
{
  return [set](PC pc, double value) {
    if constexpr (std::is_floating_point_v<T>) return set(pc, T(value));
    else return set(pc, static_cast<T>(static_cast<int>(value)));
  };
}
template <class T> std::function<PetscErrorCode(PC, double *)> Getter(PetscErrorCode (*get)(PC, T *))
{
  return [get](PC pc, double *value) {
    T found{};
    const PetscErrorCode code = get(pc, &found);
    *value = double(found);
    return code;
  };
}
template <class T> constexpr bool IsEnumeration(PetscErrorCode (*)(PC, T))
{
  return std::is_enum_v<T> && !std::is_same_v<T, PetscBool>;
}

// The members of an OptionCase for <Prefix>Set<Name>() and <Prefix>Get<Name>().
#define FUNCTIONS(Prefix, Name)                                                                                      \
  .setter = #Prefix "Set" #Name, .set = Setter(Prefix##Set##Name), .get = Getter(Prefix##Get##Name),                 \
  .enumeration = IsEnumeration(Prefix##Set##Name)

PetscErrorCode SetShiftType(PC pc, double type)
{
  return PCFinegrainSetShift(pc, MatFactorShiftType(int(type)), PETSC_DECIDE);
}
PetscErrorCode GetShiftType(PC pc, double *type)
{
  MatFactorShiftType found = MAT_SHIFT_NONE;
  const PetscErrorCode code = PCFinegrainGetShift(pc, &found, nullptr);
  *type = double(found);
  return code;
}
PetscErrorCode SetShiftAmount(PC pc)
{
  MatFactorShiftType type;
  PetscFunctionBegin;
  PetscCall(PCFinegrainGetShift(pc, &type, nullptr));
  PetscCall(PCFinegrainSetShift(pc, type, PetscReal(0.1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PetscErrorCode GetShiftAmount(PC pc, double *amount)
{
  PetscReal found = 0;
  const PetscErrorCode code = PCFinegrainGetShift(pc, nullptr, &found);
  *amount = double(found);
  return code;
}
PetscErrorCode SetTwoGrids(PC pc)
{
  const PetscInt ijk[] = {1, 2, 3, 4, 5, 6};
  return PCFinegrainSetGrid(pc, 2, ijk);
}
PetscErrorCode SetOneAlpha(PC pc)
{
  const PetscReal alpha[] = {PetscReal(0.4)};
  return PCSIPSetAlpha(pc, 1, alpha);
}
PetscErrorCode SetTwoAlphas(PC pc)
{
  const PetscReal alpha[] = {PetscReal(0.9), PetscReal(0.2)};
  return PCSIPSetAlpha(pc, 2, alpha);
}

// Effect of storage in single precision.
constexpr Effect rounds = sizeof(PetscReal) == 4 ? Effect::unknown : Effect::changes;
constexpr double any = std::numeric_limits<double>::quiet_NaN();

} // namespace

const std::vector<OptionCase> &AllOptions()
{
  static const std::vector<OptionCase> all = {
    {.name = "algorithm",
     FUNCTIONS(PCFinegrain, Algorithm),
     .values = {{"sequential", PC_FINEGRAIN_ALGORITHM_SEQUENTIAL, Effect::none},
                {"levels", PC_FINEGRAIN_ALGORITHM_LEVELS, Effect::none},
                {"tasks", PC_FINEGRAIN_ALGORITHM_TASKS, Effect::none}}},
    {.name = "precision",
     FUNCTIONS(PCFinegrain, Precision),
     .values = {{"single", PC_FINEGRAIN_PRECISION_SINGLE, rounds}},
     .drawn = {"single", "single", "half", "bfloat16"}},
    {.name = "precision",
     .types = {PCFGBILU, PCMCPI, PCPOWERQILU, PCSIP},
     FUNCTIONS(PCFinegrain, Precision),
     .values = {{"half", PC_FINEGRAIN_PRECISION_HALF}}},
    {.name = "precision",
     .types = {PCMCPI},
     FUNCTIONS(PCFinegrain, Precision),
     .values = {{"bfloat16", PC_FINEGRAIN_PRECISION_BFLOAT16}}},
    {.name = "diag_precision",
     FUNCTIONS(PCFinegrain, DiagonalPrecision),
     .values = {{"storage", PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE, rounds}},
     .with = "-@_precision single",
     .drawn = {"storage"}},
    {.name = "shift_type",
     .setter = "PCFinegrainSetShift",
     .set = SetShiftType,
     .get = GetShiftType,
     .enumeration = true,
     .initial = any,
     .values = {{"inblocks", MAT_SHIFT_INBLOCKS, Effect::none}, {"none", MAT_SHIFT_NONE, Effect::none}},
     .drawn = {"inblocks", "none"}},
    {.name = "zero_pivot",
     FUNCTIONS(PCFinegrain, ZeroPivot),
     .initial = 100 * PETSC_MACHINE_EPSILON,
     .values = {{"1e-11", 1e-11, Effect::none}},
     .refused = {{"-1", "0 or more"}},
     .drawn = {"0", "1e-10", "1e-3", "-1"}},
    {.name = "add_diagonal",
     FUNCTIONS(PCFinegrain, AddDiagonal),
     .values = {{"true", PETSC_TRUE, Effect::none}},
     .drawn = {"true"}},
    {.name = "shift_amount",
     .setter = "PCFinegrainSetShift",
     .get = GetShiftAmount,
     .initial = PETSC_SQRT_MACHINE_EPSILON,
     .values = {{"0.1", 0.1, Effect::none, SetShiftAmount}},
     .with = "-@_shift_type inblocks",
     .refused = {{"-0.5", "positive"}, {"2", "below 1"}},
     .drawn = {"1e-12", "0.01", "0.5", "1e308", "0"}},
    {.name = "corrections",
     FUNCTIONS(PCFinegrain, Corrections),
     .values = {{"2", 2}},
     .refused = {{"-1", "0 or more"}},
     .drawn = {"1", "2", "0", "-1"}},
    {.name = "apply_richardson",
     FUNCTIONS(PCFinegrain, ApplyRichardson),
     .values = {{"fixed", PC_FINEGRAIN_APPLY_RICHARDSON_FIXED, Effect::none},
                {"tolerance", PC_FINEGRAIN_APPLY_RICHARDSON_TOLERANCE, Effect::none}},
     .drawn = {"fixed", "tolerance"}},
    {.name = "check_solution",
     FUNCTIONS(PCFinegrain, CheckSolution),
     .values = {{"warn", PC_FINEGRAIN_CHECK_WARN, Effect::none}, {"none", PC_FINEGRAIN_CHECK_NONE, Effect::none}},
     .drawn = {"warn", "none", "fail"}},
    {.name = "block_size",
     FUNCTIONS(PCFinegrain, BlockSize),
     .values = {{"1", 1}},
     .refused = {{"64", "32"}},
     .drawn = {"1", "2", "3", "4", "33"}},
    {.name = "backend",
     FUNCTIONS(PCFinegrain, Backend),
     .values = {{"host", PC_FINEGRAIN_BACKEND_HOST, Effect::none},
                {"device", PC_FINEGRAIN_BACKEND_DEVICE, Effect::fails}},
     .drawn = {"host", "auto", "device"}},
    {.name = "grid",
     .setter = "PCFinegrainSetGrid",
     .values = {{"1,2,3,4,5,6", 0, Effect::fails, SetTwoGrids}},
     .refused = {{"3,3", "I,J,K"}, {"3,0,3", "1 or more"}},
     .drawn = {"4,4,4", "7", "2,3,4,2,3,4"}},
    {.name = "factor",
     .types = {PCFGBILU},
     FUNCTIONS(PCFGBILU, Factor),
     .values = {{"dilu", PCFGBILU_FACTOR_DILU}, {"ilu0", PCFGBILU_FACTOR_ILU0, Effect::none}},
     .drawn = {"dilu", "ilu0"}},
    {.name = "eisenstat",
     .types = {PCFGBILU},
     FUNCTIONS(PCFGBILU, Eisenstat),
     .initial = PCFGBILU_EISENSTAT_AUTO,
     .values = {{"true", PCFGBILU_EISENSTAT_TRUE, Effect::unknown},
                {"false", PCFGBILU_EISENSTAT_FALSE, Effect::none}},
     .drawn = {"true", "auto", "false"}},
    {.name = "schedule",
     .types = {PCFGBILU, PCFGBICC, PCPOWERQILU},
     FUNCTIONS(PCFinegrain, Schedule),
     .set_by_all = true,
     .values = {{"level", PC_FINEGRAIN_SCHEDULE_LEVEL, Effect::unknown}},
     .drawn = {"level", "hyperplane", "color", "auto"}},
    {.name = "ordering",
     .types = {PCFGBILU, PCFGBICC, PCPOWERQILU},
     .setter = "PCFinegrainSetOrdering",
     .values = {{"rcm", 0, Effect::changes, [](PC pc) { return PCFinegrainSetOrdering(pc, MATORDERINGRCM); }},
                {"tiles", 0, Effect::fails, [](PC pc) { return PCFinegrainSetOrdering(pc, "tiles"); }}},
     .drawn = {"rcm", "tiles", "nd", "1wd", "natural", "qmd", "nope"}},
    {.name = "tile",
     .types = {PCFGBILU, PCFGBICC, PCSIP},
     .setter = "PCFinegrainSetTile",
     .values = {{"4,3,2", 0, Effect::fails, [](PC pc) { return PCFinegrainSetTile(pc, 4, 3, 2); }}},
     .refused = {{"4,4", "I,J,K"}, {"4,0,4", "0,0,0"}},
     .drawn = {"2,2,2", "4,1,1", "3,5,2", "0,0,0", "-1,1,1"}},
    {.name = "grid_coupling",
     .types = {PCFGBILU, PCFGBICC},
     FUNCTIONS(PCFinegrain, GridCoupling),
     .set_by_all = true,
     .values = {{"block_jacobi", PC_FINEGRAIN_GRID_COUPLING_BLOCK_JACOBI, Effect::none}},
     .drawn = {"block_jacobi", "coupled"}},
    {.name = "its",
     .types = {PCMCPI},
     FUNCTIONS(PCMCPI, Iterations),
     .initial = 15,
     .values = {{"4", 4}},
     .refused = {{"0", "1 or more"}, {"-3", "1 or more"}},
     .drawn = {"1", "2", "3", "0"}},
    {.name = "sweep",
     .types = {PCMCPI},
     FUNCTIONS(PCMCPI, Sweep),
     .values = {{"backward", PCMCPI_SWEEP_BACKWARD}, {"symmetric", PCMCPI_SWEEP_SYMMETRIC}},
     .drawn = {"backward", "symmetric"}},
    {.name = "omega",
     .types = {PCMCPI},
     FUNCTIONS(PCMCPI, Omega),
     .initial = 1,
     .values = {{"0.5", 0.5}},
     .refused = {{"0", "between 0 and 2"}, {"2", "between 0 and 2"}, {"-1", "between 0 and 2"}},
     .drawn = {"0.7", "1.4", "2"}},
    {.name = "coloring",
     .types = {PCMCPI, PCPOWERQILU},
     FUNCTIONS(PCFinegrain, Coloring),
     .values = {{"jp", PC_FINEGRAIN_COLORING_JP}, {"lf", PC_FINEGRAIN_COLORING_LF}, {"sl", PC_FINEGRAIN_COLORING_SL}},
     .drawn = {"greedy", "lf", "sl", "jp", "redblack", "level"}},
    {.name = "coloring_balance",
     .types = {PCMCPI, PCPOWERQILU},
     FUNCTIONS(PCFinegrain, ColoringBalance),
     .values = {{"true", PETSC_TRUE}},
     .drawn = {"true"}},
    {.name = "exchange",
     .types = {PCMCPI},
     FUNCTIONS(PCMCPI, Exchange),
     .initial = PCMCPI_EXCHANGE_SWEEP,
     .values = {{"none", PCMCPI_EXCHANGE_NONE, Effect::unknown}, {"color", PCMCPI_EXCHANGE_COLOR}},
     .drawn = {"none", "color", "sweep"}},
    {.name = "global",
     .types = {PCFGBILU, PCPOWERQILU, PCSIP},
     FUNCTIONS(PCFinegrain, Global),
     .values = {{"true", PETSC_TRUE, Effect::fails}},
     .drawn = {"true"}},
    {.name = "scaling",
     .types = {PCMCPI},
     FUNCTIONS(PCMCPI, Scaling),
     .values = {{"row", PCMCPI_SCALING_ROW, Effect::unknown}},
     .with = "-@_precision half",
     .drawn = {"row"}},
    {.name = "sum_precision",
     .types = {PCMCPI},
     FUNCTIONS(PCMCPI, SumPrecision),
     .values = {{"single", PCMCPI_SUM_PRECISION_SINGLE, rounds}},
     .with = "-@_precision single",
     .drawn = {"single", "working"}},
    {.name = "in_place",
     .types = {PCMCPI},
     FUNCTIONS(PCMCPI, InPlace),
     .values = {{"true", PETSC_TRUE, Effect::fails}},
     .drawn = {"true"}},
    {.name = "levels",
     .types = {PCPOWERQILU},
     FUNCTIONS(PCPOWERQILU, Levels),
     .values = {{"3", 3}, {"0", 0}},
     .refused = {{"-1", "0 or more"}},
     .drawn = {"0", "1", "2", "3"}},
    {.name = "power",
     .types = {PCPOWERQILU},
     FUNCTIONS(PCPOWERQILU, Power),
     .values = {{"2", 2}, {"0", 0}},
     .refused = {{"-2", "0 or more"}},
     .drawn = {"1", "2", "3"}},
    {.name = "drop",
     .types = {PCPOWERQILU},
     FUNCTIONS(PCPOWERQILU, Drop),
     .values = {{"after", PCPOWERQILU_DROP_AFTER}, {"none", PCPOWERQILU_DROP_NONE}},
     .drawn = {"after", "none"}},
    {.name = "drop_band",
     .types = {PCPOWERQILU},
     FUNCTIONS(PCPOWERQILU, DropBand),
     .values = {{"2", 2}, {"50", 50}},
     .with = "-@_levels 1 -@_schedule level",
     .refused = {{"-1", "0 or more"}},
     .drawn = {"1", "5"}},
    {.name = "alpha",
     .types = {PCSIP},
     .setter = "PCSIPSetAlpha",
     .values = {{"0.4", 0, Effect::changes, SetOneAlpha}, {"0.9,0.2", 0, Effect::changes, SetTwoAlphas}},
     .refused = {{"1", "below 1"}, {"0.5,-0.1", "0 or more"}},
     .drawn = {"0", "0.4", "0.9,0.3", "1.5"}},
    {.name = "alternate",
     .types = {PCSIP},
     FUNCTIONS(PCSIP, Alternate),
     .values = {{"true", PETSC_TRUE}},
     .drawn = {"true"}},
    {.name = "its",
     .types = {PCSIP},
     FUNCTIONS(PCSIP, Iterations),
     .initial = 1,
     .values = {{"2", 2}},
     .refused = {{"0", "1 or more"}},
     .drawn = {"1", "2", "3", "0"}}};
  return all;
}

bool OptionCase::is_of(const std::string &type) const
{
  return types.empty() || std::find(types.begin(), types.end(), type) != types.end();
}

PetscErrorCode OptionCase::apply(PC pc, const OptionValue &value) const
{
  return value.set ? value.set(pc) : set(pc, value.number);
}

} // namespace finegrain::test

// SPDX-License-Identifier: BSD-2-Clause
// Setters and options of PETSc's ilu, icc and sor on a PC of finegrain. A setter acts if the type has a setting of
// the same meaning. Otherwise it is a line of -info, or an error if the result would differ from what the caller
// expects. An option has no effect, which a line on stderr reports.
#include "pc/options/petsc_setters.hpp"
#include "pc/options/settings.hpp"

#include <string>
#include <string_view>

using namespace finegrain;

namespace
{

enum class Elsewhere { ignored, refused };

struct PetscSetter {
  const char *function = nullptr; // null: there are options only
  std::string_view options;       // separated by spaces
  const char *setting = nullptr;  // our setting of the same meaning; null: no type has one
  bool of_sor = false;
  Elsewhere elsewhere = Elsewhere::ignored;
  const char *remark = nullptr; // if no setting acts: the reason or advice, for PCFinegrainText()
};

constexpr char finds_once[] = "set-up finds it once for a nonzero pattern";

constexpr PetscSetter levels{.function = "PCFactorSetLevels",
                             .options = "-pc_factor_levels",
                             .setting = "levels",
                             .elsewhere = Elsewhere::refused,
                             .remark = "@type powerqilu has -pc_powerqilu_levels"};
constexpr PetscSetter ordering{.function = "PCFactorSetMatOrderingType",
                               .options = "-pc_factor_mat_ordering_type",
                               .setting = "ordering",
                               .elsewhere = Elsewhere::refused,
                               .remark = "@type fgbilu has -pc_fgbilu_ordering"};
constexpr PetscSetter zero_pivot{
  .function = "PCFactorSetZeroPivot", .options = "-pc_factor_zeropivot", .setting = "zero_pivot"};
constexpr PetscSetter shift_type{
  .function = "PCFactorSetShiftType", .options = "-pc_factor_shift_type", .setting = "shift_type"};
constexpr PetscSetter shift_amount{
  .function = "PCFactorSetShiftAmount", .options = "-pc_factor_shift_amount", .setting = "shift_amount"};
constexpr PetscSetter diagonal_fill{
  .function = "PCFactorSetAllowDiagonalFill", .options = "-pc_factor_diagonal_fill", .setting = "add_diagonal"};
constexpr PetscSetter nonzero_diagonal{.function = "PCFactorReorderForNonzeroDiagonal",
                                       .options = "-pc_factor_nonzeros_along_diagonal",
                                       .elsewhere = Elsewhere::refused,
                                       .remark =
                                         "reorder the matrix, or try @_add_diagonal with @_shift_type inblocks"};
constexpr PetscSetter drop_tolerance{.function = "PCFactorSetDropTolerance",
                                     .options = "",
                                     .elsewhere = Elsewhere::refused,
                                     .remark =
                                       "@type powerqilu has -pc_powerqilu_levels and drops by levels of fill"};
constexpr PetscSetter reuse_ordering{
  .function = "PCFactorSetReuseOrdering", .options = "-pc_factor_reuse_ordering", .remark = finds_once};
constexpr PetscSetter reuse_fill{
  .function = "PCFactorSetReuseFill", .options = "-pc_factor_reuse_fill", .remark = finds_once};
constexpr PetscSetter fill{
  .function = "PCFactorSetFill", .options = "-pc_factor_fill", .remark = "set-up counts the entries of the factor"};
constexpr PetscSetter in_place{.function = "PCFactorSetUseInPlace",
                               .options = "-pc_factor_in_place",
                               .remark = "the factor has memory of its own"};
constexpr PetscSetter pivot_in_blocks{.function = "PCFactorSetPivotInBlocks",
                                      .options = "-pc_factor_pivot_in_blocks",
                                      .remark = "diagonal blocks are always inverted with pivoting"};
constexpr PetscSetter column_pivot{.function = "PCFactorSetColumnPivot",
                                   .options = "-pc_factor_column_pivot",
                                   .remark = "PETSc's own ilu does not read it either"};
constexpr PetscSetter solver_type{.function = "PCFactorSetMatSolverType",
                                  .options = "-pc_factor_mat_solver_type",
                                  .remark = "finegrain is the package that factors"};
constexpr PetscSetter omega{
  .function = "PCSORSetOmega", .options = "-pc_sor_omega", .setting = "omega", .of_sor = true};
constexpr PetscSetter iterations{
  .function = "PCSORSetIterations", .options = "-pc_sor_its", .setting = "its", .of_sor = true};
constexpr PetscSetter sweep{.function = "PCSORSetSymmetric",
                            .options = "-pc_sor_symmetric -pc_sor_backward -pc_sor_forward -pc_sor_local_symmetric "
                                       "-pc_sor_local_backward -pc_sor_local_forward",
                            .setting = "sweep",
                            .of_sor = true};
constexpr PetscSetter options_only{.options = "-pc_sor_lits -pc_sor_diagonal_shift", .of_sor = true};

bool Acts(const PC_Finegrain &e, const PetscSetter &s)
{
  const bool relaxes = e.type->method == Method::relaxation;
  return s.setting && (relaxes || !s.of_sor) && PCFinegrainHasOption(*e.type, s.setting);
}

// Handles a setter without a corresponding setting of the type. As in PETSc, mcpi ignores the setters of ilu, and
// factorizations those of sor.
PetscErrorCode DoWithout(PC pc, const PetscSetter &s)
{
  const PC_Finegrain &e = PCFinegrainData<PC_Finegrain>(pc);
  const bool of_other_kind = s.of_sor != (e.type->method == Method::relaxation);
  const std::string text =
    std::string(s.function) + "() does nothing with " + PCFinegrainText(pc, "@type ") + e.type->name +
    (s.remark && !of_other_kind ? std::string(": ") + PCFinegrainText(pc, s.remark) : std::string());

  PetscFunctionBegin;
  PetscCheck(of_other_kind || s.elsewhere == Elsewhere::ignored, PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_SUP, "%s", text.c_str());
  PetscCall(PetscInfo(pc, "%s\n", text.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Functions that PETSc's setters call. The value that a type always has is no error.
template <const PetscSetter &setter, class... Values> PetscErrorCode Without(PC pc, Values...)
{
  return DoWithout(pc, setter);
}

template <const PetscSetter &setter, auto ours, class Value> PetscErrorCode With(PC pc, Value value)
{
  return Acts(PCFinegrainData<PC_Finegrain>(pc), setter) ? ours(pc, value) : DoWithout(pc, setter);
}

PetscErrorCode SetLevels(PC pc, PetscInt value)
{
  if (Acts(PCFinegrainData<PC_Finegrain>(pc), levels)) return PCPOWERQILUSetLevels(pc, value);
  return value ? DoWithout(pc, levels) : PETSC_SUCCESS;
}

PetscErrorCode SetOrdering(PC pc, MatOrderingType value)
{
  if (Acts(PCFinegrainData<PC_Finegrain>(pc), ordering)) return PCFinegrainSetOrdering(pc, value);
  return std::string_view(value) == MATORDERINGNATURAL ? PETSC_SUCCESS : DoWithout(pc, ordering);
}

PetscErrorCode SetShiftType(PC pc, MatFactorShiftType value)
{
  if (int(value) == PETSC_DECIDE) value = MAT_SHIFT_NONE; // as in PETSc
  return PCFinegrainSetShift(pc, value, PCFinegrainData<PC_Finegrain>(pc).settings.shift_amount);
}

PetscErrorCode SetShiftAmount(PC pc, PetscReal value)
{
  return PCFinegrainSetShift(pc, PCFinegrainData<PC_Finegrain>(pc).settings.shift_type, value);
}

// PETSc's sor exchanges ghost values before each iteration, which consists of several local sweeps.
PetscErrorCode SetIterations(PC pc, PetscInt its, PetscInt local)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  PCMCPIExchangeType exchange;
  PetscMPIInt size;
  PetscInt all;

  PetscFunctionBegin;
  if (!Acts(PCFinegrainData<PC_Finegrain>(pc), iterations)) {
    PetscCall(DoWithout(pc, iterations));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PCMCPIGetExchange(pc, &exchange));
  PetscCheck(local == 1 || size == 1 || (its == 1 && exchange == PCMCPI_EXCHANGE_NONE), comm, PETSC_ERR_SUP,
             "PCSORSetIterations(): %" PetscInt_FMT " local sweeps in each of %" PetscInt_FMT
             " iterations; on several "
             "ranks take one local sweep, or one iteration with %s none",
             local, its, PCFinegrainOption(pc, "exchange").c_str());
  PetscCall(PetscIntMultError(its, local, &all));
  PetscCall(PCMCPISetIterations(pc, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetSweep(PC pc, MatSORType value)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  const bool local =
    value == SOR_LOCAL_FORWARD_SWEEP || value == SOR_LOCAL_BACKWARD_SWEEP || value == SOR_LOCAL_SYMMETRIC_SWEEP;
  PCMCPIExchangeType exchange;
  PCMCPISweepType ours = PCMCPI_SWEEP_SYMMETRIC;
  PetscMPIInt size;

  PetscFunctionBegin;
  if (!Acts(PCFinegrainData<PC_Finegrain>(pc), sweep)) {
    PetscCall(DoWithout(pc, sweep));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PCMCPIGetExchange(pc, &exchange));
  PetscCheck(!local || size == 1 || exchange != PCMCPI_EXCHANGE_COLOR, comm, PETSC_ERR_ARG_INCOMP,
             "PCSORSetSymmetric(): a local sweep does not go with %s color, whose sweeps are those of all ranks; use "
             "%s sweep or none, or a sweep that is not local",
             PCFinegrainOption(pc, "exchange").c_str(), PCFinegrainOption(pc, "exchange").c_str());
  if (value == SOR_FORWARD_SWEEP || value == SOR_LOCAL_FORWARD_SWEEP) ours = PCMCPI_SWEEP_FORWARD;
  else if (value == SOR_BACKWARD_SWEEP || value == SOR_LOCAL_BACKWARD_SWEEP) ours = PCMCPI_SWEEP_BACKWARD;
  else
    PetscCheck(value == SOR_SYMMETRIC_SWEEP || value == SOR_LOCAL_SYMMETRIC_SWEEP, comm, PETSC_ERR_SUP,
               "PCSORSetSymmetric(): %s has forward, backward and symmetric sweeps, and not MatSORType %d; "
               "PCMCPISetSweep() sets them",
               PCFinegrainText(pc, "@type mcpi").c_str(), int(value));
  PetscCall(PCMCPISetSweep(pc, ours));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc finds a function by its composed name, and casts it to its own type.
using Function = void (*)();
template <class F> Function Erase(F *function) { return reinterpret_cast<Function>(function); }

struct Entry {
  const PetscSetter *setter;
  Function function = nullptr;
};
const Entry entries[] = {{&levels, Erase(SetLevels)},
                         {&ordering, Erase(SetOrdering)},
                         {&zero_pivot, Erase(With<zero_pivot, PCFinegrainSetZeroPivot, PetscReal>)},
                         {&shift_type, Erase(SetShiftType)},
                         {&shift_amount, Erase(SetShiftAmount)},
                         {&diagonal_fill, Erase(With<diagonal_fill, PCFinegrainSetAddDiagonal, PetscBool>)},
                         {&nonzero_diagonal, Erase(Without<nonzero_diagonal, PetscReal>)},
                         {&drop_tolerance, Erase(Without<drop_tolerance, PetscReal, PetscReal, PetscInt>)},
                         {&reuse_ordering, Erase(Without<reuse_ordering, PetscBool>)},
                         {&reuse_fill, Erase(Without<reuse_fill, PetscBool>)},
                         {&fill, Erase(Without<fill, PetscReal>)},
                         {&in_place, Erase(Without<in_place, PetscBool>)},
                         {&pivot_in_blocks, Erase(Without<pivot_in_blocks, PetscBool>)},
                         {&column_pivot, Erase(Without<column_pivot, PetscReal>)},
                         {&solver_type, Erase(Without<solver_type, MatSolverType>)},
                         {&omega, Erase(With<omega, PCMCPISetOmega, PetscReal>)},
                         {&iterations, Erase(SetIterations)},
                         {&sweep, Erase(SetSweep)},
                         {&options_only}};

// PETSc itself lists unused options with -options_left only.
PetscErrorCode SayIfGiven(PC pc, const PetscSetter &s, const std::string &option)
{
  const PetscObject object = reinterpret_cast<PetscObject>(pc);
  const PC_Finegrain &e = PCFinegrainData<PC_Finegrain>(pc);
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(object->options, object->prefix, option.c_str(), &given));
  if (!given) PetscFunctionReturn(PETSC_SUCCESS);
  std::string advice;
  if (Acts(e, s)) advice = "; " + PCFinegrainOption(pc, s.setting) + " is ours";
  else if (s.remark && s.of_sor == (e.type->method == Method::relaxation))
    advice = "; " + PCFinegrainText(pc, s.remark);
  PetscCall(PetscFPrintf(PetscObjectComm(object), PETSC_STDERR, "finegrain: -%s%s does nothing with -pc_type %s%s\n",
                         object->prefix ? object->prefix : "", option.c_str() + 1, e.type->name, advice.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCFinegrainComposeSetters(PC pc, bool compose)
{
  PetscFunctionBegin;
  for (const Entry &entry : entries) {
    if (!entry.function) continue;
    const std::string name = std::string(entry.setter->function) + "_C";
    PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), name.c_str(),
                                         compose ? entry.function : nullptr));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainSayUnread(PC pc)
{
  PetscFunctionBegin;
  for (const Entry &entry : entries) {
    const std::string_view all = entry.setter->options;
    for (std::size_t at = 0, end; at < all.size(); at = end + 1) {
      end = std::min(all.find(' ', at), all.size());
      PetscCall(SayIfGiven(pc, *entry.setter, std::string(all.substr(at, end - at))));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

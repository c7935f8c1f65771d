// SPDX-License-Identifier: BSD-2-Clause
// Setters of PETSc's ilu, icc and sor on our types: they act like ours if a type has a setting of the same meaning.
// Otherwise they write a line of -info, or are an error that names the remedy. The page in docs lists all of them.
#include "types.hpp"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

using namespace finegrain::test;

namespace
{

using Call = std::function<PetscErrorCode(PC)>;

std::vector<std::string> Types(const std::function<bool(const TypeCase &)> &choice)
{
  std::vector<std::string> types;
  for (const TypeCase &t : AllTypes())
    if (choice(t)) types.push_back(t.type);
  return types;
}

// The types that have an option.
std::vector<std::string> TypesWith(const std::string &name)
{
  return Types([&](const TypeCase &t) {
    return std::any_of(AllOptions().begin(), AllOptions().end(),
                       [&](const OptionCase &o) { return o.name == name && o.is_of(t.type); });
  });
}

const std::vector<std::string> every_type = Types([](const TypeCase &) { return true; });
const std::vector<std::string> factor_types = Types([](const TypeCase &t) { return !t.relaxes; });

PetscErrorCode MakeTyped(const std::string &type, PC *pc)
{
  PetscFunctionBegin;
  PetscCall(PCCreate(PETSC_COMM_WORLD, pc));
  PetscCall(PCSetOptionsPrefix(*pc, "mine_"));
  PetscCall(PCSetType(*pc, type.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The settings of a new PC after a call, or with an option instead.
PetscErrorCode SettingsAfter(const std::string &type, const Call &call, std::string *text)
{
  Owned<PC> pc;
  PetscFunctionBegin;
  PetscCall(MakeTyped(type, &pc));
  PetscCall(call(pc));
  PetscCall(ViewText(pc, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NoCall(PC) { return PETSC_SUCCESS; }

struct Acting {
  Call call;
  std::string option; // the equivalent option
  std::vector<std::string> types;
};

TEST(PetscSetters, ActAsOurSettingsOfTheSameMeaning)
{
  const std::vector<std::string> ordered = TypesWith("ordering"), mcpi = {PCMCPI};
  const std::vector<Acting> all = {
    {[](PC pc) { return PCFactorSetLevels(pc, 2); }, "-@_levels 2", {PCPOWERQILU}},
    {[](PC pc) { return PCFactorSetMatOrderingType(pc, MATORDERINGRCM); }, "-@_ordering rcm", ordered},
    {[](PC pc) { return PCFactorSetZeroPivot(pc, PetscReal(1e-3)); }, "-@_zero_pivot 1e-3", every_type},
    {[](PC pc) { return PCFactorSetShiftType(pc, MAT_SHIFT_INBLOCKS); }, "-@_shift_type inblocks", every_type},
    {[](PC pc) { return PCFactorSetShiftType(pc, MatFactorShiftType(PETSC_DECIDE)); }, "-@_shift_type none",
     every_type},
    {[](PC pc) { return PCFactorSetShiftAmount(pc, PetscReal(1e-2)); }, "-@_shift_amount 1e-2", every_type},
    {[](PC pc) { return PCFactorSetAllowDiagonalFill(pc, PETSC_TRUE); }, "-@_add_diagonal true", every_type},
    {[](PC pc) { return PCSORSetOmega(pc, PetscReal(1.5)); }, "-@_omega 1.5", mcpi},
    {[](PC pc) { return PCSORSetIterations(pc, 3, 1); }, "-@_its 3", mcpi},
    {[](PC pc) { return PCSORSetSymmetric(pc, SOR_FORWARD_SWEEP); }, "-@_sweep forward", mcpi},
    {[](PC pc) { return PCSORSetSymmetric(pc, SOR_BACKWARD_SWEEP); }, "-@_sweep backward", mcpi},
    {[](PC pc) { return PCSORSetSymmetric(pc, SOR_SYMMETRIC_SWEEP); }, "-@_sweep symmetric", mcpi},
    {[](PC pc) { return PCSORSetSymmetric(pc, SOR_LOCAL_FORWARD_SWEEP); }, "-@_sweep forward", mcpi},
    {[](PC pc) { return PCSORSetSymmetric(pc, SOR_LOCAL_BACKWARD_SWEEP); }, "-@_sweep backward", mcpi},
    {[](PC pc) { return PCSORSetSymmetric(pc, SOR_LOCAL_SYMMETRIC_SWEEP); }, "-@_sweep symmetric", mcpi}};
  for (const Acting &a : all)
    for (const std::string &type : a.types) {
      SCOPED_TRACE(type + " " + a.option);
      std::string called, optional;
      OK(SettingsAfter(type, a.call, &called));
      const Options set(Expand(a.option, type, "mine_"));
      OK(SettingsAfter(type, PCSetFromOptions, &optional));
      EXPECT_EQ(called, optional);
      ExpectIn(called, {a.option.substr(a.option.find('_') + 1, a.option.find(' ') - a.option.find('_') - 1)});
    }
}

// PETSc's setters change the factor and the sweeps as our options do.
TEST(PetscSetters, GiveTheFactorOfOurOptions)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(8, 7, 1), 1, MATAIJ, 1, &A));
  const std::string level = "-@_schedule level";
  ExpectChangesToAct(A, PCPOWERQILU, level, {{[](PC pc) { return PCFactorSetLevels(pc, 2); }, "-@_levels 2"}});
  ExpectChangesToAct(A, PCPOWERQILU, level + " -@_levels 2",
                     {{[](PC pc) { return PCFactorSetMatOrderingType(pc, MATORDERINGRCM); }, "-@_ordering rcm"}});
  ExpectChangesToAct(A, PCMCPI, "-@_its 2",
                     {{[](PC pc) { return PCSORSetSymmetric(pc, SOR_SYMMETRIC_SWEEP); }, "-@_sweep symmetric"},
                      {[](PC pc) { return PCSORSetOmega(pc, PetscReal(1.5)); }, "-@_omega 1.5"},
                      {[](PC pc) { return PCSORSetIterations(pc, 3, 1); }, "-@_its 3"}});
}

TEST(PetscSetters, AreErrorsWhereTheCallerWouldGetSomethingElse)
{
  struct Refused {
    std::vector<std::string> types;
    Call call;
    std::vector<std::string> words;
  };
  const std::vector<Refused> all = {
    {Types([](const TypeCase &t) { return !t.relaxes && t.type != std::string(PCPOWERQILU); }),
     [](PC pc) { return PCFactorSetLevels(pc, 2); },
     {"PCFactorSetLevels()", "-mine_pc_type powerqilu has -pc_powerqilu_levels"}},
    {{PCSIP},
     [](PC pc) { return PCFactorSetMatOrderingType(pc, MATORDERINGRCM); },
     {"PCFactorSetMatOrderingType()", "-mine_pc_type fgbilu has -pc_fgbilu_ordering"}},
    {factor_types,
     [](PC pc) { return PCFactorSetDropTolerance(pc, PetscReal(1e-3), PetscReal(0.1), 5); },
     {"PCFactorSetDropTolerance()", "-mine_pc_type powerqilu"}},
    {factor_types,
     [](PC pc) { return PCFactorReorderForNonzeroDiagonal(pc, PetscReal(1e-3)); },
     {"PCFactorReorderForNonzeroDiagonal()", "_add_diagonal", "_shift_type inblocks"}},
    {every_type,
     [](PC pc) {
       int no_type = 99;
       return PCFactorSetShiftType(pc, MatFactorShiftType(no_type));
     },
     {"is number 99"}},
    {{PCMCPI}, [](PC pc) { return PCSORSetOmega(pc, 2); }, {"-mine_pc_mcpi_omega is 2"}},
    {{PCMCPI}, [](PC pc) { return PCSORSetSymmetric(pc, SOR_APPLY_UPPER); }, {"MatSORType 64", "PCMCPISetSweep()"}},
    {{PCMCPI}, [](PC pc) { return PCSORSetSymmetric(pc, SOR_EISENSTAT); }, {"MatSORType 32"}}};
  for (const Refused &r : all)
    for (const std::string &type : r.types) {
      SCOPED_TRACE(type + " " + r.words[0]);
      Owned<PC> pc;
      OK(MakeTyped(type, &pc));
      ExpectIn(ExpectError([&] { return r.call(pc); }), r.words);
    }
}

TEST(PetscSetters, LocalSweepsAreThoseBetweenExchanges)
{
  Owned<PC> pc;
  PetscInt its;
  OK(MakeTyped(PCMCPI, &pc));
  OK(PCMCPISetExchange(pc, PCMCPI_EXCHANGE_COLOR));
  OK(PCSORSetSymmetric(pc, SOR_BACKWARD_SWEEP));
  if (Size() > 1) {
    ExpectIn(ExpectError([&] { return PCSORSetSymmetric(pc, SOR_LOCAL_FORWARD_SWEEP); }),
             {"PCSORSetSymmetric()", "-mine_pc_mcpi_exchange color", "sweep or none"});
    ExpectIn(ExpectError([&] { return PCSORSetIterations(pc, 2, 3); }),
             {"PCSORSetIterations()", "3 local sweeps", "-mine_pc_mcpi_exchange none"});
    OK(PCMCPISetExchange(pc, PCMCPI_EXCHANGE_NONE));
  }
  OK(PCSORSetSymmetric(pc, SOR_LOCAL_FORWARD_SWEEP));
  OK(PCSORSetIterations(pc, 1, 6));
  OK(PCMCPIGetIterations(pc, &its));
  EXPECT_EQ(its, 6);
  if (Size() > 1) return;
  OK(PCSORSetIterations(pc, 2, 3));
  OK(PCMCPIGetIterations(pc, &its));
  EXPECT_EQ(its, 6);
}

// Harmless setters, those of the other kind of type, and values that a type has without a setting.
TEST(PetscSetters, AreOtherwiseALineOfInfo)
{
  struct Ignored {
    std::vector<std::string> types;
    Call call;
    std::string line; // empty: none
  };
  const std::string ilu = " does nothing with -mine_pc_type ";
  const std::vector<Ignored> all = {
    {factor_types, [](PC pc) { return PCFactorSetReuseOrdering(pc, PETSC_TRUE); }, "PCFactorSetReuseOrdering()"},
    {every_type, [](PC pc) { return PCFactorSetReuseFill(pc, PETSC_TRUE); }, "PCFactorSetReuseFill()"},
    {every_type, [](PC pc) { return PCFactorSetFill(pc, 3); }, "PCFactorSetFill()"},
    {every_type, [](PC pc) { return PCFactorSetUseInPlace(pc, PETSC_TRUE); }, "PCFactorSetUseInPlace()"},
    {every_type, [](PC pc) { return PCFactorSetPivotInBlocks(pc, PETSC_TRUE); }, "PCFactorSetPivotInBlocks()"},
    {every_type, [](PC pc) { return PCFactorSetColumnPivot(pc, 0); }, "PCFactorSetColumnPivot()"},
    {every_type, [](PC pc) { return PCFactorSetMatSolverType(pc, nullptr); }, "PCFactorSetMatSolverType()"},
    {{PCMCPI}, [](PC pc) { return PCFactorSetLevels(pc, 2); }, "PCFactorSetLevels()"},
    {{PCMCPI}, [](PC pc) { return PCFactorReorderForNonzeroDiagonal(pc, 0); }, "PCFactorReorderForNonzeroDiagonal()"},
    {factor_types, [](PC pc) { return PCSORSetOmega(pc, PetscReal(1.5)); }, "PCSORSetOmega()"},
    {factor_types, [](PC pc) { return PCSORSetIterations(pc, 2, 1); }, "PCSORSetIterations()"},
    {factor_types, [](PC pc) { return PCSORSetSymmetric(pc, SOR_SYMMETRIC_SWEEP); }, "PCSORSetSymmetric()"},
    {every_type, [](PC pc) { return PCFactorSetLevels(pc, 0); }, ""},
    {every_type, [](PC pc) { return PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL); }, ""}};
  for (const Ignored &i : all)
    for (const std::string &type : i.types) {
      SCOPED_TRACE(type + " " + i.line);
      std::string before, after, info;
      OK(SettingsAfter(type, NoCall, &before));
      OK(Capture(
        1,
        [&] {
          (void)PetscInfoSetFile(nullptr, "w"); // stdout
          (void)PetscInfoAllow(PETSC_TRUE);
          const PetscErrorCode code = SettingsAfter(type, i.call, &after);
          (void)PetscInfoAllow(PETSC_FALSE);
          return code;
        },
        &info));
      EXPECT_EQ(after, before);
      if (i.line.empty()) {
        EXPECT_EQ(info.find("does nothing"), std::string::npos) << info;
      }
      if (PetscDefined(USE_INFO) && !i.line.empty() && Rank() == 0) ExpectIn(info, {i.line + ilu + type});
    }
}

std::string ReadFile(const std::string &name)
{
  std::ostringstream text;
  text << std::ifstream(FINEGRAIN_SOURCE "/" + name).rdbuf();
  return text.str();
}

std::set<std::string> FindAll(const std::string &text, const std::string &pattern)
{
  std::set<std::string> all;
  const std::regex word(pattern);
  for (std::sregex_iterator m(text.begin(), text.end(), word), end; m != end; ++m) all.insert((*m)[1]);
  return all;
}

TEST(PetscSetters, AreInThePageAndGoWithTheType)
{
  const std::string source = ReadFile("src/petsc/pc/options/petsc_setters.cpp");
  std::string page = ReadFile("docs/types/options.md");
  page = page.substr(page.find("## Setters and options of PETSc's types"));
  page = page.substr(0, page.find("\n## "));
  const std::set<std::string> functions = FindAll(source, "function = \"(\\w+)\"");
  EXPECT_EQ(functions.size(), 18u);
  EXPECT_EQ(FindAll(page, "`(PC\\w+)\\(\\)`"), functions);
  EXPECT_EQ(FindAll(page, "`(-pc_(factor|sor)_\\w+)`"), FindAll(source, "(-pc_(factor|sor)_\\w+)"));
  for (const std::string &type : every_type) {
    Owned<PC> pc;
    OK(MakeTyped(type, &pc));
    for (const char *next : {type.c_str(), PCJACOBI}) {
      OK(PCSetType(pc, next));
      for (const std::string &function : functions) {
        PetscErrorCode (*composed)(PC) = nullptr;
        OK(PetscObjectQueryFunction(object(pc), (function + "_C").c_str(), &composed));
        EXPECT_EQ(composed != nullptr, next != std::string(PCJACOBI)) << type << " " << function;
      }
    }
    OK(PCSetType(pc, PCSOR));
    OK(PCSORSetOmega(pc, PetscReal(1.25)));
  }
}

TEST(PetscSetters, OptionsSayWhatIsOurs)
{
  const Options set("-mine_pc_factor_levels 2 -mine_pc_factor_reuse_fill -mine_pc_sor_omega 1.5 "
                    "-mine_pc_sor_local_symmetric");
  const std::vector<std::pair<std::string, std::vector<std::string>>> all = {
    {PCFGBILU,
     {"finegrain: -mine_pc_factor_levels does nothing with -pc_type fgbilu; -mine_pc_type powerqilu has "
      "-pc_powerqilu_levels\n",
      "-mine_pc_factor_reuse_fill does nothing with -pc_type fgbilu; set-up finds",
      "-mine_pc_sor_omega does nothing with -pc_type fgbilu\n"}},
    {PCPOWERQILU,
     {"-mine_pc_factor_levels does nothing with -pc_type powerqilu; -mine_pc_powerqilu_levels is ours\n"}},
    {PCMCPI,
     {"-mine_pc_factor_levels does nothing with -pc_type mcpi\n",
      "-mine_pc_sor_omega does nothing with -pc_type mcpi; -mine_pc_mcpi_omega is ours\n",
      "-mine_pc_sor_local_symmetric does nothing with -pc_type mcpi; -mine_pc_mcpi_sweep is ours\n"}}};
  for (const auto &[type, lines] : all) {
    std::string after, text;
    const std::string name = type;
    OK(Capture(
      2, [&] { return SettingsAfter(name, PCSetFromOptions, &after); }, &text));
    if (Rank() == 0) ExpectIn(text, lines);
  }
}

} // namespace

// SPDX-License-Identifier: BSD-2-Clause
// Setters refuse numbers outside of an enumeration with an error that names option, number and values. Fortran's
// enumerations are plain integers, so that a wrong variable is enough for such a number.
#include "types.hpp"

#include <fstream>
#include <regex>
#include <sstream>

using namespace finegrain::test;

namespace
{

// A setter of an enumeration, and a type of PC that has its option.
struct EnumerationSetter {
  std::string name;
  const char *type, *option;
  std::function<PetscErrorCode(PC, int)> set;
};

#define SETTER(function, Enumeration, type, option)                                                                  \
  {                                                                                                                  \
#function, type, option, [](PC pc, int value) { return function(pc, Enumeration(value)); }                       \
  }

const std::vector<EnumerationSetter> setters = {
  SETTER(PCFinegrainSetSchedule, PCFinegrainScheduleType, PCFGBILU, "schedule"),
  SETTER(PCFinegrainSetAlgorithm, PCFinegrainAlgorithmType, PCFGBICC, "algorithm"),
  SETTER(PCFinegrainSetBackend, PCFinegrainBackendType, PCFGBILU, "backend"),
  SETTER(PCFinegrainSetPrecision, PCFinegrainPrecisionType, PCFGBILU, "precision"),
  SETTER(PCFinegrainSetDiagonalPrecision, PCFinegrainDiagonalPrecisionType, PCFGBILU, "diag_precision"),
  SETTER(PCFinegrainSetGridCoupling, PCFinegrainGridCoupling, PCFGBILU, "grid_coupling"),
  SETTER(PCFinegrainSetColoring, PCFinegrainColoringType, PCMCPI, "coloring"),
  SETTER(PCFinegrainSetApplyRichardson, PCFinegrainApplyRichardsonType, PCFGBILU, "apply_richardson"),
  SETTER(PCFinegrainSetCheckSolution, PCFinegrainCheckType, PCSIP, "check_solution"),
  SETTER(PCMCPISetSumPrecision, PCMCPISumPrecisionType, PCMCPI, "sum_precision"),
  SETTER(PCFGBILUSetFactor, PCFGBILUFactorType, PCFGBILU, "factor"),
  SETTER(PCFGBILUSetEisenstat, PCFGBILUEisenstatType, PCFGBILU, "eisenstat"),
  SETTER(PCMCPISetSweep, PCMCPISweepType, PCMCPI, "sweep"),
  SETTER(PCMCPISetExchange, PCMCPIExchangeType, PCMCPI, "exchange"),
  SETTER(PCMCPISetScaling, PCMCPIScalingType, PCMCPI, "scaling"),
  SETTER(PCPOWERQILUSetDrop, PCPOWERQILUDropType, PCPOWERQILU, "drop"),
  {"PCFinegrainSetShift", PCFGBILU, "shift_type",
   [](PC pc, int value) { return PCFinegrainSetShift(pc, MatFactorShiftType(value), PETSC_DECIDE); }}};

TEST(Enumerations, AllSettersOfTheHeaderAreInTheTable)
{
  std::ostringstream text;
  text << std::ifstream(FINEGRAIN_SOURCE "/include/petscfinegrain.h").rdbuf();
  const std::string header = text.str();
  const std::regex enumeration("\\} (\\w+);\nFINEGRAIN_EXTERN const char"),
    setter("PetscErrorCode (\\w+Set\\w+)\\((?:PC|KSP|Mat) \\w+, (\\w+) \\w+");
  std::set<std::string> types{"MatFactorShiftType"}, expected, tested;
  for (std::sregex_iterator m(header.begin(), header.end(), enumeration), end; m != end; ++m) types.insert((*m)[1]);
  EXPECT_EQ(types.size(), 16u + 1u) << header;
  for (std::sregex_iterator m(header.begin(), header.end(), setter), end; m != end; ++m)
    if (types.count((*m)[2])) expected.insert((*m)[1]);
  for (const EnumerationSetter &s : setters) tested.insert(s.name);
  EXPECT_EQ(tested, expected);
}

TEST(Enumerations, OtherNumbersAreErrorsOfTheSetter)
{
  for (const EnumerationSetter &s : setters)
    for (const int value : {-1, 99}) {
      SCOPED_TRACE(s.name + " " + std::to_string(value));
      Owned<PC> pc;
      std::string text, before;
      OK(PCCreate(PETSC_COMM_WORLD, &pc));
      OK(PCSetOptionsPrefix(pc, "mine_"));
      OK(PCSetType(pc, s.type));
      OK(ViewText(pc, &before));
      ExpectIn(ExpectError([&] { return s.set(pc, value); }),
               {std::string("-mine_pc_") + s.type + "_" + s.option + " is number " + std::to_string(value),
                "it must be 0 for ", ", 1 for ", s.name + "()"});
      OK(ViewText(pc, &text));
      EXPECT_EQ(text, before);
      OK(PCSetType(pc, PCJACOBI)); // which has no such setting
      OK(s.set(pc, value));
    }
}

} // namespace

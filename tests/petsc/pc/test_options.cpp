// SPDX-License-Identifier: BSD-2-Clause
// Every option of every type, by the table AllOptions(): -help, setter, getter, view, effect at the next set-up,
// wrong values. Other tests are of what an option does.
#include "types.hpp"

#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>

using namespace finegrain::test;

namespace
{

PER_TYPE(OptionsPerType);

PetscErrorCode MakeTyped(const char *type, PC *pc)
{
  PetscFunctionBegin;
  PetscCall(PCCreate(PETSC_COMM_WORLD, pc));
  PetscCall(PCSetOptionsPrefix(*pc, "mine_"));
  PetscCall(PCSetType(*pc, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::set<std::string> FindAll(const std::string &text, const std::string &pattern)
{
  std::set<std::string> all;
  const std::regex word(pattern);
  for (std::sregex_iterator m(text.begin(), text.end(), word), end; m != end; ++m) all.insert((*m)[1]);
  return all;
}

TEST(Options, OfAllSettersAreInTheTable)
{
  std::ostringstream text;
  text << std::ifstream(FINEGRAIN_SOURCE "/include/petscfinegrain.h").rdbuf();
  std::set<std::string> tested;
  for (const OptionCase &option : AllOptions()) tested.insert(option.setter);
  // Setters of types that contain others are in test_lag.cpp and test_cpr.cpp.
  EXPECT_EQ(tested, FindAll(text.str(), "PetscErrorCode (PC(?!LAG|CPR)\\w+Set\\w+)\\("));
}

TEST_P(OptionsPerType, AreThoseOfHelp)
{
  Owned<PC> pc;
  std::string text;
  std::set<std::string> tested;
  const std::string prefix = std::string("help_") + t.type + "_"; // PETSc prints the options of a prefix once
  OK(PCCreate(PETSC_COMM_WORLD, &pc));
  OK(PCSetOptionsPrefix(pc, prefix.c_str()));
  OK(PCSetType(pc, t.type));
  OK(HelpText(pc, &text));
  for (const OptionCase &option : AllOptions())
    if (option.is_of(t.type)) tested.insert(option.name);
  if (!Rank()) {
    EXPECT_EQ(FindAll(text, "-" + prefix + "pc_" + t.type + "_(\\w+)[: ]"), tested) << text;
  }
}

// Options have the prefix of the PC. Their values reach getters and the view and survive a reset, and a new type
// starts with its defaults.
TEST_P(OptionsPerType, EqualTheirSetters)
{
  for (const OptionCase &option : AllOptions())
    for (const OptionValue &value : option.values) {
      if (!option.is_of(t.type)) continue;
      SCOPED_TRACE(option.name + " " + value.text);
      Owned<PC> by_option, by_setter;
      std::string text, other;
      double number = NAN;
      const auto expect = [&](PC pc, double expected) {
        if (!option.get) return;
        OK(option.get(pc, &number));
        if (!std::isnan(expected)) {
          EXPECT_EQ(PetscReal(number), PetscReal(expected));
        }
      };
      OK(MakeTyped(t.type, &by_option));
      OK(MakeTyped(t.type, &by_setter));
      const Options without_prefix(with("-@_" + option.name + " " + value.text));
      OK(PCSetFromOptions(by_option));
      expect(by_option, option.initial);
      const double initial = number;
      const Options set(with("-@_" + option.name + " " + value.text, "mine_"));
      OK(PCSetFromOptions(by_option));
      OK(option.apply(by_setter, value));
      expect(by_option, value.number);
      expect(by_setter, value.number);
      OK(ViewText(by_option, &text));
      OK(ViewText(by_setter, &other));
      EXPECT_EQ(text, other);
      ExpectIn(text, {" " + option.name + " " + value.text});
      OK(PCReset(by_option));
      expect(by_option, value.number);
      OK(PCSetType(by_option, PCJACOBI));
      if (option.set) {
        OK(option.set(by_option, value.number));
      }
      if (option.get) ExpectIn(ExpectError([&] { return option.get(by_option, &number); }), {"jacobi"});
      OK(PCSetType(by_option, t.type));
      expect(by_option, initial);
    }
}

TEST_P(OptionsPerType, OfOtherTypesDoNothing)
{
  std::set<std::string> own; // setters of this type
  for (const OptionCase &option : AllOptions())
    if (option.is_of(t.type)) own.insert(option.setter);
  for (const OptionCase &option : AllOptions()) {
    if (own.count(option.setter)) continue;
    SCOPED_TRACE(option.name);
    Owned<PC> pc;
    std::string text, before;
    double number;
    OK(MakeTyped(t.type, &pc));
    OK(ViewText(pc, &before));
    OK(option.apply(pc, option.values[0]));
    OK(ViewText(pc, &text));
    EXPECT_EQ(text, before);
    if (option.get && !option.set_by_all)
      ExpectIn(ExpectError([&] { return option.get(pc, &number); }),
               {t.type + std::string(" has no such setting"), "type " + option.types[0]});
  }
}

TEST_P(OptionsPerType, ActAtTheNextSetUp)
{
  Owned<Mat> A;
  if (t.needs_grid) {
    OK(Matrix(Shape::star, 2, MATAIJ, &A));
  } else {
    OK(AssembleMatrix(scattered(200, 3, t.symmetric), 2, MATAIJ, 1, &A));
    if (t.symmetric) {
      OK(MakeSymmetric(A));
    }
  }
  for (const OptionCase &option : AllOptions()) {
    if (!option.is_of(t.type)) continue;
    if (t.needs_grid && option.name == "block_size") continue; // that of the grid
    std::vector<Change> changes;
    for (const OptionValue &value : option.values)
      if (value.effect != Effect::fails)
        changes.push_back(
          {[&](PC pc) { return option.apply(pc, value); }, "-@_" + option.name + " " + value.text,
           value.effect == Effect::unknown ? std::nullopt : std::optional(value.effect == Effect::changes)});
    ExpectChangesToAct(A, t.type, t.base + " " + option.with, changes);
  }
}

// Errors name the option with its prefix, so that a remedy can be pasted.
TEST_P(OptionsPerType, NameWrongValues)
{
  for (const OptionCase &option : AllOptions()) {
    if (!option.is_of(t.type)) continue;
    auto wrong = option.refused;
    if (option.enumeration) wrong.emplace_back("sideways", "sideways");
    for (const auto &[value, word] : wrong) {
      SCOPED_TRACE(option.name + " " + value);
      Owned<PC> pc;
      OK(MakeTyped(t.type, &pc));
      const Options set(with("-@_" + option.name + " " + value, "mine_"));
      const std::string text = ExpectError([&] { return PCSetFromOptions(pc); });
      ExpectIn(text, {with("-@_" + option.name, "mine_"), word});
      EXPECT_EQ(text.find(with("-@_")), std::string::npos) << text;
    }
  }
}

// Fortran's enumerations are plain integers, so that a wrong variable is enough for a number outside of one.
TEST_P(OptionsPerType, NameNumbersOutsideOfAnEnumeration)
{
  for (const OptionCase &option : AllOptions()) {
    if (!option.is_of(t.type) || !option.enumeration) continue;
    for (const int value : {-1, 99}) {
      SCOPED_TRACE(option.name + " " + std::to_string(value));
      Owned<PC> pc;
      std::string text, before;
      OK(MakeTyped(t.type, &pc));
      OK(ViewText(pc, &before));
      ExpectIn(ExpectError([&] { return option.set(pc, value); }),
               {with("-@_" + option.name, "mine_") + " is number " + std::to_string(value), "it must be 0 for ",
                ", 1 for ", option.setter + "()"});
      OK(ViewText(pc, &text));
      EXPECT_EQ(text, before);
      OK(PCSetType(pc, PCJACOBI)); // which has no such setting
      OK(option.set(pc, value));
    }
  }
}

} // namespace

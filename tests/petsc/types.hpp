// SPDX-License-Identifier: BSD-2-Clause
// The tables of preconditioner types and of their options, for the tests of all types: pc/test_types_*.cpp and
// pc/test_options.cpp. A new type or option is a row in pc/types.cpp.
#pragma once

#include "fixture.hpp"

#include <optional>
#include <ostream>

namespace finegrain::test
{

// A variant of a type: its options. @ stands for the prefix of the PC and pc_<type>.
struct Variant {
  std::string options;
  bool tasks; // supports algorithm tasks
  bool steps; // an application consists of several steps, with residuals of the matrix between them

  Variant(const char *o, bool t = true, bool s = false) : options(o), tasks(t), steps(s || corrects()) {}
  bool corrects() const { return has("corrections"); }
  bool one_step() const { return has("eisenstat"); } // no corrections and no loop for Richardson
  bool has(const char *word) const { return options.find(word) != std::string::npos; }
};

struct TypeCase {
  const char *type;
  std::vector<Variant> variants; // kinds of applications; the first ones are also tested inside other PCs
  // With the options as_reference the type equals this PC of PETSc on each rank, up to rounding; null if there is
  // none.
  const char *reference = nullptr;
  std::string as_reference = "";
  bool needs_grid = false;     // supports matrices of DMDAs only
  bool symmetric = false;      // supports symmetric matrices only, so that all of its tests' are
  bool keeps_symmetry = false; // its M is symmetric if the matrix is, as KSPCG needs
  bool relaxes = false;        // inverts the diagonal blocks of the matrix, and factors nothing
  bool definite = false;       // its default shift is positive_definite
  bool half = true;            // has precision half
  std::string base = "";       // options of the PCs in which test_options.cpp changes one option
};

const std::vector<TypeCase> &AllTypes();
inline void PrintTo(const TypeCase &t, std::ostream *out) { *out << t.type; }

// Effect of a value on the result of an application, at the next set-up.
enum class Effect {
  changes,
  none,
  unknown, // depends on the type, the ranks or PETSc's precision
  fails    // the set-up fails without other matrices or options
};

// A value of an option that is not its default.
struct OptionValue {
  std::string text;
  double number = 0; // argument of the setter
  Effect effect = Effect::changes;
  std::function<PetscErrorCode(PC)> set = {}; // of options whose setter has other arguments
};

struct OptionCase {
  std::string name;
  std::vector<std::string> types = {}; // types that have the option; empty: all
  std::string setter = "";             // name of the function
  // Setter and getter of one number; null if the functions have other arguments.
  std::function<PetscErrorCode(PC, double)> set = {};
  std::function<PetscErrorCode(PC, double *)> get = {};
  bool enumeration = false;
  bool set_by_all = false; // types without the option have the setter, and their set-up rejects other values
  double initial = 0;      // default; NaN: it depends on the type
  std::vector<OptionValue> values = {};
  std::string with = ""; // options with which `values` have their effect
  // Values that are errors when they are read, and a word of the message. Unknown names of an enumeration always are.
  std::vector<std::pair<std::string, std::string>> refused = {};
  std::vector<const char *> drawn = {}; // values in tests/random; the last one is often invalid

  bool is_of(const std::string &type) const;
  PetscErrorCode apply(PC pc, const OptionValue &value) const; // by the setter
};

// An option may have several rows, with values of some types.
const std::vector<OptionCase> &AllOptions();

// `options` with the type and a prefix for each @.
std::string Expand(std::string options, const std::string &type, const std::string &prefix = "");

// Expands the options of a role, such as "-pc_type bjacobi {sub_}": {prefix} becomes the type with its options under
// this prefix, @ the type.
std::string Cast(std::string role, const std::string &type,
                 const std::function<std::string(const std::string &prefix)> &options);

// Kinds of matrices that a type supports. For one that needs grids: a star, a star with periodic boundaries, a
// plane, a line; a line is AIJ.
enum class Shape { star, box, scattered, small };

// A setter, the equivalent option, and whether it changes the result; null: not tested.
struct Change {
  std::function<PetscErrorCode(PC)> set;
  std::string option;
  std::optional<bool> differs = true;
};

// Applies each change between set-ups. The result must be bitwise identical to that of a new PC with the option, and
// differ from the previous result if the change says so. Repeating the change must not repeat the analysis.
void ExpectChangesToAct(Mat A, const std::string &type, const std::string &options,
                        const std::vector<Change> &changes);

// Set-up, or, if `at_options`, reading the options must fail; every word must be in the message.
void ExpectRefusal(Mat A, const std::string &type, const std::string &options, const std::vector<std::string> &words,
                   bool at_options = false);

class PerType : public ::testing::TestWithParam<TypeCase>
{
protected:
  const TypeCase &t = GetParam();

  std::string with(const std::string &options, const std::string &prefix = "") const
  {
    return Expand(options, t.type, prefix);
  }
  PetscErrorCode Matrix(Shape shape, PetscInt n, MatType type, Mat *A, int seed = 1) const;
  PetscErrorCode Make(Mat A, const std::string &options, PC *pc) const
  {
    return MakePC(A, t.type, with(options), pc);
  }
  void Refuse(Mat A, const std::string &options, std::vector<std::string> words, bool at_options = false) const
  {
    for (std::string &word : words) word = with(word);
    ExpectRefusal(A, t.type, with(options), words, at_options);
  }
};

// A suite of tests that run for each type.
#define PER_TYPE(suite)                                                                                              \
  class suite : public PerType                                                                                       \
  {                                                                                                                  \
  };                                                                                                                 \
  INSTANTIATE_TEST_SUITE_P(Types, suite, ::testing::ValuesIn(AllTypes()),                                            \
                           [](const auto &row) { return std::string(row.param.type); })

} // namespace finegrain::test

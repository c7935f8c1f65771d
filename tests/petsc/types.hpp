// SPDX-License-Identifier: BSD-2-Clause
// The types of preconditioners, a row for each, for the tests of all types: pc/test_types_*.cpp. A new type is a row
// in pc/types.cpp and a file of what is its own.
#pragma once

#include "fixture.hpp"

#include <ostream>

namespace finegrain::test
{

// Options that make a type something else. Where an @ is, the option has the prefix of the PC and pc_<type>.
struct Variant {
  std::string options;
  bool tasks; // algorithm tasks runs it
  bool steps; // an application is several steps, with residuals of the matrix between them

  Variant(const char *o, bool t = true, bool s = false) : options(o), tasks(t), steps(s || corrects()) {}
  bool corrects() const { return has("corrections"); }
  bool one_step() const { return has("eisenstat"); } // no corrections, no loop of Richardson's
  bool has(const char *word) const { return options.find(word) != std::string::npos; }
};

struct TypeCase {
  const char *type;
  std::vector<Variant> variants; // what sets applications apart; the first ones also stand inside other PCs
  // With these options it does on each rank what this PC of PETSc does, to rounding; no PC if there is none.
  const char *reference = nullptr;
  std::string as_reference = "";
  bool needs_grid = false; // takes matrices of DMDAs only
  bool symmetric = false;  // takes symmetric matrices only: all of the battery are
  // Options that -help lists beside those of all types, and those of other types that it does not.
  std::vector<std::string> options = {}, absent = {};
};

const std::vector<TypeCase> &AllTypes();
inline void PrintTo(const TypeCase &t, std::ostream *out) { *out << t.type; }

// `options` with the type and a prefix for each @.
std::string Expand(std::string options, const std::string &type, const std::string &prefix = "");

// The options of a role, such as "-pc_type bjacobi {sub_}": {prefix} is the type with its options there, an @ the
// type.
std::string Cast(std::string role, const std::string &type,
                 const std::function<std::string(const std::string &prefix)> &options);

// Kinds of matrices that a type takes. For one that needs grids: a star, a star with periodic boundaries, a plane, a
// line; a line is AIJ.
enum class Shape { star, box, scattered, small };

// A setter, the option that does the same, and whether the result is another one.
struct Change {
  std::function<PetscErrorCode(PC)> set;
  std::string option;
  bool differs = true;
};

// Each of them between set-ups gives the bits of a new PC with the option, and others than before; once more, it
// repeats no analysis.
void ExpectChangesToAct(Mat A, const std::string &type, const std::string &options,
                        const std::vector<Change> &changes);

// Set-up must fail, or, if `at_options`, reading the options; every word must be in the message.
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

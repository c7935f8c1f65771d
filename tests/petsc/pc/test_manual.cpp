// SPDX-License-Identifier: BSD-2-Clause
// -help, the manual page of a type in the sources and its page in docs name the same options, with the same values
// and setters.
#include "types.hpp"

#include <cctype>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

using namespace finegrain::test;

namespace
{

struct Entry {
  std::string values, setter; // values of a choice, separated by commas
};
using Entries = std::map<std::string, Entry>; // by option name

std::string ReadFile(const std::string &name)
{
  std::ostringstream text;
  text << std::ifstream(std::string(FINEGRAIN_SOURCE) + "/" + name).rdbuf();
  std::string all = text.str();
  EXPECT_FALSE(all.empty()) << name;
  // Complex numbers have no definite shift, which the pages list for real ones.
  return PetscDefined(USE_COMPLEX) ? std::regex_replace(all, std::regex(",?positive_definite(, )?"), "") : all;
}

// Returns name -> the two groups after it, for all matches.
Entries FindAll(const std::string &text, const std::regex &pattern)
{
  Entries entries;
  for (std::sregex_iterator m(text.begin(), text.end(), pattern), end; m != end; ++m)
    EXPECT_TRUE(entries.emplace((*m)[1], Entry{(*m)[2], (*m)[3]}).second) << (*m)[1] << " is there twice";
  return entries;
}

Entries OfHelp(const std::string &type, const std::string &text)
{
  Entries entries = FindAll(text, std::regex("-manual_" + type + "_pc_" + type +
                                             "_(\\w+)[: ](?:[^\n]*\\(choose one of\\) ([^(\n]*)|[^\n]*)"
                                             "\\((\\w+)\\)"));
  for (auto &[name, e] : entries) {
    std::istringstream words(e.values);
    e.values.clear();
    for (std::string word; words >> word;) e.values += (e.values.empty() ? "" : ",") + word;
  }
  return entries;
}

// The names in a list with any separators.
std::set<std::string> Sorted(const std::string &list)
{
  const std::regex word("\\w+");
  return {std::sregex_token_iterator(list.begin(), list.end(), word), std::sregex_token_iterator()};
}

PER_TYPE(ManualPerType);

// Types that contain others have no common options.
const char *const nested_types[] = {PCLAG, PCCPR};

TEST(Manual, VersionSaysWhatItWasBuiltWith)
{
  char text[256], cut[10];
  OK(PetscFinegrainGetVersion(text, sizeof(text)));
  ExpectIn(text, {"finegrain " PETSCFINEGRAIN_VERSION, ", for PETSc " + std::to_string(PETSC_VERSION_MAJOR) + ".",
                  "-bit indices), with Kokkos "});
  OK(PetscFinegrainGetVersion(cut, sizeof(cut)));
  EXPECT_STREQ(cut, "finegrain");
  const ErrorCatcher quiet;
  EXPECT_NE(int(PetscFinegrainGetVersion(nullptr, 1)), 0);
}

// Compares the types that the plugin registers, the table of types, and the programs and pages that list them.
TEST(Manual, AllListsHaveAllTypes)
{
  const std::string source = ReadFile("src/petsc/pc/types.hpp");
  const std::regex name("&(\\w+)_type");
  std::set<std::string> registered, tested;
  for (std::sregex_iterator m(source.begin(), source.end(), name), end; m != end; ++m) registered.insert((*m)[1]);
  for (const TypeCase &t : AllTypes()) tested.insert(t.type);
  EXPECT_EQ(registered, tested);
  const std::string hashes = ReadFile("tests/hashes/hashes.cpp"), index = ReadFile("docs/index.md"),
                    readme = ReadFile("README.md"), choosing = ReadFile("docs/choosing.md"),
                    python = ReadFile("src/python/finegrain/__init__.py");
  std::set<std::string> all = registered;
  all.insert(std::begin(nested_types), std::end(nested_types));
  for (const std::string &type : all) {
    for (const std::string *page : {&index, &readme, &choosing})
      EXPECT_NE(page->find(type), std::string::npos) << type;
    std::string capitals;
    for (const char c : type) capitals.push_back(char(std::toupper(static_cast<unsigned char>(c))));
    if (registered.count(type)) {
      EXPECT_NE(hashes.find("{PC" + capitals), std::string::npos) << type;
    }
    EXPECT_NE(python.find("\"" + capitals + "\""), std::string::npos) << type; // in __all__
  }
}

// The options that the manual pages in a file list for a type.
Entries OfManual(const std::string &source, const std::string &type)
{
  return FindAll(source, std::regex("[+.-]  -pc_" + type + "_(\\w+) +<([^>]*)> +- `(\\w+)\\(\\)`"));
}

// Compares -help of a type with its manual page, in a file of src/petsc/pc, and its page in docs. `common`: it has
// the options of all types, too.
void ExpectAgreement(const std::string &type, const std::string &file, bool common)
{
  Owned<PC> pc;
  std::string text;
  PetscMPIInt rank;
  OK(PCCreate(PETSC_COMM_SELF, &pc));
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  OK(PCSetOptionsPrefix(pc, ("manual_" + type + "_").c_str())); // PETSc prints the options of a prefix once
  OK(PCSetType(pc, type.c_str()));
  OK(HelpText(pc, &text));
  if (rank) return; // PETSc prints on the first rank
  const Entries help = OfHelp(type, text);
  EXPECT_GT(help.size(), common ? 10u : 2u) << text;

  std::string page = ReadFile("src/petsc/pc/" + file);
  page = page.substr(page.find("/*MC"));
  Entries manual = OfManual(page, type);
  // Options of several types are in one table, which names their types.
  Entries docs =
    FindAll(ReadFile("docs/types/" + type + ".md"), std::regex("\n\\| `-pc_" + type + "_(\\w+)` \\| ([^|]*) \\|()"));
  if (common) {
    manual.merge(OfManual(ReadFile("include/petscfinegrain.h"), "<type>")); // a type's own entries stay
    docs.merge(
      FindAll(ReadFile("docs/types/options.md"),
              std::regex("\n\\| `-pc_<type>_(\\w+)` \\| ([^|]*) \\| (?:all|[^|]*\\b" + type + "\\b)[^|]*\\|()")));
  }
  for (const auto &[name, entry] : help) {
    SCOPED_TRACE(name);
    const auto m = manual.find(name);
    if (m == manual.end()) {
      ADD_FAILURE() << "is not on the manual page";
      continue;
    }
    EXPECT_EQ(m->second.setter, entry.setter);
    if (!entry.values.empty()) {
      EXPECT_EQ(m->second.values, entry.values);
    }
    const auto d = docs.find(name);
    if (d == docs.end()) ADD_FAILURE() << "is not on the page in docs";
    else if (!entry.values.empty()) {
      EXPECT_EQ(Sorted(d->second.values), Sorted(entry.values)); // a page begins with the default
    }
  }
  for (const Entries *page_of : std::initializer_list<const Entries *>{&manual, &docs})
    for (const auto &[name, entry] : *page_of) EXPECT_TRUE(help.count(name)) << name << " is not in -help";
}

TEST_P(ManualPerType, HelpManualPageAndDocsAgree)
{
  ExpectAgreement(t.type, std::string("types/") + t.type + ".cpp", true);
}

TEST(Manual, HelpManualPageAndDocsOfNestedTypesAgree)
{
  for (const std::string type : nested_types) {
    SCOPED_TRACE(type);
    ExpectAgreement(type, "nested/" + type + ".cpp", false);
  }
}

} // namespace

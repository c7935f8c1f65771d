// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer on the texts of options. The bytes are a type and the text behind -pc_<type>_ on a command line. Options
// may be read or refused, and a set-up may succeed or fail, but the next PC must work.
#include <petscfinegrain.h>
#include <petscksp.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace
{

Mat A;
Vec b, x;
std::vector<std::string> types; // of preconditioners, which the plugin registers

PetscErrorCode Quiet(MPI_Comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType, const char *,
                     void *)
{
  return code;
}

PetscErrorCode MakeMatrix()
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqBAIJ(PETSC_COMM_SELF, 2, 24, 24, 3, nullptr, &A));
  for (PetscInt i = 0; i < 24; ++i)
    for (PetscInt j = i / 2 * 2 - 2; j < i / 2 * 2 + 4; ++j)
      if (j >= 0 && j < 24) PetscCall(MatSetValue(A, i, j, i == j ? 8 : -1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

// Errors are allowed here.
PetscErrorCode Solve(const char *type)
{
  PC pc;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(PCSetOperators(pc, A, A));
  code = PCSetFromOptions(pc);
  if (!code) code = PCSetUp(pc);
  if (!code) code = PCApply(pc, b, x);
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(code);
}

// Registers the plugin's types, and finds their names.
PetscErrorCode FindTypes()
{
  const auto registered = [](std::set<std::string> *names) {
    const char **list;
    int count;
    PetscFunctionBegin;
    PetscCall(PetscFunctionListGet(PCList, &list, &count));
    names->insert(list, list + count);
    PetscCall(PetscFree(list));
    PetscFunctionReturn(static_cast<PetscErrorCode>(0));
  };
  std::set<std::string> before, after;

  PetscFunctionBegin;
  PetscCall(PCInitializePackage());
  PetscCall(registered(&before));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(registered(&after));
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(types));
  PetscFunctionReturn(static_cast<PetscErrorCode>(0));
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *argc, char ***)
{
  int none = 0;
  (void)argc;
  if (PetscInitialize(&none, nullptr, nullptr, nullptr) || FindTypes() || MakeMatrix()) return 1;
  return PetscPushErrorHandler(Quiet, nullptr) ? 1 : 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
  if (size < 2) return 0;
  const char *type = types[data[0] % types.size()].c_str();
  const std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  // PETSc's own options are not tested, and large counts only need time.
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    if (text[i] == '-' && std::isalpha(static_cast<unsigned char>(text[i + 1]))) return 0;
  for (std::size_t i = 0, digits = 0; i < text.size(); ++i)
    if ((digits = std::isdigit(static_cast<unsigned char>(text[i])) ? digits + 1 : 0) > 3) return 0;
  // Words are alternately the name of an option and its value.
  std::string options;
  for (std::size_t at = 0, word = 0; at < text.size(); ++word) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    options += (word % 2 ? " " : std::string(" -pc_") + type + "_") + text.substr(at, end - at);
    at = end + 1;
  }
  if (!PetscOptionsInsertString(nullptr, options.c_str())) (void)Solve(type);
  (void)PetscOptionsClear(nullptr);
  if (Solve(type) && std::string(type) != PCSIP) { // which has no grid here
    std::fprintf(stderr, "fuzz_options: after '%s' the defaults fail\n", options.c_str());
    std::abort();
  }
  return 0;
}

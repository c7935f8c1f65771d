// SPDX-License-Identifier: BSD-2-Clause
// Implementation of fixture.hpp: views, output, errors, event counts.
#include "fixture.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace finegrain::test
{

PetscErrorCode ViewText(PetscObject object, std::string *text, PetscViewerFormat format)
{
  const MPI_Comm comm = PetscObjectComm(object);
  char name[] = "/tmp/finegrain-view-XXXXXX";
  PetscMPIInt rank;
  Owned<PetscViewer> viewer;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) close(mkstemp(name));
  PetscCallMPI(MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, comm));
  PetscCall(PetscViewerASCIIOpen(comm, name, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, format));
  PetscCall(PetscObjectView(object, viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  viewer.reset();
  PetscCallMPI(MPI_Barrier(comm)); // until the first rank has written the file
  std::ostringstream all;
  all << std::ifstream(name).rdbuf();
  *text = all.str();
  PetscCallMPI(MPI_Barrier(comm));
  if (!rank) std::remove(name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Capture(int descriptor, const std::function<PetscErrorCode()> &call, std::string *text)
{
  char name[] = "/tmp/finegrain-text-XXXXXX";

  PetscFunctionBegin;
  const int file = mkstemp(name), kept = dup(descriptor);
  (void)fflush(nullptr);
  dup2(file, descriptor);
  const PetscErrorCode code = call();
  (void)fflush(nullptr);
  dup2(kept, descriptor);
  close(file);
  close(kept);
  std::ostringstream all;
  all << std::ifstream(name).rdbuf();
  *text = all.str();
  std::remove(name);
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode InfoText(const std::function<PetscErrorCode()> &body, std::string *text)
{
  PetscFunctionBegin;
  PetscCall(PetscInfoSetFile(nullptr, nullptr)); // standard output
  PetscCall(PetscInfoAllow(PETSC_TRUE));
  const PetscErrorCode code = Capture(1, body, text);
  PetscCall(PetscInfoAllow(PETSC_FALSE));
  PetscFunctionReturn(code);
}

PetscErrorCode HelpText(PC pc, std::string *text)
{
  const Options set("-help");
  return Capture(
    1, [&] { return PCSetFromOptions(pc); }, text);
}

void ExpectIn(const std::string &text, const std::vector<std::string> &parts)
{
  for (const std::string &part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in\n" << text;
}

PetscInt NumberAfter(const std::string &text, const std::string &key)
{
  ExpectIn(text, {key});
  const std::size_t at = text.find(key);
  return at == std::string::npos ? -1 : PetscInt(std::atol(text.c_str() + at + key.size()));
}

int EventCount(const char *name)
{
  PetscLogEvent event;
  PetscEventPerfInfo info{};
  if (PetscLogEventGetId(name, &event) || PetscLogEventGetPerfInfo(0, event, &info)) return -1;
  return info.count;
}

int Factorizations() { return EventCount("FGFactor") + EventCount("MatLUFactorNum") + EventCount("MatCholFctrNum"); }

int Applications()
{
  int count = EventCount("FGApply"), sum;
  MPI_Allreduce(&count, &sum, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  return sum;
}

Options::~Options()
{
  std::istringstream words(text_);
  for (std::string word; words >> word;)
    if (word.size() > 1 && word[0] == '-' && std::isalpha(word[1]))
      (void)PetscOptionsClearValue(nullptr, word.c_str());
}

ErrorCatcher::ErrorCatcher() { (void)PetscPushErrorHandler(handle, this); }
ErrorCatcher::~ErrorCatcher() { (void)PetscPopErrorHandler(); }

PetscErrorCode ErrorCatcher::handle(MPI_Comm, int, const char *, const char *, PetscErrorCode code,
                                    PetscErrorType type, const char *text, void *context)
{
  ErrorCatcher *catcher = static_cast<ErrorCatcher *>(context);
  if (type == PETSC_ERROR_INITIAL && catcher->first.empty()) catcher->first = text;
  return code;
}

std::string ExpectError(const std::function<PetscErrorCode()> &call)
{
  const char other[] = "Another rank has failed";
  int rank, size;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  std::string text;
  {
    ErrorCatcher catcher;
    EXPECT_NE(static_cast<int>(call()), 0) << "rank " << rank << " raised no error";
    text = catcher.first;
  }
  EXPECT_FALSE(text.empty());
  // Uses the text of the smallest rank that has the original error.
  int mine = text.rfind(other, 0) == 0 ? size : rank, from;
  MPI_Allreduce(&mine, &from, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
  if (from == size) from = 0;
  char buffer[2048] = {};
  text.copy(buffer, sizeof(buffer) - 1);
  MPI_Bcast(buffer, sizeof(buffer), MPI_CHAR, from, PETSC_COMM_WORLD);
  return buffer;
}

} // namespace finegrain::test

// SPDX-License-Identifier: BSD-2-Clause
// Delays messages through MPI's profiling interface: these functions precede MPI's for calls of the plugin and of
// PETSc.
#include "delays.hpp"

#include <petscsys.h> // not only <mpi.h>, whose C++ bindings need a library

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <thread>
#include <vector>

// PETSc counts calls by macros of these names.
#undef MPI_Allreduce
#undef MPI_Isend
#undef MPI_Start
#undef MPI_Wait
#undef MPI_Waitall

namespace
{

bool active = false;
int held_in_all;
std::mt19937 chance;
std::set<MPI_Request> sends, receives, expected; // persistent ones, also of inactive times; begun receives
std::vector<MPI_Request *> held;                 // sends started by their owner, not yet by MPI

void sleep()
{
  if (active && chance() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(chance() % 300));
}

int let_go()
{
  std::shuffle(held.begin(), held.end(), chance);
  for (MPI_Request *request : held)
    if (const int error = PMPI_Start(request)) return error;
  held.clear();
  return MPI_SUCCESS;
}

} // namespace

extern "C" int MPI_Send_init(const void *buffer, int count, MPI_Datatype unit, int to, int tag, MPI_Comm comm,
                             MPI_Request *request)
{
  const int error = PMPI_Send_init(buffer, count, unit, to, tag, comm, request);
  if (!error) sends.insert(*request);
  return error;
}

extern "C" int MPI_Recv_init(void *buffer, int count, MPI_Datatype unit, int from, int tag, MPI_Comm comm,
                             MPI_Request *request)
{
  const int error = PMPI_Recv_init(buffer, count, unit, from, tag, comm, request);
  if (!error) receives.insert(*request);
  return error;
}

extern "C" int MPI_Request_free(MPI_Request *request)
{
  for (auto *set : {&sends, &receives, &expected}) set->erase(*request);
  return PMPI_Request_free(request);
}

// A send is held back only while a receive is pending, because the rank will wait for that receive.
extern "C" int MPI_Start(MPI_Request *request)
{
  sleep();
  if (receives.count(*request)) expected.insert(*request);
  if (!active || !sends.count(*request) || expected.empty() || chance() % 2) return PMPI_Start(request);
  held.push_back(request);
  ++held_in_all;
  return MPI_SUCCESS;
}

extern "C" int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
  sleep();
  const bool is_held = std::find(held.begin(), held.end(), request) != held.end();
  if (is_held || expected.erase(*request))
    if (const int error = let_go()) return error;
  return PMPI_Wait(request, status);
}

extern "C" int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
  sleep();
  return PMPI_Waitall(count, requests, statuses);
}

extern "C" int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype unit, MPI_Op op, MPI_Comm comm)
{
  sleep();
  return PMPI_Allreduce(from, to, count, unit, op, comm);
}

extern "C" int MPI_Isend(const void *buffer, int count, MPI_Datatype unit, int to, int tag, MPI_Comm comm,
                         MPI_Request *request)
{
  sleep();
  return PMPI_Isend(buffer, count, unit, to, tag, comm, request);
}

namespace finegrain::test
{

Delays::Delays()
{
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  chance.seed(std::mt19937::result_type(1 + rank));
  held_in_all = 0;
  active = true;
}
Delays::~Delays() { active = false; }
int Delays::count() const
{
  int sum;
  PMPI_Allreduce(&held_in_all, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

} // namespace finegrain::test

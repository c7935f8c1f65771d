// SPDX-License-Identifier: BSD-2-Clause
// Messages of the pipeline between ranks: persistent requests, one for each tile that another rank reads.
#include "pc/ranks/pipeline.hpp"
#include "pc/ranks/shared_rows.hpp"

#include <algorithm>
#include <cstring>

namespace finegrain
{

PetscErrorCode PipelineExchange::Persistent::start()
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Start(&request));
  under_way = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PipelineExchange::Persistent::wait()
{
  PetscFunctionBegin;
  if (under_way) PetscCallMPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
  under_way = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PipelineExchange::make_requests(Messages *messages, bool sends, bool upwards)
{
  PetscFunctionBegin;
  for (std::size_t i = 0; i < messages->list.size(); ++i) {
    Message &m = messages->list[i];
    messages->of_tile[std::size_t(m.tile)].push_back(i);
    m.x.resize(m.rows.size() * block_);
    m.bytes.resize(m.blocks.size() * block_bytes_);
    PetscCheck(std::max(m.x.size(), m.bytes.size()) <= std::size_t(PETSC_MPI_INT_MAX), PETSC_COMM_SELF,
               PETSC_ERR_ARG_OUTOFRANGE,
               "A message between two tiles has %zu bytes, and MPI counts up to %d; set smaller tiles with "
               "PCFinegrainSetTile()",
               m.bytes.size(), PETSC_MPI_INT_MAX);
    const PetscMPIInt entries = PetscMPIInt(m.x.size()), bytes = PetscMPIInt(m.bytes.size());
    const auto make = [&](auto &buffer, PetscMPIInt count, MPI_Datatype unit, MPI_Request *request) {
      return sends ? MPI_Send_init(buffer.data(), count, unit, m.rank, m.tag, comm_, request)
                   : MPI_Recv_init(buffer.data(), count, unit, m.rank, m.tag, comm_, request);
    };
    PetscCallMPI(make(m.x, entries, MPIU_SCALAR, &m.entries.request));
    if (upwards) PetscCallMPI(make(m.bytes, bytes, MPI_BYTE, &m.factor.request));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PipelineExchange::destroy()
{
  PetscFunctionBegin;
  for (auto *messages : {&sent_[0], &sent_[1], &received_[0], &received_[1]}) {
    for (Message &m : messages->list)
      for (Persistent *message : {&m.entries, &m.factor}) {
        PetscCall(message->wait());
        if (message->request != MPI_REQUEST_NULL) PetscCallMPI(MPI_Request_free(&message->request));
      }
    *messages = {};
  }
  if (comm_ != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&comm_));
  PetscCall(SharedExchange::destroy());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PipelineExchange::await(Persistent *message)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(finegrain_events.halo_end, owner_, nullptr, nullptr, nullptr));
  PetscCall(message->wait());
  PetscCall(PetscLogEventEnd(finegrain_events.halo_end, owner_, nullptr, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PipelineExchange::start(Travel travel, const SharedArrays &)
{
  for (Message &m : received(travel).list) check((travel == Travel::factor ? m.factor : m.entries).start());
}

void PipelineExchange::await(Travel travel, Index tile, const SharedArrays &a)
{
  Messages &messages = received(travel);
  for (const std::size_t i : messages.of_tile[std::size_t(tile)]) {
    Message &m = messages.list[i];
    if (travel == Travel::factor) {
      check(await(&m.factor));
      for (std::size_t k = 0; k < m.blocks.size(); ++k)
        std::memcpy(static_cast<char *>(a.upper) + std::size_t(m.blocks[k]) * block_bytes_,
                    m.bytes.data() + k * block_bytes_, block_bytes_);
    } else {
      check(await(&m.entries));
      for (std::size_t k = 0; k < m.rows.size(); ++k)
        std::copy_n(m.x.data() + k * block_, block_, a.others + std::size_t(m.rows[k]) * block_);
    }
  }
}

void PipelineExchange::end(Travel travel, Index tile, const SharedArrays &a)
{
  Messages &messages = sent(travel);
  for (const std::size_t i : messages.of_tile[std::size_t(tile)]) {
    Message &m = messages.list[i];
    Persistent &message = travel == Travel::factor ? m.factor : m.entries;
    check(await(&message)); // message of the previous sweep
    if (travel == Travel::factor)
      for (std::size_t k = 0; k < m.blocks.size(); ++k)
        std::memcpy(m.bytes.data() + k * block_bytes_,
                    static_cast<const char *>(a.upper) + std::size_t(m.blocks[k]) * block_bytes_, block_bytes_);
    else
      for (std::size_t k = 0; k < m.rows.size(); ++k)
        std::copy_n(a.x + std::size_t(m.rows[k]) * block_, block_, m.x.data() + k * block_);
    check(message.start());
  }
}

} // namespace finegrain

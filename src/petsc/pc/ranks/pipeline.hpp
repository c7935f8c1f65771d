// SPDX-License-Identifier: BSD-2-Clause
// The exchange of fgbilu's factor of the whole grid: faces of tiles go to the next rank when their tile is done, and
// nothing in a sweep is known to all ranks. Decisions of docs say why no rank waits for ever.
#pragma once

#include "pc/ranks/shared_rows.hpp"

#include "distributed/pipeline_model.hpp"

namespace finegrain
{

class PipelineExchange final : public SharedExchange
{
public:
  PetscErrorCode create(PetscObject owner, const Operator &op, const OperatorView &view,
                        const SharedStorage &storage) override;
  PetscErrorCode destroy() override;
  PetscErrorCode view(PetscViewer viewer) const override;

  void start(Travel travel, const SharedArrays &a) override;
  void await(Travel travel, Index tile, const SharedArrays &a) override;
  void begin(Travel, Index, const SharedArrays &) override {} // a tile travels when it is done
  void end(Travel travel, Index tile, const SharedArrays &a) override;

protected:
  PetscErrorCode find_stages(PC pc, PC_Finegrain *e, const shared::Owned &owned, const OperatorView &view,
                             Coloring *coloring, SharedRows *rows) override;
  // sip's: the whole star of the grid, and all blocks of rows beside owned ones.
  PetscErrorCode find_pattern(const PC_Finegrain &e, const shared::Owned &owned, const OperatorView &view,
                              const Coloring &coloring, shared::FactorRows *rows, bool *second_ring) override;

private:
  // A persistent request. Nobody waits where nothing is under way: MPI says that this returns at once, Open MPI
  // 6.0.0rc2 now and then that a buffer is invalid.
  struct Persistent {
    MPI_Request request = MPI_REQUEST_NULL;
    bool under_way = false;

    PetscErrorCode start();
    PetscErrorCode wait();
  };
  // What a rank gives another when a tile is done, or gets. From a lower rank to a higher one blocks of the factor
  // and entries of forward sweeps travel, the other way entries of backward sweeps.
  struct Message {
    PetscMPIInt rank, tag;
    Index tile;                // of this rank: it sends behind it, or receives before it
    std::vector<Index> rows;   // of x, or of `others`
    std::vector<Index> blocks; // of the upper part, from a lower rank to a higher one
    std::vector<PetscScalar> x;
    std::vector<unsigned char> bytes;
    Persistent entries{}, factor{};
  };
  // Of one direction: messages, and those of each tile.
  struct Messages {
    std::vector<Message> list;
    std::vector<std::vector<std::size_t>> of_tile;
  };
  Messages &sent(Travel travel) { return sent_[travel == Travel::backward]; }
  Messages &received(Travel travel) { return received_[travel == Travel::backward]; }
  PetscErrorCode make_requests(Messages *messages, bool sends, bool upwards);
  PetscErrorCode await(Persistent *message);

  // The DMDA's grid: points of each rank along each axis, block rows of all ranks before each one.
  struct Whole {
    std::array<std::vector<PetscInt>, 3> begin; // first point of each part of an axis, and the end
    std::vector<PetscInt> row;

    std::int64_t edge(std::size_t axis) const { return begin[axis].back(); }
    std::array<std::int64_t, 3> place(std::int64_t key) const
    {
      return {key % edge(0), key / edge(0) % edge(1), key / edge(0) / edge(1)};
    }
    // Global block row of a point.
    PetscInt number(const std::array<std::int64_t, 3> &point) const;
  };
  PetscErrorCode find_whole(PC pc, const PC_Finegrain &e, Index rows);
  PetscErrorCode check_star(PC pc, const OperatorView &view) const;

  Whole whole_;
  bool second_ring_ = false;      // all upper blocks of a row travel
  MPI_Comm comm_ = MPI_COMM_NULL; // of its own
  PetscObject owner_ = nullptr;
  std::size_t block_ = 0, block_bytes_ = 0; // scalars of a block row, bytes of a block
  Messages sent_[2], received_[2];
  PipelineShape shape_;
  PipelinePrediction prediction_;
  double latency_ = 0;
};

} // namespace finegrain

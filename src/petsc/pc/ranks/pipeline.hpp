// SPDX-License-Identifier: BSD-2-Clause
// Exchange of a global factorization on a grid (fgbilu, sip): when a tile is done, its faces are sent to the next
// ranks. Sweeps need no collective communication. decisions.md, Global factorizations, says why no rank waits for
// ever.
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
  void begin(Travel, Index, const SharedArrays &) override {} // a tile is sent in end()
  void end(Travel travel, Index tile, const SharedArrays &a) override;

protected:
  PetscErrorCode find_stages(PC pc, PC_Finegrain *e, const shared::Owned &owned, const OperatorView &view,
                             Coloring *coloring, SharedRows *rows) override;
  // For sip: the whole star of the grid, and all blocks of rows adjacent to owned ones.
  PetscErrorCode find_pattern(const PC_Finegrain &e, const shared::Owned &owned, const OperatorView &view,
                              const Coloring &coloring, shared::FactorRows *rows, bool *second_ring) override;

private:
  // Persistent request. wait() does not call MPI if no message is under way: by the standard that would return at
  // once, but Open MPI 6.0.0rc2 sometimes reports an invalid buffer.
  struct Persistent {
    MPI_Request request = MPI_REQUEST_NULL;
    bool under_way = false;

    PetscErrorCode start();
    PetscErrorCode wait();
  };
  // Message to another rank after a tile, or from another rank. Blocks of the factor and entries of forward sweeps
  // are sent from lower to higher ranks, entries of backward sweeps from higher to lower ranks.
  struct Message {
    PetscMPIInt rank, tag;
    Index tile;                // of this rank: sends follow it, receives precede it
    std::vector<Index> rows;   // rows of x, or of `others`
    std::vector<Index> blocks; // of the upper part, in messages to higher ranks
    std::vector<PetscScalar> x;
    std::vector<unsigned char> bytes;
    Persistent entries{}, factor{};
  };
  // Messages of one direction, and the indices of those of each tile.
  struct Messages {
    std::vector<Message> list;
    std::vector<std::vector<std::size_t>> of_tile;
  };
  Messages &sent(Travel travel) { return sent_[travel == Travel::backward]; }
  Messages &received(Travel travel) { return received_[travel == Travel::backward]; }
  struct Routes;
  PetscErrorCode check_tags(Index tiles) const;
  PetscErrorCode find_routes(const SharedRows &s, const SharedStorage &storage, const HostArray<Index> &tile_of,
                             const PetscSFNode *remote, PetscMPIInt me, Routes *routes) const;
  void make_messages(const SharedRows &s, const SharedStorage &storage, const PetscSFNode *remote, PetscMPIInt me,
                     const Routes &routes);
  PetscErrorCode make_requests(Messages *messages, bool sends, bool upwards);
  PetscErrorCode await(Persistent *message);

  // Grid of the DMDA: its division among ranks along each axis, and the first global block row of each rank.
  struct WholeGrid {
    std::array<std::vector<PetscInt>, 3> begin; // first point of each rank along an axis, and the end
    std::vector<PetscInt> row;

    std::int64_t edge(std::size_t axis) const { return begin[axis].back(); }
    std::array<std::int64_t, 3> place(std::int64_t key) const
    {
      return {key % edge(0), key / edge(0) % edge(1), key / edge(0) / edge(1)};
    }
    // Returns the global block row of a point.
    PetscInt number(const std::array<std::int64_t, 3> &point) const;
  };
  PetscErrorCode find_whole_grid(PC pc, const PC_Finegrain &e, Index rows);
  PetscErrorCode check_star(PC pc, const OperatorView &view) const;

  WholeGrid whole_grid_;
  bool second_ring_ = false;      // all upper blocks of a row are sent
  MPI_Comm comm_ = MPI_COMM_NULL; // duplicate, for tags of its own
  PetscObject owner_ = nullptr;
  std::size_t block_ = 0, block_bytes_ = 0; // scalars of a block row, bytes of a block
  Messages sent_[2], received_[2];
  PipelineShape shape_;
  PipelinePrediction prediction_;
  double latency_ = 0;
};

} // namespace finegrain

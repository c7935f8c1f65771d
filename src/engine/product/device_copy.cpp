// SPDX-License-Identifier: BSD-2-Clause
// The device copy on hosts and devices: storage of the blocks, and the kernels of products and assembly.
#include "product/device_copy.hpp"

#include "staged_halo.hpp"

#include "product/ordered_ghosts.hpp"
#include "product/overlap.hpp"
#include "product/product_kernels.hpp"
#include "product/residual.hpp"
#include "product/row_sums.hpp"
#include "base/copies.hpp"
#include "base/rounding.hpp"
#include "base/threads.hpp"
#include "base/prefetch_distance.hpp"

#include <algorithm>
#include <limits>

namespace finegrain
{

namespace
{

// Sums the values of each target (AssemblyLists), `unit` scalars each. Blocks are stored by columns, values by rows.
struct AssemblySums {
  int n, unit;
  Offset own;
  const Offset *ptr, *list;
  const Scalar *from, *received;
  bool add;
  Scalar *blocks;

  KOKKOS_FORCEINLINE_FUNCTION const Scalar *value(Offset s) const
  {
    const Offset v = list[s];
    return v < own ? from + v * unit : received + (v - own) * unit;
  }
};

// Each thread sums one scalar: on devices, and on hosts if values are scalars.
struct AssembleScalar : AssemblySums {
  KOKKOS_FUNCTION void operator()(Offset i) const
  {
    const Offset target = unit > 1 ? i / unit : i;
    const int place = int(i - target * unit), by_row = unit > 1 ? place % n * n + place / n : 0;
    Scalar sum = add ? blocks[i] : Scalar(0);
    for (Offset s = ptr[target]; s < ptr[target + 1]; ++s) sum += value(s)[by_row];
    blocks[i] = sum;
  }
};

// Each host thread sums one block, if values are blocks.
struct AssembleBlock : AssemblySums {
  KOKKOS_FUNCTION void operator()(Offset target) const
  {
    Scalar *to = blocks + target * unit;
    if (!add)
      for (int i = 0; i < unit; ++i) to[i] = Scalar(0);
    for (Offset s = ptr[target]; s < ptr[target + 1]; ++s) {
      const Scalar *of = value(s);
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r) to[c * n + r] += of[r * n + c];
    }
  }
};

// Entries of the owned square or of the couplings by column, for transposed products.
template <class Space> struct ByColumn {
  Array<Index, Space> ptr, entry, row;

  void set(const Graph &g, Index columns)
  {
    Graph t{columns, HostArray<Index>("finegrain::ptr", std::size_t(columns) + 1), {}};
    const std::size_t size = std::size_t(g.entries());
    const HostArray<Index> entry_("finegrain::entry", size + transposed_prefetch_entries);
    const HostArray<Index> row_ = make_array<Index>("finegrain::row", size);
    for (Index e = 0; e < g.entries(); ++e) ++t.ptr(g.col(e) + 1);
    for (Index c = 0; c < columns; ++c) t.ptr(c + 1) += t.ptr(c);
    std::vector<Index> next(t.ptr.data(), t.ptr.data() + columns);
    for (Index i = 0; i < g.rows; ++i)
      for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) {
        const Index to = next[std::size_t(g.col(e))]++;
        entry_(to) = e;
        row_(to) = i;
      }
    ptr = copy_to<Space>(t.ptr);
    entry = copy_to<Space>(entry_);
    row = copy_to<Space>(row_);
  }
  std::size_t bytes() const { return (ptr.span() + entry.span() + row.span()) * sizeof(Index); }
};

template <class Exec> class DeviceCopyOn final : public DeviceCopy, QueuedSpace<Exec>
{
  using Space = typename Exec::memory_space;
  using QueuedSpace<Exec>::exec, QueuedSpace<Exec>::wait, QueuedSpace<Exec>::finish;

public:
  void set_structure(const OperatorView &view, Index columns) override
  {
    n_ = view.block;
    rows_ = view.owned.rows;
    columns_ = columns;
    ghost_count_ = view.ghosts;
    owned_graph_ = view.owned;
    coupling_graph_ = view.coupling;
    owned_.set(view.owned, {});
    coupling_.set(view.coupling, {});
    next_owned_ = set_ghosts(view, &ordered_);
    split_ = split_rows<Space>(rows_, view.coupling, [](Index row) { return row; });
    has_transposed_ = false;
    halo_ = nullptr;
    blocks_ = {};
    list_ptr_ = list_ = {};
    received_ = {};
    ghosts_ = make_array<Scalar, Space>("finegrain::ghosts", std::size_t(view.ghosts) * std::size_t(n_));
    kernels_ = find_product_kernels<Exec>(n_);
  }
  void set_halo(Halo *halo) override
  {
    if constexpr (on_device)
      halo = staged_.set(halo, std::size_t(columns_) * std::size_t(n_), std::size_t(ghost_count_) * std::size_t(n_));
    halo_ = halo;
  }
  bool set_queue(const Queue &wanted) override { return this->change_queue(queue_with(halo_, wanted)); }

  void load(const Scalar *owned, const Scalar *coupling) override
  {
    allocate();
    upload_(blocks(), owned, owned_scalars());
    upload_(blocks() + owned_scalars(), coupling, scalars() - owned_scalars());
  }
  void save(Scalar *owned, Scalar *coupling) const override
  {
    copy_down<Space>(owned, blocks_.data(), owned_scalars());
    copy_down<Space>(coupling, blocks_.data() + owned_scalars(), scalars() - owned_scalars());
  }
  Values values() const override
  {
    return {{blocks_.data()}, {blocks_.data() + owned_scalars()}, false, Memory::engine};
  }
  std::shared_ptr<void> give_blocks() override
  {
    const auto given = std::make_shared<Vector>(blocks_);
    blocks_ = {};
    return given;
  }
  void take_blocks(const std::shared_ptr<void> &given) override
  {
    if (!blocks_.extent(0)) blocks_ = *static_cast<const Vector *>(given.get());
  }

  void reserve(Memory memory, bool transposed) override
  {
    if (transposed) prepare_transposed();
    if (memory == Memory::engine || !on_device) return;
    make_room(x_, std::size_t(std::max(rows_, columns_)) * std::size_t(n_));
    make_room(y_, std::size_t(std::max(rows_, columns_)) * std::size_t(n_));
  }
  void multiply(Memory memory, const Scalar *b, const Scalar *x, Scalar *y) override
  {
    const auto [rhs, from, to] = enter(memory, b, x, y, columns_, rows_);
    ResidualArguments a{.order = split_.order.data(),
                        .inside = owned_.list(),
                        .ghost = ordered_.list(),
                        .owned = values().owned,
                        .coupling = values().coupling,
                        .b = rhs,
                        .x = from,
                        .ghosts = ghosts_.data(),
                        .r = to,
                        .prefetch_distance = prefetch_distance_of(works_in_teams<Exec>)};
    overlap(halo_, *this, from, ghosts_.data(), [&](int which) {
      if (which == 1) a.next_inside = next_owned_.data();
      kernels_.product(run(split_.cut.data() + which, threads() == 1), n_, a);
    });
    leave(memory, y, rows_);
  }

  // Contributions to ghosts are sent to their owners, which add them.
  void multiply_transposed(Memory memory, const Scalar *b, const Scalar *x, Scalar *y) override
  {
    prepare_transposed(); // reserve() has usually done it
    const auto [rhs, from, to] = enter(memory, b, x, y, rows_, columns_);
    multiply_transposed_entries(coupling_, by_ghost_, 2, values().coupling.values, nullptr, from, ghosts_.data());
    multiply_transposed_entries(owned_, by_column_, 0, values().owned.values, rhs, from, to);
    if (halo_) {
      settle(*halo_, *this);
      halo_->add(Halo::all, ghosts_.data(), to);
    }
    leave(memory, y, columns_);
  }

  void scale_rows(Memory memory, Scalar *y) override
  {
    const std::size_t size = std::size_t(rows_) * std::size_t(n_);
    Scalar *to = memory == Memory::host && on_device ? make_room(y_, size) : y;
    Kokkos::deep_copy(exec, Kokkos::View<Scalar *, Space, Kokkos::MemoryUnmanaged>(to, size), Scalar(0));
    for_each("finegrain::row_sums", Offset(size),
             AddRowSums<Index>{n_, owned_.ptr.data(), values().owned.values, to});
    for_each("finegrain::row_sums", Offset(size),
             AddRowSums<Index>{n_, coupling_.ptr.data(), values().coupling.values, to});
    for_each("finegrain::row_sums", Offset(size), InvertRowSums{to});
    leave(memory, y, rows_);
  }

  void set_assembly(const AssemblyLists &lists) override
  {
    unit_ = lists.unit;
    own_count_ = lists.own;
    list_ptr_ = copy_to<Space>(lists.ptr);
    list_ = copy_to<Space>(lists.list);
    received_ = make_array<Scalar, Space>("finegrain::received", std::size_t(lists.received * lists.unit));
  }
  Scalar *received() override { return received_.data(); }
  void assemble(Memory memory, const Scalar *own, const Scalar *received, bool add) override
  {
    allocate();
    if (memory == Memory::host && on_device) {
      const std::size_t size = std::size_t(own_count_ * unit_);
      upload_(make_room(own_, size), own, size);
      own = own_.data();
    }
    if (received) copy_up<Space>(received_.data(), received, received_.extent(0));
    const AssemblySums sums{n_,  unit_,         own_count_, list_ptr_.data(), list_.data(), own, received_.data(),
                            add, blocks_.data()};
    const Offset targets = Offset(list_ptr_.extent(0)) - 1;
    if (on_device || unit_ == 1) for_each("finegrain::assemble", targets * unit_, AssembleScalar{sums});
    else for_each("finegrain::assemble", targets, AssembleBlock{sums});
    wait();
  }

  std::size_t bytes() const override { return blocks_.extent(0) ? scalars() * sizeof(Scalar) : 0; }
  std::size_t index_bytes() const override
  {
    return owned_.bytes() + coupling_.bytes() + ordered_.bytes() + next_owned_.span() * sizeof(Index) +
           split_.order.span() * sizeof(Index) + by_column_.bytes() + by_ghost_.bytes() +
           (list_ptr_.span() + list_.span()) * sizeof(Offset);
  }
  double flops() const override { return 2 * double(scalars()); }

private:
  template <class Body> void for_each(const char *label, Offset count, const Body &body)
  {
    using Policy = Kokkos::RangePolicy<typename Exec::execution_space, Kokkos::IndexType<Offset>>;
    Kokkos::parallel_for(label, Policy(exec, 0, count), body);
  }
  using Vector = Array<Scalar, Space>;
  static constexpr bool on_device = works_in_teams<Exec>; // kernels cannot read vectors on the host

  struct Pointers {
    const Scalar *b, *x;
    Scalar *y;
  };
  // Returns vectors of `from` and `to` block rows in memory that kernels can read.
  Pointers enter(Memory memory, const Scalar *b, const Scalar *x, Scalar *y, Index from, Index to)
  {
    if (memory == Memory::engine || !on_device) return {b, x, y};
    const std::size_t in = std::size_t(from) * std::size_t(n_), out = std::size_t(to) * std::size_t(n_);
    copy_up<Space>(make_room(x_, in), x, in);
    make_room(y_, out);
    if (b) copy_up<Space>(y_.data(), b, out);
    return {b ? y_.data() : nullptr, x_.data(), y_.data()};
  }
  void leave(Memory memory, Scalar *y, Index to)
  {
    finish();
    if (memory == Memory::host && on_device) copy_down<Space>(y, y_.data(), std::size_t(to) * std::size_t(n_));
  }

  // Number of host threads, unlimited on devices.
  int threads() const
  {
    if constexpr (works_in_teams<Exec>) return std::numeric_limits<int>::max();
    else return usable_threads();
  }
  // Transposed products gather: each thread sums a column, whose blocks are scattered in memory. With up to three
  // threads this is no faster than one thread that reads the matrix in order.
  void prepare_transposed() // at first use
  {
    if (has_transposed_) return;
    scatters_ = threads() < 4;
    cut_ = scatters_ ? to_array("finegrain::cut", {0, rows_, 0, rows_})
                     : to_array("finegrain::cut", {0, columns_, 0, ghost_count_});
    if (!scatters_) {
      by_column_.set(owned_graph_, columns_);
      by_ghost_.set(coupling_graph_, ghost_count_);
    }
    has_transposed_ = true;
  }
  void multiply_transposed_entries(const Couplings<Space> &rows, const ByColumn<Space> &columns, std::size_t cut,
                                   const Scalar *values, const Scalar *in, const Scalar *x, Scalar *out)
  {
    TransposedProductArguments a{.by_row = {},
                                 .ptr = columns.ptr.data(),
                                 .entry = columns.entry.data(),
                                 .row = columns.row.data(),
                                 .blocks = values,
                                 .in = in,
                                 .x = x,
                                 .out = out};
    if (scatters_) {
      const std::size_t size = std::size_t(cut ? ghost_count_ : columns_) * std::size_t(n_);
      if (!in) std::fill_n(out, size, Scalar(0));
      else if (in != out) std::copy_n(in, size, out);
      if (rows.entries() == 0) return;
      a.by_row = rows.list();
    }
    kernels_.transposed_product(run(cut_.data() + cut, scatters_), n_, a);
  }

  std::size_t owned_scalars() const { return owned_.entries() * std::size_t(n_) * std::size_t(n_); }
  std::size_t scalars() const { return (owned_.entries() + coupling_.entries()) * std::size_t(n_) * std::size_t(n_); }
  Scalar *blocks() const { return blocks_.data(); }
  void allocate()
  {
    constexpr std::size_t slack = block_slack / sizeof(Scalar);
    if (blocks_.extent(0) < scalars() + slack) {
      blocks_ = {};
      blocks_ = make_array<Scalar, Space>("finegrain::copy", scalars() + slack);
    }
  }
  Run<Exec> run(const Index *cut, bool in_a_loop)
  {
    return {exec, in_a_loop ? Algorithm::sequential : Algorithm::levels, cut, 1, nullptr, &launches_};
  }

  int n_ = 1;
  Index rows_ = 0, columns_ = 0, ghost_count_ = 0;
  Graph owned_graph_, coupling_graph_;          // on the host
  Couplings<Space> owned_, coupling_, ordered_; // ordered_: couplings in the order of terms
  Array<Index, Space> next_owned_;              // ResidualArguments::next_inside
  SplitRows<Space> split_;
  ByColumn<Space> by_column_, by_ghost_;
  HostArray<Index> cut_;
  bool has_transposed_ = false, scatters_ = false;
  Vector blocks_; // owned square, then couplings
  Upload<Space> upload_;
  Vector ghosts_, x_, y_, own_;
  ProductKernels<Exec> kernels_{};
  Halo *halo_ = nullptr;
  StagedHalo<Space> staged_; // wraps the caller's halo
  Offset launches_ = 0;
  int unit_ = 1; // scalars of a value, for assembly
  Offset own_count_ = 0;
  Array<Offset, Space> list_ptr_, list_;
  Vector received_;
};

} // namespace

std::unique_ptr<DeviceCopy> make_device_copy(Backend backend)
{
  if constexpr (builds_device) {
    if (backend == Backend::device) return std::make_unique<DeviceCopyOn<DeviceExec>>();
  }
  return std::make_unique<DeviceCopyOn<HostExec>>();
}

} // namespace finegrain

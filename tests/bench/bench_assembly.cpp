// SPDX-License-Identifier: BSD-2-Clause
// Assembly of MATBAIJKOKKOS compared with MATBAIJ and MATAIJ, and the cost of a preconditioner's refresh after it.
// All in one run, repetitions interleaved, best of all. Stars of seven points, full blocks. Options: -sizes 1,4,5,8
// -points 48 -repetitions 7. Memory is read by OMP_NUM_THREADS threads, one if that is not set.
#include "pcs.hpp"
#include "star.hpp"

using namespace finegrain::test;

namespace
{

// The blocks of a matrix by rows, as coordinates and values; block columns of a block row follow each other.
struct Blocks {
  PetscInt n = 1;
  std::vector<PetscInt> row, col;               // of each block
  std::vector<PetscInt> first;                  // first block of each block row, and the end
  std::vector<PetscScalar> values;              // blocks by rows
  std::vector<PetscInt> number_row, number_col; // of each scalar, in the order of values

  explicit Blocks(Mat A)
  {
    PetscInt rows;
    OK(MatGetBlockSize(A, &n));
    OK(MatGetSize(A, &rows, nullptr));
    for (PetscInt r = 0; r < rows / n; ++r) {
      PetscInt count;
      const PetscInt *cols, row_of_block = r * n;
      OK(MatGetRow(A, row_of_block, &count, &cols, nullptr));
      first.push_back(PetscInt(row.size()));
      for (PetscInt k = 0; k < count; k += n) add(A, r, cols[k] / n);
      OK(MatRestoreRow(A, row_of_block, &count, &cols, nullptr));
    }
    first.push_back(PetscInt(row.size()));
  }
  PetscInt count() const { return PetscInt(row.size()); }
  const PetscScalar *block(PetscInt b) const { return values.data() + std::size_t(b) * std::size_t(n * n); }

private:
  void add(Mat A, PetscInt r, PetscInt c)
  {
    std::vector<PetscInt> rows, cols;
    const std::size_t at = values.size();
    row.push_back(r);
    col.push_back(c);
    values.resize(at + std::size_t(n * n));
    for (PetscInt k = 0; k < n; ++k) {
      rows.push_back(r * n + k);
      cols.push_back(c * n + k);
    }
    OK(MatGetValues(A, n, rows.data(), n, cols.data(), values.data() + at));
    for (PetscInt k = 0; k < n * n; ++k) {
      number_row.push_back(rows[std::size_t(k / n)]);
      number_col.push_back(cols[std::size_t(k % n)]);
    }
  }
};

Mat make_empty(Mat like, const char *type)
{
  Mat B;
  PetscInt rows, n;
  OK(MatGetSize(like, &rows, nullptr));
  OK(MatGetBlockSize(like, &n));
  OK(MatCreate(PETSC_COMM_SELF, &B));
  OK(MatSetSizes(B, rows, rows, rows, rows));
  OK(MatSetBlockSize(B, n));
  OK(MatSetType(B, type));
  return B;
}

PetscErrorCode set_by_rows(Mat A, const Blocks &b)
{
  PetscFunctionBegin;
  std::vector<PetscScalar> row;
  for (PetscInt r = 0; r + 1 < PetscInt(b.first.size()); ++r) {
    const PetscInt begin = b.first[std::size_t(r)], count = b.first[std::size_t(r) + 1] - begin;
    row.resize(std::size_t(count * b.n * b.n)); // the rows of a block row, as MatSetValuesBlocked() wants them
    for (PetscInt k = 0; k < count; ++k)
      for (PetscInt i = 0; i < b.n; ++i)
        std::copy_n(b.block(begin + k) + i * b.n, b.n, row.data() + (i * count + k) * b.n);
    PetscCall(MatSetValuesBlocked(A, 1, &r, count, b.col.data() + begin, row.data(), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void run(PetscInt n, PetscInt points, PetscInt repetitions, int threads)
{
  DM da;
  Mat A;
  OK(AssembleStar(PETSC_COMM_SELF, {{points, points, points}, {n}, 8}, &da, &A));
  OK(DMDestroy(&da));
  Blocks b(A);
  Interleaved all(repetitions);
  Best best;
  std::vector<Mat> mats;
  std::vector<PC> pcs;
  all.add("read/0", [=](benchmark::State &s) { read_memory(s, threads); });
  const auto add = [&](const std::string &name, Mat mat, bool refreshed, std::function<PetscErrorCode()> set) {
    mats.push_back(mat);
    all.add("set/" + name, [=](benchmark::State &s) { repeat(s, set); });
    if (!refreshed) return;
    PC pc = make_pc(mat, PCFGBILU);
    pcs.push_back(pc);
    all.add("both/" + name, [=](benchmark::State &s) {
      repeat(s, [&] {
        PetscFunctionBegin;
        PetscCall(set());
        PetscCall(PCSetUp(pc));
        PetscFunctionReturn(PETSC_SUCCESS);
      });
    });
  };
  for (const char *type : {MATBAIJ, MATBAIJKOKKOS}) {
    Mat mat;
    OK(MatConvert(A, type, MAT_INITIAL_MATRIX, &mat));
    const bool ours = std::string(type) == MATBAIJKOKKOS;
    add(ours ? "rows" : "BAIJ", mat, ours, [mat, &b] { return set_by_rows(mat, b); });
  }
  Mat aij = make_empty(A, MATAIJ), numbers = make_empty(A, MATBAIJKOKKOS), blocks = make_empty(A, MATBAIJKOKKOS);
  for (const Mat mat : {aij, numbers}) {
    std::vector<PetscInt> row = b.number_row, col = b.number_col; // AIJ sorts its input
    OK(MatSetPreallocationCOO(mat, PetscCount(row.size()), row.data(), col.data()));
  }
  OK(MatBAIJKokkosSetPreallocationCOO(blocks, PetscCount(b.row.size()), b.row.data(), b.col.data()));
  const auto by_coordinates = [&b](Mat mat) {
    return [mat, &b] { return MatSetValuesCOO(mat, b.values.data(), INSERT_VALUES); };
  };
  add("AIJ", aij, false, by_coordinates(aij));
  add("numbers", numbers, false, by_coordinates(numbers));
  add("blocks", blocks, true, by_coordinates(blocks));
  PC pc = make_pc(blocks, PCFGBILU);
  pcs.push_back(pc);
  all.add("refresh/0", [pc](benchmark::State &s) { refresh(s, pc); });
  all.run(&best);
  const double bandwidth = read_bytes / best.ns["read/0"], count = double(b.count());
  const auto per = [&](const char *which) { return best.ns[which] / count; };
  const double least = 2 * double(n * n) * sizeof(PetscScalar) / bandwidth; // read and written
  std::printf("| %d | %.1f | %.1f | %.1f | %.2f | %.1f | %.1f | %.1f | %.2f | %.0f %% | %.1f | %.1f | %.1f |\n",
              int(n), bandwidth, per("set/BAIJ"), per("set/rows"), per("set/BAIJ") / per("set/rows"), per("set/AIJ"),
              per("set/numbers"), per("set/blocks"), per("set/AIJ") / per("set/blocks"),
              100 * least / per("set/blocks"), per("refresh/0"), per("both/rows"), per("both/blocks"));
  std::fflush(stdout);
  for (PC &p : pcs) OK(PCDestroy(&p));
  for (Mat &mat : mats) OK(MatDestroy(&mat));
  OK(MatDestroy(&A));
}

} // namespace

int main(int argc, char **argv)
{
  std::vector<PetscInt> sizes{1, 4, 5, 8};
  PetscInt points = 48, repetitions = 7;
  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  OK(PetscFinegrainInitializePackage());
  read_numbers("-sizes", &sizes);
  OK(PetscOptionsGetInt(nullptr, nullptr, "-points", &points, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &repetitions, nullptr));
  const int threads = reading_threads();
  std::printf(
    "times in ns per block, %d threads; by rows: MatSetValuesBlocked() of a block row at a time and assembly; by "
    "coordinates: MatSetValuesCOO(); of least: values read and blocks written over the read bandwidth; refresh: "
    "PCSetUp() "
    "of fgbilu with new values\n\n"
    "| n | GB/s | by rows: BAIJ | BAIJKOKKOS | ratio | by coordinates: AIJ | BAIJKOKKOS, numbers | BAIJKOKKOS, "
    "blocks | "
    "AIJ / blocks | of least | refresh | rows and refresh | blocks and refresh |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    threads);
  for (const PetscInt n : sizes) run(n, points, repetitions, threads);
  OK(PetscFinalize());
  return 0;
}

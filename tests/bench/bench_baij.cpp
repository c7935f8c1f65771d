// SPDX-License-Identifier: BSD-2-Clause
// Products of MATBAIJKOKKOS compared with those of MATBAIJ and with a bandwidth: the machine's read bandwidth, or
// the copy bandwidth of the device that has the vectors of MATBAIJKOKKOS. All in one run, repetitions interleaved,
// best of all. Stars of seven points, full blocks. Options: -sizes 4,5,6,8 -points 64 -repetitions 7. Memory is read
// by OMP_NUM_THREADS threads, one if that is not set.
#include "pcs.hpp"
#include "star.hpp"

#include <memory>

using namespace finegrain::test;

namespace
{

// Bandwidth of the memory that has A's vectors.
class Bandwidth
{
public:
  Bandwidth(Mat A, int threads, Interleaved *all)
  {
    if (!has_vectors_on_device(A)) {
      all->add("memory/0", [=](benchmark::State &s) { read_memory(s, threads); });
      return;
    }
    copies_ = std::make_unique<Copies>(A);
    all->add("memory/0", [this](benchmark::State &s) { repeat(s, [this] { return copies_->make(); }); });
  }
  double bytes() const { return copies_ ? Copies::bytes : read_bytes; }

private:
  std::unique_ptr<Copies> copies_; // for vectors on a device
};

void run(PetscInt n, PetscInt points, int repetitions, int threads)
{
  DM da;
  Mat A, B;
  Vec x[2], y[2];
  Interleaved all(repetitions);
  Best best;

  OK(AssembleStar(PETSC_COMM_SELF, {{points, points, points}, {n}, 8}, &da, &A));
  OK(DMDestroy(&da));
  OK(MatConvert(A, MATBAIJ, MAT_INPLACE_MATRIX, &A));
  OK(MatConvert(A, MATBAIJKOKKOS, MAT_INITIAL_MATRIX, &B));
  const Bandwidth memory(B, threads, &all);
  for (const int which : {0, 1}) {
    const Mat mat = which ? B : A;
    const std::string name = which ? "ours" : "theirs";
    OK(MatCreateVecs(mat, &x[which], &y[which]));
    OK(VecSet(x[which], 1));
    const Vec in = x[which], out = y[which];
    all.add("product/" + name, [=](benchmark::State &s) { repeat(s, [=] { return MatMult(mat, in, out); }); });
    all.add("transposed/" + name,
            [=](benchmark::State &s) { repeat(s, [=] { return MatMultTranspose(mat, in, out); }); });
  }
  all.run(&best);
  const double rows = double(points) * double(points) * double(points);
  const double bandwidth = memory.bytes() / best.ns["memory/0"];
  const double blocks = 7 - 6.0 / double(points), size = double(n); // per row; points on the boundary have fewer
  const double bytes = (blocks * size * size + 2 * size) * sizeof(PetscScalar);
  const auto per = [&](const char *which) { return best.ns[which] / rows; };
  std::printf("| %d | %.1f | %.1f | %.1f | %.2f | %.0f %% | %.1f | %.1f | %.2f |\n", int(n), bandwidth,
              per("product/theirs"), per("product/ours"), per("product/theirs") / per("product/ours"),
              100 * bytes / bandwidth / per("product/ours"), per("transposed/theirs"), per("transposed/ours"),
              per("transposed/theirs") / per("transposed/ours"));
  std::fflush(stdout);
  for (const int which : {0, 1}) {
    OK(VecDestroy(&x[which]));
    OK(VecDestroy(&y[which]));
  }
  OK(MatDestroy(&A));
  OK(MatDestroy(&B));
}

} // namespace

int main(int argc, char **argv)
{
  std::vector<PetscInt> sizes{4, 5, 6, 8};
  PetscInt points = 64, repetitions = 7;
  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  OK(PetscFinegrainInitializePackage());
  read_numbers("-sizes", &sizes);
  OK(PetscOptionsGetInt(nullptr, nullptr, "-points", &points, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &repetitions, nullptr));
  const int threads = reading_threads();
  std::printf("times in ns per point, %d threads; of least: bytes of blocks and two vectors, no indices, over the "
              "bandwidth of these minutes, which is that of reading on the host, of copying on a device\n\n"
              "| n | GB/s | MATBAIJ | MATBAIJKOKKOS | theirs / ours | of least | transposed, MATBAIJ | transposed, "
              "MATBAIJKOKKOS | transposed, theirs / ours |\n|---|---|---|---|---|---|---|---|---|\n",
              threads);
  for (const PetscInt n : sizes) run(n, points, int(repetitions), threads);
  OK(PetscFinalize());
  return 0;
}

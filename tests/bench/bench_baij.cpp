// Products of MATBAIJKOKKOS beside those of MATBAIJ and the machine's read bandwidth, in one run, repetitions
// interleaved; best of all. Stars of seven points, full blocks. Options after --: -sizes 4,5,6,8 -points 64
// -repetitions 7. Memory is read by OMP_NUM_THREADS threads, one if that is not set.
#include "pcs.hpp"
#include "star.hpp"

using namespace finegrain::test;

namespace
{

template <class Multiply> void multiply(benchmark::State &state, Multiply body)
{
  OK(body());
  for (auto _ : state) OK(body());
}

void run(PetscInt n, PetscInt points, int repetitions, int threads)
{
  DM          da;
  Mat         A, B;
  Vec         x, y;
  Interleaved all(repetitions);
  Best        best;

  OK(AssembleStar(PETSC_COMM_SELF, {{points, points, points}, {n}, 8}, &da, &A));
  OK(DMDestroy(&da));
  OK(MatConvert(A, MATBAIJ, MAT_INPLACE_MATRIX, &A));
  OK(MatConvert(A, MATBAIJKOKKOS, MAT_INITIAL_MATRIX, &B));
  OK(MatCreateVecs(A, &x, &y));
  OK(VecSet(x, 1));
  all.add("read/0", [&](benchmark::State &s) { read_memory(s, threads); });
  for (const auto &[name, mat] : {std::pair("theirs", A), std::pair("ours", B)}) {
    const Mat which = mat;
    all.add(std::string("product/") + name,
            [=](benchmark::State &s) { multiply(s, [=] { return MatMult(which, x, y); }); });
    all.add(std::string("transposed/") + name,
            [=](benchmark::State &s) { multiply(s, [=] { return MatMultTranspose(which, x, y); }); });
  }
  all.run(&best);
  const double rows = double(points) * double(points) * double(points), bandwidth = read_bytes / best.ns["read/0"];
  const double blocks = 7 - 6.0 / double(points), size = double(n); // of a row; the grid has an end
  const double bytes = (blocks * size * size + 2 * size) * sizeof(PetscScalar);
  const auto   per   = [&](const char *which) { return best.ns[which] / rows; };
  std::printf("| %d | %.1f | %.1f | %.1f | %.2f | %.0f %% | %.1f | %.1f | %.2f |\n", int(n), bandwidth,
              per("product/theirs"), per("product/ours"), per("product/theirs") / per("product/ours"),
              100 * bytes / bandwidth / per("product/ours"), per("transposed/theirs"), per("transposed/ours"),
              per("transposed/theirs") / per("transposed/ours"));
  std::fflush(stdout);
  OK(VecDestroy(&x));
  OK(VecDestroy(&y));
  OK(MatDestroy(&A));
  OK(MatDestroy(&B));
}

} // namespace

int main(int argc, char **argv)
{
  std::vector<PetscInt> sizes{4, 5, 6, 8};
  PetscInt              points = 64, repetitions = 7;
  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  OK(PetscFinegrainInitializePackage());
  read_numbers("-sizes", &sizes);
  OK(PetscOptionsGetInt(nullptr, nullptr, "-points", &points, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &repetitions, nullptr));
  const char *environment = std::getenv("OMP_NUM_THREADS");
  const int   threads     = environment ? std::max(1, std::atoi(environment)) : 1;
  std::printf("times in ns per point, %d threads; of least: bytes of blocks and two vectors, no indices, over read "
              "bandwidth of these minutes\n\n"
              "| n | GB/s | MATBAIJ | MATBAIJKOKKOS | theirs / ours | of least | transposed, MATBAIJ | transposed, "
              "MATBAIJKOKKOS | theirs / ours |\n|---|---|---|---|---|---|---|---|---|\n",
              threads);
  for (const PetscInt n : sizes) run(n, points, int(repetitions), threads);
  OK(PetscFinalize());
  return 0;
}

// SPDX-License-Identifier: BSD-2-Clause
// Products of MATBAIJKOKKOS and fgbilu in double precision compared with cuSPARSE's block routines (bsrmv, bsrsv2,
// bsrilu02) and the device's copy bandwidth. All in one run, repetitions interleaved, best of all. Stars of seven
// points, full blocks. The program compares results first, and stops if they differ. Options: -sizes 5 -points 128
// -repetitions 7; -levels false selects cuSPARSE's policy without levels.
#include "compare.hpp"
#include "pcs.hpp"
#include "star.hpp"

#include <petscdevice_cuda.h>

#include <limits>

using namespace finegrain::test;

namespace
{

// Copies an array of `length` entries to the device.
template <class T> PetscErrorCode Upload(const T *from, std::size_t length, T **array)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(array), length * sizeof(T)));
  PetscCallCUDA(cudaMemcpy(*array, from, length * sizeof(T), cudaMemcpyHostToDevice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The device array of v.
PetscErrorCode DeviceArray(Vec v, double **array)
{
  PetscMemType memory;

  PetscFunctionBegin;
  PetscCall(VecGetArrayAndMemType(v, array, &memory));
  PetscCheck(PetscMemTypeDevice(memory), PETSC_COMM_SELF, PETSC_ERR_GPU,
             "MATBAIJKOKKOS has its vectors on the host: this benchmark needs a GPU");
  PetscCall(VecRestoreArrayAndMemType(v, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A block matrix in cuSPARSE's format, and its ILU(0).
class Bsr
{
public:
  // Copies a SEQBAIJ matrix. `w` holds the vector between the two triangular solves.
  PetscErrorCode make(Mat A, Vec w, bool by_levels)
  {
    const PetscInt *rows, *cols;
    PetscScalar *values;
    PetscBool done;
    int bytes[3];

    PetscFunctionBegin;
    policy_ = by_levels ? CUSPARSE_SOLVE_POLICY_USE_LEVEL : CUSPARSE_SOLVE_POLICY_NO_LEVEL;
    PetscCall(MatGetBlockSize(A, &n_));
    PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &count_, &rows, &cols, &done));
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "No rows of blocks");
    blocks_ = rows[count_];
    length_ = std::size_t(blocks_) * std::size_t(n_ * n_);
    PetscCheck(length_ < std::size_t(std::numeric_limits<int>::max()), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "cuSPARSE counts in 32 bits: choose fewer -points");
    PetscCall(Upload(rows, std::size_t(count_) + 1, &rows_));
    PetscCall(Upload(cols, std::size_t(blocks_), &cols_));
    PetscCall(MatSeqBAIJGetArray(A, &values));
    PetscCall(Upload(values, length_, &values_));
    PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(&factor_), length_ * sizeof(double)));
    PetscCall(MatSeqBAIJRestoreArray(A, &values));
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, nullptr, &rows, &cols, &done));
    PetscCall(DeviceArray(w, &between_));

    PetscCallCUSPARSE(cusparseCreate(&handle_));
    for (cusparseMatDescr_t *d : {&whole_, &lower_, &upper_}) PetscCallCUSPARSE(cusparseCreateMatDescr(d));
    PetscCallCUSPARSE(cusparseSetMatFillMode(lower_, CUSPARSE_FILL_MODE_LOWER));
    PetscCallCUSPARSE(cusparseSetMatDiagType(lower_, CUSPARSE_DIAG_TYPE_UNIT));
    PetscCallCUSPARSE(cusparseSetMatFillMode(upper_, CUSPARSE_FILL_MODE_UPPER));
    PetscCallCUSPARSE(cusparseSetMatDiagType(upper_, CUSPARSE_DIAG_TYPE_NON_UNIT));
    PetscCallCUSPARSE(cusparseCreateBsrilu02Info(&ilu_));
    for (bsrsv2Info_t *i : {&forward_, &backward_}) PetscCallCUSPARSE(cusparseCreateBsrsv2Info(i));

    PetscCallCUSPARSE(cusparseDbsrilu02_bufferSize(handle_, direction, count_, blocks_, whole_, factor_, rows_, cols_,
                                                   n_, ilu_, &bytes[0]));
    PetscCallCUSPARSE(cusparseDbsrsv2_bufferSize(handle_, direction, as_it_is, count_, blocks_, lower_, factor_,
                                                 rows_, cols_, n_, forward_, &bytes[1]));
    PetscCallCUSPARSE(cusparseDbsrsv2_bufferSize(handle_, direction, as_it_is, count_, blocks_, upper_, factor_,
                                                 rows_, cols_, n_, backward_, &bytes[2]));
    for (int k = 0; k < 3; ++k) PetscCallCUDA(cudaMalloc(&buffer_[k], std::size_t(bytes[k])));
    PetscCallCUSPARSE(cusparseDbsrilu02_analysis(handle_, direction, count_, blocks_, whole_, factor_, rows_, cols_,
                                                 n_, ilu_, policy_, buffer_[0]));
    PetscCallCUSPARSE(cusparseDbsrsv2_analysis(handle_, direction, as_it_is, count_, blocks_, lower_, factor_, rows_,
                                               cols_, n_, forward_, policy_, buffer_[1]));
    PetscCallCUSPARSE(cusparseDbsrsv2_analysis(handle_, direction, as_it_is, count_, blocks_, upper_, factor_, rows_,
                                               cols_, n_, backward_, policy_, buffer_[2]));
    PetscCall(factor());
    int pivot;
    PetscCallCUSPARSE(cusparseXbsrilu02_zeroPivot(handle_, ilu_, &pivot));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode destroy()
  {
    PetscFunctionBegin;
    for (bsrsv2Info_t i : {forward_, backward_}) PetscCallCUSPARSE(cusparseDestroyBsrsv2Info(i));
    PetscCallCUSPARSE(cusparseDestroyBsrilu02Info(ilu_));
    for (cusparseMatDescr_t d : {whole_, lower_, upper_}) PetscCallCUSPARSE(cusparseDestroyMatDescr(d));
    PetscCallCUSPARSE(cusparseDestroy(handle_));
    for (void *array : {static_cast<void *>(rows_), static_cast<void *>(cols_), static_cast<void *>(values_),
                        static_cast<void *>(factor_), buffer_[0], buffer_[1], buffer_[2]})
      PetscCallCUDA(cudaFree(array));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // y = A x
  PetscErrorCode multiply(const double *x, double *y)
  {
    const double one = 1, zero = 0;

    PetscFunctionBegin;
    PetscCallCUSPARSE(cusparseDbsrmv(handle_, direction, as_it_is, count_, count_, blocks_, &one, whole_, values_,
                                     rows_, cols_, n_, x, &zero, y));
    PetscCallCUDA(cudaDeviceSynchronize());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // L U = A, in a copy: bsrilu02 works in place, and fgbilu copies as well.
  PetscErrorCode factor()
  {
    PetscFunctionBegin;
    PetscCallCUDA(cudaMemcpyAsync(factor_, values_, length_ * sizeof(double), cudaMemcpyDeviceToDevice));
    PetscCallCUSPARSE(cusparseDbsrilu02(handle_, direction, count_, blocks_, whole_, factor_, rows_, cols_, n_, ilu_,
                                        policy_, buffer_[0]));
    PetscCallCUDA(cudaDeviceSynchronize());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // L U x = b
  PetscErrorCode solve(const double *b, double *x)
  {
    const double one = 1;

    PetscFunctionBegin;
    PetscCallCUSPARSE(cusparseDbsrsv2_solve(handle_, direction, as_it_is, count_, blocks_, &one, lower_, factor_,
                                            rows_, cols_, n_, forward_, b, between_, policy_, buffer_[1]));
    PetscCallCUSPARSE(cusparseDbsrsv2_solve(handle_, direction, as_it_is, count_, blocks_, &one, upper_, factor_,
                                            rows_, cols_, n_, backward_, between_, x, policy_, buffer_[2]));
    PetscCallCUDA(cudaDeviceSynchronize());
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  double blocks() const { return double(blocks_); }

private:
  static constexpr cusparseDirection_t direction = CUSPARSE_DIRECTION_COLUMN; // order of the scalars in BAIJ's blocks
  static constexpr cusparseOperation_t as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

  cusparseSolvePolicy_t policy_{};
  cusparseHandle_t handle_ = nullptr;
  cusparseMatDescr_t whole_ = nullptr, lower_ = nullptr, upper_ = nullptr;
  bsrilu02Info_t ilu_ = nullptr;
  bsrsv2Info_t forward_ = nullptr, backward_ = nullptr;
  PetscInt n_ = 0, count_ = 0, blocks_ = 0; // rows of a block, block rows, blocks
  std::size_t length_ = 0;
  PetscInt *rows_ = nullptr, *cols_ = nullptr;
  double *values_ = nullptr, *factor_ = nullptr, *between_ = nullptr;
  void *buffer_[3] = {};
};

void run(PetscInt n, PetscInt points, int repetitions, bool by_levels)
{
  DM da;
  Mat A, B;
  Vec in, ours, theirs, between;
  double *from, *to;
  Bsr bsr;
  Interleaved all(repetitions);
  Best best;

  PetscCheckAbort(n > 1, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
                  "-sizes must be 2 or more: bsrmv takes no scalars");
  OK(AssembleStar(PETSC_COMM_SELF, {{points, points, points}, {n}, 8}, &da, &A));
  OK(MatConvert(A, MATBAIJ, MAT_INPLACE_MATRIX, &A));
  OK(MatConvert(A, MATBAIJKOKKOS, MAT_INITIAL_MATRIX, &B));
  OK(MatCreateVecs(B, &in, &ours));
  OK(VecSetRandom(in, nullptr));
  for (Vec *v : {&theirs, &between}) {
    OK(VecDuplicate(in, v));
    OK(VecSet(*v, std::numeric_limits<double>::quiet_NaN()));
  }
  OK(DeviceArray(in, &from));
  OK(DeviceArray(theirs, &to));
  OK(bsr.make(A, between, by_levels));
  OK(MatDestroy(&A));
  PC pc = make_pc(B, PCFGBILU);
  OK(PCSetDM(pc, da));
  OK(DMDestroy(&da));
  OK(PCSetUp(pc));

  OK(MatMult(B, in, ours));
  OK(bsr.multiply(from, to));
  OK(ExpectTheSame(ours, theirs, "A product"));
  OK(PCApply(pc, in, ours));
  OK(bsr.solve(from, to));
  OK(ExpectTheSame(ours, theirs, "An application of ILU(0)"));

  const Copies copies(B);
  all.add("copy/0", [&](benchmark::State &s) { repeat(s, [&] { return copies.make(); }); });
  all.add("product/theirs", [&](benchmark::State &s) { repeat(s, [&] { return bsr.multiply(from, to); }); });
  all.add("product/ours", [=](benchmark::State &s) { repeat(s, [=] { return MatMult(B, in, ours); }); });
  all.add("factor/theirs", [&](benchmark::State &s) { repeat(s, [&] { return bsr.factor(); }); });
  // The product brings new values to the device copy, so that no copy from the host is timed.
  all.add("factor/ours", [=](benchmark::State &s) { refresh(s, pc, [=] { return MatMult(B, in, ours); }); });
  all.add("solve/theirs", [&](benchmark::State &s) { repeat(s, [&] { return bsr.solve(from, to); }); });
  all.add("solve/ours", [=](benchmark::State &s) { apply(s, pc, in, ours); });
  all.run(&best);

  const double rows = double(points) * double(points) * double(points), size = double(n);
  const double bandwidth = Copies::bytes / best.ns["copy/0"]; // GB/s
  const double least = (bsr.blocks() * size * size + 2 * size * rows) * sizeof(double) / bandwidth;
  std::printf("| %d | %.0f |", int(n), bandwidth);
  for (const std::string what : {"product", "solve", "factor"}) {
    const double t = best.ns[what + "/theirs"], o = best.ns[what + "/ours"];
    std::printf(" %.3f | %.3f | %.2f |", t / rows, o / rows, t / o);
    if (what != "factor") std::printf(" %.0f %% |", 100 * least / o);
  }
  std::printf("\n");
  std::fflush(stdout);
  OK(bsr.destroy());
  OK(PCDestroy(&pc));
  for (Vec *v : {&in, &ours, &theirs, &between}) OK(VecDestroy(v));
  OK(MatDestroy(&B));
}

} // namespace

int main(int argc, char **argv)
{
  std::vector<PetscInt> sizes{5};
  PetscInt points = 128, repetitions = 7;
  PetscBool by_levels = PETSC_TRUE;
  OK(PetscInitialize(&argc, &argv, nullptr, nullptr));
  OK(PetscFinegrainInitializePackage());
  read_numbers("-sizes", &sizes);
  OK(PetscOptionsGetInt(nullptr, nullptr, "-points", &points, nullptr));
  OK(PetscOptionsGetInt(nullptr, nullptr, "-repetitions", &repetitions, nullptr));
  OK(PetscOptionsGetBool(nullptr, nullptr, "-levels", &by_levels, nullptr));
  std::printf(
    "times in ns per point; of least: bytes of blocks and two vectors, no indices, over the copy bandwidth of "
    "these minutes\n\n"
    "| n | GB/s | bsrmv | MATBAIJKOKKOS | theirs / ours | of least | bsrsv2, both | fgbilu | theirs / ours | of "
    "least | bsrilu02 | fgbilu | theirs / ours |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const PetscInt n : sizes) run(n, points, int(repetitions), by_levels);
  OK(PetscFinalize());
  return 0;
}

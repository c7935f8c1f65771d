// SPDX-License-Identifier: BSD-2-Clause
// Reads the values of AIJ and BAIJ matrices; matrix_view.cpp reads their structure.
#include "common/arrays.hpp"
#include "common/matrix_view.hpp"

using namespace finegrain;

namespace
{

PetscErrorCode GetSource(Mat part, const Operator &op, const BlockMap &map, MatrixValues *source)
{
  const PetscScalar *values;

  PetscFunctionBegin;
  if (op.by_blocks) PetscCall(FinegrainSeqBAIJGetArrayRead(part, op.symmetric, &values));
  else PetscCall(MatSeqAIJGetArrayRead(part, &values));
  static_assert(sizeof(Scalar) == sizeof(PetscScalar), "the engine was configured for another PetscScalar");
  *source = {reinterpret_cast<const Scalar *>(values), map.base.data(), map.mask.data()};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RestoreSource(Mat part, const Operator &op, MatrixValues *source)
{
  const PetscScalar *values = reinterpret_cast<const PetscScalar *>(source->values);

  PetscFunctionBegin;
  if (op.by_blocks) PetscCall(FinegrainSeqBAIJRestoreArrayRead(part, op.symmetric, &values));
  else PetscCall(MatSeqAIJRestoreArrayRead(part, &values));
  source->values = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Finds the device address of a part's values, or null if they are elsewhere. Values that a kernel has changed are
// not copied to the host for this, and the matrix's state stays the same.
PetscErrorCode FindOnDevice(Mat part, const PetscScalar **values, bool *found)
{
  const PetscObject object = reinterpret_cast<PetscObject>(part);
  PetscObjectState state;
  PetscScalar *array;
  PetscMemType type;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet(object, &state));
  PetscCall(MatSeqAIJGetCSRAndMemType(part, nullptr, nullptr, &array, &type));
  PetscCall(PetscObjectStateSet(object, state));
  *values = array;
  *found = is_on_device(type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

MatrixValues OnDevice(const PetscScalar *values, BlockMap &map)
{
  using Space = DeviceExec::memory_space;
  if (!map.device_base.extent(0)) {
    map.device_base = copy_to<Space>(map.base);
    map.device_mask = copy_to<Space>(map.mask);
  }
  return {reinterpret_cast<const Scalar *>(values), map.device_base.data(), map.device_mask.data()};
}

} // namespace

PetscErrorCode OperatorGetDeviceValues(Mat mat, Operator *op, Values *values, bool *found)
{
  Mat owned, coupling;
  const PetscInt *global;
  const PetscScalar *mine, *others = nullptr;

  PetscFunctionBegin;
  *found = op->backend == Backend::device && !op->by_blocks;
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OperatorGetParts(mat, *op, &owned, &coupling, &global));
  PetscCall(FindOnDevice(owned, &mine, found));
  if (*found && coupling) PetscCall(FindOnDevice(coupling, &others, found));
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FinegrainWaitForPetsc()); // its kernels may still write the values
  values->owned = OnDevice(mine, op->owned);
  if (coupling) values->coupling = OnDevice(others, op->coupling);
  values->memory = Memory::engine;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OperatorGetHostValues(Mat mat, const Operator &op, Values *values)
{
  Mat owned, coupling;
  const PetscInt *global;

  PetscFunctionBegin;
  PetscCall(OperatorGetParts(mat, op, &owned, &coupling, &global));
  PetscCall(GetSource(owned, op, op.owned, &values->owned));
  if (coupling) PetscCall(GetSource(coupling, op, op.coupling, &values->coupling));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OperatorRestoreValues(Mat mat, const Operator &op, Values *values)
{
  Mat owned, coupling;
  const PetscInt *global;

  PetscFunctionBegin;
  if (values->memory == Memory::engine) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OperatorGetParts(mat, op, &owned, &coupling, &global));
  PetscCall(RestoreSource(owned, op, &values->owned));
  if (coupling) PetscCall(RestoreSource(coupling, op, &values->coupling));
  PetscFunctionReturn(PETSC_SUCCESS);
}

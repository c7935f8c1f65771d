// Reads the values of AIJ and BAIJ matrices, as matrix_view.cpp reads their structure.
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

} // namespace

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

/* SPDX-License-Identifier: BSD-2-Clause */
#include "standins.h"

const char *const Standins[] = {"ecology", "shell", "circuit", "Standin", "STANDIN_", NULL};

/* A number in [0,1) for each index, the same everywhere (splitmix64). */
static double Random(PetscInt64 index)
{
  unsigned long long z = 0x9e3779b97f4a7c15ull * (unsigned long long)(index + 1);

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.;
}

static PetscInt Round(PetscReal x) { return (PetscInt)PetscFloorReal(x + (PetscReal)0.5); }

/* A resistor between two nodes, or, if the other node is -1, to the ground. */
static PetscErrorCode AddResistor(Entries *entries, PetscInt i, PetscInt j, PetscReal conductance)
{
  PetscFunctionBeginUser;
  if (i >= 0) PetscCall(EntriesAdd(entries, i, i, conductance));
  if (j >= 0) PetscCall(EntriesAdd(entries, j, j, conductance));
  if (i < 0 || j < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(EntriesAdd(entries, i, j, -conductance));
  PetscCall(EntriesAdd(entries, j, i, -conductance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Animals that move over a landscape: conductances between neighboring cells of a square, with the middle cell as
 * the ground. ecology2 has 999999 rows and 4995991 entries, like this matrix with 1000 x 1000 cells. */
static PetscErrorCode Ecology(PetscInt size, PetscInt bs, Mat *A, char *description, size_t length)
{
  const PetscInt side = PetscMax(2, Round(PetscSqrtReal((PetscReal)size)));
  const PetscInt middle = side / 2 * side + side / 2;
  Entries entries;

  PetscFunctionBeginUser;
  PetscCall(EntriesCreate(side * side - 1, bs, &entries));
  for (PetscInt cell = 0; cell < side * side; ++cell)
    for (int axis = 0; axis < 2; ++axis) {
      const PetscInt other = cell + (axis ? side : 1);
      const PetscReal conductance = 10 * (1 + Random(2 * (PetscInt64)cell + axis) / 2);

      if (axis ? other >= side * side : other % side == 0) continue;
      PetscCall(AddResistor(&entries, cell == middle ? -1 : cell - (cell > middle),
                            other == middle ? -1 : other - (other > middle), conductance));
    }
  PetscCall(EntriesAssemble(&entries, A));
  PetscCall(PetscSNPrintf(description, length, "%d x %d cells, 5 points, conductances 10 to 15, one cell grounded",
                          (int)side, (int)side));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Resistors along lines of nodes, some across and along diagonals, a few between any two nodes. Conductances vary
 * over four orders of magnitude. The first node of each line and one in ten thousand of the others are grounded. */
static PetscErrorCode Circuit(PetscInt size, PetscInt bs, Mat *A, char *description, size_t length)
{
  const PetscInt side = PetscMax(2, Round(PetscSqrtReal((PetscReal)size))), nodes = side * side;
  const PetscInt step[] = {1, side, side + 1, side - 1};
  const PetscReal kept[] = {1, (PetscReal)0.8, (PetscReal)0.06, (PetscReal)0.06};
  const PetscInt64 far = 10 * (PetscInt64)nodes; /* random numbers after those of the nodes */
  Entries entries;

  PetscFunctionBeginUser;
  PetscCall(EntriesCreate(nodes, bs, &entries));
  for (PetscInt node = 0; node < nodes; ++node) {
    const PetscInt64 draw = 10 * (PetscInt64)node;

    for (int k = 0; k < 4; ++k) {
      const PetscInt other = node + step[k];

      if (other >= nodes || (step[k] % side == 1 && other % side == 0)) continue;
      if (k == 3 && node % side == 0) continue;
      if (Random(draw + k) >= kept[k]) continue;
      PetscCall(AddResistor(&entries, node, other, PetscPowReal(10, 4 * Random(draw + 4 + k) - 3)));
    }
    if (node % side == 0 || Random(draw + 8) < 0.0001) PetscCall(AddResistor(&entries, node, -1, (PetscReal)0.01));
  }
  for (PetscInt k = 0; k < nodes / 1000; ++k) {
    const PetscInt i = (PetscInt)((double)nodes * Random(far + 3 * k));
    const PetscInt j = (PetscInt)((double)nodes * Random(far + 3 * k + 1));

    if (i != j) PetscCall(AddResistor(&entries, i, j, PetscPowReal(10, 4 * Random(far + 3 * k + 2) - 3)));
  }
  PetscCall(EntriesAssemble(&entries, A));
  PetscCall(PetscSNPrintf(description, length,
                          "%d lines of %d nodes, irregular, conductances 0.001 to 10, %d resistors across", (int)side,
                          (int)side, (int)(nodes / 1000)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Six unknowns at each corner of a rectangle: displacements u, v along its sides and w across, and the rotations
 * about these axes. */
enum { U, V, W, RU, RV, RW, DOFS, CORNERS = 4, SIZE = DOFS * CORNERS };

static void AddSquare(const PetscReal strain[SIZE], PetscReal stiffness, PetscReal K[SIZE][SIZE])
{
  for (int r = 0; r < SIZE; ++r)
    for (int c = 0; c < SIZE; ++c) K[r][c] += stiffness * strain[r] * strain[c];
}

/* Thin plate with its membrane: bilinear, Reissner and Mindlin's bending with the shear softened to t^2 / (t^2 +
 * h^2 / 10), which prevents locking, and in-plane rotations that follow the displacements. The energy is a sum of
 * squares of strains at 2 x 2 points. */
static void PlateStiffness(PetscReal width, PetscReal height, PetscReal thickness, PetscReal K[SIZE][SIZE])
{
  const PetscReal t = thickness, nu = (PetscReal)0.3, plane = t / (1 - nu * nu), shear = t / (2 * (1 + nu));
  const PetscReal bending = t * t / 12, side = PetscMax(width, height);
  const PetscReal across = shear * 5 / 6 * t * t / (t * t + side * side / 10), root = 1 / PetscSqrtReal(3);

  for (int r = 0; r < SIZE; ++r)
    for (int c = 0; c < SIZE; ++c) K[r][c] = 0;
  for (int point = 0; point < 4; ++point) {
    const PetscReal x = point % 2 ? root : -root, y = point / 2 ? root : -root, area = width * height / 4;
    PetscReal e[9][SIZE] = {{0}}; /* stretch, stretch across, shear; the same of bending; shear across; spin */

    for (int corner = 0; corner < CORNERS; ++corner) {
      const PetscReal sx = corner == 1 || corner == 2 ? 1 : -1, sy = corner / 2 ? 1 : -1;
      const PetscReal n = (1 + sx * x) * (1 + sy * y) / 4;
      const PetscReal dx = sx * (1 + sy * y) / (2 * width), dy = sy * (1 + sx * x) / (2 * height);
      const int k = DOFS * corner;

      e[0][k + U] = dx;
      e[0][k + V] = nu * dy;
      e[1][k + V] = dy;
      e[2][k + U] = dy;
      e[2][k + V] = dx;
      e[3][k + RV] = dx;
      e[3][k + RU] = -nu * dy;
      e[4][k + RU] = -dy;
      e[5][k + RV] = dy;
      e[5][k + RU] = -dx;
      e[6][k + W] = dx;
      e[6][k + RV] = n;
      e[7][k + W] = dy;
      e[7][k + RU] = -n;
      e[8][k + RW] = n;
      e[8][k + U] = dy / 2;
      e[8][k + V] = -dx / 2;
    }
    for (int k = 0; k < 2; ++k) { /* membrane, then bending */
      AddSquare(e[3 * k], area * plane * (k ? bending : 1), K);
      AddSquare(e[3 * k + 1], area * t * (k ? bending : 1), K);
      AddSquare(e[3 * k + 2], area * shear * (k ? bending : 1), K);
    }
    AddSquare(e[6], area * across, K);
    AddSquare(e[7], area * across, K);
    AddSquare(e[8], area * shear, K);
  }
}

/* A cylinder of radius 1 and height 1, held at one end: flat rectangles, 1.5 times as many around as along, six
 * unknowns at each corner, all nine corners around coupled. */
static PetscErrorCode Shell(PetscInt size, PetscInt bs, Mat *A, char *description, size_t length)
{
  PetscInt along = PetscMax(2, Round(PetscSqrtReal((PetscReal)size / 9))), around = 3 * along / 2;
  PetscReal ratio = 1000; /* of radius to thickness */
  const PetscReal turn = 2 * PETSC_PI / (PetscReal)around;
  PetscReal K[SIZE][SIZE];
  Entries entries;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-shell_ratio", &ratio, NULL));
  PetscCheck(ratio > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-shell_ratio %g: give a number above 0",
             (double)ratio);
  PetscCall(EntriesCreate(DOFS * around * along, bs, &entries));
  PlateStiffness(2 * PetscSinReal(turn / 2), 1 / (PetscReal)along, 1 / ratio, K);
  for (PetscInt i = 0; i < around; ++i) {
    const PetscReal s = PetscSinReal(turn * ((PetscReal)i + (PetscReal)0.5));
    const PetscReal c = PetscCosReal(turn * ((PetscReal)i + (PetscReal)0.5));
    const PetscReal local[3][3] = {{-s, c, 0}, {0, 0, 1}, {c, s, 0}}; /* axes of u, v, w */
    PetscReal global[SIZE][SIZE];

    for (int r = 0; r < SIZE; ++r)
      for (int q = 0; q < SIZE; ++q) {
        global[r][q] = 0;
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            global[r][q] += local[a][r % 3] * K[r - r % 3 + a][q - q % 3 + b] * local[b][q % 3];
      }
    for (PetscInt j = 0; j < along; ++j) { /* the lower corners of the lowest rectangles are held */
      const PetscInt up = j * around, down = j ? up - around : -1, next = (i + 1) % around;
      const PetscInt corner[CORNERS] = {j ? down + i : -1, j ? down + next : -1, up + next, up + i};

      for (int r = 0; r < SIZE; ++r)
        for (int q = 0; q < SIZE; ++q)
          if (corner[r / DOFS] >= 0 && corner[q / DOFS] >= 0)
            PetscCall(EntriesAdd(&entries, DOFS * corner[r / DOFS] + r % DOFS, DOFS * corner[q / DOFS] + q % DOFS,
                                 global[r][q]));
    }
  }
  PetscCall(EntriesAssemble(&entries, A));
  PetscCall(PetscSNPrintf(description, length, "%d x %d rectangles on a cylinder of radius over thickness %.0f",
                          (int)around, (int)along, (double)ratio));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StandinCreate(Standin kind, PetscInt size, PetscInt bs, Mat *A, char *description, size_t length)
{
  PetscFunctionBeginUser;
  if (size == 0) size = kind == STANDIN_SHELL ? 90000 : 1000000;
  if (kind == STANDIN_ECOLOGY) PetscCall(Ecology(size, bs, A, description, length));
  if (kind == STANDIN_SHELL) PetscCall(Shell(size, bs, A, description, length));
  if (kind == STANDIN_CIRCUIT) PetscCall(Circuit(size, bs, A, description, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

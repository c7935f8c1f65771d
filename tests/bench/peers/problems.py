# SPDX-License-Identifier: BSD-2-Clause
"""Linear systems for the comparison with other preconditioners: each is a function that returns a matrix of
scipy's, the number of unknowns per point, and other data for solvers. Right-hand sides are ones, unless stated
otherwise."""
import numpy
import scipy.sparse as sparse
from dataclasses import dataclass


@dataclass
class Problem:
    matrix: sparse.csr_matrix
    block: int
    spd: bool = False
    grid: tuple = ()  # points of a grid whose first axis runs fastest
    coordinates: numpy.ndarray = None  # of the points of an elastic body, for its rigid motions
    rhs: numpy.ndarray = None
    pressure: bool = False  # the first unknown of a block is the pressure of flow in porous media


def line(n, weight=1.0):
    return weight * sparse.diags([-1, 2, -1], [-1, 0, 1], (n, n))


def diffusion(n, weights):
    """-div(K grad u) on n^3 points, K diagonal and constant; the 7-point star."""
    one = sparse.identity(n)
    x, y, z = (line(n, w) for w in weights)
    return (sparse.kron(sparse.kron(one, one), x) + sparse.kron(sparse.kron(one, y), one) + sparse.kron(sparse.kron(z, one), one)).tocsr()


def poisson(n=64):
    return Problem(diffusion(n, (1, 1, 1)), 1, True, (n, n, n))


def anisotropic(n=64):
    return Problem(diffusion(n, (1, 1, 1e-3)), 1, True, (n, n, n))


def jumps(n=64):
    """Finite volumes, with conductivities 1 and 1e4 in cubes of 8^3 points that alternate like the fields of a
    chessboard."""
    i = numpy.arange(n) // 8
    k = numpy.where((i[:, None, None] + i[None, :, None] + i[None, None, :]) % 2, 1e4, 1.0)
    number = numpy.arange(n**3).reshape(n, n, n)
    rows, columns, values = [], [], []
    diagonal = numpy.zeros(n**3)
    for axis in range(3):
        low = [slice(None)] * 3
        high = [slice(None)] * 3
        low[axis], high[axis] = slice(0, n - 1), slice(1, n)
        a, b = number[tuple(low)].ravel(), number[tuple(high)].ravel()
        ka, kb = k[tuple(low)].ravel(), k[tuple(high)].ravel()
        flow = 2 * ka * kb / (ka + kb)
        rows += [a, b]
        columns += [b, a]
        values += [-flow, -flow]
        numpy.add.at(diagonal, a, flow)
        numpy.add.at(diagonal, b, flow)
        for side in (0, n - 1):  # fixed values outside
            face = [slice(None)] * 3
            face[axis] = side
            diagonal[number[tuple(face)].ravel()] += 2 * k[tuple(face)].ravel()
    rows.append(numpy.arange(n**3))
    columns.append(numpy.arange(n**3))
    values.append(diagonal)
    matrix = sparse.csr_matrix((numpy.concatenate(values), (numpy.concatenate(rows), numpy.concatenate(columns))))
    return Problem(matrix, 1, True, (n, n, n))


def coupled(block, n=40):
    """Diffusion and convection of `block` unknowns that react with each other, most of them stiffly: implicit
    Euler, first-order upwind differences, velocities that differ in direction and size."""
    random = numpy.random.default_rng(block)
    h = 1.0 / n
    one = sparse.identity(n)
    matrix = sparse.csr_matrix((block * n**3, block * n**3))
    for u in range(block):
        weight = 10.0 ** -(3.0 * u / max(block - 1, 1))  # diffusion, 1 to 1e-3
        velocity = random.uniform(-1, 1, 3)
        terms = []
        for v in velocity:
            up = sparse.diags([-1, 1], [-1, 0], (n, n)) if v > 0 else sparse.diags([1, -1], [0, 1], (n, n))
            terms.append(line(n, weight / h**2) + abs(v) / h * up)
        x, y, z = terms
        scalar = sparse.kron(sparse.kron(one, one), x) + sparse.kron(sparse.kron(one, y), one) + sparse.kron(sparse.kron(z, one), one)
        place = sparse.csr_matrix(([1.0], ([u], [u])), (block, block))
        matrix = matrix + sparse.kron(scalar, place)
    reaction = random.uniform(-1, 1, (block, block)) * 10.0 ** random.uniform(0, 2, (block, 1))
    reaction += numpy.diag(numpy.abs(reaction).sum(1) + 1)
    return Problem((matrix + sparse.kron(sparse.identity(n**3), reaction)).tocsr(), block, False, (n, n, n))


def elasticity(n=28, poisson_ratio=0.3, stretch=1.0):
    """Trilinear hexahedra, n^3 of them, one face held; coordinates for the rigid motions."""
    nodes = n + 1
    gauss = numpy.array([-1, 1]) / numpy.sqrt(3)
    corner = numpy.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)])
    edge = numpy.array([stretch, 1.0, 1.0]) / n
    lame, shear = poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio)), 0.5 / (1 + poisson_ratio)
    law = numpy.diag([2 * shear] * 3 + [shear] * 3)
    law[:3, :3] += lame
    element = numpy.zeros((24, 24))
    for point in ((x, y, z) for x in gauss for y in gauss for z in gauss):
        sign = 2 * corner - 1
        factor = 1 + sign * numpy.array(point)
        gradient = numpy.stack([sign[:, a] * factor[:, (a + 1) % 3] * factor[:, (a + 2) % 3] / 8 * 2 / edge[a] for a in range(3)], 1)
        strain = numpy.zeros((6, 24))
        for c in range(8):
            gx, gy, gz = gradient[c]
            strain[:, 3 * c:3 * c + 3] = [[gx, 0, 0], [0, gy, 0], [0, 0, gz], [gy, gx, 0], [0, gz, gy], [gz, 0, gx]]
        element += strain.T @ law @ strain * edge.prod() / 8
    number = numpy.arange(nodes**3).reshape(nodes, nodes, nodes)  # z, y, x
    first = number[:n, :n, :n].ravel()
    offsets = numpy.array([number[c[2], c[1], c[0]] for c in corner])
    vertices = first[:, None] + offsets
    dofs = (3 * vertices[:, :, None] + numpy.arange(3)).reshape(len(first), 24)
    rows, columns = numpy.repeat(dofs, 24, 1).ravel(), numpy.tile(dofs, (1, 24)).ravel()
    matrix = sparse.csr_matrix((numpy.tile(element.ravel(), len(first)), (rows, columns)))
    z, y, x = numpy.meshgrid(*[numpy.arange(nodes) / n] * 3, indexing="ij")
    coordinates = numpy.stack([stretch * x.ravel(), y.ravel(), z.ravel()], 1)
    keep = numpy.flatnonzero(coordinates[:, 0] > 0)
    free = (3 * keep[:, None] + numpy.arange(3)).ravel()
    return Problem(matrix[free][:, free].tocsr(), 3, True, (n, nodes, nodes), coordinates[keep])


def circuit(n=100000):
    """Conductances between the nodes of a net: some neighbors, some far away, and a few rails to which many nodes
    are connected."""
    random = numpy.random.default_rng(1)
    near = random.integers(1, 40, 3 * n)
    a = random.integers(0, n, 3 * n)
    b = numpy.where(random.random(3 * n) < 0.95, numpy.minimum(a + near, n - 1), random.integers(0, n, 3 * n))
    rail = random.random(3 * n) < 0.01
    b = numpy.where(rail, random.integers(0, 20, 3 * n), b)
    weight = 10.0 ** random.uniform(-2, 2, 3 * n)
    keep = a != b
    a, b, weight = a[keep], b[keep], weight[keep]
    off = sparse.coo_matrix((-weight, (a, b)), (n, n)).tocsr()
    off = off + off.T
    return Problem((off + sparse.diags(1e-4 - numpy.asarray(off.sum(1)).ravel())).tocsr(), 1, True)


def two_phase(size=(60, 60, 30)):
    """Newton step of water that displaces oil in rock, with pressure and saturation in each cell: log-normal
    permeability over five decades, a tenth of it vertically, quadratic relative permeabilities, mobilities of the
    cell upstream, slight compressibility."""
    random = numpy.random.default_rng(1)
    nx, ny, nz = size
    cells = nx * ny * nz
    number = numpy.arange(cells).reshape(nz, ny, nx)
    noise = random.standard_normal((nz, ny, nx))
    for axis in (1, 2):  # correlated over some cells of a layer
        noise = sum(numpy.roll(noise, k, axis) for k in range(-2, 3)) / 5**0.5
    k = 10 ** (1.2 * noise).ravel()
    x = numpy.tile(numpy.linspace(0, 1, nx), ny * nz)
    saturation = numpy.clip(0.9 - 1.2 * x + 0.1 * random.standard_normal(cells), 0.05, 0.95)
    pressure = 1 - x + 0.02 * random.standard_normal(cells)
    water, oil = saturation**2, (1 - saturation)**2 / 5
    slopes = {0: 2 * saturation, 1: -2 * (1 - saturation) / 5}
    block = numpy.zeros((cells, 2, 2))
    storage = 2.0  # of a cell and time step, over a conductivity of 1
    block[:, 0, 1], block[:, 1, 1] = storage, -storage
    block[:, 0, 0] = block[:, 1, 0] = 1e-3 * storage
    rows, columns, values = [], [], []
    for axis, factor in ((2, 1.0), (1, 1.0), (0, 0.1)):
        a = numpy.take(number, range(number.shape[axis] - 1), axis).ravel()
        b = numpy.take(number, range(1, number.shape[axis]), axis).ravel()
        through = factor * 2 * k[a] * k[b] / (k[a] + k[b])
        drop = pressure[a] - pressure[b]
        upstream = numpy.where(drop > 0, a, b)
        for phase, mobility in ((0, water), (1, oil)):  # flow from a to b: through * mobility(upstream) * drop
            conducts = through * mobility[upstream]
            slope = through * slopes[phase][upstream] * drop
            for to, sign in ((a, 1.0), (b, -1.0)):
                for of, derivative in ((a, conducts), (b, -conducts)):
                    rows.append(2 * to + phase), columns.append(2 * of), values.append(sign * derivative)
                rows.append(2 * to + phase), columns.append(2 * upstream + 1), values.append(sign * slope)
    every = numpy.arange(cells)
    for r in range(2):
        for c in range(2):
            rows.append(2 * every + r), columns.append(2 * every + c), values.append(block[:, r, c])
    matrix = sparse.coo_matrix((numpy.concatenate(values), (numpy.concatenate(rows), numpy.concatenate(columns))), (2 * cells, 2 * cells))
    return Problem(matrix.tocsr(), 2, pressure=True)


@dataclass
class Captured:
    """The last linear system that a program solves: a tutorial of finegrain or, if the first word ends in .c, an
    example of PETSc. A saddle point has velocities and, last at each point, a pressure."""
    command: str
    spd: bool = False
    prefix: str = ""
    saddle: bool = False


problems = {
    "poisson": poisson,
    "anisotropic": anisotropic,
    "jumps": jumps,
    "coupled4": lambda: coupled(4),
    "coupled5": lambda: coupled(5),
    "coupled8": lambda: coupled(8, 32),
    "euler": Captured("euler -cells 48,20,20 -timing false"),
    "navierstokes": Captured("navierstokes -unknowns 4 -cells 32,32,32 -max_steps 6 -timing false"),
    "cavity": Captured("snes/tutorials/ex19.c -da_refine 6 -pc_type lu"),
    "ice": Captured("snes/tutorials/ex48.c -M 40 -P 20 -thi_hom x -ksp_type gmres -pc_type ilu", True),
    "elasticity": elasticity,
    "elasticity_long": lambda: elasticity(28, 0.4, 8.0),
    "circuit": circuit,
    "two_phase": two_phase,
    "stokes": Captured("ksp/ksp/tutorials/ex42.c -model 3 -mx 24", False, "stokes_", True),
}
# Three sizes each, for the table of sizes in docs/choosing.md.
sizes = ({f"poisson_{n}": lambda n=n: poisson(n) for n in (48, 80, 128)} | {f"elasticity_{n}": lambda n=n: elasticity(n) for n in (16, 28, 44)} |
         {f"euler_{n}": Captured(f"euler -cells {n},{n * 5 // 12},{n * 5 // 12} -timing false") for n in (36, 60, 84)} |
         {f"coupled_{n}": lambda n=n: coupled(5, n) for n in (32, 48, 64)})
# For tests of the programs; not in the table.
small = {"small": lambda: coupled(3, 6), "small_elasticity": lambda: elasticity(4)}

# SPDX-License-Identifier: BSD-2-Clause
# Distribution of dolfinx's cells to ranks: consecutive cells of the mesh, with their neighbors as ghosts. dolfinx's
# own choice differs from run to run, and with it the order of the unknowns, so that solutions could not be compared.
import numpy
from dolfinx.graph import create_adjacencylist
from dolfinx.mesh import create_cell_partitioner


def partition(comm, parts, graph, ghosts):
    first = comm.exscan(graph.num_nodes) or 0
    total = comm.allreduce(graph.num_nodes)
    ranks, offsets = [], [0]
    for i in range(graph.num_nodes):
        owner = (first + i) * parts // total
        beside = {int(cell) * parts // total for cell in graph.links(i)} - {owner} if ghosts else ()
        ranks += [owner, *sorted(beside)]
        offsets.append(len(ranks))
    return create_adjacencylist(numpy.array(ranks, dtype=numpy.int32), numpy.array(offsets, dtype=numpy.int32))


strips = create_cell_partitioner(partition)

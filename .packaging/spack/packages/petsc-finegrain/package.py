# SPDX-License-Identifier: BSD-2-Clause
"""Spack recipe of finegrain: spack repo add .packaging/spack; spack install petsc-finegrain

It builds the branch main of the repository that it lies in, so that it needs no address of it.
"""
from pathlib import Path

import spack
from spack.package import *


class PetscFinegrain(CMakePackage, CudaPackage):
    """Fine-grained parallel preconditioners for PETSc: block ILU, multicolor relaxation and Stone's procedure, as a
    plugin that programs load by an option."""

    git = Path(__file__).resolve().parents[4].as_uri()

    license("BSD-2-Clause")

    version("main", branch="main", preferred=True)
    version("1.0.0", tag="v1.0.0")

    variant("openmp", default=False, description="Threads of Kokkos' OpenMP")
    variant(
        "blocks",
        default="1,2,3,4,5,6,7,8",
        values=tuple(str(n) for n in range(1, 33)),
        multi=True,
        description="Block sizes with kernels of their own; any other runs in kernels for all sizes",
    )

    if spack.spack_version_info[:2] >= (0, 23):  # where compilers are dependencies
        depends_on("c", type="build")
        depends_on("cxx", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("petsc@3.18: +mpi +shared")
    depends_on("kokkos@3.4:")
    depends_on("kokkos +openmp", when="+openmp")
    for arch in CudaPackage.cuda_arch_values:  # static: docs/topics/gpu.md
        depends_on(f"kokkos +cuda +cuda_lambda +pic ~shared cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    conflicts("+cuda", when="cuda_arch=none", msg="name the GPU, as in cuda_arch=90")
    depends_on("googletest", type="test")
    conflicts("%gcc@:10", msg="finegrain is written in C++20")

    def cmake_args(self):
        return [
            self.define("PETSC_DIR", self.spec["petsc"].prefix),
            self.define("PETSC_ARCH", ""),
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
            self.define("FINEGRAIN_BLOCKS", self.spec.variants["blocks"].value),
            self.define("FINEGRAIN_DEVICE", "+cuda" in self.spec),
            self.define("FINEGRAIN_TESTS", self.run_tests),
            # Spack's compilers have -march for the target of the spec.
            self.define("FINEGRAIN_MARCH", ""),
        ]

    @property
    def libs(self):
        return find_libraries("libpetscfinegrain", root=self.prefix, recursive=True)

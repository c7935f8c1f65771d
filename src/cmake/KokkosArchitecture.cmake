# SPDX-License-Identifier: BSD-2-Clause
# kokkos_cuda_architecture(config result): compute capability, for example 90, of the NVIDIA GPU for which the Kokkos with
# the header KokkosCore_config.h was built, or an empty string. The header also has the architecture of the host, for
# example KOKKOS_ARCH_POWER9.
function(kokkos_cuda_architecture config result)
  file(STRINGS ${config} lines REGEX "^#define KOKKOS_ARCH_(KEPLER|MAXWELL|PASCAL|VOLTA|TURING|AMPERE|ADA|HOPPER|BLACKWELL)[0-9]+")
  string(REGEX REPLACE "^#define KOKKOS_ARCH_[A-Z]+([0-9]+).*" "\\1" architecture "${lines}")
  set(${result} "${architecture}" PARENT_SCOPE)
endfunction()

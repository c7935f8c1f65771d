# SPDX-License-Identifier: BSD-2-Clause
# Requirements of a Kokkos with CUDA: nvcc for every source that includes its headers, the GPU architecture that it
# was built for, and CUDA's runtime, linked statically as Kokkos itself should be (docs/topics/gpu.md).
find_program(nvcc nvcc HINTS ENV CUDACXX ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin NO_CACHE)
if(NOT nvcc)
  message(FATAL_ERROR "Kokkos in ${kokkos_include} was built with CUDA, and there is no nvcc: put it in PATH, or set CUDACXX")
endif()
set(CMAKE_CUDA_COMPILER ${nvcc} CACHE FILEPATH "nvcc")
set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER} CACHE FILEPATH "The compiler behind nvcc")
if(NOT CMAKE_CUDA_ARCHITECTURES)
  include(${CMAKE_CURRENT_LIST_DIR}/KokkosArchitecture.cmake)
  kokkos_cuda_architecture(${kokkos_include}/KokkosCore_config.h arch)
  if(NOT arch)
    message(FATAL_ERROR "${kokkos_include}/KokkosCore_config.h names no NVIDIA GPU: set CMAKE_CUDA_ARCHITECTURES")
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${arch} CACHE STRING "As Kokkos was built")
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
string(REPLACE "-O3 -DNDEBUG" "-O3" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake before 3.26 does not know nvcc's option
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)

target_compile_options(finegrain_kokkos INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:--expt-extended-lambda;--expt-relaxed-constexpr;-Xcudafe=--diag_suppress=20012>)
string(REGEX MATCH "[0-9]+" arch "${CMAKE_CUDA_ARCHITECTURES}")
target_compile_definitions(finegrain_kokkos INTERFACE FINEGRAIN_CUDA_ARCH=${arch})
if(kokkos_openmp)
  target_compile_options(finegrain_kokkos INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${OpenMP_CXX_FLAGS}>)
endif()
# Machines without a GPU lack the driver's library, but the host back end should work there. engine/no_device.cpp
# defines the driver functions that Kokkos calls, and the library is linked only if that is not enough.
target_link_libraries(finegrain_kokkos INTERFACE CUDA::cudart_static
  -Wl,--push-state,--as-needed CUDA::cuda_driver -Wl,--pop-state dl)
message(STATUS "CUDA: ${nvcc}, sm_${CMAKE_CUDA_ARCHITECTURES}")

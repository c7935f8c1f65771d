# Builds bench_algorithms on the machine with the GPU, once for each launch bound: make BOUNDS="5 0 8 4" BLOCKS="4;5;6;8".
# BOUNDS: teams that a multiprocessor shall hold at once, which bounds the registers; 0 for none.
BOUNDS := $(or $(BOUNDS),5 0 8 4)
BLOCKS := $(or $(BLOCKS),4;5;6;8)
DEVICE ?= ON
kokkos := $(wildcard $(CURDIR)/kokkos)

all: $(BOUNDS:%=build-%/tests/bench_algorithms)

build-%/tests/bench_algorithms:
	cmake -S finegrain -B build-$* -DFINEGRAIN_PETSC=OFF -DFINEGRAIN_TESTS=OFF -DFINEGRAIN_BENCH=ON -DFINEGRAIN_DEVICE=$(DEVICE) \
	  -DFINEGRAIN_TEAMS_PER_SM=$* "-DFINEGRAIN_BLOCKS=$(BLOCKS)" $(if $(kokkos),-DKokkos_ROOT=$(kokkos))
	+cmake --build build-$* --target bench_algorithms

.PHONY: all

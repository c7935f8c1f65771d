# A thin front end to CMake.
#
#   make demo     set up, build, and watch PETSc programs solve with -pc_type fgbilu
#   make check    set up, build, and run the tests
#   make help     the rest

BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
CMAKE_ARGS ?=
CTEST_ARGS ?=
SETTINGS = $(if $(PETSC_DIR),-DPETSC_DIR="$(PETSC_DIR)" -DPETSC_ARCH="$(PETSC_ARCH)") $(if $(Kokkos_ROOT),-DKokkos_ROOT="$(Kokkos_ROOT)") $(CMAKE_ARGS)
# As many compilers as JOBS says, or those that make -j has.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))
ifneq ($(words $(BUILD)),1)
  $(error BUILD="$(BUILD)" is no name for a build folder: give one without blanks, such as BUILD=build)
endif

# Debian's and Ubuntu's names of what is needed; PETSc's own packages only where the user brings none.
PACKAGES = g++ cmake make pkg-config libopenmpi-dev openmpi-bin libgtest-dev libbenchmark-dev $(if $(PETSC_DIR),,petsc-dev)
# Known once PETSc is there. Where PETSc itself loads Trilinos' Kokkos, as on Debian 12, no other can stand beside it.
KOKKOS   = $(shell apt-cache show libkokkos-dev >/dev/null 2>&1 && ! ldd $(or $(PETSC_DIR:=/$(PETSC_ARCH)/lib),$$(pkg-config --variable=libdir PETSc))/libpetsc*.so | grep -q trilinos_kokkos && echo libkokkos-dev || echo libtrilinos-kokkos-dev)
EXAMPLES = libpetsc$(shell pkg-config --modversion PETSc 2>/dev/null | cut -d. -f1,2)-dev-examples

export OMPI_ALLOW_RUN_AS_ROOT = 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = 1
export OMPI_MCA_mpi_yield_when_idle ?= 1

# The library and the tutorials; tests and benchmarks are built where they are run.
all: $(BUILD)/Makefile
	@$(MAKE) --no-print-directory -C $(BUILD) $(PARALLEL) tutorials

build-all: $(BUILD)/Makefile
	@$(MAKE) --no-print-directory -C $(BUILD) $(PARALLEL)

$(BUILD)/Makefile:
	@cmake -S . -B $(BUILD) $(SETTINGS)

# Installs what is missing, or says what is needed.
deps:
	@$(MAKE) --no-print-directory install-packages WANTED="$(PACKAGES)"
	@$(MAKE) --no-print-directory install-packages WANTED='$(if $(Kokkos_ROOT),,$$(KOKKOS)) $(if $(PETSC_DIR),,$$(EXAMPLES))'

install-packages:
	@mkdir -p $(BUILD)
	@PETSC_DIR="$(PETSC_DIR)" .packaging/packages $(BUILD)/packages.log $(WANTED)

check: deps
	@case "$(CURDIR)" in *\ *) echo "make check: the commands of tests take no path with blanks: clone to another than $(CURDIR)"; exit 1;; esac
	@$(MAKE) --no-print-directory install-packages WANTED='qemu-user?' # older processors
	@$(MAKE) --no-print-directory build-all
	@ctest --test-dir $(BUILD) -j$(JOBS) --output-on-failure $(CTEST_ARGS)

demo: deps
	@$(MAKE) --no-print-directory all
	@tutorials/demo $(BUILD)

# For scripts: TARGETS of CMake, with settings that the build folder may not have yet.
programs: deps
	@cmake -S . -B $(BUILD) $(SETTINGS) >$(BUILD)/configure.log || { cat $(BUILD)/configure.log; exit 1; }
	@$(MAKE) --no-print-directory -C $(BUILD) $(PARALLEL) $(TARGETS)

bench:
	@$(MAKE) --no-print-directory programs TARGETS=all CMAKE_ARGS="$(CMAKE_ARGS) -DFINEGRAIN_BENCH=ON"
	@tests/bench/measure --build $(BUILD)
	@BUILD=$(BUILD) tests/bench/run_peers --out $(BUILD)/peers.csv && cat $(BUILD)/peers.csv

# The library that leaves this machine: .packaging/portable says which, and prints the build folder that has it.
PORTABLE = JOBS=$(JOBS) .packaging/portable $(BUILD) $(SETTINGS)
portable:
	@$(PORTABLE)

install:
	@folder=$$($(PORTABLE)) && cmake --install $$folder --prefix "$(PREFIX)" && { [ $$folder = $(BUILD) ] || { touch $$folder/install_folders.txt; cp $$folder/install_*.txt $(BUILD); }; }

# Whether what is installed works; it needs no build folder.
installcheck:
	@tests/install/installed "$(PREFIX)"

# What the last make install of this build folder has written, and the folders that it made.
uninstall:
	@[ -f $(BUILD)/install_manifest.txt ] || { echo "$(BUILD) has not been installed"; exit 1; }
	@while IFS= read -r file || [ -n "$$file" ]; do rm -fv "$$file"; done <$(BUILD)/install_manifest.txt
	@touch $(BUILD)/install_folders.txt; sort -ru $(BUILD)/install_folders.txt | while IFS= read -r folder; do \
	  [ ! -d "$$folder" ] || rmdir --ignore-fail-on-non-empty "$$folder"; \
	done
	@rm $(BUILD)/install_manifest.txt $(BUILD)/install_folders.txt

# The site, in $(BUILD)/docs/index.html.
docs:
	@$(MAKE) --no-print-directory install-packages WANTED="python3-sphinx python3-myst-parser python3-sphinx-rtd-theme libjs-katex"
	@/usr/bin/python3 -m sphinx -q -W --keep-going -b html docs $(BUILD)/docs
	@echo "$(BUILD)/docs/index.html"

clean:
	@rm -rf $(BUILD)

help:
	@echo "make                 build $(BUILD)/libpetscfinegrain.so (PETSC_DIR and PETSC_ARCH, else pkg-config's PETSc)"
	@echo "make demo            set up, build, solve with PETSc's own programs and ours"
	@echo "make check           set up, build, run the tests"
	@echo "make bench           set up, build, time all types, baijkokkos, whole solves, algorithms and the studies, PETSc beside them in the same runs (8 GB, an hour and a half; CSV files in $(BUILD)/bench)"
	@echo "make install         to PREFIX=$(PREFIX): library, header, Fortran module, petsc-plugin.conf, files for pkg-config and CMake"
	@echo "make installcheck    whether what is in PREFIX works: linked and loaded on 1 and 2 ranks (seconds)"
	@echo "make uninstall       removes what make install has written"
	@echo "make docs            the documentation as a site, $(BUILD)/docs/index.html"
	@echo "make clean           remove $(BUILD)"
	@echo "Settings, for the scripts too: BUILD, PREFIX, JOBS, PETSC_DIR, PETSC_ARCH, Kokkos_ROOT, CMAKE_ARGS=-D..."
	@echo
	@echo ".packaging/python             the module finegrain for the petsc4py of PYTHON, by pip"
	@echo ".packaging/debian-package     packages for this Debian in a folder: the plugin, -dev, and the Python module"
	@echo ".packaging/portable           builds what make install takes: for any x86-64 processor with AVX2 and FMA"
	@echo "tests/applications/run        PETSc's tutorials, dolfinx, SLEPc, petsc4py and getdp with every type: a table (8 minutes)"
	@echo "tests/random/run              random cases for SECONDS on 1, 2, 3 and 5 ranks; tests/random/valgrind: under valgrind"
	@echo "tests/fuzz/run                libFuzzer on graphs and on texts of options (clang++)"
	@echo "tests/versions/check          the plugin with PETSc 3.19 to 3.26 from PyPI (15 minutes each)"
	@echo ".ci/newest                    make check on Debian's newest PETSc, Kokkos, compilers and MPI (root; 3 GB, 15 minutes)"
	@echo "tests/bench/run_peers         time to solution beside PETSc's, hypre's and ML's preconditioners (a quarter of an hour)"
	@echo "tests/bench/study             repeats the experiments of Luo et al. (2015) and Heuveline et al. (2011): tables and pictures (a quarter of an hour, 5 GB)"
	@echo "tests/gpu/hip-check           reads the engine's sources as HIP; needs hipcc and headers of a Kokkos with HIP"
	@echo "tests/gpu/petsc-cuda          PETSc with CUDA for sm_\$$CUDA_ARCH (90) from PyPI (10 minutes on two cores)"
	@echo "tests/gpu/check               tests on this machine's GPU; needs a Kokkos with CUDA (Kokkos_ROOT)"
	@echo "tests/gpu/kit                 tests, benchmarks and sources in a folder, to carry to a machine with a GPU; tests/gpu/check_kit tries it here"
	@echo "tests/ptx/run                 the device's code on this machine's processor, without a GPU"

.PHONY: all build-all deps install-packages programs check demo bench portable install installcheck uninstall docs clean help

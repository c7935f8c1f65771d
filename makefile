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
	@$(MAKE) --no-print-directory install-packages WANTED='$$(call known,qemu-user)' # older processors
	@$(MAKE) --no-print-directory build-all
	@ctest --test-dir $(BUILD) -j$(JOBS) --output-on-failure $(CTEST_ARGS)

# Programs of others: those of which this system has packages, and of Debian's PETSc those that fit the one in use. PYTEST_ARGS=--update writes docs/applications.md.
APPLICATIONS = python3-pytest python3-numpy gfortran $(if $(PETSC_DIR),,python3-petsc4py python-petsc4py-doc python3-dolfinx-real slepc-dev $(EXAMPLES:libpetsc%=libslepc%) getdp)
known        = $(shell for name in $(1); do apt-cache show $$name >/dev/null 2>&1 && echo $$name; done)
check-applications: deps
	@$(MAKE) --no-print-directory install-packages WANTED='$$(call known,$$(APPLICATIONS))'
	@$(MAKE) --no-print-directory all
	@/usr/bin/python3 -m pytest -q -p no:cacheprovider tests/applications --build $(BUILD) $(PYTEST_ARGS)

# Versions of PETSc from PyPI, kept in VERSIONS_FOLDER; VERSIONS chooses.
VERSIONS_FOLDER ?= $(BUILD)-versions
VERSIONS ?=
check-versions: deps
	@$(MAKE) --no-print-directory install-packages WANTED="libblas-dev liblapack-dev python3-pip"
	@tests/versions/check $(VERSIONS_FOLDER) $(VERSIONS)

# Random cases for FUZZ_SECONDS on each number of ranks; a case that fails is printed with what repeats it.
FUZZ_SECONDS ?= 3600
FUZZ_RANKS   ?= 1 2 3 5
FUZZ_SEED    ?= $(shell date +%s)
FUZZ_OPTIONS ?=
fuzz: deps
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory -C $(BUILD) $(PARALLEL) test_random
	@for ranks in $(FUZZ_RANKS); do \
	  OMP_NUM_THREADS=1 mpiexec -n $$ranks --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
	    $(BUILD)/tests/test_random --gtest_brief=1 -seconds $(FUZZ_SECONDS) -seed $(FUZZ_SEED) $(FUZZ_OPTIONS) || exit 1; \
	done

# libFuzzer on graphs and on texts of options, FUZZ_SECONDS each; needs clang++.
fuzz-inputs: deps
	@$(MAKE) --no-print-directory install-packages WANTED=clang
	@cmake -S . -B $(BUILD)-fuzz $(SETTINGS) -DCMAKE_CXX_COMPILER=clang++ -DFINEGRAIN_SANITIZE=fuzzer-no-link,address,undefined -DFINEGRAIN_BLOCKS=1 >/dev/null
	@$(MAKE) --no-print-directory -C $(BUILD)-fuzz $(PARALLEL) fuzz_graph fuzz_options
	@grep -oh '"[a-z_0-9][a-z_0-9]*"' src/petsc/pc/*.cpp | sort -u >$(BUILD)-fuzz/words
	@cd $(BUILD)-fuzz && mkdir -p graphs options && for what in "graph -max_len=256 graphs" "options -max_len=160 -dict=words options"; do \
	  ASAN_OPTIONS=detect_leaks=0 tests/fuzz_$$what -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 >fuzz.log 2>&1 \
	    || { tail -n 40 fuzz.log; exit 1; }; \
	  echo "fuzz_$$what:" $$(grep -o 'number_of_executed_units.*' fuzz.log); \
	done

# Random cases under valgrind on two ranks. It knows no AVX-512.
VALGRIND_CASES ?= 200
check-valgrind: deps
	@$(MAKE) --no-print-directory install-packages WANTED=valgrind
	@cmake -S . -B $(BUILD)-valgrind $(SETTINGS) -DFINEGRAIN_MARCH=x86-64-v3 -DFINEGRAIN_BLOCKS=1 -DFINEGRAIN_EMULATED=OFF >/dev/null
	@$(MAKE) --no-print-directory -C $(BUILD)-valgrind $(PARALLEL) test_random
	@OMP_NUM_THREADS=1 mpiexec -n 2 --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 \
	  valgrind -q --error-exitcode=9 --suppressions=.ci/valgrind \
	  --suppressions=$$(find /usr/share -name openmpi-valgrind.supp -print -quit) \
	  $(BUILD)-valgrind/tests/test_random --gtest_brief=1 -cases $(VALGRIND_CASES)

# In a Debian sid of its own; needs root.
check-newest:
	@.ci/newest $(BUILD)-newest

demo: deps
	@$(MAKE) --no-print-directory all
	@tutorials/demo $(BUILD)

bench: deps
	@cmake -S . -B $(BUILD) $(SETTINGS) -DFINEGRAIN_BENCH=ON >$(BUILD)/bench.log || { cat $(BUILD)/bench.log; exit 1; }
	@$(MAKE) --no-print-directory build-all
	@OMP_NUM_THREADS=1 $(BUILD)/tests/bench_fgbilu
	@OMP_NUM_THREADS=1 $(BUILD)/tests/bench_mcpi
	@OMP_NUM_THREADS=1 $(BUILD)/tests/bench_powerqilu
	@OMP_NUM_THREADS=1 $(BUILD)/tests/bench_sip
	@OMP_NUM_THREADS=1 $(BUILD)/tests/bench_baij
	@OMP_NUM_THREADS=1 $(BUILD)/tests/bench_solve
	@OMP_NUM_THREADS=1 $(BUILD)/tests/bench_assembly
	@OMP_NUM_THREADS=1 $(BUILD)/tests/bench_reduction
	@OMP_NUM_THREADS=2 OMP_PROC_BIND=true $(BUILD)/tests/bench_mcpi -settings working,DS,DSH -executors launch,self,tile

# Every executor, on one thread and on all cores.
bench-executors: deps
	@cmake -S . -B $(BUILD) $(SETTINGS) -DFINEGRAIN_BENCH=ON >$(BUILD)/bench.log || { cat $(BUILD)/bench.log; exit 1; }
	@$(MAKE) --no-print-directory -C $(BUILD) $(PARALLEL) bench_executors
	@OMP_NUM_THREADS=1 $(BUILD)/tests/bench_executors --backend host
	@OMP_NUM_THREADS=$$(nproc) OMP_PROC_BIND=true $(BUILD)/tests/bench_executors --backend host

# Tables in Markdown, and their plot.
study: deps
	@$(MAKE) --no-print-directory install-packages WANTED=python3-matplotlib
	@cmake -S . -B $(BUILD) $(SETTINGS) -DFINEGRAIN_BENCH=ON >$(BUILD)/bench.log || { cat $(BUILD)/bench.log; exit 1; }
	@$(MAKE) --no-print-directory build-all
	@bash -o pipefail -c '$(BUILD)/tests/study_fgbilu | tee $(BUILD)/study_fgbilu.md'
	@for python in python3 /usr/bin/python3; do \
	  if $$python -c 'import matplotlib' 2>/dev/null; then exec $$python tests/bench/plot_study.py $(BUILD)/study_fgbilu.md $(BUILD)/study_fgbilu.png; fi; \
	done; echo "No plot: this needs Python's matplotlib"
	@tutorials/powerq/study $(BUILD)/tutorials/powerq $(BUILD)/study_powerq

# The library that leaves this machine: .packaging/portable says which, and prints the build folder that has it.
PORTABLE = JOBS=$(JOBS) .packaging/portable $(BUILD) $(SETTINGS)
portable:
	@$(PORTABLE)

install:
	@folder=$$($(PORTABLE)) && cmake --install $$folder --prefix "$(PREFIX)" && { [ $$folder = $(BUILD) ] || { touch $$folder/install_folders.txt; cp $$folder/install_*.txt $(BUILD); }; }

# The module finegrain for petsc4py, with the library in it. PYTHON is the one that has petsc4py.
PYTHON ?= /usr/bin/python3
python:
	@folder=$$($(PORTABLE)) && rm -rf $(BUILD)/python && cp -r src/python $(BUILD)/python && cp $$folder/libpetscfinegrain.so $(BUILD)/python/finegrain
	@$(PYTHON) -m pip install --no-deps --no-build-isolation $(PIP_ARGS) $(BUILD)/python

# Packages for this Debian, in $(BUILD). `apt-get build-dep ./.packaging` installs what this takes; .ci/debian builds and
# tries them in Debians of their own.
debian-package:
	@JOBS=$(JOBS) .packaging/debian-package $(BUILD)

# What the last make install of this build folder has written, and the folders that it made.
uninstall:
	@[ -f $(BUILD)/install_manifest.txt ] || { echo "$(BUILD) has not been installed"; exit 1; }
	@while IFS= read -r file || [ -n "$$file" ]; do rm -fv "$$file"; done <$(BUILD)/install_manifest.txt
	@touch $(BUILD)/install_folders.txt; sort -ru $(BUILD)/install_folders.txt | while IFS= read -r folder; do \
	  [ ! -d "$$folder" ] || rmdir --ignore-fail-on-non-empty "$$folder"; \
	done
	@rm $(BUILD)/install_manifest.txt $(BUILD)/install_folders.txt

# GPUs: docs/gpu.md says what of this has run where.
CUDA_ARCH ?= 90
export CUDA_ARCH JOBS Kokkos_ROOT

# A PETSc with CUDA, from its source package on PyPI.
petsc-cuda:
	@$(MAKE) --no-print-directory install-packages WANTED="g++ make libopenmpi-dev openmpi-bin libblas-dev liblapack-dev python3-pip"
	@tests/gpu/petsc-cuda $(BUILD)-petsc-cuda

# Tests on the GPU of this machine; PETSC_DIR, PETSC_ARCH and Kokkos_ROOT as ever.
check-gpu:
	@tests/gpu/check $(BUILD)-gpu $(SETTINGS)

# A folder of tests, benchmarks and sources to carry to a machine with a GPU.
gpu-kit:
	@tests/gpu/kit $(BUILD)-gpu-kit $(BUILD)/gpu-kit $(CMAKE_ARGS)

# The kit for hosts, run here from a copy by a user who does not see this repository.
gpu-kit-check: deps
	@tests/gpu/check_kit $(BUILD) $(BUILD)/gpu-kit-host $(SETTINGS)

# The site, in $(BUILD)/docs/index.html.
docs:
	@$(MAKE) --no-print-directory install-packages WANTED="python3-sphinx python3-myst-parser python3-sphinx-rtd-theme"
	@/usr/bin/python3 -m sphinx -q -W --keep-going -b html docs $(BUILD)/docs
	@echo "$(BUILD)/docs/index.html"

# Links to other sites; needs a network. make docs checks those between pages, the test docs_text README's as well.
docs-links: docs
	@/usr/bin/python3 -m sphinx -q -b linkcheck docs $(BUILD)/docs-links

format:
	@clang-format -i $$(git ls-files '*.hpp' '*.cpp' '*.ipp' '*.h' '*.c')

clean:
	@rm -rf $(BUILD)

help:
	@echo "make                 build $(BUILD)/libpetscfinegrain.so (PETSC_DIR and PETSC_ARCH, else pkg-config's PETSc)"
	@echo "make demo            set up, build, solve with PETSc's own programs and ours"
	@echo "make check           set up, build, run the tests"
	@echo "make check-applications  PETSc's tutorials, dolfinx, SLEPc, petsc4py and getdp with every type: a table in $(BUILD)/applications.md (8 minutes)"
	@echo "make check-newest    the same on Debian's newest PETSc, Kokkos (OpenMP), compilers and MPI, in a folder $(BUILD)-newest (root; 3 GB, 15 minutes)"
	@echo "make check-versions  the plugin with PETSc 3.19 to 3.26 from PyPI, or VERSIONS=\"3.20 3.26-single\", in VERSIONS_FOLDER (15 minutes each)"
	@echo "make fuzz            random cases for FUZZ_SECONDS=$(FUZZ_SECONDS) on each of FUZZ_RANKS=\"$(FUZZ_RANKS)\""
	@echo "make fuzz-inputs     libFuzzer on graphs and on texts of options, FUZZ_SECONDS each (clang++)"
	@echo "make check-valgrind  VALGRIND_CASES=$(VALGRIND_CASES) random cases under valgrind on two ranks"
	@echo "make bench           set up, build, time fgbilu, mcpi, powerqilu, sip, baijkokkos and whole solves against PETSc, each in one run (8 GB, some minutes)"
	@echo "make bench-executors time every executor, on one thread and on all (some minutes; no PETSc in it)"
	@echo "make study           set up, build, repeat the experiments of Luo et al. (2015): tables and a plot in $(BUILD) (4 minutes, 5 GB);"
	@echo "                     iterations of Heuveline et al. (2011, ILU(p,q)) in $(BUILD)/study_powerq"
	@echo "make install         to PREFIX=$(PREFIX): library, header, Fortran module, petsc-plugin.conf, files for pkg-config and CMake"
	@echo "make portable        builds what make install and make python take: for any x86-64 processor with AVX2 and FMA, unless FINEGRAIN_MARCH is set"
	@echo "make python          the module finegrain for the petsc4py of PYTHON=$(PYTHON), by pip (PIP_ARGS)"
	@echo "make debian-package  packages for this Debian in $(BUILD): the plugin, -dev, and the Python module (.packaging/debian)"
	@echo "make uninstall       removes what make install has written"
	@echo "make petsc-cuda      PETSc with CUDA for sm_\$$CUDA_ARCH (90) from PyPI, in $(BUILD)-petsc-cuda (10 minutes on two cores)"
	@echo "make check-gpu       tests on this machine's GPU; needs a Kokkos with CUDA (Kokkos_ROOT)"
	@echo "make gpu-kit         tests, benchmarks and sources in $(BUILD)/gpu-kit, to carry to a machine with a GPU; needs no GPU, no PETSc"
	@echo "make gpu-kit-check   the kit for hosts, tried on this machine in small sizes"
	@echo "make docs            the documentation as a site, $(BUILD)/docs/index.html"
	@echo "make docs-links      asks other sites whether the links to them still lead somewhere; needs a network"
	@echo "make format          clang-format of all sources"
	@echo "make clean           remove $(BUILD)"
	@echo "Settings: BUILD, PREFIX, JOBS, PETSC_DIR, PETSC_ARCH, Kokkos_ROOT, CMAKE_ARGS=-D..."

.PHONY: all build-all deps install-packages check check-newest check-versions fuzz fuzz-inputs check-valgrind demo bench bench-executors study portable install uninstall python petsc-cuda check-gpu gpu-kit gpu-kit-check docs docs-links format clean help check-applications debian-package

# SPDX-License-Identifier: BSD-2-Clause
# For PETSc's config/BuildSystem/config/packages (3.26): --download-finegrain=<finegrain-1.0.0.tar.gz>.
# --with-finegrain-dir does nothing: PETSc's packages that are built after PETSc have no such way. See docs/petsc.md.
import config.package


class Configure(config.package.CMakePackage):
  def __init__(self, framework):
    config.package.CMakePackage.__init__(self, framework)
    self.version                = '1.0.0'
    self.download               = ['finegrain-' + self.version + '.tar.gz'] # until .packaging/publication has a repository
    self.downloaddirnames       = ['finegrain']
    self.buildLanguages         = ['Cxx']
    self.minCxxVersion          = 'c++20'
    self.functions              = [] # the library needs PETSc's, which is not there yet
    self.includes               = []
    self.precisions             = ['single', 'double']
    self.providesDocs           = 1
    self.docsDirs               = ['src/petsc', 'include']
    self.linkedbypetsc          = 0
    self.builtafterpetsc        = 1
    return

  def setupDependencies(self, framework):
    config.package.CMakePackage.setupDependencies(self, framework)
    self.sharedLibraries = framework.require('PETSc.options.sharedLibraries', self)
    self.mpi             = framework.require('config.packages.MPI', self)
    self.kokkos          = framework.require('config.packages.kokkos', self)
    self.deps            = [self.mpi, self.kokkos]
    return

  def Install(self):
    import os
    if not self.checkSharedLibrariesEnabled():
      raise RuntimeError('finegrain is a shared library, which needs --with-shared-libraries')
    if self.argDB['prefix'] and 'package-prefix-hash' not in self.argDB:
      prefix = os.path.abspath(os.path.expanduser(self.argDB['prefix']))
      petsc = '-DPETSC_DIR=' + prefix + ' -DPETSC_ARCH='
    else:
      prefix = os.path.join(self.petscdir.dir, self.arch)
      petsc = '-DPETSC_DIR=' + self.petscdir.dir + ' -DPETSC_ARCH=' + self.arch
    self.include = [os.path.join(self.installDir, 'include')]
    build = os.path.join(self.packageDir, 'petsc-build')
    kokkos = self.kokkos.directory or self.kokkos.installDir
    # PETSc's compilers have the processor among their flags, where the user wants one.
    self.addPost(self.packageDir, [
      self.cmake.cmake + ' -S . -B ' + build + ' ' + petsc + ' -DKokkos_ROOT=' + kokkos +
      ' -DFINEGRAIN_TESTS=OFF -DCMAKE_INSTALL_PREFIX=' + prefix + ' -DCMAKE_INSTALL_LIBDIR=lib',
      self.cmake.cmake + ' --build ' + build + ' -j ' + str(self.make.make_np) + ' --target petscfinegrain',
      self.cmake.cmake + ' --install ' + build])
    return self.installDir

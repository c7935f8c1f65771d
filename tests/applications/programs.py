# SPDX-License-Identifier: BSD-2-Clause
"""The programs of the table: commands, types to run, and expected failures."""
from application import Application, rows

ALL = list(rows)
SYMMETRIC = [name for name in ALL if ".needs_grid" not in rows[name]]
STAR = [name for name in ALL if ".symmetric" not in rows[name]]  # for the star of a grid
GENERAL = [name for name in SYMMETRIC if name in STAR]

ksp, snes, ts, tao = "ksp/ksp/tutorials/", "snes/tutorials/", "ts/tutorials/", "tao/"
plex = "-dm_plex_simplex 0 -petscpartitioner_type simple -dm_plex_box_faces "
schur = ("-stokes_pc_type fieldsplit -stokes_pc_fieldsplit_type schur -stokes_pc_fieldsplit_schur_fact_type upper -stokes_fieldsplit_p_ksp_type preonly "
         "-stokes_fieldsplit_u_ksp_rtol 1e-2 -stokes_fieldsplit_u_pc_type @")
# Q2 and Q1 fields on squares: the pressure rows have no diagonal block.
taylor_hood = plex + "4,4 -vel_petscspace_degree 2 -pres_petscspace_degree 1 -mms 1 -ts_max_steps 2"

tutorials = [
    # Linear systems.
    Application(ksp + "ex1.c", "-n 200", SYMMETRIC, ranks=(1,)),
    Application(ksp + "ex2.c", "-m 40 -n 40", SYMMETRIC),
    Application(ksp + "ex3.c", "-m 40", GENERAL),
    Application(ksp + "ex5.c", "-m 20", SYMMETRIC),
    Application(ksp + "ex8.c", "-sub_pc_type @", SYMMETRIC, reference="ilu"),
    Application(ksp + "ex9.c", "-t 2", SYMMETRIC),
    Application(ksp + "ex13.c", "-m 40 -n 40", SYMMETRIC),
    Application(ksp + "ex18.c", "-m 39 -n 38 -permute rcm", SYMMETRIC),
    Application(ksp + "ex23.c", "-n 300", SYMMETRIC),
    Application(ksp + "ex25.c", "-da_grid_x 65", STAR),
    Application(ksp + "ex28.c", "-da_grid_x 65", STAR, fails={"mcpi": "DIVERGED_PC_FAILED"}),  # a wave equation: sweeps diverge
    Application(ksp + "ex29.c", "-da_grid_x 33 -da_grid_y 33", ALL),
    Application(ksp + "ex29.c", "-da_grid_x 33 -da_grid_y 33 -pc_type mg -pc_mg_levels 3 -mg_levels_pc_type @", ALL),
    Application(ksp + "ex32.c", "-da_grid_x 32 -da_grid_y 32", ALL),
    Application(ksp + "ex34.c", "-da_grid_x 12 -da_grid_y 12 -da_grid_z 12", ALL),
    Application(ksp + "ex42.c", "-mx 6 -stokes_ksp_type gcr " + schur, GENERAL, prefix="stokes_"),
    Application(ksp + "ex43.c", "-mx 16 -my 16", GENERAL, prefix="stokes_"),
    Application(ksp + "ex45.c", "-da_grid_x 17 -da_grid_y 17 -da_grid_z 17", ALL),
    Application(ksp + "ex46.c", "-m 20 -n 20", ALL),
    Application(ksp + "ex49.c", "-mx 20 -my 20 -no_view", SYMMETRIC, prefix="elas_"),
    Application(ksp + "ex50.c", "-da_grid_x 33 -da_grid_y 33", ALL),
    Application(ksp + "ex54.c", "-ne 29", SYMMETRIC),
    Application(ksp + "ex54.c", "-ne 29 -pc_type gamg -mg_levels_pc_type @", SYMMETRIC),
    Application(ksp + "ex56.c", "-ne 7", SYMMETRIC),
    Application(ksp + "ex67.c", "", GENERAL),
    Application(ksp + "ex71.c", "", GENERAL, fails=dict.fromkeys(GENERAL, "The preconditioning matrix is of type \"is\"")),
    Application(ksp + "ex2f.F90", "-m 40 -n 40", SYMMETRIC),
    Application(ksp + "ex13f90.F90", "", SYMMETRIC, ranks=(1,)),
    Application(ksp + "ex22f.F90", "-da_grid_x 9 -da_grid_y 9 -da_grid_z 9", STAR),
    Application(ksp + "ex45f.F90", "-da_grid_x 9 -da_grid_y 9 -da_grid_z 9", STAR),
    # Nonlinear equations.
    Application(snes + "ex3.c", "-nox -n 50", GENERAL),
    Application(snes + "ex5.c", "-da_grid_x 24 -da_grid_y 24", ALL),
    # Active points are removed from the system, so that it is no grid any more.
    Application(snes + "ex9.c", "-da_refine 2 -snes_type vinewtonrsls", ALL, fails={"sip": "Nonconforming object sizes"}),
    Application(snes + "ex14.c", "-da_grid_x 9 -da_grid_y 9 -da_grid_z 9", STAR),
    Application(snes + "ex15.c", "-da_grid_x 20 -da_grid_y 20 -p 1.3 -lambda 1 -jtype NEWTON", GENERAL),
    Application(snes + "ex17.c", f"-sol_type elas_quad {plex} 6,6 -displacement_petscspace_degree 2", SYMMETRIC),
    Application(snes + "ex18.c", "-da_grid_x 20 -da_grid_y 20", STAR),
    Application(snes + "ex19.c", "-da_grid_x 16 -da_grid_y 16", STAR),
    Application(snes + "ex19.c", "-da_grid_x 16 -da_grid_y 16 -dm_mat_type baijkokkos", STAR),
    Application(snes + "ex20.c", f"-potential_petscspace_degree 1 {plex} 8,8", SYMMETRIC),
    Application(snes + "ex25.c", "-da_refine 2", GENERAL),
    Application(snes + "ex28.c", "-u_da_grid_x 20 -problem_type 2 -pack_dm_mat_type aij", GENERAL, fails={"mcpi": "DIVERGED_PC_FAILED"}),
    # powerqilu converges, but needs 15 000 iterations.
    Application(snes + "ex30.c", "-ni 16", ["fgbilu", "mcpi"], fails={"mcpi": "DIVERGED_PC_FAILED"}),
    Application(snes + "ex35.c", "-da_refine 3", ALL),
    Application(snes + "ex46.c", "-da_grid_x 20 -da_grid_y 20", STAR),
    # 27 points per row: without products off the diagonal, fgbicc is worse than PETSc's ICC.
    Application(snes + "ex48.c", "-M 8 -P 4 -ksp_max_it 500", SYMMETRIC, fails={"fgbicc": "DIVERGED_ITS"}),
    Application(snes + "ex56.c", "-cells 2,2,1 -petscspace_degree 2 -max_conv_its 2", SYMMETRIC),
    # Time steps.
    Application(ts + "ex2.c", "-nox -ts_max_steps 5", GENERAL),
    Application(ts + "ex7.c", "-da_grid_x 20 -da_grid_y 20 -ts_max_steps 5", STAR),
    Application(ts + "ex10.c", "-da_grid_x 20 -ts_max_time 1 -ts_dt 0.2 -ts_type theta -rd_discretization fd -rd_endpoint -rd_bc dirichlet", STAR),
    Application(ts + "ex13.c", "-da_grid_x 24 -da_grid_y 24 -ts_type bdf -ts_max_steps 5", STAR),
    Application(ts + "ex15.c", "-da_grid_x 20 -da_grid_y 20 -ts_max_steps 5", STAR),
    Application(ts + "ex17.c", "-da_grid_x 40 -ts_max_steps 2", STAR),
    Application(ts + "ex25.c", "-nox -da_grid_x 40 -ts_max_steps 10", GENERAL),
    Application(ts + "ex26.c", "-da_grid_x 12 -da_grid_y 12 -ts_max_steps 3 -lidvelocity 10", STAR),
    Application(ts + "ex45.c", f"-sol_type quadratic_linear {plex} 8,8 -temp_petscspace_degree 1 -ts_max_steps 4", SYMMETRIC),
    Application(ts + "ex46.c", taylor_hood, ["fgbilu", "mcpi"], fails={"mcpi": "DIVERGED_NONLINEAR_SOLVE"}),
    Application(ts + "advection-diffusion-reaction/ex4.c", "-da_refine 2 -ts_max_steps 10", STAR),
    # Optimization.
    Application(tao + "bound/tutorials/jbearing2.c", "-tao_type tron -mx 20 -my 20", SYMMETRIC),
    Application(tao + "bound/tutorials/plate2.c", "-tao_type tron -mx 10 -my 10 -bmx 3 -bmy 3 -bheight 0.2", SYMMETRIC),
    Application(tao + "complementarity/tutorials/minsurf1.c", "-tao_type ssils", GENERAL),
    Application(tao + "unconstrained/tutorials/minsurf2.c", "-tao_type nls -mx 16 -my 16", SYMMETRIC, prefix="tao_nls_"),
]

demos = "/usr/share/doc/python-petsc4py-doc/examples/demo/"
others = [
    Application("eps/tutorials/ex13.c", "-n 20 -m 20 -eps_nev 4 -eps_tol 1e-10 -st_type sinvert -st_ksp_type gmres -st_pc_type @", SYMMETRIC, prefix="st_",
                view="eps_view_values", values=8,  # four complex numbers
                # SLEPc reports the shifted matrix as not symmetric unless the caller has declared the given matrices
                # symmetric.
                fails={"fgbicc": "MAT_SYMMETRIC says that this one is not"}),
    Application(demos + "bratu3d/bratu3d.py", "-n 10", GENERAL, view="snes_view_solution"),
    Application("getdp", "poisson.pro -msh square.msh -solve Poisson -ksp_type gmres", SYMMETRIC, ranks=(1,)),
    Application("poisson.py", "", SYMMETRIC, module="dolfinx"),
    Application("elasticity.py", "-ksp_type cg -pc_mcpi_sweep symmetric", SYMMETRIC, module="dolfinx"),
    Application("elasticity.py", "-ksp_type cg -pc_mcpi_sweep symmetric -matrix baij", SYMMETRIC, module="dolfinx"),
    Application("navier_stokes.py", "-ksp_gmres_restart 200", GENERAL, module="dolfinx", view="snes_view_solution", fails={"mcpi": "DIVERGED_PC_FAILED"}),
]

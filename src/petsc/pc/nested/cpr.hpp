// SPDX-License-Identifier: BSD-2-Clause
// Data of PCCPR. cpr.cpp has what PETSc calls, cpr_settings.cpp the setters.
#pragma once

#include "pc/nested/cpr_pressure.hpp"
#include "pc/nested/nested.hpp"

struct PC_Cpr {
  PressureSystem system;
  KSP pressure = nullptr;                       // first stage
  PC full = nullptr;                            // second stage
  FinegrainStamp pattern;                       // of the matrix
  bool analyzed = false;                        // this pattern
  bool failed = false;                          // the last set-up, on all ranks
  Vec rhs = nullptr, solution = nullptr;        // of the pressure system
  Vec correction = nullptr, residual = nullptr; // of the matrix
};

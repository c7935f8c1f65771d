// SPDX-License-Identifier: BSD-2-Clause
// Settings of PCMCPI. mcpi.cpp lists them and sets the engine's options; mcpi_settings.cpp has their setters.
#pragma once

#include "pc/options/settings.hpp"

struct Mcpi final : PC_Finegrain {
  PetscInt its = 15; // number of sweeps; a symmetric sweep, forward and backward, counts once
  PetscReal omega = 1;
  PCMCPISweepType sweep = PCMCPI_SWEEP_FORWARD;
  PCMCPIExchangeType exchange = PCMCPI_EXCHANGE_SWEEP;
  PCMCPIScalingType scaling = PCMCPI_SCALING_GLOBAL;
  PCMCPISumPrecisionType sum_precision = PCMCPI_SUM_PRECISION_WORKING;
  PetscBool in_place = PETSC_FALSE;
};

extern const PCFinegrainValue<Mcpi, PetscInt> its_setting;
extern const PCFinegrainValue<Mcpi, PetscReal> omega_setting;
extern const PCFinegrainValue<Mcpi, PCMCPISweepType> sweep_setting;
extern const PCFinegrainValue<Mcpi, PCMCPIExchangeType> exchange_setting;
extern const PCFinegrainValue<Mcpi, PCMCPIScalingType> scaling_setting;
extern const PCFinegrainValue<Mcpi, PCMCPISumPrecisionType> sum_precision_setting;
extern const PCFinegrainValue<Mcpi, PetscBool> in_place_setting;

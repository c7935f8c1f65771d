// SPDX-License-Identifier: BSD-2-Clause
// The settings of PCMCPI. mcpi.cpp lists them and turns them into the engine's options; mcpi_settings.cpp has their
// setters.
#pragma once

#include "pc/settings.hpp"

struct Mcpi final : PCEngine {
  PetscInt its = 15; // of the kind below; symmetric: up and down
  PetscReal omega = 1;
  PCMCPISweepType sweep = PCMCPI_SWEEP_FORWARD;
  PCMCPIExchangeType exchange = PCMCPI_EXCHANGE_SWEEP;
  PCMCPIScalingType scaling = PCMCPI_SCALING_GLOBAL;
  PCMCPIReductionType reduction = PCMCPI_REDUCTION_NONE;
};

extern const PCEngineValue<Mcpi, PetscInt> its_setting;
extern const PCEngineValue<Mcpi, PetscReal> omega_setting;
extern const PCEngineValue<Mcpi, PCMCPISweepType> sweep_setting;
extern const PCEngineValue<Mcpi, PCMCPIExchangeType> exchange_setting;
extern const PCEngineValue<Mcpi, PCMCPIScalingType> scaling_setting;
extern const PCEngineValue<Mcpi, PCMCPIReductionType> reduction_setting;

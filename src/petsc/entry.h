/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface between entry.c, which runs on any processor, and plugin.cpp, which is compiled for FINEGRAIN_MARCH like
   the rest of the library. */
#ifndef FINEGRAIN_ENTRY_H
#define FINEGRAIN_ENTRY_H

#include <petscfinegrain.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Processor features beyond SSE2 that compilers use on their own. NAMED: name and compiler macro. BIT: a feature
   whose name __builtin_cpu_supports() of some compilers does not know; also the leaf of cpuid and the bit of ecx. */
#define FINEGRAIN_FEATURES(NAMED, BIT)                                                                               \
  NAMED("sse3", __SSE3__)                                                                                            \
  NAMED("ssse3", __SSSE3__)                                                                                          \
  NAMED("sse4.1", __SSE4_1__)                                                                                        \
  NAMED("sse4.2", __SSE4_2__)                                                                                        \
  NAMED("popcnt", __POPCNT__)                                                                                        \
  NAMED("avx", __AVX__)                                                                                              \
  NAMED("avx2", __AVX2__)                                                                                            \
  NAMED("fma", __FMA__)                                                                                              \
  NAMED("bmi", __BMI__)                                                                                              \
  NAMED("bmi2", __BMI2__)                                                                                            \
  BIT("f16c", __F16C__, 1, 29)                                                                                       \
  BIT("movbe", __MOVBE__, 1, 22)                                                                                     \
  BIT("lzcnt", __LZCNT__, 0x80000001, 5)                                                                             \
  NAMED("fma4", __FMA4__)                                                                                            \
  NAMED("xop", __XOP__)                                                                                              \
  NAMED("gfni", __GFNI__)                                                                                            \
  NAMED("avx512f", __AVX512F__)                                                                                      \
  NAMED("avx512cd", __AVX512CD__)                                                                                    \
  NAMED("avx512dq", __AVX512DQ__)                                                                                    \
  NAMED("avx512bw", __AVX512BW__)                                                                                    \
  NAMED("avx512vl", __AVX512VL__)                                                                                    \
  NAMED("avx512ifma", __AVX512IFMA__)                                                                                \
  NAMED("avx512vbmi", __AVX512VBMI__)                                                                                \
  NAMED("avx512vbmi2", __AVX512VBMI2__)                                                                              \
  NAMED("avx512vnni", __AVX512VNNI__)                                                                                \
  NAMED("avx512bitalg", __AVX512BITALG__)                                                                            \
  NAMED("avx512vpopcntdq", __AVX512VPOPCNTDQ__)                                                                      \
  NAMED("avx512bf16", __AVX512BF16__)

extern const unsigned char finegrain_compiled_for[]; /* 1 for each feature that the library may use */

PetscErrorCode FinegrainRegister(void); /* a second call does nothing */

#ifdef __cplusplus
}
#endif

#endif

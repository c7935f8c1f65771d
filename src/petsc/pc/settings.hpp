// How types read their options: PCEngineOptions calls their setters.
#pragma once

#include "pc/pcengine.hpp"

// Reads the options -pc_<type>_<name> and calls their setters.
struct PCEngineOptions {
  PC pc;
  FinegrainOptionItems items;
  std::string prefix; // -pc_<type>_

  PCEngineOptions(PC p, FinegrainOptionItems i)
      : pc(p), items(i), prefix(std::string("-pc_") + static_cast<PCEngine *>(p->data)->type->name + "_")
  {
  }
  std::string key(const char *name) const { return prefix + name; }

  template <class T> PetscErrorCode choice(const char *name, const char *text, const char *setter,
                                           const char *const names[], PetscErrorCode (*get)(PC, T *),
                                           PetscErrorCode (*set)(PC, T)) const
  {
    const FinegrainOptionItems PetscOptionsObject = items;
    T value;
    PetscBool given;

    PetscFunctionBegin;
    PetscCall((*get)(pc, &value));
    PetscCall(PetscOptionsEnum(key(name).c_str(), text, setter, names, static_cast<PetscEnum>(value),
                               reinterpret_cast<PetscEnum *>(&value), &given));
    if (given) PetscCall((*set)(pc, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // A number or a yes or no.
  template <class T> PetscErrorCode value(const char *name, const char *text, const char *setter,
                                          PetscErrorCode (*get)(PC, T *), PetscErrorCode (*set)(PC, T)) const
  {
    const FinegrainOptionItems PetscOptionsObject = items;
    T value;
    PetscBool given;

    PetscFunctionBegin;
    PetscCall((*get)(pc, &value));
    if constexpr (std::is_same_v<T, PetscBool>)
      PetscCall(PetscOptionsBool(key(name).c_str(), text, setter, value, &value, &given));
    else if constexpr (std::is_same_v<T, PetscReal>)
      PetscCall(PetscOptionsReal(key(name).c_str(), text, setter, value, &value, &given));
    else PetscCall(PetscOptionsInt(key(name).c_str(), text, setter, value, &value, &given));
    if (given) PetscCall((*set)(pc, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

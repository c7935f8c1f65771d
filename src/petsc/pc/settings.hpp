// SPDX-License-Identifier: BSD-2-Clause
// A setting of a preconditioner, said once: option, text, setter, member and permitted values. Setters and getters,
// -help, the view before set-up and the check of permitted values all read it. Type files list the settings they
// have.
#pragma once

#include "pc/pcengine.hpp"

#include <limits>
#include <string_view>
#include <type_traits>

// What all kinds of settings have. The option is -<prefix>pc_<type>_<name>.
struct PCEngineSetting {
  const char *name, *text, *setter;

  // Reads the option, and does what the setter does if it is given.
  virtual PetscErrorCode read(PC pc, FinegrainOptionItems items, const PCEngineRow &row) const = 0;
  // The value as the option would have it.
  virtual std::string show(const PCEngine &e) const = 0;

protected:
  constexpr PCEngineSetting(const char *n, const char *t, const char *s) : name(n), text(t), setter(s) {}
  ~PCEngineSetting() = default;
};

// -pc_<type>_<name>, for the options database, and with the PC's prefix, for messages.
std::string PCEngineKey(PC pc, const char *name);
std::string PCEngineOption(PC pc, const char *name);

// A message in which @_name stands for the option -<prefix>pc_<type>_name, and @type for -<prefix>pc_type.
std::string PCEngineText(PC pc, std::string text);

// Whether a type has a setting, with an option or without.
bool PCEngineHas(const PCEngine &e, const PCEngineSetting &setting);

// Whether a type has an option of that name.
bool PCEngineHasOption(const PCEngineType &type, std::string_view name);

// Setters of PETSc's types: composed, so that PETSc's functions find them, or removed (petsc_setters.cpp).
PetscErrorCode PCEngineComposeSetters(PC pc, bool compose);
// A line on stderr for each option of PETSc's types that is given.
PetscErrorCode PCEngineSayUnread(PC pc);

// The data of a PC whose type has the setting; null, or if `needed` an error, for all others.
PetscErrorCode PCEngineFindSetting(PC pc, const PCEngineSetting &setting, bool needed, PCEngine **e);

// Stops where a setting has a value that is not for its type. Not collective.
PetscErrorCode PCEngineCheckValues(PC pc, const PCEngine &e);

// The line of the view before set-up.
PetscErrorCode PCEngineViewSettings(const PCEngine &e, PetscViewer viewer);

// What a new value makes necessary.
enum class PCEngineEffect { analysis, application };
PetscErrorCode PCEngineChanged(PC pc, PCEngine *e, PCEngineEffect effect);

// Gives a setting a new value. Collective for those that are the same on all ranks.
template <class T> PetscErrorCode PCEngineChange(PC pc, PCEngine *e, T &setting, const T &value,
                                                 PCEngineEffect effect = PCEngineEffect::analysis)
{
  PetscFunctionBegin;
  if (setting == value) PetscFunctionReturn(PETSC_SUCCESS);
  setting = value;
  PetscCall(PCEngineChanged(pc, e, effect));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The argument of a setter. An enumeration is passed as int until it is checked: C and Fortran may pass a number
// that the enumeration does not have, and C++ leaves the behavior of such a value of an enumeration undefined.
template <class T> using PCEngineArgument =
  std::conditional_t<std::is_enum_v<T> && !std::is_same_v<T, PetscBool>, int, T>;

// Stops where ranks give different values.
template <class T> PetscErrorCode PCEngineCheckSame(PC pc, PCEngineArgument<T> value)
{
  PetscFunctionBegin;
  if constexpr (std::is_same_v<T, PetscReal>) PetscValidLogicalCollectiveReal(pc, value, 2);
  else if constexpr (std::is_same_v<T, PetscBool>) PetscValidLogicalCollectiveBool(pc, value, 2);
  else if constexpr (std::is_enum_v<T>) PetscValidLogicalCollectiveEnum(pc, value, 2);
  else PetscValidLogicalCollectiveInt(pc, value, 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Read an option: `now` is shown by -help; *given says whether it is there.
PetscErrorCode PCEngineRead(PC pc, FinegrainOptionItems items, const PCEngineSetting &s, PetscBool now,
                            PetscBool *value, PetscBool *given);
PetscErrorCode PCEngineRead(PC pc, FinegrainOptionItems items, const PCEngineSetting &s, PetscInt now,
                            PetscInt *value, PetscBool *given);
PetscErrorCode PCEngineRead(PC pc, FinegrainOptionItems items, const PCEngineSetting &s, PetscReal now,
                            PetscReal *value, PetscBool *given);
PetscErrorCode PCEngineReadChoice(PC pc, FinegrainOptionItems items, const PCEngineSetting &s,
                                  const char *const names[], const PCEngineRow &row, int now, int *value,
                                  PetscBool *given);

// Reads I,J,K of boxes. *boxes: how many there may be; then how many are given, 0 for none.
PetscErrorCode PCEngineReadBoxes(PC pc, FinegrainOptionItems items, const PCEngineSetting &s, PetscInt ijk[],
                                 PetscInt *boxes);

// Numbers as an option would have them.
std::string PCEngineShow(PetscReal value);
template <class T> std::string PCEngineShow(const std::vector<T> &values)
{
  std::string text;
  for (const T v : values) {
    if constexpr (std::is_same_v<T, PetscReal>) text.append(text.empty() ? "" : ",").append(PCEngineShow(v));
    else text.append(text.empty() ? "" : ",").append(std::to_string(v));
  }
  return text;
}

// Stops where a number is below `least` or above `most`, or a real number where it is not between the two.
PetscErrorCode PCEngineCheckRange(PC pc, const PCEngineSetting &s, PetscInt value, PetscInt least, PetscInt most);
PetscErrorCode PCEngineCheckRange(PC pc, const PCEngineSetting &s, PetscReal value, PetscInt least, PetscInt most);

// Stops where a choice is not the number of one of its names.
PetscErrorCode PCEngineCheckChoice(PC pc, const PCEngineSetting &s, const char *const names[], int value);

// A setting that is one value: a choice by name, a yes or no, or a number. Data: of the types that have it.
template <class Data, class T> struct PCEngineValue final : PCEngineSetting {
  T Data::*member;
  const char *const *names = nullptr;                         // of a choice, as PetscOptionsEnum() takes them
  PetscInt least = 0, most = std::numeric_limits<int>::max(); // of numbers
  PCEngineEffect effect = PCEngineEffect::analysis;

  constexpr PCEngineValue(const char *n, const char *t, const char *s, T Data::*m, const char *const choices[],
                          PCEngineEffect f = PCEngineEffect::analysis)
      : PCEngineSetting(n, t, s), member(m), names(choices), effect(f)
  {
  }
  constexpr PCEngineValue(const char *n, const char *t, const char *s, T Data::*m)
      : PCEngineSetting(n, t, s), member(m)
  {
  }
  constexpr PCEngineValue(const char *n, const char *t, const char *s, T Data::*m, PetscInt l,
                          PetscInt h = std::numeric_limits<int>::max())
      : PCEngineSetting(n, t, s), member(m), least(l), most(h)
  {
  }

  // The body of a setter. A PC whose type has no such setting is left alone.
  PetscErrorCode set(PC pc, PCEngineArgument<T> value) const
  {
    PCEngine *e;

    PetscFunctionBegin;
    PetscCall(PCEngineFindSetting(pc, *this, false, &e));
    PetscCall(PCEngineCheckSame<T>(pc, value));
    if (!e) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(check(pc, value));
    PetscCall(PCEngineChange(pc, e, static_cast<Data *>(e)->*member, T(value), effect));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // Stops where the value is none that any type has.
  PetscErrorCode check(PC pc, PCEngineArgument<T> value) const
  {
    PetscFunctionBegin;
    if constexpr (std::is_same_v<T, PetscBool>) PetscFunctionReturn(PETSC_SUCCESS);
    else if constexpr (std::is_enum_v<T>) PetscCall(PCEngineCheckChoice(pc, *this, names, value));
    else PetscCall(PCEngineCheckRange(pc, *this, value, least, most));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // The body of a getter. A PC whose type has no such setting is an error.
  PetscErrorCode get(PC pc, T *value) const
  {
    PCEngine *e;

    PetscFunctionBegin;
    PetscCall(PCEngineFindSetting(pc, *this, true, &e));
    *value = static_cast<Data *>(e)->*member;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode read(PC pc, FinegrainOptionItems items, const PCEngineRow &row) const override
  {
    const T now = PCEngineData<Data>(pc).*member;
    T value = now;
    PetscBool given;

    PetscFunctionBegin;
    if constexpr (std::is_enum_v<T> && !std::is_same_v<T, PetscBool>) {
      int index = int(now);
      PetscCall(PCEngineReadChoice(pc, items, *this, names, row, index, &index, &given));
      value = T(index);
    } else PetscCall(PCEngineRead(pc, items, *this, now, &value, &given));
    if (given) PetscCall(set(pc, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string show(const PCEngine &e) const override
  {
    const T value = static_cast<const Data &>(e).*member;
    if constexpr (std::is_same_v<T, PetscReal>) return PCEngineShow(value);
    else if constexpr (std::is_same_v<T, PetscBool>) return value ? "true" : "false";
    else if constexpr (std::is_enum_v<T>) return names[int(value)];
    else return std::to_string(value);
  }
};

// A setting that is not one value: a list, or one that has its setter with another.
struct PCEngineList final : PCEngineSetting {
  PetscErrorCode (*reader)(PC, FinegrainOptionItems, const PCEngineSetting &);
  std::string (*shower)(const PCEngine &);

  constexpr PCEngineList(const char *n, const char *t, const char *s, decltype(reader) r, decltype(shower) w)
      : PCEngineSetting(n, t, s), reader(r), shower(w)
  {
  }
  PetscErrorCode read(PC pc, FinegrainOptionItems items, const PCEngineRow &) const override
  {
    return reader(pc, items, *this);
  }
  std::string show(const PCEngine &e) const override { return shower(e); }
};

// Common settings, each defined beside its setter. Those above the line have options with all types; of the others
// types say whether they have them.
namespace finegrain::settings
{

template <class T> using Common = PCEngineValue<PCEngine, T>;
extern const Common<PCFinegrainAlgorithmType> algorithm;
extern const Common<PCFinegrainBackendType> backend;
extern const Common<PCFinegrainPrecisionType> precision;
extern const Common<PCFinegrainDiagonalPrecisionType> diagonal;
extern const Common<MatFactorShiftType> shift_type;
extern const PCEngineList shift_amount;
extern const Common<PetscReal> zero_pivot;
extern const Common<PetscBool> add_diagonal;
extern const PCEngineList grid;
extern const Common<PetscInt> block_size;
extern const Common<PetscInt> corrections;
extern const Common<PCFinegrainApplyRichardsonType> apply_richardson;
extern const Common<PCFinegrainCheckType> check_solution;
// ----
extern const Common<PCFinegrainScheduleType> schedule;
extern const PCEngineList ordering;
extern const PCEngineList tile;
extern const Common<PCFinegrainGridCoupling> coupling;
extern const Common<PCFinegrainColoringType> coloring;
extern const Common<PetscBool> balance;
extern const Common<PCFGBILUEisenstatType> eisenstat;
extern const Common<PetscBool> global;

} // namespace finegrain::settings

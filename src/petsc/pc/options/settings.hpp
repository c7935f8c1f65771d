// SPDX-License-Identifier: BSD-2-Clause
// Definition of a setting of a preconditioner: option, text, setter, member and permitted values. Setters and
// getters, -help, the view before set-up and the check of permitted values use it. Files of types list the settings
// that the type has.
#pragma once

#include "pc/find.hpp"

#include <limits>
#include <string_view>
#include <type_traits>

// Base of all settings. The option is -<prefix>pc_<type>_<name>.
struct PCFinegrainSetting {
  const char *name, *text, *setter;

  // Reads the option and, if it is given, acts as the setter does.
  virtual PetscErrorCode read(PC pc, FinegrainOptionItems items, const PCFinegrainTypeSetting &row) const = 0;
  // Returns the value as text that the option accepts.
  virtual std::string show(const PC_Finegrain &e) const = 0;

protected:
  constexpr PCFinegrainSetting(const char *n, const char *t, const char *s) : name(n), text(t), setter(s) {}
  ~PCFinegrainSetting() = default;
};

// Return the option name: without the prefix for the options database, with it for messages.
std::string PCFinegrainKey(PC pc, const char *name);
std::string PCFinegrainOption(PC pc, const char *name);

// Replaces @_name by the option -<prefix>pc_<type>_name in a message, and @type by -<prefix>pc_type.
std::string PCFinegrainText(PC pc, std::string text);

// Returns the settings of a type: the common ones, restricted as the type says, and its own.
std::vector<PCFinegrainTypeSetting> PCFinegrainRows(const PCFinegrainType &type);

// True if the type of the PC has the setting, with or without an option.
bool PCFinegrainHas(const PC_Finegrain &e, const PCFinegrainSetting &setting);

// True if the type has an option of that name.
bool PCFinegrainHasOption(const PCFinegrainType &type, std::string_view name);

// Finds the data of a PC of a type that has the setting. For others it is null, or an error if `needed`.
PetscErrorCode PCFinegrainFindSetting(PC pc, const PCFinegrainSetting &setting, bool needed, PC_Finegrain **e);

// Raises an error if a setting has a value that its type does not support. Not collective.
PetscErrorCode PCFinegrainCheckValues(PC pc, const PC_Finegrain &e);

// Prints the settings in the view before set-up.
PetscErrorCode PCFinegrainViewSettings(const PC_Finegrain &e, PetscViewer viewer);

// Work that a new value of a setting requires.
enum class PCFinegrainEffect { analysis, application };
PetscErrorCode PCFinegrainChanged(PC pc, PC_Finegrain *e, PCFinegrainEffect effect);

// Sets a new value. Collective for settings that are equal on all ranks.
template <class T> PetscErrorCode PCFinegrainChange(PC pc, PC_Finegrain *e, T &setting, const T &value,
                                                    PCFinegrainEffect effect = PCFinegrainEffect::analysis)
{
  PetscFunctionBegin;
  if (setting == value) PetscFunctionReturn(PETSC_SUCCESS);
  setting = value;
  PetscCall(PCFinegrainChanged(pc, e, effect));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Type of a setter's argument. An enumeration is passed as int until it is checked: C and Fortran may pass a number
// outside the enumeration, which is undefined behavior for an enumeration in C++.
template <class T> using PCFinegrainArgument =
  std::conditional_t<std::is_enum_v<T> && !std::is_same_v<T, PetscBool>, int, T>;

// Raises an error if ranks pass different values.
template <class T> PetscErrorCode PCFinegrainCheckSame(PC pc, PCFinegrainArgument<T> value)
{
  PetscFunctionBegin;
  if constexpr (std::is_same_v<T, PetscReal>) PetscValidLogicalCollectiveReal(pc, value, 2);
  else if constexpr (std::is_same_v<T, PetscBool>) PetscValidLogicalCollectiveBool(pc, value, 2);
  else if constexpr (std::is_enum_v<T>) PetscValidLogicalCollectiveEnum(pc, value, 2);
  else PetscValidLogicalCollectiveInt(pc, value, 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Read an option. -help shows `now`; *given is true if the option is given.
PetscErrorCode PCFinegrainRead(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s, PetscBool now,
                               PetscBool *value, PetscBool *given);
PetscErrorCode PCFinegrainRead(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s, PetscInt now,
                               PetscInt *value, PetscBool *given);
PetscErrorCode PCFinegrainRead(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s, PetscReal now,
                               PetscReal *value, PetscBool *given);
PetscErrorCode PCFinegrainReadChoice(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s,
                                     const char *const names[], const PCFinegrainTypeSetting &row, int now,
                                     int *value, PetscBool *given);

// Reads I,J,K of boxes. *boxes is the largest permitted number of boxes on entry and the given number on return, 0
// for none.
PetscErrorCode PCFinegrainReadBoxes(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s, PetscInt ijk[],
                                    PetscInt *boxes);

// Return numbers as text that an option accepts.
std::string PCFinegrainShow(PetscReal value);
template <class T> std::string PCFinegrainShow(const std::vector<T> &values)
{
  std::string text;
  for (const T v : values) {
    if constexpr (std::is_same_v<T, PetscReal>) text.append(text.empty() ? "" : ",").append(PCFinegrainShow(v));
    else text.append(text.empty() ? "" : ",").append(std::to_string(v));
  }
  return text;
}

// Raise an error if an integer is not in [least, most], or a real number is not strictly between the two.
PetscErrorCode PCFinegrainCheckRange(PC pc, const PCFinegrainSetting &s, PetscInt value, PetscInt least,
                                     PetscInt most);
PetscErrorCode PCFinegrainCheckRange(PC pc, const PCFinegrainSetting &s, PetscReal value, PetscInt least,
                                     PetscInt most);

// Raises an error if a choice is not the index of a name.
PetscErrorCode PCFinegrainCheckChoice(PC pc, const PCFinegrainSetting &s, const char *const names[], int value);

// Converts between public and engine enumerations, which have the same numbers.
template <class To, class From> constexpr To FinegrainEnum(From value)
{
  if constexpr (std::is_enum_v<From>) return static_cast<To>(static_cast<int>(value));
  else return static_cast<To>(value);
}

// Returns the data of a PC whose type has its own data type.
template <class Data> Data &PCFinegrainData(PC pc)
{
  return *static_cast<Data *>(static_cast<PC_Finegrain *>(pc->data));
}

// Returns the structure that has the member of a setting: the shared settings, or the data of the type.
template <class Data, class Any> auto &PCFinegrainHolder(Any &e)
{
  if constexpr (std::is_same_v<Data, FinegrainSettings>) return e.settings;
  else if constexpr (std::is_const_v<Any>) return static_cast<const Data &>(e);
  else return static_cast<Data &>(e);
}

// Setting with a single value: a named choice, a boolean or a number. Data is the structure that has the member.
template <class Data, class T> struct PCFinegrainValue final : PCFinegrainSetting {
  T Data::*member;
  const char *const *names = nullptr;                         // of a choice, in the form of PetscOptionsEnum()
  PetscInt least = 0, most = std::numeric_limits<int>::max(); // range of numbers
  PCFinegrainEffect effect = PCFinegrainEffect::analysis;

  constexpr PCFinegrainValue(const char *n, const char *t, const char *s, T Data::*m, const char *const choices[],
                             PCFinegrainEffect f = PCFinegrainEffect::analysis)
      : PCFinegrainSetting(n, t, s), member(m), names(choices), effect(f)
  {
  }
  constexpr PCFinegrainValue(const char *n, const char *t, const char *s, T Data::*m)
      : PCFinegrainSetting(n, t, s), member(m)
  {
  }
  constexpr PCFinegrainValue(const char *n, const char *t, const char *s, T Data::*m, PetscInt l,
                             PetscInt h = std::numeric_limits<int>::max())
      : PCFinegrainSetting(n, t, s), member(m), least(l), most(h)
  {
  }

  // Implements a setter. It does nothing for a PC whose type does not have the setting.
  PetscErrorCode set(PC pc, PCFinegrainArgument<T> value) const
  {
    PC_Finegrain *e;

    PetscFunctionBegin;
    PetscCall(PCFinegrainFindSetting(pc, *this, false, &e));
    PetscCall(PCFinegrainCheckSame<T>(pc, value));
    if (!e) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(check(pc, value));
    PetscCall(PCFinegrainChange(pc, e, PCFinegrainHolder<Data>(*e).*member, T(value), effect));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // Raises an error if no type permits the value.
  PetscErrorCode check(PC pc, PCFinegrainArgument<T> value) const
  {
    PetscFunctionBegin;
    if constexpr (std::is_same_v<T, PetscBool>) PetscFunctionReturn(PETSC_SUCCESS);
    else if constexpr (std::is_enum_v<T>) PetscCall(PCFinegrainCheckChoice(pc, *this, names, value));
    else PetscCall(PCFinegrainCheckRange(pc, *this, value, least, most));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // Implements a getter. A PC whose type does not have the setting is an error.
  PetscErrorCode get(PC pc, T *value) const
  {
    PC_Finegrain *e;

    PetscFunctionBegin;
    PetscCall(PCFinegrainFindSetting(pc, *this, true, &e));
    *value = PCFinegrainHolder<Data>(*e).*member;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode read(PC pc, FinegrainOptionItems items, const PCFinegrainTypeSetting &row) const override
  {
    const T now = PCFinegrainHolder<Data>(PCFinegrainData<PC_Finegrain>(pc)).*member;
    T value = now;
    PetscBool given;

    PetscFunctionBegin;
    if constexpr (std::is_enum_v<T> && !std::is_same_v<T, PetscBool>) {
      int index = int(now);
      PetscCall(PCFinegrainReadChoice(pc, items, *this, names, row, index, &index, &given));
      value = T(index);
    } else PetscCall(PCFinegrainRead(pc, items, *this, now, &value, &given));
    if (given) PetscCall(set(pc, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string show(const PC_Finegrain &e) const override
  {
    const T value = PCFinegrainHolder<Data>(e).*member;
    if constexpr (std::is_same_v<T, PetscReal>) return PCFinegrainShow(value);
    else if constexpr (std::is_same_v<T, PetscBool>) return value ? "true" : "false";
    else if constexpr (std::is_enum_v<T>) return names[int(value)];
    else return std::to_string(value);
  }
};

// Setting without a single value: a list, or a setting that shares its setter with another.
struct PCFinegrainList final : PCFinegrainSetting {
  PetscErrorCode (*reader)(PC, FinegrainOptionItems, const PCFinegrainSetting &);
  std::string (*shower)(const PC_Finegrain &);

  constexpr PCFinegrainList(const char *n, const char *t, const char *s, decltype(reader) r, decltype(shower) w)
      : PCFinegrainSetting(n, t, s), reader(r), shower(w)
  {
  }
  PetscErrorCode read(PC pc, FinegrainOptionItems items, const PCFinegrainTypeSetting &) const override
  {
    return reader(pc, items, *this);
  }
  std::string show(const PC_Finegrain &e) const override { return shower(e); }
};

// Settings of several types, each defined next to its setter.
namespace finegrain::settings
{

template <class T> using Common = PCFinegrainValue<FinegrainSettings, T>;
extern const Common<PCFinegrainAlgorithmType> algorithm;
extern const Common<PCFinegrainBackendType> backend;
extern const Common<PCFinegrainPrecisionType> precision;
extern const Common<PCFinegrainDiagonalPrecisionType> diag_precision;
extern const Common<MatFactorShiftType> shift_type;
extern const PCFinegrainList shift_amount;
extern const Common<PetscReal> zero_pivot;
extern const Common<PetscBool> add_diagonal;
extern const PCFinegrainList grid;
extern const Common<PetscInt> block_size;
extern const Common<PetscInt> corrections;
extern const Common<PCFinegrainApplyRichardsonType> apply_richardson;
extern const Common<PCFinegrainCheckType> check_solution;

// All types have these, with the values that are named here. A type that has other values lists the setting itself.
inline constexpr PCFinegrainTypeSetting of_all_types[] = {{&algorithm},
                                                          {&backend},
                                                          {&precision, "working,single,half"},
                                                          {&diag_precision},
                                                          {&shift_type, "none,inblocks"},
                                                          {&shift_amount},
                                                          {&zero_pivot},
                                                          {&add_diagonal},
                                                          {&grid},
                                                          {&block_size},
                                                          {&corrections},
                                                          {&apply_richardson},
                                                          {&check_solution}};

// The types that have these list them.
extern const Common<PCFinegrainScheduleType> schedule;
extern const PCFinegrainList ordering;
inline constexpr char tile_ordering[] = "tiles"; // the ordering that is not one of PETSc's
extern const PCFinegrainList tile;
extern const Common<PCFinegrainGridCoupling> grid_coupling;
extern const Common<PCFinegrainColoringType> coloring;
extern const Common<PetscBool> coloring_balance;
extern const Common<PCFGBILUEisenstatType> eisenstat;
extern const Common<PetscBool> global;

} // namespace finegrain::settings

// SPDX-License-Identifier: BSD-2-Clause
// A setting of a preconditioner, said once: option, text, setter, member and permitted values. Setters and getters,
// -help, the view before set-up and the check of permitted values all read it. Type files list the settings they
// have.
#pragma once

#include "pc/find.hpp"

#include <limits>
#include <string_view>
#include <type_traits>

// What all kinds of settings have. The option is -<prefix>pc_<type>_<name>.
struct PCFinegrainSetting {
  const char *name, *text, *setter;

  // Reads the option, and does what the setter does if it is given.
  virtual PetscErrorCode read(PC pc, FinegrainOptionItems items, const PCFinegrainRow &row) const = 0;
  // The value as the option would have it.
  virtual std::string show(const PC_Finegrain &e) const = 0;

protected:
  constexpr PCFinegrainSetting(const char *n, const char *t, const char *s) : name(n), text(t), setter(s) {}
  ~PCFinegrainSetting() = default;
};

// -pc_<type>_<name>, for the options database, and with the PC's prefix, for messages.
std::string PCFinegrainKey(PC pc, const char *name);
std::string PCFinegrainOption(PC pc, const char *name);

// A message in which @_name stands for the option -<prefix>pc_<type>_name, and @type for -<prefix>pc_type.
std::string PCFinegrainText(PC pc, std::string text);

// The rows of a type: those common to all types, but for those that it restricts, and its own.
std::vector<PCFinegrainRow> PCFinegrainRows(const PCFinegrainType &type);

// Whether a type has a setting, with an option or without.
bool PCFinegrainHas(const PC_Finegrain &e, const PCFinegrainSetting &setting);

// Whether a type has an option of that name.
bool PCFinegrainHasOption(const PCFinegrainType &type, std::string_view name);

// The data of a PC whose type has the setting; null, or if `needed` an error, for all others.
PetscErrorCode PCFinegrainFindSetting(PC pc, const PCFinegrainSetting &setting, bool needed, PC_Finegrain **e);

// Stops where a setting has a value that is not for its type. Not collective.
PetscErrorCode PCFinegrainCheckValues(PC pc, const PC_Finegrain &e);

// The line of the view before set-up.
PetscErrorCode PCFinegrainViewSettings(const PC_Finegrain &e, PetscViewer viewer);

// What a new value makes necessary.
enum class PCFinegrainEffect { analysis, application };
PetscErrorCode PCFinegrainChanged(PC pc, PC_Finegrain *e, PCFinegrainEffect effect);

// Gives a setting a new value. Collective for those that are the same on all ranks.
template <class T> PetscErrorCode PCFinegrainChange(PC pc, PC_Finegrain *e, T &setting, const T &value,
                                                    PCFinegrainEffect effect = PCFinegrainEffect::analysis)
{
  PetscFunctionBegin;
  if (setting == value) PetscFunctionReturn(PETSC_SUCCESS);
  setting = value;
  PetscCall(PCFinegrainChanged(pc, e, effect));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The argument of a setter. An enumeration is passed as int until it is checked: C and Fortran may pass a number
// that the enumeration does not have, and C++ leaves the behavior of such a value of an enumeration undefined.
template <class T> using PCFinegrainArgument =
  std::conditional_t<std::is_enum_v<T> && !std::is_same_v<T, PetscBool>, int, T>;

// Stops where ranks give different values.
template <class T> PetscErrorCode PCFinegrainCheckSame(PC pc, PCFinegrainArgument<T> value)
{
  PetscFunctionBegin;
  if constexpr (std::is_same_v<T, PetscReal>) PetscValidLogicalCollectiveReal(pc, value, 2);
  else if constexpr (std::is_same_v<T, PetscBool>) PetscValidLogicalCollectiveBool(pc, value, 2);
  else if constexpr (std::is_enum_v<T>) PetscValidLogicalCollectiveEnum(pc, value, 2);
  else PetscValidLogicalCollectiveInt(pc, value, 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Read an option: `now` is shown by -help; *given says whether it is there.
PetscErrorCode PCFinegrainRead(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s, PetscBool now,
                               PetscBool *value, PetscBool *given);
PetscErrorCode PCFinegrainRead(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s, PetscInt now,
                               PetscInt *value, PetscBool *given);
PetscErrorCode PCFinegrainRead(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s, PetscReal now,
                               PetscReal *value, PetscBool *given);
PetscErrorCode PCFinegrainReadChoice(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s,
                                     const char *const names[], const PCFinegrainRow &row, int now, int *value,
                                     PetscBool *given);

// Reads I,J,K of boxes. *boxes: how many there may be; then how many are given, 0 for none.
PetscErrorCode PCFinegrainReadBoxes(PC pc, FinegrainOptionItems items, const PCFinegrainSetting &s, PetscInt ijk[],
                                    PetscInt *boxes);

// Numbers as an option would have them.
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

// Stops where a number is below `least` or above `most`, or a real number where it is not between the two.
PetscErrorCode PCFinegrainCheckRange(PC pc, const PCFinegrainSetting &s, PetscInt value, PetscInt least,
                                     PetscInt most);
PetscErrorCode PCFinegrainCheckRange(PC pc, const PCFinegrainSetting &s, PetscReal value, PetscInt least,
                                     PetscInt most);

// Stops where a choice is not the number of one of its names.
PetscErrorCode PCFinegrainCheckChoice(PC pc, const PCFinegrainSetting &s, const char *const names[], int value);

// The public enumerations number their values as the engine's do.
template <class To, class From> constexpr To FinegrainEnum(From value)
{
  if constexpr (std::is_enum_v<From>) return static_cast<To>(static_cast<int>(value));
  else return static_cast<To>(value);
}

// The own data of a PC of that type.
template <class Data> Data &PCFinegrainData(PC pc)
{
  return *static_cast<Data *>(static_cast<PC_Finegrain *>(pc->data));
}

// Where a setting is: in the shared ones, or in the data of its type.
template <class Data, class Any> auto &PCFinegrainPart(Any &e)
{
  if constexpr (std::is_same_v<Data, FinegrainSettings>) return e.settings;
  else if constexpr (std::is_const_v<Any>) return static_cast<const Data &>(e);
  else return static_cast<Data &>(e);
}

// A setting that is one value: a choice by name, a yes or no, or a number. Data: of the types that have it.
template <class Data, class T> struct PCFinegrainValue final : PCFinegrainSetting {
  T Data::*member;
  const char *const *names = nullptr;                         // of a choice, as PetscOptionsEnum() takes them
  PetscInt least = 0, most = std::numeric_limits<int>::max(); // of numbers
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

  // The body of a setter. A PC whose type has no such setting is left alone.
  PetscErrorCode set(PC pc, PCFinegrainArgument<T> value) const
  {
    PC_Finegrain *e;

    PetscFunctionBegin;
    PetscCall(PCFinegrainFindSetting(pc, *this, false, &e));
    PetscCall(PCFinegrainCheckSame<T>(pc, value));
    if (!e) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(check(pc, value));
    PetscCall(PCFinegrainChange(pc, e, PCFinegrainPart<Data>(*e).*member, T(value), effect));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // Stops where the value is none that any type has.
  PetscErrorCode check(PC pc, PCFinegrainArgument<T> value) const
  {
    PetscFunctionBegin;
    if constexpr (std::is_same_v<T, PetscBool>) PetscFunctionReturn(PETSC_SUCCESS);
    else if constexpr (std::is_enum_v<T>) PetscCall(PCFinegrainCheckChoice(pc, *this, names, value));
    else PetscCall(PCFinegrainCheckRange(pc, *this, value, least, most));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // The body of a getter. A PC whose type has no such setting is an error.
  PetscErrorCode get(PC pc, T *value) const
  {
    PC_Finegrain *e;

    PetscFunctionBegin;
    PetscCall(PCFinegrainFindSetting(pc, *this, true, &e));
    *value = PCFinegrainPart<Data>(*e).*member;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode read(PC pc, FinegrainOptionItems items, const PCFinegrainRow &row) const override
  {
    const T now = PCFinegrainPart<Data>(PCFinegrainData<PC_Finegrain>(pc)).*member;
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
    const T value = PCFinegrainPart<Data>(e).*member;
    if constexpr (std::is_same_v<T, PetscReal>) return PCFinegrainShow(value);
    else if constexpr (std::is_same_v<T, PetscBool>) return value ? "true" : "false";
    else if constexpr (std::is_enum_v<T>) return names[int(value)];
    else return std::to_string(value);
  }
};

// A setting that is not one value: a list, or one that has its setter with another.
struct PCFinegrainList final : PCFinegrainSetting {
  PetscErrorCode (*reader)(PC, FinegrainOptionItems, const PCFinegrainSetting &);
  std::string (*shower)(const PC_Finegrain &);

  constexpr PCFinegrainList(const char *n, const char *t, const char *s, decltype(reader) r, decltype(shower) w)
      : PCFinegrainSetting(n, t, s), reader(r), shower(w)
  {
  }
  PetscErrorCode read(PC pc, FinegrainOptionItems items, const PCFinegrainRow &) const override
  {
    return reader(pc, items, *this);
  }
  std::string show(const PC_Finegrain &e) const override { return shower(e); }
};

// Common settings, each defined beside its setter. Those above the line have options with all types; of the others
// types say whether they have them.
namespace finegrain::settings
{

template <class T> using Common = PCFinegrainValue<FinegrainSettings, T>;
extern const Common<PCFinegrainAlgorithmType> algorithm;
extern const Common<PCFinegrainBackendType> backend;
extern const Common<PCFinegrainPrecisionType> precision;
extern const Common<PCFinegrainDiagonalPrecisionType> diagonal;
extern const Common<MatFactorShiftType> shift_type;
extern const PCFinegrainList shift_amount;
extern const Common<PetscReal> zero_pivot;
extern const Common<PetscBool> add_diagonal;
extern const PCFinegrainList grid;
extern const Common<PetscInt> block_size;
extern const Common<PetscInt> corrections;
extern const Common<PCFinegrainApplyRichardsonType> apply_richardson;
extern const Common<PCFinegrainCheckType> check_solution;
// ----
extern const Common<PCFinegrainScheduleType> schedule;
extern const PCFinegrainList ordering;
extern const PCFinegrainList tile;
extern const Common<PCFinegrainGridCoupling> coupling;
extern const Common<PCFinegrainColoringType> coloring;
extern const Common<PetscBool> balance;
extern const Common<PCFGBILUEisenstatType> eisenstat;
extern const Common<PetscBool> global;

} // namespace finegrain::settings

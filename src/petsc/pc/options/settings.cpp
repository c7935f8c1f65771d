// SPDX-License-Identifier: BSD-2-Clause
// Implements the functions of settings.hpp: reading options, the view before set-up, and errors.
#include "pc/options/settings.hpp"
#include "pc/find.hpp"
#include "pc/types.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

using namespace finegrain;

namespace
{

bool Lists(const PCFinegrainType &type, const PCFinegrainSetting &setting)
{
  const std::vector<PCFinegrainTypeSetting> rows = PCFinegrainRows(type);
  return std::any_of(rows.begin(), rows.end(),
                     [&](const PCFinegrainTypeSetting &r) { return r.setting == &setting; });
}

std::string Lower(std::string text)
{
  for (char &c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Returns the names of a choice that a type has. PETSc's lists end with the name of the enumeration, a prefix and
// null.
std::vector<std::string> FindNames(const char *const names[], const char *values)
{
  std::vector<std::string> result;
  if (values) {
    const std::string_view list = values; // a string stream would truncate the list if memory runs out
    for (std::size_t at = 0, end; at <= list.size(); at = end + 1) {
      end = std::min(list.find(',', at), list.size());
      result.emplace_back(list.substr(at, end - at));
    }
  } else {
    std::size_t count = 0;
    while (names[count]) ++count;
    result.assign(names, names + count - 2);
  }
  return result;
}

} // namespace

std::vector<PCFinegrainTypeSetting> PCFinegrainRows(const PCFinegrainType &type)
{
  std::vector<PCFinegrainTypeSetting> rows;
  for (const PCFinegrainTypeSetting &c : settings::of_all_types)
    if (std::none_of(type.rows.begin(), type.rows.end(), [&](const auto &r) { return r.setting == c.setting; }))
      rows.push_back(c);
  rows.insert(rows.end(), type.rows.begin(), type.rows.end());
  return rows;
}

std::string PCFinegrainKey(PC pc, const char *name)
{
  return std::string("-pc_").append(static_cast<PC_Finegrain *>(pc->data)->type->name).append("_").append(name);
}

std::string PCFinegrainText(PC pc, std::string text)
{
  const std::string type = PCFinegrainOption(pc, ""),
                    short_type = type.substr(0, type.find("pc_") + 3).append("type");
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    if (text.compare(at, 5, "@type") == 0) text.replace(at, 5, short_type);
    else text.replace(at, 2, type);
  return text;
}

std::string PCFinegrainOption(PC pc, const char *name)
{
  const char *prefix = reinterpret_cast<PetscObject>(pc)->prefix;
  return PCFinegrainKey(pc, name).insert(1, prefix ? prefix : "");
}

bool PCFinegrainHas(const PC_Finegrain &e, const PCFinegrainSetting &setting) { return Lists(*e.type, setting); }

bool PCFinegrainHasOption(const PCFinegrainType &type, std::string_view name)
{
  const std::vector<PCFinegrainTypeSetting> rows = PCFinegrainRows(type);
  return std::any_of(rows.begin(), rows.end(),
                     [&](const PCFinegrainTypeSetting &r) { return r.option && r.setting->name == name; });
}

PetscErrorCode PCFinegrainFindSetting(PC pc, const PCFinegrainSetting &setting, bool needed, PC_Finegrain **e)
{
  PetscFunctionBegin;
  PetscCall(needed ? PCFinegrainGet(pc, e) : PCFinegrainFind(pc, e));
  const bool has = *e && Lists(*(*e)->type, setting);
  std::string types; // types that have the setting
  for (const PCFinegrainType *type : finegrain_types)
    if (Lists(*type, setting)) types.append(types.empty() ? "type " : ", ").append(type->name);
  PetscCheck(has || !needed, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP,
             "Preconditioner of type %s has no such setting; %s() is for %s", (*e)->type->name, setting.setter,
             types.c_str());
  if (!has) *e = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainCheckValues(PC pc, const PC_Finegrain &e)
{
  PetscFunctionBegin;
  for (const PCFinegrainTypeSetting &row : PCFinegrainRows(*e.type)) {
    if (!row.values) continue;
    const std::vector<std::string> names = FindNames(nullptr, row.values);
    const std::string value = Lower(row.setting->show(e));
    std::string all;
    for (const std::string &name : names) all.append(all.empty() ? "" : ", ").append(name);
    PetscCheck(std::find(names.begin(), names.end(), value) != names.end(), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "%s is %s, which -pc_type %s does not have; it has %s, %s()",
               PCFinegrainOption(pc, row.setting->name).c_str(), value.c_str(), e.type->name, all.c_str(),
               row.setting->setter);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainChanged(PC pc, PC_Finegrain *e, PCFinegrainEffect effect)
{
  PetscFunctionBegin;
  // Set-up reports settings that exclude each other.
  if (effect == PCFinegrainEffect::analysis || e->settings.eisenstat == PCFGBILU_EISENSTAT_TRUE)
    PCFinegrainInvalidate(pc, e);
  PetscCall((*e->set_applications)(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainCheckRange(PC pc, const PCFinegrainSetting &s, PetscInt value, PetscInt least,
                                     PetscInt most)
{
  PetscFunctionBegin;
  const bool bounded = most < std::numeric_limits<int>::max();
  std::string range = value > most && !bounded ? "below 2^31" : std::to_string(least);
  if (bounded) range.append(" to ").append(std::to_string(most));
  else if (value < least) range.append(" or more");
  PetscCheck(value >= least && value <= most, PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_OUTOFRANGE, "%s is %" PetscInt_FMT "; it must be %s, %s()",
             PCFinegrainOption(pc, s.name).c_str(), value, range.c_str(), s.setter);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainCheckRange(PC pc, const PCFinegrainSetting &s, PetscReal value, PetscInt least,
                                     PetscInt most)
{
  PetscFunctionBegin;
  if (most == std::numeric_limits<int>::max()) {
    PetscCheck(value >= PetscReal(least), PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
               PETSC_ERR_ARG_OUTOFRANGE, "%s is %g; it must be %" PetscInt_FMT " or more, %s()",
               PCFinegrainOption(pc, s.name).c_str(), double(value), least, s.setter);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(value > PetscReal(least) && value < PetscReal(most), PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_OUTOFRANGE,
             "%s is %g; it must be between %" PetscInt_FMT " and %" PetscInt_FMT ", both left out, %s()",
             PCFinegrainOption(pc, s.name).c_str(), double(value), least, most, s.setter);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainCheckChoice(PC pc, const PCFinegrainSetting &s, const char *const names[], int value)
{
  const std::vector<std::string> all = FindNames(names, nullptr);
  std::string choices;

  PetscFunctionBegin;
  for (std::size_t i = 0; i < all.size(); ++i)
    choices.append(i ? ", " : "").append(std::to_string(i)).append(" for ").append(Lower(all[i]));
  PetscCheck(value >= 0 && std::size_t(value) < all.size(), PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_OUTOFRANGE, "%s is number %d of its values; it must be %s, %s()",
             PCFinegrainOption(pc, s.name).c_str(), value, choices.c_str(), s.setter);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainRead(PC pc, FinegrainOptionItems PetscOptionsObject, const PCFinegrainSetting &s,
                               PetscBool now, PetscBool *value, PetscBool *given)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsBool(PCFinegrainKey(pc, s.name).c_str(), s.text, s.setter, now, value, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainRead(PC pc, FinegrainOptionItems PetscOptionsObject, const PCFinegrainSetting &s,
                               PetscInt now, PetscInt *value, PetscBool *given)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsInt(PCFinegrainKey(pc, s.name).c_str(), s.text, s.setter, now, value, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainRead(PC pc, FinegrainOptionItems PetscOptionsObject, const PCFinegrainSetting &s,
                               PetscReal now, PetscReal *value, PetscBool *given)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsReal(PCFinegrainKey(pc, s.name).c_str(), s.text, s.setter, now, value, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainReadChoice(PC pc, FinegrainOptionItems PetscOptionsObject, const PCFinegrainSetting &s,
                                     const char *const names[], const PCFinegrainTypeSetting &row, int now,
                                     int *value, PetscBool *given)
{
  const std::vector<std::string> all = FindNames(names, nullptr), permitted = FindNames(names, row.values);
  const PetscObject object = reinterpret_cast<PetscObject>(pc);
  const std::string key = PCFinegrainKey(pc, s.name);
  std::string available;
  std::vector<const char *> list;
  char text[128];
  PetscInt index;
  PetscBool listed = PETSC_TRUE, again;

  PetscFunctionBegin;
  for (const std::string &name : permitted) {
    list.push_back(name.c_str());
    available.append(" ").append(name);
  }
  // All names are accepted; as with the setter, those that the type lacks are errors at set-up.
  PetscCall(PetscOptionsGetString(object->options, object->prefix, key.c_str(), text, sizeof text, given));
  if (*given && !*text && std::find(all.begin(), all.end(), "true") != all.end())
    PetscCall(PetscStrncpy(text, "true", sizeof text)); // an option without a value, as a boolean one
  if (*given) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto &n) { return Lower(n) == Lower(text); });
    PetscCheck(found != all.end(), PetscObjectComm(object), PETSC_ERR_USER,
               "Unknown option %s for %s. Available options:%s", text, PCFinegrainOption(pc, s.name).c_str(),
               available.c_str());
    *value = int(found - all.begin());
    listed = PetscBool(std::find(permitted.begin(), permitted.end(), Lower(*found)) != permitted.end());
  }
  if (listed) // for -help
    PetscCall(PetscOptionsEList(key.c_str(), s.text, s.setter, list.data(), PetscInt(list.size()),
                                Lower(all[std::size_t(now)]).c_str(), &index, &again));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainReadBoxes(PC pc, FinegrainOptionItems PetscOptionsObject, const PCFinegrainSetting &s,
                                    PetscInt ijk[], PetscInt *boxes)
{
  PetscInt count = 3 * *boxes;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsIntArray(PCFinegrainKey(pc, s.name).c_str(), s.text, s.setter, ijk, &count, &set));
  PetscCheck(!set || (count > 0 && count % 3 == 0), PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_SIZ,
             "%s has %" PetscInt_FMT " numbers; give I,J,K%s, with 1 for a direction that is not there",
             PCFinegrainOption(pc, s.name).c_str(), count, *boxes > 1 ? " of each local grid" : "");
  *boxes = set ? count / 3 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string PCFinegrainShow(PetscReal value)
{
  char text[32];
  (void)PetscSNPrintf(text, sizeof(text), "%g", double(value));
  return text;
}

PetscErrorCode PCFinegrainViewSettings(const PC_Finegrain &e, PetscViewer viewer)
{
  constexpr std::size_t wide = 90; // width of a line
  std::string line = "not set up;";

  PetscFunctionBegin;
  for (const PCFinegrainTypeSetting &row : PCFinegrainRows(*e.type)) {
    const std::string value = row.option ? Lower(row.setting->show(e)) : "";
    if (value.empty()) continue;
    const std::string text = std::string(" ").append(row.setting->name).append(" ").append(value);
    if (line.size() + text.size() > wide) {
      PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
      line.assign(1, ' ');
    }
    line += text + ",";
  }
  line.back() = '\n';
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

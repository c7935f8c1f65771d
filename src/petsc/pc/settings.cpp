// SPDX-License-Identifier: BSD-2-Clause
// What settings.hpp declares for all settings: reading options, the view before set-up, and errors.
#include "pc/settings.hpp"
#include "pc/types.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

using namespace finegrain;

namespace
{

constexpr std::array common = {PCEngineRow{&settings::algorithm},
                               PCEngineRow{&settings::backend},
                               PCEngineRow{&settings::precision, "working,single,half"},
                               PCEngineRow{&settings::diagonal},
                               PCEngineRow{&settings::shift_type, "none,inblocks"},
                               PCEngineRow{&settings::shift_amount},
                               PCEngineRow{&settings::zero_pivot},
                               PCEngineRow{&settings::add_diagonal},
                               PCEngineRow{&settings::grid},
                               PCEngineRow{&settings::block_size},
                               PCEngineRow{&settings::corrections},
                               PCEngineRow{&settings::apply_richardson},
                               PCEngineRow{&settings::check_solution}};

// The rows of a type: the common ones, but for those that it has itself, and its own.
std::vector<PCEngineRow> FindRows(const PCEngineType &type)
{
  std::vector<PCEngineRow> rows;
  for (const PCEngineRow &c : common)
    if (std::none_of(type.rows.begin(), type.rows.end(), [&](const auto &r) { return r.setting == c.setting; }))
      rows.push_back(c);
  rows.insert(rows.end(), type.rows.begin(), type.rows.end());
  return rows;
}

bool Lists(const PCEngineType &type, const PCEngineSetting &setting)
{
  const std::vector<PCEngineRow> rows = FindRows(type);
  return std::any_of(rows.begin(), rows.end(), [&](const PCEngineRow &r) { return r.setting == &setting; });
}

std::string Lower(std::string text)
{
  for (char &c : text) c = char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// The names of a choice that a type has. PETSc's own lists end with the name of the enumeration, a prefix and null.
std::vector<std::string> FindNames(const char *const names[], const char *values)
{
  std::vector<std::string> result;
  if (values) {
    const std::string_view list = values; // a stream would end the list where memory ends
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

std::string PCEngineKey(PC pc, const char *name)
{
  return std::string("-pc_").append(static_cast<PCEngine *>(pc->data)->type->name).append("_").append(name);
}

std::string PCEngineText(PC pc, std::string text)
{
  const std::string type = PCEngineOption(pc, ""), short_type = type.substr(0, type.find("pc_") + 3).append("type");
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    if (text.compare(at, 5, "@type") == 0) text.replace(at, 5, short_type);
    else text.replace(at, 2, type);
  return text;
}

std::string PCEngineOption(PC pc, const char *name)
{
  const char *prefix = reinterpret_cast<PetscObject>(pc)->prefix;
  return PCEngineKey(pc, name).insert(1, prefix ? prefix : "");
}

bool PCEngineHas(const PCEngine &e, const PCEngineSetting &setting) { return Lists(*e.type, setting); }

bool PCEngineHasOption(const PCEngineType &type, std::string_view name)
{
  const std::vector<PCEngineRow> rows = FindRows(type);
  return std::any_of(rows.begin(), rows.end(),
                     [&](const PCEngineRow &r) { return r.option && r.setting->name == name; });
}

PetscErrorCode PCEngineFindSetting(PC pc, const PCEngineSetting &setting, bool needed, PCEngine **e)
{
  PetscFunctionBegin;
  PetscCall(needed ? PCEngineGet(pc, e) : PCEngineFind(pc, e));
  const bool has = *e && Lists(*(*e)->type, setting);
  std::string types; // that have it
  for (const PCEngineType *type : pcengine_types)
    if (Lists(*type, setting)) types.append(types.empty() ? "type " : ", ").append(type->name);
  PetscCheck(has || !needed, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP,
             "Preconditioner of type %s has no such setting; %s() is for %s", (*e)->type->name, setting.setter,
             types.c_str());
  if (!has) *e = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineCheckValues(PC pc, const PCEngine &e)
{
  PetscFunctionBegin;
  for (const PCEngineRow &row : FindRows(*e.type)) {
    if (!row.values) continue;
    const std::vector<std::string> names = FindNames(nullptr, row.values);
    const std::string value = Lower(row.setting->show(e));
    std::string all;
    for (const std::string &name : names) all.append(all.empty() ? "" : ", ").append(name);
    PetscCheck(std::find(names.begin(), names.end(), value) != names.end(), PETSC_COMM_SELF, PETSC_ERR_SUP,
               "%s is %s, which -pc_type %s does not have; it has %s, %s()",
               PCEngineOption(pc, row.setting->name).c_str(), value.c_str(), e.type->name, all.c_str(),
               row.setting->setter);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineChanged(PC pc, PCEngine *e, PCEngineEffect effect)
{
  PetscFunctionBegin;
  // Set-up says what excludes each other.
  if (effect == PCEngineEffect::analysis || e->eisenstat == PCFGBILU_EISENSTAT_TRUE) PCEngineInvalidate(pc, e);
  PetscCall(PCEngineSetApplications(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineCheckRange(PC pc, const PCEngineSetting &s, PetscInt value, PetscInt least, PetscInt most)
{
  PetscFunctionBegin;
  const bool bounded = most < std::numeric_limits<int>::max();
  std::string range = value > most && !bounded ? "below 2^31" : std::to_string(least);
  if (bounded) range.append(" to ").append(std::to_string(most));
  else if (value < least) range.append(" or more");
  PetscCheck(value >= least && value <= most, PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_OUTOFRANGE, "%s is %" PetscInt_FMT "; it must be %s, %s()",
             PCEngineOption(pc, s.name).c_str(), value, range.c_str(), s.setter);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineCheckRange(PC pc, const PCEngineSetting &s, PetscReal value, PetscInt least, PetscInt most)
{
  PetscFunctionBegin;
  if (most == std::numeric_limits<int>::max()) {
    PetscCheck(value >= PetscReal(least), PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
               PETSC_ERR_ARG_OUTOFRANGE, "%s is %g; it must be %" PetscInt_FMT " or more, %s()",
               PCEngineOption(pc, s.name).c_str(), double(value), least, s.setter);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(value > PetscReal(least) && value < PetscReal(most), PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_OUTOFRANGE,
             "%s is %g; it must be between %" PetscInt_FMT " and %" PetscInt_FMT ", both left out, %s()",
             PCEngineOption(pc, s.name).c_str(), double(value), least, most, s.setter);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineCheckChoice(PC pc, const PCEngineSetting &s, const char *const names[], int value)
{
  const std::vector<std::string> all = FindNames(names, nullptr);
  std::string choices;

  PetscFunctionBegin;
  for (std::size_t i = 0; i < all.size(); ++i)
    choices.append(i ? ", " : "").append(std::to_string(i)).append(" for ").append(Lower(all[i]));
  PetscCheck(value >= 0 && std::size_t(value) < all.size(), PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_OUTOFRANGE, "%s is number %d of its values; it must be %s, %s()",
             PCEngineOption(pc, s.name).c_str(), value, choices.c_str(), s.setter);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineRead(PC pc, FinegrainOptionItems PetscOptionsObject, const PCEngineSetting &s, PetscBool now,
                            PetscBool *value, PetscBool *given)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsBool(PCEngineKey(pc, s.name).c_str(), s.text, s.setter, now, value, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineRead(PC pc, FinegrainOptionItems PetscOptionsObject, const PCEngineSetting &s, PetscInt now,
                            PetscInt *value, PetscBool *given)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsInt(PCEngineKey(pc, s.name).c_str(), s.text, s.setter, now, value, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineRead(PC pc, FinegrainOptionItems PetscOptionsObject, const PCEngineSetting &s, PetscReal now,
                            PetscReal *value, PetscBool *given)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsReal(PCEngineKey(pc, s.name).c_str(), s.text, s.setter, now, value, given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineReadChoice(PC pc, FinegrainOptionItems PetscOptionsObject, const PCEngineSetting &s,
                                  const char *const names[], const PCEngineRow &row, int now, int *value,
                                  PetscBool *given)
{
  const std::vector<std::string> all = FindNames(names, nullptr), permitted = FindNames(names, row.values);
  const PetscObject object = reinterpret_cast<PetscObject>(pc);
  const std::string key = PCEngineKey(pc, s.name);
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
  // Every name is a value; those that are not for this type are errors at set-up, as from the setter.
  PetscCall(PetscOptionsGetString(object->options, object->prefix, key.c_str(), text, sizeof text, given));
  if (*given && !*text && std::find(all.begin(), all.end(), "true") != all.end())
    PetscCall(PetscStrncpy(text, "true", sizeof text)); // as of an option that is yes or no
  if (*given) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto &n) { return Lower(n) == Lower(text); });
    PetscCheck(found != all.end(), PetscObjectComm(object), PETSC_ERR_USER,
               "Unknown option %s for %s. Available options:%s", text, PCEngineOption(pc, s.name).c_str(),
               available.c_str());
    *value = int(found - all.begin());
    listed = PetscBool(std::find(permitted.begin(), permitted.end(), Lower(*found)) != permitted.end());
  }
  if (listed) // for -help
    PetscCall(PetscOptionsEList(key.c_str(), s.text, s.setter, list.data(), PetscInt(list.size()),
                                Lower(all[std::size_t(now)]).c_str(), &index, &again));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineReadBoxes(PC pc, FinegrainOptionItems PetscOptionsObject, const PCEngineSetting &s,
                                 PetscInt ijk[], PetscInt *boxes)
{
  PetscInt count = 3 * *boxes;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsIntArray(PCEngineKey(pc, s.name).c_str(), s.text, s.setter, ijk, &count, &set));
  PetscCheck(!set || (count > 0 && count % 3 == 0), PetscObjectComm(reinterpret_cast<PetscObject>(pc)),
             PETSC_ERR_ARG_SIZ,
             "%s has %" PetscInt_FMT " numbers; give I,J,K%s, with 1 for a direction that is not there",
             PCEngineOption(pc, s.name).c_str(), count, *boxes > 1 ? " of each local grid" : "");
  *boxes = set ? count / 3 : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string PCEngineShow(PetscReal value)
{
  char text[32];
  (void)PetscSNPrintf(text, sizeof(text), "%g", double(value));
  return text;
}

PetscErrorCode PCSetFromOptions_Engine(PC pc, FinegrainOptionItems PetscOptionsObject)
{
  const PCEngineType &type = *static_cast<PCEngine *>(pc->data)->type;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(pc, [&] { return PCEngineSayUnread(pc); }));
  PetscCall(FinegrainOnAllRanks(pc, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscOptionsHeadBegin(PetscOptionsObject, (std::string(type.name) + " options").c_str());
    for (const PCEngineRow &row : FindRows(type))
      if (row.option) PetscCall(row.setting->read(pc, PetscOptionsObject, row));
    PetscOptionsHeadEnd();
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineViewSettings(const PCEngine &e, PetscViewer viewer)
{
  constexpr std::size_t wide = 90; // of a line
  std::string line = "not set up;";

  PetscFunctionBegin;
  for (const PCEngineRow &row : FindRows(*e.type)) {
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

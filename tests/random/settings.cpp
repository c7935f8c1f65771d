// SPDX-License-Identifier: BSD-2-Clause
#include "settings.hpp"

#include <algorithm>

namespace finegrain::test
{

namespace
{

struct Option {
  const char *name;
  std::vector<const char *> values;
};

// Options of all types, and those that a type lists in its row of the table.
const std::vector<Option> &AllOptions()
{
  static const std::vector<Option> all = {
    {"precision", {"single", "single", "half", "bfloat16"}},
    {"diag_precision", {"storage"}},
    {"shift_type", {"inblocks", "none"}},
    {"zero_pivot", {"0", "1e-10", "1e-3", "-1"}},
    {"add_diagonal", {"true"}},
    {"shift_amount", {"1e-12", "0.01", "0.5", "1e308", "0"}},
    {"corrections", {"1", "2", "0", "-1"}},
    {"apply_richardson", {"fixed", "tolerance"}},
    {"check_solution", {"warn", "none", "fail"}},
    {"block_size", {"1", "2", "3", "4", "33"}},
    {"backend", {"host", "auto", "device"}},
    {"grid", {"4,4,4", "7", "2,3,4,2,3,4"}},
    {"factor", {"dilu", "ilu0"}},
    {"eisenstat", {"true", "auto", "false"}},
    {"schedule", {"level", "hyperplane", "color", "auto"}},
    {"ordering", {"rcm", "nd", "1wd", "natural", "qmd", "nope"}},
    {"tile", {"2,2,2", "4,1,1", "3,5,2", "0,0,0", "-1,1,1"}},
    {"grid_coupling", {"block_jacobi", "coupled"}},
    {"its", {"1", "2", "3", "0"}},
    {"sweep", {"backward", "symmetric"}},
    {"omega", {"0.7", "1.4", "2"}},
    {"coloring", {"greedy", "lf", "sl", "jp", "redblack", "level"}},
    {"coloring_balance", {"true"}},
    {"exchange", {"none", "color", "sweep"}},
    {"global", {"true"}},
    {"scaling", {"row"}},
    {"sum_precision", {"single", "working"}},
    {"in_place", {"true"}},
    {"levels", {"0", "1", "2", "3"}},
    {"power", {"1", "2", "3"}},
    {"drop", {"after", "none"}},
    {"drop_band", {"1", "5"}},
    {"alpha", {"0", "0.4", "0.9,0.3", "1.5"}},
    {"alternate", {"true"}},
  };
  return all;
}

} // namespace

Settings DrawSettings(Draw &draw, const TypeCase &type)
{
  static const std::vector<std::string> common = {
    "precision",   "diag_precision",   "shift_type",     "shift_amount", "zero_pivot", "add_diagonal",
    "corrections", "apply_richardson", "check_solution", "block_size",   "backend",    "grid"};
  Settings s;
  if (draw.chance(0.4)) s.text = draw.of(type.variants).options; // a useful combination
  const double often = draw.chance(0.3) ? 0.4 : 0.12;
  for (const Option &option : AllOptions()) {
    const bool shared = std::find(common.begin(), common.end(), option.name) != common.end();
    if (!shared && std::find(type.options.begin(), type.options.end(), option.name) == type.options.end()) continue;
    const bool rare = std::string(option.name) == "grid" || std::string(option.name) == "block_size";
    // The last value of an option is often invalid.
    if (!draw.chance(rare ? often / 4 : often) || s.has((std::string("@_") + option.name + " ").c_str())) continue;
    const char *value = draw.of(option.values);
    if (value == option.values.back() && draw.chance(0.7)) value = option.values.front();
    s.text += std::string(" -@_") + option.name + " " + value;
  }
  s.exact = !s.has("single") && !s.has("half") && !s.has("bfloat16") && !s.has("inblocks");
  return s;
}

} // namespace finegrain::test

// SPDX-License-Identifier: BSD-2-Clause
#include "settings.hpp"

namespace finegrain::test
{

Settings DrawSettings(Draw &draw, const TypeCase &type)
{
  Settings s;
  if (draw.chance(0.4)) s.text = draw.of(type.variants).options; // a useful combination
  const double often = draw.chance(0.3) ? 0.4 : 0.12;
  for (const OptionCase &option : AllOptions()) {
    if (!option.is_of(type.type) || option.drawn.empty()) continue;
    const bool rare = option.name == "grid" || option.name == "block_size";
    // The last value of an option is often invalid.
    if (!draw.chance(rare ? often / 4 : often) || s.has(("@_" + option.name + " ").c_str())) continue;
    const char *value = draw.of(option.drawn);
    if (value == option.drawn.back() && draw.chance(0.7)) value = option.drawn.front();
    s.text += " -@_" + option.name + " " + value;
  }
  s.exact = !s.has("single") && !s.has("half") && !s.has("bfloat16") && !s.has("inblocks");
  return s;
}

} // namespace finegrain::test

// SPDX-License-Identifier: BSD-2-Clause
// Options of random cases: those of a type, with values that fit, that exclude each other, or that are invalid.
#pragma once

#include "draw.hpp"
#include "types.hpp"

namespace finegrain::test
{

// Options of the type with an @ for prefix and pc_<type>, without algorithms. `exact`: storage is in working
// precision and no pivot is replaced, so that results depend smoothly on the matrix.
struct Settings {
  std::string text;
  bool exact = true;
  bool has(const char *word) const { return text.find(word) != std::string::npos; }
};

Settings DrawSettings(Draw &draw, const TypeCase &type);

} // namespace finegrain::test

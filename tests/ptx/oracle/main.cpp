// SPDX-License-Identifier: BSD-2-Clause
// Runs the tests of the interpreter. Last it checks that they have used all that it knows: each opcode, and each of
// its modifiers and types.
#include "interpreter.hpp"

#include <set>

namespace
{
struct Everything : testing::Environment {
  std::vector<std::string> pieces;
  void SetUp() override { sim::pieces_read = &pieces; }
  void TearDown() override
  {
    if (testing::GTEST_FLAG(filter) != "*") return;
    const std::set<std::string> used(pieces.begin(), pieces.end());
    for (const sim::Opcode &o : sim::opcodes()) {
      const std::string name(o.name);
      EXPECT_TRUE(used.count(name)) << "no test uses " << name;
      for (const std::string_view list : {o.modifiers, o.types})
        for (size_t at = 0; at < list.size();) {
          const size_t end = std::min(list.find(' ', at), list.size());
          const std::string piece = name + "." + std::string(list.substr(at, end - at));
          EXPECT_TRUE(used.count(piece)) << "no test uses " << piece;
          at = end + 1;
        }
    }
  }
};
} // namespace

int main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  testing::AddGlobalTestEnvironment(new Everything);
  return RUN_ALL_TESTS();
}

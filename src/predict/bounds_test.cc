#include "predict/bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::predict {
namespace {

TEST(ProgramBounds, TheLargestBindsAndTheNextIsLeft) {
  const ProgramBounds bounds = {.dispatch = 1, .ports = 2, .binding_ports = 0b1, .chain = 4};
  EXPECT_DOUBLE_EQ(bounds.Largest(), 4);
  EXPECT_EQ(bounds.Binding(), "chain");
  EXPECT_DOUBLE_EQ(bounds.Next(/*next_chain=*/0), 2);
  // With the chain's link taken out, another chain is left.
  EXPECT_DOUBLE_EQ(bounds.Next(/*next_chain=*/3), 3);
}

TEST(ProgramBounds, UopsAndSlotsAreCountedByIteration) {
  BlockProgram program;
  program.instructions.resize(3);
  program.instructions[2].slots = 0;
  program.uops = {{.ports = 0b1}, {.ports = 0b11}, {.ports = 0}};
  EXPECT_DOUBLE_EQ(SlotsOf(program), 2);
  const auto uops = UopsByPorts(program);
  EXPECT_EQ(uops.size(), 2u);
  EXPECT_DOUBLE_EQ(uops.at(0b11), 1);
}

}  // namespace
}  // namespace cyclescope::predict

#include "ports/block_pressure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::ports {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

PortMap SimulatedMap() {
  PortMap map;
  map.dispatch = 4;
  map.ports = {"p0", "p1", "p2"};
  return map;
}

InstructionRow Part(std::string text, std::vector<PortUse> uops, double slots = 1) {
  InstructionRow row;
  row.text = text;
  row.opcode = text;
  row.slots = slots;
  row.ports = std::move(uops);
  row.port_finding.emplace();
  return row;
}

TEST(PredictBlock, ThePortsThatAreBusiestBind) {
  const std::vector<InstructionRow> parts = {Part("mul", {{1, {"p0"}}}), Part("mul", {{1, {"p0"}}}),
                                             Part("add", {{1, {"p0", "p1", "p2"}}})};
  const BlockPorts block = PredictBlock(SimulatedMap(), parts, 0, 1.5);
  EXPECT_DOUBLE_EQ(block.cycles, 2);
  EXPECT_EQ(block.binds, "ports");
  EXPECT_THAT(block.binding_ports, ElementsAre("p0"));
  EXPECT_DOUBLE_EQ(block.dispatch, 0.75);
  ASSERT_EQ(block.pressure.size(), 3);
  EXPECT_DOUBLE_EQ(block.pressure[1].cycles, 0.5);
}

TEST(PredictBlock, ChainDispatchAndDividersBindToo) {
  const std::vector<InstructionRow> one = {Part("add", {{1, {"p0", "p1", "p2"}}})};
  EXPECT_EQ(PredictBlock(SimulatedMap(), one, 0, 3).binds, "chain");
  const std::vector<InstructionRow> wide = {Part("nop", {}, 6)};
  const BlockPorts dispatched = PredictBlock(SimulatedMap(), wide, 0, 0);
  EXPECT_EQ(dispatched.binds, "dispatch");
  EXPECT_DOUBLE_EQ(dispatched.cycles, 1.5);
  std::vector<InstructionRow> divides = {Part("div", {{1, {"p0"}}}), Part("div", {{1, {"p0"}}})};
  for (InstructionRow& row : divides) row.port_finding->own_cycles = 4;
  const BlockPorts divided = PredictBlock(SimulatedMap(), divides, 0, 0);
  EXPECT_EQ(divided.binds, "other");
  EXPECT_DOUBLE_EQ(divided.cycles, 8);
  EXPECT_EQ(divided.other_text, "div");
}

TEST(PredictBlock, WhatIsNotKnownCountsAsASlotAndIsNamed) {
  InstructionRow branch;
  branch.text = "jne 5";
  branch.port_finding = PortFinding{.reason = "it is a branch"};
  const std::vector<InstructionRow> parts = {Part("add", {{1, {"p0", "p1", "p2"}}}), branch};
  const BlockPorts block = PredictBlock(SimulatedMap(), parts, 0, 0);
  EXPECT_THAT(block.dispatch, DoubleNear(0.5, 1e-9));
  ASSERT_EQ(block.not_counted.size(), 1);
  EXPECT_EQ(block.not_counted.front().reason, "it is a branch");
  // With the compare before it, it takes none.
  EXPECT_THAT(PredictBlock(SimulatedMap(), parts, 1, 0).dispatch, DoubleNear(0.25, 1e-9));
}

}  // namespace
}  // namespace cyclescope::ports

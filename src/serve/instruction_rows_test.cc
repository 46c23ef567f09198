#include "serve/instruction_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/simulated_documents.h"

namespace cyclescope::serve {
namespace {

// A machine whose CPU this one is not.
InstructionRows RowsOfModel() {
  return {std::make_shared<MachineModel>(
              MachineModel::Read(cyclescope::testing::PortsDocument()).value()),
          /*measures=*/false};
}

TEST(InstructionRowsTest, AModelKnowsAFormWithOtherRegisters) {
  InstructionRows rows = RowsOfModel();
  const auto found = rows.Find({"bswap rdx", "jne 1b", "nonsense", "add rcx, rdi"}, {}, {});
  ASSERT_TRUE(found) << found.error().ToString();
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->front().text, "bswap rdx");
  EXPECT_EQ(found->front().row.text, "bswap rax");
  EXPECT_EQ(found->front().row.ports.size(), 2U);
  EXPECT_EQ(found->back().row.text, "add rax, rbx");
}

TEST(InstructionRowsTest, OneTextMeansTwoThingsInTwoSyntaxes) {
  InstructionRows rows = RowsOfModel();
  EXPECT_EQ(rows.Find({"addq %rcx, %rdi"}, {}, {})->size(), 0U);
  const auto found = rows.Find({"addq %rcx, %rdi"}, {.att_syntax = true}, {});
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().row.text, "add rax, rbx");
}

TEST(InstructionRowsTest, WhatTheModelHasIsNotMeasuredUnlessThatIsWanted) {
  if (ArchitectureName() != "x86_64") GTEST_SKIP() << "the model's instructions are of x86-64";
  InstructionRows rows(std::make_shared<MachineModel>(
                           MachineModel::Read(cyclescope::testing::PortsDocument()).value()),
                       /*measures=*/true);
  const auto of_model = rows.Find({"bswap rdx", "nonsense"}, {}, {}, RowsOf::kModel);
  ASSERT_TRUE(of_model) << of_model.error().ToString();
  ASSERT_EQ(of_model->size(), 1U);
  EXPECT_EQ(of_model->front().row.text, "bswap rax");
  // One that ends at once has nothing: it was not taken from the model.
  const OnProgress ends = [](const Progress&) { return false; };
  const auto here = rows.Find({"bswap rdx"}, {}, ends, RowsOf::kThisMachine);
  ASSERT_TRUE(here) << here.error().ToString();
  EXPECT_EQ(here->size(), 0U);
}

TEST(InstructionRowsTest, PortsOfAModelAreNotMeasured) {
  InstructionRows rows = RowsOfModel();
  const auto found = rows.FindWithPorts("bswap rdx", {}, {});
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->row.port_finding);
  EXPECT_FALSE(*rows.FindWithPorts("nonsense", {}, {}));
}

}  // namespace
}  // namespace cyclescope::serve

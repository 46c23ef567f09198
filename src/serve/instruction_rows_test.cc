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

TEST(InstructionRowsTest, PortsOfAModelAreNotMeasured) {
  InstructionRows rows = RowsOfModel();
  const auto found = rows.FindWithPorts("bswap rdx", {}, {});
  ASSERT_TRUE(found && *found);
  EXPECT_TRUE((*found)->row.port_finding);
  EXPECT_FALSE(*rows.FindWithPorts("nonsense", {}, {}));
}

}  // namespace
}  // namespace cyclescope::serve

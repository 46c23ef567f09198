#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/anatomy_text.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CoreModelText, SaysWhatThereIs) {
  Document document;
  document.sweep = SweepSummary{.opcodes = 2};
  InstructionRow& add = document.instructions.emplace_back();
  add.opcode = "ADD64rr";
  add.throughput = Throughput{.cycles = {.value = 0.2}};
  add.port_finding = PortFinding{};
  InstructionRow& odd = document.instructions.emplace_back(add);
  odd.port_finding->claim = Claim{};
  document.port_map = PortMap{.dispatch = 6, .ports = {"p0", "p1"}};
  document.anatomy = Anatomy{};
  document.anatomy->rows.push_back({.part = AnatomyPart::kWindows,
                                    .name = "reorder buffer",
                                    .unit = "entries",
                                    .value = AnatomyValue{512, 510, 514}});
  document.anatomy->rows.push_back({.part = AnatomyPart::kFrontEnd,
                                    .name = "return stack",
                                    .unit = "entries",
                                    .value = AnatomyValue{23, 22, 23},
                                    .contended = true});
  MemoryRow& memory = document.memory.emplace_back();
  memory.accesses.push_back({.text = "mov [r], q; mov q, [r]", .cycles = Estimate{.value = 4.5}});
  memory.accesses.push_back({.text = "mov [r], b; mov b, [r]", .cycles = Estimate{.value = 5.5}});
  EXPECT_THAT(
      CoreModelText(document, {.width = 200}),
      AllOf(HasSubstr("2 with values"), HasSubstr("2 ports, 6 slots a cycle"),
            HasSubstr("1 forms of 2 are explained"), HasSubstr("reorder buffer 512\n"),
            HasSubstr("return stack 23~"), HasSubstr("~ measured on a shared core"),
            HasSubstr("2 pairs of store and load; the fastest takes 4.5 cycles: mov [r], q"),
            Not(HasSubstr("not reached"))));
}

TEST(CoreModelText, SaysWhatIsMissing) {
  Document document;
  document.sweep = SweepSummary{.opcodes = 9, .not_reached = 7};
  document.anatomy = Anatomy{};
  document.anatomy->rows.push_back({.part = AnatomyPart::kWindows,
                                    .name = "loads",
                                    .unit = "entries",
                                    .status = Status::kDisturbed,
                                    .reason = "no clear step"});
  EXPECT_THAT(CoreModelText(document, {}),
              AllOf(HasSubstr("7 not reached"), HasSubstr("the map of the core was not found"),
                    HasSubstr("1 not found"), HasSubstr("nothing was measured"),
                    HasSubstr("not measured")));
}

}  // namespace
}  // namespace cyclescope

#include "report/ports_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PortMapText, SaysWhatItsNamesMean) {
  PortMap map = *testing::PortsDocument().port_map;
  map.classes.front().ports = {"p0", "p1", "p6"};
  EXPECT_THAT(PortMapText(map, {}),
              HasSubstr("2*p016: two µops, each on any one of the ports p0, p1 and p6.\n"));
  EXPECT_THAT(PortMapText(map, {}), Not(HasSubstr("has no name")));
  for (PortClassRow& row : map.classes) row.ports = {"p0"};
  EXPECT_THAT(PortMapText(map, {}), Not(HasSubstr("any one of")));
  map.classes.front().ports = {"A"};
  EXPECT_THAT(PortMapText(map, {}), HasSubstr("has no name"));
}

TEST(PortRowsText, SaysWhereAMixIsNotAsPredicted) {
  std::vector<InstructionRow> rows = {testing::PortsDocument().instructions.front()};
  rows.front().port_finding->mixes = {{.mix = "15 * add + imul", .cycles = 3.84, .predicted = 3.0},
                                      {.mix = "2 * add", .cycles = 1.01, .predicted = 1.0}};
  const std::string text = PortRowsText(rows, {});
  EXPECT_THAT(text, HasSubstr("3.00  28 % more than predicted\n"));
  EXPECT_THAT(text, HasSubstr("1.00\n"));
}

TEST(PortsText, SaysWhatElseExplainsOnlyWhereSomethingDoes) {
  PortMap map = *testing::PortsDocument().port_map;
  map.other_maps = 0;
  EXPECT_THAT(PortMapText(map, {}), Not(HasSubstr("other map")));
  map.other_maps = 1;
  EXPECT_THAT(PortMapText(map, {}), HasSubstr("1 other map explains the times as well.\n"));
}

TEST(PortsText, AmbiguousPortsAreNotCompared) {
  std::vector<InstructionRow> rows = {testing::PortsDocument().instructions.front()};
  rows[0].port_finding->reason.clear();
  rows[0].ports = {{.uops = 1, .ports = {"p0"}}};
  rows[0].port_finding->model = {{.uops = 1, .ports = {"p1"}}};
  EXPECT_THAT(PortDifferencesText(rows, {}, 1), HasSubstr("1 of 1 instructions"));
  rows[0].ports[0].ambiguous = true;
  EXPECT_THAT(PortDifferencesText(rows, {}, 1), Not(HasSubstr("1 instructions")));
}

// A store has one µop on ports of our own names here, and two in LLVM's model.
TEST(PortsText, PortsWithoutANameInTheModelAreNotCompared) {
  std::vector<InstructionRow> rows = {testing::PortsDocument().instructions.front()};
  rows[0].port_finding->reason.clear();
  rows[0].ports = {{.uops = 1, .ports = {"A", "B"}}};
  rows[0].port_finding->model = {{.uops = 1, .ports = {"p4", "p9"}},
                                 {.uops = 1, .ports = {"p7", "p8"}}};
  EXPECT_THAT(PortDifferencesText(rows, {}, 1), Not(HasSubstr("1 instructions")));
  rows[0].port_finding->model = {{.uops = 1, .ports = {"A", "C"}}, {.uops = 1, .ports = {"B"}}};
  EXPECT_THAT(PortDifferencesText(rows, {}, 1), HasSubstr("1 of 1 instructions"))
      << "LLVM's names of some cores are letters, too";
}

}  // namespace
}  // namespace cyclescope

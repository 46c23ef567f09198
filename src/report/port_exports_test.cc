#include "report/port_exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/port_differences.h"
#include "document/testing/simulated_documents.h"
#include "report/ports_text.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(PortForms, RowsComeFirstAndFormsOfTheMapOnce) {
  const auto forms = PortForms(testing::PortsDocument());
  ASSERT_TRUE(forms);
  // Four rows that were explained, and five forms of the map that have no row.
  ASSERT_THAT(*forms, SizeIs(9));
  EXPECT_EQ(forms->front().opcode, "ADD64rr");
  EXPECT_EQ(forms->back().text, "mov rax, qword ptr [rbx]");
  EXPECT_FALSE(PortForms(testing::BareDocument()));
}

TEST(PortsCsv, HasALineForEachForm) {
  const auto csv = PortsCsv(testing::PortsDocument());
  ASSERT_TRUE(csv);
  EXPECT_THAT(*csv, HasSubstr("bswap rax,BSWAP64r,1*p1+1*p06,2.00,2,,ports,2*p06,yes,\n"));
  EXPECT_THAT(*csv, HasSubstr("1*p0|p1|p5|p6|p10+1*p2|p3|p11?"));
  EXPECT_THAT(*csv, HasSubstr("too long to see its µops"));
  EXPECT_THAT(*csv, HasSubstr("\"imul rax, rbx\",,1*p1,1.00,1,"));
}

TEST(PortsTableGen, HasPortsGroupsWritesAndOpcodes) {
  const auto text = PortsTableGen(testing::PortsDocument());
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("let IssueWidth = 6;"));
  EXPECT_THAT(*text, HasSubstr("def MeasuredPort10 : ProcResource<1>;"));
  EXPECT_THAT(*text,
              HasSubstr("def MeasuredPort0_6 : ProcResGroup<[MeasuredPort0, MeasuredPort6]>;"));
  EXPECT_THAT(*text, HasSubstr("SchedWriteRes<[Measured0DV, MeasuredPort0]> {\n"
                               "  let ReleaseAtCycles = [4, 1];\n"
                               "  let NumMicroOps = 1;\n"
                               "  let Latency = 14;\n}\n"));
  EXPECT_THAT(*text, HasSubstr("(instrs BSWAP64r)"));
  EXPECT_THAT(*text, Not(HasSubstr("CPUID"))) << "its ports are not known";
}

TEST(PortsOsaca, HasPressureOfEachForm) {
  const auto describe = [](const std::string& text) -> std::optional<OsacaForm> {
    if (text.starts_with("shl")) return std::nullopt;
    return OsacaForm{text.substr(0, text.find(' ')), {"class: register, name: gpr"}};
  };
  const auto text = PortsOsaca(testing::PortsDocument(), describe);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("ports: ['0', '1', '2', '3', '5', '6', '10', '11', '0DV']"));
  EXPECT_THAT(*text, HasSubstr("- name: 'vdivpd'\n  operands:\n"
                               "  - {class: register, name: gpr}\n"
                               "  throughput: 4\n  latency: 14\n"
                               "  port_pressure: [[1, ['0']], [4, ['0DV']]]\n  uops: 1\n"));
  EXPECT_THAT(*text, Not(HasSubstr("name: 'shl'")));
}

TEST(PortsPmevo, EachMicroOpHasItsPorts) {
  const auto text = PortsPmevo(testing::PortsDocument());
  ASSERT_TRUE(text);
  const nlohmann::json mapping = nlohmann::json::parse(*text);
  EXPECT_EQ(mapping.at("kind"), "Mapping3");
  EXPECT_EQ(mapping.at("arch").at("ports").size(), 8);
  EXPECT_EQ(mapping.at("arch").at("insns").size(), mapping.at("assignment").size());
  const nlohmann::json expected = {{"1"}, {"0", "6"}};
  EXPECT_EQ(mapping.at("assignment").at("bswap rax"), expected);
}

TEST(ComparePorts, OnlyWhatIsKnownForCertainIsCompared) {
  const std::vector<InstructionRow> rows = testing::PortsDocument().instructions;
  const PortComparison comparison = ComparePorts(rows);
  EXPECT_EQ(comparison.compared, 3) << "one is ambiguous, and one not explained";
  ASSERT_THAT(comparison.differences, SizeIs(2));
  EXPECT_EQ(comparison.differences.front()->text, "bswap rax");
  EXPECT_EQ(PortUseText(comparison.differences.front()->port_finding->model), "2*p06");
  const std::string text = PortDifferencesText(testing::PortsDocument().instructions, {}, 1);
  EXPECT_THAT(text, HasSubstr("2 of 3 instructions"));
  EXPECT_THAT(text, HasSubstr("and 1 more"));
}

TEST(SamePorts, OrderAndGroupingMakeNoDifference) {
  EXPECT_TRUE(SamePorts({{1, {"p0", "p1"}}, {1, {"p1", "p0"}}}, {{2, {"p1", "p0"}}}));
  EXPECT_FALSE(SamePorts({{1, {"p0"}}}, {{2, {"p0"}}}));
}

}  // namespace
}  // namespace cyclescope

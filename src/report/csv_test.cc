#include "report/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(InstructionsCsv, HasTheIntervalOfTheLatency) {
  InstructionRow row;
  row.text = "add";
  Latency latency;
  latency.from = "x1";
  latency.to = "x0";
  latency.cycles = testing::SimulatedEstimate(2, 0.5);
  row.latency = {latency};
  EXPECT_THAT(InstructionsCsv({row}), HasSubstr(",latency_low,latency_high\nadd,"));
  EXPECT_THAT(InstructionsCsv({row}), EndsWith(",1.5,2.5\n"));
  row.latency[0].kind = LatencyKind::kUpperBound;
  EXPECT_THAT(InstructionsCsv({row}), HasSubstr("x1->x0 <=2.5"));
}

InstructionRow FusedMultiply() {
  InstructionRow row;
  row.text = "fmla v0.4s, v1.4s, v2.4s";
  row.latency.resize(2);
  row.latency[0] = {
      .from = "v0", .to = "v0", .cycles = testing::SimulatedEstimate(2, 0.5), .model = 2};
  row.latency[1] = {
      .from = "v1", .to = "v0", .cycles = testing::SimulatedEstimate(4, 0.5), .model = 4};
  row.throughput = Throughput{.cycles = testing::SimulatedEstimate(0.25, 0.01)};
  return row;
}

TEST(PairsCsv, HasALineForEachPair) {
  InstructionRow none;
  none.text = "nop";
  const std::string text = PairsCsv({FusedMultiply(), none});
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
  EXPECT_THAT(text, HasSubstr(",v0,v0,,exact,2,1.5,2.5,no,"));
  EXPECT_THAT(text, HasSubstr(",v1,v0,,exact,4,3.5,4.5,no,"));
  EXPECT_THAT(text, HasSubstr(",,2,0.25,0.24,0.26,no,")) << "the model's latency of that pair";
  EXPECT_THAT(text, HasSubstr("\nnop,"));
  // As many fields as the header has, quoted ones aside.
  const std::string last = text.substr(text.find("\nnop,") + 1);
  EXPECT_EQ(std::ranges::count(last, ','),
            std::ranges::count(text.substr(0, text.find('\n')), ','));
}

TEST(PairsCsv, TheOtherFormKeepsItsColumns) {
  EXPECT_THAT(InstructionsCsv({FusedMultiply()}), HasSubstr("v0->v0 2; v1->v0 4"));
}

}  // namespace
}  // namespace cyclescope

#include "report/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/made_documents.h"

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
  latency.cycles = testing::MadeEstimate(2, 0.5);
  row.latency = {latency};
  EXPECT_THAT(InstructionsCsv({row}), HasSubstr(",latency_low,latency_high\nadd,"));
  EXPECT_THAT(InstructionsCsv({row}), EndsWith(",1.5,2.5\n"));
  row.latency[0].kind = LatencyKind::kUpperBound;
  EXPECT_THAT(InstructionsCsv({row}), HasSubstr("x1->x0 <=2.5"));
}

}  // namespace
}  // namespace cyclescope

#include "report/exegesis_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/testing/made_documents.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const ExegesisTarget kTarget = {"neoverse-v1", "aarch64-unknown-linux-gnu"};

std::optional<ExegesisInstruction> DescribeMadd(const InstructionRow& /*row*/) {
  return ExegesisInstruction{"MADDXrrr X0 X1 X2 X3", "200c029b"};
}

TEST(ExegesisYaml, HasARecordForEachValue) {
  const std::string yaml =
      ExegesisYaml(testing::FullDocument().instructions, kTarget, DescribeMadd);
  EXPECT_THAT(yaml, HasSubstr("mode:            latency\n"));
  EXPECT_THAT(yaml, HasSubstr("    - 'MADDXrrr X0 X1 X2 X3'\n"));
  EXPECT_THAT(yaml, HasSubstr("{ key: latency, value: 2.0000, per_snippet_value: 2.0000,"));
  EXPECT_THAT(yaml, HasSubstr("{ key: inverse_throughput, value: 1.0000,"));
  EXPECT_THAT(yaml, HasSubstr("assembled_snippet: 200c029b\n"));
  EXPECT_THAT(yaml, Not(HasSubstr("HINT"))) << "it was not measured";
}

TEST(ExegesisYaml, UpperBoundsAreNoLatencies) {
  InstructionRow row = testing::FullDocument().instructions.front();
  for (Latency& latency : row.latency) latency.kind = LatencyKind::kUpperBound;
  EXPECT_THAT(ExegesisYaml({row}, kTarget, DescribeMadd), Not(HasSubstr("key: latency")));
}

TEST(ExegesisYaml, LeavesOutWhatLlvmCannotRead) {
  const auto nothing = [](const InstructionRow& /*row*/) {
    return std::optional<ExegesisInstruction>();
  };
  EXPECT_THAT(ExegesisYaml(testing::FullDocument().instructions, kTarget, nothing), IsEmpty());
}

}  // namespace
}  // namespace cyclescope

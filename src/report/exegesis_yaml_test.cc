#include "report/exegesis_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const ExegesisTarget kTarget = {"neoverse-v1", "aarch64-unknown-linux-gnu"};

std::optional<ExegesisInstruction> DescribeMadd(const InstructionRow& /*row*/) {
  return ExegesisInstruction{"MADDXrrr X0 X1 X2 X3", "200c029b"};
}

std::string Yaml(const std::vector<InstructionRow>& rows, ExegesisMode mode) {
  return ExegesisYaml(rows, mode, kTarget, DescribeMadd);
}

TEST(ExegesisYaml, HasRecordsOfOneMode) {
  const auto rows = testing::FullDocument().instructions;
  const std::string latencies = Yaml(rows, ExegesisMode::kLatency);
  EXPECT_THAT(latencies, HasSubstr("mode:            latency\n"));
  EXPECT_THAT(latencies, HasSubstr("    - 'MADDXrrr X0 X1 X2 X3'\n"));
  EXPECT_THAT(latencies, HasSubstr("{ key: latency, value: 2.0000, per_snippet_value: 2.0000,"));
  EXPECT_THAT(latencies, HasSubstr("assembled_snippet: 200c029b\n"));
  EXPECT_THAT(latencies, Not(HasSubstr("inverse_throughput")));
  EXPECT_THAT(latencies, Not(HasSubstr("HINT"))) << "it was not measured";
  EXPECT_THAT(Yaml(rows, ExegesisMode::kInverseThroughput),
              HasSubstr("{ key: inverse_throughput, value: 1.0000,"));
}

TEST(ExegesisYaml, UpperBoundsAreNoLatencies) {
  InstructionRow row = testing::FullDocument().instructions.front();
  for (Latency& latency : row.latency) latency.kind = LatencyKind::kUpperBound;
  EXPECT_THAT(Yaml({row}, ExegesisMode::kLatency), IsEmpty());
}

TEST(ExegesisYaml, LeavesOutWhatLlvmCannotRead) {
  const auto nothing = [](const InstructionRow& /*row*/) {
    return std::optional<ExegesisInstruction>();
  };
  EXPECT_THAT(
      ExegesisYaml(testing::FullDocument().instructions, ExegesisMode::kLatency, kTarget, nothing),
      IsEmpty());
}

}  // namespace
}  // namespace cyclescope

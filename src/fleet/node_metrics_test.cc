#include "fleet/node_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fleet/testing/simulated_fleet.h"

namespace cyclescope::fleet {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

class ExtractTest : public ::testing::Test {
 protected:
  // Null where the pass has no such metric.
  const MetricValue* Find(const Pass& pass, std::string_view name) const {
    for (const MetricValue& value : pass.values) {
      if (metrics_.At(value.metric).name == name) return &value;
    }
    return nullptr;
  }

  Document survey_ = testing::SimulatedFleet({}).Survey(0);
  MetricTable metrics_;
};

TEST_F(ExtractTest, HasEveryKindOfMetric) {
  const Pass pass = ExtractPass(survey_, metrics_);
  EXPECT_EQ(pass.node, "n00001");
  EXPECT_EQ(pass.kind.topology, "1 package, 1 NUMA node, 1 L3 cache, 2 cores, 2 CPUs");
  for (const char* name : {"core clock", "slowest core's clock", "made3 rax, rbx: latency",
                           "made3 rax, rbx: throughput", "cas: other core", "L1", "memory",
                           "memory read, 1 CPU", "stolen time", "time with a neighbour"}) {
    EXPECT_NE(Find(pass, name), nullptr) << name;
  }
  EXPECT_EQ(metrics_.At(Find(pass, "L1")->metric).unit, "cycles");
  EXPECT_EQ(metrics_.At(Find(pass, "memory")->metric).unit, "ns");
}

TEST_F(ExtractTest, ErrorsAreRelativeAndFromTheInterval) {
  survey_.frequency.resize(1);
  survey_.frequency[0].core_ghz.value = 4;
  survey_.frequency[0].core_ghz.low = 3.9216;
  survey_.frequency[0].core_ghz.high = 4.0784;
  const Pass pass = ExtractPass(survey_, metrics_);
  EXPECT_NEAR(Find(pass, "core clock")->place, std::log(4), 1e-9);
  EXPECT_NEAR(Find(pass, "core clock")->error, 0.01, 1e-4);
}

TEST_F(ExtractTest, SizesOfBuffersAreThoseOfACoreThatWasNotShared) {
  survey_.anatomy = Anatomy{};
  const AnatomyRow loads{.name = "loads",
                         .filler = "mov r, [m]",
                         .unit = "entries",
                         .value = AnatomyValue{192, 190, 194},
                         .shared = AnatomyValue{96, 94, 98}};
  AnatomyRow stores = loads;
  stores.name = "stores";
  stores.contended = true;
  AnatomyRow flags = loads;
  flags.name = "flags";
  flags.at_least = true;
  AnatomyRow branches = loads;
  branches.name = "branches";
  branches.shared.reset();
  survey_.host.architecture = "x86_64";
  survey_.anatomy->rows = {loads, stores, flags, branches};
  const Pass pass = ExtractPass(survey_, metrics_);
  ASSERT_NE(Find(pass, "loads (mov r, [m])"), nullptr);
  EXPECT_NEAR(Find(pass, "loads (mov r, [m])")->place, std::log(192), 1e-9);
  EXPECT_EQ(metrics_.At(Find(pass, "loads (mov r, [m])")->metric).unit, "entries");
  EXPECT_EQ(Find(pass, "stores (mov r, [m])"), nullptr);
  EXPECT_EQ(Find(pass, "flags (mov r, [m])"), nullptr);
  EXPECT_EQ(Find(pass, "branches (mov r, [m])"), nullptr) << "it may be a half";
}

// A bound says only on which side the value is.
TEST_F(ExtractTest, BoundsAndWhatWasNotMeasuredAreLeftOut) {
  survey_.instructions[0].throughput->cycles.contended = true;
  survey_.instructions[1].latency[0].kind = LatencyKind::kUpperBound;
  survey_.instructions[2].status = Status::kUnsupported;
  survey_.memory[0].bandwidth[0].contended = true;
  const Pass pass = ExtractPass(survey_, metrics_);
  EXPECT_EQ(Find(pass, "made0 rax, rbx: throughput"), nullptr);
  EXPECT_NE(Find(pass, "made0 rax, rbx: latency"), nullptr);
  EXPECT_EQ(Find(pass, "made1 rax, rbx: latency"), nullptr);
  EXPECT_EQ(Find(pass, "made2 rax, rbx: latency"), nullptr);
  EXPECT_EQ(Find(pass, "memory read, 1 CPU"), nullptr);
}

TEST_F(ExtractTest, AFailureIsNoResult) {
  Document failed;
  failed.host.name = "n7";
  failed.failure = "no CPU 99";
  const Pass pass = ExtractPass(failed, metrics_);
  EXPECT_EQ(pass.failure, "no CPU 99");
  EXPECT_THAT(pass.values, IsEmpty());
}

TEST_F(ExtractTest, ADocumentOfAnotherCommandHasNothingToCompare) {
  Document other;
  other.host.name = "n7";
  EXPECT_THAT(ExtractPass(other, metrics_).failure, Not(IsEmpty()));
}

TEST_F(ExtractTest, TheEnginesNameComesFirst) {
  survey_.engine = Engine{.name = "slurm", .node = "gpu07"};
  EXPECT_EQ(ExtractPass(survey_, metrics_).node, "gpu07");
}

TEST_F(ExtractTest, ValuesThatAreNoneAreLeftOut) {
  survey_.frequency[0].core_ghz.value = survey_.frequency[1].core_ghz.value = 0;
  survey_.memory[0].levels[0].cycles.value = std::nan("");
  const Pass pass = ExtractPass(survey_, metrics_);
  EXPECT_EQ(Find(pass, "core clock"), nullptr);
  EXPECT_EQ(Find(pass, "L1"), nullptr);
}

}  // namespace
}  // namespace cyclescope::fleet

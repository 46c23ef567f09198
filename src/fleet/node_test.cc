#include "fleet/node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/claims.h"

namespace cyclescope::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Pass SimulatedPass(const char* started, std::vector<MetricValue> values) {
  Pass pass;
  pass.node = "n1";
  pass.started = started;
  pass.source = std::string(started) + ".json";
  pass.kind.kernel = "6.1";
  pass.values = std::move(values);
  return pass;
}

TEST(CombinePasses, OnePassStaysAsItIs) {
  const Node node = CombinePasses({SimulatedPass("1", {{4, 1.5, 0.1}})});
  EXPECT_EQ(node.name, "n1");
  EXPECT_EQ(node.passes, 1);
  EXPECT_EQ(node.values[0].place, 1.5);
  EXPECT_EQ(node.values[0].error, 0.1);
  EXPECT_THAT(node.claims, IsEmpty());
}

TEST(CombinePasses, PassesThatAgreeAreMoreSure) {
  const Node node =
      CombinePasses({SimulatedPass("1", {{4, 1.5, 0.1}}), SimulatedPass("2", {{4, 1.5, 0.1}})});
  EXPECT_EQ(node.passes, 2);
  EXPECT_EQ(node.values[0].place, 1.5);
  EXPECT_NEAR(node.values[0].error, 0.1 / std::sqrt(2), 1e-9);
}

// A flutter is no verdict: one pass off, one not.
TEST(CombinePasses, PassesThatDisagreeAreUncertain) {
  const Node node = CombinePasses(
      {SimulatedPass("1", {{4, 1.0, 0.001}}), SimulatedPass("2", {{4, 0.97, 0.001}})});
  EXPECT_NEAR(node.values[0].place, 0.985, 1e-9);
  EXPECT_NEAR(node.values[0].error, 0.015, 1e-9);
}

TEST(CombinePasses, AMetricOfOnePassOnly) {
  const Node node = CombinePasses(
      {SimulatedPass("1", {{2, 1, 0}, {4, 1, 0}}), SimulatedPass("2", {{4, 1, 0}, {7, 1, 0}})});
  ASSERT_EQ(node.values.size(), 3);
  EXPECT_EQ(node.values[1].metric, 4);
}

TEST(CombinePasses, APassThatFailedIsSaid) {
  Pass failed = SimulatedPass("2", {});
  failed.failure = "killed";
  const Node node = CombinePasses({failed, SimulatedPass("1", {{4, 1, 0}})});
  EXPECT_EQ(node.passes, 1);
  EXPECT_THAT(node.failure, IsEmpty());
  EXPECT_EQ(Sentences(node.claims), "1 of 2 passes failed: killed");
  EXPECT_THAT(node.sources, ElementsAre("1.json", "2.json"));
}

TEST(CombinePasses, WhereAllFailedTheLastSaysWhy) {
  Pass first = SimulatedPass("1", {});
  first.failure = "no CPU";
  Pass second = SimulatedPass("2", {});
  second.failure = "killed";
  const Node node = CombinePasses({first, second});
  EXPECT_EQ(node.passes, 0);
  EXPECT_EQ(node.failure, "killed");
}

TEST(CombinePasses, BeforeANewKernelItWasAnotherMachine) {
  Pass old = SimulatedPass("1", {{4, 9, 0}});
  old.kind.kernel = "5.10";
  const Node node = CombinePasses({old, SimulatedPass("2", {{4, 1, 0}})});
  EXPECT_EQ(node.passes, 1);
  EXPECT_EQ(node.values[0].place, 1);
  EXPECT_THAT(Sentences(node.claims), HasSubstr("the machine was another then"));
}

// Passes that nearly are other machines, or nearly failed.
TEST(CombinePasses, NearMissesAreNotSaid) {
  const Node alike =
      CombinePasses({SimulatedPass("1", {{4, 1, 0}}), SimulatedPass("2", {{4, 1, 0}})});
  EXPECT_THAT(alike.claims, IsEmpty());
  // All failed: that is the node's failure, and no note about some.
  Pass failed = SimulatedPass("1", {});
  failed.failure = "killed";
  EXPECT_THAT(CombinePasses({failed}).claims, IsEmpty());
  // An older one on another kernel that failed has nothing to leave out.
  Pass old = failed;
  old.kind.kernel = "5.10";
  const Node node = CombinePasses({old, SimulatedPass("2", {{4, 1, 0}})});
  ASSERT_EQ(node.claims.size(), 1u);
  EXPECT_EQ(node.claims[0].code, ClaimCode::kPassesFailed);
}

}  // namespace
}  // namespace cyclescope::fleet

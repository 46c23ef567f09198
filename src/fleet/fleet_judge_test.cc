#include "fleet/fleet_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "fleet/collection.h"
#include "fleet/testing/simulated_fleet.h"

namespace cyclescope::fleet {
namespace {

using ::testing::Each;
using testing::Fate;
using ::testing::Field;
using testing::FleetPlan;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NoiseShape;
using ::testing::Not;
using testing::SimulatedFleet;
using ::testing::SizeIs;

Collection Collect(const FleetPlan& plan, int passes = 1) {
  const SimulatedFleet made(plan);
  Collection collection;
  for (int node = 0; node < plan.nodes; ++node) {
    for (int pass = 0; pass < passes; ++pass) collection.Add(made.Survey(node, pass));
  }
  return collection;
}

Fleet Judged(const FleetPlan& plan, int passes = 1) { return Collect(plan, passes).Judge({}); }

const FleetNode& NodeOf(const Fleet& fleet, std::string_view name) {
  const auto found = std::ranges::find(fleet.nodes, name, &FleetNode::name);
  EXPECT_NE(found, fleet.nodes.end()) << name;
  return *found;
}

// Nodes that are like the others, and were called slow or different, over all that are.
double FalseAlarms(const Fleet& fleet, const FleetPlan& plan) {
  const SimulatedFleet made(plan);
  int equals = 0;
  int alarms = 0;
  for (const FleetNode& node : fleet.nodes) {
    const Fate fate = made.FateOf(std::stoi(node.name.substr(1)) - 1);
    if (fate != Fate::kEqual && fate != Fate::kNoisy) continue;
    ++equals;
    if (node.verdict == NodeVerdict::kSlow || node.verdict == NodeVerdict::kDifferent) ++alarms;
  }
  return static_cast<double>(alarms) / equals;
}

TEST(JudgeFleetBulk, TenThousandNodes) {
  const FleetPlan plan = {
      .nodes = 10'000, .slow_clock = 0.01, .far_memory = 0.005, .noisy = 0.02, .seed = 5};
  const Fleet fleet = Judged(plan);
  ASSERT_EQ(fleet.nodes.size(), 10'000);
  std::map<Fate, int> all;
  std::map<Fate, int> found;
  const SimulatedFleet made(plan);
  for (const FleetNode& node : fleet.nodes) {
    const Fate fate = made.FateOf(std::stoi(node.name.substr(1)) - 1);
    ++all[fate];
    switch (fate) {
      case Fate::kEqual:
        break;
      case Fate::kSlowClock:
        found[fate] += node.verdict == NodeVerdict::kSlow &&
                       node.cause.find("a lower frequency") != std::string::npos;
        break;
      case Fate::kFarMemory:
        found[fate] += node.verdict == NodeVerdict::kSlow &&
                       node.cause.find("memory is farther") != std::string::npos;
        break;
      case Fate::kNoisy:
        found[fate] += node.verdict == NodeVerdict::kNotEnoughData;
        break;
    }
  }
  for (const Fate fate : {Fate::kSlowClock, Fate::kFarMemory, Fate::kNoisy}) {
    EXPECT_GE(found[fate], 0.98 * all[fate]) << static_cast<int>(fate) << " of " << all[fate];
    EXPECT_GT(all[fate], 30);
  }
  EXPECT_LT(FalseAlarms(fleet, plan), 0.01);
}

// Of equals under 1 % are flagged, however they differ and however many they are.
TEST(JudgeFleetBulk, EqualsAreNormal) {
  for (const NoiseShape shape : {NoiseShape::kNormal, NoiseShape::kHeavy, NoiseShape::kSkewed}) {
    for (const double spread : {0.5, 3.0}) {
      for (const int nodes : {3, 5, 10, 30, 100, 600}) {
        const int fleets = 600 / nodes;
        double alarms = 0;
        for (int i = 0; i < fleets; ++i) {
          const FleetPlan plan = {.nodes = nodes,
                                  .spread = spread,
                                  .shape = shape,
                                  .forms = 12,
                                  .seed = static_cast<std::uint64_t>(100 + i)};
          alarms += FalseAlarms(Judged(plan), plan) / fleets;
        }
        EXPECT_LT(alarms, 0.01) << "shape " << static_cast<int>(shape) << ", spread " << spread
                                << ", nodes " << nodes;
      }
    }
  }
}

TEST(JudgeFleet, AFleetOfEquals) {
  const Fleet fleet = Judged({.nodes = 40});
  EXPECT_EQ(fleet.normal, 40);
  ASSERT_THAT(fleet.groups, SizeIs(1));
  EXPECT_EQ(fleet.groups[0].nodes, 40);
  EXPECT_NEAR(fleet.groups[0].metrics[0].centre, 3.6, 0.05);
  EXPECT_THAT(fleet.nodes, Each(Field(&FleetNode::cause, IsEmpty())));
  EXPECT_THAT(fleet.nodes, Each(Field(&FleetNode::claims, IsEmpty())));
  EXPECT_THAT(fleet.nodes, Each(Field(&FleetNode::scores, SizeIs(fleet.groups[0].metrics.size()))));
}

TEST(JudgeFleet, ASlowNodeIsFoundWithItsCause) {
  Collection collection = Collect({.nodes = 39});
  const SimulatedFleet slow({.nodes = 40, .slow_clock = 1, .slower_by = 0.05});
  collection.Add(slow.Survey(39));
  const Fleet fleet = collection.Judge({});
  EXPECT_EQ(fleet.slow, 1);
  const FleetNode& node = fleet.nodes.front();  // what is not normal comes first
  EXPECT_EQ(node.name, "n00040");
  ASSERT_THAT(node.deviations, Not(IsEmpty()));
  EXPECT_EQ(node.deviations[0].kind, MetricKind::kClock);
  EXPECT_NEAR(node.deviations[0].difference, -0.05, 0.01);
  EXPECT_LT(node.deviations[0].score, -5);
  EXPECT_TRUE(node.deviations[0].slower);
  EXPECT_THAT(node.cause, HasSubstr("a lower frequency"));
}

// On the page more is worse, for rates too.
TEST(JudgeFleet, ScoresAboveZeroAreSlower) {
  Collection collection = Collect({.nodes = 30});
  collection.Add(SimulatedFleet({.slow_clock = 1, .slower_by = 0.05}).Survey(39));
  const FleetNode node = NodeOf(collection.Judge({}), "n00040");
  EXPECT_GT(*std::ranges::max_element(node.scores), 5);
}

TEST(JudgeFleet, ANodeThatIsFasterIsDifferent) {
  Collection collection = Collect({.nodes = 39});
  collection.Add(SimulatedFleet({.slow_clock = 1, .slower_by = -0.06}).Survey(39));
  const Fleet fleet = collection.Judge({});
  EXPECT_EQ(NodeOf(fleet, "n00040").verdict, NodeVerdict::kDifferent);
}

TEST(JudgeFleet, ThreeNodesAreEnoughForWhatIsPlain) {
  Collection collection = Collect({.nodes = 2});
  collection.Add(SimulatedFleet({.slow_clock = 1, .slower_by = 0.5}).Survey(2));
  const Fleet fleet = collection.Judge({});
  EXPECT_EQ(NodeOf(fleet, "n00003").verdict, NodeVerdict::kSlow);
  EXPECT_EQ(fleet.normal, 2);
}

TEST(JudgeFleet, TwoNodesAreTooFew) {
  const Fleet fleet = Judged({.nodes = 2});
  EXPECT_EQ(fleet.not_enough_data, 2);
  EXPECT_THAT(fleet.nodes[0].cause, HasSubstr("too few"));
}

TEST(JudgeFleet, AFlutterIsNoVerdict) {
  Collection collection = Collect({.nodes = 39}, 2);
  collection.Add(SimulatedFleet({.slow_clock = 1, .slower_by = 0.05}).Survey(39, 0));
  EXPECT_EQ(NodeOf(collection.Judge({}), "n00040").verdict, NodeVerdict::kSlow);
  collection.Add(SimulatedFleet({}).Survey(39, 1));
  const FleetNode node = NodeOf(collection.Judge({}), "n00040");
  EXPECT_NE(node.verdict, NodeVerdict::kSlow);
  EXPECT_EQ(node.passes, 2);
}

TEST(JudgeFleet, TwoSlowPassesAre) {
  Collection collection = Collect({.nodes = 39}, 2);
  const SimulatedFleet slow({.slow_clock = 1, .slower_by = 0.05});
  collection.Add(slow.Survey(39, 0));
  collection.Add(slow.Survey(39, 1));
  EXPECT_EQ(NodeOf(collection.Judge({}), "n00040").verdict, NodeVerdict::kSlow);
}

TEST(JudgeFleet, AnotherMicrocodeIsDifferent) {
  Collection collection = Collect({.nodes = 20});
  Document odd = SimulatedFleet({}).Survey(20);
  odd.host.microcode = "0x2";
  collection.Add(odd);
  const Fleet fleet = collection.Judge({});
  ASSERT_THAT(fleet.groups, SizeIs(2));
  const FleetNode& node = NodeOf(fleet, "n00021");
  EXPECT_EQ(node.verdict, NodeVerdict::kDifferent);
  EXPECT_EQ(node.group, "B");
  EXPECT_EQ(node.compared_with, "A");
  EXPECT_THAT(node.cause, HasSubstr("its microcode is 0x2"));
}

TEST(JudgeFleet, AnotherGovernorIsDifferent) {
  Collection collection = Collect({.nodes = 20});
  Document odd = SimulatedFleet({}).Survey(20);
  odd.host.governor = "powersave";
  collection.Add(odd);
  EXPECT_THAT(NodeOf(collection.Judge({}), "n00021").cause,
              HasSubstr("its governor is powersave, where nodes like it have performance"));
}

TEST(JudgeFleet, MachinesOfTwoKindsAreNotCompared) {
  Collection collection = Collect({.nodes = 10});
  for (int i = 10; i < 20; ++i) {
    Document other = SimulatedFleet({.slow_clock = 1, .slower_by = 0.5}).Survey(i);
    other.host.cpu_model = "Other Lake";
    collection.Add(other);
  }
  const Fleet fleet = collection.Judge({});
  EXPECT_THAT(fleet.groups, SizeIs(2));
  EXPECT_EQ(fleet.normal, 20);
}

TEST(JudgeFleet, NodesThatFailedOrAreMissingAreReported) {
  Collection collection;
  for (int i = 0; i < 3; ++i) {
    Document survey = SimulatedFleet({}).Survey(i);
    survey.engine = Engine{.name = "slurm",
                           .node = survey.host.name,
                           .job = "17",
                           .rank = i,
                           .ranks = 5,
                           .nodes = "n[00001-00005]"};
    collection.Add(survey);
  }
  Document killed;
  killed.engine = Engine{.name = "slurm", .node = "n00004", .job = "17", .ranks = 5};
  killed.failure = "it began and did not end";
  collection.Add(killed);
  collection.AddUnread("out/x.json", "it is empty");
  const Fleet fleet = collection.Judge({});
  EXPECT_EQ(fleet.normal, 3);
  EXPECT_EQ(fleet.not_enough_data, 2);
  EXPECT_THAT(NodeOf(fleet, "n00003").claims, IsEmpty()) << "of the same job";
  EXPECT_EQ(NodeOf(fleet, "n00004").cause, "it began and did not end");
  EXPECT_THAT(NodeOf(fleet, "n00005").cause, HasSubstr("no result of job 17"));
  ASSERT_THAT(fleet.jobs, SizeIs(1));
  EXPECT_EQ(fleet.jobs[0].ranks, 5);
  EXPECT_EQ(fleet.jobs[0].results, 4);
  EXPECT_THAT(fleet.jobs[0].missing, ::testing::ElementsAre("n00005"));
  EXPECT_THAT(fleet.unread, SizeIs(1));
}

TEST(JudgeFleet, NamesAreInTheOrderOfTheirNumbers) {
  Collection collection;
  for (const char* name : {"n10", "n9", "n100", "a1", "n09"}) {
    Document survey = SimulatedFleet({}).Survey(0);
    survey.host.name = name;
    collection.Add(survey);
  }
  std::vector<std::string> names;
  for (const FleetNode& node : collection.Judge({}).nodes) names.push_back(node.name);
  EXPECT_THAT(names, ::testing::ElementsAre("a1", "n09", "n9", "n10", "n100"));
}

TEST(JudgeFleet, NoResultsAtAll) {
  const Fleet fleet = Collection().Judge({});
  EXPECT_THAT(fleet.nodes, IsEmpty());
  EXPECT_THAT(fleet.groups, IsEmpty());
}

TEST(JudgeFleet, AThresholdOfTheUser) {
  Collection collection = Collect({.nodes = 39});
  collection.Add(SimulatedFleet({.slow_clock = 1, .slower_by = 0.08}).Survey(39));
  EXPECT_EQ(collection.Judge({.threshold = 0.1}).slow, 0);
  EXPECT_EQ(collection.Judge({.threshold = 0.03}).slow, 1);
}

// A node that nearly deviates, a group that is just large enough, a setting that enough others
// have.
TEST(JudgeFleet, NearMissesAreNormal) {
  const auto claims_of = [](const Collection& collection, std::string_view name) {
    std::set<ClaimCode> codes;
    const Fleet fleet = collection.Judge({});
    for (const Claim& claim : NodeOf(fleet, name).claims) codes.insert(claim.code);
    return codes;
  };
  // Slower by a little less than matters.
  Collection slower = Collect({.nodes = 39});
  slower.Add(SimulatedFleet({.slow_clock = 1, .slower_by = 0.002}).Survey(39));
  EXPECT_THAT(claims_of(slower, "n00040"), IsEmpty());
  // Clearly slower, in fewer values than are listed.
  Collection clock = Collect({.nodes = 39});
  clock.Add(SimulatedFleet({.slow_clock = 1, .slower_by = 0.05}).Survey(39));
  EXPECT_TRUE(claims_of(clock, "n00040").contains(ClaimCode::kSlowClock));
  EXPECT_FALSE(claims_of(clock, "n00040").contains(ClaimCode::kMoreDeviations));
  // Two nodes are too few, three are not.
  EXPECT_THAT(claims_of(Collect({.nodes = 2}), "n00001"),
              ::testing::ElementsAre(ClaimCode::kTooFewNodes));
  EXPECT_FALSE(claims_of(Collect({.nodes = 3}), "n00001").contains(ClaimCode::kTooFewNodes));
  // Of twenty nodes two have another governor, then three: it is odd no more.
  Collection settings = Collect({.nodes = 18});
  for (int node = 18; node < 20; ++node) {
    Document survey = SimulatedFleet({}).Survey(node);
    survey.host.governor = "powersave";
    settings.Add(survey);
  }
  EXPECT_TRUE(claims_of(settings, "n00020").contains(ClaimCode::kOddSetting));
  Document third = SimulatedFleet({}).Survey(20);
  third.host.governor = "powersave";
  settings.Add(third);
  EXPECT_FALSE(claims_of(settings, "n00021").contains(ClaimCode::kOddSetting));
  // A whole pass beside an interrupted one, and one that lost no node.
  Collection partial = Collect({.nodes = 5});
  EXPECT_THAT(claims_of(partial, "n00005"), IsEmpty());
  Document cut = SimulatedFleet({}).Survey(4, 1);
  cut.partial = true;
  partial.Add(cut);
  EXPECT_TRUE(claims_of(partial, "n00005").contains(ClaimCode::kPartialResult));
}

// What was measured beside another thread is a bound: of a slow clock that was, nothing follows but
// that it was shared.
TEST(JudgeFleet, ContendedValuesMakeNoVerdict) {
  const auto verdict = [](bool contended) {
    Collection collection = Collect({.nodes = 39});
    Document slow = SimulatedFleet({.far_memory = 1}).Survey(39);
    for (MemoryLevel& level : slow.memory.front().levels) level.contended = contended;
    collection.Add(slow);
    return NodeOf(collection.Judge({}), "n00040").verdict;
  };
  EXPECT_EQ(verdict(false), NodeVerdict::kSlow);
  EXPECT_NE(verdict(true), NodeVerdict::kSlow);
}

}  // namespace
}  // namespace cyclescope::fleet

#include "instructions/conclude.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "instructions/conclude_latency.h"
#include "instructions/testing/planning.h"
#include "instructions/testing/simulated_measurements.h"

namespace cyclescope::instructions {
namespace {

using measure::CoreState;
using measure::Measurement;
using measure::Visit;
using ::testing::Contains;
using testing::Died;
using testing::Either;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakePlanner;
using ::testing::Not;
using testing::PlanOf;
using testing::Took;
using testing::Wavered;

class ConcludeTest : public ::testing::Test {
 protected:
  // Every experiment of the form takes `cycles`, until a test says otherwise.
  void Plan(std::string_view text, double cycles) {
    plan_ = PlanOf(*planner_, text);
    measured_.assign(plan_.experiments.size(), Took(cycles));
    for (const ConnectorPlan& connector : plan_.connectors) connectors_[connector.name] = Took(1);
  }

  InstructionRow Row() const {
    return Conclude(plan_, measured_, connectors_, {.clock = &clock_, .confidence = 0.95});
  }

  const ValuesPlan& values() const { return plan_.values.front(); }
  Measurement& Of(ExperimentIndex experiment) { return measured_[experiment]; }
  void SetThroughput(double cycles) {
    for (const ArrangementPlan& arrangement : values().arrangements)
      Of(arrangement.experiment) = Took(cycles);
    // The same with one destination: the old value is not waited for.
    if (values().same_destination) Of(*values().same_destination) = Took(cycles);
  }

  std::unique_ptr<Planner> planner_ = MakePlanner();
  measure::TickClock clock_ = {.hz = 1e9};
  FormPlan plan_;
  std::vector<Measurement> measured_;
  Connectors connectors_;
};

constexpr std::string_view kMultiply[] = {"madd x0, x1, x2, x3", "imul rax, rcx"};
std::string_view Multiply() { return Either(kMultiply[0], kMultiply[1]); }

TEST_F(ConcludeTest, AChainOfTheFormAloneIsExact) {
  Plan(Multiply(), 3);
  SetThroughput(1);
  const InstructionRow row = Row();
  EXPECT_EQ(row.status, Status::kMeasured);
  ASSERT_FALSE(row.latency.empty());
  EXPECT_EQ(row.latency[0].kind, LatencyKind::kExact);
  EXPECT_NEAR(row.latency[0].cycles.value, 3, 0.001);
  EXPECT_LE(row.latency[0].cycles.low, 3);
  EXPECT_GE(row.latency[0].cycles.high, 3);
  EXPECT_EQ(row.latency[0].cycles.visits, 3);
  ASSERT_TRUE(row.throughput.has_value());
  EXPECT_NEAR(row.throughput->cycles.value, 1, 0.001);
  EXPECT_FALSE(row.throughput->upper_bound);
  EXPECT_TRUE(row.claims.empty());
}

// `mfence` takes 33.3 cycles in one run and 34.3 in the next, each to 0.1.
TEST_F(ConcludeTest, AFenceIsInDoubtByACycle) {
  const auto interval = [&](std::string_view text, double cycles) {
    Plan(text, cycles);
    SetThroughput(cycles);
    const Estimate estimate = Row().throughput.value_or(Throughput{}).cycles;
    EXPECT_NEAR(estimate.value, cycles, 0.01);
    return estimate.high - estimate.low;
  };
  EXPECT_GE(interval(Either("dmb ish", "mfence"), 33.3), 2);
  EXPECT_LT(interval(Either("nop", "nop"), 0.25), 0.1) << "which waits for nothing";
  EXPECT_LT(interval(Multiply(), 33.3), 1) << "which waits for its operands";
}

// A pair whose chain was lost; with the same chain measured, nothing is said.
TEST_F(ConcludeTest, PairsAreMissingOnlyWhereAChainIs) {
  Plan(Multiply(), 3);
  SetThroughput(1);
  EXPECT_THAT(Row().claims, IsEmpty());
  const PairPlan* with_chain = nullptr;
  for (const PairPlan& pair : values().pairs) {
    if (!pair.chains.empty()) with_chain = &pair;
  }
  ASSERT_NE(with_chain, nullptr);
  for (const auto& chain : with_chain->chains) Of(chain.experiment) = {};
  const InstructionRow row = Row();
  ASSERT_EQ(row.claims.size(), 1u);
  EXPECT_EQ(row.claims[0].code, ClaimCode::kPairsMissing);
  EXPECT_EQ(row.status, Status::kMeasured) << "the other pairs have values";
  for (const auto& chain : with_chain->chains) Of(chain.experiment) = Took(3);
  EXPECT_THAT(Row().claims, IsEmpty());
}

TEST_F(ConcludeTest, TheClassicTableComesFromTheSameMeasurements) {
  Plan(Multiply(), 3);
  SetThroughput(1);
  const InstructionRow row = Row();
  ASSERT_EQ(row.classic.size(), 2u);
  EXPECT_EQ(row.classic[0].test, "THR");
  EXPECT_NEAR(row.classic[0].cycles_per_instruction, 1, 1e-9);
  EXPECT_EQ(row.classic[1].test, "LAT");
  EXPECT_NEAR(row.classic[1].cycles_per_instruction, 3, 1e-9);
}

// The totals are those of the whole chain; the value is the instruction's own.
TEST_F(ConcludeTest, TheClassicLatencyLeavesConnectorsOut) {
  Plan(Either("ldrb w0, [x1]", "movzx eax, byte ptr [rcx]"), 7);
  SetThroughput(0.5);
  InstructionRow row = Row();
  ASSERT_EQ(row.classic.size(), 2u);
  EXPECT_NEAR(row.classic[1].cycles_per_instruction, row.latency[0].cycles.value, 1e-9);
  EXPECT_LT(row.classic[1].cycles_per_instruction, 6.5);
  const ClassicRow& run = row.classic[1];
  EXPECT_NEAR(run.instructions_per_cycle, run.instructions / run.core_cycles, 1e-9);
  EXPECT_GT(run.instructions_per_cycle, 1.9 / 7) << "connectors run, too";
  EXPECT_FALSE(row.classic[1].upper_bound);
  Plan(Either("fmov x0, d1", "movq rax, xmm1"), 6);
  SetThroughput(1);
  row = Row();
  ASSERT_EQ(row.classic.size(), 2u);
  EXPECT_DOUBLE_EQ(row.classic[1].cycles_per_instruction, row.latency[0].cycles.high);
  EXPECT_TRUE(row.classic[1].upper_bound);
}

TEST_F(ConcludeTest, TheClassicLatencyIsABoundOnlyWhereNothingIsKnown) {
  if (testing::OnArm()) GTEST_SKIP() << "x86-64 only";
  Plan("mul qword ptr [rcx]", 9);
  SetThroughput(1);
  const InstructionRow row = Row();
  ASSERT_EQ(row.classic.size(), 2u);
  EXPECT_TRUE(std::ranges::any_of(row.latency, [](const Latency& latency) {
    return latency.kind == LatencyKind::kUpperBound && latency.cycles.value > 8.9;
  }));
  EXPECT_FALSE(row.classic[1].upper_bound);
}

// What gives the flags a fresh value stands between the links and is not on the chain.
TEST_F(ConcludeTest, WhatIsBesideTheChainIsNamed) {
  Plan(Either("adcs x0, x1, x2", "adc rax, rcx"), 1);
  for (const Latency& latency : Row().latency) {
    if (latency.kind != LatencyKind::kExact) continue;
    const bool through_flags = latency.to == "flags";
    EXPECT_EQ(latency.beside.empty(), through_flags) << latency.code;
    EXPECT_THAT(latency.code, HasSubstr(latency.beside));
  }
  Plan(Multiply(), 3);
  EXPECT_THAT(Row().latency[0].beside, IsEmpty());
}

TEST_F(ConcludeTest, AConnectorIsTakenOffAndWidensTheInterval) {
  Plan(Either("ldrb w0, [x1]", "movzx eax, byte ptr [rcx]"), 7);
  ASSERT_FALSE(values().pairs.empty());
  ASSERT_FALSE(values().pairs[0].chains[0].taken_off.empty());
  const double taken_off = static_cast<double>(values().pairs[0].chains[0].taken_off.size());
  const Latency narrow = Row().latency[0];
  EXPECT_EQ(narrow.kind, LatencyKind::kConnected);
  EXPECT_NEAR(narrow.cycles.value, 7 - taken_off, 0.01);
  ASSERT_TRUE(narrow.connector_cycles.has_value());
  EXPECT_NEAR(narrow.connector_cycles->value, taken_off, 0.01);
  for (auto& [name, measurement] : connectors_) measurement = Took(1, 0.02);
  const Latency wide = Row().latency[0];
  EXPECT_GT(wide.cycles.high - wide.cycles.low, narrow.cycles.high - narrow.cycles.low);
}

TEST_F(ConcludeTest, AConnectorThatWasDisturbedDisturbsTheRow) {
  Plan(Either("ldrb w0, [x1]", "movzx eax, byte ptr [rcx]"), 7);
  for (auto& [name, measurement] : connectors_) measurement.visits.resize(1);
  const InstructionRow row = Row();
  EXPECT_TRUE(row.latency[0].cycles.disturbed);
  EXPECT_EQ(row.status, Status::kDisturbed);
}

TEST_F(ConcludeTest, AConnectorThatWasContendedMarksTheRow) {
  Plan(Either("ldrb w0, [x1]", "movzx eax, byte ptr [rcx]"), 7);
  for (auto& [name, measurement] : connectors_) measurement.contended = true;
  EXPECT_TRUE(Row().latency[0].cycles.contended);
}

TEST_F(ConcludeTest, UnknownConnectorsMakeAnUpperBound) {
  Plan(Either("fmov x0, d1", "movq rax, xmm1"), 6);
  const Latency latency = Row().latency.at(0);
  EXPECT_EQ(latency.kind, LatencyKind::kUpperBound);
  EXPECT_NEAR(latency.cycles.value, 6, 0.01);
}

// Each instruction takes a cycle at least, so a sum of one each leaves no doubt.
TEST_F(ConcludeTest, ASumOfOneCycleEachIsKnown) {
  Plan(Either("fmov x0, d1", "movq rax, xmm1"), 2);
  const Latency latency = Row().latency.at(0);
  EXPECT_EQ(latency.kind, LatencyKind::kConnected);
  EXPECT_NEAR(latency.cycles.value, 1, 0.01);
}

TEST_F(ConcludeTest, OfUpperBoundsTheLowestHoldsAndTheChoiceWidensTheInterval) {
  Plan(Either("fmov x0, d1", "movq rax, xmm1"), 6);
  const auto width = [this] {
    const Estimate cycles = Row().latency.at(0).cycles;
    return (cycles.high - cycles.low) / cycles.value;
  };
  const double alone = width();
  // A second chain, as if there were another connector.
  std::vector<ChainPlan>& chains = plan_.values[0].pairs.at(0).chains;
  chains.resize(1);
  ChainPlan other = chains[0];
  other.experiment = plan_.experiments.size();
  plan_.experiments.push_back(plan_.experiments[chains[0].experiment]);
  measured_.push_back(Took(5));
  chains.push_back(other);
  EXPECT_NEAR(Row().latency.at(0).cycles.value, 5, 0.01);
  EXPECT_GT(width(), alone);
  // But a disturbed one does not count against one that is not.
  Of(other.experiment).visits.resize(1);
  EXPECT_NEAR(Row().latency.at(0).cycles.value, 6, 0.01);
}

// One connector may read flags that the form does not write.
TEST_F(ConcludeTest, ThroughTheFlagsTheLongestHolds) {
  if (testing::OnArm()) GTEST_SKIP() << "one connector each";
  Plan("cmp rax, rcx", 2);
  const auto& chains = values().pairs.at(0).chains;
  ASSERT_GE(chains.size(), 2u);
  Of(chains[1].experiment) = Took(1);
  EXPECT_NEAR(Row().latency.at(0).cycles.value, 1, 0.01);  // 2, less the connector's one
}

TEST_F(ConcludeTest, WhereTheWriterOfFlagsMattersBothAreRows) {
  if (testing::OnArm()) GTEST_SKIP() << "flags are written whole";
  Plan("cmovb rax, rcx", 1);
  const std::size_t pairs = Row().latency.size();
  for (const Latency& latency : Row().latency) EXPECT_THAT(latency.values, IsEmpty());
  const ExperimentIndex mixed = values().pairs.at(0).with_mixed_flags.at(0).experiment;
  Of(mixed) = Took(2);
  const InstructionRow row = Row();
  ASSERT_EQ(row.latency.size(), pairs + 1);
  EXPECT_EQ(row.latency[0].values, "whole flag");
  EXPECT_NEAR(row.latency[0].cycles.value, 1, 0.01);
  EXPECT_EQ(row.latency[1].values, "mixed flag");
  EXPECT_NEAR(row.latency[1].cycles.value, 2, 0.01);
  EXPECT_EQ(row.latency[1].from, row.latency[0].from);
  EXPECT_EQ(row.latency[1].to, row.latency[0].to);
  // A difference within the intervals is none.
  Of(mixed) = Took(1.3);
  EXPECT_EQ(Row().latency.size(), pairs);
  Of(mixed) = Took(2);
  for (Visit& visit : Of(mixed).visits) visit.state = CoreState::kContended;
  Of(mixed).contended = true;
  EXPECT_EQ(Row().latency.size(), pairs);
}

TEST_F(ConcludeTest, LessThanACycleIsEliminatedOrAnIdiom) {
  Plan(Either("mov x0, x1", "mov rax, rcx"), 0.2);
  EXPECT_THAT(Row().notes, Contains(HasSubstr("eliminated")));
  Plan(Either("eor x0, x1, x1", "vpxor xmm0, xmm1, xmm1"), 0.2);
  EXPECT_THAT(Row().notes, Contains(HasSubstr("zero idiom")));
  // One register, but it is read once.
  Plan(Either("mov x0, x0", "mov rax, rax"), 0.2);
  EXPECT_THAT(Row().notes, Contains(HasSubstr("eliminated")));
  Plan(Either("mov x0, x1", "mov rax, rcx"), 0.9);
  EXPECT_TRUE(Row().claims.empty());
  Plan(Either("eor x0, x1, x1", "vpxor xmm0, xmm1, xmm1"), 0.9);
  EXPECT_TRUE(Row().claims.empty());
  // The value is below a cycle, its interval is not.
  Plan(Either("mov x0, x1", "mov rax, rcx"), 0.8);
  measured_.assign(plan_.experiments.size(), Wavered(0.8, 0.3));
  EXPECT_TRUE(Row().claims.empty());
}

TEST_F(ConcludeTest, AnUpdateThatTakesLessThanALoadIsNoted) {
  const std::string_view update = Either("ldadd x0, x1, [x2]", "add dword ptr [rbx], esi");
  Plan(update, 1);
  EXPECT_THAT(Row().notes, Contains(HasSubstr("memory renaming")));
  Plan(update, 6);
  EXPECT_THAT(Row().notes, Not(Contains(HasSubstr("memory renaming"))));
  Plan(update, 3.1);
  EXPECT_THAT(Row().notes, Not(Contains(HasSubstr("memory renaming"))));
  measured_.assign(plan_.experiments.size(), Wavered(2.8, 0.5));
  EXPECT_THAT(Row().notes, Not(Contains(HasSubstr("memory renaming")))) << "its interval reaches 3";
}

TEST_F(ConcludeTest, NothingIsConcludedFromCyclesThatCannotBeTrusted) {
  Plan(Either("mov x0, x1", "mov rax, rcx"), 0.2);
  const InstructionRow row = Conclude(plan_, measured_, connectors_, {.trusts_cycles = false});
  EXPECT_THAT(row.notes, Not(Contains(HasSubstr("eliminated"))));
}

TEST_F(ConcludeTest, ADividerMayHandItsResultToItselfSooner) {
  Plan(Either("fdiv d0, d1, d2", "vdivsd xmm0, xmm1, xmm2"), 13);
  SetThroughput(4);
  for (const ValuesPlan& values : plan_.values) {
    ASSERT_FALSE(values.pairs.empty());
    const PairPlan& pair = values.pairs.front();
    ASSERT_THAT(pair.chains, ::testing::SizeIs(1)) << values.name;
    EXPECT_THAT(pair.chains[0].connector, IsEmpty());
    ASSERT_FALSE(pair.to_others.empty());
    Of(pair.chains[0].experiment) = Took(12);
    Of(pair.to_others[0].experiment) =
        Took(13 + static_cast<double>(pair.to_others[0].taken_off.size()));
  }
  const Latency latency = Row().latency[0];
  EXPECT_EQ(latency.kind, LatencyKind::kExact);
  EXPECT_NEAR(latency.cycles.value, 12, 0.01);
  ASSERT_TRUE(latency.to_others);
  EXPECT_NEAR(latency.to_others->value, 13, 0.01);
  // Where both take the same, there is nothing to tell.
  for (const ValuesPlan& values : plan_.values) Of(values.pairs[0].chains[0].experiment) = Took(13);
  EXPECT_FALSE(Row().latency[0].to_others);
}

TEST_F(ConcludeTest, ALatencyNoLongerThanTheThroughputIsABound) {
  Plan(Multiply(), 3);
  SetThroughput(3);
  EXPECT_EQ(Row().latency[0].kind, LatencyKind::kUpperBound);
  SetThroughput(1);
  EXPECT_EQ(Row().latency[0].kind, LatencyKind::kExact);
  // What takes one cycle takes no less.
  Plan(Multiply(), 1);
  SetThroughput(1);
  EXPECT_EQ(Row().latency[0].kind, LatencyKind::kExact);
  // How often the core takes copies is not known from a shared one.
  Plan(Multiply(), 3);
  SetThroughput(3);
  for (Measurement& measurement : measured_) measurement.contended = true;
  EXPECT_EQ(Row().latency[0].kind, LatencyKind::kExact);
}

// The old destination of a masked division: what stands between the links makes a link no longer.
TEST_F(ConcludeTest, AChainThatTheUnitHoldsUpIsABound) {
  Plan(Either("fdiv d0, d1, d2", "vdivsd xmm0, xmm1, xmm2"), 16);
  SetThroughput(4);
  const Latency latency = Row().latency[0];
  EXPECT_EQ(latency.kind, LatencyKind::kUpperBound);
  EXPECT_NEAR(latency.cycles.value, 16, 0.01);
  EXPECT_FALSE(latency.to_others);
}

// Where the direct chain and one with something of ours between its links are measured, the classic
// table has the direct one.
TEST_F(ConcludeTest, TheClassicLatencyOfADividerIsTheDirectOne) {
  Plan(Either("fsqrt d0, d1", "vsqrtpd xmm0, xmm1"), 19);
  for (const ValuesPlan& values : plan_.values) Of(values.pairs[0].chains[0].experiment) = Took(16);
  const InstructionRow row = Row();
  ASSERT_EQ(row.classic.size(), 2u);
  EXPECT_NEAR(row.classic[1].cycles_per_instruction, 16, 0.01);
}

// On a Skylake `divsd` takes 13.04 cycles for fast operands and 14.06 for slow ones, and begins
// every four for both: the slowest latency is not that of the values with the slowest throughput.
TEST_F(ConcludeTest, TheClassicLatencyIsTheSlowestOfAllValues) {
  for (const bool first_is_slow : {false, true}) {
    Plan(Either("fsqrt d0, d1", "vsqrtpd xmm0, xmm1"), 19);
    ASSERT_GT(plan_.values.size(), 1u);
    for (const ValuesPlan& values : plan_.values) {
      const bool is_first = &values == &plan_.values.front();
      Of(values.pairs[0].chains[0].experiment) = Took(is_first == first_is_slow ? 16 : 13);
    }
    const InstructionRow row = Row();
    ASSERT_EQ(row.classic.size(), 2u);
    EXPECT_EQ(row.classic[0].test, "THR");
    EXPECT_EQ(row.classic[1].test, "LAT");
    EXPECT_NEAR(row.classic[1].cycles_per_instruction, 16, 0.01) << first_is_slow;
  }
}

// A core that can do it in one cycle may do so in the chain, too: a longer time taken off would
// make the form seem faster than it is.
TEST_F(ConcludeTest, ConnectorsAreTakenOffAsTheyAreWhenFast) {
  Plan(Either("ldrb w0, [x1]", "movzx eax, byte ptr [rcx]"), 7);
  const double before = Row().latency[0].cycles.value;
  const std::string& name = plan_.connectors.front().name;
  Measurement slow_mostly = Took(1.5);
  for (int visit = 0; visit < 6; ++visit) {
    for (const Measurement& more : {Took(1.5), Took(visit < 3 ? 1 : 1.5)})
      slow_mostly.visits.push_back(more.visits.front());
  }
  const Estimate estimate = EstimateOf(slow_mostly, 0.95);
  ASSERT_EQ(estimate.states.size(), 2u);
  ASSERT_NEAR(estimate.value, 1.5, 0.01);
  connectors_[name] = slow_mostly;
  EXPECT_NEAR(Row().latency[0].cycles.value, before, 0.01);
}

TEST_F(ConcludeTest, SlowerWithOneDestinationIsAFalseDependence) {
  Plan(Either("fmov d0, x1", "popcnt rax, rcx"), 1);
  ASSERT_TRUE(values().same_destination.has_value());
  EXPECT_THAT(Row().notes, Not(Contains(HasSubstr("false dependence"))));
  Of(*values().same_destination) = Took(3);
  EXPECT_THAT(Row().notes, Contains(HasSubstr("false dependence")));
  // Nothing is said where the interval does not carry it, or another thread shared the core.
  Of(*values().same_destination) = Wavered(2, 0.5);
  EXPECT_THAT(Row().notes, Not(Contains(HasSubstr("false dependence"))));
  Of(*values().same_destination) = Took(3);
  Of(*values().same_destination).contended = true;
  EXPECT_THAT(Row().notes, Not(Contains(HasSubstr("false dependence"))));
}

// 0.9 cycles of 36 are less than what visits of long ones differ by.
TEST_F(ConcludeTest, ASmallPartOfALongTimeIsNoWait) {
  Plan(Either("fmov d0, x1", "popcnt rax, rcx"), 36);
  Of(*values().same_destination) = Took(37.5);
  EXPECT_THAT(Row().claims, IsEmpty());
}

TEST_F(ConcludeTest, WhatAFormKeepsIsNoFalseDependence) {
  const auto found = [this](std::string_view text) {
    Plan(text, 1);
    EXPECT_TRUE(values().same_destination.has_value()) << text;
    if (values().same_destination) Of(*values().same_destination) = Took(3);
    const InstructionRow row = Row();
    return row.notes.empty() ? std::string() : row.notes.back();
  };
  if (testing::OnArm()) GTEST_SKIP() << "x86-64 only";
  EXPECT_THAT(found("sqrtss xmm0, xmm1"), HasSubstr("of which it keeps a part"));
  EXPECT_THAT(found("popcnt ax, cx"), HasSubstr("of which it keeps a part"));
  EXPECT_THAT(found("bsf rax, rcx"), HasSubstr("of which it keeps all for a zero source"));
  EXPECT_THAT(found("popcnt eax, ecx"), HasSubstr("false dependence"));
}

TEST_F(ConcludeTest, TheBestArrangementCountsAndTheChoiceWidensTheInterval) {
  Plan(Multiply(), 3);
  SetThroughput(1);
  const double alone = [&] {
    for (const ArrangementPlan& arrangement : values().arrangements) {
      if (arrangement.experiment != values().arrangements[0].experiment)
        Of(arrangement.experiment) = Took(2);
    }
    const Estimate estimate = Row().throughput->cycles;
    EXPECT_NEAR(estimate.value, 1, 0.001);
    return estimate.high - estimate.low;
  }();
  SetThroughput(1);
  const Estimate estimate = Row().throughput->cycles;
  EXPECT_GT(estimate.high - estimate.low, alone);
}

TEST_F(ConcludeTest, AnArrangementThatIsOnlySometimesFasterDoesNotCount) {
  Plan(Multiply(), 3);
  SetThroughput(1);
  ASSERT_GT(values().arrangements.size(), 1U);
  Measurement& other = Of(values().arrangements.back().experiment);
  other = Took(0.84);
  for (double& sample : other.visits.back().cycles) sample = 1;
  EXPECT_NEAR(Row().throughput->cycles.value, 1, 0.001);
}

TEST_F(ConcludeTest, OneSlowVisitOfManyDoesNotHideTheFastestArrangement) {
  Plan(Multiply(), 3);
  SetThroughput(1);
  ASSERT_GT(values().arrangements.size(), 1U);
  Measurement& other = Of(values().arrangements.back().experiment);
  other = Took(0.95);
  while (other.visits.size() < 8) other.visits.push_back(other.visits.front());
  for (double& sample : other.visits.back().cycles) sample = 1.3;
  EXPECT_NEAR(Row().throughput->cycles.value, 0.95, 0.001);
}

TEST_F(ConcludeTest, ARivalThatWasSeenOnceMayBeAsFastAsThat) {
  Plan(Multiply(), 3);
  SetThroughput(1);
  ASSERT_GT(values().arrangements.size(), 1U);
  Measurement& other = Of(values().arrangements.back().experiment);
  other = Took(0.95);
  other.visits.resize(1);
  EXPECT_LE(Row().throughput->cycles.low, 0.95);
  EXPECT_FALSE(Row().throughput->upper_bound);
  other.visits.front().state = measure::CoreState::kContended;
  EXPECT_TRUE(Row().throughput->upper_bound);
}

TEST_F(ConcludeTest, EqualSourcesCountOnlyIfTheyAreWaitedFor) {
  Plan(Multiply(), 3);
  bool has_equal = false;
  for (const ArrangementPlan& arrangement : values().arrangements) {
    Of(arrangement.experiment) = Took(arrangement.equal_sources ? 0.2 : 1);
    has_equal |= arrangement.equal_sources;
  }
  ASSERT_TRUE(has_equal);
  EXPECT_NEAR(Row().throughput->cycles.value, 0.2, 0.001);
  // An idiom: with all sources in one register it no longer waits.
  Of(values().all_sources->experiment) = Took(0.2);
  EXPECT_NEAR(Row().throughput->cycles.value, 1, 0.001);
  // That a pair was once slow does not make it one.
  Of(values().all_sources->experiment) = Took(3);
  Of(values().pairs[0].chains[0].experiment) = Wavered(6, 2);
  EXPECT_NEAR(Row().throughput->cycles.value, 0.2, 0.001);
}

TEST_F(ConcludeTest, AContendedThroughputIsAnUpperBound) {
  Plan(Multiply(), 3);
  for (Measurement& measurement : measured_) measurement.contended = true;
  const InstructionRow row = Row();
  EXPECT_TRUE(row.throughput->upper_bound);
  EXPECT_TRUE(row.throughput->cycles.contended);
  EXPECT_TRUE(row.latency[0].cycles.contended);
  EXPECT_GT(row.latency[0].cycles.high, 3.05);  // and is not sure to a per cent
  EXPECT_EQ(row.status, Status::kMeasured);
}

TEST_F(ConcludeTest, ADeathIsAStatusWithItsReason) {
  Plan(Multiply(), 3);
  for (Measurement& measurement : measured_)
    measurement = Died(sandbox::DeathKind::kIllegalInstruction, "illegal instruction (SIGILL)");
  EXPECT_EQ(Row().status, Status::kUnsupported);
  EXPECT_THAT(Row().reason, HasSubstr("SIGILL"));
  for (Measurement& measurement : measured_)
    measurement = Died(sandbox::DeathKind::kTimeout, "did not end");
  EXPECT_EQ(Row().status, Status::kTimeout);
  for (Measurement& measurement : measured_)
    measurement = Died(sandbox::DeathKind::kBadAddress, "bad address");
  EXPECT_EQ(Row().status, Status::kCrashed);
}

TEST_F(ConcludeTest, OnlyAnIllegalInstructionIsNotOffered) {
  Plan(Multiply(), 3);
  const auto codes = [&](sandbox::DeathKind kind) {
    for (Measurement& measurement : measured_) measurement = Died(kind, "it ended");
    std::vector<ClaimCode> found;
    for (const Claim& claim : Row().claims) found.push_back(claim.code);
    return found;
  };
  EXPECT_THAT(codes(sandbox::DeathKind::kIllegalInstruction),
              ::testing::ElementsAre(ClaimCode::kNotOffered));
  EXPECT_THAT(codes(sandbox::DeathKind::kBadAddress), Not(Contains(ClaimCode::kNotOffered)));
  EXPECT_THAT(codes(sandbox::DeathKind::kTimeout), Not(Contains(ClaimCode::kNotOffered)));
}

TEST_F(ConcludeTest, PairsThatWereNotMeasuredAreNamed) {
  Plan(Multiply(), 3);
  Of(values().pairs[0].chains[0].experiment) = Died(sandbox::DeathKind::kTimeout, "did not end");
  const InstructionRow row = Row();
  EXPECT_THAT(row.notes, Contains(HasSubstr("not every pair was measured: did not end")));
  EXPECT_EQ(row.latency.size(), values().pairs.size() - 1);
}

TEST_F(ConcludeTest, LatenciesThatLostAllTheirSamplesAreDisturbed) {
  const Form form = testing::FormOf(*planner_, Multiply());
  plan_ = PlanForm(*planner_, form.instruction, {.throughput = false},
                   /*filters_system_calls=*/true);
  measured_.assign(plan_.experiments.size(), Measurement{});
  const InstructionRow row = Row();
  EXPECT_EQ(row.status, Status::kDisturbed);
  EXPECT_EQ(row.reason, kTooFewSamples);
  measured_.assign(plan_.experiments.size(), Died(sandbox::DeathKind::kTimeout, "did not end"));
  EXPECT_EQ(Row().status, Status::kTimeout);
}

// An interval of 0.25 % is half a cycle of 200.
TEST_F(ConcludeTest, ALongLatencyIsAFractionOnlyWhereItsIntervalSaysSo) {
  Plan(Multiply(), 200.3);
  EXPECT_FALSE(ExtendPlan(measured_, {}, *planner_, plan_));
  Plan(Multiply(), 20.3);
  EXPECT_TRUE(ExtendPlan(measured_, {}, *planner_, plan_));
  EXPECT_FALSE(IsFraction({.value = 3.02, .low = 3.01, .high = 3.03}));
  EXPECT_TRUE(IsFraction({.value = 3.5, .low = 3.49, .high = 3.51}));
  EXPECT_FALSE(IsFraction({.value = 3.5, .low = 2.9, .high = 4.1}));
}

// A form of several parts, whose copies stand back to back and with fillers between.
class FillersTest : public ConcludeTest {
 protected:
  void SetThroughputs(double packed, double with_fillers) {
    Plan(Either("ld2 { v0.16b, v1.16b }, [x0], x1", "add qword ptr [rbx], rax"), 8);
    bool any_fillers = false;
    for (const ArrangementPlan& arrangement : values().arrangements) {
      Of(arrangement.experiment) = Took(arrangement.has_fillers ? with_fillers : packed);
      any_fillers = any_fillers || arrangement.has_fillers;
    }
    ASSERT_TRUE(any_fillers);
  }
};

TEST_F(FillersTest, ADecoderThatIsSlowerThanThePipesIsNamed) {
  SetThroughputs(2, 0.9);
  const auto throughput = Row().throughput;
  ASSERT_TRUE(throughput.has_value());
  EXPECT_NEAR(throughput->cycles.value, 0.9, 0.001);
  EXPECT_EQ(throughput->limit, "decoder");
  EXPECT_NEAR(throughput->back_to_back.value_or(0), 2, 0.001);
}

TEST_F(FillersTest, WhereFillersMakeNoDifferencePipesAreTheLimit) {
  SetThroughputs(2, 2.01);
  const auto throughput = Row().throughput;
  ASSERT_TRUE(throughput.has_value());
  EXPECT_NEAR(throughput->cycles.value, 2, 0.001);
  EXPECT_EQ(throughput->limit, "pipes");
  EXPECT_FALSE(throughput->back_to_back.has_value());
}

// Of two that are about as fast, one is a little faster by chance.
TEST_F(FillersTest, ALittleFasterIsNotTheDecoder) {
  SetThroughputs(2, 1.96);
  EXPECT_EQ(Row().throughput->limit, "pipes");
}

TEST_F(FillersTest, FillersThatTakeTimeThemselvesTellNothing) {
  SetThroughputs(0.5, 0.7);
  EXPECT_THAT(Row().throughput->limit, IsEmpty());
}

TEST_F(FillersTest, WhatLostAfterOneVisitTellsNothing) {
  SetThroughputs(2, 2.01);
  for (const ArrangementPlan& arrangement : values().arrangements) {
    if (arrangement.has_fillers) Of(arrangement.experiment).visits.resize(1);
  }
  EXPECT_THAT(Row().throughput->limit, IsEmpty());
}

TEST_F(FillersTest, WhatWasContendedTellsNothing) {
  SetThroughputs(2, 2.01);
  for (const ArrangementPlan& arrangement : values().arrangements)
    Of(arrangement.experiment).contended = arrangement.has_fillers;
  EXPECT_THAT(Row().throughput->limit, IsEmpty());
}

TEST_F(FillersTest, IntervalsDecideAboutTheLimit) {
  // Faster with fillers by a tenth, and known to a hundredth: then only to a fifth.
  SetThroughputs(2, 1.8);
  EXPECT_EQ(Row().throughput->limit, "decoder");
  SetThroughputs(2, 1.86);
  EXPECT_THAT(Row().throughput->limit, IsEmpty()) << "neither the same nor clearly less";
  const auto waver = [this](bool with_fillers, double cycles) {
    for (const ArrangementPlan& arrangement : values().arrangements) {
      if (arrangement.has_fillers == with_fillers)
        Of(arrangement.experiment) = Wavered(cycles, 0.4);
    }
  };
  SetThroughputs(2, 1.8);
  waver(/*with_fillers=*/false, 2);
  EXPECT_THAT(Row().throughput->limit, IsEmpty());
  SetThroughputs(2, 2);
  waver(/*with_fillers=*/true, 2);
  EXPECT_THAT(Row().throughput->limit, IsEmpty()) << "the same value, of which little is known";
  for (const double with_fillers : {1.8, 2.0}) {
    SetThroughputs(2, with_fillers);
    EXPECT_THAT(Row().throughput->limit, Not(IsEmpty()));
    for (const ArrangementPlan& arrangement : values().arrangements)
      Of(arrangement.experiment).visits.resize(2);
    EXPECT_THAT(Row().throughput->limit, IsEmpty()) << "two visits each: disturbed";
  }
}

// With and without fillers are raced apart, so that the best of each has enough visits.
TEST_F(FillersTest, FillersHaveARaceOfTheirOwn) {
  SetThroughputs(2, 2);
  std::set<std::optional<std::size_t>> races[2];
  for (const ArrangementPlan& arrangement : values().arrangements)
    races[arrangement.has_fillers ? 1 : 0].insert(plan_.experiments[arrangement.experiment].race);
  EXPECT_FALSE(races[0].empty() || races[1].empty());
  for (const auto& race : races[1]) EXPECT_FALSE(races[0].contains(race));
}

// Fresh values stand between those copies.
TEST_F(ConcludeTest, CopiesWithBreakersAreNotBackToBack) {
  Plan(Either("ld2 { v0.16b, v1.16b }, [x0], x1", "xadd qword ptr [rbx], rax"), 8);
  for (ArrangementPlan& arrangement : plan_.values.front().arrangements) {
    arrangement.broken = !arrangement.has_fillers;
    Of(arrangement.experiment) = Took(2);
  }
  EXPECT_THAT(Row().throughput->limit, IsEmpty());
}

TEST_F(ConcludeTest, AnUpperBoundHasNoLimit) {
  if (testing::OnArm()) GTEST_SKIP() << "no x87";
  Plan("fsqrt", 8);
  SetThroughput(2);
  ASSERT_GE(values().arrangements.size(), 2u);
  plan_.values.front().arrangements.back().has_fillers = true;
  ASSERT_TRUE(Row().throughput.has_value());
  ASSERT_TRUE(Row().throughput->upper_bound);
  EXPECT_THAT(Row().notes, Contains(HasSubstr("its throughput is an upper bound")));
  EXPECT_THAT(Row().throughput->limit, IsEmpty());
}

TEST_F(ConcludeTest, AFormOfOnePartNeedsNoFillers) {
  Plan(Either("add x0, x1, x2", "add rax, rcx"), 1);
  EXPECT_TRUE(std::ranges::none_of(values().arrangements, &ArrangementPlan::has_fillers));
}

TEST_F(ConcludeTest, EveryValueClassHasItsRows) {
  Plan(Either("sdiv x0, x1, x2", "div rcx"), 20);
  const InstructionRow row = Row();
  ASSERT_EQ(row.throughput_by_values.size(), 2u);
  EXPECT_EQ(row.throughput_by_values[0].values, "fast");
  EXPECT_EQ(row.throughput_by_values[1].values, "slow");
  EXPECT_EQ(row.throughput->values, "fast");
  EXPECT_TRUE(std::ranges::any_of(row.latency, [](auto& each) { return each.values == "slow"; }));
}

// A chain that settles in one of two states is tried with other starts, and the fastest counts.
TEST_F(ConcludeTest, AFractionIsTriedWithOtherStarts) {
  Plan(Multiply(), 3);
  EXPECT_FALSE(ExtendPlan(measured_, {}, *planner_, plan_));
  Of(values().pairs[0].chains[0].experiment) = Took(2.4);
  const std::size_t before = plan_.experiments.size();
  ASSERT_TRUE(ExtendPlan(measured_, {}, *planner_, plan_));
  ASSERT_EQ(plan_.experiments.size(), before + 8);
  measured_.resize(plan_.experiments.size(), Took(2.4));
  measured_[before + 3] = Took(1.2);
  EXPECT_NEAR(Row().latency[0].cycles.value, 1.2, 0.001);
  EXPECT_FALSE(ExtendPlan(measured_, {}, *planner_, plan_)) << "once is enough";
}

TEST_F(ConcludeTest, AContendedFractionIsNotWorthOtherStarts) {
  Plan(Multiply(), 2.4);
  for (Measurement& measurement : measured_) measurement.contended = true;
  EXPECT_FALSE(ExtendPlan(measured_, {}, *planner_, plan_));
}

TEST_F(ConcludeTest, ADryRunHasCodeAndNoValues) {
  Plan(Multiply(), 3);
  const InstructionRow row = DryRow(plan_);
  EXPECT_THAT(row.reason, HasSubstr("dry run"));
  ASSERT_FALSE(row.latency.empty());
  EXPECT_THAT(row.latency[0].code, Not(IsEmpty()));
  EXPECT_TRUE(std::isnan(row.latency[0].cycles.value));
}

// Whatever turns out best, the dry run has shown it.
TEST_F(ConcludeTest, ADryRunHasEverythingThatMayBeMeasured) {
  for (const std::string_view text :
       {Either("adcs x0, x1, x2", "adc rax, rcx"), Either("sdiv x0, x1, x2", "div rcx"),
        Either("ldrb w0, [x1]", "cmp rax, rcx")}) {
    Plan(text, 3);
    const InstructionRow row = DryRow(plan_);
    std::set<std::string> shown;
    const auto show = [&shown](const auto& each) {
      shown.insert(each.code);
      shown.insert(each.alternatives.begin(), each.alternatives.end());
    };
    std::ranges::for_each(row.latency, show);
    if (row.throughput) show(*row.throughput);
    std::ranges::for_each(row.throughput_by_values, show);
    for (const ValuesPlan& each : plan_.values) {
      for (const PairPlan& pair : each.pairs) {
        for (const ChainPlan& chain : pair.chains) EXPECT_TRUE(shown.contains(chain.code)) << text;
      }
      for (const ArrangementPlan& arrangement : each.arrangements)
        EXPECT_TRUE(shown.contains(arrangement.code)) << text;
    }
    const InstructionRow measured = Row();
    for (const Latency& latency : measured.latency) EXPECT_TRUE(shown.contains(latency.code));
    ASSERT_TRUE(measured.throughput.has_value());
    EXPECT_TRUE(shown.contains(measured.throughput->code));
  }
}

}  // namespace
}  // namespace cyclescope::instructions

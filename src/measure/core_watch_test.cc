#include "measure/core_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "arch/architecture.h"

namespace cyclescope::measure {
namespace {

using ::testing::HasSubstr;

// A probe of a core on which a cycle is `cycle` ticks.
Probe ProbeOf(double add, double others, double wide, double cycle = 0.7) {
  Probe probe;
  for (std::size_t i = 0; i < kProbeChains; ++i) {
    probe.link_ticks[i] = cycle * (i == 0 ? add : others * arch::ReferenceChains()[i].least_cycles);
  }
  probe.wide_ticks = cycle * wide;
  return probe;
}

const Probe kQuietProbe = ProbeOf(1, 1, 0.2);
const Probe kSharedProbe = ProbeOf(1.03, 1, 0.34);

TEST(CoreWatch, LearnsWhatQuietIs) {
  CoreWatch watch;
  for (int i = 0; i < 24; ++i) watch.Observe(0, kQuietProbe);
  EXPECT_TRUE(watch.trusted());
  EXPECT_NEAR(watch.QuietWidth().value(), 0.2, 0.004);
  EXPECT_EQ(watch.StateOf(kQuietProbe), CoreState::kQuiet);
  EXPECT_EQ(watch.StateOf(kSharedProbe), CoreState::kContended);
  // Either sign alone is enough.
  EXPECT_EQ(watch.StateOf(ProbeOf(1, 1, 0.24)), CoreState::kContended);
  EXPECT_EQ(watch.StateOf(ProbeOf(1.03, 1, 0.2)), CoreState::kContended);
}

TEST(CoreWatch, DoesNotLearnQuietFromANeighbour) {
  CoreWatch watch;
  for (int i = 0; i < 200; ++i) watch.Observe(0, kSharedProbe);
  EXPECT_TRUE(watch.trusted());
  EXPECT_FALSE(watch.QuietWidth().has_value());
  EXPECT_EQ(watch.StateOf(kSharedProbe), CoreState::kContended);
}

TEST(CoreWatch, LearnsAsSoonAsTheNeighbourLeaves) {
  CoreWatch watch;
  for (int i = 0; i < 200; ++i) watch.Observe(0, kSharedProbe);
  for (int i = 0; i < 24; ++i) watch.Observe(0, kQuietProbe);
  EXPECT_EQ(watch.StateOf(kQuietProbe), CoreState::kQuiet);
}

TEST(CoreWatch, AGlitchIsNotTheBest) {
  CoreWatch watch;
  for (int i = 0; i < 400; ++i) watch.Observe(0, i % 100 == 7 ? ProbeOf(1, 1, 0.15) : kQuietProbe);
  EXPECT_NEAR(watch.QuietWidth().value(), 0.2, 0.004);
}

TEST(CoreWatch, TheShortestCycleIsRight) {
  CoreWatch watch;
  for (int i = 0; i < 24; ++i) watch.Observe(0, kQuietProbe);
  EXPECT_NEAR(watch.CycleTicks(kSharedProbe, kSharedProbe).value(), 0.7, 1e-9);
  EXPECT_NEAR(watch.CycleTicks(kQuietProbe, kQuietProbe).value(), 0.7, 1e-9);
  // One chain that looks too short, once, is a glitch: nothing confirms it.
  Probe glitch = kQuietProbe;
  glitch.link_ticks[1] *= 0.9;
  EXPECT_NEAR(watch.CycleTicks(glitch, kQuietProbe).value(), 0.7, 1e-9);
  EXPECT_NEAR(watch.CycleTicks(glitch), 0.7, 1e-9);
}

TEST(CoreWatch, SeesThatTheFrequencyChanged) {
  CoreWatch watch;
  for (int i = 0; i < 24; ++i) watch.Observe(0, kQuietProbe);
  EXPECT_FALSE(watch.CycleTicks(kQuietProbe, ProbeOf(1, 1, 0.2, 0.68)).has_value());
}

TEST(CoreWatch, RefusesChainsThatAreNotWhole) {
  CoreWatch watch;
  // What an add of an immediate does on Golden Cove, and what an emulator does.
  for (int i = 0; i < 50; ++i) watch.Observe(0, ProbeOf(0.176, 1, 0.2));
  EXPECT_FALSE(watch.trusted());
  EXPECT_EQ(watch.StateOf(kQuietProbe), CoreState::kUnknown);
  const SelfCheck check = watch.CheckItself();
  ASSERT_TRUE(check.claim);
  EXPECT_EQ(check.claim->code, ClaimCode::kLinkIsNotCycle);
  EXPECT_THAT(check.verdict, HasSubstr("not one cycle here"));
}

// What an emulator does: every link takes some time or other. Some ratios are whole by chance.
TEST(CoreWatch, ChanceMakesNoReference) {
  std::mt19937_64 random(1);
  for (int watches = 0; watches < 50; ++watches) {
    CoreWatch watch;
    std::uniform_real_distribution<double> add(0.6, 1.4), others(0.7, 2);
    for (int i = 0; i < 2000; ++i) {
      Probe probe = ProbeOf(add(random), 1, 0.2);
      for (std::size_t k = 1; k < kProbeChains; ++k) probe.link_ticks[k] *= others(random);
      watch.Observe(0, probe);
    }
    EXPECT_FALSE(watch.trusted());
  }
}

// A few probes with whole ratios, when a neighbour paused, do not keep us from going on with what
// there is.
TEST(CoreWatch, FewWholeRatiosDoNotStandInTheWay) {
  for (int whole = 0; whole <= 5; ++whole) {
    CoreWatch watch;
    for (int i = 0; i < whole; ++i) watch.Observe(0, kQuietProbe);
    for (int i = 0; i < 20; ++i) watch.Observe(0, kSharedProbe);
    EXPECT_TRUE(watch.trusted()) << whole;
    EXPECT_NEAR(watch.CycleTicks(kSharedProbe, kSharedProbe).value(), 0.7, 1e-9) << whole;
  }
}

// A neighbour slows the adds, so ratios to them are low. Nothing makes them high.
TEST(CoreWatch, RatiosAboveAWholeNumberAreNoNeighbours) {
  CoreWatch watch;
  for (int i = 0; i < 50; ++i) watch.Observe(0, ProbeOf(0.96, 1, 0.2));
  EXPECT_FALSE(watch.trusted());
}

// A slow start of one chain must not be taken for its length for ever.
TEST(CoreWatch, LearnsProportionsAgainFromBetterProbes) {
  CoreWatch watch;
  Probe slow = kSharedProbe;
  slow.link_ticks[2] = 0.7 * (arch::ReferenceChains()[2].least_cycles + 3);
  for (int i = 0; i < 12; ++i) watch.Observe(0, slow);
  for (int i = 0; i < 40; ++i) watch.Observe(0, kQuietProbe);
  EXPECT_TRUE(watch.trusted());
  EXPECT_NEAR(watch.CycleTicks(kQuietProbe, kQuietProbe).value(), 0.7, 1e-9);
  EXPECT_EQ(watch.StateOf(kQuietProbe), CoreState::kQuiet);
}

// Under a steady neighbour chains may agree, and widths look like a level: but they spread.
TEST(CoreWatch, ALevelThatSpreadsIsNotQuiet) {
  CoreWatch watch;
  for (int i = 0; i < 200; ++i)
    watch.Observe(0, ProbeOf(1 + 0.009 * (i % 3), 1, 0.343 + 0.004 * (i * 7 % 5)));
  EXPECT_FALSE(watch.QuietWidth().has_value());
}

// A neighbour that never changes looks quiet; but the core is much slower than its model says.
TEST(CoreWatch, AnExpectationMakesASlowCoreProveItself) {
  const Probe steady = ProbeOf(1, 1, 0.35);
  CoreWatch expecting(0.2);
  for (int i = 0; i < 200; ++i) expecting.Observe(0, steady);
  EXPECT_FALSE(expecting.QuietWidth().has_value());
  EXPECT_EQ(expecting.StateOf(steady), CoreState::kContended);
  for (int i = 0; i < 40; ++i) expecting.Observe(1, kQuietProbe);
  EXPECT_NEAR(expecting.QuietWidth().value(), 0.2, 0.004);
  // Where it is like that all the time, the model was wrong.
  CoreWatch wrong_model(0.2);
  for (int i = 0; i < 700; ++i) wrong_model.Observe(i % 2, steady);
  EXPECT_NEAR(wrong_model.QuietWidth().value(), 0.35, 0.004);
}

// One odd stretch must not make the usual look like a neighbour.
TEST(CoreWatch, QuietIsTheLeastThatRepeats) {
  CoreWatch watch;
  for (int i = 0; i < 64; ++i) watch.Observe(0, kQuietProbe);
  for (int i = 0; i < 16; ++i) watch.Observe(1, ProbeOf(1, 1, 0.185));
  EXPECT_NEAR(watch.QuietWidth().value(), 0.2, 0.004);
  for (int i = 0; i < 16; ++i) watch.Observe(1, ProbeOf(1, 1, 0.185));
  EXPECT_NEAR(watch.QuietWidth().value(), 0.185, 0.004);
}

// Wide vectors slow the clock for a while, and probes that follow them look too good.
TEST(CoreWatch, ProbesBetweenCodeCountOnlyWhileNothingElseTells) {
  CoreWatch watch;
  const Probe odd = ProbeOf(1, 1, 0.19);
  for (int i = 0; i < 64; ++i) watch.ObserveBetween(0, odd);
  EXPECT_NEAR(watch.QuietWidth().value(), 0.19, 0.003);
  for (int i = 0; i < 32; ++i) watch.Observe(0, kQuietProbe);
  EXPECT_NEAR(watch.QuietWidth().value(), 0.2, 0.003);
  for (int i = 0; i < 64; ++i) watch.ObserveBetween(0, odd);
  EXPECT_NEAR(watch.QuietWidth().value(), 0.2, 0.003);
}

TEST(CoreWatch, ADisturbedProbeTellsNoCycle) {
  CoreWatch watch;
  Probe disturbed = kQuietProbe;
  disturbed.disturbed = true;
  disturbed.link_ticks[0] = -3;
  EXPECT_FALSE(watch.CycleTicks(kQuietProbe, disturbed).has_value());
}

// The self-check passed once; what a neighbour does to the chains later is not its result.
TEST(CoreWatch, TheSelfCheckShowsWhatSettledIt) {
  CoreWatch watch;
  for (int i = 0; i < 40; ++i) watch.Observe(0, kQuietProbe);
  Probe slowed = kQuietProbe;
  slowed.link_ticks[2] *= 1.6;
  for (int i = 0; i < 400; ++i) watch.Observe(0, slowed);
  const SelfCheck check = watch.CheckItself();
  EXPECT_TRUE(check.trusted);
  ASSERT_TRUE(check.claim);
  EXPECT_EQ(check.claim->code, ClaimCode::kLinkIsCycle);
  for (const auto& chain : check.chains)
    EXPECT_NEAR(chain.ratio, std::round(chain.ratio), 0.05 * chain.ratio) << chain.instruction;
}

TEST(CoreWatch, DisturbedProbesTeachNothing) {
  Probe disturbed = kSharedProbe;
  disturbed.disturbed = true;
  CoreWatch watch;
  for (int i = 0; i < 24; ++i) watch.Observe(0, disturbed);
  EXPECT_FALSE(watch.trusted());
  EXPECT_THAT(watch.CheckItself().verdict, HasSubstr("too disturbed"));
}

// One quiet sample is enough to compare, and too few to agree.
TEST(CoreWatch, OneQuietSampleIsNotTooDisturbed) {
  Probe disturbed = kQuietProbe;
  disturbed.disturbed = true;
  CoreWatch watch;
  const auto code = [&watch] { return watch.CheckItself().claim->code; };
  for (int i = 0; i < 40; ++i) watch.Observe(0, disturbed);
  EXPECT_EQ(code(), ClaimCode::kCheckDisturbed);
  watch.Observe(0, kQuietProbe);
  EXPECT_EQ(code(), ClaimCode::kChainsDisagree);
}

// The chains disagree up to the sample that settles it, and never again.
TEST(CoreWatch, ChainsDisagreeOnlyUntilTheyAreTrusted) {
  CoreWatch watch;
  int settled_at = 0;
  for (int i = 1; i <= 40; ++i) {
    watch.Observe(0, kQuietProbe);
    const ClaimCode code = watch.CheckItself().claim->code;
    EXPECT_EQ(code, watch.trusted() ? ClaimCode::kLinkIsCycle : ClaimCode::kChainsDisagree) << i;
    if (watch.trusted() && settled_at == 0) settled_at = i;
    EXPECT_EQ(watch.trusted(), settled_at != 0) << i;
  }
  EXPECT_GT(settled_at, 1);
}

TEST(CoreWatch, CountsForEachCpu) {
  CoreWatch watch;
  for (int i = 0; i < 30; ++i) watch.Observe(3, kQuietProbe);
  for (int i = 0; i < 10; ++i) watch.Observe(4, kSharedProbe);
  const auto shares = watch.Shares();
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].cpu, 3);
  EXPECT_EQ(shares[0].contended, 0);
  EXPECT_EQ(shares[1].contended, 10);
  EXPECT_NEAR(shares[1].wide_contended, 0.34, 0.001);
  EXPECT_NEAR(shares[1].wide_quiet, 0.2, 0.004);
}

}  // namespace
}  // namespace cyclescope::measure

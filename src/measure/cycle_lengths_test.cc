#include "measure/cycle_lengths.h"

#include <gtest/gtest.h>

#include "arch/architecture.h"

namespace cyclescope::measure {
namespace {

constexpr double kTicksFirst = 0.69, kTicksThen = 0.71;  // ticks of a cycle
constexpr double kReadingCycles = 1500;

Probe ProbeAt(double cycle, double wide = 0.2) {
  Probe probe;
  for (std::size_t i = 0; i < kProbeChains; ++i)
    probe.link_ticks[i] = cycle * (i == 0 ? 1 : arch::ReferenceChains()[i].least_cycles);
  probe.wide_ticks = cycle * wide;
  probe.clock_reading = cycle * kReadingCycles;
  return probe;
}

CycleLengths::Readings ReadingsAt(double first, double second) {
  return {first * kReadingCycles, second * kReadingCycles};
}

class CycleLengthsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 24; ++i) watch_.Observe(0, ProbeAt(kTicksFirst));
  }

  CoreWatch watch_;
};

TEST_F(CycleLengthsTest, OfAVisitUnlessTheClockChanged) {
  const CycleLengths lengths(watch_, {{ProbeAt(kTicksFirst), ProbeAt(kTicksFirst)},
                                      {ProbeAt(kTicksFirst), ProbeAt(kTicksThen)}});
  EXPECT_NEAR(lengths.Of(0).value(), kTicksFirst, 1e-6);
  EXPECT_FALSE(lengths.Of(1).has_value());
  EXPECT_EQ(lengths.quiet_visits(), 2u);
  EXPECT_EQ(lengths.quiet_changes(), 1u);
}

TEST_F(CycleLengthsTest, VisitsNearbyMakeItSharper) {
  // A probe that is off by half a per cent, among others.
  const ProbePair usual = {ProbeAt(kTicksFirst), ProbeAt(kTicksFirst)};
  const ProbePair off = {ProbeAt(1.005 * kTicksFirst), ProbeAt(1.005 * kTicksFirst)};
  const CycleLengths lengths(watch_, {usual, usual, off, usual, usual});
  EXPECT_NEAR(lengths.Of(2).value(), kTicksFirst, 1e-6);
}

TEST_F(CycleLengthsTest, AReadingTellsWhichClockItWas) {
  const CycleLengths lengths(watch_, {{ProbeAt(kTicksFirst), ProbeAt(kTicksThen)}});
  EXPECT_NEAR(lengths.Between(0, ReadingsAt(kTicksFirst, kTicksFirst)).value(), kTicksFirst, 1e-6);
  EXPECT_NEAR(lengths.Between(0, ReadingsAt(kTicksThen, kTicksThen)).value(), kTicksThen, 1e-6);
  EXPECT_FALSE(lengths.Between(0, ReadingsAt(kTicksFirst, kTicksThen)).has_value());
}

TEST_F(CycleLengthsTest, AClockThatNoProbeSawIsUnknown) {
  const CycleLengths lengths(watch_, {{ProbeAt(kTicksFirst), ProbeAt(kTicksFirst)}});
  EXPECT_FALSE(lengths.Between(0, ReadingsAt(kTicksThen, kTicksThen)).has_value());
}

TEST_F(CycleLengthsTest, OnlyQuietProbesNearbyTellAClock) {
  const double shared_width = 0.4;
  const Probe shared = ProbeAt(kTicksThen, shared_width);
  EXPECT_FALSE(
      CycleLengths(watch_, {{ProbeAt(kTicksFirst), ProbeAt(kTicksFirst)}, {shared, shared}})
          .Between(0, ReadingsAt(kTicksThen, kTicksThen))
          .has_value());
  const ProbePair slow = {ProbeAt(kTicksThen), ProbeAt(kTicksThen)};
  std::vector<ProbePair> visits(10, {ProbeAt(kTicksFirst), ProbeAt(kTicksFirst)});
  visits.back() = slow;
  const CycleLengths lengths(watch_, visits);
  EXPECT_FALSE(lengths.Between(0, ReadingsAt(kTicksThen, kTicksThen)).has_value());
  EXPECT_NEAR(lengths.Between(6, ReadingsAt(kTicksThen, kTicksThen)).value(), kTicksThen, 1e-6);
}

}  // namespace
}  // namespace cyclescope::measure

#include "library/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/claims.h"
#include "arch/architecture.h"

namespace cyclescope::library {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

Clock ClockWith(bool trusted) {
  Clock clock;
  clock.self_check = SelfCheck{.trusted = trusted, .verdict = "", .chains = {}};
  return clock;
}

std::vector<Warning> WarningsWith(bool trusted) {
  if (trusted) return {};
  return {WarningOf("untrusted-reference",
                    {ClaimCode::kUntrustedReference, {{"verdict", "chains disagree"}}}, "")};
}

// A survey takes a self-check with the frequencies and one with the instructions: the page must not
// say "cannot be trusted" above and "trusted" below.
TEST(ClockVerdicts, TheLastPartsVerdictIsTheOnlyOne) {
  const measure::CoreWatch watch;
  const auto describe = [&watch](bool trusted, Document& to) {
    ClockVerdicts verdicts;
    verdicts.Add(0, watch, ClockWith(!trusted), {});
    verdicts.Add(1, watch, ClockWith(trusted), WarningsWith(trusted));
    verdicts.Describe(to);
  };
  Document document;
  document.warnings = {{"one-cpu", "there is one CPU only", ""}};
  describe(false, document);
  EXPECT_THAT(document.warnings, ElementsAre(Field(&Warning::code, "one-cpu"),
                                             Field(&Warning::code, "untrusted-reference")));
  EXPECT_FALSE(document.clock.self_check->trusted);

  describe(true, document);
  EXPECT_THAT(document.warnings, ElementsAre(Field(&Warning::code, "one-cpu")));
  EXPECT_TRUE(document.clock.self_check->trusted);
}

// Performance cores that cannot be trusted, and efficiency cores that can.
TEST(ClockVerdicts, OneKindOfCoreDoesNotHideAnother) {
  const measure::CoreWatch fast;
  const measure::CoreWatch slow;
  ClockVerdicts verdicts;
  for (const int cpu : {0, 1}) verdicts.Add(cpu, fast, ClockWith(false), WarningsWith(false));
  verdicts.Add(2, slow, ClockWith(true), WarningsWith(true));
  Document document;
  verdicts.Describe(document);
  ASSERT_EQ(document.warnings.size(), 1u);
  EXPECT_EQ(document.warnings[0].message,
            "CPU 0-1: cycles cannot be trusted here: chains disagree");
  EXPECT_FALSE(document.clock.self_check->trusted);
}

TEST(DescribeContention, WhatJobsWaitedAddsUp) {
  measure::Probe quiet;
  for (std::size_t i = 0; i < measure::kProbeChains; ++i)
    quiet.link_ticks[i] = arch::ReferenceChains()[i].least_cycles;
  quiet.wide_ticks = 0.2;
  measure::CoreWatch watch;
  for (int i = 0; i < 40; ++i) watch.Observe(i % 2, quiet);
  Document document;
  DescribeContention(watch, std::chrono::seconds(2), document);
  DescribeContention(watch, std::chrono::seconds(3), document);
  ASSERT_EQ(document.contention.size(), 2u);
  for (const Contention& entry : document.contention) EXPECT_EQ(entry.waited_s, 5);
}

std::string ContentionWarning(double waited_s) {
  Document document;
  document.frequency.emplace_back().core_ghz.contended = true;
  document.contention = {{.cpu = 0, .share = 1, .waited_s = waited_s}};
  WarnOfContention(document);
  EXPECT_EQ(document.warnings.size(), 1u);
  return document.warnings.empty()
             ? ""
             : document.warnings.front().message + "; " + document.warnings.front().hint;
}

TEST(WarnOfContention, SaysWhatHelps) {
  EXPECT_EQ(ContentionWarning(0),
            "another thread shared the core of CPU 0: 1 of 1 values may be too low; wait until the "
            "core is free with --patience 30, or try again later");
  EXPECT_THAT(ContentionWarning(5), HasSubstr("5.0 s of waiting did not help"));
  EXPECT_THAT(ContentionWarning(5), HasSubstr("wait longer with --patience 30"));
  EXPECT_THAT(ContentionWarning(60), HasSubstr("wait longer with --patience 120"));
}

// A core that was shared half of the time, and values that were all taken in the other half.
TEST(WarnOfContention, SaysNothingWhereNoValueIsContended) {
  Document document;
  document.frequency.emplace_back();
  document.contention = {{.cpu = 0, .share = 0.5, .wide_quiet = 0.2, .wide_shared = 0.4}};
  WarnOfContention(document);
  EXPECT_TRUE(document.warnings.empty());
}

// The core with the largest share need not be the one whose values suffered.
TEST(WarnOfContention, NamesEveryCoreThatWasShared) {
  Document document;
  document.frequency.emplace_back().core_ghz.contended = true;
  document.contention = {{.cpu = 0, .share = 0.5, .wide_quiet = 0.2, .wide_shared = 0.4},
                         {.cpu = 1, .share = 0, .wide_quiet = 0.2, .wide_shared = 0.2},
                         {.cpu = 2, .share = 0.1, .wide_quiet = 0.2, .wide_shared = 0.3}};
  WarnOfContention(document);
  ASSERT_EQ(document.warnings.size(), 1u);
  ASSERT_TRUE(document.warnings[0].claim);
  EXPECT_EQ(document.warnings[0].message,
            "another thread shared the cores of CPUs 0,2 (an independent add takes 0.40 cycles "
            "meanwhile, instead of 0.20): 1 of 1 values may be too low");
}

// Where another thread was there from the first probe on, what looked quiet was not.
TEST(WarnOfContention, ComparesNothingWithACoreThatWasHardlyQuiet) {
  Document document;
  document.frequency.emplace_back().core_ghz.contended = true;
  document.contention = {{.cpu = 0, .share = 0.8, .wide_quiet = 0.417, .wide_shared = 0.424}};
  WarnOfContention(document);
  ASSERT_EQ(document.warnings.size(), 1u);
  EXPECT_EQ(document.warnings[0].message,
            "another thread shared the core of CPU 0: 1 of 1 values may be too low");
}

TEST(StolenTimeWarning, AFewTicksSayNothing) {
  EXPECT_FALSE(StolenTimeWarning(0.05, 1, 2)) << "five ticks";
  EXPECT_FALSE(StolenTimeWarning(0.99, 10, 10)) << "less than a hundredth of what ten CPUs had";
  const auto warning = StolenTimeWarning(1.01, 10, 10);
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->message, "the hypervisor withheld 1.01 s of the CPUs' time during 10.0 s");
}

TEST(WarnOfContention, CountsValuesByWhatANeighbourDoesToThem) {
  Document document;
  document.contention = {{.cpu = 0, .share = 1}};
  InstructionRow& row = document.instructions.emplace_back();
  row.throughput.emplace().cycles.contended = true;
  row.throughput_by_values = {*row.throughput, Throughput{}};
  MemoryRow& memory = document.memory.emplace_back();
  memory.curves.emplace_back().points = {{.contended = true}, {}};
  const auto message = [&document] {
    WarnOfContention(document);
    return document.warnings.empty() ? "" : document.warnings.front().message;
  };
  EXPECT_THAT(message(), HasSubstr("2 of 4 values may be too high"));
  memory.bandwidth.push_back({.contended = true});
  EXPECT_THAT(message(),
              HasSubstr("3 of 5 values may be too high, or frequencies and rates too low"));
}

}  // namespace
}  // namespace cyclescope::library

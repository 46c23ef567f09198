#include "anatomy/elimination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "anatomy/testing/simulated_front_end.h"
#include "arch/front_end_code.h"
#include "arch/headline_forms.h"
#include "arch/kernel_parts.h"

namespace cyclescope::anatomy {
namespace {

using testing::SimulatedFrontEnd;

// A core with these slots and ports, which eliminates some texts and fuses some pairs.
struct Core {
  double slots = 6;
  double ports = 4;
  std::set<std::string> without_port;
  std::set<std::string> without_slot;
  std::set<std::pair<std::string, std::string>> fused;
  std::set<std::pair<std::string, std::string>> slow;  // where they are neighbours

  double CyclesOf(const CodePattern& pattern) const {
    double needed_slots = 0;
    double integer = 0;
    double vector = 0;
    double lost = 0;
    const auto integers = arch::PortFillers(arch::PortKind::kInteger);
    const auto vectors = arch::PortFillers(arch::PortKind::kVector);
    for (std::size_t i = 0; i < pattern.text.size(); ++i) {
      const std::string& line = pattern.text[i];
      const bool is_fused = i > 0 && fused.contains({pattern.text[i - 1], line});
      if (i > 0 && slow.contains({pattern.text[i - 1], line})) lost += 0.5;
      if (!without_slot.contains(line) && !is_fused) needed_slots += 1;
      if (line == arch::PortForms().front() || without_port.contains(line) || is_fused) continue;
      if (std::ranges::find(integers, line) != integers.end() ||
          IsCase(line, arch::PortKind::kInteger))
        integer += 1;
      if (std::ranges::find(vectors, line) != vectors.end() ||
          IsCase(line, arch::PortKind::kVector))
        vector += 1;
    }
    return static_cast<double>(pattern.count) *
           (lost + std::max({needed_slots / slots, integer / ports, vector / ports}));
  }

  static bool IsCase(const std::string& line, arch::PortKind kind) {
    for (const auto& each : arch::EliminationCases()) {
      if (each.ports == kind && std::ranges::find(each.code, line) != each.code.end()) return true;
    }
    return false;
  }
};

SimulatedFrontEnd Simulate(const Core& core, std::uint64_t seed) {
  SimulatedFrontEnd times;
  times.random.seed(seed);
  times.text_cycles = [core](const CodePattern& pattern) { return core.CyclesOf(pattern); };
  return times;
}

TEST(Elimination, WhatCostsNoPortOrNoSlotIsFound) {
  Core core;
  const auto cases = arch::EliminationCases();
  for (const std::string_view line : cases[0].code) core.without_port.emplace(line);
  for (const std::string_view line : cases[1].code) {
    core.without_port.emplace(line);
    core.without_slot.emplace(line);
  }
  SimulatedFrontEnd times = Simulate(core, 1);
  const std::vector<AnatomyRow> rows = FindElimination(times);
  ASSERT_EQ(rows.size(), 2 * cases.size());
  const auto share = [&rows](std::size_t row) {
    return rows[row].value ? rows[row].value->value : -1;
  };
  EXPECT_NEAR(share(0), 1, 0.1);  // no port
  EXPECT_NEAR(share(1), 0, 0.1);  // but a slot
  EXPECT_NEAR(share(2), 1, 0.1);
  EXPECT_NEAR(share(3), 1, 0.1);
  EXPECT_NEAR(share(4), 0, 0.1);
  EXPECT_NEAR(share(5), 0, 0.1);
  for (const AnatomyRow& row : rows) EXPECT_FALSE(row.claim) << row.filler;
}

TEST(Elimination, WherePortsAreNotShortNothingIsSaid) {
  Core core;
  core.ports = 20;
  SimulatedFrontEnd times = Simulate(core, 2);
  const std::vector<AnatomyRow> rows = FindElimination(times);
  ASSERT_FALSE(rows.empty());
  for (const AnatomyRow& row : rows) {
    if (row.name == "costs no port") {
      EXPECT_FALSE(row.value) << row.filler;
      ASSERT_TRUE(row.claim) << row.filler;
      EXPECT_EQ(row.claim->code, ClaimCode::kPortsNotScarce) << row.filler;
    } else {
      EXPECT_FALSE(row.claim) << row.filler;
    }
  }
}

// A reason is given only where the mix cannot tell: not where it hardly can.
TEST(Elimination, AMixThatIsJustScarceEnoughHasNoReason) {
  Core core;
  core.ports = 5.5;
  SimulatedFrontEnd times = Simulate(core, 4);
  const std::vector<AnatomyRow> rows = FindElimination(times);
  ASSERT_FALSE(rows.empty());
  for (const AnatomyRow& row : rows) EXPECT_FALSE(row.claim) << row.filler;
}

TEST(Fusion, PairsThatFuseAreFoundAndOthersAreNot) {
  Core core;
  const auto cases = arch::FusionCases();
  core.fused.emplace(cases[0].first, cases[0].second);
  SimulatedFrontEnd times = Simulate(core, 3);
  const std::vector<AnatomyRow> rows = FindFusion(times);
  ASSERT_EQ(rows.size(), cases.size());
  ASSERT_TRUE(rows[0].value);
  EXPECT_GT(rows[0].value->low, 0.8);
  ASSERT_TRUE(rows[1].value);
  EXPECT_LT(rows[1].value->high, 0.2);
}

// As on a Skylake, where a pair is a jump that may touch the end of 32 bytes.
TEST(Fusion, OfPairsThatTakeLongerThanTheirHalvesNothingIsSaid) {
  Core core;
  const auto cases = arch::FusionCases();
  core.fused.emplace(cases[0].first, cases[0].second);
  core.slow.emplace(cases[0].first, cases[0].second);
  SimulatedFrontEnd times = Simulate(core, 5);
  const std::vector<AnatomyRow> rows = FindFusion(times);
  EXPECT_FALSE(rows[0].value);
  ASSERT_TRUE(rows[0].claim);
  EXPECT_EQ(rows[0].claim->code, ClaimCode::kSlotsNotScarce);
  ASSERT_TRUE(rows[1].value) << "one that does not fuse takes as long as its halves";
  EXPECT_LT(rows[1].value->high, 0.2);
}

// As a Neoverse V1 does.
TEST(Fusion, ACoreThatDropsNopBeforeItTakesASlotTellsAllTheSame) {
  Core core;
  for (const std::string_view nop : {std::string_view("nop"), arch::kFillerText}) {
    core.without_port.emplace(nop);
    core.without_slot.emplace(nop);
  }
  const auto cases = arch::FusionCases();
  core.fused.emplace(cases[0].first, cases[0].second);
  SimulatedFrontEnd times = Simulate(core, 4);
  const std::vector<AnatomyRow> fusion = FindFusion(times);
  ASSERT_TRUE(fusion[0].value);
  EXPECT_GT(fusion[0].value->low, 0.8);
  ASSERT_TRUE(fusion[1].value);
  EXPECT_LT(fusion[1].value->high, 0.2);
  for (const AnatomyRow& row : FindElimination(times)) EXPECT_TRUE(row.value) << row.filler;
}

TEST(EliminationBulk, NoWrongShareWithoutAMark) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Core core;
    core.slots = static_cast<double>(4 + seed % 5);
    core.ports = static_cast<double>(3 + seed % 3);
    const auto cases = arch::EliminationCases();
    const std::size_t eliminated = seed % cases.size();
    for (const std::string_view line : cases[eliminated].code) core.without_port.emplace(line);
    SimulatedFrontEnd times = Simulate(core, seed);
    times.noise = 0.001 * static_cast<double>(1 + seed % 8);
    const std::vector<AnatomyRow> rows = FindElimination(times);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const auto& value = rows[2 * i].value;
      if (!value) continue;
      // Between the two is what a wide interval says.
      const double expected = i == eliminated ? 1 : 0;
      EXPECT_TRUE(std::abs(value->value - expected) < 0.35 ||
                  (value->low <= expected && expected <= value->high))
          << "seed " << seed << ", " << rows[2 * i].filler << ": " << value->value;
    }
  }
}

// Any of the pairs may fuse, beside another thread for a part of the time.
TEST(FusionBulk, NoWrongShareWithoutAMark) {
  constexpr std::uint64_t kSeeds = 200;
  const auto cases = arch::FusionCases();
  std::size_t told = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::mt19937_64 random(seed);
    Core core;
    core.slots = static_cast<double>(4 + random() % 5);
    core.ports = core.slots;  // so that only slots are short
    std::vector<bool> fuses;
    for (const arch::FusionCase& each : cases) {
      fuses.push_back(random() % 2 == 0);
      if (fuses.back()) core.fused.emplace(each.first, each.second);
    }
    SimulatedFrontEnd times = Simulate(core, seed);
    times.noise = 0.001 * static_cast<double>(1 + seed % 8);
    times.shared_share = 0.02 * static_cast<double>(seed % 5);
    const std::vector<AnatomyRow> rows = FindFusion(times);
    ASSERT_EQ(rows.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const auto& value = rows[i].value;
      if (!value || rows[i].contended) continue;
      ++told;
      const double expected = fuses[i] ? 1 : 0;
      EXPECT_TRUE(std::abs(value->value - expected) < 0.35 ||
                  (value->low <= expected && expected <= value->high))
          << "seed " << seed << ", " << rows[i].filler << ": " << value->value;
    }
  }
  EXPECT_GT(static_cast<double>(told), 0.8 * static_cast<double>(kSeeds * cases.size()));
}

}  // namespace
}  // namespace cyclescope::anatomy

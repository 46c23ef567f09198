#include "anatomy/find_windows.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "anatomy/testing/simulated_source.h"

namespace cyclescope::anatomy {
namespace {

using simulator::CoreModel;
using simulator::Resource;
using testing::SimulatedFillers;
using testing::SimulatedMachine;
using testing::SimulatedSource;

// About a Golden Cove.
CoreModel LargeCore() {
  CoreModel core;
  core.SizeOf(Resource::kReorderBuffer) = 512;
  core.SizeOf(Resource::kIntegerRegisters) = 248;
  core.SizeOf(Resource::kVectorRegisters) = 295;
  core.SizeOf(Resource::kFlags) = 230;
  core.SizeOf(Resource::kMaskRegisters) = 150;
  core.SizeOf(Resource::kLoads) = 192;
  core.SizeOf(Resource::kStores) = 112;
  core.SizeOf(Resource::kBranches) = 128;
  core.SizeOf(Resource::kScheduler) = 97;
  return core;
}

CoreModel Halved(CoreModel core) {
  for (int& size : core.sizes) size /= 2;
  return core;
}

Resource ResourceOf(arch::Window window) {
  return static_cast<Resource>(static_cast<std::size_t>(window));
}

std::vector<AnatomyRow> Find(const SimulatedMachine& machine, std::uint64_t seed,
                             const WindowSettings& settings = {}) {
  SimulatedSource source(machine, seed);
  return FindWindows(SimulatedFillers(), {}, settings, source);
}

const WindowSettings kOneThread = {.may_be_shared = false};

// What a row says is not wrong, whatever it says.
bool IsRight(const AnatomyRow& row, double whole, double shared) {
  if (!row.value) return true;
  const auto fits = [](const AnatomyValue& value, double size) {
    return std::abs(value.value - size) <= std::max(2.0, 0.02 * size) ||
           (value.low <= size && size <= value.high);
  };
  if (row.at_least) return row.value->value <= whole || fits(*row.value, whole);
  if (row.shared && !fits(*row.shared, shared)) return false;
  return fits(*row.value, whole) || (row.contended && fits(*row.value, shared));
}

// The rows that are wrong, in words.
std::vector<std::string> WrongRows(const std::vector<AnatomyRow>& rows,
                                   const SimulatedMachine& machine) {
  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Resource resource = ResourceOf(SimulatedFillers()[i].window);
    const int whole = machine.core.SizeOf(resource);
    const int shared = machine.shared.SizeOf(resource);
    if (IsRight(rows[i], whole, shared)) continue;
    wrong.push_back(fmt::format("{}, {}: {} and {} instead of {} and {}", rows[i].name,
                                rows[i].filler, rows[i].value->value,
                                rows[i].shared ? rows[i].shared->value : 0, whole, shared));
  }
  return wrong;
}

bool HaveAValue(const std::vector<AnatomyRow>& rows) {
  return std::ranges::any_of(rows, [](const AnatomyRow& row) { return row.value.has_value(); });
}

void ExpectNothingWrong(const std::vector<AnatomyRow>& rows, const SimulatedMachine& machine) {
  EXPECT_THAT(WrongRows(rows, machine), ::testing::IsEmpty());
}

TEST(FindWindows, FindsAllOfAQuietCore) {
  const SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
  const std::vector<AnatomyRow> rows = Find(machine, 1, kOneThread);
  ASSERT_EQ(rows.size(), SimulatedFillers().size());
  ExpectNothingWrong(rows, machine);
  for (const AnatomyRow& row : rows) {
    EXPECT_TRUE(row.value) << row.name << ", " << row.filler;
    EXPECT_FALSE(row.contended) << row.name;
    EXPECT_FALSE(row.at_least && row.claim && row.claim->code == ClaimCode::kOneSizeSeen);
    EXPECT_FALSE(row.shared) << row.name;
    EXPECT_EQ(row.reason, "") << row.name;
    ASSERT_TRUE(row.curve) << row.name;
    EXPECT_FALSE(row.curve->points.empty()) << row.name;
  }
}

TEST(FindWindows, WhatAnotherWindowEndsIsABound) {
  const SimulatedMachine machine{.core = LargeCore(), .shared = LargeCore()};
  const std::vector<AnatomyRow> rows = Find(machine, 2, kOneThread);
  const auto row_of = [&rows](std::string_view filler) {
    return *std::ranges::find(rows, filler, &AnatomyRow::filler);
  };
  // There are fewer flags than integer registers.
  EXPECT_TRUE(row_of("int-flags").at_least);
  EXPECT_EQ(row_of("int-flags").note, "ends with the flags");
  EXPECT_FALSE(row_of("int").at_least);
  EXPECT_FALSE(row_of("nop").at_least);
}

TEST(FindWindows, FindsBothSizesWhereTheCoreIsSharedNowAndThen) {
  SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
  machine.shared_share = 0.5;
  // Even where probes say nothing: the windows themselves tell.
  machine.probes_see_it = false;
  const std::vector<AnatomyRow> rows = Find(machine, 3);
  ExpectNothingWrong(rows, machine);
  const auto reorder = std::ranges::find(rows, "nop", &AnatomyRow::filler);
  ASSERT_TRUE(reorder->value && reorder->shared);
  EXPECT_NEAR(reorder->value->value, 512, 10);
  EXPECT_NEAR(reorder->shared->value, 256, 5);
  EXPECT_FALSE(reorder->at_least);
}

// A neighbour that waits for memory all the time splits the windows, and no probe sees it.
TEST(FindWindows, OneSizeAloneIsABoundWhereCoresRunSeveralThreads) {
  SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
  machine.probes_see_it = false;
  for (const double shared_share : {0.0, 1.0}) {
    machine.shared_share = shared_share;
    const std::vector<AnatomyRow> rows = Find(machine, 9);
    ExpectNothingWrong(rows, machine);
    EXPECT_TRUE(HaveAValue(rows));
    for (const AnatomyRow& row : rows) EXPECT_TRUE(!row.value || row.at_least) << row.name;
    const auto reorder = std::ranges::find(rows, "nop", &AnatomyRow::filler);
    ASSERT_TRUE(reorder->claim);
    EXPECT_EQ(reorder->claim->code, ClaimCode::kOneSizeSeen);
  }
}

// As a Golden Cove does: 500 of 512 entries are ever used, 244 of 256 while it is shared.
TEST(FindWindows, WhatIsKeptFreeShowsWhereTheCoreIsSharedNowAndThen) {
  SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
  machine.group_instructions = 6;
  machine.kept_free = 12;
  machine.shared_share = 0.4;
  const std::vector<AnatomyRow> rows = Find(machine, 7);
  ExpectNothingWrong(rows, machine);
  const auto reorder = std::ranges::find(rows, "nop", &AnatomyRow::filler);
  ASSERT_TRUE(reorder->value && reorder->shared);
  EXPECT_NEAR(reorder->value->value, 512, 6);
  EXPECT_NEAR(reorder->shared->value, 256, 3);
  EXPECT_NE(reorder->note.find("kept free"), std::string::npos);
  // Others use all of their entries.
  const auto stores = std::ranges::find(rows, "store", &AnatomyRow::filler);
  ASSERT_TRUE(stores->value);
  EXPECT_NEAR(stores->value->value, 112, 1);
  EXPECT_EQ(stores->note, "");
}

TEST(FindWindows, WhatMayBeKeptFreeIsInTheInterval) {
  SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
  machine.group_instructions = 6;
  machine.kept_free = 12;
  const std::vector<AnatomyRow> rows = Find(machine, 8);
  const auto reorder = std::ranges::find(rows, "nop", &AnatomyRow::filler);
  ASSERT_TRUE(reorder->value);
  EXPECT_NEAR(reorder->value->value, 500, 2);
  EXPECT_GE(reorder->value->high, 511);
}

TEST(FindWindows, ANeighbourOfOurOwnShowsTheSizeOfAPart) {
  const SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
  SimulatedSource source(machine, 6);
  bool elsewhere = false;
  bool here = false;
  // Nothing says which of the two is on the core.
  const WindowSettings settings{.neighbours = {[&](bool begins) { elsewhere = begins; },
                                               [&](bool begins) {
                                                 source.SetNeighbour(begins);
                                                 here = begins;
                                               }}};
  const std::vector<AnatomyRow> rows = FindWindows(SimulatedFillers(), {}, settings, source);
  EXPECT_FALSE(elsewhere);
  EXPECT_FALSE(here);
  ExpectNothingWrong(rows, machine);
  for (const AnatomyRow& row : rows) {
    EXPECT_FALSE(row.contended) << row.name;
    EXPECT_TRUE(row.at_least || row.shared) << row.name << ", " << row.filler;
    EXPECT_FALSE(row.claim && row.claim->code == ClaimCode::kOneSizeSeen) << row.name;
  }
}

// Ours is not the only one: another program shares the core now and then.
TEST(FindWindows, ANeighbourOfOurOwnShowsTheSizeOfAPartBesideOthers) {
  SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
  machine.shared_share = 0.3;
  machine.probes_see_it = false;
  SimulatedSource source(machine, 6);
  const WindowSettings settings{
      .neighbours = {[&source](bool begins) { source.SetNeighbour(begins); }}};
  const std::vector<AnatomyRow> rows = FindWindows(SimulatedFillers(), {}, settings, source);
  ExpectNothingWrong(rows, machine);
  const auto reorder = std::ranges::find(rows, "nop", &AnatomyRow::filler);
  ASSERT_TRUE(reorder->value && reorder->shared);
  EXPECT_FALSE(reorder->at_least);
}

// Disturbs the second look of all repeats in every tenth visit, so that it seems to overlap: a
// window larger than the whole one.
class DisturbedSource final : public OverlapSource {
 public:
  explicit DisturbedSource(OverlapSource& source) : source_(source) {}

  Result<OverlapVisit> Visit(std::span<const OverlapLook> looks) override {
    constexpr int kEvery = 10;
    constexpr double kDisturbedTimeRatio = 1.5;
    auto visit = source_.Visit(looks);
    if (!visit || ++visits_ % kEvery != 0) return visit;
    for (std::vector<HeadTimes>& repeat : visit->repeats)
      repeat[1].one_chain_ns *= kDisturbedTimeRatio;
    return visit;
  }
  Result<ChainsVisit> TimeChains(std::span<const int> chains) override {
    return source_.TimeChains(chains);
  }
  bool IsQuiet(double width) const override { return source_.IsQuiet(width); }
  void SeekQuietCore() override { source_.SeekQuietCore(); }
  std::int64_t NowNs() const override { return source_.NowNs(); }

 private:
  OverlapSource& source_;
  int visits_ = 0;
};

TEST(FindWindows, ADisturbedLookIsNoLargerWindow) {
  const SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
  SimulatedSource quiet(machine, 6);
  DisturbedSource source(quiet);
  const std::vector<AnatomyRow> rows = FindWindows(SimulatedFillers(), {}, {}, source);
  ExpectNothingWrong(rows, machine);
  EXPECT_TRUE(HaveAValue(rows));
  for (const AnatomyRow& row : rows) {
    EXPECT_FALSE(row.shared) << row.name;
    EXPECT_TRUE(!row.value || row.at_least) << row.name;
  }
}

// CPUs that are on other cores change nothing: what one size alone tells stays a bound.
TEST(FindWindows, AThreadOfOursElsewhereIsNoNeighbour) {
  const SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
  SimulatedSource source(machine, 6);
  int begins = 0;
  const WindowSettings settings{.neighbours = {[&begins](bool is_there) { begins += is_there; }}};
  const std::vector<AnatomyRow> rows = FindWindows(SimulatedFillers(), {}, settings, source);
  EXPECT_EQ(begins, 1);
  EXPECT_TRUE(HaveAValue(rows));
  for (const AnatomyRow& row : rows) {
    EXPECT_FALSE(row.shared) << row.name;
    EXPECT_TRUE(!row.value || row.at_least) << row.name;
  }
}

TEST(FindWindows, ACoreThatIsAlwaysSharedIsMarked) {
  SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
  machine.shared_share = 1;
  const std::vector<AnatomyRow> rows = Find(machine, 4);
  ExpectNothingWrong(rows, machine);
  EXPECT_TRUE(HaveAValue(rows));
  for (const AnatomyRow& row : rows) EXPECT_TRUE(!row.value || row.contended) << row.name;
}

// It knows the size of a part then, so both are said.
TEST(FindWindows, LeavesACoreThatIsSharedForAQuietOne) {
  SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
  machine.shared_share = 0.9;
  machine.stay_ms = 100;
  machine.has_quiet_core = true;
  SimulatedSource source(machine, 6);
  const std::vector<AnatomyRow> rows = FindWindows(SimulatedFillers(), {}, {}, source);
  ExpectNothingWrong(rows, machine);
  for (const std::string_view filler : {"nop", "load"}) {
    const auto row = std::ranges::find(rows, filler, &AnatomyRow::filler);
    ASSERT_TRUE(row->value && row->shared) << filler;
    EXPECT_FALSE(row->at_least);
  }
}

TEST(FindWindows, SaysNothingWhereMissesAreTooShort) {
  SimulatedMachine machine{.core = LargeCore(), .shared = LargeCore()};
  machine.miss_cycles = 12;
  machine.noise = 0.1;
  const std::vector<AnatomyRow> rows = Find(machine, 5);
  ASSERT_FALSE(
      std::ranges::all_of(rows, [](const AnatomyRow& row) { return row.value.has_value(); }));
  for (const AnatomyRow& row : rows) {
    if (row.value) continue;
    EXPECT_EQ(row.status, Status::kUnmeasurable);
    ASSERT_TRUE(row.claim) << row.name;
    EXPECT_EQ(row.claim->code, ClaimCode::kNoWindowStep) << row.name;
  }
  ExpectNothingWrong(rows, machine);
}

TEST(FindWindows, AFillerThatTheCpuLacksIsUnsupported) {
  std::vector<arch::WindowFiller> fillers = {SimulatedFillers().front()};
  fillers.front().feature = "avx512f";
  SimulatedSource source({.core = LargeCore(), .shared = LargeCore()}, 1);
  const std::vector<AnatomyRow> rows = FindWindows(fillers, {"avx2"}, {}, source);
  EXPECT_EQ(rows.front().status, Status::kUnsupported);
  EXPECT_EQ(rows.front().reason, "this CPU has no avx512f");
}

TEST(FindWindows, EndsWhenItIsTold) {
  SimulatedSource source({.core = LargeCore(), .shared = LargeCore()}, 1);
  const std::vector<AnatomyRow> rows =
      FindWindows(SimulatedFillers(), {}, {}, source, [] { return false; });
  ASSERT_FALSE(rows.empty());
  for (const AnatomyRow& row : rows) {
    EXPECT_FALSE(row.value) << row.name;
    ASSERT_TRUE(row.claim) << row.name;
    EXPECT_EQ(row.claim->code, ClaimCode::kEndedTooSoon) << row.name;
  }
}

TEST(FindWindows, SaysThatTheCoreWasSharedOnlyWhereItWas) {
  // Ends while searches are under way: `kind` is why those have no value.
  const auto count = [](double shared_share, ClaimCode kind) {
    SimulatedMachine machine{.core = LargeCore(), .shared = Halved(LargeCore())};
    machine.shared_share = shared_share;
    SimulatedSource source(machine, 6);
    int asked = 0;
    const std::vector<AnatomyRow> rows =
        FindWindows(SimulatedFillers(), {}, {}, source, [&asked] { return ++asked < 60; });
    return std::ranges::count_if(
        rows, [kind](const AnatomyRow& row) { return row.claim && row.claim->code == kind; });
  };
  EXPECT_GT(count(0, ClaimCode::kEndedTooSoon), 0);
  EXPECT_EQ(count(0, ClaimCode::kNeverAlone), 0);
  EXPECT_GT(count(1, ClaimCode::kNeverAlone), 0);
}

CoreModel RandomCore(std::mt19937_64& random) {
  const auto between = [&random](int low, int high) {
    return std::uniform_int_distribution<>(low, high)(random);
  };
  CoreModel core;
  core.dispatch_width = between(4, 8);
  core.retire_width = core.dispatch_width + between(0, 4);
  core.ports = between(6, 14);
  const int reorder = between(120, 640);
  core.SizeOf(Resource::kReorderBuffer) = reorder;
  core.SizeOf(Resource::kIntegerRegisters) = between(reorder / 3, reorder);
  core.SizeOf(Resource::kVectorRegisters) = between(reorder / 3, reorder);
  core.SizeOf(Resource::kFlags) = between(reorder / 6, reorder);
  core.SizeOf(Resource::kMaskRegisters) = between(reorder / 6, reorder);
  core.SizeOf(Resource::kLoads) = between(reorder / 5, reorder / 2);
  core.SizeOf(Resource::kStores) = between(reorder / 8, reorder / 3);
  core.SizeOf(Resource::kBranches) = between(reorder / 6, reorder / 2);
  core.SizeOf(Resource::kScheduler) = between(reorder / 6, reorder / 2);
  return core;
}

TEST(FindWindowsBulk, SimulatedCores) {
  constexpr int kSeeds = 200;
  std::atomic<int> next_seed = 1;
  std::atomic<int> values = 0;
  std::mutex mutex;
  std::vector<std::string> wrong;
  const auto measure_one = [&](int seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    SimulatedMachine machine{.core = RandomCore(random)};
    machine.shared = seed % 4 == 0 ? machine.core : Halved(machine.core);
    machine.miss_cycles = std::uniform_real_distribution<>(300, 500)(random);
    machine.noise = std::uniform_real_distribution<>(0.01, 0.05)(random);
    machine.shared_share = seed % 3 == 0 ? 0 : std::uniform_real_distribution<>(0.05, 0.8)(random);
    machine.stay_ms = std::uniform_real_distribution<>(50, 600)(random);
    machine.group_instructions = seed % 2 == 0 ? 1 : machine.core.dispatch_width;
    machine.kept_free = seed % 5 == 0 ? 2 * machine.group_instructions : 0;
    const std::vector<AnatomyRow> rows = Find(machine, static_cast<std::uint64_t>(seed));
    for (const AnatomyRow& row : rows) values += row.value && !row.contended ? 1 : 0;
    const std::vector<std::string> of_seed = WrongRows(rows, machine);
    if (of_seed.empty()) return;
    const std::scoped_lock lock(mutex);
    for (const std::string& each : of_seed) wrong.push_back(fmt::format("{}: {}", seed, each));
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(std::thread::hardware_concurrency(), 1U); ++i) {
      threads.emplace_back([&] {
        for (int seed = next_seed++; seed <= kSeeds; seed = next_seed++) measure_one(seed);
      });
    }
  }
  const double rows = kSeeds * static_cast<double>(SimulatedFillers().size());
  EXPECT_GT(values, 0.85 * rows);
  EXPECT_THAT(wrong, ::testing::IsEmpty());
}

}  // namespace
}  // namespace cyclescope::anatomy

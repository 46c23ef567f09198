// Whole searches on simulated cores of two machines, with the sizes that were seen there and with
// the noise of their recordings, drawn by chance for each look.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "anatomy/find_windows.h"
#include "anatomy/testing/recorded_rounds.h"
#include "anatomy/testing/simulated_source.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

using simulator::CoreModel;
using simulator::Resource;
using testing::SimulatedMachine;
using testing::SimulatedSource;

constexpr unsigned kNoisySeeds = 200;

struct KnownWindow {
  std::string_view filler;
  Resource resource = Resource::kReorderBuffer;
  int whole = 0;
  int part = 0;
};

std::vector<arch::WindowFiller> FillersOf(std::span<const KnownWindow> windows) {
  std::vector<arch::WindowFiller> fillers;
  for (const KnownWindow& window : windows)
    fillers.push_back(
        *std::ranges::find(testing::SimulatedFillers(), window.filler, &arch::WindowFiller::name));
  return fillers;
}

void SetSizes(std::span<const KnownWindow> windows, SimulatedMachine& machine) {
  for (const KnownWindow& window : windows) {
    machine.core.SizeOf(window.resource) = window.whole;
    machine.shared.SizeOf(window.resource) = window.part;
  }
}

constexpr double kToleranceEntries = 3;

bool HasRoomFor(const AnatomyValue& value, double size) {
  return std::abs(value.value - size) <= kToleranceEntries ||
         (value.low <= size && size <= value.high);
}

// Of the sizes without a mark, all seeds together: each is right, and near the median or with an
// interval that has room for it.
void ExpectRightSearches(const SimulatedMachine& machine, std::span<const KnownWindow> windows,
                         const WindowSettings& settings, double least_share) {
  const std::vector<arch::WindowFiller> fillers = FillersOf(windows);
  std::vector<std::vector<AnatomyValue>> sizes(windows.size());
  std::mutex mutex;
  std::atomic<unsigned> next_seed = 1;
  const auto measure_one = [&](SimulatedSource& source, unsigned seed) {
    source.StartAgain(seed);
    const std::vector<AnatomyRow> rows = FindWindows(fillers, {}, settings, source);
    const std::scoped_lock lock(mutex);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const AnatomyRow& row = rows[i];
      if (!row.value || row.at_least || row.contended) continue;
      sizes[i].push_back(*row.value);
      const std::string words = fmt::format("seed {}: {} {} ({} to {})", seed, row.filler,
                                            row.value->value, row.value->low, row.value->high);
      EXPECT_TRUE(HasRoomFor(*row.value, windows[i].whole)) << words;
      if (!row.shared) continue;
      EXPECT_TRUE(HasRoomFor(*row.shared, windows[i].part))
          << words << ", shared " << row.shared->value;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(std::thread::hardware_concurrency(), 1U); ++i) {
      threads.emplace_back([&] {
        SimulatedSource source(machine, 1);
        for (unsigned seed = next_seed++; seed <= kNoisySeeds; seed = next_seed++)
          measure_one(source, seed);
      });
    }
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    EXPECT_GE(sizes[i].size(), least_share * kNoisySeeds) << windows[i].filler;
    if (sizes[i].empty()) continue;
    std::vector<double> values;
    for (const AnatomyValue& size : sizes[i]) values.push_back(size.value);
    const double median = statistics::Median(values);
    EXPECT_NEAR(median, windows[i].whole, kToleranceEntries) << windows[i].filler;
    for (const AnatomyValue& size : sizes[i])
      EXPECT_TRUE(HasRoomFor(size, median)) << windows[i].filler << ' ' << size.value;
  }
}

// 512 `nop` in pairs, stores that fall from 60 to 68.
TEST(RecordedNoiseBulk, SizesOfANeoverseV1) {
  constexpr KnownWindow kWindows[] = {{"nop", Resource::kReorderBuffer, 512, 512},
                                      {"int", Resource::kIntegerRegisters, 147, 147},
                                      {"vec", Resource::kVectorRegisters, 125, 125},
                                      {"flags", Resource::kFlags, 59, 59},
                                      {"store", Resource::kStores, 68, 68}};
  SimulatedMachine machine;
  machine.core.dispatch_width = 8;
  SetSizes(kWindows, machine);
  machine.group_instructions = 8;
  machine.recorded_noise = testing::RecordedNoise("neoverse-v1");
  ExpectRightSearches(machine, kWindows, {.may_be_shared = false}, 0.9);
}

// Of 512 entries 500 are ever used, and co-tenants come and go.
TEST(RecordedNoiseBulk, SizesOfAnEmeraldRapidsAndTheirHalves) {
  constexpr KnownWindow kWindows[] = {{"nop", Resource::kReorderBuffer, 512, 256},
                                      {"load", Resource::kLoads, 192, 96},
                                      {"store", Resource::kStores, 112, 57},
                                      {"branch", Resource::kBranches, 128, 64}};
  SimulatedMachine machine;
  SetSizes(kWindows, machine);
  machine.group_instructions = 6;
  machine.kept_free = 12;
  machine.shared_share = 0.4;
  machine.recorded_noise = testing::RecordedNoise("emerald-rapids");
  ExpectRightSearches(machine, kWindows, {}, 0.8);
}

}  // namespace
}  // namespace cyclescope::anatomy

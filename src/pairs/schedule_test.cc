#include "pairs/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace cyclescope::pairs {
namespace {

os::CpuList Cpus(int count) {
  os::CpuList cpus(count);
  std::iota(cpus.begin(), cpus.end(), 0);
  return cpus;
}

// How often each pair comes, in either order; fails where a CPU is in two pairs of a set.
std::map<std::pair<int, int>, int> Count(const Schedule& schedule) {
  std::map<std::pair<int, int>, int> counts;
  for (std::size_t set = 0; set < schedule.sets(); ++set) {
    std::set<int> used;
    for (const CpuPair pair : schedule.Set(set)) {
      EXPECT_TRUE(used.insert(pair.first).second);
      EXPECT_TRUE(used.insert(pair.second).second);
      ++counts[std::minmax(pair.first, pair.second)];
    }
  }
  return counts;
}

TEST(Schedule, HoldsEveryPairOnce) {
  for (const int cpus : {2, 3, 4, 7, 8, 33}) {
    std::mt19937_64 random(cpus);
    for (const Schedule& schedule :
         {Schedule::OneByOne(Cpus(cpus), random), Schedule::AllAtOnce(Cpus(cpus), random)}) {
      const auto counts = Count(schedule);
      EXPECT_EQ(counts.size(), static_cast<std::size_t>(cpus) * (cpus - 1) / 2);
      EXPECT_EQ(schedule.pairs(), counts.size());
      for (const auto& [pair, count] : counts) EXPECT_EQ(count, 1);
    }
  }
}

TEST(Schedule, AtOnceNeedsAsFewSetsAsThereCanBe) {
  std::mt19937_64 random(1);
  EXPECT_EQ(Schedule::AllAtOnce(Cpus(8), random).sets(), 7u);
  EXPECT_EQ(Schedule::AllAtOnce(Cpus(7), random).sets(), 7u);
}

TEST(Schedule, OrderFollowsTheSeed) {
  const auto first_pairs = [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const Schedule schedule = Schedule::OneByOne(Cpus(16), random);
    std::vector<std::pair<int, int>> pairs;
    for (std::size_t set = 0; set < schedule.sets(); ++set) {
      pairs.emplace_back(schedule.Set(set)[0].first, schedule.Set(set)[0].second);
    }
    return pairs;
  };
  EXPECT_EQ(first_pairs(1), first_pairs(1));
  EXPECT_NE(first_pairs(1), first_pairs(2));
  EXPECT_FALSE(std::ranges::is_sorted(first_pairs(1)));
}

}  // namespace
}  // namespace cyclescope::pairs

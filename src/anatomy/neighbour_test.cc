#include "anatomy/neighbour.h"

#include <gtest/gtest.h>

#include <set>

namespace cyclescope::anatomy {
namespace {

// A core whose other thread is CPU 2 of 0 to 3.
struct Machine {
  std::set<int> busy;
  bool has_other = false;
  int looks = 0;

  std::vector<RunOnOtherCpu> Candidates() {
    std::vector<RunOnOtherCpu> candidates;
    for (int cpu = 0; cpu < 4; ++cpu) {
      candidates.emplace_back([this, cpu](bool begins) {
        if (begins) busy.insert(cpu);
        if (!begins) busy.erase(cpu);
      });
    }
    return candidates;
  }
  std::function<bool()> Look() {
    return [this] {
      ++looks;
      return !busy.contains(sibling) && !has_other;
    };
  }
  int sibling = 2;
};

bool Always() { return true; }

TEST(Neighbour, IsTheCpuWhoseThreadSplitsTheWindows) {
  Machine machine;
  Neighbour neighbour(machine.Candidates());
  neighbour.Find(machine.Look(), Always);
  ASSERT_TRUE(neighbour.IsFound());
  EXPECT_TRUE(machine.busy.empty());
  EXPECT_TRUE(neighbour.Set(true));
  EXPECT_FALSE(neighbour.Set(true));
  EXPECT_EQ(machine.busy, std::set<int>{2});
  EXPECT_TRUE(neighbour.Set(false));
  EXPECT_TRUE(machine.busy.empty());
}

TEST(Neighbour, NoneWhereAllCpusAreElsewhere) {
  Machine machine{.sibling = 9};
  Neighbour neighbour(machine.Candidates());
  neighbour.Find(machine.Look(), Always);
  EXPECT_FALSE(neighbour.IsFound());
  EXPECT_FALSE(neighbour.Set(true));
  EXPECT_TRUE(machine.busy.empty());
  // One look at each was enough, and none is tried again until all that was seen is void.
  EXPECT_EQ(machine.looks, 4);
  neighbour.Find(machine.Look(), Always);
  EXPECT_EQ(machine.looks, 4);
  machine.sibling = 1;
  neighbour.StartAgain();
  neighbour.Find(machine.Look(), Always);
  EXPECT_TRUE(neighbour.IsFound());
}

TEST(Neighbour, NoneWhereAnotherProgramIsThereAllTheTime) {
  Machine machine{.has_other = true};
  Neighbour neighbour(machine.Candidates());
  neighbour.Find(machine.Look(), Always);
  EXPECT_FALSE(neighbour.IsFound());
  // Later it can be told.
  machine.has_other = false;
  neighbour.Find(machine.Look(), Always);
  EXPECT_TRUE(neighbour.IsFound());
}

TEST(Neighbour, IsFoundThoughAnotherProgramComesInBetween) {
  Machine machine;
  Neighbour neighbour(machine.Candidates());
  const auto look = machine.Look();
  neighbour.Find(
      [&] {
        // The first two looks without our thread are spoiled.
        return look() && (machine.looks > 6 || !machine.busy.empty());
      },
      Always);
  EXPECT_TRUE(neighbour.IsFound());
}

TEST(Neighbour, IsGivenUpWhereItDoesNotShareTheCoreAnyMore) {
  Machine machine;
  Neighbour neighbour(machine.Candidates());
  neighbour.Find(machine.Look(), Always);
  ASSERT_TRUE(neighbour.Set(true));
  for (int i = 0; i < 20; ++i) {
    neighbour.Saw(/*alone=*/true);
    neighbour.Saw(/*alone=*/false);
  }
  EXPECT_TRUE(neighbour.IsFound()) << "it was away at times only";
  for (int i = 0; i < 20; ++i) neighbour.Saw(/*alone=*/true);
  EXPECT_FALSE(neighbour.IsFound());
  EXPECT_TRUE(machine.busy.empty());
}

TEST(Neighbour, EndsItsThreadWithItself) {
  Machine machine;
  {
    Neighbour neighbour(machine.Candidates());
    neighbour.Find(machine.Look(), Always);
    neighbour.Set(true);
  }
  EXPECT_TRUE(machine.busy.empty());
}

TEST(Neighbour, TriesNothingWhereThereIsNoTime) {
  Machine machine;
  Neighbour neighbour(machine.Candidates());
  neighbour.Find(machine.Look(), [] { return false; });
  EXPECT_EQ(machine.looks, 0);
  EXPECT_FALSE(neighbour.IsFound());
}

}  // namespace
}  // namespace cyclescope::anatomy

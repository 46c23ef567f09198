#include "os/pinned_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace cyclescope::os {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

CpuList SomeCpus() {
  CpuList cpus = *AllowedCpus();
  if (cpus.size() > 2) cpus.resize(2);
  return cpus;
}

TEST(PinnedThreads, RunJobsOnTheirCpu) {
  const CpuList cpus = SomeCpus();
  auto threads = PinnedThreads::Start(cpus);
  ASSERT_TRUE(threads.has_value()) << threads.error().ToString();
  for (int round = 0; round < 20; ++round) {
    for (const int cpu : cpus) {
      int ran_on = -1;
      (*threads)->Post(cpu, [&ran_on] { ran_on = CurrentCpu(); });
      ASSERT_TRUE((*threads)->Wait(cpu, seconds(60)));
      EXPECT_EQ(ran_on, cpu);
    }
  }
}

TEST(PinnedThreads, WaitDoesNotWaitForEver) {
  const int cpu = SomeCpus().front();
  auto threads = PinnedThreads::Start({cpu});
  ASSERT_TRUE(threads.has_value());
  std::atomic<bool> release = false;
  (*threads)->Post(cpu, [&release] {
    while (!release) std::this_thread::sleep_for(milliseconds(1));
  });
  EXPECT_FALSE((*threads)->Idle(cpu));
  EXPECT_FALSE((*threads)->Wait(cpu, milliseconds(20)));
  release = true;
  EXPECT_TRUE((*threads)->Wait(cpu, seconds(60)));
}

TEST(PinnedThreads, ARefusedPinIsBadInput) {
  const auto refuse = [](int) -> Result<void> {
    return Failed("cannot pin to CPU 7", "try another");
  };
  const auto threads = PinnedThreads::Start({7}, ThreadPriority::kNormal, refuse);
  ASSERT_FALSE(threads.has_value());
  EXPECT_EQ(threads.error().kind, ErrorKind::kBadInput);
  EXPECT_THAT(threads.error().ToString(), HasSubstr("cannot pin to CPU 7; try another"));
}

// A thread that its CPU does not let run must not keep the program from ending.
TEST(PinnedThreads, AStuckThreadIsLeftBehind) {
  auto release = std::make_shared<std::atomic<bool>>(false);
  auto ended = std::make_shared<std::atomic<bool>>(false);
  {
    auto threads = PinnedThreads::Start({SomeCpus().front()});
    ASSERT_TRUE(threads.has_value());
    (*threads)->Post(SomeCpus().front(), [release, ended] {
      while (!*release) std::this_thread::sleep_for(milliseconds(1));
      *ended = true;
    });
  }
  EXPECT_FALSE(*ended);
  *release = true;
  for (int i = 0; i < 60000 && !*ended; ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_TRUE(*ended);
}

}  // namespace
}  // namespace cyclescope::os

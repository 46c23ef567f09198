#include "cores/cpu_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace cyclescope::cores {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

os::CpuList SomeCpus() {
  os::CpuList cpus = *os::AllowedCpus();
  if (cpus.size() > 2) cpus.resize(2);
  return cpus;
}

TEST(CpuWorkers, RunJobsOnTheirCpu) {
  const os::CpuList cpus = SomeCpus();
  auto workers = CpuWorkers::Start(cpus);
  ASSERT_TRUE(workers.has_value()) << workers.error().ToString();
  for (int round = 0; round < 20; ++round) {
    for (const int cpu : cpus) {
      int ran_on = -1;
      (*workers)->Post(cpu, [&ran_on] { ran_on = os::CurrentCpu(); });
      ASSERT_TRUE((*workers)->Wait(cpu, seconds(60)));
      EXPECT_EQ(ran_on, cpu);
    }
  }
}

TEST(CpuWorkers, WaitDoesNotWaitForEver) {
  const int cpu = SomeCpus().front();
  auto workers = CpuWorkers::Start({cpu});
  ASSERT_TRUE(workers.has_value());
  std::atomic<bool> release = false;
  (*workers)->Post(cpu, [&release] {
    while (!release) std::this_thread::sleep_for(milliseconds(1));
  });
  EXPECT_FALSE((*workers)->Idle(cpu));
  EXPECT_FALSE((*workers)->Wait(cpu, milliseconds(20)));
  release = true;
  EXPECT_TRUE((*workers)->Wait(cpu, seconds(60)));
}

TEST(CpuWorkers, ARefusedPinIsBadInput) {
  const auto refuse = [](int) -> Result<void> {
    return Failed("cannot pin to CPU 7", "try another");
  };
  const auto workers = CpuWorkers::Start({7}, refuse);
  ASSERT_FALSE(workers.has_value());
  EXPECT_EQ(workers.error().kind, ErrorKind::kBadInput);
  EXPECT_THAT(workers.error().ToString(), HasSubstr("cannot pin to CPU 7; try another"));
}

// A worker that its CPU does not let run must not keep the program from ending.
TEST(CpuWorkers, AStuckWorkerIsLeftBehind) {
  auto release = std::make_shared<std::atomic<bool>>(false);
  auto ended = std::make_shared<std::atomic<bool>>(false);
  {
    auto workers = CpuWorkers::Start({SomeCpus().front()});
    ASSERT_TRUE(workers.has_value());
    (*workers)->Post(SomeCpus().front(), [release, ended] {
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
}  // namespace cyclescope::cores

// The worker as a process: what is the same on every system.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "sandbox/testing/worker_fixture.h"
#include "sandbox/worker.h"

namespace cyclescope::sandbox {
namespace {

using testing::CodeThatDiesOf;
using testing::kFirstKernel;
using testing::kShortRun;
using testing::WorkerTest;

using Records = std::vector<CallRecord>;

TEST_F(WorkerTest, SeveralWorkersLiveSideBySide) {
  auto other = Worker::Start(Options());
  ASSERT_TRUE(other);
  const int process = (*other)->process();
  const Outcome outcome = RunOnce(CodeThatDiesOf(DeathKind::kIllegalInstruction));
  EXPECT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_TRUE(std::holds_alternative<Records>((*other)->Run(kShortRun)));
  EXPECT_TRUE(std::holds_alternative<Records>(worker_->Run(kShortRun)));
  EXPECT_EQ((*other)->process(), process);
}

TEST_F(WorkerTest, MovesToAnotherCpu) {
  const os::CpuList allowed = os::AllowedCpus().value();
  for (const int cpu : allowed) {
    const auto moved = worker_->MoveTo(cpu);
    ASSERT_TRUE(moved) << moved.error().ToString();
    EXPECT_TRUE(std::holds_alternative<Records>(worker_->Run(kShortRun)));
  }
}

// An hour would be too long to wait.
TEST(WorkerLifetime, EndsARunThatTheCallerWantsNoMore) {
  std::atomic<int> questions = 0;
  auto worker = Worker::Start({.cpu = testing::SomeCpu(),
                               .surroundings = {.time_limit = std::chrono::hours(1)},
                               .goes_on = [&questions] { return ++questions < 3; }});
  ASSERT_TRUE(worker) << worker.error().ToString();
  ASSERT_TRUE((*worker)->Load(std::vector<KernelView>{CodeThatDiesOf(DeathKind::kTimeout)}));
  questions = 0;
  const Outcome outcome = (*worker)->Run(std::vector<Call>{{kFirstKernel, 1}});
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).kind, DeathKind::kCancelled);
  EXPECT_GE(questions, 3) << "once before, and again while it runs";
  EXPECT_EQ((*worker)->process(), 0);
}

}  // namespace
}  // namespace cyclescope::sandbox

// The worker as a process of Windows: what it leaves behind, and what ends it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "sandbox/testing/worker_fixture.h"
#include "sandbox/worker.h"

// After our own, of which some have members named `near` and `far`: it defines these words away.
#include <windows.h>

namespace cyclescope::sandbox {
namespace {

using testing::CodeThatDiesOf;
using testing::kShortRun;
using testing::WorkerTest;

using Records = std::vector<CallRecord>;

DWORD CountHandles() {
  DWORD count = 0;
  GetProcessHandleCount(GetCurrentProcess(), &count);
  return count;
}

TEST_F(WorkerTest, LeavesNothingBehindAfterManyDeaths) {
  ASSERT_TRUE(
      worker_->Load(std::vector<KernelView>{CodeThatDiesOf(DeathKind::kIllegalInstruction)}));
  const auto die = [this] {
    const Outcome outcome = worker_->Run(std::vector<Call>{{testing::kFirstKernel, 1}});
    ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  };
  die();
  const DWORD handles = CountHandles();
  for (int i = 0; i < 20; ++i) die();
  EXPECT_EQ(CountHandles(), handles);
}

TEST(WorkerLifetime, ClosesWhatItOpened) {
  {
    const auto first = Worker::Start({.cpu = testing::SomeCpu()});
  }
  const DWORD handles = CountHandles();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Worker::Start({.cpu = testing::SomeCpu()}));
    ASSERT_FALSE(Worker::Start({.cpu = 1 << 20}));
  }
  EXPECT_EQ(CountHandles(), handles);
}

TEST_F(WorkerTest, DeathBetweenRunsIsNotTheNextRunsFault) {
  const int before = worker_->process();
  HANDLE process = OpenProcess(PROCESS_TERMINATE | SYNCHRONIZE, FALSE, static_cast<DWORD>(before));
  ASSERT_NE(process, nullptr);
  TerminateProcess(process, 1);
  WaitForSingleObject(process, INFINITE);
  CloseHandle(process);
  EXPECT_TRUE(std::holds_alternative<Records>(worker_->Run(kShortRun)));
  EXPECT_NE(worker_->process(), before);
}

// The addresses that it should have are taken: it ends before it can say anything.
TEST(WorkerLifetime, DeathWhileItIsSetUpIsSeen) {
  const WorkerOptions options = {.cpu = testing::SomeCpu(),
                                 .surroundings = WorkerMemory::Placed({})};
  auto memory = WorkerMemory::Create(options.surroundings);
  ASSERT_TRUE(memory);
  WorkerMemory::Parts parts = memory->parts();
  parts.reserved = reinterpret_cast<std::uintptr_t>(GetModuleHandleW(L"ntdll.dll"));
  // Both would own the handles: this one is never destroyed.
  auto* elsewhere = new WorkerMemory(WorkerMemory::FromParts(parts));
  auto process = WorkerProcess::Start(*elsewhere, options);
  ASSERT_TRUE(process) << process.error().ToString();
  RunNumber message = 0;
  EXPECT_EQ(process->Receive(std::chrono::seconds(60), message), Arrival::kHangUp);
  const auto ending = process->End();
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->exit_status, 1);
}

}  // namespace
}  // namespace cyclescope::sandbox

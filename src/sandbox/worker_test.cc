// The worker with code that behaves.
#include "sandbox/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/counters.h"
#include "sandbox/testing/worker_fixture.h"

namespace cyclescope::sandbox {
namespace {

using ::testing::IsEmpty;
using testing::kFirstKernel;
using testing::kLimit;
using testing::kSecondKernel;
using testing::kUnitChain;
using ::testing::Not;
using testing::WorkerTest;

using Records = std::vector<CallRecord>;

TEST_F(WorkerTest, MeasuresAKnownChain) { ExpectGoodMeasurement(); }

TEST_F(WorkerTest, TwiceTheChainTakesTwiceAsLong) {
  if (emulated()) GTEST_SKIP() << "time means nothing under an emulator";
  ASSERT_TRUE(
      worker_->Load(std::vector<KernelView>{testing::AddChain(200), testing::AddChain(400)}));
  ExpectRatio({kFirstKernel, 500}, {kSecondKernel, 500}, 2);
}

TEST_F(WorkerTest, TakesAsManyCallsAsItSays) {
  ASSERT_TRUE(worker_->Load(std::vector<KernelView>{testing::StoreLoopCount()}));
  const Outcome outcome = worker_->Run(std::vector<Call>(kMostCalls, {kFirstKernel, 1}));
  ASSERT_TRUE(std::holds_alternative<Records>(outcome)) << std::get<Death>(outcome).reason;
  EXPECT_EQ(std::get<Records>(outcome).size(), kMostCalls);
}

TEST_F(WorkerTest, CodeRunsWhereverItIsRelocatedTo) {
  for (const unsigned number : {1U, 2U, 13U, 1000U}) {
    worker_->Relocate(number);
    ExpectGoodMeasurement();
  }
}

TEST_F(WorkerTest, TakesNoCallsToo) {
  const Outcome outcome = worker_->Run({});
  ASSERT_TRUE(std::holds_alternative<Records>(outcome));
  EXPECT_THAT(std::get<Records>(outcome), IsEmpty());
}

TEST_F(WorkerTest, RunsTheLongestKernel) {
  const Kernel once = testing::StoreLoopCount();
  Kernel kernel;
  while (kernel.size() + once.size() <= kLongestKernel) {
    kernel.insert(kernel.end(), once.begin(), once.end());
  }
  const Outcome outcome = RunOnce(kernel);
  EXPECT_TRUE(std::holds_alternative<Records>(outcome)) << std::get<Death>(outcome).reason;
}

TEST_F(WorkerTest, RunsNewCodeAfterEachLoad) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(std::holds_alternative<Records>(RunOnce(testing::StoreLoopCount()))) << i;
    const Outcome refused = RunOnce(testing::ExpectScratch42());
    ASSERT_TRUE(std::holds_alternative<Death>(refused)) << i;
    EXPECT_EQ(std::get<Death>(refused).kind, DeathKind::kIllegalInstruction) << i;
  }
}

TEST_F(WorkerTest, RefusesCodeThatIsTooLongAndKeepsWhatItHas) {
  ASSERT_TRUE(worker_->Load(std::vector<KernelView>{testing::StoreLoopCount()}));
  EXPECT_FALSE(worker_->Load(std::vector<KernelView>{Kernel(kLongestKernel + 4)}));
  EXPECT_TRUE(std::holds_alternative<Records>(worker_->Run(std::vector<Call>{{kFirstKernel, 1}})));
}

// ---- Scratch memory

TEST_F(WorkerTest, FillsTheScratchMemoryWhenTold) {
  ASSERT_TRUE(worker_->Load(std::vector<KernelView>{testing::ExpectScratch42()}));
  const std::vector<Call> fill_and_look = {{{Entry::Kind::kFillMemory, 0}, 42}, {kFirstKernel, 1}};
  EXPECT_TRUE(std::holds_alternative<Records>(worker_->Run(fill_and_look)));
}

TEST_F(WorkerTest, KeepsScratchContentsBetweenCallsAndClearsThemForEachRun) {
  ASSERT_TRUE(worker_->Load(
      std::vector<KernelView>{testing::StoreLoopCount(), testing::ExpectScratch42()}));
  const std::vector<Call> store_and_look = {{kFirstKernel, 42}, {kSecondKernel, 1}};
  EXPECT_TRUE(std::holds_alternative<Records>(worker_->Run(store_and_look)));
  EXPECT_TRUE(std::holds_alternative<Death>(worker_->Run(std::vector<Call>{{kSecondKernel, 1}})));
}

TEST_F(WorkerTest, PutsGuardsAroundTheScratchMargins) {
  const std::uintptr_t first = *ScratchAddress() - kScratchMargin;
  const std::uintptr_t end = *ScratchAddress() + kScratchSize + kScratchMargin;
  for (const std::uintptr_t inside : {first, end - 8}) {
    EXPECT_TRUE(std::holds_alternative<Records>(RunOnce(testing::StoreTo(inside))));
  }
  for (const std::uintptr_t outside : {first - 8, end}) {
    ExpectFaultAt(RunOnce(testing::StoreTo(outside)), outside);
  }
}

// ---- Pages

TEST_F(WorkerTest, GivesMemoryWhereItIsWanted) {
  const std::uint64_t page = 0x4000'0000;
  ExpectFaultAt(RunOnce(testing::StoreTo(page)), page);
  const auto other = worker_->Another({.pages = {page, page + PageSize()}, .time_limit = kLimit});
  ASSERT_TRUE(other);
  const auto run_there = [&other](const Kernel& kernel) {
    EXPECT_TRUE((*other)->Load(std::vector<KernelView>{kernel}));
    return (*other)->Run(std::vector<Call>{{testing::kFirstKernel, 1}});
  };
  for (const std::uint64_t inside : {page, page + 2 * PageSize() - 8})
    EXPECT_TRUE(std::holds_alternative<Records>(run_there(testing::StoreTo(inside))));
  EXPECT_TRUE(std::holds_alternative<Death>(run_there(testing::StoreTo(page + 2 * PageSize()))));
  EXPECT_TRUE(std::holds_alternative<Death>(RunOnce(testing::StoreTo(page))));
}

TEST_F(WorkerTest, ReplacesNothingByAPage) {
  const std::uint64_t own = *ScratchAddress() - kScratchMargin;
  const std::uint64_t guard = own - PageSize();
  StartWith({.pages = {0, own, guard}, .time_limit = kLimit});
  EXPECT_TRUE(std::holds_alternative<Records>(RunOnce(testing::StoreTo(own))));
  EXPECT_TRUE(std::holds_alternative<Death>(RunOnce(testing::StoreTo(guard))));
}

TEST_F(WorkerTest, HasNoScratchMemoryWhereNoneIsWanted) {
  StartWith({.scratch = false, .time_limit = kLimit});
  ExpectFaultAt(RunOnce(testing::StoreTo(*ScratchAddress())), *ScratchAddress());
}

// ---- What the worker is

TEST_F(WorkerTest, GoesOnAfterBeingRetired) {
  const int before = worker_->process();
  worker_->Retire();
  EXPECT_EQ(worker_->process(), 0);
  ExpectGoodMeasurement();
  EXPECT_NE(worker_->process(), before);
}

TEST(Worker, SaysWhyItCannotStart) {
  const auto worker = Worker::Start({.cpu = 1 << 20});
  ASSERT_FALSE(worker);
  EXPECT_THAT(worker.error().message, Not(IsEmpty()));
}

TEST(Worker, HasCountersWhereTheSystemHasThem) {
  for (const auto access : {os::CounterAccess::kUser, os::CounterAccess::kSystem}) {
    const auto here = os::Counters::Open(access);
    const auto worker = Worker::Start({.cpu = testing::SomeCpu(), .counters = access});
    ASSERT_EQ(worker.has_value(), here.has_value());
    if (!worker) {
      EXPECT_EQ(worker.error().message, here.error().message);
      continue;
    }
    EXPECT_TRUE((*worker)->has_counters());
    const Outcome outcome = (*worker)->Run(std::vector<Call>{{kUnitChain, 1000}});
    ASSERT_TRUE(std::holds_alternative<Records>(outcome)) << std::get<Death>(outcome).reason;
    const CallRecord& record = std::get<Records>(outcome).front();
    EXPECT_TRUE(record.counters_valid);
    EXPECT_GT(record.cycles, 100'000u);
    EXPECT_GT(record.instructions, 100'000u);
  }
}

}  // namespace
}  // namespace cyclescope::sandbox

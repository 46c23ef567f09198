// The worker with code that does its worst.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "arch/kernel_entry.h"
#include "sandbox/testing/worker_fixture.h"
#include "sandbox/worker.h"

namespace cyclescope::sandbox {
namespace {

using testing::kFirstKernel;
using testing::kSecondKernel;
using testing::WorkerTest;

using Records = std::vector<CallRecord>;

class HostileTest : public WorkerTest {};

TEST_F(HostileTest, DeadlyCodesEndAsReportedDeaths) {
  StartWith({.time_limit = std::chrono::milliseconds(500)});
  const bool tells_faults = TellsFaults();
  for (const testing::DeadlyCode& deadly : testing::DeadlyCodes()) {
    SCOPED_TRACE(deadly.name);
    if (emulated() && deadly.only_on_hardware) continue;
    if (unfiltered() && testing::ContainsSystemCall(deadly.code)) continue;
    // Wine takes the alignment-check flag away and goes on.
    if (unfiltered() && deadly.kind == DeathKind::kBusError) continue;
    const Outcome outcome = RunOnce(deadly.code);
    ASSERT_TRUE(std::holds_alternative<Death>(outcome));
    const Death& death = std::get<Death>(outcome);
    const bool only_left = death.kind == DeathKind::kExited && deadly.has_no_stack && unfiltered();
    const bool any_fault = death.kind == DeathKind::kIllegalInstruction && !tells_faults;
    EXPECT_TRUE(death.kind == deadly.kind || only_left || any_fault) << death.reason;
    EXPECT_FALSE(death.reason.empty());
    EXPECT_EQ(worker_->process(), 0) << "the process was not reaped";
  }
  ExpectGoodMeasurement();
}

TEST_F(HostileTest, WorkersSurviveOverwrittenState) {
  for (const testing::HarmlessCode& harmless : testing::HarmlessCodes()) {
    SCOPED_TRACE(harmless.name);
    ASSERT_TRUE(
        worker_->Load(std::vector<KernelView>{harmless.code, testing::ControlStateProbe()}));
    const Outcome outcome =
        worker_->Run(std::vector<Call>{{kFirstKernel, 1}, {kSecondKernel, 1}, {kFirstKernel, 1}});
    EXPECT_TRUE(std::holds_alternative<Records>(outcome)) << std::get<Death>(outcome).reason;
  }
  ExpectGoodMeasurement();
}

TEST_F(HostileTest, SaysWhereTheCodeStood) {
  // An undefined instruction behind one that is good.
  Kernel kernel = testing::StoreLoopCount();
  const std::size_t offset = kernel.size();
  const auto codes = testing::DeadlyCodes();
  const auto undefined =
      std::ranges::find(codes, DeathKind::kIllegalInstruction, &testing::DeadlyCode::kind);
  kernel.insert(kernel.end(), undefined->code.begin(), undefined->code.end());
  ASSERT_TRUE(worker_->Load(std::vector<KernelView>{testing::StoreLoopCount(), kernel}));
  const Outcome outcome = worker_->Run(std::vector<Call>{{kFirstKernel, 1}, {kSecondKernel, 1}});
  ASSERT_TRUE(std::holds_alternative<Death>(outcome));
  EXPECT_EQ(std::get<Death>(outcome).code_place, (CodePlace{1, offset}));
}

TEST_F(HostileTest, TheToolsTextCannotBeWritten) {
  const auto text = reinterpret_cast<std::uintptr_t>(&arch::EnterKernel);
  ExpectFaultAt(RunOnce(testing::StoreTo(text)), text);
}

// ---- Anything at all

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRandomKernels = 300;  // a worker takes long to begin there
#else
constexpr int kRandomKernels = 3000;
#endif

TEST_F(HostileTest, SurvivesRandomBytes) {
  StartWith({.time_limit = std::chrono::milliseconds(50)});
  // Under an emulator and on Windows, too.
  const int cases = unfiltered() ? 100 : kRandomKernels;
  std::mt19937_64 random(20261115);
  int deaths = 0;
  for (int i = 0; i < cases; ++i) {
    Kernel kernel(4 * (1 + random() % 16));
    std::ranges::generate(kernel, [&random] { return static_cast<std::uint8_t>(random()); });
    if (unfiltered() && testing::ContainsSystemCall(kernel)) continue;
    const Outcome outcome = RunOnce(kernel, random() % 8);
    if (const auto* death = std::get_if<Death>(&outcome)) {
      ++deaths;
      EXPECT_NE(death->kind, DeathKind::kNotStarted) << death->reason;
    }
  }
  EXPECT_GT(deaths, cases / 4) << "the bytes were not hostile";
  // Code that came back may have damaged the process without killing it.
  worker_->Retire();
  ExpectGoodMeasurement();
}

}  // namespace
}  // namespace cyclescope::sandbox

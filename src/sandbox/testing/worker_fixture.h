// What tests of the worker have in common.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "os/cpus.h"
#include "sandbox/testing/code.h"
#include "sandbox/worker.h"

namespace cyclescope::sandbox::testing {

inline constexpr Entry kFirstKernel{Entry::Kind::kKernel, 0};
inline constexpr Entry kSecondKernel{Entry::Kind::kKernel, 1};
inline constexpr Entry kUnitChain{Entry::Kind::kReferenceChain, 0};

// What code that ends may take at most, on a loaded machine and under an emulator too.
inline constexpr std::chrono::seconds kLimit{5};

inline const std::vector<Call> kShortRun = {{kUnitChain, 10}};

inline Kernel CodeThatDiesOf(DeathKind kind) {
  const auto codes = DeadlyCodes();
  return std::ranges::find(codes, kind, &DeadlyCode::kind)->code;
}

inline int SomeCpu() { return os::AllowedCpus()->front(); }

class WorkerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = Worker::Start(Options());
    ASSERT_TRUE(started) << started.error().ToString();
    worker_ = std::move(*started);
  }

  static WorkerOptions Options() {
    return {.cpu = SomeCpu(), .counters = std::nullopt, .surroundings = {.time_limit = kLimit}};
  }

  void StartWith(const Surroundings& surroundings) {
    WorkerOptions options = Options();
    options.surroundings = surroundings;
    auto started = Worker::Start(options);
    ASSERT_TRUE(started) << started.error().ToString();
    worker_ = std::move(*started);
  }

  // Loads one kernel and runs it once.
  Outcome RunOnce(const Kernel& kernel, std::uint64_t loops = 1) {
    const auto loaded = worker_->Load(std::vector<KernelView>{kernel});
    EXPECT_TRUE(loaded) << loaded.error().ToString();
    return worker_->Run(std::vector<Call>{{kFirstKernel, loops}});
  }

  // Time means nothing there.
  bool emulated() const { return worker_->may_be_emulated(); }
  // Under qemu-user Wine takes every fault for an illegal instruction: the emulator does not pass
  // on what tells them apart.
  bool TellsFaults() {
    if (!emulated()) return true;
    const Outcome outcome = RunOnce(StoreTo(0));
    const auto* death = std::get_if<Death>(&outcome);
    return death == nullptr || death->kind != DeathKind::kIllegalInstruction;
  }
  // That a store there ended the code.
  void ExpectFaultAt(const Outcome& outcome, std::uintptr_t address) {
    ASSERT_TRUE(std::holds_alternative<Death>(outcome));
    if (TellsFaults()) {
      EXPECT_EQ(std::get<Death>(outcome).fault_address, address);
    }
  }
  // Code may make system calls, and on some systems a fault is reported on the code's own stack.
  bool unfiltered() const { return !worker_->has_system_call_filter(); }

  // Measures a chain of additions against the reference chain, which it has to equal.
  void ExpectGoodMeasurement() {
    constexpr std::size_t kLinks = 100;
    constexpr std::uint64_t kLoops = 500;
    ASSERT_TRUE(worker_->Load(std::vector<KernelView>{AddChain(kLinks)}));
    ExpectRatio({kUnitChain, kLoops}, {kFirstKernel, kLoops}, 1);
  }

  // The second call takes `wanted` times as long as the first. A machine that changes its speed, or
  // another that comes or goes meanwhile, may spoil one try; only what is wrong spoils all.
  void ExpectRatio(const Call& first, const Call& second, double wanted) {
    constexpr int kTries = 50;
    constexpr double kTolerance = 0.05;
    double ratio = 0;
    for (int i = 0; i < kTries && std::abs(ratio - wanted) > kTolerance; ++i) {
      ratio = Ratio(first, second);
      if (emulated() || HasFailure()) return;
    }
    EXPECT_NEAR(ratio, wanted, kTolerance);
  }

  std::unique_ptr<Worker> worker_;

 private:
  // Of the shortest of many, since any one may be interrupted; 0 after a failure.
  double Ratio(const Call& first, const Call& second) {
    std::vector<Call> calls;
    for (int i = 0; i < 25; ++i) calls.insert(calls.end(), {first, second});
    const Outcome outcome = worker_->Run(calls);
    const auto* records = std::get_if<std::vector<CallRecord>>(&outcome);
    if (records == nullptr || records->size() != calls.size()) {
      ADD_FAILURE() << (records == nullptr ? std::get<Death>(outcome).reason
                                           : "records are missing");
      return 0;
    }
    std::array<std::uint64_t, 2> least{~std::uint64_t{0}, ~std::uint64_t{0}};
    for (std::size_t i = 0; i < records->size(); ++i) {
      least[i % 2] = std::min(least[i % 2], (*records)[i].ticks);
    }
    EXPECT_GT(least[1], 0u);
    return static_cast<double>(least[1]) / static_cast<double>(least[0]);
  }
};

}  // namespace cyclescope::sandbox::testing

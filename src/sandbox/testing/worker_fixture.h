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
    const auto loaded = worker_->Load(std::vector<Kernel>{kernel});
    EXPECT_TRUE(loaded) << loaded.error().ToString();
    return worker_->Run(std::vector<Call>{{kFirstKernel, loops}});
  }

  // Under an emulator there is no filter, and time means nothing.
  bool emulated() const { return !worker_->has_system_call_filter(); }

  // Measures a chain of additions against the reference chain, which it has to equal.
  void ExpectGoodMeasurement() {
    constexpr std::size_t kLinks = 100;
    constexpr std::uint64_t kLoops = 500;
    ASSERT_TRUE(worker_->Load(std::vector<Kernel>{AddChain(kLinks)}));
    double kernel_ticks = 0;
    double reference_ticks = 0;
    // The shortest of many, since any one may be interrupted.
    const std::vector<Call> round = {{kUnitChain, kLoops}, {kFirstKernel, kLoops}};
    std::vector<Call> calls;
    for (int i = 0; i < 25; ++i) calls.insert(calls.end(), round.begin(), round.end());
    const Outcome outcome = worker_->Run(calls);
    const auto* records = std::get_if<std::vector<CallRecord>>(&outcome);
    ASSERT_NE(records, nullptr) << std::get<Death>(outcome).reason;
    ASSERT_EQ(records->size(), calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      double& least = calls[i].entry == kUnitChain ? reference_ticks : kernel_ticks;
      const auto ticks = static_cast<double>((*records)[i].ticks);
      least = least == 0 ? ticks : std::min(least, ticks);
    }
    EXPECT_GT(kernel_ticks, 0);
    if (emulated()) return;
    EXPECT_NEAR(kernel_ticks / reference_ticks, 1, 0.05);
  }

  std::unique_ptr<Worker> worker_;
};

}  // namespace cyclescope::sandbox::testing

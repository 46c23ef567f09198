#include <atomic>
#include <chrono>
#include <thread>

#include "sandbox/executor.h"

namespace cyclescope::sandbox {
namespace {

// Counts how many of its kind run at once.
class Counted final : public CodeExecutor {
 public:
  Counted(std::atomic<int>& running, std::atomic<int>& most) : running_(running), most_(most) {}

  Outcome Run(std::span<const Call> calls) override {
    const int now = ++running_;
    if (now > most_) most_ = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --running_;
    return std::vector<CallRecord>(calls.size());
  }
  bool has_counters() const override { return false; }
  Result<std::unique_ptr<CodeExecutor>> Another(const Surroundings& /*surroundings*/) override {
    return std::make_unique<Counted>(running_, most_);
  }
  Result<void> Load(std::span<const KernelView> /*kernels*/) override { return {}; }
  void Relocate(unsigned) override {}
  Result<void> MoveTo(int cpu) override {
    cpu_ = cpu;
    return {};
  }
  int cpu() const override { return cpu_; }
  bool has_system_call_filter() const override { return true; }
  std::vector<Warning> Warnings() const override { return {}; }

 private:
  std::atomic<int>& running_;
  std::atomic<int>& most_;
  int cpu_ = 0;
};

TEST(Turns, OneRunsAtATime) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::mutex turn;
  auto first = TakesTurns(std::make_unique<Counted>(running, most), turn);
  auto second = TakesTurns(std::make_unique<Counted>(running, most), turn);
  auto third = *second->Another({});
  {
    std::vector<std::jthread> threads;
    for (CodeExecutor* executor : {first.get(), second.get(), third.get()}) {
      threads.emplace_back([executor] {
        for (int i = 0; i < 10; ++i) EXPECT_EQ(std::get<0>(executor->Run({})).size(), 0U);
      });
    }
  }
  EXPECT_EQ(most, 1);
}

TEST(Turns, AllElseGoesToTheExecutor) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::mutex turn;
  const auto executor = TakesTurns(std::make_unique<Counted>(running, most), turn);
  ASSERT_TRUE(executor->MoveTo(3));
  EXPECT_EQ(executor->cpu(), 3);
  EXPECT_TRUE(executor->has_system_call_filter());
  EXPECT_FALSE(executor->has_counters());
}

}  // namespace
}  // namespace cyclescope::sandbox

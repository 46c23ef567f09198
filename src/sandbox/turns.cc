#include <utility>

#include "base/try.h"
#include "sandbox/executor.h"

namespace cyclescope::sandbox {
namespace {

class TurnTaker final : public CodeExecutor {
 public:
  TurnTaker(std::unique_ptr<CodeExecutor> executor, std::mutex& turn)
      : executor_(std::move(executor)), turn_(turn) {}

  Outcome Run(std::span<const Call> calls) override {
    const std::lock_guard lock(turn_);
    return executor_->Run(calls);
  }
  bool has_counters() const override { return executor_->has_counters(); }
  Result<std::unique_ptr<CodeExecutor>> Another(const Surroundings& surroundings) override {
    auto another = TRY(executor_->Another(surroundings));
    return TakesTurns(std::move(another), turn_);
  }
  void Relocate(unsigned number) override { executor_->Relocate(number); }
  Result<void> Load(std::span<const KernelView> kernels) override {
    return executor_->Load(kernels);
  }
  Result<void> MoveTo(int cpu) override { return executor_->MoveTo(cpu); }
  int cpu() const override { return executor_->cpu(); }
  bool has_system_call_filter() const override { return executor_->has_system_call_filter(); }
  std::vector<Warning> Warnings() const override { return executor_->Warnings(); }

 private:
  std::unique_ptr<CodeExecutor> executor_;
  std::mutex& turn_;
};

}  // namespace

std::unique_ptr<CodeExecutor> TakesTurns(std::unique_ptr<CodeExecutor> executor, std::mutex& turn) {
  return std::make_unique<TurnTaker>(std::move(executor), turn);
}

}  // namespace cyclescope::sandbox

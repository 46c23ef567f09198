#include "instructions/sweep.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace cyclescope::instructions {
namespace {

// A row that was disturbed is measured again: on a busy machine the next moment is often a better
// one.
constexpr int kMostTries = 3;

InstructionRow MeasureUndisturbed(Lab& lab, const SweepForm& form, const Experiments& experiments) {
  InstructionRow row = MeasureForm(lab, form.instruction, experiments);
  for (int tries = 1; tries < kMostTries && row.status == Status::kDisturbed; ++tries) {
    row = MeasureForm(lab, form.instruction, experiments);
  }
  return row;
}

// Single samples of thousands of forms help nobody, and would be most of the document.
void DropSamples(InstructionRow& row) {
  if (row.throughput) row.throughput->cycles.samples.clear();
  for (Throughput& throughput : row.throughput_by_values) throughput.cycles.samples.clear();
  for (Latency& latency : row.latency) latency.cycles.samples.clear();
}

class Crew {
 public:
  Crew(const std::vector<SweepForm>& forms, const SweepSettings& settings,
       const LabFactory& make_lab, const SweepObserver& observer)
      : forms_(forms), settings_(settings), make_lab_(make_lab), observer_(observer) {}

  Result<void> Work() {
    std::vector<std::mutex> turns(settings_.measuring_cpus.size());
    std::vector<std::jthread> threads;
    const std::size_t threads_per_cpu = settings_.planning_cpus.empty() ? 1 : 2;
    for (std::size_t i = 0; i < settings_.measuring_cpus.size() * threads_per_cpu && !failed_;
         ++i) {
      const std::size_t which = i % settings_.measuring_cpus.size();
      try {
        threads.emplace_back([this, cpu = settings_.measuring_cpus[which], &turn = turns[which]] {
          Serve(cpu, turn);
        });
      } catch (const std::system_error& error) {
        Fail(SystemError("cannot create a thread to measure with", error.code().value(),
                         "see whether a limit on processes was reached (ulimit -u)")
                 .error());
      }
    }
    threads.clear();  // waits for all
    if (error_) return std::unexpected(*error_);
    return {};
  }

 private:
  void Serve(int cpu, std::mutex& turn) {
    if (!settings_.planning_cpus.empty()) {
      if (auto moved = os::Unpin(settings_.planning_cpus); !moved) return Fail(moved.error());
    }
    auto lab = make_lab_(cpu, turn);
    if (!lab) return Fail(lab.error());
    while (!failed_ && !observer_.is_over()) {
      const std::size_t next = next_++;
      if (next >= forms_.size()) return;
      const SweepForm& form = forms_[next];
      PlacedRow placed{form.place, MeasureUndisturbed(**lab, form, settings_.experiments)};
      if (observer_.is_over()) return;  // and may have been cut short
      placed.row.isa = form.isa;
      DropSamples(placed.row);
      const std::lock_guard lock(results_);
      if (auto taken = observer_.take_row(placed); !taken) SetError(taken.error());
    }
  }

  void Fail(const Error& error) {
    const std::lock_guard lock(results_);
    SetError(error);
  }

  // The first one counts.
  void SetError(const Error& error) {
    if (!error_) error_ = error;
    failed_ = true;
  }

  const std::vector<SweepForm>& forms_;
  const SweepSettings& settings_;
  const LabFactory& make_lab_;
  const SweepObserver& observer_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex results_;  // guards the observer's take_row and error_
  std::optional<Error> error_;
};

}  // namespace

Result<void> Sweep(const std::vector<SweepForm>& forms, const SweepSettings& settings,
                   const LabFactory& make_lab, const SweepObserver& observer) {
  return Crew(forms, settings, make_lab, observer).Work();
}

}  // namespace cyclescope::instructions

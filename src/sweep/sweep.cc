#include "sweep/sweep.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "instructions/rounds.h"

namespace cyclescope::sweep {
namespace {

// Forms whose experiments are visited together. Their visits lie as far apart in time as the visits
// to all of them take. With fewer, the last of a batch would wait for its visits to be far enough
// apart, again and again.
constexpr std::size_t kMaxFormsPerBatch = 64;
constexpr std::size_t kMinFormsPerBatch = 32;  // with 8, eight jobs paused for twice as long
constexpr std::size_t kBenchesPerCpu = 2;
// Plans that wait to be measured, per measuring CPU: enough that none waits for a planner. Each is
// some hundred kilobytes of code.
constexpr std::size_t kPlansAhead = kMaxFormsPerBatch;

// Single samples of thousands of forms do not help, and would be most of the document.
void DropSamples(InstructionRow& row) {
  if (row.throughput) row.throughput->cycles.samples.clear();
  for (Throughput& throughput : row.throughput_by_values) throughput.cycles.samples.clear();
  for (Latency& latency : row.latency) latency.cycles.samples.clear();
}

// One form of each family, then a second one of each, and so on: when a form comes, it is known
// what to expect of it.
std::vector<const SweepForm*> FamiliesInTurn(const std::vector<SweepForm>& forms) {
  std::map<std::string, std::size_t> sizes;
  std::vector<std::pair<std::size_t, const SweepForm*>> turns;
  for (const SweepForm& form : forms) {
    const std::string family = instructions::FamilyOf(instructions::MakeForm(*form.instruction));
    turns.emplace_back(family.empty() ? 0 : sizes[family]++, &form);
  }
  std::ranges::stable_sort(turns, {}, [](const auto& turn) { return turn.first; });
  std::vector<const SweepForm*> order;
  for (const auto& [turn, form] : turns) order.push_back(form);
  return order;
}

struct PlacedPlan {
  const SweepForm* form = nullptr;
  instructions::FormPlan plan;
};

class Crew {
 public:
  Crew(const std::vector<SweepForm>& forms, const SweepSettings& settings,
       const SweepFactories& factories, const SweepObserver& observer)
      : order_(FamiliesInTurn(forms)),
        settings_(settings),
        factories_(factories),
        observer_(observer),
        benches_per_cpu_(settings.takes_turns || settings.planning_cpus.empty() ? 1
                                                                                : kBenchesPerCpu) {}

  Result<void> Work() {
    std::vector<std::jthread> threads;
    const std::size_t least = settings_.takes_turns ? kPlannersInTurns : 1;
    const std::size_t planners =
        std::min(settings_.planning_cpus.size(),
                 std::max(least, kPlannersPerMeasuringCpu * settings_.measuring_cpus.size()));
    planners_ = planners;  // before a thread counts it down
    if (settings_.takes_turns) {
      // Setting up a bench is measuring, too.
      measuring_ = settings_.measuring_cpus.size();
      planners_turn_ = false;
    }
    try {
      for (std::size_t i = 0; i < planners; ++i) threads.emplace_back([this] { PlanAhead(); });
      for (const int cpu : settings_.measuring_cpus) {
        for (std::size_t i = 0; i < benches_per_cpu_; ++i)
          threads.emplace_back([this, cpu] { Measure(cpu); });
      }
    } catch (const std::system_error& error) {
      SetError({ErrorKind::kFailed,
                std::string("cannot start a thread for the sweep: ") + error.what(),
                "see whether a limit on processes was reached (ulimit -u)"});
    }
    threads.clear();  // waits for all
    if (error_) return std::unexpected(*error_);
    return {};
  }

 private:
  // ---- Planning

  // The next form's plan; unset when there is none left.
  std::optional<PlacedPlan> PlanNext(instructions::Planner& planner) {
    const std::size_t next = next_++;
    if (next >= order_.size()) return std::nullopt;
    return PlacedPlan{order_[next], Plan(planner, *order_[next])};
  }

  // The catalogue has no instruction that enters the kernel.
  instructions::FormPlan Plan(instructions::Planner& planner, const SweepForm& form) const {
    instructions::FormPlan plan =
        instructions::PlanForm(planner, *form.instruction, settings_.quantities,
                               /*filters_system_calls=*/false);
    plan.family = instructions::FamilyOf(plan.form);
    return plan;
  }

  void PlanAhead() {
    if (auto moved = os::Unpin(settings_.planning_cpus); !moved) return SetError(moved.error());
    auto planner = factories_.make_planner();
    if (!planner) return SetError(planner.error());
    const std::size_t most = kPlansAhead * settings_.measuring_cpus.size();
    std::unique_lock lock(mutex_);
    for (;;) {
      Await(lock, [&] { return planners_turn_ && plans_.size() + in_hand_ < most; });
      std::optional<PlacedPlan> plan;
      if (GoesOn()) {
        ++in_hand_;
        lock.unlock();
        plan = PlanNext(**planner);
        lock.lock();
        --in_hand_;
      }
      if (plan) plans_.push_back(std::move(*plan));
      if (!plan) --planners_;
      if (settings_.takes_turns && in_hand_ == 0 && (plans_.size() >= most || planners_ == 0))
        planners_turn_ = false;
      changed_.notify_all();
      if (!plan) return;
    }
  }

  // Until the condition holds or all is over. An end from outside notifies no thread, so that
  // is asked for from time to time.
  template <typename Condition>
  void Await(std::unique_lock<std::mutex>& lock, const Condition& condition) {
    constexpr std::chrono::milliseconds kAskAgain{20};
    while (!condition() && GoesOn()) changed_.wait_for(lock, kAskAgain);
  }

  // Up to a batch of plans; none when all are done.
  std::vector<PlacedPlan> TakePlans(instructions::Planner& planner) {
    std::vector<PlacedPlan> batch;
    if (settings_.planning_cpus.empty()) {
      while (batch.size() < kMaxFormsPerBatch && GoesOn()) {
        auto plan = PlanNext(planner);
        if (!plan) break;
        batch.push_back(std::move(*plan));
      }
      const std::lock_guard lock(mutex_);
      ++measuring_;
      return batch;
    }
    std::unique_lock lock(mutex_);
    std::size_t most = kMaxFormsPerBatch;
    if (settings_.takes_turns) {
      is_set_up_ = is_set_up_ || measuring_ == 0;
      if (is_set_up_ && plans_.empty() && planners_ > 0) planners_turn_ = true;
      changed_.notify_all();
      Await(lock, [&] { return !planners_turn_ && (!plans_.empty() || planners_ == 0); });
      // So that no thread takes all plans of a turn.
      const std::size_t share = plans_.size() / settings_.measuring_cpus.size();
      most = std::clamp<std::size_t>(share, kMinFormsPerBatch, kMaxFormsPerBatch);
    } else {
      Await(lock, [&] { return plans_.size() >= kMaxFormsPerBatch || planners_ == 0; });
    }
    while (batch.size() < most && !plans_.empty() && GoesOn()) {
      batch.push_back(std::move(plans_.front()));
      plans_.pop_front();
    }
    ++measuring_;
    changed_.notify_all();
    return batch;
  }

  // ---- Measuring

  void Measure(int cpu) {
    if (!settings_.planning_cpus.empty()) {
      // It waits while its worker measures, but beside the workers of others it must not work.
      const bool stays = settings_.takes_turns && settings_.measuring_cpus.size() > 1;
      if (auto moved = os::Unpin(stays ? os::CpuList{cpu} : settings_.planning_cpus); !moved)
        return SetError(moved.error());
    }
    auto planner = factories_.make_planner();
    if (!planner) return SetError(planner.error());
    auto bench = factories_.make_bench(cpu);
    if (!bench) return SetError(bench.error());
    if (settings_.takes_turns) EndBatch();
    MeasureAll(**bench, **planner);
    if (factories_.on_end) factories_.on_end(**bench);
  }

  void MeasureAll(instructions::Bench& bench, instructions::Planner& planner) {
    while (GoesOn()) {
      std::vector<PlacedPlan> batch = TakePlans(planner);
      if (batch.empty()) {
        EndBatch();
        break;
      }
      std::vector<instructions::FormPlan> plans;
      for (PlacedPlan& placed : batch) plans.push_back(std::move(placed.plan));
      std::vector<std::optional<InstructionRow>> rows =
          bench.Measure(std::move(plans), planner, [this] { return GoesOn(); });
      EndBatch();
      // What is measured is kept, even if it all ended meanwhile.
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i]) continue;
        const bool contended = instructions::HasContendedValue(*rows[i]);
        Give(*batch[i].form, std::move(*rows[i]));
        if (!contended) continue;
        const std::lock_guard lock(mutex_);
        contended_.push_back(batch[i].form);
      }
    }
    MeasureContendedAgain(bench, planner);
  }

  // What had no quiet moment gets a second chance, now that there is nothing else to measure.
  void MeasureContendedAgain(instructions::Bench& bench, instructions::Planner& planner) {
    bench.runner().BeginSecondChance();
    while (GoesOn() && !bench.runner().PatienceIsSpent()) {
      std::vector<const SweepForm*> batch;
      {
        const std::lock_guard lock(mutex_);
        const std::size_t count = std::min(kMaxFormsPerBatch, contended_.size());
        const auto end = contended_.begin() + static_cast<std::ptrdiff_t>(count);
        batch.assign(contended_.begin(), end);
        contended_.erase(contended_.begin(), end);
      }
      if (batch.empty()) return;
      std::vector<instructions::FormPlan> plans;
      for (const SweepForm* form : batch) plans.push_back(Plan(planner, *form));
      std::vector<std::optional<InstructionRow>> rows =
          bench.Measure(std::move(plans), planner, [this] { return GoesOn(); });
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i]) Give(*batch[i], std::move(*rows[i]));
      }
    }
  }

  void Give(const SweepForm& form, InstructionRow row) {
    PlacedRow placed{form.place, std::move(row)};
    placed.row.isa = form.isa;
    DropSamples(placed.row);
    const std::lock_guard lock(results_);
    if (auto taken = observer_.take_row(std::move(placed)); !taken) SetError(taken.error());
  }

  void EndBatch() {
    const std::lock_guard lock(mutex_);
    --measuring_;
    changed_.notify_all();
  }

  bool GoesOn() const { return !failed_ && observer_.goes_on(); }

  // The first one counts.
  void SetError(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    failed_ = true;
    changed_.notify_all();
  }

  const std::vector<const SweepForm*> order_;
  const SweepSettings& settings_;
  const SweepFactories& factories_;
  const SweepObserver& observer_;
  const std::size_t benches_per_cpu_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex results_;  // guards the observer's take_row
  std::mutex mutex_;    // guards what follows
  std::condition_variable changed_;
  std::deque<PlacedPlan> plans_;
  std::deque<const SweepForm*> contended_;  // whose rows may become better
  std::size_t planners_ = 0;                // that are still at work
  std::size_t in_hand_ = 0;                 // plans that are being made
  std::size_t measuring_ = 0;               // batches that are being measured
  bool is_set_up_ = false;                  // all benches are
  bool planners_turn_ = true;               // for ever, where there are no turns
  std::optional<Error> error_;
};

}  // namespace

Result<void> Sweep(const std::vector<SweepForm>& forms, const SweepSettings& settings,
                   const SweepFactories& factories, const SweepObserver& observer) {
  return Crew(forms, settings, factories, observer).Work();
}

}  // namespace cyclescope::sweep

#include "simulator/core_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>

namespace cyclescope::simulator {
namespace {

// Trips that are run before the clock is read, and those that are timed.
constexpr int kTripsBefore = 2;
constexpr int kTripsTimed = 2;

// A window whose entries are given back in program order.
class InOrderWindow {
 public:
  explicit InOrderWindow(int size) : freed_(static_cast<std::size_t>(size)) {}

  // From when on the next entry can be had.
  double NextFree() const { return freed_.empty() ? 0 : freed_[next_]; }
  void Take(double freed_at) {
    if (freed_.empty()) return;
    freed_[next_] = freed_at;
    if (++next_ == freed_.size()) next_ = 0;
  }

 private:
  std::vector<double> freed_;  // when the entry of each place is free again
  std::size_t next_ = 0;
};

// One whose entries are given back in any order.
class Scheduler {
 public:
  explicit Scheduler(int size) : size_(static_cast<std::size_t>(size)) {}

  double NextFree() { return size_ != 0 && starts_.size() == size_ ? starts_.top() : 0; }
  void Take(double starts_at) {
    if (size_ == 0) return;
    if (starts_.size() == size_) starts_.pop();
    starts_.push(starts_at);
  }

 private:
  std::size_t size_;
  std::priority_queue<double, std::vector<double>, std::greater<>> starts_;
};

// The last of a number of events is at least a cycle before the next.
class Width {
 public:
  explicit Width(int width) : times_(static_cast<std::size_t>(width), -1) {}

  double After(double time) {
    time = std::max(time, times_[next_] + 1);
    times_[next_] = time;
    if (++next_ == times_.size()) next_ = 0;
    return time;
  }

 private:
  std::vector<double> times_;
  std::size_t next_ = 0;
};

// Any port takes any instruction, one a cycle.
class Ports {
 public:
  explicit Ports(int count) : count_(count), cycles_(kCycles) {}

  double StartAfter(double ready) {
    auto cycle = static_cast<std::int64_t>(std::ceil(ready));
    while (Started(cycle) >= count_) ++cycle;
    ++Started(cycle);
    return static_cast<double>(cycle);
  }

 private:
  // Far more than instructions in flight can lie apart in time.
  static constexpr std::int64_t kCycles = 1 << 14;
  struct Cycle {
    std::int64_t number = -1;
    int started = 0;
  };
  int& Started(std::int64_t number) {
    Cycle& cycle = cycles_[static_cast<std::size_t>(number % kCycles)];
    if (cycle.number != number) cycle = {.number = number};
    return cycle.started;
  }

  int count_;
  std::vector<Cycle> cycles_;
};

// An instruction without lists of its own: trips of thousands are run again and again.
struct Packed {
  double latency_cycles = 0;
  std::uint32_t holds = 0;  // a bit for each resource
  // Places in the trip; those of operands are in a list of all.
  std::uint32_t first_operand = 0;
  std::uint32_t end_operand = 0;
  std::optional<std::uint32_t> carried_from;
  bool needs_port = true;
};

class Run {
 public:
  Run(const CoreModel& core, std::span<const Instruction> trip);

  // Returns when the trip's last instruction retires.
  double Trip();

 private:
  double Ready(const Packed& instruction) const;
  void Execute(std::size_t place);
  // Calls visit(window) for each that the instruction holds an entry of.
  void ForWindowsOf(const Packed& instruction, auto&& visit);

  const CoreModel& core_;
  std::vector<Packed> trip_;
  std::vector<std::uint32_t> operands_;
  std::vector<InOrderWindow> windows_;  // by resource
  Scheduler scheduler_;
  Width dispatch_;
  Width retire_;
  Ports ports_;
  std::vector<double> known_;  // when the value of each instruction of the trip was last known
  double last_dispatch_ = 0;
  double last_retire_ = 0;
};

Run::Run(const CoreModel& core, std::span<const Instruction> trip)
    : core_(core),
      scheduler_(core.SizeOf(Resource::kScheduler)),
      dispatch_(core.dispatch_width),
      retire_(core.retire_width),
      ports_(core.ports),
      known_(trip.size()) {
  for (const int size : core.sizes) windows_.emplace_back(size);
  for (std::size_t place = 0; place < trip.size(); ++place) {
    const Instruction& instruction = trip[place];
    Packed packed{.latency_cycles = instruction.latency_cycles,
                  .first_operand = static_cast<std::uint32_t>(operands_.size()),
                  .needs_port = instruction.needs_port};
    for (const Resource resource : instruction.holds)
      packed.holds |= 1U << static_cast<unsigned>(resource);
    for (const int back : instruction.operands)
      operands_.push_back(static_cast<std::uint32_t>(place) - static_cast<std::uint32_t>(back));
    packed.end_operand = static_cast<std::uint32_t>(operands_.size());
    if (instruction.carried_from) {
      packed.carried_from =
          static_cast<std::uint32_t>(place) + static_cast<std::uint32_t>(*instruction.carried_from);
    }
    trip_.push_back(packed);
  }
}

double Run::Ready(const Packed& instruction) const {
  double ready = instruction.carried_from ? known_[*instruction.carried_from] : 0;
  for (std::uint32_t i = instruction.first_operand; i < instruction.end_operand; ++i)
    ready = std::max(ready, known_[operands_[i]]);
  return ready;
}

void Run::ForWindowsOf(const Packed& instruction, auto&& visit) {
  for (std::uint32_t left = instruction.holds; left != 0; left &= left - 1)
    visit(windows_[static_cast<std::size_t>(std::countr_zero(left))]);
}

void Run::Execute(std::size_t place) {
  const Packed& instruction = trip_[place];
  InOrderWindow& reorder = windows_[static_cast<std::size_t>(Resource::kReorderBuffer)];
  double dispatch = std::max(last_dispatch_, reorder.NextFree());
  ForWindowsOf(instruction, [&dispatch](const InOrderWindow& window) {
    dispatch = std::max(dispatch, window.NextFree());
  });
  if (instruction.needs_port) dispatch = std::max(dispatch, scheduler_.NextFree());
  dispatch = dispatch_.After(dispatch);
  last_dispatch_ = dispatch;

  double complete = dispatch + 1;
  if (instruction.needs_port) {
    const double start = ports_.StartAfter(std::max(dispatch + 1, Ready(instruction)));
    scheduler_.Take(start);
    complete = start + instruction.latency_cycles;
  }
  known_[place] = complete;
  const double retire = retire_.After(std::max(complete, last_retire_));
  last_retire_ = retire;
  reorder.Take(retire);
  const InOrderWindow& stores = windows_[static_cast<std::size_t>(Resource::kStores)];
  ForWindowsOf(instruction, [&](InOrderWindow& window) {
    window.Take(&window == &stores ? retire + core_.store_drain_cycles : retire);
  });
}

double Run::Trip() {
  for (std::size_t place = 0; place < trip_.size(); ++place) Execute(place);
  return last_retire_;
}

}  // namespace

double CyclesPerTrip(const CoreModel& core, std::span<const Instruction> trip) {
  Run run(core, trip);
  double begin = 0;
  for (int i = 0; i < kTripsBefore; ++i) begin = run.Trip();
  double end = begin;
  for (int i = 0; i < kTripsTimed; ++i) end = run.Trip();
  return (end - begin) / kTripsTimed;
}

}  // namespace cyclescope::simulator

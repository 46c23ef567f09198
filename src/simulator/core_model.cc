#include "simulator/core_model.h"

#include <algorithm>
#include <array>
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

  // From when on the next entry is free.
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

// Each takes one instruction a cycle.
class Ports {
 public:
  explicit Ports(int count) : count_(count), cycles_(kCycles) {}

  double StartAfter(double ready) {
    auto cycle = static_cast<std::int64_t>(std::ceil(ready));
    while (std::popcount(Started(cycle)) >= count_) ++cycle;
    std::uint64_t& started = Started(cycle);
    started |= ~started & (started + 1);  // the first that is free
    return static_cast<double>(cycle);
  }

  // On the port of the set for which the fewest wait at dispatch.
  double StartAfter(double ready, std::uint32_t set, double dispatch) {
    int best = -1;
    for (int port = 0; port < count_; ++port) {
      if ((set >> port & 1) == 0) continue;
      std::erase_if(starts_[port], [dispatch](double start) { return start <= dispatch; });
      if (best < 0 || starts_[port].size() < starts_[best].size()) best = port;
    }
    auto cycle = static_cast<std::int64_t>(std::ceil(ready));
    while ((Started(cycle) >> best & 1) != 0) ++cycle;
    Started(cycle) |= std::uint64_t{1} << best;
    starts_[best].push_back(static_cast<double>(cycle));
    return static_cast<double>(cycle);
  }

 private:
  // Far more than instructions in flight can lie apart in time.
  static constexpr std::int64_t kCycles = 1 << 14;
  static constexpr int kMostPorts = 32;
  struct Cycle {
    std::int64_t number = -1;
    std::uint64_t started = 0;  // a bit for each port
  };
  std::uint64_t& Started(std::int64_t number) {
    Cycle& cycle = cycles_[static_cast<std::size_t>(number % kCycles)];
    if (cycle.number != number) cycle = {.number = number};
    return cycle.started;
  }

  int count_;
  std::vector<Cycle> cycles_;
  std::array<std::vector<double>, kMostPorts> starts_;  // of what was bound to each
};

// An instruction without lists of its own: trips of thousands are run again and again.
struct Packed {
  double latency_cycles = 0;
  std::uint32_t holds = 0;  // a bit for each resource
  // Places in the trip; those of operands are in a list of all.
  std::uint32_t first_operand = 0;
  std::uint32_t end_operand = 0;
  bool needs_port = true;
  bool in_slot_before = false;
  std::uint32_t ports = 0;
  double divider_cycles = 0;
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
  double divider_free_ = 0;
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
                  .needs_port = instruction.needs_port,
                  .in_slot_before = instruction.in_slot_before,
                  .ports = instruction.ports,
                  .divider_cycles = instruction.divider_cycles};
    for (const Resource resource : instruction.holds)
      packed.holds |= 1U << static_cast<unsigned>(resource);
    for (const int back : instruction.operands)
      operands_.push_back(static_cast<std::uint32_t>(place) - static_cast<std::uint32_t>(back));
    // Those of the trip before are still what is known.
    for (const int ahead : instruction.carried_from)
      operands_.push_back(static_cast<std::uint32_t>(place) + static_cast<std::uint32_t>(ahead));
    packed.end_operand = static_cast<std::uint32_t>(operands_.size());
    trip_.push_back(packed);
  }
}

double Run::Ready(const Packed& instruction) const {
  double ready = 0;
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
  double dispatch = last_dispatch_;
  if (!instruction.in_slot_before) dispatch = std::max(dispatch, reorder.NextFree());
  ForWindowsOf(instruction, [&dispatch](const InOrderWindow& window) {
    dispatch = std::max(dispatch, window.NextFree());
  });
  if (instruction.needs_port) dispatch = std::max(dispatch, scheduler_.NextFree());
  if (!instruction.in_slot_before) dispatch = dispatch_.After(dispatch);
  last_dispatch_ = dispatch;

  double complete = dispatch + 1;
  if (instruction.needs_port) {
    double ready = std::max(dispatch + 1, Ready(instruction));
    if (instruction.divider_cycles > 0) ready = std::max(ready, divider_free_);
    const double start = instruction.ports == 0
                             ? ports_.StartAfter(ready)
                             : ports_.StartAfter(ready, instruction.ports, dispatch);
    if (instruction.divider_cycles > 0) divider_free_ = start + instruction.divider_cycles;
    scheduler_.Take(start);
    complete = start + instruction.latency_cycles;
  }
  known_[place] = complete;
  // What shares an entry retires with it: the first of them is never the last.
  const double may_retire = std::max(complete, last_retire_);
  const double retire = instruction.in_slot_before ? may_retire : retire_.After(may_retire);
  last_retire_ = retire;
  if (!instruction.in_slot_before) reorder.Take(retire);
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

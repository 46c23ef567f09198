#include "predict/pipeline.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <span>
#include <utility>

namespace cyclescope::predict {
namespace {

using Time = std::int64_t;
constexpr Time kNotYet = std::numeric_limits<Time>::max();
// Parts of slots and cycles are counted in these.
constexpr std::int64_t kMilli = 1000;
// A program that does not repeat itself is averaged: after this number of cycles at the latest, and
// after fewer where two thirds of them agree.
constexpr Time kMostCycles = 12'000;
constexpr Time kFirstLook = 1'500;
constexpr double kAgreeing = 0.002;
// Times before this are all the same: nothing waits for so long.
constexpr Time kLongAgo = 512;

std::int64_t Milli(double value) {
  return static_cast<std::int64_t>(std::llround(value * static_cast<double>(kMilli)));
}

// A number of cycles that may have a fraction, as whole numbers with that average.
struct WholeCycles {
  Time whole = 0;
  std::int64_t fraction = 0;  // in thousandths

  explicit WholeCycles(double cycles) {
    const std::int64_t milli = Milli(cycles);
    whole = milli >= 0 ? milli / kMilli : -((-milli + kMilli - 1) / kMilli);
    fraction = milli - whole * kMilli;
  }
};

// Who waits for a µop.
struct Consumer {
  std::size_t uop = 0;
  int iterations = 0;
  std::size_t input = 0;  // in all inputs
};

// A µop of an iteration, as one number: older iterations have smaller ones.
using Key = std::uint64_t;
constexpr Key kNoUop = std::numeric_limits<Key>::max();

// What the program says of a µop, as it is used in each cycle.
struct FixedUop {
  PortSet ports = 0;
  int unit = -1;
  std::int64_t unit_milli = 0;
  Time done_cycles = 1;  // from its start until it may retire
  int instruction = 0;
  bool in_bank = false;  // it loads from a bank that others wait for
  std::uint32_t input_begin = 0;
  std::uint32_t input_end = 0;
  std::uint32_t consumer_begin = 0;
  std::uint32_t consumer_end = 0;
};

// Likewise of an instruction.
struct FixedInstruction {
  std::int64_t slots_milli = 0;
  std::uint32_t first_uop = 0;
  std::uint32_t end_uop = 0;
  std::array<int, kWindows> needs{};  // entries, the scheduler's as well
};

// A µop of an iteration.
struct DynamicUop {
  Time ready = 0;  // what is known of it so far
  Time issued = kNotYet;
  int waits_for = 0;  // inputs whose time is not known yet
  int port = -1;      // chosen at dispatch
  bool dispatched = false;
  int last_producer = -1;  // instruction whose result came last
  Key next_due = kNoUop;   // another that is ready in the same cycle
};

struct Retiring {
  std::uint64_t number = 0;  // of the instruction, over all iterations
  std::uint64_t iteration = 0;
  std::size_t place = 0;  // in the iteration
  Time dispatched = 0;
};

// An instruction in the order of the program, over all iterations.
struct Position {
  std::uint64_t iteration = 0;
  std::size_t place = 0;
};

// µops that are ready and wait for a port, the oldest first. Most that come are the newest.
class ReadyQueue {
 public:
  bool empty() const { return keys_.empty(); }
  Key oldest() const { return keys_.empty() ? kNoUop : keys_.front(); }
  std::span<const Key> keys() const { return keys_; }
  void Add(Key key) {
    keys_.push_back(key);
    for (std::size_t i = keys_.size() - 1; i > 0 && keys_[i - 1] > key; --i)
      std::swap(keys_[i - 1], keys_[i]);
  }
  void Remove(std::size_t place) {
    keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(place));
  }

 private:
  std::vector<Key> keys_;
};

class Pipeline {
 public:
  Pipeline(const PipelineCore& core, const BlockProgram& program, const PipelineOptions& options)
      : core_(core), program_(program), options_(options) {
    ReadProgram();
    carried_.resize(inputs_.size());
    unit_free_.resize(program.units.size());
    queues_.resize(static_cast<std::size_t>(std::max(core.ports, 1)));
    calendar_.fill(kNoUop);
    port_order_.resize(queues_.size());
    std::iota(port_order_.begin(), port_order_.end(), std::size_t{0});
    bank_period_ = BankPeriod();
    SizeRing();
  }

  PipelineResult Run() {
    PipelineResult result;
    while (true) {
      const bool retired = Retire();
      if (iteration_ended_) {
        iteration_ended_ = false;
        if (auto repeated = Repeated()) {
          result = std::move(*repeated);
          break;
        }
      }
      const bool issued = Issue();
      const bool dispatched = Dispatch();
      if (now_ >= next_look_ && !ends_.empty()) {
        next_look_ = 2 * now_;
        if (now_ >= kMostCycles || ThirdsAgree()) {
          result = Average();
          break;
        }
      }
      // Where nothing happens, nothing changes until something is ready, done or free.
      if (!retired && !issued && !dispatched) {
        const Time next = std::max(now_ + 1, NextEvent());
        if (lacking_) lacked_[static_cast<std::size_t>(*lacking_)] += next - now_ - 1;
        now_ = next;
      } else {
        ++now_;
      }
    }
    result.timeline = std::move(timeline_);
    return result;
  }

 private:
  static constexpr std::size_t kCalendar = 256;
  static constexpr auto kScheduler = static_cast<std::size_t>(Window::kScheduler);

  struct Snapshot {
    std::uint64_t iterations = 0;
    Time now = 0;
    std::array<std::uint64_t, kMostPorts> issued_on{};
    std::array<Time, kWindows> lacked{};
  };

  struct Reference {
    std::uint64_t glance = 0;
    std::uint64_t hash = 0;
    std::size_t end = 0;  // in `ends_`
  };

  // ---- The program, laid out as it is used

  void ReadProgram() {
    std::vector<std::vector<Consumer>> consumers(program_.uops.size());
    for (std::size_t uop = 0; uop < program_.uops.size(); ++uop) {
      const Uop& each = program_.uops[uop];
      FixedUop& fixed = uops_.emplace_back();
      fixed.ports = each.ports;
      fixed.unit = each.unit;
      fixed.unit_milli = Milli(each.unit_cycles);
      fixed.done_cycles = std::max<Time>(1, std::llround(each.done_cycles));
      fixed.instruction = static_cast<int>(each.instruction);
      fixed.in_bank = core_.loads_of_a_bank > 0 && each.reads;
      fixed.input_begin = static_cast<std::uint32_t>(inputs_.size());
      for (const UopInput& input : each.inputs) {
        consumers[input.uop].push_back({uop, input.iterations, inputs_.size()});
        inputs_.push_back({WholeCycles(input.cycles), input.uop, input.iterations});
        most_iterations_ = std::max(most_iterations_, input.iterations);
      }
      fixed.input_end = static_cast<std::uint32_t>(inputs_.size());
    }
    for (std::size_t uop = 0; uop < uops_.size(); ++uop) {
      uops_[uop].consumer_begin = static_cast<std::uint32_t>(consumers_.size());
      consumers_.insert(consumers_.end(), consumers[uop].begin(), consumers[uop].end());
      uops_[uop].consumer_end = static_cast<std::uint32_t>(consumers_.size());
    }
    for (const ProgramInstruction& each : program_.instructions) {
      FixedInstruction& fixed = instructions_.emplace_back();
      fixed.slots_milli = Milli(each.slots);
      fixed.first_uop = static_cast<std::uint32_t>(each.first_uop);
      fixed.end_uop = static_cast<std::uint32_t>(each.first_uop + each.uops);
      for (std::size_t window = 0; window < kWindows; ++window)
        fixed.needs[window] = each.holds[window];
      fixed.needs[kScheduler] = 0;
      for (std::size_t uop = fixed.first_uop; uop < fixed.end_uop; ++uop)
        fixed.needs[kScheduler] += uops_[uop].ports != 0 ? 1 : 0;
    }
  }

  // ---- µops in flight: a ring by iteration

  void SizeRing() {
    std::size_t in_flight = 0;
    for (const FixedInstruction& each : instructions_)
      in_flight +=
          static_cast<std::size_t>(each.needs[static_cast<std::size_t>(Window::kReorderBuffer)]);
    const int size = core_.sizes[static_cast<std::size_t>(Window::kReorderBuffer)];
    const std::uint64_t in_flight_iterations =
        static_cast<std::uint64_t>(size) / std::max<std::size_t>(in_flight, 1) + 2;
    const std::uint64_t iterations =
        std::bit_ceil(in_flight_iterations + static_cast<std::uint64_t>(most_iterations_) + 2);
    uop_bits_ = static_cast<int>(std::bit_width(std::max<std::size_t>(uops_.size(), 1) - 1));
    ring_.resize(iterations << uop_bits_);
  }

  Key KeyOf(std::uint64_t iteration, std::size_t uop) const { return iteration << uop_bits_ | uop; }
  std::uint64_t IterationOf(Key key) const { return key >> uop_bits_; }
  const FixedUop& FixedOf(Key key) const {
    return uops_[key & ((std::uint64_t{1} << uop_bits_) - 1)];
  }
  DynamicUop& At(Key key) { return ring_[key & (ring_.size() - 1)]; }

  // ---- Retirement

  bool Retire() {
    retire_credit_ = std::min<std::int64_t>(retire_credit_, 0) + retire_milli_;
    bool any = false;
    while (retire_credit_ > 0 && oldest_done_ <= now_ && !in_flight_.empty()) {
      const Retiring& oldest = in_flight_.front();
      const FixedInstruction& instruction = instructions_[oldest.place];
      oldest_done_ = DoneAt(oldest.iteration, instruction);
      if (oldest_done_ > now_) break;
      if (oldest.number < timeline_.size()) Record(oldest, oldest_done_);
      for (std::size_t window = 0; window < kWindows; ++window) {
        if (window != kScheduler) used_[window] -= instruction.needs[window];
      }
      retire_credit_ -= instruction.slots_milli;
      any = true;
      if (oldest.place + 1 == instructions_.size()) {
        ++retired_iterations_;
        iteration_ended_ = true;
      }
      in_flight_.pop();
      oldest_done_ = 0;
    }
    return any;
  }

  Time DoneAt(std::uint64_t iteration, const FixedInstruction& instruction) {
    Time done = 0;
    for (std::size_t uop = instruction.first_uop; uop < instruction.end_uop; ++uop) {
      const Time issued = At(KeyOf(iteration, uop)).issued;
      // It has none yet: it is looked at again in the next cycle.
      if (issued == kNotYet) return kNotYet;
      done = std::max(done, issued + uops_[uop].done_cycles);
    }
    return done;
  }

  // ---- Issue

  void Enqueue(Key key) {
    const Time at = std::max(At(key).ready, now_ + 1);
    if (at - now_ >= static_cast<Time>(kCalendar)) {
      far_.emplace(at, key);
    } else {
      MarkDue(at, key);
    }
    ++scheduled_;
  }

  void MarkDue(Time at, Key key) {
    Key& first = calendar_[static_cast<std::size_t>(at) % kCalendar];
    At(key).next_due = first;
    first = key;
  }

  void TakeReady() {
    while (!far_.empty() && far_.top().first - now_ < static_cast<Time>(kCalendar)) {
      MarkDue(far_.top().first, far_.top().second);
      far_.pop();
    }
    Key& first = calendar_[static_cast<std::size_t>(now_) % kCalendar];
    while (first != kNoUop) {
      const DynamicUop& uop = At(first);
      queues_[static_cast<std::size_t>(uop.port)].Add(first);
      first = uop.next_due;
      --scheduled_;
      ++ready_;
    }
  }

  bool Issue() {
    TakeReady();
    if (ready_ == 0) return false;
    bool any = false;
    if (core_.loads_of_a_bank > 0) {
      started_in_bank_.fill(0);
      // Banks go to the oldest loads, whichever ports they were sent to.
      std::ranges::sort(port_order_, {},
                        [this](std::size_t port) { return queues_[port].oldest(); });
    }
    for (const std::size_t port : port_order_) any |= IssueOn(port);
    return any;
  }

  // The oldest of those that wait for the port, and whose unit is free.
  bool IssueOn(std::size_t port) {
    ReadyQueue& queue = queues_[port];
    for (std::size_t i = 0; i < queue.keys().size(); ++i) {
      const Key key = queue.keys()[i];
      const FixedUop& fixed = FixedOf(key);
      if (!UnitIsFree(fixed) || !BankIsFree(key, fixed)) continue;
      queue.Remove(i);
      --waiting_[port];
      Start(key, fixed, port);
      return true;
    }
    return false;
  }

  bool UnitIsFree(const FixedUop& uop) const {
    return uop.unit < 0 || unit_free_[static_cast<std::size_t>(uop.unit)] < (now_ + 1) * kMilli;
  }

  // A bank of the first cache is eight bytes wide, and there are as many as fill a line.
  std::size_t BankOf(Key key, const FixedUop& uop) const {
    const LoadPlace& place = *program_.uops[static_cast<std::size_t>(&uop - uops_.data())].reads;
    const auto iteration = static_cast<std::int64_t>(IterationOf(key) % kLineBytes);
    const std::int64_t offset = place.offset + iteration * place.step;
    return static_cast<std::size_t>((offset & (kLineBytes - 1)) / kBankBytes);
  }

  bool BankIsFree(Key key, const FixedUop& uop) const {
    return !uop.in_bank || started_in_bank_[BankOf(key, uop)] < core_.loads_of_a_bank;
  }

  // Iterations after which all loads are at the same places of their lines again.
  std::uint64_t BankPeriod() const {
    std::uint64_t period = 1;
    if (core_.loads_of_a_bank == 0) return period;
    for (const Uop& uop : program_.uops) {
      if (!uop.reads) continue;
      const auto common = std::gcd(std::abs(uop.reads->step) % kLineBytes, kLineBytes);
      period = std::max(period, static_cast<std::uint64_t>(kLineBytes / common));
    }
    return period;
  }

  void Start(Key key, const FixedUop& uop, std::size_t port) {
    if (uop.in_bank) ++started_in_bank_[BankOf(key, uop)];
    ++issued_on_[port];
    --ready_;
    --used_[kScheduler];
    TakeUnit(uop, now_);
    SetIssued(key, uop, now_);
  }

  void TakeUnit(const FixedUop& uop, Time at) {
    if (uop.unit < 0) return;
    std::int64_t& free = unit_free_[static_cast<std::size_t>(uop.unit)];
    free = std::max(free, at * kMilli) + uop.unit_milli;
  }

  // Its time is known: so are the times of those that wait for nothing else and need no port.
  void SetIssued(Key key, const FixedUop& uop, Time at) {
    At(key).issued = at;
    // An instruction that waited for it to retire is looked at again.
    if (oldest_done_ == kNotYet) oldest_done_ = 0;
    const std::uint64_t iteration = IterationOf(key);
    for (std::size_t i = uop.consumer_begin; i < uop.consumer_end; ++i) {
      const Consumer& consumer = consumers_[i];
      const std::uint64_t of = iteration + static_cast<std::uint64_t>(consumer.iterations);
      const Key other_key = KeyOf(of, consumer.uop);
      DynamicUop& other = At(other_key);
      if (!other.dispatched || of > newest_iteration_) continue;
      Hear(consumer.input, at, uop.instruction, other);
      if (--other.waits_for == 0) Settle(other_key, uops_[consumer.uop]);
    }
  }

  void Hear(std::size_t input, Time issued, int producer, DynamicUop& uop) {
    const WholeCycles& cycles = inputs_[input].cycles;
    Time at = issued + cycles.whole;
    if (cycles.fraction != 0) {
      carried_[input] += cycles.fraction;
      if (carried_[input] >= kMilli) {
        carried_[input] -= kMilli;
        ++at;
      }
    }
    if (at <= uop.ready) return;
    uop.ready = at;
    uop.last_producer = producer;
  }

  void Settle(Key key, const FixedUop& uop) {
    if (uop.ports != 0) {
      Enqueue(key);
      return;
    }
    Time at = At(key).ready;
    if (uop.unit >= 0) {
      at = std::max(at, unit_free_[static_cast<std::size_t>(uop.unit)] / kMilli);
      TakeUnit(uop, at);
    }
    SetIssued(key, uop, at);
  }

  // ---- Dispatch

  bool Dispatch() {
    dispatch_credit_ = std::min<std::int64_t>(dispatch_credit_, 0) + dispatch_milli_;
    lacking_.reset();
    if (core_.choice == PortChoice::kInTurn) waited_ = waiting_;
    std::int64_t slots_milli = 0;  // of this cycle that are taken
    bool any = false;
    while (dispatch_credit_ > 0 && now_ >= fetched_after_) {
      const FixedInstruction& instruction = instructions_[next_.place];
      lacking_ = Lacking(instruction);
      if (lacking_) {
        ++lacked_[static_cast<std::size_t>(*lacking_)];
        break;
      }
      dispatch_credit_ -= instruction.slots_milli;
      Enter(instruction, slots_milli);
      slots_milli += instruction.slots_milli;
      any = true;
      ++next_number_;
      if (++next_.place < instructions_.size()) continue;
      next_ = {next_.iteration + 1, 0};
      if (!program_.takes_branch) continue;
      // What is behind a taken branch comes when its target is fetched.
      branch_milli_ = std::max(branch_milli_ + per_branch_milli_, now_ * kMilli);
      fetched_after_ = branch_milli_ / kMilli;
    }
    return any;
  }

  std::optional<Window> Lacking(const FixedInstruction& instruction) const {
    for (std::size_t window = 0; window < kWindows; ++window) {
      const int needed = instruction.needs[window];
      const bool is_full = core_.sizes[window] > 0 && used_[window] > 0 &&
                           used_[window] + needed > core_.sizes[window];
      if (needed > 0 && is_full) return static_cast<Window>(window);
    }
    return std::nullopt;
  }

  // `before_milli`: slots of this cycle that others took.
  void Enter(const FixedInstruction& instruction, std::int64_t before_milli) {
    if (next_.place == 0) {
      newest_iteration_ = next_.iteration;
      std::fill_n(&At(KeyOf(next_.iteration, 0)), uops_.size(), DynamicUop{});
    }
    for (std::size_t window = 0; window < kWindows; ++window)
      used_[window] += instruction.needs[window];
    in_flight_.push({next_number_, next_.iteration, next_.place, now_});
    if (next_number_ < options_.timeline_instructions) timeline_.emplace_back();
    // Of several µops in one slot, a load and what it is for, each is of that slot.
    const int port_uops = std::max(instruction.needs[kScheduler], 1);
    int bound = 0;
    for (std::size_t uop = instruction.first_uop; uop < instruction.end_uop; ++uop) {
      const std::int64_t slot =
          (before_milli + instruction.slots_milli * bound / port_uops) / kMilli;
      EnterUop(next_.iteration, uop, slot);
      bound += uops_[uop].ports != 0 ? 1 : 0;
    }
  }

  void EnterUop(std::uint64_t iteration, std::size_t uop, std::int64_t slot) {
    const FixedUop& fixed = uops_[uop];
    const Key key = KeyOf(iteration, uop);
    DynamicUop& each = At(key);
    each.dispatched = true;
    // What is done at rename is known at once; what needs a port starts a cycle later.
    each.ready = fixed.ports != 0 ? now_ + 1 : now_;
    for (std::size_t input = fixed.input_begin; input < fixed.input_end; ++input) {
      const FixedInput& source = inputs_[input];
      if (iteration < static_cast<std::uint64_t>(source.iterations)) continue;  // there at first
      const DynamicUop& producer =
          At(KeyOf(iteration - static_cast<std::uint64_t>(source.iterations), source.uop));
      if (producer.issued == kNotYet || !producer.dispatched) {
        ++each.waits_for;
      } else {
        Hear(input, producer.issued, uops_[source.uop].instruction, each);
      }
    }
    if (fixed.ports != 0) each.port = ChoosePort(fixed.ports, slot);
    if (each.waits_for == 0) Settle(key, fixed);
  }

  // Of several that are equal, the last.
  int ChoosePort(PortSet ports, std::int64_t slot) {
    constexpr int kPendingMargin = 3;
    const bool in_turn = core_.choice == PortChoice::kInTurn;
    const PortCounts& waiting = in_turn ? waited_ : waiting_;
    int best = -1;
    int next = -1;
    for (PortSet left = ports; left != 0;) {
      const int port = std::bit_width(left) - 1;
      left ^= PortSet{1} << port;
      const auto fewer = [&](int other) {
        return other < 0 ||
               waiting[static_cast<std::size_t>(port)] < waiting[static_cast<std::size_t>(other)];
      };
      if (fewer(best)) {
        next = best;
        best = port;
      } else if (fewer(next)) {
        next = port;
      }
    }
    const bool takes_next = in_turn && slot % 2 == 1 && next >= 0 &&
                            waiting[static_cast<std::size_t>(next)] <
                                waiting[static_cast<std::size_t>(best)] + kPendingMargin;
    const int chosen = takes_next ? next : best;
    ++waiting_[static_cast<std::size_t>(chosen)];
    return chosen;
  }

  // ---- Time

  Time NextEvent() {
    // What is owed is paid back in cycles in which nothing else happens, too.
    if (dispatch_credit_ < 0 || retire_credit_ < 0) return now_ + 1;
    Time next = kNotYet;
    if (!in_flight_.empty()) {
      const Retiring& oldest = in_flight_.front();
      next = DoneAt(oldest.iteration, instructions_[oldest.place]);
    }
    if (now_ < fetched_after_) next = std::min(next, fetched_after_);
    if (ready_ > 0) return now_ + 1;
    if (scheduled_ > 0) {
      if (!far_.empty()) next = std::min(next, far_.top().first);
      for (Time at = now_ + 1; at < now_ + static_cast<Time>(kCalendar) && at < next; ++at) {
        if (calendar_[static_cast<std::size_t>(at) % kCalendar] != kNoUop) return at;
      }
    }
    return next == kNotYet ? now_ + 1 : next;
  }

  // ---- The steady state

  static void Mix(std::uint64_t value, std::uint64_t& hash) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }

  // All that decides about what comes: equal states have equal futures.
  std::uint64_t StateHash() {
    std::uint64_t hash = 0x243F6A8885A308D3ULL;
    const auto relative = [this](Time time) {
      return static_cast<std::uint64_t>(time == kNotYet ? kLongAgo * 4
                                                        : std::max(time - now_, -kLongAgo));
    };
    Mix(InstructionsAhead(), hash);
    Mix(retired_iterations_ % bank_period_, hash);
    Mix(static_cast<std::uint64_t>(dispatch_credit_), hash);
    Mix(static_cast<std::uint64_t>(retire_credit_), hash);
    Mix(relative(fetched_after_), hash);
    Mix(static_cast<std::uint64_t>(
            branch_milli_ - now_ * kMilli < -kMilli ? -kMilli : branch_milli_ - now_ * kMilli),
        hash);
    for (const std::int64_t free : unit_free_)
      Mix(static_cast<std::uint64_t>(std::max(free - now_ * kMilli, -kMilli)), hash);
    for (const std::int64_t carried : carried_) Mix(static_cast<std::uint64_t>(carried), hash);
    const auto kept = static_cast<std::uint64_t>(most_iterations_);
    const std::uint64_t first = retired_iterations_ > kept ? retired_iterations_ - kept : 0;
    for (std::uint64_t iteration = first; iteration <= newest_iteration_; ++iteration) {
      for (std::size_t uop = 0; uop < uops_.size(); ++uop) {
        const DynamicUop& each = At(KeyOf(iteration, uop));
        Mix(each.dispatched ? relative(each.issued) : 1, hash);
        if (each.issued != kNotYet) continue;
        Mix(relative(each.ready), hash);
        Mix(static_cast<std::uint64_t>(each.waits_for * 64 + each.port), hash);
      }
    }
    return hash;
  }

  std::optional<PipelineResult> Repeated() {
    Snapshot now{retired_iterations_, now_, issued_on_, lacked_};
    // At first iterations of the start are needed; the state cannot repeat before they are gone.
    if (retired_iterations_ <= static_cast<std::uint64_t>(most_iterations_)) return std::nullopt;
    ends_.push_back(now);
    const std::uint64_t glance = Glance();
    std::optional<std::uint64_t> hash;
    for (const Reference& reference : references_) {
      if (reference.glance != glance) continue;
      if (!hash) hash = StateHash();
      if (reference.hash != *hash) continue;
      PipelineResult result = Between(ends_[reference.end], now);
      result.settled = true;
      return result;
    }
    // Fewer and fewer are kept: a loop that repeats itself late is seen late.
    if (ends_.size() < next_reference_) return std::nullopt;
    next_reference_ = ends_.size() + 1 + ends_.size() / 4;
    references_.push_back({glance, hash ? *hash : StateHash(), ends_.size() - 1});
    return std::nullopt;
  }

  // Dispatched of iterations that have not retired.
  std::uint64_t InstructionsAhead() const {
    return next_number_ - retired_iterations_ * instructions_.size();
  }

  // What is quickly seen of the state: it is only looked at whole where this is as it was.
  std::uint64_t Glance() const {
    std::uint64_t glance = 1;
    Mix(InstructionsAhead(), glance);
    Mix(static_cast<std::uint64_t>(dispatch_credit_ * kMilli + retire_credit_), glance);
    Mix(scheduled_ * kCalendar + ready_, glance);
    Mix(retired_iterations_ % bank_period_, glance);
    for (std::size_t port = 0; port < queues_.size(); ++port)
      Mix(static_cast<std::uint64_t>(waiting_[port]), glance);
    return glance;
  }

  bool ThirdsAgree() const {
    constexpr std::size_t kFewestIterations = 30;
    if (ends_.size() < kFewestIterations) return false;
    const Snapshot& first = ends_[ends_.size() / 3];
    const Snapshot& second = ends_[2 * ends_.size() / 3];
    const double before = Between(first, second).cycles;
    const double after = Between(second, ends_.back()).cycles;
    return std::abs(after - before) <= kAgreeing * before;
  }

  PipelineResult Average() const { return Between(ends_[ends_.size() / 2], ends_.back()); }

  PipelineResult Between(const Snapshot& from, const Snapshot& to) const {
    PipelineResult result;
    const auto iterations =
        static_cast<double>(std::max<std::uint64_t>(to.iterations - from.iterations, 1));
    result.cycles = static_cast<double>(to.now - from.now) / iterations;
    for (std::size_t port = 0; port < queues_.size(); ++port)
      result.port_uops.push_back(static_cast<double>(to.issued_on[port] - from.issued_on[port]) /
                                 iterations);
    for (std::size_t window = 0; window < kWindows; ++window)
      result.lacked[window] =
          static_cast<double>(to.lacked[window] - from.lacked[window]) / iterations;
    return result;
  }

  // ---- The timeline

  void Record(const Retiring& oldest, Time done) {
    InstructionTimes& times = timeline_[oldest.number];
    times.dispatched = oldest.dispatched;
    times.done = done;
    times.retired = now_;
    const FixedInstruction& instruction = instructions_[oldest.place];
    for (std::size_t uop = instruction.first_uop; uop < instruction.end_uop; ++uop) {
      const DynamicUop& each = At(KeyOf(oldest.iteration, uop));
      if (each.issued < times.issued) continue;
      times.issued = each.issued;
      times.ready = each.ready;
      times.producer = each.last_producer;
      const bool needs_port = uops_[uop].ports != 0;
      const Time for_operands = each.ready - oldest.dispatched - (needs_port ? 1 : 0);
      const Time for_port = each.issued - each.ready;
      times.cause = for_operands <= 0 && for_port <= 0 ? WaitCause::kNothing
                    : for_port > for_operands
                        ? (uops_[uop].unit >= 0 ? WaitCause::kUnit : WaitCause::kPort)
                        : WaitCause::kOperand;
    }
    if (times.cause != WaitCause::kOperand) times.producer = -1;
  }

  const PipelineCore& core_;
  const BlockProgram& program_;
  PipelineOptions options_;

  struct FixedInput {
    WholeCycles cycles;
    std::size_t uop = 0;
    int iterations = 0;
  };

  // The program; of all µops what they wait for and who waits for them, one after the other.
  std::vector<FixedUop> uops_;
  std::vector<FixedInstruction> instructions_;
  std::vector<FixedInput> inputs_;
  std::vector<Consumer> consumers_;
  int most_iterations_ = 1;
  std::int64_t dispatch_milli_ = Milli(core_.dispatch);
  std::int64_t retire_milli_ = Milli(core_.retire);
  std::int64_t per_branch_milli_ = Milli(core_.branch_cycles);

  Time now_ = 0;
  Time next_look_ = kFirstLook;
  Position next_;                  // to be dispatched
  std::uint64_t next_number_ = 0;  // of that instruction, over all iterations
  std::uint64_t newest_iteration_ = 0;
  std::uint64_t retired_iterations_ = 0;
  bool iteration_ended_ = false;
  // When the oldest instruction may retire, as far as that was looked at; until then, or until one
  // more µop starts, nothing retires.
  Time oldest_done_ = 0;
  std::int64_t dispatch_credit_ = 0;
  std::int64_t retire_credit_ = 0;
  Time fetched_after_ = 0;
  std::int64_t branch_milli_ = 0;
  std::array<int, kWindows> used_{};
  std::optional<Window> lacking_;  // in this cycle
  std::array<Time, kWindows> lacked_{};
  std::queue<Retiring> in_flight_;
  std::vector<DynamicUop> ring_;
  int uop_bits_ = 0;                   // of a key that say which µop of its iteration it is
  std::vector<std::int64_t> carried_;  // thousandths of a cycle, by input
  std::vector<std::int64_t> unit_free_;

  // µops by the cycle in which they are ready, then by port, the oldest first.
  std::array<Key, kCalendar> calendar_;
  using FarAway = std::pair<Time, Key>;
  std::priority_queue<FarAway, std::vector<FarAway>, std::greater<>> far_;
  std::vector<ReadyQueue> queues_;       // by port
  std::vector<std::size_t> port_order_;  // in which they start µops
  using PortCounts = std::array<int, kMostPorts>;
  PortCounts waiting_{};  // by port: bound to it, and not started
  PortCounts waited_{};   // the same when the cycle began
  std::array<std::uint64_t, kMostPorts> issued_on_{};
  static constexpr std::int64_t kBankBytes = 8;
  std::array<int, kLineBytes / kBankBytes> started_in_bank_{};  // loads, in this cycle
  std::uint64_t bank_period_ = 1;
  std::size_t scheduled_ = 0;
  std::size_t ready_ = 0;

  std::vector<Snapshot> ends_;         // of iterations
  std::vector<Reference> references_;  // states that later ones are compared with
  std::size_t next_reference_ = 1;     // iterations until the next is kept
  std::vector<InstructionTimes> timeline_;
};

}  // namespace

PipelineCore CoreOf(const CoreModel& model) {
  // Nothing that was measured tells it; cores retire more than they dispatch.
  constexpr double kLeastRetired = 8;
  PipelineCore core;
  core.dispatch = model.dispatch();
  core.retire = std::max(kLeastRetired, model.dispatch());
  core.ports = static_cast<int>(model.ports().size());
  for (std::size_t window = 0; window < kWindows; ++window)
    core.sizes[window] = model.SizeOf(static_cast<Window>(window));
  core.branch_cycles = model.branch_cycles();
  core.choice = model.port_choice();
  core.loads_of_a_bank = model.loads_of_a_bank();
  return core;
}

PipelineResult RunPipeline(const PipelineCore& core, const BlockProgram& program,
                           const PipelineOptions& options) {
  if (program.instructions.empty()) return {};
  return Pipeline(core, program, options).Run();
}

}  // namespace cyclescope::predict

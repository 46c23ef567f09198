#include "predict/pipeline.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
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

constexpr std::uint64_t kNoUop = std::numeric_limits<std::uint64_t>::max();

// A µop of an iteration.
struct DynamicUop {
  Time ready = 0;  // what is known of it so far
  Time issued = kNotYet;
  int waits_for = 0;  // inputs whose time is not known yet
  int port = -1;      // chosen at dispatch
  bool dispatched = false;
  int last_producer = -1;           // instruction whose result came last
  std::uint64_t next_due = kNoUop;  // another that is ready in the same cycle
};

struct Retiring {
  std::uint64_t number = 0;  // of the instruction, over all iterations
  Time dispatched = 0;
};

class Pipeline {
 public:
  Pipeline(const PipelineCore& core, const BlockProgram& program, const PipelineOptions& options)
      : core_(core), program_(program), options_(options) {
    const std::size_t uops = program.uops.size();
    consumers_.resize(uops);
    for (std::size_t uop = 0; uop < uops; ++uop) {
      for (const UopInput& input : program.uops[uop].inputs) {
        consumers_[input.uop].push_back({uop, input.iterations, inputs_.size()});
        inputs_.push_back(WholeCycles(input.cycles));
        most_iterations_ = std::max(most_iterations_, input.iterations);
        input_sources_.push_back(input);
      }
      input_begin_.push_back(inputs_.size());
    }
    carried_.resize(inputs_.size());
    unit_free_.resize(program.units.size());
    waiting_.resize(static_cast<std::size_t>(std::max(core.ports, 1)));
    queues_.resize(waiting_.size());
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

  // ---- µops in flight: a ring by iteration

  void SizeRing() {
    std::size_t in_flight = 0;
    for (const ProgramInstruction& each : program_.instructions)
      in_flight += each.holds[static_cast<std::size_t>(Window::kReorderBuffer)];
    const int size = core_.sizes[static_cast<std::size_t>(Window::kReorderBuffer)];
    in_flight_iterations_ =
        static_cast<std::uint64_t>(size) / std::max<std::size_t>(in_flight, 1) + 2;
    const std::uint64_t iterations =
        in_flight_iterations_ + static_cast<std::uint64_t>(most_iterations_) + 2;
    ring_iterations_ = std::bit_ceil(iterations);
    ring_.resize(ring_iterations_ * std::max<std::size_t>(program_.uops.size(), 1));
  }

  DynamicUop& At(std::uint64_t iteration, std::size_t uop) {
    return ring_[(iteration & (ring_iterations_ - 1)) * program_.uops.size() + uop];
  }

  static std::uint64_t Key(std::uint64_t iteration, std::size_t uop, std::size_t uops) {
    return iteration * uops + uop;
  }

  // ---- Retirement

  bool Retire() {
    retire_credit_ = std::min<std::int64_t>(retire_credit_, 0) + Milli(core_.retire);
    bool any = false;
    while (!in_flight_.empty() && retire_credit_ > 0) {
      const Retiring& oldest = in_flight_.front();
      const std::size_t count = program_.instructions.size();
      const std::uint64_t iteration = oldest.number / count;
      const std::size_t place = oldest.number % count;
      const ProgramInstruction& instruction = program_.instructions[place];
      const Time done = DoneAt(iteration, instruction);
      if (done > now_) break;
      if (oldest.number < timeline_.size()) Record(oldest, iteration, instruction, done);
      for (std::size_t window = 0; window < kWindows; ++window) {
        if (window != static_cast<std::size_t>(Window::kScheduler))
          used_[window] -= instruction.holds[window];
      }
      retire_credit_ -= Milli(instruction.slots);
      in_flight_.pop();
      any = true;
      if (place + 1 == count) {
        ++retired_iterations_;
        iteration_ended_ = true;
      }
    }
    return any;
  }

  Time DoneAt(std::uint64_t iteration, const ProgramInstruction& instruction) {
    Time done = 0;
    for (std::size_t i = 0; i < instruction.uops; ++i) {
      const std::size_t uop = instruction.first_uop + i;
      const DynamicUop& each = At(iteration, uop);
      if (each.issued == kNotYet) return kNotYet;
      done = std::max(
          done, each.issued + std::max<Time>(1, std::llround(program_.uops[uop].done_cycles)));
    }
    return done;
  }

  // ---- Issue

  void Enqueue(std::uint64_t key, std::uint64_t iteration, std::size_t uop) {
    const Time at = std::max(At(iteration, uop).ready, now_ + 1);
    if (at - now_ >= static_cast<Time>(kCalendar)) {
      far_.emplace(at, key);
    } else {
      MarkDue(at, key);
    }
    ++scheduled_;
  }

  void MarkDue(Time at, std::uint64_t key) {
    std::uint64_t& first = calendar_[static_cast<std::size_t>(at) % kCalendar];
    At(key / program_.uops.size(), key % program_.uops.size()).next_due = first;
    first = key;
  }

  void TakeReady() {
    while (!far_.empty() && far_.top().first - now_ < static_cast<Time>(kCalendar)) {
      MarkDue(far_.top().first, far_.top().second);
      far_.pop();
    }
    std::uint64_t& first = calendar_[static_cast<std::size_t>(now_) % kCalendar];
    while (first != kNoUop) {
      const DynamicUop& uop = At(first / program_.uops.size(), first % program_.uops.size());
      queues_[static_cast<std::size_t>(uop.port)].push(first);
      first = uop.next_due;
      --scheduled_;
      ++ready_;
    }
  }

  bool Issue() {
    TakeReady();
    if (ready_ == 0) return false;
    started_in_bank_.fill(0);
    bool any = false;
    if (core_.loads_of_a_bank > 0) {
      // Banks go to the oldest loads, whichever ports they were sent to.
      std::ranges::sort(port_order_, {}, [this](std::size_t port) {
        return queues_[port].empty() ? kNoUop : queues_[port].top();
      });
    }
    for (const std::size_t port : port_order_) any |= IssueOn(port);
    return any;
  }

  // The oldest of those that wait for the port, and whose unit is free.
  bool IssueOn(std::size_t port) {
    auto& queue = queues_[port];
    set_aside_.clear();
    bool issued = false;
    while (!queue.empty() && !issued) {
      const std::uint64_t key = queue.top();
      queue.pop();
      if (UnitIsFree(key) && BankIsFree(key)) {
        Start(key, port);
        --waiting_[port];
        issued = true;
      } else {
        set_aside_.push_back(key);
      }
    }
    for (const std::uint64_t key : set_aside_) queue.push(key);
    return issued;
  }

  bool UnitIsFree(std::uint64_t key) const {
    const int unit = program_.uops[key % program_.uops.size()].unit;
    return unit < 0 || unit_free_[static_cast<std::size_t>(unit)] < (now_ + 1) * kMilli;
  }

  // A bank of the first cache is eight bytes wide, and there are as many as fill a line.
  std::size_t BankOf(std::uint64_t key) const {
    const LoadPlace& place = *program_.uops[key % program_.uops.size()].reads;
    const auto iteration = static_cast<std::int64_t>(key / program_.uops.size() % kLineBytes);
    const std::int64_t offset = place.offset + iteration * place.step;
    return static_cast<std::size_t>((offset & (kLineBytes - 1)) / kBankBytes);
  }

  bool BankIsFree(std::uint64_t key) const {
    if (core_.loads_of_a_bank == 0 || !program_.uops[key % program_.uops.size()].reads) return true;
    return started_in_bank_[BankOf(key)] < core_.loads_of_a_bank;
  }

  void TakeBank(std::uint64_t key) {
    if (core_.loads_of_a_bank == 0 || !program_.uops[key % program_.uops.size()].reads) return;
    ++started_in_bank_[BankOf(key)];
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

  void Start(std::uint64_t key, std::size_t port) {
    const std::uint64_t iteration = key / program_.uops.size();
    const std::size_t uop = key % program_.uops.size();
    TakeBank(key);
    ++issued_on_[port];
    --ready_;
    --used_[static_cast<std::size_t>(Window::kScheduler)];
    TakeUnit(uop, now_);
    SetIssued(iteration, uop, now_);
  }

  void TakeUnit(std::size_t uop, Time at) {
    const int unit = program_.uops[uop].unit;
    if (unit < 0) return;
    std::int64_t& free = unit_free_[static_cast<std::size_t>(unit)];
    free = std::max(free, at * kMilli) + Milli(program_.uops[uop].unit_cycles);
  }

  // Its time is known: so are the times of those that wait for nothing else and need no port.
  void SetIssued(std::uint64_t iteration, std::size_t uop, Time at) {
    At(iteration, uop).issued = at;
    for (const Consumer& consumer : consumers_[uop]) {
      const std::uint64_t of = iteration + static_cast<std::uint64_t>(consumer.iterations);
      DynamicUop& other = At(of, consumer.uop);
      if (!other.dispatched || of > newest_iteration_) continue;
      Hear(consumer.input, at, static_cast<int>(program_.uops[uop].instruction), other);
      if (--other.waits_for == 0) Settle(of, consumer.uop);
    }
  }

  void Hear(std::size_t input, Time issued, int producer, DynamicUop& uop) {
    const WholeCycles& cycles = inputs_[input];
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

  void Settle(std::uint64_t iteration, std::size_t uop) {
    DynamicUop& each = At(iteration, uop);
    if (program_.uops[uop].ports != 0) {
      Enqueue(Key(iteration, uop, program_.uops.size()), iteration, uop);
      return;
    }
    Time at = each.ready;
    const int unit = program_.uops[uop].unit;
    if (unit >= 0) {
      at = std::max(at, unit_free_[static_cast<std::size_t>(unit)] / kMilli);
      TakeUnit(uop, at);
    }
    SetIssued(iteration, uop, at);
  }

  // ---- Dispatch

  bool Dispatch() {
    dispatch_credit_ = std::min<std::int64_t>(dispatch_credit_, 0) + Milli(core_.dispatch);
    lacking_.reset();
    waited_ = waiting_;
    turn_ = 0;
    bool any = false;
    while (dispatch_credit_ > 0 && now_ >= fetched_after_) {
      const std::size_t place = next_ % program_.instructions.size();
      const ProgramInstruction& instruction = program_.instructions[place];
      lacking_ = Lacking(instruction);
      if (lacking_) {
        ++lacked_[static_cast<std::size_t>(*lacking_)];
        break;
      }
      dispatch_credit_ -= Milli(instruction.slots);
      Enter(next_ / program_.instructions.size(), place);
      ++next_;
      any = true;
      if (place + 1 == program_.instructions.size() && program_.takes_branch) {
        // What is behind a taken branch comes when its target is fetched.
        branch_milli_ = std::max(branch_milli_ + Milli(core_.branch_cycles), now_ * kMilli);
        fetched_after_ = branch_milli_ / kMilli;
      }
    }
    return any;
  }

  std::optional<Window> Lacking(const ProgramInstruction& instruction) const {
    for (std::size_t window = 0; window < kWindows; ++window) {
      const int needed = window == static_cast<std::size_t>(Window::kScheduler)
                             ? PortUops(instruction)
                             : instruction.holds[window];
      const bool is_full = core_.sizes[window] > 0 && used_[window] > 0 &&
                           used_[window] + needed > core_.sizes[window];
      if (needed > 0 && is_full) return static_cast<Window>(window);
    }
    return std::nullopt;
  }

  int PortUops(const ProgramInstruction& instruction) const {
    int uops = 0;
    for (std::size_t i = 0; i < instruction.uops; ++i)
      uops += program_.uops[instruction.first_uop + i].ports != 0 ? 1 : 0;
    return uops;
  }

  void Enter(std::uint64_t iteration, std::size_t place) {
    const ProgramInstruction& instruction = program_.instructions[place];
    if (place == 0) {
      newest_iteration_ = iteration;
      for (std::size_t uop = 0; uop < program_.uops.size(); ++uop) At(iteration, uop) = {};
    }
    for (std::size_t window = 0; window < kWindows; ++window)
      used_[window] += instruction.holds[window];
    used_[static_cast<std::size_t>(Window::kScheduler)] += PortUops(instruction);
    in_flight_.push({next_, now_});
    if (next_ < options_.timeline_instructions) timeline_.emplace_back();
    for (std::size_t i = 0; i < instruction.uops; ++i)
      EnterUop(iteration, instruction.first_uop + i);
  }

  void EnterUop(std::uint64_t iteration, std::size_t uop) {
    const Uop& fixed = program_.uops[uop];
    DynamicUop& each = At(iteration, uop);
    each.dispatched = true;
    // What is done at rename is known at once; what needs a port starts a cycle later.
    each.ready = fixed.ports != 0 ? now_ + 1 : now_;
    const std::size_t first = uop == 0 ? 0 : input_begin_[uop - 1];
    for (std::size_t input = first; input < input_begin_[uop]; ++input) {
      const UopInput& source = input_sources_[input];
      if (iteration < static_cast<std::uint64_t>(source.iterations)) continue;  // there at first
      const DynamicUop& producer =
          At(iteration - static_cast<std::uint64_t>(source.iterations), source.uop);
      if (producer.issued == kNotYet || !producer.dispatched) {
        ++each.waits_for;
      } else {
        Hear(input, producer.issued, static_cast<int>(program_.uops[source.uop].instruction), each);
      }
    }
    if (fixed.ports != 0) each.port = ChoosePort(fixed);
    if (each.waits_for == 0) Settle(iteration, uop);
  }

  // Of several that are equal, the last.
  int ChoosePort(const Uop& uop) {
    constexpr int kPendingMargin = 3;
    const bool in_turn = core_.choice == PortChoice::kInTurn;
    const std::vector<int>& waiting = in_turn ? waited_ : waiting_;
    int best = -1;
    int next = -1;
    for (int port = core_.ports - 1; port >= 0; --port) {
      if ((uop.ports >> port & 1) == 0) continue;
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
    const bool takes_next = in_turn && turn_++ % 2 == 1 && next >= 0 &&
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
      const std::size_t count = program_.instructions.size();
      const std::uint64_t number = in_flight_.front().number;
      next = DoneAt(number / count, program_.instructions[number % count]);
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
    const std::uint64_t count = program_.instructions.size();
    Mix(next_ - retired_iterations_ * count, hash);
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
      for (std::size_t uop = 0; uop < program_.uops.size(); ++uop) {
        const DynamicUop& each = At(iteration, uop);
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

  // What is quickly seen of the state: it is only looked at whole where this is as it was.
  std::uint64_t Glance() const {
    std::uint64_t glance = 1;
    Mix(next_ - retired_iterations_ * program_.instructions.size(), glance);
    Mix(static_cast<std::uint64_t>(dispatch_credit_ * kMilli + retire_credit_), glance);
    Mix(scheduled_ * kCalendar + ready_, glance);
    Mix(retired_iterations_ % bank_period_, glance);
    for (const int waiting : waiting_) Mix(static_cast<std::uint64_t>(waiting), glance);
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
    for (std::size_t port = 0; port < waiting_.size(); ++port)
      result.port_uops.push_back(static_cast<double>(to.issued_on[port] - from.issued_on[port]) /
                                 iterations);
    for (std::size_t window = 0; window < kWindows; ++window)
      result.lacked[window] =
          static_cast<double>(to.lacked[window] - from.lacked[window]) / iterations;
    return result;
  }

  // ---- The timeline

  void Record(const Retiring& oldest, std::uint64_t iteration,
              const ProgramInstruction& instruction, Time done) {
    InstructionTimes& times = timeline_[oldest.number];
    times.dispatched = oldest.dispatched;
    times.done = done;
    times.retired = now_;
    for (std::size_t i = 0; i < instruction.uops; ++i) {
      const std::size_t uop = instruction.first_uop + i;
      const DynamicUop& each = At(iteration, uop);
      if (each.issued < times.issued) continue;
      times.issued = each.issued;
      times.ready = each.ready;
      times.producer = each.last_producer;
      const bool needs_port = program_.uops[uop].ports != 0;
      const Time for_operands = each.ready - oldest.dispatched - (needs_port ? 1 : 0);
      const Time for_port = each.issued - each.ready;
      times.cause = for_operands <= 0 && for_port <= 0 ? WaitCause::kNothing
                    : for_port > for_operands
                        ? (program_.uops[uop].unit >= 0 ? WaitCause::kUnit : WaitCause::kPort)
                        : WaitCause::kOperand;
    }
    if (times.cause != WaitCause::kOperand) times.producer = -1;
  }

  const PipelineCore& core_;
  const BlockProgram& program_;
  PipelineOptions options_;

  // The program, by µop and input.
  std::vector<std::vector<Consumer>> consumers_;
  std::vector<WholeCycles> inputs_;
  std::vector<UopInput> input_sources_;
  std::vector<std::size_t> input_begin_;  // of each µop, where the next one's begin
  int most_iterations_ = 1;

  Time now_ = 0;
  Time next_look_ = kFirstLook;
  std::uint64_t next_ = 0;  // instruction to be dispatched, over all iterations
  std::uint64_t newest_iteration_ = 0;
  std::uint64_t retired_iterations_ = 0;
  bool iteration_ended_ = false;
  std::int64_t dispatch_credit_ = 0;
  std::int64_t retire_credit_ = 0;
  Time fetched_after_ = 0;
  std::int64_t branch_milli_ = 0;
  std::array<int, kWindows> used_{};
  std::optional<Window> lacking_;  // in this cycle
  std::array<Time, kWindows> lacked_{};
  std::queue<Retiring> in_flight_;
  std::vector<DynamicUop> ring_;
  std::uint64_t ring_iterations_ = 0;
  std::uint64_t in_flight_iterations_ = 0;
  std::vector<std::int64_t> carried_;  // thousandths of a cycle, by input
  std::vector<std::int64_t> unit_free_;

  // µops by the cycle in which they are ready, then by port, the oldest first.
  std::array<std::uint64_t, kCalendar> calendar_;
  using FarAway = std::pair<Time, std::uint64_t>;
  std::priority_queue<FarAway, std::vector<FarAway>, std::greater<>> far_;
  using Oldest = std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>>;
  std::vector<Oldest> queues_;
  std::vector<std::size_t> port_order_;  // in which they start µops
  std::vector<int> waiting_;             // by port: bound to it, and not started
  std::vector<int> waited_;              // the same when the cycle began
  int turn_ = 0;                         // µops that were bound in this cycle
  std::array<std::uint64_t, kMostPorts> issued_on_{};
  std::vector<std::uint64_t> set_aside_;
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

#include "predict/pipeline.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <span>
#include <utility>

#include "predict/load_banks.h"
#include "predict/pipeline_program.h"
#include "predict/port_chooser.h"
#include "predict/ready_queue.h"
#include "predict/steady_state.h"
#include "predict/uops_in_flight.h"
#include "predict/windows_in_use.h"

namespace cyclescope::predict {
namespace {

// A program that does not repeat itself is averaged: after this number of cycles at the latest, and
// after fewer where two thirds of them agree.
constexpr Time kMostCycles = 12'000;
constexpr Time kFirstLook = 1'500;
// Times before this are all the same: nothing waits for so long.
constexpr Time kLongAgo = 512;

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

class Pipeline {
 public:
  Pipeline(const PipelineCore& core, const BlockProgram& program, const PipelineOptions& options)
      : core_(core),
        program_(program),
        options_(options),
        laid_out_(core, program),
        in_flight_uops_(laid_out_, core.sizes[static_cast<std::size_t>(Window::kReorderBuffer)]),
        due_(in_flight_uops_),
        chooser_(core.choice, core.alternating),
        windows_(core.sizes),
        banks_(core.loads_of_a_bank, program),
        steady_(static_cast<std::size_t>(std::max(core.ports, 1))) {
    carried_.resize(laid_out_.inputs.size());
    unit_free_.resize(program.units.size());
    queues_.resize(static_cast<std::size_t>(std::max(core.ports, 1)));
    port_order_.resize(queues_.size());
    std::iota(port_order_.begin(), port_order_.end(), std::size_t{0});
  }

  PipelineResult Run() {
    PipelineResult result;
    while (true) {
      chooser_.BeginCycle(now_);
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
      if (now_ >= next_look_ && !steady_.empty()) {
        next_look_ = 2 * now_;
        if (now_ >= kMostCycles || steady_.ThirdsAgree()) {
          result = steady_.Average();
          break;
        }
      }
      // Where nothing happens, nothing changes until something is ready, done or free.
      if (!retired && !issued && !dispatched) {
        const Time next = std::max(now_ + 1, NextEvent());
        if (lacking_) windows_.CountLack(*lacking_, next - now_ - 1);
        now_ = next;
      } else {
        ++now_;
      }
    }
    result.timeline = std::move(timeline_);
    return result;
  }

 private:
  UopKey KeyOf(std::uint64_t iteration, std::size_t uop) const {
    return in_flight_uops_.KeyOf(iteration, uop);
  }
  DynamicUop& At(UopKey key) { return in_flight_uops_.At(key); }
  const FixedUop& FixedOf(UopKey key) const { return uops_[in_flight_uops_.NumberOf(key)]; }
  std::uint64_t IterationOf(UopKey key) const { return in_flight_uops_.IterationOf(key); }

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
      windows_.Retire(instruction.needs);
      retire_credit_ -= instruction.slots_milli;
      any = true;
      if (oldest.place + 1 == instructions_.size()) {
        ++retired_iterations_;
        iteration_ended_ = true;
      }
      if (laid_out_.waits_to_retire) TellRetired(oldest, instruction);
      in_flight_.pop();
      oldest_done_ = 0;
    }
    return any;
  }

  void TellRetired(const Retiring& oldest, const FixedInstruction& instruction) {
    for (std::size_t uop = instruction.first_uop; uop < instruction.end_uop; ++uop) {
      const UopKey key = KeyOf(oldest.iteration, uop);
      At(key).retired = now_;
      Tell(key, uops_[uop], now_, true);
    }
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

  void Enqueue(UopKey key) { due_.Add(std::max(At(key).ready, now_ + 1), now_, key); }

  void TakeReady() {
    due_.Take(now_, [this](UopKey key) {
      queues_[static_cast<std::size_t>(At(key).port)].Add(key);
      ++ready_;
    });
  }

  bool Issue() {
    TakeReady();
    if (ready_ == 0) return false;
    bool any = false;
    if (banks_.is_limited()) {
      banks_.BeginCycle();
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
      const UopKey key = queue.keys()[i];
      const FixedUop& fixed = FixedOf(key);
      if (!UnitIsFree(fixed)) continue;
      // It is found to be taken when the load has started: the port is idle.
      if (!BankIsFree(key, fixed)) return false;
      queue.Remove(i);
      chooser_.Started(port, now_);
      Start(key, fixed, port);
      return true;
    }
    return false;
  }

  bool UnitIsFree(const FixedUop& uop) const {
    return uop.unit < 0 || unit_free_[static_cast<std::size_t>(uop.unit)] < (now_ + 1) * kMilli;
  }

  // Whose loads wait for a bank.
  const LoadPlace& PlaceOf(const FixedUop& uop) const {
    return *program_.uops[static_cast<std::size_t>(&uop - uops_.data())].reads;
  }
  bool BankIsFree(UopKey key, const FixedUop& uop) const {
    return !uop.in_bank || banks_.IsFree(PlaceOf(uop), IterationOf(key));
  }

  void Start(UopKey key, const FixedUop& uop, std::size_t port) {
    if (uop.in_bank) banks_.Start(PlaceOf(uop), IterationOf(key));
    ++issued_on_[port];
    --ready_;
    TakeUnit(uop, now_);
    if (uop.ports != 0) {
      windows_.Issue();
      SetIssued(key, uop, now_);
    } else {
      // A move that was not done at rename: what waits for it was told of no time.
      SetIssued(key, uop, now_ + 1);
    }
  }

  void TakeUnit(const FixedUop& uop, Time at) {
    if (uop.unit < 0) return;
    std::int64_t& free = unit_free_[static_cast<std::size_t>(uop.unit)];
    free = std::max(free, at * kMilli) + uop.unit_milli;
  }

  // Its time is known: so are the times of those that wait for nothing else and need no port.
  void SetIssued(UopKey key, const FixedUop& uop, Time at) {
    At(key).issued = at;
    // An instruction that waited for it to retire is looked at again.
    if (oldest_done_ == kNotYet) oldest_done_ = 0;
    Tell(key, uop, at, false);
  }

  // Those that wait for it.
  void Tell(UopKey key, const FixedUop& uop, Time at, bool behind_retirement) {
    const std::uint64_t iteration = IterationOf(key);
    for (std::size_t i = uop.consumer_begin; i < uop.consumer_end; ++i) {
      const Consumer& consumer = laid_out_.consumers[i];
      if (consumer.behind_retirement != behind_retirement) continue;
      const std::uint64_t of = iteration + static_cast<std::uint64_t>(consumer.iterations);
      const UopKey other_key = KeyOf(of, consumer.uop);
      DynamicUop& other = At(other_key);
      if (!other.dispatched || of > newest_iteration_) continue;
      Hear(consumer.input, at, uop.instruction, other);
      if (--other.waits_for == 0) Settle(other_key, uops_[consumer.uop]);
    }
  }

  void Hear(std::size_t input, Time issued, int producer, DynamicUop& uop) {
    const WholeCycles& cycles = laid_out_.inputs[input].cycles;
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

  void Settle(UopKey key, const FixedUop& uop) {
    if (At(key).port >= 0) {
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
    std::int64_t slots_milli = 0;  // of this cycle that are taken
    bool any = false;
    if (core_.dispatches_whole && now_ >= fetched_after_) {
      lacking_ = windows_.LackingFor(static_cast<int>(core_.dispatch));
      if (lacking_) {
        windows_.CountLack(*lacking_, 1);
        return false;
      }
    }
    while (dispatch_credit_ > 0 && now_ >= fetched_after_) {
      const FixedInstruction& instruction = instructions_[next_.place];
      lacking_ = windows_.Lacking(instruction.needs);
      if (lacking_) {
        windows_.CountLack(*lacking_, 1);
        break;
      }
      dispatch_credit_ -= instruction.slots_milli;
      Enter(instruction, slots_milli);
      slots_milli += instruction.slots_milli;
      any = true;
      ++next_number_;
      if (++next_.place == instructions_.size()) next_ = {next_.iteration + 1, 0};
      if (!instruction.jumps) continue;
      // What is behind a taken branch comes when its target is fetched.
      branch_milli_ = std::max(branch_milli_ + per_branch_milli_, now_ * kMilli);
      fetched_after_ = branch_milli_ / kMilli;
    }
    return any;
  }

  // `before_milli`: slots of this cycle that others took.
  void Enter(const FixedInstruction& instruction, std::int64_t before_milli) {
    if (next_.place == 0) {
      newest_iteration_ = next_.iteration;
      std::fill_n(&At(KeyOf(next_.iteration, 0)), uops_.size(), DynamicUop{});
    }
    windows_.Take(instruction.needs);
    in_flight_.push({next_number_, next_.iteration, next_.place, now_});
    if (next_number_ < options_.timeline_instructions) timeline_.emplace_back();
    // Of several µops in one slot, a load and what it is for, each is of that slot.
    const int port_uops =
        std::max(instruction.needs[static_cast<std::size_t>(Window::kScheduler)], 1);
    int bound = 0;
    for (std::size_t uop = instruction.first_uop; uop < instruction.end_uop; ++uop) {
      const std::int64_t slot =
          (before_milli + instruction.slots_milli * bound / port_uops) / kMilli;
      EnterUop(next_.iteration, uop, slot);
      bound += uops_[uop].ports != 0 ? 1 : 0;
    }
    for (std::size_t file = 0; file < kFilesOfMoves; ++file) {
      // A move that was renamed has another name for its value.
      const bool renamed = uops_[instruction.first_uop].moves &&
                           At(KeyOf(next_.iteration, instruction.first_uop)).port < 0;
      if (!renamed && instruction.writes[file] != 0) moves_.Write(file, instruction.writes[file]);
    }
  }

  void EnterUop(std::uint64_t iteration, std::size_t uop, std::int64_t slot) {
    const FixedUop& fixed = uops_[uop];
    const UopKey key = KeyOf(iteration, uop);
    DynamicUop& each = At(key);
    each.dispatched = true;
    PortSet ports = fixed.ports;
    if (fixed.moves && !moves_.Rename(now_, fixed.moves->file, fixed.moves->from, fixed.moves->to))
      ports = fixed.moves->ports;
    // What is done at rename is known at once; what needs a port starts a cycle later.
    each.ready = ports != 0 ? now_ + 1 : now_;
    for (std::size_t input = fixed.input_begin; input < fixed.input_end; ++input) {
      const FixedInput& source = laid_out_.inputs[input];
      if (iteration < static_cast<std::uint64_t>(source.iterations)) continue;  // there at first
      const DynamicUop& producer =
          At(KeyOf(iteration - static_cast<std::uint64_t>(source.iterations), source.uop));
      const Time known = source.behind_retirement ? producer.retired : producer.issued;
      if (known == kNotYet || !producer.dispatched) {
        ++each.waits_for;
      } else {
        Hear(input, known, uops_[source.uop].instruction, each);
      }
    }
    if (ports != 0) each.port = chooser_.Choose(ports, slot);
    if (each.waits_for == 0) Settle(key, fixed);
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
    next = due_.NextBefore(now_, next);
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
    Mix(retired_iterations_ % banks_.period(), hash);
    Mix(static_cast<std::uint64_t>(dispatch_credit_), hash);
    Mix(static_cast<std::uint64_t>(retire_credit_), hash);
    Mix(chooser_.State(now_), hash);
    moves_.VisitState(now_, [&hash](std::uint64_t part) { Mix(part, hash); });
    Mix(relative(fetched_after_), hash);
    Mix(static_cast<std::uint64_t>(
            branch_milli_ - now_ * kMilli < -kMilli ? -kMilli : branch_milli_ - now_ * kMilli),
        hash);
    for (const std::int64_t free : unit_free_)
      Mix(static_cast<std::uint64_t>(std::max(free - now_ * kMilli, -kMilli)), hash);
    for (const std::int64_t carried : carried_) Mix(static_cast<std::uint64_t>(carried), hash);
    const auto kept = static_cast<std::uint64_t>(laid_out_.most_iterations);
    const std::uint64_t first = retired_iterations_ > kept ? retired_iterations_ - kept : 0;
    for (std::uint64_t iteration = first; iteration <= newest_iteration_; ++iteration) {
      for (std::size_t uop = 0; uop < uops_.size(); ++uop) {
        const DynamicUop& each = At(KeyOf(iteration, uop));
        Mix(each.dispatched ? relative(each.issued) : 1, hash);
        if (laid_out_.waits_to_retire) Mix(relative(each.retired), hash);
        if (each.issued != kNotYet) continue;
        Mix(relative(each.ready), hash);
        Mix(static_cast<std::uint64_t>(each.waits_for * 64 + each.port), hash);
      }
    }
    return hash;
  }

  std::optional<PipelineResult> Repeated() {
    // At first iterations of the start are needed; the state cannot repeat before they are gone.
    if (retired_iterations_ <= static_cast<std::uint64_t>(laid_out_.most_iterations))
      return std::nullopt;
    return steady_.Add({retired_iterations_, now_, issued_on_, windows_.lacked()}, Glance(),
                       [this] { return StateHash(); });
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
    Mix(due_.size() * kMilli + ready_, glance);
    Mix(retired_iterations_ % banks_.period(), glance);
    for (std::size_t port = 0; port < queues_.size(); ++port)
      Mix(static_cast<std::uint64_t>(chooser_.WaitingFor(port)), glance);
    return glance;
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
      const bool needs_port = each.port >= 0;
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

  const PipelineProgram laid_out_;
  UopsInFlight in_flight_uops_;
  DueCalendar due_;
  std::span<const FixedUop> uops_ = laid_out_.uops;
  std::span<const FixedInstruction> instructions_ = laid_out_.instructions;
  std::int64_t dispatch_milli_ = Milli(core_.dispatch);
  std::int64_t retire_milli_ = Milli(core_.retire);
  std::int64_t per_branch_milli_ = Milli(program_.branch_cycles);

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
  std::optional<Window> lacking_;  // in this cycle
  std::queue<Retiring> in_flight_;
  std::vector<std::int64_t> carried_;  // thousandths of a cycle, by input
  std::vector<std::int64_t> unit_free_;

  std::vector<ReadyQueue> queues_;       // by port
  std::vector<std::size_t> port_order_;  // in which they start µops
  PortChooser chooser_;
  WindowsInUse windows_;
  MovesAtRename moves_;
  std::array<std::uint64_t, kMostPorts> issued_on_{};
  LoadBanks banks_;
  std::size_t ready_ = 0;

  SteadyState steady_;
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
  core.choice = model.port_choice();
  // So do Intel's cores (uiCA): on a Cascade Lake `add rax, 1; cmp rax, rcx` takes 1.04 cycles
  // then, as it does there, and 1.33 where a free entry is taken at once.
  core.dispatches_whole = core.choice != PortChoice::kLeastWaiting;
  // Likewise those with two ports for loads.
  if (core.choice == PortChoice::kInTurn && std::popcount(model.load_ports()) == 2)
    core.alternating = model.load_ports();
  core.loads_of_a_bank = model.memory().loads_of_a_bank();
  return core;
}

PipelineResult RunPipeline(const PipelineCore& core, const BlockProgram& program,
                           const PipelineOptions& options) {
  if (program.instructions.empty()) return {};
  return Pipeline(core, program, options).Run();
}

}  // namespace cyclescope::predict

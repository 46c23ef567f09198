#include "instructions/conclude.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "analysis/claims.h"
#include "analysis/row_figures.h"
#include "instructions/classic.h"
#include "instructions/conclude_latency.h"
#include "instructions/conclude_throughput.h"
#include "instructions/rounds.h"

namespace cyclescope::instructions {
namespace {

using measure::Measurement;

class Conclusion {
 public:
  Conclusion(const FormPlan& plan, const Evidence& evidence) : plan_(plan), evidence_(evidence) {}

  InstructionRow Row() {
    row_ = plan_.row;
    if (plan_.refused) return row_;
    for (const ValuesPlan& values : plan_.values) {
      AddValues(values);
      if (row_.status != Status::kMeasured) return row_;
    }
    if (!row_.throughput && row_.latency.empty()) {
      FailWithoutLatency();
      return row_;
    }
    if (evidence_.circumstances().trusts_cycles) AddNotes();
    JudgeRow();
    return row_;
  }

 private:
  // True if the form no longer waits for its sources where they are all one register: surely less
  // than a share of what its slowest pair surely takes. An upper bound says nothing about that.
  static bool IsIdiom(const MeasuredPair& all_sources, std::span<const MeasuredPair> pairs) {
    constexpr double kIdiomRatio = 0.6;
    double slowest = 0;
    for (const MeasuredPair& pair : pairs) {
      if (pair.latency.kind != LatencyKind::kUpperBound && !pair.latency.cycles.contended)
        slowest = std::max(slowest, pair.latency.cycles.low);
    }
    return all_sources.latency.cycles.high <= kIdiomRatio * slowest;
  }

  // What has no operand to wait for and takes long waits for the core: a fence, a barrier. A run
  // stays in one of the states of that, a whole cycle apart: `mfence` on a Cascade Lake takes 33.3
  // or 34.3 cycles, also in a program of its own; `lfence` on a Neoverse V1 12 or 13. So a run's
  // visits do not tell how far the next run's will be.
  static bool WaitsForTheCore(const assembler::Instruction& instruction, const Estimate& cycles) {
    constexpr double kLeastCycles = 3;
    const auto is_register_or_memory = [](const assembler::Operand& operand) {
      return operand.kind == assembler::OperandKind::kRegister ||
             operand.kind == assembler::OperandKind::kMemory;
    };
    return cycles.low >= kLeastCycles && !instruction.flags.ChangesFlow() &&
           std::ranges::none_of(instruction.operands, is_register_or_memory);
  }

  void AddValues(const ValuesPlan& values) {
    std::vector<MeasuredPair> pairs;
    std::vector<std::string> missing;
    for (const PairPlan& pair : values.pairs) {
      if (auto concluded = ConcludePair(pair, evidence_)) {
        pairs.push_back(std::move(*concluded));
      } else {
        missing.push_back(pair.chains.empty() ? NoWay(pair) : std::string());
      }
    }
    // Through all sources at once, where the form waits for them then.
    std::optional<MeasuredPair> all_sources;
    EqualSources equal_sources = EqualSources::kUnknown;
    if (values.all_sources) {
      all_sources = ReadChain(*values.all_sources, evidence_);
      if (all_sources) equal_sources = EqualSources::kWaits;
      if (all_sources && IsIdiom(*all_sources, pairs)) {
        equal_sources = EqualSources::kIdiom;
        all_sources.reset();
      }
    }
    if (!values.arrangements.empty() || values.all_sources) {
      const auto& flags = plan_.form.instruction.flags;
      auto throughput =
          ConcludeThroughput(values, equal_sources, flags.writes_x87_top_only, evidence_);
      if (!throughput && !values.arrangements.empty() && !evidence_.death()) {
        row_.status = Status::kDisturbed;
        row_.reason = kTooFewSamples;
        return;
      }
      if (!throughput) return FailRow("not enough registers for independent copies");
      if (Estimate& cycles = throughput->throughput.cycles;
          WaitsForTheCore(plan_.form.instruction, cycles)) {
        constexpr double kCyclesBetweenStates = 1;
        cycles.low -= kCyclesBetweenStates;
        cycles.high += kCyclesBetweenStates;
      }
      // Fillers tell nothing of a hypervisor.
      if (flags.leaves_virtual_machine) throughput->throughput.limit.clear();
      if (!values.name.empty()) row_.throughput_by_values.push_back(throughput->throughput);
      // The slowest values stand for the form, as in models and tables.
      if (!row_.throughput || throughput->throughput.cycles.value > row_.throughput->cycles.value) {
        row_.throughput = throughput->throughput;
        AddClassic(*throughput);
      }
      // With something of ours on the chain it is not what a pair by itself may be: exact.
      if (all_sources && all_sources->latency.kind == LatencyKind::kExact) {
        AddClassicOfSlowest(*all_sources);
      } else if (!pairs.empty()) {
        AddClassicOfSlowest(*SlowestKnown(pairs));
      }
      for (MeasuredPair& pair : pairs) BoundByThroughput(throughput->throughput, pair.latency);
    }
    if (plan_.wants_latency) AddLatencies(std::move(pairs), missing, values.name);
  }

  void AddLatencies(std::vector<MeasuredPair> pairs, const std::vector<std::string>& missing,
                    const std::string& values) {
    for (MeasuredPair& pair : pairs) {
      if (!values.empty()) pair.latency.values = values;
      row_.latency.push_back(std::move(pair.latency));
      if (pair.with_mixed_flags) row_.latency.push_back(std::move(*pair.with_mixed_flags));
    }
    if (missing.empty()) return;
    const auto& death = evidence_.death();
    const std::string reason = !missing.front().empty() ? missing.front()
                               : death                  ? death->reason
                                                        : std::string(kTooFewSamples);
    AddNote({ClaimCode::kPairsMissing, {{"reason", reason}}}, row_);
  }

  // Upper bounds count only where there is nothing better.
  using Slowness = std::pair<bool, double>;
  static Slowness SlownessOf(const MeasuredPair& pair) {
    return {pair.latency.kind != LatencyKind::kUpperBound, pair.latency.cycles.value};
  }

  static std::vector<MeasuredPair>::const_iterator SlowestKnown(
      const std::vector<MeasuredPair>& pairs) {
    return std::ranges::max_element(pairs, {}, SlownessOf);
  }

  // The values with the slowest throughput need not have the slowest latency: both may take as long
  // one after the other and differ in a chain.
  void AddClassicOfSlowest(const MeasuredPair& pair) {
    if (slowest_ && *slowest_ >= SlownessOf(pair)) return;
    slowest_ = SlownessOf(pair);
    AddClassic(pair);
  }

  void AddClassic(const MeasuredCopies& copies) {
    AddClassic("THR",
               {.cycles = ShownCycles(IsUpperBound(copies.throughput), copies.throughput.cycles),
                .upper_bound = IsUpperBound(copies.throughput),
                .instructions_per_unit = copies.instructions_per_copy},
               copies.measurement->totals);
  }

  // The chain ran with its connectors, which the totals hold; the value is that of the form alone.
  void AddClassic(const MeasuredPair& pair) {
    if (pair.latency.cycles.value <= 0) return;
    AddClassic("LAT",
               {.cycles = ShownCycles(IsUpperBound(pair.latency), pair.latency.cycles),
                .upper_bound = IsUpperBound(pair.latency),
                .instructions_per_unit = pair.instructions_per_link},
               pair.chain->totals);
  }

  void AddClassic(const char* test, const ClassicValue& value, const measure::Totals& totals) {
    const measure::TickClock* clock = evidence_.circumstances().clock;
    if (clock == nullptr) return;
    auto made = MakeClassicRow(test, value, totals, *clock);
    if (!made) return;
    const auto same = std::ranges::find(row_.classic, made->test, &ClassicRow::test);
    if (same == row_.classic.end()) {
      row_.classic.push_back(std::move(*made));
    } else {
      *same = std::move(*made);
    }
  }

  // The row was to have latencies only, and there is none.
  void FailWithoutLatency() {
    const std::vector<PairPlan>& pairs = plan_.values.front().pairs;
    const bool was_tried =
        std::ranges::any_of(pairs, [](const PairPlan& pair) { return !pair.chains.empty(); });
    row_.notes = plan_.row.notes;  // the reason says it all
    row_.claims = plan_.row.claims;
    if (was_tried && !evidence_.death()) {
      row_.status = Status::kDisturbed;
      row_.reason = kTooFewSamples;
      return;
    }
    FailRow(pairs.empty() ? "it has no pair of operands, and so no latency" : NoWay(pairs.front()));
  }

  static std::string NoWay(const PairPlan& pair) {
    return "no way to close a chain from " + pair.from + " to " + pair.to;
  }

  void FailRow(const std::string& otherwise) {
    if (const auto& death = evidence_.death()) {
      Fail(*death, row_);
      if (row_.status == Status::kUnsupported && plan_.form.instruction.flags.traps) {
        row_.claims.pop_back();
        row_.reason = std::string("it ") + kEndsPrograms;
      }
      const std::string& reason = plan_.form.instruction.fault_reason;
      if (row_.status != Status::kCrashed || reason.empty()) return;
      row_.reason = reason;
    } else {
      row_.reason = otherwise;
    }
    row_.status = Status::kUnmeasurable;
  }

  void AddNotes() {
    const bool at_rename = std::ranges::any_of(row_.latency, [](const Latency& latency) {
      return latency.kind == LatencyKind::kExact && latency.cycles.high < kDoneAtRename;
    });
    if (at_rename) {
      const auto& operands = plan_.form.instruction.operands;
      const bool reads_one_twice = std::ranges::any_of(plan_.form.groups, [&](const Group& group) {
        return !group.fixed && std::ranges::count_if(group.operands, [&](std::size_t operand) {
                                 return operands[operand].read;
                               }) > 1;
      });
      row_.zero_idiom = reads_one_twice;
      AddNote({reads_one_twice ? ClaimCode::kZeroIdiom : ClaimCode::kEliminated, {}}, row_);
    }
    const auto update = std::ranges::find_if(row_.latency, [](const Latency& latency) {
      return latency.from == "memory" && latency.to == "memory";
    });
    if (update != row_.latency.end() && update->cycles.high < kMinUpdateCycles) {
      AddNote({ClaimCode::kMemoryRenaming, {{"cycles", update->cycles.value}}}, row_);
    }
    if (plan_.form.instruction.flags.writes_x87_top_only && row_.throughput) {
      AddNote({ClaimCode::kX87TopOnly, {}}, row_);
    }
    if (WaitsForOldValue()) AddNote(OldValue(), row_);
  }

  // Why the old value is waited for: the form may keep some of it.
  Claim OldValue() const {
    const assembler::Instruction& instruction = plan_.form.instruction;
    if (instruction.flags.keeps_where_source_is_zero)
      return {ClaimCode::kMergesDestination, {{"kept", "all for a zero source"}}};
    const bool keeps_part = std::ranges::any_of(
        instruction.operands,
        [](const assembler::Operand& operand) { return operand.written && operand.partial; });
    if (keeps_part) return {ClaimCode::kMergesDestination, {{"kept", "a part"}}};
    return {ClaimCode::kFalseDependence, {}};
  }

  bool WaitsForOldValue() const {
    const ValuesPlan& values = plan_.values.front();
    if (!values.same_destination || values.arrangements.empty()) return false;
    const Measurement* same = evidence_.Find(*values.same_destination);
    const Measurement* apart = evidence_.Find(values.arrangements.front().experiment);
    if (same == nullptr || apart == nullptr) return false;
    // Whole cycles more than where each copy has a destination of its own; less is noise, and so is
    // a small part of what long ones take, of which visits differ by more.
    constexpr double kWaitingCycles = 0.8;
    constexpr double kWaitingShare = 0.1;
    const Estimate together = evidence_.ValueOf(*same);
    const Estimate each = evidence_.ValueOf(*apart);
    return !together.contended && !each.contended && !together.disturbed && !each.disturbed &&
           together.states.empty() &&
           together.low - each.high > std::max(kWaitingCycles, kWaitingShare * each.value);
  }

  void JudgeRow() {
    if (HasDisturbedValue(row_)) {
      row_.status = Status::kDisturbed;
      row_.reason = kTooFewSamples;
    }
  }

  const FormPlan& plan_;
  Evidence evidence_;
  InstructionRow row_;
  std::optional<Slowness> slowest_;  // of the pair that the classic latency is that of
};

// A number of cycles that was not measured.
Estimate NoValue() {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  return {.value = kNothing, .low = kNothing, .high = kNothing};
}

Latency DryLatency(const PairPlan& pair, const std::vector<ChainPlan>& chains,
                   const std::string& values) {
  const ChainPlan& first = chains.front();
  Latency latency;
  latency.from = pair.from;
  latency.to = pair.to;
  latency.cycles = NoValue();
  latency.values = values;
  latency.connector = first.connector;
  latency.beside = first.beside;
  latency.code = first.code;
  latency.kind = first.connector.empty()        ? LatencyKind::kExact
                 : first.unknown_connectors > 0 ? LatencyKind::kUpperBound
                                                : LatencyKind::kConnected;
  for (const ChainPlan& chain : chains) {
    if (&chain != &first) latency.alternatives.push_back(chain.code);
  }
  return latency;
}

Throughput DryThroughput(const ValuesPlan& values) {
  Throughput throughput;
  throughput.cycles = NoValue();
  throughput.values = values.name;
  throughput.code = values.arrangements.front().code;
  std::vector<std::string>& others = throughput.alternatives;
  for (const ArrangementPlan& arrangement : values.arrangements) {
    // Some differ in nothing but their name.
    if (arrangement.code != throughput.code &&
        std::ranges::find(others, arrangement.code) == others.end()) {
      others.push_back(arrangement.code);
    }
  }
  return throughput;
}

}  // namespace

void Fail(const sandbox::Death& death, InstructionRow& row) {
  switch (death.kind) {
    case sandbox::DeathKind::kIllegalInstruction:
      row.status = Status::kUnsupported;
      row.claims.push_back({ClaimCode::kNotOffered, {{"reason", death.reason}}});
      row.reason = Sentence(row.claims.back());
      return;
    case sandbox::DeathKind::kTimeout:
      row.status = Status::kTimeout;
      break;
    case sandbox::DeathKind::kNotStarted:
    case sandbox::DeathKind::kCancelled:
      row.status = Status::kUnmeasurable;
      break;
    case sandbox::DeathKind::kBadAddress:
    case sandbox::DeathKind::kBusError:
    case sandbox::DeathKind::kArithmetic:
    case sandbox::DeathKind::kTrap:
    case sandbox::DeathKind::kForbiddenSystemCall:
    case sandbox::DeathKind::kOtherSignal:
    case sandbox::DeathKind::kExited:
    case sandbox::DeathKind::kProtocolError:
      row.status = Status::kCrashed;
      break;
  }
  row.reason = death.reason;
}

InstructionRow Conclude(const FormPlan& plan, std::span<const Measurement> measurements,
                        const Connectors& connectors, const Circumstances& circumstances) {
  return Conclusion(plan, Evidence(measurements, connectors, circumstances)).Row();
}

InstructionRow DryRow(const FormPlan& plan) {
  InstructionRow row = plan.row;
  if (plan.refused) return row;
  row.status = Status::kUnmeasurable;
  row.reason = "dry run: nothing was measured";
  for (const ValuesPlan& values : plan.values) {
    for (const PairPlan& pair : values.pairs) {
      if (!pair.chains.empty()) row.latency.push_back(DryLatency(pair, pair.chains, values.name));
      if (!pair.with_mixed_flags.empty())
        row.latency.push_back(DryLatency(pair, pair.with_mixed_flags, kMixedFlags));
    }
    if (values.arrangements.empty()) continue;
    Throughput throughput = DryThroughput(values);
    if (!values.name.empty()) row.throughput_by_values.push_back(throughput);
    if (!row.throughput) row.throughput = std::move(throughput);
  }
  return row;
}

}  // namespace cyclescope::instructions

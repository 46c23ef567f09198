#include "instructions/conclude.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "instructions/classic.h"

namespace cyclescope::instructions {
namespace {

using measure::Measurement;

// An exact latency well below a cycle means that the form was done before it reached any pipe.
constexpr double kDoneAtRename = 0.85;
// With other starts before it, a chain that is not whole gets so many more chances.
constexpr int kOtherStarts = 8;

// `part` taken off: the interval gets wider, as the two are uncertain independently.
void TakeOff(const Estimate& part, Estimate& estimate) {
  const double below = std::hypot(estimate.value - estimate.low, part.high - part.value);
  const double above = std::hypot(estimate.high - estimate.value, part.value - part.low);
  estimate.value -= part.value;
  estimate.low = estimate.value - below;
  estimate.high = estimate.value + above;
  estimate.disturbed |= part.disturbed;
  estimate.contended |= part.contended;
  for (double& sample : estimate.samples) sample -= part.value;
}

// A number of cycles that is known exactly.
Estimate Exactly(double cycles) { return {.value = cycles, .low = cycles, .high = cycles}; }

class Conclusion {
 public:
  Conclusion(const FormPlan& plan, std::span<const Measurement> measurements,
             const Connectors& connectors, const Circumstances& circumstances)
      : plan_(plan),
        measurements_(measurements),
        connectors_(connectors),
        circumstances_(circumstances) {}

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
    if (circumstances_.trusts_cycles) AddNotes();
    JudgeRow();
    return row_;
  }

 private:
  // ---- Latency

  struct MeasuredPair {
    Latency latency;
    const Measurement* chain = nullptr;
  };

  const Measurement* Find(ExperimentIndex experiment) const {
    if (experiment >= measurements_.size()) return nullptr;
    const Measurement& measurement = measurements_[experiment];
    return measurement.has_value() ? &measurement : nullptr;
  }

  void NoteFailure(ExperimentIndex experiment) {
    if (experiment < measurements_.size() && measurements_[experiment].death && !death_)
      death_ = measurements_[experiment].death;
  }

  // The chain's cycles, from the fastest of the states that it can settle in.
  std::pair<Estimate, const Measurement*> Fastest(const ChainPlan& chain,
                                                  const Measurement& first) const {
    const int contenders = 1 + static_cast<int>(chain.other_starts.size());
    Estimate best = EstimateOf(first, circumstances_.confidence, contenders);
    const Measurement* of = &first;
    for (const ExperimentIndex other : chain.other_starts) {
      const Measurement* measured = Find(other);
      if (measured == nullptr) continue;
      const Estimate estimate = EstimateOf(*measured, circumstances_.confidence, contenders);
      if (estimate.disturbed != best.disturbed ? best.disturbed : estimate.value < best.value) {
        best = estimate;
        of = measured;
      }
    }
    return {best, of};
  }

  // What a measured chain says about its pair.
  std::optional<MeasuredPair> Interpret(const ChainPlan& chain) {
    const Measurement* first = Find(chain.experiment);
    if (first == nullptr) {
      NoteFailure(chain.experiment);
      return std::nullopt;
    }
    const auto [estimate, measured] = Fastest(chain, *first);
    MeasuredPair pair{.latency = {}, .chain = measured};
    Latency& latency = pair.latency;
    latency.cycles = estimate;
    latency.connector = chain.connector;
    latency.code = chain.code;
    for (const std::string& name : chain.taken_off) {
      const auto known = connectors_.find(name);
      if (known == connectors_.end() || !known->second.has_value()) return std::nullopt;
      const Estimate taken_off = EstimateOf(known->second, circumstances_.confidence);
      TakeOff(taken_off, latency.cycles);
      AddConnector(taken_off, latency.connector_cycles);
    }
    latency.kind = chain.connector.empty() ? LatencyKind::kExact : LatencyKind::kConnected;
    if (chain.unknown_connectors == 0) return pair;
    // Only the sum is known. But every instruction that is not done at rename takes a cycle at
    // least: if the sum is one cycle each, then each takes one.
    const int links = 1 + chain.unknown_connectors;
    const bool one_each = !IsFraction(latency.cycles) &&
                          std::lround(latency.cycles.value) == links &&
                          latency.cycles.high < links + 0.5;
    if (one_each) TakeOff(Exactly(chain.unknown_connectors), latency.cycles);
    latency.kind = one_each ? LatencyKind::kConnected : LatencyKind::kUpperBound;
    return pair;
  }

  static void AddConnector(const Estimate& more, std::optional<Estimate>& sum) {
    if (!sum) {
      sum = more;
    } else {
      sum->value += more.value;
      sum->low += more.low;
      sum->high += more.high;
    }
    sum->samples.clear();
  }

  // Upper bounds compete: the lowest holds for all. Chains that leave the form through the flags
  // are the exception. Each of their connectors reads some flags only; one that reads none the form
  // writes is not on the chain at all, and shows too little.
  static bool IsBetter(const Latency& candidate, const Latency& best, bool through_flags) {
    if (candidate.cycles.disturbed != best.cycles.disturbed) return best.cycles.disturbed;
    if (through_flags) return candidate.cycles.value > best.cycles.value;
    return candidate.cycles.value < best.cycles.value;
  }

  std::optional<MeasuredPair> ConcludePair(const PairPlan& pair) {
    std::optional<MeasuredPair> best;
    for (const ChainPlan& chain : pair.chains) {
      auto candidate = Interpret(chain);
      if (!candidate) continue;
      if (!best || IsBetter(candidate->latency, best->latency, pair.through_flags))
        best = std::move(candidate);
      if (best->latency.kind == LatencyKind::kExact) break;
    }
    if (!best) return std::nullopt;
    best->latency.from = pair.from;
    best->latency.to = pair.to;
    best->latency.model = pair.model;
    return best;
  }

  // ---- Throughput

  struct MeasuredCopies {
    Throughput throughput;
    const Measurement* measurement = nullptr;
    bool spread = false;
    bool broken = false;
  };

  std::optional<MeasuredCopies> ConcludeThroughput(const ValuesPlan& values,
                                                   bool equal_sources_count) {
    std::optional<MeasuredCopies> best;
    for (const ArrangementPlan& arrangement : values.arrangements) {
      if (arrangement.equal_sources && !equal_sources_count) continue;
      const Measurement* measured = Find(arrangement.experiment);
      if (measured == nullptr) {
        NoteFailure(arrangement.experiment);
        continue;
      }
      const Estimate estimate = EstimateOf(*measured, circumstances_.confidence);
      // Only those that were visited to the end count: what was beaten after a visit or two is
      // known to be slower, but not by how much.
      if (best && (estimate.disturbed ||
                   (!best->throughput.cycles.disturbed &&
                    estimate.value >= measure::kClearlyBetter * best->throughput.cycles.value))) {
        continue;
      }
      best = MeasuredCopies{.throughput = {},
                            .measurement = measured,
                            .spread = arrangement.spread,
                            .broken = arrangement.broken};
      best->throughput.cycles = estimate;
      best->throughput.code = arrangement.code;
    }
    if (!best) return std::nullopt;
    best->throughput.values = values.name;
    best->throughput.upper_bound =
        best->throughput.cycles.contended || plan_.form.instruction.flags.writes_x87_top_only;
    WidenForChoice(values, *best);
    AddLimit(values, equal_sources_count, *best);
    return best;
  }

  // The least of the arrangements with or without fillers, of those that are known well enough;
  // infinite where there is none. What lost its race after a single visit is not.
  double Least(const ValuesPlan& values, bool equal_sources_count, bool spread) const {
    double least = std::numeric_limits<double>::infinity();
    for (const ArrangementPlan& arrangement : values.arrangements) {
      if (arrangement.spread != spread || arrangement.broken ||
          (arrangement.equal_sources && !equal_sources_count)) {
        continue;
      }
      const Measurement* measured = Find(arrangement.experiment);
      if (measured == nullptr || measured->contended) continue;
      constexpr std::size_t kFewest = 2;
      if (measured->visits.size() < kFewest && !measured->agreed) continue;
      least = std::min(least, EstimateOf(*measured, circumstances_.confidence).value);
    }
    return least;
  }

  // What fillers tell about the limit of copies back to back. Where both arrangements with fillers
  // are slower, it may be that the fillers themselves take too many slots.
  void AddLimit(const ValuesPlan& values, bool equal_sources_count, MeasuredCopies& best) const {
    if (best.throughput.upper_bound || best.broken || !circumstances_.trusts_cycles) return;
    const double packed = Least(values, equal_sources_count, /*spread=*/false);
    const double spread = Least(values, equal_sources_count, /*spread=*/true);
    if (!std::isfinite(packed) || !std::isfinite(spread)) return;
    // One of the two may have few visits, and is known within some per cent only.
    constexpr double kSame = 0.03;
    // Less may have other causes: `vpmulld` took 1.04 cycles back to back on an Emerald Rapids and
    // 1.00 with fillers, and we don't know why.
    constexpr double kMuchFaster = 0.92;
    if (best.spread && best.throughput.cycles.high < kMuchFaster * packed) {
      best.throughput.limit = "decoder";
      best.throughput.back_to_back = packed;
    } else if (std::abs(spread - packed) <= kSame * packed) {
      best.throughput.limit = "pipes";
    }
  }

  // The best of several that are equally good is too good by chance.
  void WidenForChoice(const ValuesPlan& values, MeasuredCopies& best) const {
    const int contenders =
        CountContenders(values, measurements_, circumstances_.confidence, best.throughput.cycles);
    best.throughput.cycles = EstimateOf(*best.measurement, circumstances_.confidence, contenders);
  }

  void AddClassic(const char* test, const Measurement& measurement) {
    if (circumstances_.clock == nullptr) return;
    if (auto made = MakeClassicRow(test, measurement.totals, *circumstances_.clock))
      row_.classic.push_back(std::move(*made));
  }

  // ---- The whole

  void AddValues(const ValuesPlan& values) {
    std::vector<MeasuredPair> pairs;
    std::vector<std::string> missing;
    for (const PairPlan& pair : values.pairs) {
      if (auto concluded = ConcludePair(pair)) {
        pairs.push_back(std::move(*concluded));
      } else {
        missing.push_back(pair.chains.empty() ? NoWay(pair) : std::string());
      }
    }
    const auto slowest = std::ranges::max_element(
        pairs, {}, [](const MeasuredPair& pair) { return pair.latency.cycles.value; });
    const Measurement* classic = nullptr;
    bool equal_sources_count = false;
    if (values.all_sources) {
      const Measurement* all = Find(values.all_sources->experiment);
      // Less than this share of its slowest pair: the sources no longer count.
      constexpr double kIdiom = 0.6;
      if (all != nullptr && (pairs.empty() || EstimateOf(*all, circumstances_.confidence).value >
                                                  kIdiom * slowest->latency.cycles.value)) {
        classic = all;
        equal_sources_count = true;
      }
    }
    if (classic == nullptr && !pairs.empty()) classic = slowest->chain;

    if (!values.arrangements.empty() || values.all_sources) {
      const auto throughput = ConcludeThroughput(values, equal_sources_count);
      if (!throughput && !values.arrangements.empty() && !death_) {
        row_.status = Status::kDisturbed;
        row_.reason = kTooFewSamples;
        return;
      }
      if (!throughput) return FailRow("not enough registers for independent copies");
      if (!values.name.empty()) row_.throughput_by_values.push_back(throughput->throughput);
      if (!row_.throughput) {
        row_.throughput = throughput->throughput;
        AddClassic("THR", *throughput->measurement);
        if (classic != nullptr) AddClassic("LAT", *classic);
      }
    }
    if (plan_.wants_latency) AddLatencies(std::move(pairs), missing, values.name);
  }

  void AddLatencies(std::vector<MeasuredPair> pairs, const std::vector<std::string>& missing,
                    const std::string& values) {
    for (MeasuredPair& pair : pairs) {
      pair.latency.values = values;
      row_.latency.push_back(std::move(pair.latency));
    }
    if (missing.empty()) return;
    const std::string reason = !missing.front().empty() ? missing.front()
                               : death_                 ? death_->reason
                                                        : std::string(kTooFewSamples);
    row_.notes.push_back("not every pair was measured: " + reason);
  }

  // The row was to have latencies only, and there is none.
  void FailWithoutLatency() {
    const std::vector<PairPlan>& pairs = plan_.values.front().pairs;
    const bool was_tried =
        std::ranges::any_of(pairs, [](const PairPlan& pair) { return !pair.chains.empty(); });
    row_.notes = plan_.row.notes;  // the reason says it all
    if (was_tried && !death_) {
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
    if (death_) {
      Fail(*death_, row_);
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
      return latency.kind == LatencyKind::kExact && latency.cycles.value < kDoneAtRename;
    });
    if (at_rename) {
      const auto& operands = plan_.form.instruction.operands;
      const bool reads_one_twice = std::ranges::any_of(plan_.form.groups, [&](const Group& group) {
        return !group.fixed && std::ranges::count_if(group.operands, [&](std::size_t operand) {
                                 return operands[operand].read;
                               }) > 1;
      });
      row_.notes.push_back(reads_one_twice ? "zero idiom: waits for none of its sources"
                                           : "eliminated: done at rename, in less than a cycle");
    }
    if (plan_.form.instruction.flags.writes_x87_top_only && row_.throughput) {
      row_.notes.push_back(
          "it writes st(0) and nothing else, so copies wait for each other: its throughput is an "
          "upper bound");
    }
    if (WaitsForOldValue()) {
      row_.notes.push_back(
          "false dependence: waits for the old value of its destination, which it does not use");
    }
  }

  bool WaitsForOldValue() const {
    const ValuesPlan& values = plan_.values.front();
    if (!values.same_destination || values.arrangements.empty()) return false;
    const Measurement* same = Find(*values.same_destination);
    const Measurement* apart = Find(values.arrangements.front().experiment);
    if (same == nullptr || apart == nullptr) return false;
    // Whole cycles more than where each copy has a destination of its own; less is noise.
    constexpr double kWaits = 0.8;
    return EstimateOf(*same, circumstances_.confidence).value -
               EstimateOf(*apart, circumstances_.confidence).value >
           kWaits;
  }

  void JudgeRow() {
    const auto disturbed = [](const Latency& latency) { return latency.cycles.disturbed; };
    if ((row_.throughput && row_.throughput->cycles.disturbed) ||
        std::ranges::any_of(row_.latency, disturbed)) {
      row_.status = Status::kDisturbed;
      row_.reason = kTooFewSamples;
    }
  }

  const FormPlan& plan_;
  std::span<const Measurement> measurements_;
  const Connectors& connectors_;
  const Circumstances& circumstances_;
  InstructionRow row_;
  std::optional<sandbox::Death> death_;
};

}  // namespace

int CountContenders(const ValuesPlan& values, std::span<const Measurement> measurements,
                    double confidence, const Estimate& best) {
  int contenders = 0;
  for (const ArrangementPlan& arrangement : values.arrangements) {
    if (arrangement.experiment >= measurements.size()) continue;
    const Measurement& measured = measurements[arrangement.experiment];
    if (!measured.has_value()) continue;
    const Estimate estimate = EstimateOf(measured, confidence);
    if (!estimate.disturbed && estimate.low <= best.high) ++contenders;
  }
  return std::max(contenders, 1);
}

bool IsFraction(const Estimate& estimate) {
  // Of a short latency this is more than the interval, of a long one less.
  constexpr double kNear = 0.03;
  const double whole = std::round(estimate.value);
  return std::abs(estimate.value - whole) >= kNear &&
         (estimate.low > whole || estimate.high < whole);
}

void Fail(const sandbox::Death& death, InstructionRow& row) {
  switch (death.kind) {
    case sandbox::DeathKind::kIllegalInstruction:
      row.status = Status::kUnsupported;
      row.reason = "this CPU or virtual machine does not offer it to programs: " + death.reason;
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
  return Conclusion(plan, measurements, connectors, circumstances).Row();
}

InstructionRow DryRow(const FormPlan& plan) {
  InstructionRow row = plan.row;
  if (plan.refused) return row;
  row.status = Status::kUnmeasurable;
  row.reason = "dry run: nothing was measured";
  const ValuesPlan& values = plan.values.front();
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  for (const PairPlan& pair : values.pairs) {
    if (pair.chains.empty()) continue;
    const ChainPlan& chain = pair.chains.front();
    Latency latency;
    latency.from = pair.from;
    latency.to = pair.to;
    latency.cycles = Exactly(kNothing);
    latency.connector = chain.connector;
    latency.code = chain.code;
    latency.kind = chain.connector.empty()        ? LatencyKind::kExact
                   : chain.unknown_connectors > 0 ? LatencyKind::kUpperBound
                                                  : LatencyKind::kConnected;
    row.latency.push_back(std::move(latency));
  }
  if (!values.arrangements.empty()) {
    row.throughput.emplace();
    row.throughput->cycles = Exactly(kNothing);
    row.throughput->code = values.arrangements.front().code;
  }
  return row;
}

bool ExtendPlan(std::span<const Measurement> measurements, const Circumstances& circumstances,
                Planner& planner, FormPlan& plan) {
  if (!circumstances.trusts_cycles) return false;
  const std::size_t before = plan.experiments.size();
  std::size_t race = kRacesPerValues * plan.values.size();
  for (ValuesPlan& values : plan.values) {
    for (PairPlan& pair : values.pairs) {
      for (ChainPlan& chain : pair.chains) {
        if (chain.unknown_connectors > 0 || !chain.other_starts.empty()) continue;
        if (chain.experiment >= measurements.size()) continue;
        const Measurement& measured = measurements[chain.experiment];
        if (!measured.has_value() || measured.contended) continue;
        if (!IsFraction(EstimateOf(measured, circumstances.confidence))) continue;
        ++race;
        for (int lead = 1; lead <= kOtherStarts; ++lead) {
          Sequence sequence = chain.sequence;
          sequence.lead = lead;
          auto other = planner.ExperimentOf(sequence);
          if (!other) break;
          other->race = race;
          chain.other_starts.push_back(plan.experiments.size());
          plan.experiments.push_back(std::move(*other));
        }
      }
    }
  }
  return plan.experiments.size() > before;
}

}  // namespace cyclescope::instructions

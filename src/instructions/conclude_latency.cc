#include "instructions/conclude_latency.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cyclescope::instructions {
namespace {

using measure::Measurement;

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
  for (ValueState& state : estimate.states) state.value -= part.value;
}

void AddConnector(const Estimate& more, std::optional<Estimate>& sum) {
  if (!sum) {
    sum = more;
  } else {
    const double below = std::hypot(sum->value - sum->low, more.value - more.low);
    const double above = std::hypot(sum->high - sum->value, more.high - more.value);
    sum->value += more.value;
    sum->low = sum->value - below;
    sum->high = sum->value + above;
    sum->kept = std::min(sum->kept, more.kept);
    sum->rejected += more.rejected;
    sum->visits = std::min(sum->visits, more.visits);
    sum->disturbed |= more.disturbed;
    sum->contended |= more.contended;
  }
  sum->samples.clear();
}

// The chain's cycles, from the fastest of the states that it can settle in. The chain itself is one
// of `chains` from which one is chosen.
std::pair<Estimate, const Measurement*> Fastest(const ChainPlan& chain, const Measurement& first,
                                                const Evidence& evidence, int chains) {
  const int contenders = chains * (1 + static_cast<int>(chain.other_starts.size()));
  Estimate best = evidence.ValueOf(first, contenders);
  const Measurement* of = &first;
  for (const ExperimentIndex other : chain.other_starts) {
    const Measurement* measured = evidence.Find(other);
    if (measured == nullptr) continue;
    const Estimate estimate = evidence.ValueOf(*measured, contenders);
    if (estimate.disturbed != best.disturbed ? best.disturbed : estimate.value < best.value) {
      best = estimate;
      of = measured;
    }
  }
  return {best, of};
}

// Upper bounds compete: the lowest holds for all. Chains that leave the form through the flags are
// the exception. Each of their connectors reads some flags only; one that reads none the form
// writes is not on the chain at all, and shows too little.
bool IsBetter(const Latency& candidate, const Latency& best, bool through_flags) {
  if (candidate.cycles.disturbed != best.cycles.disturbed) return best.cycles.disturbed;
  if (through_flags) return candidate.cycles.value > best.cycles.value;
  return candidate.cycles.value < best.cycles.value;
}

// What all chains of one kind say of a pair.
std::optional<MeasuredPair> BestOf(const std::vector<ChainPlan>& chains, const PairPlan& pair,
                                   Evidence& evidence) {
  std::optional<MeasuredPair> best;
  const auto measured = static_cast<int>(std::ranges::count_if(
      chains, [&evidence](const ChainPlan& chain) { return evidence.Find(chain.experiment); }));
  for (const ChainPlan& chain : chains) {
    // A chain of the form alone counts before any with connectors.
    auto candidate = ReadChain(chain, evidence, chain.connector.empty() ? 1 : measured);
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

// True if two latencies differ by more than noise: cores count in cycles.
bool Differ(const Estimate& one, const Estimate& other) {
  constexpr double kLeastDifferenceCycles = 0.5;
  const auto is_good = [](const Estimate& estimate) {
    return !estimate.disturbed && !estimate.contended;
  };
  return is_good(one) && is_good(other) &&
         std::abs(one.value - other.value) >= kLeastDifferenceCycles &&
         (one.low > other.high || one.high < other.low);
}

}  // namespace

void BoundByThroughput(const Throughput& throughput, Latency& latency) {
  constexpr double kMinMultiCycles = 1.5;
  const Estimate& copies = throughput.cycles;
  const Estimate& chain = latency.cycles;
  if (latency.kind != LatencyKind::kExact || latency.from == "memory") return;
  if (throughput.upper_bound || copies.contended || chain.contended) return;
  if (chain.value >= kMinMultiCycles && chain.low <= copies.high)
    latency.kind = LatencyKind::kUpperBound;
}

Estimate InFastestState(Estimate estimate) {
  if (estimate.states.empty()) return estimate;
  const double sooner =
      estimate.value - std::ranges::min(estimate.states, {}, &ValueState::value).value;
  estimate.value -= sooner;
  estimate.low -= sooner;
  estimate.high -= sooner;
  estimate.states.clear();
  estimate.two_modes = false;
  return estimate;
}

bool IsFraction(const Estimate& estimate) {
  // Of a short latency this is more than the interval, of a long one less.
  constexpr double kWholeCycleTolerance = 0.03;
  const double whole = std::round(estimate.value);
  return std::abs(estimate.value - whole) >= kWholeCycleTolerance &&
         (estimate.low > whole || estimate.high < whole);
}

std::optional<MeasuredPair> ReadChain(const ChainPlan& chain, Evidence& evidence, int chains) {
  const Measurement* first = evidence.Ask(chain.experiment);
  if (first == nullptr) return std::nullopt;
  const auto [estimate, measured] = Fastest(chain, *first, evidence, chains);
  MeasuredPair pair{.latency = {},
                    .chain = measured,
                    .instructions_per_link = chain.sequence.InstructionsPerUnit()};
  Latency& latency = pair.latency;
  latency.cycles = estimate;
  latency.connector = chain.connector;
  latency.beside = chain.beside;
  latency.code = chain.code;
  for (const std::string& name : chain.taken_off) {
    const Measurement* connector = evidence.Connector(name);
    if (connector == nullptr) return std::nullopt;
    const Estimate taken_off = InFastestState(evidence.ValueOf(*connector));
    TakeOff(taken_off, latency.cycles);
    AddConnector(taken_off, latency.connector_cycles);
  }
  latency.kind = chain.connector.empty() ? LatencyKind::kExact : LatencyKind::kConnected;
  if (chain.unknown_connectors == 0) return pair;
  // Only the sum is known. But every instruction that is not done at rename takes a cycle at least:
  // if the sum is one cycle each, then each takes one.
  const int links = 1 + chain.unknown_connectors;
  const bool one_each = !IsFraction(latency.cycles) && std::lround(latency.cycles.value) == links &&
                        latency.cycles.high < links + 0.5;
  if (one_each) {
    const double known = chain.unknown_connectors;
    TakeOff({.value = known, .low = known, .high = known}, latency.cycles);
  }
  latency.kind = one_each ? LatencyKind::kConnected : LatencyKind::kUpperBound;
  return pair;
}

std::optional<MeasuredPair> ConcludePair(const PairPlan& pair, Evidence& evidence) {
  auto best = BestOf(pair.chains, pair, evidence);
  const auto to_others = BestOf(pair.to_others, pair, evidence);
  if (!best) return to_others;
  if (to_others && Differ(best->latency.cycles, to_others->latency.cycles)) {
    // With more between the links, a link takes no longer: not the pair is the limit, but how often
    // the unit takes one. (Under a mask `vdivpd` passes the old destination on, while it divides.)
    if (to_others->latency.cycles.value < best->latency.cycles.value) {
      best->latency.kind = LatencyKind::kUpperBound;
    } else {
      best->latency.to_others = to_others->latency.cycles;
    }
  }
  const auto mixed = BestOf(pair.with_mixed_flags, pair, evidence);
  if (mixed && Differ(best->latency.cycles, mixed->latency.cycles)) {
    best->with_mixed_flags = mixed->latency;
    best->latency.values = kWholeFlags;
    best->with_mixed_flags->values = kMixedFlags;
  }
  return best;
}

bool ExtendPlan(std::span<const Measurement> measurements, const Circumstances& circumstances,
                Planner& planner, FormPlan& plan) {
  if (!circumstances.trusts_cycles) return false;
  // The number of further tries for a chain that is no whole number of cycles.
  constexpr int kMoreTries = 8;
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
        for (int lead = 1; lead <= kMoreTries; ++lead) {
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

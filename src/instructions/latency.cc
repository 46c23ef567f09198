#include "instructions/latency.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclescope::instructions {
namespace {

void Shift(Estimate& estimate, double cycles) {
  estimate.value -= cycles;
  estimate.low -= cycles;
  estimate.high -= cycles;
  for (double& sample : estimate.samples) sample -= cycles;
}

// What a measured chain says about its pair.
Latency Interpret(const Chain& chain, const measure::Measurement& measured) {
  Latency latency;
  latency.cycles = measured.estimate;
  latency.connector = chain.connector;
  latency.code = Listing(chain.sequence);
  Shift(latency.cycles, chain.known_cycles);
  if (chain.unknown_connectors > 0) {
    // Only the sum is known. But every instruction that is not done at rename takes a cycle at
    // least: if the sum is one cycle each, then each takes one.
    const int links = 1 + chain.unknown_connectors;
    const bool one_each =
        IsWhole(latency.cycles.value) && std::lround(latency.cycles.value) == links;
    if (one_each) Shift(latency.cycles, chain.unknown_connectors);
    latency.kind = one_each ? LatencyKind::kConnected : LatencyKind::kUpperBound;
  } else if (chain.connector.empty()) {
    latency.kind = LatencyKind::kExact;
  } else {
    latency.kind = LatencyKind::kConnected;
  }
  return latency;
}

// Upper bounds compete: the lowest holds for all. Chains that leave the form through the flags are
// the exception. Each of their connectors reads some flags only; one that reads none the form
// writes is not on the chain at all, and shows too little.
bool Better(const Latency& candidate, const Latency& best, bool leaves_through_flags) {
  if (leaves_through_flags) return candidate.cycles.value > best.cycles.value;
  return candidate.cycles.value < best.cycles.value;
}

std::expected<Latency, Failure> MeasurePair(Lab& lab, const ChainBuilder& builder, const Form& form,
                                            const Pair& pair) {
  const std::vector<Chain> chains = builder.Build(pair);
  Failure failure = {Status::kUnmeasurable,
                     fmt::format("no way to close a chain from {} to {}", builder.NameOf(pair.from),
                                 builder.NameOf(pair.to))};
  std::optional<Latency> best;
  const bool through_flags =
      pair.to != kMemory && form.groups[pair.to].file == RegisterFile::kFlags;
  for (const Chain& chain : chains) {
    const auto measured = chain.unknown_connectors == 0 ? lab.MeasureFastest(chain.sequence)
                                                        : lab.Measure(chain.sequence);
    if (!measured) {
      failure = measured.error();
      continue;
    }
    Latency latency = Interpret(chain, *measured);
    if (!best || Better(latency, *best, through_flags)) best = std::move(latency);
    if (best->kind == LatencyKind::kExact) break;
  }
  if (!best) return std::unexpected(failure);
  best->from = builder.NameOf(pair.from);
  best->to = builder.NameOf(pair.to);
  return *best;
}

}  // namespace

Estimate NotMeasured() {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  return {.value = kNothing, .low = kNothing, .high = kNothing};
}

std::string Listing(const Sequence& sequence) {
  return fmt::format("{}", fmt::join(sequence.text, "\n"));
}

LatencyResult MeasureLatencies(Lab& lab, const Form& form, const arch::ValueSet* values) {
  const ChainBuilder builder(lab, form, values);
  LatencyResult result;
  for (const Pair& pair : builder.Pairs()) {
    auto latency = MeasurePair(lab, builder, form, pair);
    if (!latency) {
      if (!result.failure) result.failure = latency.error();
      continue;
    }
    if (values != nullptr) latency->values = values->name;
    result.pairs.push_back(std::move(*latency));
  }
  return result;
}

std::vector<Latency> PlanLatencies(Lab& lab, const Form& form, const arch::ValueSet* values) {
  const ChainBuilder builder(lab, form, values);
  std::vector<Latency> pairs;
  for (const Pair& pair : builder.Pairs()) {
    const std::vector<Chain> chains = builder.Build(pair);
    if (chains.empty()) continue;
    Latency latency = Interpret(chains.front(), {});
    latency.cycles = NotMeasured();
    latency.from = builder.NameOf(pair.from);
    latency.to = builder.NameOf(pair.to);
    pairs.push_back(std::move(latency));
  }
  return pairs;
}

std::optional<ClassicLatency> MeasureClassicLatency(Lab& lab, const Form& form,
                                                    const arch::ValueSet* values,
                                                    const std::vector<Latency>& pairs) {
  const auto slowest =
      std::ranges::max_element(pairs, {}, [](const Latency& pair) { return pair.cycles.value; });
  const ChainBuilder builder(lab, form, values);
  if (const auto chain = builder.BuildAllSources()) {
    const auto measured = lab.Measure(chain->sequence);
    constexpr double kIdiom =
        0.6;  // less than this share of its slowest pair: the sources no longer count
    if (measured && (pairs.empty() || measured->estimate.value > kIdiom * slowest->cycles.value)) {
      return ClassicLatency{*measured, true};
    }
  }
  if (pairs.empty()) return std::nullopt;
  for (const Pair& pair : builder.Pairs()) {
    if (builder.NameOf(pair.from) != slowest->from || builder.NameOf(pair.to) != slowest->to)
      continue;
    for (const Chain& chain : builder.Build(pair)) {
      const auto measured = lab.Measure(chain.sequence);
      if (measured) return ClassicLatency{*measured, false};
    }
  }
  return std::nullopt;
}

}  // namespace cyclescope::instructions

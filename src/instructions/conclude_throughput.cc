#include "instructions/conclude_throughput.h"

#include <algorithm>
#include <optional>

#include "statistics/statistics.h"

namespace cyclescope::instructions {
namespace {

using measure::Measurement;

bool Counts(const ArrangementPlan& arrangement, bool equal_sources_count) {
  return !arrangement.equal_sources || equal_sources_count;
}

// What an arrangement is compared by: how slow it may be. The difference of two runs is too small
// when the shorter one was slow by chance: `ldtr` on a Neoverse V1 took 0.28 cycles in two visits
// of three, where three loads in a cycle are the most.
// Of many visits, one that was hit by something says nothing: three of four are not slower.
double SlowestOf(const Measurement& measured, const Estimate& estimate) {
  constexpr std::size_t kVisitsForQuantile = 8;
  constexpr double kSlowVisitQuantile = 0.75;
  std::vector<double> medians;
  for (const measure::Visit& visit : measured.visits)
    medians.push_back(statistics::Median(visit.cycles));
  if (medians.size() >= kVisitsForQuantile)
    return statistics::Quantile(medians, kSlowVisitQuantile);
  return estimate.states.empty() ? estimate.high
                                 : std::max(estimate.high, std::ranges::max(medians));
}

// The arrangement that is fastest; null where none has a value.
const ArrangementPlan* Best(const ValuesPlan& values, bool equal_sources_count,
                            Evidence& evidence) {
  const ArrangementPlan* best = nullptr;
  bool best_is_disturbed = false;
  double slowest_of_best = 0;
  for (const ArrangementPlan& arrangement : values.arrangements) {
    if (!Counts(arrangement, equal_sources_count)) continue;
    const Measurement* measured = evidence.Ask(arrangement.experiment);
    if (measured == nullptr) continue;
    const Estimate estimate = evidence.ValueOf(*measured);
    // Only those that were visited to the end count: what was beaten after a visit or two is known
    // to be slower, but not by how much.
    const double slowest = SlowestOf(*measured, estimate);
    if (best != nullptr &&
        (estimate.disturbed ||
         (!best_is_disturbed && slowest >= measure::kBeatsRatio * slowest_of_best))) {
      continue;
    }
    best = &arrangement;
    best_is_disturbed = estimate.disturbed;
    slowest_of_best = slowest;
  }
  return best;
}

// The least of the arrangements with or without fillers, of those that are known well enough; unset
// where there is none. What lost its race after a single visit is not.
std::optional<Estimate> Least(const ValuesPlan& values, bool equal_sources_count, bool has_fillers,
                              const Evidence& evidence) {
  std::optional<Estimate> least;
  for (const ArrangementPlan& arrangement : values.arrangements) {
    if (arrangement.has_fillers != has_fillers || arrangement.broken ||
        !Counts(arrangement, equal_sources_count)) {
      continue;
    }
    const Measurement* measured = evidence.Find(arrangement.experiment);
    if (measured == nullptr || measured->contended) continue;
    constexpr std::size_t kFewestVisits = 2;
    if (measured->visits.size() < kFewestVisits && !measured->agreed) continue;
    const Estimate value = evidence.ValueOf(*measured);
    if (value.disturbed) continue;
    if (!least || value.value < least->value) least = value;
  }
  return least;
}

// What fillers tell about the limit of copies back to back. Where both arrangements with fillers
// are slower, it may be that the fillers themselves take too many slots.
void AddLimit(const ValuesPlan& values, bool equal_sources_count, const ArrangementPlan& best,
              const Evidence& evidence, Throughput& throughput) {
  if (throughput.upper_bound || throughput.cycles.disturbed || best.broken ||
      !evidence.circumstances().trusts_cycles) {
    return;
  }
  const auto packed = Least(values, equal_sources_count, /*has_fillers=*/false, evidence);
  const auto with_fillers = Least(values, equal_sources_count, /*has_fillers=*/true, evidence);
  if (!packed || !with_fillers) return;
  // One of the two may have few visits, and is known within some per cent only.
  constexpr double kSameThroughputRatio = 1.05;
  // Less may have other causes: `vpmulld` took 1.04 cycles back to back on an Emerald Rapids and
  // 1.00 with fillers, and we don't know why.
  constexpr double kDecoderLimitRatio = 0.92;
  if (best.has_fillers && throughput.cycles.high < kDecoderLimitRatio * packed->low) {
    throughput.limit = "decoder";
    throughput.back_to_back = packed->value;
  } else if (with_fillers->high <= kSameThroughputRatio * packed->low &&
             packed->high <= kSameThroughputRatio * with_fillers->low) {
    throughput.limit = "pipes";
  }
}

// One that is as good within the noise may be a little faster, and what was beaten after a visit or
// two as fast as its fastest visit. One that was never seen on a quiet core leaves no more than an
// upper bound.
void AddRivals(const ValuesPlan& values, bool equal_sources_count, const ArrangementPlan& best,
               const Evidence& evidence, Throughput& throughput) {
  for (const ArrangementPlan& arrangement : values.arrangements) {
    const Measurement* rival = evidence.Find(arrangement.experiment);
    if (&arrangement == &best || rival == nullptr || rival->visits.empty() ||
        !Counts(arrangement, equal_sources_count))
      continue;
    std::vector<double> quiet;
    for (const measure::Visit& visit : rival->visits) {
      if (visit.state != measure::CoreState::kContended)
        quiet.push_back(statistics::Median(visit.cycles));
    }
    if (quiet.empty()) {
      throughput.cycles.contended = true;
      throughput.upper_bound = true;
      continue;
    }
    const double as_fast_as = quiet.size() < statistics::kFewestVisits ? std::ranges::min(quiet)
                                                                       : statistics::Median(quiet);
    throughput.cycles.low = std::min(throughput.cycles.low, as_fast_as);
  }
}

}  // namespace

std::optional<MeasuredCopies> ConcludeThroughput(const ValuesPlan& values,
                                                 EqualSources equal_sources, bool upper_bound,
                                                 Evidence& evidence) {
  const bool equal_sources_count = equal_sources == EqualSources::kWaits;
  const ArrangementPlan* best = Best(values, equal_sources_count, evidence);
  if (best == nullptr) return std::nullopt;
  MeasuredCopies copies{.throughput = {},
                        .measurement = evidence.Find(best->experiment),
                        .instructions_per_copy = best->instructions_per_copy};
  Throughput& throughput = copies.throughput;
  throughput.cycles = evidence.ValueOf(*copies.measurement);
  throughput.code = best->code;
  throughput.values = values.name;
  throughput.upper_bound = throughput.cycles.contended || upper_bound;
  // The best of several that are equally good is too good by chance.
  const int contenders = CountContenders(values, evidence.measurements(),
                                         evidence.circumstances().confidence, throughput.cycles);
  throughput.cycles = evidence.ValueOf(*copies.measurement, contenders);
  // A quiet core might have taken less, as the probes beside it would.
  throughput.cycles.low -= copies.measurement->wide_excess * throughput.cycles.value;
  if (!copies.measurement->agreed)
    AddRivals(values, equal_sources != EqualSources::kIdiom, *best, evidence, throughput);
  AddLimit(values, equal_sources_count, *best, evidence, throughput);
  return copies;
}

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

}  // namespace cyclescope::instructions

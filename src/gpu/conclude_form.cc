#include "gpu/conclude_form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "gpu/form_kernels.h"
#include "statistics/statistics.h"

namespace cyclescope::gpu {
namespace {

// What one visit says of a chain.
struct ChainVisit {
  double cycles = 0;  // of a copy
  int rejected = 0;   // passes
  bool is_linear = true;
};

// Of a pass: cycles that are none (a clock that jumped) are left out.
std::optional<double> CyclesOf(std::span<const std::uint64_t> passes, int& rejected) {
  std::vector<double> kept;
  for (const std::uint64_t each : passes.subspan(kColdPasses)) {
    const auto cycles = static_cast<std::int64_t>(each);
    constexpr std::int64_t kMaxCycles = std::int64_t{1} << 40;
    if (cycles > 0 && cycles < kMaxCycles) {
      kept.push_back(static_cast<double>(cycles));
    } else {
      ++rejected;
    }
  }
  if (kept.empty()) return std::nullopt;
  const double middle = statistics::Median(kept);
  const auto before = kept.size();
  std::erase_if(kept, [middle](double each) { return each < middle / 2 || each > 2 * middle; });
  rejected += static_cast<int>(before - kept.size());
  if (kept.empty()) return std::nullopt;
  return statistics::Median(kept);
}

// The slope over the three lengths, of the chain through that line; what the clock and the loop
// take is in all of them.
std::optional<ChainVisit> VisitLine(std::span<const std::uint64_t> words, std::size_t out_words,
                                    const PairPlan& pair, std::size_t line, int copies) {
  ChainVisit visit;
  std::array<double, 3> cycles = {};
  const std::size_t lines = LinesOf(*pair.spec.form);
  for (std::size_t i = 0; i < kLengths.size(); ++i) {
    const auto passes = words.subspan((pair.first_launch + i * lines + line) * out_words, kPasses);
    const auto median = CyclesOf(passes, visit.rejected);
    if (!median) return std::nullopt;
    cycles[i] = *median;
  }
  visit.cycles = (cycles[2] - cycles[0]) / (3.0 * copies);
  const double first = (cycles[1] - cycles[0]) / copies;
  const double second = (cycles[2] - cycles[1]) / (2.0 * copies);
  visit.is_linear = std::abs(first - second) <= std::max(0.1 * std::abs(visit.cycles), 0.1);
  return visit;
}

// The least of all lines.
std::optional<ChainVisit> VisitOf(std::span<const std::uint64_t> words, std::size_t out_words,
                                  const PairPlan& pair, int copies) {
  std::optional<ChainVisit> least;
  int rejected = 0;
  for (std::size_t line = 0; line < LinesOf(*pair.spec.form); ++line) {
    const auto visit = VisitLine(words, out_words, pair, line, copies);
    if (!visit) continue;
    rejected += visit->rejected;
    if (!least || visit->cycles < least->cycles) least = visit;
  }
  if (least) least->rejected = rejected;
  return least;
}

// The longest of all multiprocessors.
std::optional<double> SpanOf(std::span<const std::uint64_t> words, std::size_t blocks) {
  constexpr std::size_t kWords = 2 * kThroughputThreads / kWarpThreads;
  double longest = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto span = SpanOfWarps(words.subspan(block * kWords, kWords));
    if (!span) return std::nullopt;
    longest = std::max(longest, *span);
  }
  return longest;
}

Estimate EstimateOf(std::vector<double> values, int rejected, double confidence) {
  const int visits = static_cast<int>(values.size());
  Estimate estimate = statistics::Summarize(std::move(values), rejected, confidence);
  estimate.visits = visits;
  estimate.samples.clear();
  return estimate;
}

Estimate Minus(Estimate value, const Estimate& taken_off) {
  value.value -= taken_off.value;
  const double low = value.low - taken_off.high;
  value.high -= taken_off.low;
  value.low = low;
  return value;
}

// What a copy of the chain looks like.
std::vector<std::string> CopyLines(const PairPlan& pair) {
  std::vector<std::string> lines = {pair.spec.form->text};
  if (!pair.link.alternate.empty()) lines.push_back(pair.link.alternate);
  if (!pair.link.connector.empty()) lines.push_back(pair.link.connector);
  return lines;
}

GpuChain ChainOf(ChainVariant variant) {
  switch (variant) {
    case ChainVariant::kRotating:
      return GpuChain::kPlain;
    case ChainVariant::kGuarded:
      return GpuChain::kGuarded;
    case ChainVariant::kAlternating:
      return GpuChain::kAlternate;
  }
  std::unreachable();
}

// The row of a pair; unset where the latency of its connector is not known.
std::optional<GpuLatency> LatencyOf(const FormPlan& plan, const PairPlan& pair, Estimate estimate,
                                    const KnownLatencies& known) {
  GpuLatency latency;
  latency.from = plan.form->sources[*pair.spec.source].text;
  latency.to = plan.form->results[*pair.spec.result].text;
  latency.connector = pair.link.connector;
  latency.machine_instructions = pair.instructions;
  switch (pair.link.kind) {
    case LinkKind::kDirect:
      latency.kind =
          pair.link.alternate.empty() ? GpuLatencyKind::kExact : GpuLatencyKind::kConnected;
      if (!pair.link.alternate.empty()) latency.connector = pair.link.alternate;
      break;
    case LinkKind::kRoundTrip:
      latency.kind = GpuLatencyKind::kRoundTrip;
      break;
    case LinkKind::kConnected: {
      latency.kind = GpuLatencyKind::kConnected;
      const auto found = known.find(pair.link.connector);
      if (found == known.end()) return std::nullopt;
      estimate = Minus(estimate, found->second);
      break;
    }
  }
  if (*pair.instructions > MostOf(pair)) {
    latency.kind = GpuLatencyKind::kRoundTrip;
    latency.connector = "what the compiler makes of the guard";
  }
  latency.cycles = std::move(estimate);
  return latency;
}

// The longer kernel less the shorter one. Where a copy among others became less than an
// instruction, nothing is known of it.
std::optional<GpuThroughput> ThroughputOf(const FormPlan& plan, const DeviceFacts& device,
                                          std::span<const std::vector<std::uint64_t>> visits,
                                          double confidence) {
  constexpr double kPackedInstructions = 0.9;
  const PairPlan* main = ThroughputPair(plan);
  if (main == nullptr || plan.throughput_instructions.value_or(1) < kPackedInstructions)
    return std::nullopt;
  const std::size_t out_words = OutWords(device);
  const auto rates = [&](std::size_t first, std::size_t blocks) {
    std::vector<double> values;
    for (const std::vector<std::uint64_t>& words : visits) {
      const std::span<const std::uint64_t> all(words);
      const auto shorter = SpanOf(all.subspan(first * out_words, out_words), blocks);
      const auto longer = SpanOf(all.subspan((first + 1) * out_words, out_words), blocks);
      if (!shorter || !longer || *longer <= *shorter) continue;
      values.push_back(static_cast<double>(blocks) * kThroughputThreads * plan.throughput_copies *
                       plan.throughput_passes / (*longer - *shorter));
    }
    return values;
  };
  const auto estimate_of = [&](const std::vector<double>& values) {
    return EstimateOf(values, static_cast<int>(visits.size() - values.size()), confidence);
  };
  const auto per_sm = rates(plan.throughput_launch, 1);
  if (per_sm.empty()) return std::nullopt;
  const auto per_gpu = rates(plan.throughput_launch + kThroughputLengths.size(),
                             static_cast<std::size_t>(device.multiprocessors));
  GpuThroughput throughput;
  throughput.per_sm = estimate_of(per_sm);
  throughput.at_least =
      main->link.kind != LinkKind::kDirect || !main->link.alternate.empty() || !IsAsAlone(*main);
  if (!per_gpu.empty()) throughput.per_gpu = estimate_of(per_gpu);
  if (const std::int64_t operations = MatrixOperations(plan.form->opcode); operations > 0) {
    throughput.operations_per_sm =
        throughput.per_sm.value / kWarpThreads * static_cast<double>(operations);
  }
  return throughput;
}

}  // namespace

std::optional<double> SpanOfWarps(std::span<const std::uint64_t> words) {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (std::size_t at = 0; at + 1 < words.size(); at += 2) {
    const auto warp_begin = static_cast<std::int64_t>(words[at]);
    const auto warp_end = static_cast<std::int64_t>(words[at + 1]);
    if (warp_end <= warp_begin) return std::nullopt;
    begin = std::min(begin, warp_begin);
    end = std::max(end, warp_end);
  }
  return static_cast<double>(end - begin);
}

GpuInstruction Conclude(const FormPlan& plan, const DeviceFacts& device,
                        std::span<const std::vector<std::uint64_t>> visits,
                        const KnownLatencies& known, double confidence) {
  GpuInstruction row;
  row.text = plan.form->text;
  row.group = plan.group;
  const PairPlan* main = ThroughputPair(plan);
  if (main != nullptr) {
    row.machine_instructions = main->instructions;
    row.chain = ChainOf(main->spec.variant);
    row.ptx = CopyLines(*main);
  }
  if (!HasWork(plan)) {
    row.status = Status::kUnmeasurable;
    row.folded = true;
    row.reason = "the driver's compiler makes less of the copies than there are";
    return row;
  }
  const std::size_t out_words = OutWords(device);
  const int passes_of_a_visit =
      static_cast<int>(kLengths.size() * LinesOf(*plan.form)) * (kPasses - kColdPasses);
  bool is_linear = true;
  int taken = 0;
  int rejected_in_all = 0;
  for (const PairPlan& pair : plan.pairs) {
    if (!pair.is_settled) continue;
    std::vector<double> cycles;
    int rejected = 0;
    for (const std::vector<std::uint64_t>& words : visits) {
      const auto visit = VisitOf(words, out_words, pair, plan.copies);
      taken += passes_of_a_visit;
      if (!visit) {
        rejected_in_all += passes_of_a_visit;
        continue;
      }
      rejected += visit->rejected;
      is_linear = is_linear && visit->is_linear;
      cycles.push_back(visit->cycles);
    }
    rejected_in_all += rejected;
    if (cycles.empty()) continue;
    Estimate estimate = EstimateOf(std::move(cycles), rejected, confidence);
    if (!pair.link.alternate.empty()) {
      const auto found = known.find(pair.link.alternate);
      if (found == known.end()) continue;
      estimate = Minus(estimate, found->second);
    }
    if (!pair.spec.source) {
      row.repeat = estimate;
      continue;
    }
    if (auto latency = LatencyOf(plan, pair, std::move(estimate), known))
      row.latency.push_back(std::move(*latency));
  }
  row.throughput = ThroughputOf(plan, device, visits, confidence);
  const bool has_values = !row.latency.empty() || row.repeat || row.throughput;
  if (has_values && 2 * rejected_in_all <= taken && is_linear) return row;
  row.status = Status::kDisturbed;
  row.reason = 2 * rejected_in_all > taken ? kMostPassesDropped
               : !has_values               ? "no chain of it gave a value"
                                           : "twice as many copies do not take twice as long";
  return row;
}

GpuInstruction FailedRow(std::string_view group, std::string_view text, const JobFailure& failure) {
  GpuInstruction row;
  row.group = std::string(group);
  row.text = std::string(text);
  row.reason = failure.message;
  switch (failure.kind) {
    case FailureKind::kCompiler:
      row.status = Status::kUnsupported;
      break;
    case FailureKind::kKernel:
    case FailureKind::kDied:
      row.status = Status::kCrashed;
      break;
    case FailureKind::kTimeout:
      row.status = Status::kTimeout;
      break;
    case FailureKind::kNoLibrary:
    case FailureKind::kNoDriver:
    case FailureKind::kNoDevice:
    case FailureKind::kRefused:
    case FailureKind::kStopped:
      row.status = Status::kUnmeasurable;
      break;
  }
  return row;
}

}  // namespace cyclescope::gpu

#include "gpu/form_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "gpu/cubin.h"
#include "statistics/statistics.h"

namespace cyclescope::gpu {
namespace {

// Passes of a latency kernel. The first ones fetch the code.
constexpr int kPasses = 10;
constexpr int kColdPasses = 3;
constexpr std::array<int, 3> kLengths = {1, 2, 4};
// Throughput kernels have two lengths, too, with as many passes: neither the loop nor the start
// counts.
constexpr std::array<int, 2> kThroughputLengths = {1, 2};
// Lines of global memory that latencies are measured with. The least counts: that of a line in the
// near part of L2. All of them stay below kMostShift.
constexpr std::size_t kFormLines = 32;
constexpr std::uint64_t kFormLineStride = 128 * 33;
constexpr unsigned kWarpThreads = 32;

// Copies of a probe. Code is padded to 128 bytes, so that fewer would tell nothing.
constexpr int kProbeShort = 16;
constexpr int kProbeLong = 48;

constexpr int kShortSingles = 16;

std::string ProbeName(std::size_t pair, ChainVariant variant, int copies) {
  return fmt::format("p{}v{}n{}", pair, static_cast<int>(variant), copies);
}
std::string SingleName(std::size_t pair, int copies) { return fmt::format("p{}s{}", pair, copies); }
std::string LatencyName(std::size_t pair, int length) {
  return fmt::format("p{}x{}", pair, length);
}
std::string ThroughputName(int length) { return fmt::format("t{}", length); }

// Whether the code of a copy can be told from that of what leads to it: one register goes in, and
// one comes out.
bool CanStandAlone(const PairPlan& pair) {
  if (!pair.spec.source || pair.link.kind != LinkKind::kDirect) return false;
  const PtxForm& form = *pair.spec.form;
  if (form.access_bytes > 0 || form.results.size() > 1) return false;
  const std::vector<std::size_t>& to = form.results.front().registers;
  const std::vector<std::size_t>& from = form.sources[*pair.spec.source].registers;
  if (to.size() > 1 || from.size() > 1) return false;
  const RegisterKind kind = form.registers[to.front()].kind;
  return kind == form.registers[from.front()].kind && BitsOf(kind) >= 32;
}

// What a copy of the chain may have less or more than alone: sizes are padded, and long sequences
// overlap a little.
double FewestOf(const PairPlan& pair) { return 0.9 * pair.alone.value_or(1) - 0.1; }
double MostOf(const PairPlan& pair) {
  return pair.alone ? 1.1 * *pair.alone + 0.1 : std::numeric_limits<double>::infinity();
}

// Instructions between copies.
double ExtraOf(const PairPlan& pair) {
  return (pair.link.kind == LinkKind::kDirect ? 0 : 1) +
         (pair.spec.variant == ChainVariant::kAlternating ? 1 : 0);
}

bool IsAsAlone(const PairPlan& pair) {
  return pair.is_settled && *pair.instructions <= MostOf(pair);
}

// The chain that throughput is measured with: one without anything between copies, where there is.
const PairPlan* ThroughputPair(const FormPlan& plan) {
  const PairPlan* best = nullptr;
  const auto extra = [](const PairPlan& pair) {
    return (pair.link.kind != LinkKind::kDirect ? 2 : 0) +
           (pair.spec.variant == ChainVariant::kAlternating ? 1 : 0);
  };
  for (const PairPlan& pair : plan.pairs) {
    if (pair.is_settled && (best == nullptr || extra(pair) < extra(*best))) best = &pair;
  }
  return best;
}

std::size_t ThroughputWords(const DeviceFacts& device) {
  return 2 * static_cast<std::size_t>(device.multiprocessors) * kThroughputThreads / kWarpThreads;
}

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

std::size_t LinesOf(const PtxForm& form) { return GlobalBytes(form, 1) > 0 ? kFormLines : 1; }

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

// From when the first warp began to when the last one ended, the longest of all multiprocessors.
std::optional<double> SpanOf(std::span<const std::uint64_t> words, std::size_t blocks) {
  constexpr std::size_t kWarps = kThroughputThreads / kWarpThreads;
  double longest = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    for (std::size_t warp = 0; warp < kWarps; ++warp) {
      const std::size_t at = 2 * (block * kWarps + warp);
      const auto warp_begin = static_cast<std::int64_t>(words[at]);
      const auto warp_end = static_cast<std::int64_t>(words[at + 1]);
      if (warp_end <= warp_begin) return std::nullopt;
      begin = warp == 0 ? warp_begin : std::min(begin, warp_begin);
      end = warp == 0 ? warp_end : std::max(end, warp_end);
    }
    longest = std::max(longest, static_cast<double>(end - begin));
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

}  // namespace

FormPlan StartPlan(std::string_view group, PtxForm form) {
  FormPlan plan;
  plan.group = std::string(group);
  plan.form = std::make_unique<PtxForm>(std::move(form));
  for (std::size_t source = 0; source < plan.form->sources.size(); ++source) {
    for (std::size_t result = 0; result < plan.form->results.size(); ++result) {
      PairPlan pair;
      pair.spec = {.form = plan.form.get(), .source = source, .result = result};
      auto link = LinkOf(pair.spec);
      if (!link) continue;
      pair.link = std::move(*link);
      plan.pairs.push_back(std::move(pair));
    }
  }
  plan.has_chain = !plan.pairs.empty();
  if (!plan.has_chain) plan.pairs.push_back({.spec = {.form = plan.form.get()}});
  return plan;
}

KernelJob ProbeJob(const FormPlan& plan, const DeviceFacts& device,
                   std::span<const ChainVariant> variants) {
  ModuleText module(device);
  for (std::size_t i = 0; i < plan.pairs.size(); ++i) {
    if (IsAsAlone(plan.pairs[i])) continue;
    if (!plan.pairs[i].alone && CanStandAlone(plan.pairs[i])) {
      for (const int copies : {kShortSingles, kSingles})
        AddSingleEntry(module, SingleName(i, copies), plan.pairs[i].spec, copies);
    }
    for (const ChainVariant variant : variants) {
      ChainSpec spec = plan.pairs[i].spec;
      spec.variant = variant;
      if ((variant == ChainVariant::kAlternating && !spec.result) || !LinkOf(spec)) continue;
      for (const int copies : {kProbeShort, kProbeLong})
        AddLatencyEntry(module, ProbeName(i, variant, copies), spec, copies);
    }
  }
  return {.device = device.ordinal, .ptx = module.Text(), .limit_ms = 30'000};
}

void ChooseVariants(FormPlan& plan, const DeviceFacts& device,
                    std::span<const ChainVariant> variants, std::string_view cubin) {
  // Instructions that more copies add, each.
  const auto growth = [&](const std::string& shorter, const std::string& longer,
                          int copies) -> std::optional<double> {
    const auto before = CodeBytes(cubin, shorter);
    const auto after = CodeBytes(cubin, longer);
    if (!before || !after) return std::nullopt;
    return static_cast<double>(*after - *before) / InstructionBytes(device.major) / copies;
  };
  for (std::size_t i = 0; i < plan.pairs.size(); ++i) {
    PairPlan& pair = plan.pairs[i];
    if (IsAsAlone(pair)) continue;
    const double connector = pair.link.kind == LinkKind::kDirect ? 0 : 1;
    if (!pair.alone) {
      const auto alone =
          growth(SingleName(i, kShortSingles), SingleName(i, kSingles), kSingles - kShortSingles);
      if (alone) pair.alone = std::max(1.0, std::round(*alone));
    }
    for (const ChainVariant variant : variants) {
      const auto all = growth(ProbeName(i, variant, kProbeShort), ProbeName(i, variant, kProbeLong),
                              kProbeLong - kProbeShort);
      if (!all) continue;
      const double own = *all - (variant == ChainVariant::kAlternating ? 1 : 0) - connector;
      if (own < FewestOf(pair)) {
        if (!pair.is_settled) pair.instructions = own;
        continue;
      }
      constexpr double kBetter = 0.2;
      if (pair.is_settled && own >= *pair.instructions - kBetter) continue;
      ChainSpec spec = pair.spec;
      spec.variant = variant;
      auto link = LinkOf(spec);
      if (!link) continue;
      pair.spec = spec;
      pair.link = std::move(*link);
      pair.instructions = own;
      pair.is_settled = true;
    }
  }
}

std::string ShownEntry(const FormPlan& plan) {
  const PairPlan* main = ThroughputPair(plan);
  if (main == nullptr) return "";
  return ProbeName(static_cast<std::size_t>(main - plan.pairs.data()), main->spec.variant,
                   kProbeShort);
}

bool NeedsOtherVariants(const FormPlan& plan) {
  return !std::ranges::all_of(plan.pairs, IsAsAlone);
}

bool HasWork(const FormPlan& plan) {
  return std::ranges::any_of(plan.pairs, &PairPlan::is_settled);
}

std::vector<std::string> ConnectorsOf(const FormPlan& plan) {
  std::vector<std::string> texts;
  for (const PairPlan& pair : plan.pairs) {
    if (pair.link.kind == LinkKind::kConnected) texts.push_back(pair.link.connector);
    if (!pair.link.alternate.empty()) texts.push_back(pair.link.alternate);
  }
  return texts;
}

KernelJob JobOf(FormPlan& plan, const DeviceFacts& device) {
  double most = 1;
  for (const PairPlan& pair : plan.pairs) {
    if (pair.is_settled) most = std::max(most, *pair.instructions);
  }
  // Long enough to be exact to a thousandth, short enough for the compiler and the code's cache.
  plan.copies = most <= 2 ? 32 : most <= 6 ? 16 : most <= 16 ? 8 : 4;
  const int chains = ChainsOf(*plan.form);
  const int wanted = std::max(1, static_cast<int>(64 / most) / chains) * chains;
  plan.throughput_copies = wanted;
  plan.throughput_passes = std::max(4, 1024 / wanted);

  ModuleText module(device);
  KernelJob job;
  job.device = device.ordinal;
  job.out_words = std::max<std::size_t>(kPasses, ThroughputWords(device));
  const auto sms = static_cast<unsigned>(device.multiprocessors);
  job.memory_bytes = GlobalBytes(*plan.form, sms);
  // Before every chain, since some of them change what memory holds.
  const auto fill = [&] {
    if (job.memory_bytes == 0) return;
    const auto word = static_cast<unsigned>(FillWordBytes(*plan.form));
    job.launches.push_back({.entry = kFillEntry,
                            .blocks = sms,
                            .threads = 256,
                            .a = job.memory_bytes / word,
                            .b = word,
                            .c = static_cast<std::uint64_t>(GranuleBytes(*plan.form))});
  };
  if (job.memory_bytes > 0) AddFillEntry(module);
  for (std::size_t i = 0; i < plan.pairs.size(); ++i) {
    if (!plan.pairs[i].is_settled) continue;
    fill();
    plan.pairs[i].first_launch = job.launches.size();
    for (const int length : kLengths) {
      AddLatencyEntry(module, LatencyName(i, length), plan.pairs[i].spec, length * plan.copies);
      for (std::size_t line = 0; line < LinesOf(*plan.form); ++line) {
        job.launches.push_back({.entry = LatencyName(i, length),
                                .threads = kWarpThreads,
                                .shared_bytes = SharedBytes(*plan.form, kWarpThreads, 1),
                                .a = kPasses,
                                .b = line * kFormLineStride});
      }
    }
  }
  if (const PairPlan* pair = ThroughputPair(plan)) {
    fill();
    plan.throughput_launch = job.launches.size();
    for (const int length : kThroughputLengths)
      AddThroughputEntry(module, ThroughputName(length), pair->spec,
                         length * plan.throughput_copies);
    for (const unsigned blocks : {1U, sms}) {
      for (const int length : kThroughputLengths) {
        job.launches.push_back({.entry = ThroughputName(length),
                                .blocks = blocks,
                                .threads = kThroughputThreads,
                                .shared_bytes = SharedBytes(*plan.form, kThroughputThreads, chains),
                                .a = static_cast<std::uint64_t>(plan.throughput_passes)});
      }
    }
  }
  job.ptx = module.Text();
  job.upload = module.Upload();
  return job;
}

void NoteThroughputCode(FormPlan& plan, const DeviceFacts& device, std::string_view cubin) {
  const auto shorter = CodeBytes(cubin, ThroughputName(kThroughputLengths.front()));
  const auto longer = CodeBytes(cubin, ThroughputName(kThroughputLengths.back()));
  const PairPlan* main = ThroughputPair(plan);
  if (!shorter || !longer || main == nullptr) return;
  plan.throughput_instructions = static_cast<double>(*longer - *shorter) /
                                     InstructionBytes(device.major) / plan.throughput_copies -
                                 ExtraOf(*main);
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
  const std::size_t out_words = std::max<std::size_t>(kPasses, ThroughputWords(device));
  bool is_linear = true;
  int taken = 0;
  int rejected_in_all = 0;
  for (const PairPlan& pair : plan.pairs) {
    if (!pair.is_settled) continue;
    std::vector<double> cycles;
    int rejected = 0;
    for (const std::vector<std::uint64_t>& words : visits) {
      const auto visit = VisitOf(words, out_words, pair, plan.copies);
      taken += static_cast<int>(kLengths.size() * LinesOf(*plan.form)) * (kPasses - kColdPasses);
      if (!visit) {
        rejected_in_all +=
            static_cast<int>(kLengths.size() * LinesOf(*plan.form)) * (kPasses - kColdPasses);
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
        if (found == known.end()) continue;
        estimate = Minus(estimate, found->second);
        break;
      }
    }
    if (*pair.instructions > MostOf(pair)) {
      latency.kind = GpuLatencyKind::kRoundTrip;
      latency.connector = "what the compiler makes of the guard";
    }
    latency.cycles = std::move(estimate);
    row.latency.push_back(std::move(latency));
  }

  // Throughput: the longer kernel less the shorter one. Where a copy among others became less than
  // an instruction, nothing is known of it.
  const bool is_packed = plan.throughput_instructions.value_or(1) < 0.9;
  if (main != nullptr && !is_packed) {
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
    const auto per_sm = rates(plan.throughput_launch, 1);
    const auto per_gpu = rates(plan.throughput_launch + kThroughputLengths.size(),
                               static_cast<std::size_t>(device.multiprocessors));
    if (!per_sm.empty()) {
      GpuThroughput throughput;
      throughput.per_sm =
          EstimateOf(per_sm, static_cast<int>(visits.size() - per_sm.size()), confidence);
      throughput.at_least = main->link.kind != LinkKind::kDirect || !main->link.alternate.empty() ||
                            !IsAsAlone(*main);
      if (!per_gpu.empty()) {
        throughput.per_gpu =
            EstimateOf(per_gpu, static_cast<int>(visits.size() - per_gpu.size()), confidence);
      }
      if (const std::int64_t operations = MatrixOperations(plan.form->opcode); operations > 0) {
        throughput.operations_per_sm =
            throughput.per_sm.value / kWarpThreads * static_cast<double>(operations);
      }
      row.throughput = throughput;
    }
  }
  const bool has_values = !row.latency.empty() || row.repeat || row.throughput;
  if (!has_values || 2 * rejected_in_all > taken) {
    row.status = Status::kDisturbed;
    row.reason = "the GPU's clock jumped while it was measured";
  } else if (!is_linear) {
    row.status = Status::kDisturbed;
    row.reason = "twice as many copies do not take twice as long";
  }
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

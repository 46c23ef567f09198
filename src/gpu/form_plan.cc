#include "gpu/form_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gpu/cubin.h"
#include "gpu/form_kernels.h"

namespace cyclescope::gpu {
namespace {

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

// True if the code of a copy can be told from that of what leads to it: one register goes in, and
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

// As MostOf: with fewer the chain was folded.
double FewestOf(const PairPlan& pair) { return 0.9 * pair.alone.value_or(1) - 0.1; }
// Instructions between copies.
double ExtraOf(const PairPlan& pair) {
  return (pair.link.kind == LinkKind::kDirect ? 0 : 1) +
         (pair.spec.variant == ChainVariant::kAlternating ? 1 : 0);
}

}  // namespace

std::size_t LinesOf(const PtxForm& form) { return GlobalBytes(form, 1) > 0 ? kFormLines : 1; }

std::size_t OutWords(const DeviceFacts& device) {
  const auto of_throughput =
      2 * static_cast<std::size_t>(device.multiprocessors) * kThroughputThreads / kWarpThreads;
  return std::max<std::size_t>(kPasses, of_throughput);
}

double MostOf(const PairPlan& pair) {
  return pair.alone ? 1.1 * *pair.alone + 0.1 : std::numeric_limits<double>::infinity();
}

bool IsAsAlone(const PairPlan& pair) {
  return pair.is_settled && *pair.instructions <= MostOf(pair);
}

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
      constexpr double kFewerInstructions = 0.2;
      if (pair.is_settled && own >= *pair.instructions - kFewerInstructions) continue;
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
  job.out_words = OutWords(device);
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

}  // namespace cyclescope::gpu

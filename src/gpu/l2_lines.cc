#include "gpu/l2_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "base/try.h"
#include "gpu/kernel_text.h"
#include "statistics/dendrogram.h"
#include "statistics/spectrum.h"
#include "statistics/statistics.h"

namespace cyclescope::gpu {
namespace {

constexpr std::size_t kLines = 96;
constexpr int kShortChainLoads = 8;
constexpr int kLongChainLoads = 40;

std::string TimedLoads(int count, const char* cycles) {
  std::string text =
      "  mov.u64 %p, %line;\n"
      "  mov.u64 %begin, %clock64;\n"
      "  @%never bra.uni DONE;\n";
  for (int i = 0; i < count; ++i) text += "  ld.global.cg.u64 %p, [%p];\n";
  text += fmt::format(
      "  setp.eq.u64 %never, %p, 1;\n"
      "  @%never bra.uni DONE;\n"
      "  mov.u64 %end, %clock64;\n"
      "  sub.u64 {}, %end, %begin;\n",
      cycles);
  return text;
}

void AddLinesEntry(ModuleText& module) {
  // out[block * (lines + 1)] is the multiprocessor; then the lines' cycles of the longer chain less
  // those of the shorter one.
  module.AddEntry(
      "lines", 1,
      "  .reg .b64 %p, %line, %begin, %end, %to, %short, %long;\n"
      "  .reg .b32 %i, %block, %sm;\n"
      "  .reg .pred %more, %never;\n"
      "  mov.u32 %block, %ctaid.x;\n" +
          fmt::format("  mul.wide.u32 %to, %block, {};\n", 8 * (kLines + 1)) +
          "  add.u64 %to, %to, %out;\n"
          "  mov.u32 %sm, %smid;\n"
          "  cvt.u64.u32 %long, %sm;\n"
          "  st.global.u64 [%to], %long;\n"
          "  setp.eq.u64 %never, %mem, 1;\n"
          "  mov.u64 %line, %mem;\n"
          "  mov.u32 %i, 0;\n"
          "LINE:\n"
          "  ld.global.cg.u64 %p, [%line];\n"
          "  setp.eq.u64 %never, %p, 1;\n"
          "  @%never bra.uni DONE;\n" +
          TimedLoads(kShortChainLoads, "%short") + TimedLoads(kLongChainLoads, "%long") +
          "  sub.u64 %long, %long, %short;\n"
          "  add.u64 %to, %to, 8;\n"
          "  st.global.u64 [%to], %long;\n" +
          fmt::format("  add.u64 %line, %line, {};\n", kLineStride) + "  add.u32 %i, %i, 1;\n" +
          fmt::format("  setp.lt.u32 %more, %i, {};\n", kLines) +
          "  @%more bra.uni LINE;\n"
          "DONE:\n");
}

}  // namespace

unsigned WholeShared(const DeviceFacts& device) {
  return static_cast<unsigned>(device.shared_per_block);
}

CoreSpectrum LevelsOf(const std::vector<double>& cycles) {
  CoreSpectrum spectrum = statistics::FindSpectrum(cycles);
  for (std::size_t i = 0; i < spectrum.levels.size(); ++i)
    spectrum.levels[i].name = fmt::format("level {}", i + 1);
  return spectrum;
}

Estimate EstimateWithoutSamples(const std::vector<double>& values, double confidence) {
  Estimate estimate = statistics::Summarize(values, 0, confidence);
  estimate.samples.clear();
  return estimate;
}

JobResult<LineProfile> MeasureLines(Executor& executor, const DeviceFacts& device) {
  ModuleText module(device);
  AddFillEntry(module);
  AddLinesEntry(module);
  const auto sms = static_cast<unsigned>(device.multiprocessors);
  KernelJob job;
  job.device = device.ordinal;
  job.ptx = module.Text();
  job.upload = module.Upload();
  job.memory_bytes = kLines * kLineStride;
  job.out_words = std::size_t{sms} * (kLines + 1);
  job.launches.push_back({.entry = kFillEntry,
                          .blocks = sms,
                          .threads = 256,
                          .a = job.memory_bytes / 8,
                          .b = 8,
                          .c = 8});
  constexpr std::size_t kTimes = 3;
  for (std::size_t i = 0; i < kTimes; ++i)
    job.launches.push_back(
        {.entry = "lines", .blocks = sms, .threads = 1, .shared_bytes = WholeShared(device)});
  const auto result = TRY(executor.Run(job));
  // By multiprocessor: the least of the times for each line, since others disturb it.
  std::vector<std::pair<int, std::vector<double>>> found;
  for (std::size_t launch = 1; launch <= kTimes; ++launch) {
    for (std::size_t block = 0; block < sms; ++block) {
      const std::size_t at = launch * job.out_words + block * (kLines + 1);
      const auto sm = static_cast<int>(result.out[at]);
      auto known = std::ranges::find(found, sm, &std::pair<int, std::vector<double>>::first);
      if (known == found.end()) {
        found.emplace_back(sm, std::vector<double>(kLines, std::numeric_limits<double>::max()));
        known = found.end() - 1;
      }
      for (std::size_t line = 0; line < kLines; ++line) {
        const auto cycles = static_cast<std::int64_t>(result.out[at + 1 + line]);
        if (cycles <= 0) continue;
        double& least = known->second[line];
        least = std::min(least, static_cast<double>(cycles) / (kLongChainLoads - kShortChainLoads));
      }
    }
  }
  std::ranges::sort(found);
  LineProfile profile;
  for (auto& [sm, cycles] : found) {
    if (std::ranges::max(cycles) > 1e9) continue;  // a line that no launch measured
    profile.sms.push_back(sm);
    profile.cycles.push_back(std::move(cycles));
  }
  return profile;
}

std::optional<GpuL2> ReadL2(const LineProfile& profile, const std::vector<GpuGroup>& groups,
                            double confidence) {
  if (profile.cycles.empty()) return std::nullopt;
  std::vector<double> all;
  for (const std::vector<double>& lines : profile.cycles)
    all.insert(all.end(), lines.begin(), lines.end());
  GpuL2 l2;
  l2.spectrum = LevelsOf(all);
  if (groups.size() != 2) {
    l2.near = EstimateWithoutSamples(all, confidence);
    return l2;
  }
  // A line is near to the group that has it faster.
  std::vector<std::size_t> first;
  std::vector<std::size_t> second;
  for (std::size_t i = 0; i < profile.sms.size(); ++i) {
    const bool is_first = std::ranges::find(groups[0].sms, profile.sms[i]) != groups[0].sms.end();
    (is_first ? first : second).push_back(i);
  }
  std::vector<double> near;
  std::vector<double> far;
  for (std::size_t line = 0; line < kLines; ++line) {
    const auto values = [&](const std::vector<std::size_t>& members) {
      std::vector<double> cycles;
      for (const std::size_t i : members) cycles.push_back(profile.cycles[i][line]);
      return cycles;
    };
    const std::vector<double> one = values(first);
    const std::vector<double> other = values(second);
    const bool is_near_first = statistics::Median(one) <= statistics::Median(other);
    near.push_back(statistics::Median(is_near_first ? one : other));
    far.push_back(statistics::Median(is_near_first ? other : one));
  }
  l2.near = EstimateWithoutSamples(near, confidence);
  l2.far = EstimateWithoutSamples(far, confidence);
  return l2;
}

std::vector<GpuGroup> ReadGroups(const LineProfile& profile) {
  const std::size_t count = profile.sms.size();
  if (count < 4) return {};
  // What distinguishes lines is compared, not how far a multiprocessor is from all of them.
  std::vector<std::vector<double>> views = profile.cycles;
  for (std::vector<double>& view : views) {
    const double middle = statistics::Median(view);
    for (double& each : view) each -= middle;
  }
  const auto distance = [&](std::size_t left, std::size_t right) {
    double sum = 0;
    for (std::size_t i = 0; i < kLines; ++i) sum += std::abs(views[left][i] - views[right][i]);
    return sum / kLines;
  };
  const std::vector<statistics::Merge> merges = statistics::Cluster(count, distance);
  // Two parts, if they differ much more than what is in them.
  constexpr double kPartDistanceRatio = 2;
  const double last = merges.back().distance;
  const double before = merges[merges.size() - 2].distance;
  if (last <= kPartDistanceRatio * before) return {};
  std::vector<std::size_t> root(count);
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t at) {
    while (root[at] != at) at = root[at];
    return at;
  };
  for (std::size_t i = 0; i + 1 < merges.size(); ++i)
    root[find(merges[i].right)] = find(merges[i].left);
  std::vector<GpuGroup> groups;
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t own = find(i);
    auto known = std::ranges::find(roots, own);
    if (known == roots.end()) {
      roots.push_back(own);
      groups.push_back({fmt::format("partition {}", static_cast<char>('A' + groups.size())), {}});
      known = roots.end() - 1;
    }
    groups[static_cast<std::size_t>(known - roots.begin())].sms.push_back(profile.sms[i]);
  }
  return groups;
}

}  // namespace cyclescope::gpu

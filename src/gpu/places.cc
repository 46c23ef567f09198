#include "gpu/places.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "cores/dendrogram.h"
#include "cores/spectrum.h"
#include "gpu/kernel_text.h"
#include "measure/statistics.h"

namespace cyclescope::gpu {
namespace {

constexpr std::size_t kLines = 96;
constexpr std::uint64_t kLineStride = 128 * 33;  // spreads over slices and partitions
constexpr int kShortChain = 8;
constexpr int kLongChain = 40;

// One block fills a multiprocessor, if it takes all of its shared memory.
unsigned WholeShared(const DeviceFacts& device) {
  return static_cast<unsigned>(device.shared_per_block);
}

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
  module.AddEntry("lines", 1,
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
                      TimedLoads(kShortChain, "%short") + TimedLoads(kLongChain, "%long") +
                      "  sub.u64 %long, %long, %short;\n"
                      "  add.u64 %to, %to, 8;\n"
                      "  st.global.u64 [%to], %long;\n" +
                      fmt::format("  add.u64 %line, %line, {};\n", kLineStride) +
                      "  add.u32 %i, %i, 1;\n" +
                      fmt::format("  setp.lt.u32 %more, %i, {};\n", kLines) +
                      "  @%more bra.uni LINE;\n"
                      "DONE:\n");
}

// Lines of a pair, and round trips over each.
constexpr std::size_t kPairLines = 6;
constexpr int kWarmTrips = 2;
constexpr int kTrips = 10;
constexpr std::uint64_t kGiveUpCycles = std::uint64_t{1} << 27;
constexpr std::uint64_t kFlagsAt = 4096;  // behind the counter of arrivals

// Waits until the word at `flag` is %want; gives up late. The clock is looked at seldom, since
// every instruction in the loop makes it slower to see the word.
std::string WaitForFlag(const std::string& label, const char* flag, const char* scope,
                        std::uint64_t give_up_cycles) {
  return fmt::format(
      "{0}:\n"
      "  ld.relaxed.{2}.global.u64 %seen, [{1}];\n"
      "  setp.eq.u64 %is_there, %seen, %want;\n"
      "  @%is_there bra {0}_DONE;\n"
      "  add.u32 %polls, %polls, 1;\n"
      "  and.b32 %low_bits, %polls, 255;\n"
      "  setp.ne.u32 %is_there, %low_bits, 0;\n"
      "  @%is_there bra {0};\n"
      "  mov.u64 %now, %clock64;\n"
      "  sub.u64 %now, %now, %started;\n"
      "  setp.gt.u64 %is_late, %now, {3};\n"
      "  @%is_late bra LATE;\n"
      "  bra {0};\n"
      "{0}_DONE:\n",
      label, flag, scope, give_up_cycles);
}

// The answer has a flag of its own, two lines behind the call's: a store need not wait for loads of
// the same word.
constexpr int kAnswerOffset = 256;

constexpr char kPairRegisters[] =
    "  .reg .b64 %flag, %answer, %want, %seen, %now, %started, %begin, %end, %to, %target, %pair;\n"
    "  .reg .b32 %sm, %first, %second, %trip, %trips, %line, %polls, %low_bits;\n"
    "  .reg .pred %is_there, %is_late, %is_first, %is_second, %more, %is_warm;\n"
    "  mov.u32 %polls, 0;\n";

void AddClearEntry(ModuleText& module) {
  // `a` words of 64 bits, by one block.
  module.AddEntry("clear", 256,
                  "  .reg .b64 %i, %count, %at;\n"
                  "  .reg .pred %more;\n"
                  "  ld.param.u64 %count, [a];\n"
                  "  cvt.u64.u32 %i, %thread;\n"
                  "NEXT:\n"
                  "  setp.ge.u64 %more, %i, %count;\n"
                  "  @%more bra DONE;\n"
                  "  shl.b64 %at, %i, 3;\n"
                  "  add.u64 %at, %at, %mem;\n"
                  "  st.global.u64 [%at], 0;\n"
                  "  add.u64 %i, %i, 256;\n"
                  "  bra NEXT;\n"
                  "DONE:\n");
}

void AddPairEntry(ModuleText& module) {
  // `a`: the two multiprocessors; `d`: how many blocks have arrived in all launches so far, with
  // this one. A block must not end before all have begun, or the next one takes its place.
  module.AddEntry(
      "pair", 1,
      std::string(kPairRegisters) +
          "  mov.u64 %started, %clock64;\n"
          "  ld.param.u64 %target, [d];\n"
          "  ld.param.u64 %pair, [a];\n"
          "  mov.b64 {%first, %second}, %pair;\n"
          "  mov.u32 %sm, %smid;\n"
          "  mov.u64 %flag, %mem;\n"
          "  atom.relaxed.gpu.global.add.u64 %seen, [%flag], 1;\n"
          "ARRIVE:\n"
          "  ld.relaxed.gpu.global.u64 %seen, [%flag];\n"
          "  setp.ge.u64 %is_there, %seen, %target;\n"
          "  @%is_there bra ARRIVED;\n"
          "  mov.u64 %now, %clock64;\n"
          "  sub.u64 %now, %now, %started;\n" +
          fmt::format("  setp.gt.u64 %is_late, %now, {};\n", kGiveUpCycles) +
          "  @%is_late bra LATE;\n"
          "  bra ARRIVE;\n"
          "ARRIVED:\n"
          "  setp.eq.u32 %is_first, %sm, %first;\n"
          "  setp.eq.u32 %is_second, %sm, %second;\n"
          "  shl.b64 %want, %target, 16;\n" +
          fmt::format("  add.u64 %flag, %flag, {};\n", kFlagsAt) +
          fmt::format("  add.u64 %answer, %flag, {};\n", kAnswerOffset) +
          "  mov.u64 %to, %out;\n"
          "  mov.u32 %line, 0;\n"
          "  @%is_first bra START;\n"
          "  @%is_second bra ANSWER;\n"
          "  bra LATE;\n"
          "START:\n"
          "  mov.u32 %trip, 0;\n"
          "START_TRIP:\n" +
          fmt::format("  setp.eq.u32 %is_warm, %trip, {};\n", kWarmTrips) +
          "  @%is_warm mov.u64 %begin, %clock64;\n"
          "  add.u64 %want, %want, 1;\n"
          "  st.relaxed.gpu.global.u64 [%flag], %want;\n" +
          WaitForFlag("BACK", "%answer", "gpu", kGiveUpCycles) + "  add.u32 %trip, %trip, 1;\n" +
          fmt::format("  setp.lt.u32 %more, %trip, {};\n", kWarmTrips + kTrips) +
          "  @%more bra START_TRIP;\n"
          "  mov.u64 %end, %clock64;\n"
          "  sub.u64 %end, %end, %begin;\n"
          "  st.global.u64 [%to], %end;\n"
          "  add.u64 %to, %to, 8;\n" +
          fmt::format("  add.u64 %flag, %flag, {0};\n  add.u64 %answer, %answer, {0};\n",
                      kLineStride) +
          "  add.u32 %line, %line, 1;\n" +
          fmt::format("  setp.lt.u32 %more, %line, {};\n", kPairLines) +
          "  @%more bra START;\n"
          "  bra LATE;\n"
          "ANSWER:\n"
          "  mov.u32 %trip, 0;\n"
          "ANSWER_TRIP:\n"
          "  add.u64 %want, %want, 1;\n" +
          WaitForFlag("CALL", "%flag", "gpu", kGiveUpCycles) +
          "  st.relaxed.gpu.global.u64 [%answer], %want;\n"
          "  add.u32 %trip, %trip, 1;\n" +
          fmt::format("  setp.lt.u32 %more, %trip, {};\n", kWarmTrips + kTrips) +
          "  @%more bra ANSWER_TRIP;\n" +
          fmt::format("  add.u64 %flag, %flag, {0};\n  add.u64 %answer, %answer, {0};\n",
                      kLineStride) +
          "  add.u32 %line, %line, 1;\n" +
          fmt::format("  setp.lt.u32 %more, %line, {};\n", kPairLines) +
          "  @%more bra ANSWER;\n"
          "LATE:\n");
}

// A word to another place and back, `a` times in each of `b` samples; out[i]: cycles of a sample.
std::string TripEntry(bool is_first) {
  std::string text = std::string(kPairRegisters) +
                     "  .reg .b32 %samples, %sample;\n"
                     "  ld.param.u32 %trips, [a];\n"
                     "  ld.param.u32 %samples, [b];\n"
                     "  mov.u64 %flag, %mem;\n" +
                     fmt::format("  add.u64 %answer, %flag, {};\n", kAnswerOffset) +
                     "  mov.u64 %to, %out;\n"
                     "  mov.u64 %want, 0;\n"
                     "  mov.u32 %sample, 0;\n"
                     "SAMPLE:\n"
                     "  mov.u32 %trip, 0;\n"
                     "  mov.u64 %begin, %clock64;\n"
                     "TRIP:\n"
                     "  mov.u64 %started, %clock64;\n"
                     "  add.u64 %want, %want, 1;\n";
  if (is_first) {
    text += "  st.relaxed.sys.global.u64 [%flag], %want;\n" +
            WaitForFlag("BACK", "%answer", "sys", kGiveUpCycles);
  } else {
    text += WaitForFlag("CALL", "%flag", "sys", kGiveUpCycles) +
            "  st.relaxed.sys.global.u64 [%answer], %want;\n";
  }
  return text +
         "  add.u32 %trip, %trip, 1;\n"
         "  setp.lt.u32 %more, %trip, %trips;\n"
         "  @%more bra TRIP;\n"
         "  mov.u64 %end, %clock64;\n"
         "  sub.u64 %end, %end, %begin;\n" +
         (is_first ? "  st.global.u64 [%to], %end;\n" : "") +
         "  add.u64 %to, %to, 8;\n"
         "  add.u32 %sample, %sample, 1;\n"
         "  setp.lt.u32 %more, %sample, %samples;\n"
         "  @%more bra SAMPLE;\n"
         "LATE:\n";
}

// The word at `memory` goes from 1 to `a`; each is answered `b` bytes behind it. It waits long: the
// CPU may be busy with something else.
std::string AnswerEntry() {
  constexpr std::uint64_t kLongCycles = std::uint64_t{1} << 33;
  return std::string(kPairRegisters) +
         "  .reg .b64 %offset, %last;\n"
         "  ld.param.u64 %last, [a];\n"
         "  ld.param.u64 %offset, [b];\n"
         "  mov.u64 %flag, %mem;\n"
         "  add.u64 %answer, %mem, %offset;\n"
         "  mov.u64 %want, 1;\n"
         "TRIP:\n"
         "  mov.u64 %started, %clock64;\n" +
         WaitForFlag("CALL", "%flag", "sys", kLongCycles) +
         "  st.relaxed.sys.global.u64 [%answer], %want;\n"
         "  add.u64 %want, %want, 1;\n"
         "  setp.le.u64 %more, %want, %last;\n"
         "  @%more bra TRIP;\n"
         "LATE:\n";
}

// Levels among cycles. Their names are of CPUs, which these are not.
CoreSpectrum SpectrumOf(const std::vector<double>& cycles) {
  CoreSpectrum spectrum = cores::FindSpectrum(cycles);
  for (std::size_t i = 0; i < spectrum.levels.size(); ++i)
    spectrum.levels[i].name = fmt::format("level {}", i + 1);
  return spectrum;
}

Estimate TripEstimate(const std::vector<double>& values, double confidence) {
  Estimate estimate = measure::Summarize(values, 0, confidence);
  estimate.samples.clear();
  return estimate;
}

}  // namespace

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
  const auto result = executor.Run(job);
  if (!result) return std::unexpected(result.error());
  // By multiprocessor: the least of the times for each line, since others disturb it.
  std::vector<std::pair<int, std::vector<double>>> found;
  for (std::size_t launch = 1; launch <= kTimes; ++launch) {
    for (std::size_t block = 0; block < sms; ++block) {
      const std::size_t at = launch * job.out_words + block * (kLines + 1);
      const auto sm = static_cast<int>(result->out[at]);
      auto known = std::ranges::find(found, sm, &std::pair<int, std::vector<double>>::first);
      if (known == found.end()) {
        found.emplace_back(sm, std::vector<double>(kLines, std::numeric_limits<double>::max()));
        known = found.end() - 1;
      }
      for (std::size_t line = 0; line < kLines; ++line) {
        const auto cycles = static_cast<std::int64_t>(result->out[at + 1 + line]);
        if (cycles <= 0) continue;
        double& least = known->second[line];
        least = std::min(least, static_cast<double>(cycles) / (kLongChain - kShortChain));
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
  l2.spectrum = SpectrumOf(all);
  if (groups.size() != 2) {
    l2.near = TripEstimate(all, confidence);
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
    const bool is_near_first = measure::Median(one) <= measure::Median(other);
    near.push_back(measure::Median(is_near_first ? one : other));
    far.push_back(measure::Median(is_near_first ? other : one));
  }
  l2.near = TripEstimate(near, confidence);
  l2.far = TripEstimate(far, confidence);
  return l2;
}

std::vector<GpuGroup> ReadGroups(const LineProfile& profile) {
  const std::size_t count = profile.sms.size();
  if (count < 4) return {};
  // What distinguishes lines is compared, not how far a multiprocessor is from all of them.
  std::vector<std::vector<double>> views = profile.cycles;
  for (std::vector<double>& view : views) {
    const double middle = measure::Median(view);
    for (double& each : view) each -= middle;
  }
  const auto distance = [&](std::size_t left, std::size_t right) {
    double sum = 0;
    for (std::size_t i = 0; i < kLines; ++i) sum += std::abs(views[left][i] - views[right][i]);
    return sum / kLines;
  };
  const std::vector<cores::Merge> merges = cores::Cluster(count, distance);
  // Two parts, if they differ much more than what is in them.
  constexpr double kMuch = 2;
  const double last = merges.back().distance;
  const double before = merges[merges.size() - 2].distance;
  if (last <= kMuch * before) return {};
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

JobResult<GpuMatrix> MeasureMatrix(Executor& executor, const DeviceFacts& device,
                                   const LineProfile& profile, const OnRow& on_row) {
  GpuMatrix matrix;
  matrix.sms = profile.sms;
  const std::size_t count = matrix.sms.size();
  matrix.cycles = matrix.least = matrix.most = PairMatrix(count);
  matrix.groups = ReadGroups(profile);
  ModuleText module(device);
  AddClearEntry(module);
  AddPairEntry(module);
  const auto sms = static_cast<unsigned>(device.multiprocessors);
  std::vector<double> all;
  for (std::size_t row = 0; row < count; ++row) {
    if (!on_row(row, count)) break;
    KernelJob job;
    job.device = device.ordinal;
    job.ptx = module.Text();
    job.upload = module.Upload();
    // Each row begins anew, since other jobs use the memory, too: its first launch clears it.
    job.memory_bytes = kFlagsAt + kPairLines * kLineStride;
    job.out_words = kPairLines;
    job.launches.push_back({.entry = "clear", .threads = 256, .a = job.memory_bytes / 8});
    for (std::size_t column = 0; column < count; ++column) {
      if (column == row) continue;
      job.launches.push_back({.entry = "pair",
                              .blocks = sms,
                              .threads = 1,
                              .shared_bytes = WholeShared(device),
                              .a = static_cast<std::uint64_t>(matrix.sms[row]) |
                                   static_cast<std::uint64_t>(matrix.sms[column]) << 32,
                              .d = std::uint64_t{sms} * job.launches.size()});
    }
    const auto result = executor.Run(job);
    if (!result) return std::unexpected(result.error());
    std::size_t launch = 1;
    for (std::size_t column = 0; column < count; ++column) {
      if (column == row) continue;
      std::vector<double> lines;
      for (std::size_t line = 0; line < kPairLines; ++line) {
        const auto cycles = static_cast<std::int64_t>(result->out[launch * kPairLines + line]);
        if (cycles > 0) lines.push_back(static_cast<double>(cycles) / (2.0 * kTrips));
      }
      ++launch;
      if (lines.empty()) continue;
      matrix.cycles.At(row, column) = measure::Median(lines);
      matrix.least.At(row, column) = std::ranges::min(lines);
      matrix.most.At(row, column) = std::ranges::max(lines);
      all.insert(all.end(), lines.begin(), lines.end());
    }
  }
  on_row(count, count);
  matrix.spectrum = SpectrumOf(all);
  return matrix;
}

JobResult<GpuCpuTrip> MeasureCpuTrip(Executor& executor, const DeviceFacts& device, int cpu,
                                     double confidence) {
  ModuleText module(device);
  module.AddEntry("answer", 1, AnswerEntry());
  HostTripJob job;
  job.device = device.ordinal;
  job.ptx = module.Text();
  job.cpu = cpu;
  job.batches = 20;
  job.trips = 25;
  const auto result = executor.Run(job);
  if (!result) return std::unexpected(result.error());
  GpuCpuTrip trip;
  trip.cpu = cpu;
  // The first batch waits for the kernel to start.
  trip.nanoseconds = TripEstimate(
      std::vector<double>(result->nanoseconds.begin() + 1, result->nanoseconds.end()), confidence);
  return trip;
}

JobResult<GpuPeerTrip> MeasurePeerTrip(Executor& executor, const DeviceFacts& device,
                                       const DeviceFacts& peer, double ghz, double confidence) {
  PeerTripJob job;
  job.first = device.ordinal;
  job.second = peer.ordinal;
  const auto text = [](const DeviceFacts& facts) {
    ModuleText module(facts);
    module.AddEntry("ping", 1, TripEntry(/*is_first=*/true));
    module.AddEntry("pong", 1, TripEntry(/*is_first=*/false));
    return module.Text();
  };
  job.first_ptx = text(device);
  job.second_ptx = text(peer);
  job.a = 100;
  job.b = 10;
  job.out_words = 10;
  const auto result = executor.Run(job);
  if (!result) return std::unexpected(result.error());
  std::vector<double> cycles;
  std::vector<double> nanoseconds;
  for (std::size_t i = 1; i < result->out.size(); ++i) {
    const auto took = static_cast<std::int64_t>(result->out[i]);
    if (took <= 0) continue;
    cycles.push_back(static_cast<double>(took) / static_cast<double>(job.a));
    nanoseconds.push_back(cycles.back() / ghz);
  }
  if (cycles.empty()) {
    return std::unexpected(
        JobFailure{FailureKind::kTimeout, fmt::format("GPU {} does not answer", peer.ordinal), ""});
  }
  GpuPeerTrip trip;
  trip.device = peer.ordinal;
  trip.cycles = TripEstimate(cycles, confidence);
  trip.nanoseconds = TripEstimate(nanoseconds, confidence);
  return trip;
}

}  // namespace cyclescope::gpu

#include "gpu/round_trips.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "base/try.h"
#include "gpu/module_text.h"
#include "statistics/statistics.h"

namespace cyclescope::gpu {
namespace {

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
  constexpr std::uint64_t kAnswerWaitCycles = std::uint64_t{1} << 33;
  return std::string(kPairRegisters) +
         "  .reg .b64 %offset, %last;\n"
         "  ld.param.u64 %last, [a];\n"
         "  ld.param.u64 %offset, [b];\n"
         "  mov.u64 %flag, %mem;\n"
         "  add.u64 %answer, %mem, %offset;\n"
         "  mov.u64 %want, 1;\n"
         "TRIP:\n"
         "  mov.u64 %started, %clock64;\n" +
         WaitForFlag("CALL", "%flag", "sys", kAnswerWaitCycles) +
         "  st.relaxed.sys.global.u64 [%answer], %want;\n"
         "  add.u64 %want, %want, 1;\n"
         "  setp.le.u64 %more, %want, %last;\n"
         "  @%more bra TRIP;\n"
         "LATE:\n";
}

JobFailure NoAnswer(const DeviceFacts& device) {
  return {FailureKind::kTimeout, fmt::format("GPU {} does not answer", device.ordinal), ""};
}

}  // namespace

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
    const auto result = TRY(executor.Run(job));
    std::size_t launch = 1;
    for (std::size_t column = 0; column < count; ++column) {
      if (column == row) continue;
      std::vector<double> lines;
      for (std::size_t line = 0; line < kPairLines; ++line) {
        const auto cycles = static_cast<std::int64_t>(result.out[launch * kPairLines + line]);
        if (cycles > 0) lines.push_back(static_cast<double>(cycles) / (2.0 * kTrips));
      }
      ++launch;
      if (lines.empty()) continue;
      matrix.cycles.At(row, column) = statistics::Median(lines);
      matrix.least.At(row, column) = std::ranges::min(lines);
      matrix.most.At(row, column) = std::ranges::max(lines);
      all.insert(all.end(), lines.begin(), lines.end());
    }
  }
  on_row(count, count);
  matrix.spectrum = LevelsOf(all);
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
  const auto result = TRY(executor.Run(job));
  std::vector<double> nanoseconds = result.nanoseconds;
  // The first batch waits for the kernel to start.
  if (!nanoseconds.empty()) nanoseconds.erase(nanoseconds.begin());
  if (nanoseconds.empty()) return std::unexpected(NoAnswer(device));
  GpuCpuTrip trip;
  trip.cpu = cpu;
  trip.nanoseconds = EstimateWithoutSamples(nanoseconds, confidence);
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
  const auto result = TRY(executor.Run(job));
  std::vector<double> cycles;
  std::vector<double> nanoseconds;
  for (std::size_t i = 1; i < result.out.size(); ++i) {
    const auto took = static_cast<std::int64_t>(result.out[i]);
    if (took <= 0) continue;
    cycles.push_back(static_cast<double>(took) / static_cast<double>(job.a));
    nanoseconds.push_back(cycles.back() / ghz);
  }
  if (cycles.empty()) return std::unexpected(NoAnswer(peer));
  GpuPeerTrip trip;
  trip.device = peer.ordinal;
  trip.cycles = EstimateWithoutSamples(cycles, confidence);
  trip.nanoseconds = EstimateWithoutSamples(nanoseconds, confidence);
  return trip;
}

}  // namespace cyclescope::gpu

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "gpu/conclude_form.h"
#include "gpu/measure_forms.h"
#include "gpu/module_text.h"
#include "statistics/statistics.h"

namespace cyclescope::gpu {
namespace {

struct WarpgroupForm {
  std::string_view opcode;
  std::string_view type;       // of the accumulators
  std::string_view modifiers;  // after the two descriptors and the predicate
};

#define CYCLESCOPE_WGMMA(shape_and_types) "wgmma.mma_async.sync.aligned." shape_and_types
constexpr WarpgroupForm kWarpgroupForms[] = {
    {CYCLESCOPE_WGMMA("m64n256k16.f32.f16.f16"), ".f32", ", 1, 1, 0, 0"},
    {CYCLESCOPE_WGMMA("m64n256k16.f32.bf16.bf16"), ".f32", ", 1, 1, 0, 0"},
    {CYCLESCOPE_WGMMA("m64n256k8.f32.tf32.tf32"), ".f32", ", 1, 1"},
    {CYCLESCOPE_WGMMA("m64n256k32.f32.e4m3.e4m3"), ".f32", ", 1, 1"},
    {CYCLESCOPE_WGMMA("m64n256k32.s32.s8.s8"), ".b32", ""},
};
#undef CYCLESCOPE_WGMMA

constexpr int kAccumulators = 128;  // 64 x 256 over 128 threads
constexpr unsigned kWarpgroupThreads = 128;
constexpr unsigned kWarpgroupShared = 48 * 1024;
constexpr std::array<int, 3> kWarpgroupLengths = {4, 8, 16};
constexpr int kWarpgroupPasses = 16;

std::string Accumulators() {
  std::string text = "{";
  for (int i = 0; i < kAccumulators; ++i) text += fmt::format("{}%d{}", i == 0 ? "" : ", ", i);
  return text + "}";
}

// `wait_each`: for latency, every one is waited for; else `count` of them follow each other.
void AddWarpgroupEntry(ModuleText& module, const std::string& name, const WarpgroupForm& form,
                       int count, bool wait_each) {
  std::string body = fmt::format("  .reg {} %d<{}>;\n", form.type, kAccumulators);
  body +=
      "  .reg .b64 %a_at, %b_at, %begin, %end, %to;\n"
      "  .reg .b32 %shared, %pass, %passes, %warp, %low;\n"
      "  .reg .pred %always, %more;\n"
      "  mov.u32 %shared, shared_area;\n";
  // A descriptor: address, 16 bytes between neighbours (not used), 1,024 bytes between groups of 8
  // rows, 128-byte swizzle (PTX manual, matrix descriptor format). What lies there does not matter.
  for (const auto& [at, offset] : {std::pair{"%a_at", 0}, std::pair{"%b_at", 8192}}) {
    body += fmt::format(
        "  add.u32 %low, %shared, {};\n"
        "  shr.u32 %low, %low, 4;\n"
        "  and.b32 %low, %low, 16383;\n"
        "  cvt.u64.u32 {}, %low;\n"
        "  or.b64 {}, {}, {};\n",
        offset, at, at, at,
        std::uint64_t{1} << 62 | std::uint64_t{64} << 32 | std::uint64_t{1} << 16);
  }
  for (int i = 0; i < kAccumulators; ++i) body += fmt::format("  mov.b32 %d{}, 0;\n", i);
  const std::string one = fmt::format("  {} {}, %a_at, %b_at, %always{};\n", form.opcode,
                                      Accumulators(), form.modifiers);
  const std::string_view wait =
      "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n";
  body +=
      "  setp.ne.u64 %always, %mem, 1;\n"
      "  ld.param.u32 %passes, [a];\n"
      "  mov.u32 %pass, 0;\n"
      "  bar.sync 0;\n"
      "  mov.u64 %begin, %clock64;\n"
      "PASS:\n"
      "  wgmma.fence.sync.aligned;\n";
  for (int i = 0; i < count; ++i) {
    body += one;
    if (wait_each || i + 1 == count) body += wait;
  }
  body +=
      "  add.u32 %pass, %pass, 1;\n"
      "  setp.lt.u32 %more, %pass, %passes;\n"
      "  @%more bra.uni PASS;\n"
      "  mov.u64 %end, %clock64;\n"
      "  shr.u32 %warp, %thread, 5;\n"
      "  mul.wide.u32 %to, %warp, 16;\n"
      "  add.u64 %to, %to, %out;\n"
      "  st.global.u64 [%to], %begin;\n"
      "  st.global.u64 [%to+8], %end;\n";
  for (int i = 0; i < kAccumulators; ++i)
    body += fmt::format("  st.volatile.global.b32 [%up], %d{};\n", i);
  module.AddEntry(name, static_cast<int>(kWarpgroupThreads), body);
}

constexpr std::size_t kOutWords = 2 * kWarpgroupThreads / 32;

std::optional<double> SpanAt(std::span<const std::uint64_t> words, std::size_t launch) {
  return SpanOfWarps(words.subspan(launch * kOutWords, kOutWords));
}

// Cycles of one, by the slope from the first to the last of the lengths.
std::optional<double> SlopeAt(const std::vector<std::uint64_t>& words, std::size_t first) {
  const auto shortest = SpanAt(words, first);
  const auto longest = SpanAt(words, first + kWarpgroupLengths.size() - 1);
  if (!shortest || !longest || *longest <= *shortest) return std::nullopt;
  return (*longest - *shortest) /
         (kWarpgroupPasses * (kWarpgroupLengths.back() - kWarpgroupLengths.front()));
}

JobResult<GpuInstruction> MeasureOne(Executor& executor, const DeviceFacts& device,
                                     const WarpgroupForm& form, const FormSettings& settings,
                                     std::string& cubin) {
  ModuleText module(device);
  KernelJob job;
  job.device = device.ordinal;
  job.out_words = kOutWords;
  for (const bool wait_each : {true, false}) {
    for (const int length : kWarpgroupLengths) {
      const std::string name = fmt::format("w{}{}", wait_each ? "l" : "t", length);
      AddWarpgroupEntry(module, name, form, length, wait_each);
      job.launches.push_back({.entry = name,
                              .threads = kWarpgroupThreads,
                              .shared_bytes = kWarpgroupShared,
                              .a = kWarpgroupPasses});
    }
  }
  job.ptx = module.Text();
  job.upload = module.Upload();
  job.limit_ms = 30'000;
  std::vector<double> latencies;
  std::vector<double> rates;
  for (int visit = 0; visit < settings.visits; ++visit) {
    const auto result = TRY(executor.Run(job));
    cubin = result.cubin;
    if (const auto cycles = SlopeAt(result.out, 0)) latencies.push_back(*cycles);
    if (const auto cycles = SlopeAt(result.out, kWarpgroupLengths.size()))
      rates.push_back(kWarpgroupThreads / *cycles);
  }
  GpuInstruction row;
  row.text = std::string(form.opcode);
  row.group = "warpgroup matrices";
  row.chain = GpuChain::kKernel;
  if (latencies.empty() || rates.empty()) {
    row.status = Status::kDisturbed;
    row.reason = kMostPassesDropped;
    return row;
  }
  row.repeat = statistics::Summarize(latencies, 0, settings.confidence);
  row.repeat->visits = settings.visits;
  GpuThroughput throughput;
  throughput.per_sm = statistics::Summarize(rates, 0, settings.confidence);
  throughput.per_sm.visits = settings.visits;
  throughput.operations_per_sm = throughput.per_sm.value / kWarpgroupThreads *
                                 static_cast<double>(MatrixOperations(form.opcode));
  row.throughput = std::move(throughput);
  return row;
}

}  // namespace

JobResult<FormResults> MeasureWarpgroup(Executor& executor, const DeviceFacts& device,
                                        const FormSettings& settings, const OnStep& on_step) {
  FormResults results;
  if (device.major != 9) return results;
  const std::size_t total = std::size(kWarpgroupForms);
  for (std::size_t i = 0; i < total; ++i) {
    if (!on_step(i, total)) {
      results.is_whole = false;
      return results;
    }
    std::string cubin;
    auto row = MeasureOne(executor, device, kWarpgroupForms[i], settings, cubin);
    if (!row) {
      if (row.error().kind == FailureKind::kStopped) {
        results.is_whole = false;
        return results;
      }
      row = FailedRow("warpgroup matrices", kWarpgroupForms[i].opcode, row.error());
    }
    results.rows.push_back(std::move(*row));
    results.code.push_back({std::move(cubin), fmt::format("wl{}", kWarpgroupLengths.front())});
  }
  on_step(total, total);
  return results;
}

}  // namespace cyclescope::gpu

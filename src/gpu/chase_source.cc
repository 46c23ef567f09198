#include "gpu/chase_source.h"

#include <numeric>
#include <utility>
#include <vector>

#include "gpu/module_text.h"

namespace cyclescope::gpu {
namespace {

constexpr unsigned kSteps = 256;  // of a sample
constexpr unsigned kSamples = 8;
constexpr int kLoadsPerLoop = 16;

// Lines of one-line-per-page lie at different places of their pages, or they would all want the
// same few sets of a cache.
constexpr std::uint64_t kPlacesInPage = 1023;

// One cycle through all places, by Sattolo's algorithm.
std::vector<std::uint32_t> OneCycle(std::size_t count, std::mt19937_64& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = count - 1; i > 0; --i) {
    std::uniform_int_distribution<std::size_t> draw(0, i - 1);
    std::swap(order[i], order[draw(random)]);
  }
  return order;
}

void AddScatterEntry(ModuleText& module) {
  // Place of i: i * b + (i * 37 & c) * 128.
  module.AddEntry(
      "scatter", 256,
      "  .reg .b64 %i, %step, %count, %stride, %mask, %at, %next, %skew, %from, %table;\n"
      "  .reg .b32 %block, %size, %word;\n"
      "  .reg .pred %more;\n"
      "  ld.param.u64 %table, [upload];\n"
      "  ld.param.u64 %count, [a];\n"
      "  ld.param.u64 %stride, [b];\n"
      "  ld.param.u64 %mask, [c];\n"
      "  mov.u32 %block, %ctaid.x;\n"
      "  mov.u32 %size, %ntid.x;\n"
      "  mad.lo.u32 %block, %block, %size, %thread;\n"
      "  cvt.u64.u32 %i, %block;\n"
      "  mov.u32 %block, %nctaid.x;\n"
      "  mul.wide.u32 %step, %block, %size;\n"
      "  setp.ge.u64 %more, %i, %count;\n"
      "  @%more bra DONE;\n"
      "NEXT:\n"
      "  shl.b64 %from, %i, 2;\n"
      "  add.u64 %from, %from, %table;\n"
      "  ld.global.u32 %word, [%from];\n"
      "  cvt.u64.u32 %next, %word;\n"
      "  mul.lo.u64 %skew, %next, 37;\n"
      "  and.b64 %skew, %skew, %mask;\n"
      "  shl.b64 %skew, %skew, 7;\n"
      "  mad.lo.u64 %next, %next, %stride, %skew;\n"
      "  add.u64 %next, %next, %mem;\n"
      "  mul.lo.u64 %skew, %i, 37;\n"
      "  and.b64 %skew, %skew, %mask;\n"
      "  shl.b64 %skew, %skew, 7;\n"
      "  mad.lo.u64 %at, %i, %stride, %skew;\n"
      "  add.u64 %at, %at, %mem;\n"
      "  st.global.u64 [%at], %next;\n"
      "  add.u64 %i, %i, %step;\n"
      "  setp.lt.u64 %more, %i, %count;\n"
      "  @%more bra NEXT;\n"
      "DONE:\n");
}

void AddReadEntry(ModuleText& module) {
  // Every line of `a` bytes, by all threads; `b` moves the lines on to other blocks.
  module.AddEntry("read_all", 256,
                  "  .reg .b64 %i, %step, %bytes, %at, %wide;\n"
                  "  .reg .b32 %block, %size, %word, %sum, %shift;\n"
                  "  .reg .pred %more;\n"
                  "  ld.param.u64 %bytes, [a];\n"
                  "  ld.param.u32 %shift, [b];\n"
                  "  mov.u32 %sum, 0;\n"
                  "  mov.u32 %block, %ctaid.x;\n"
                  "  mov.u32 %size, %nctaid.x;\n"
                  "  add.u32 %block, %block, %shift;\n"
                  "  setp.ge.u32 %more, %block, %size;\n"
                  "  @%more sub.u32 %block, %block, %size;\n"
                  "  mov.u32 %size, %ntid.x;\n"
                  "  mad.lo.u32 %block, %block, %size, %thread;\n"
                  "  mul.wide.u32 %i, %block, 128;\n"
                  "  mov.u32 %block, %nctaid.x;\n"
                  "  mul.wide.u32 %wide, %block, %size;\n"
                  "  shl.b64 %step, %wide, 7;\n"
                  "  setp.ge.u64 %more, %i, %bytes;\n"
                  "  @%more bra DONE;\n"
                  "NEXT:\n"
                  "  add.u64 %at, %mem, %i;\n"
                  "  ld.global.cg.u32 %word, [%at];\n"
                  "  add.u32 %sum, %sum, %word;\n"
                  "  add.u64 %i, %i, %step;\n"
                  "  setp.lt.u64 %more, %i, %bytes;\n"
                  "  @%more bra NEXT;\n"
                  "DONE:\n"
                  "  st.volatile.global.u32 [%up], %sum;\n");
}

void AddChaseEntry(ModuleText& module) {
  std::string loads;
  for (int i = 0; i < kLoadsPerLoop; ++i) loads += "  ld.global.ca.u64 %p, [%p];\n";
  // `a` loops to warm up; then `c` samples of `b` loops each, from byte `d` on.
  module.AddEntry("chase", 1,
                  "  .reg .b64 %p, %start, %begin, %end, %to;\n"
                  "  .reg .b32 %warm, %loops, %samples, %i, %sample;\n"
                  "  .reg .pred %more, %never;\n"
                  "  ld.param.u64 %start, [d];\n"
                  "  ld.param.u32 %warm, [a];\n"
                  "  ld.param.u32 %loops, [b];\n"
                  "  ld.param.u32 %samples, [c];\n"
                  "  add.u64 %p, %mem, %start;\n"
                  "  mov.u64 %to, %out;\n"
                  "  mov.u32 %i, 0;\n"
                  "WARM:\n" +
                      loads +
                      "  add.u32 %i, %i, 1;\n"
                      "  setp.lt.u32 %more, %i, %warm;\n"
                      "  @%more bra.uni WARM;\n"
                      "  mov.u32 %sample, 0;\n"
                      "SAMPLE:\n"
                      "  setp.eq.u64 %never, %p, 1;\n"
                      "  @%never bra.uni DONE;\n"
                      "  mov.u64 %begin, %clock64;\n"
                      "  mov.u32 %i, 0;\n"
                      "STEP:\n" +
                      loads +
                      "  add.u32 %i, %i, 1;\n"
                      "  setp.lt.u32 %more, %i, %loops;\n"
                      "  @%more bra.uni STEP;\n"
                      "  setp.eq.u64 %never, %p, 1;\n"
                      "  @%never bra.uni DONE;\n"
                      "  mov.u64 %end, %clock64;\n"
                      "  sub.u64 %end, %end, %begin;\n"
                      "  st.global.u64 [%to], %end;\n"
                      "  add.u64 %to, %to, 8;\n"
                      "  add.u32 %sample, %sample, 1;\n"
                      "  setp.lt.u32 %more, %sample, %samples;\n"
                      "  @%more bra.uni SAMPLE;\n"
                      "DONE:\n"
                      "  st.volatile.global.u64 [%up], %p;\n");
}

}  // namespace

GpuChaseSource::GpuChaseSource(Executor& executor, const DeviceFacts& device, double ghz,
                               std::uint64_t seed)
    : executor_(executor), device_(device), ghz_(ghz), random_(seed) {
  ModuleText module(device);
  AddScatterEntry(module);
  AddReadEntry(module);
  AddChaseEntry(module);
  ptx_ = module.Text();
}

Result<curves::ChaseVisit> GpuChaseSource::Visit(const curves::Chase& chase) {
  const bool by_page = chase.order == ChaseOrder::kLinePerPage;
  const std::int64_t stride = by_page ? kGpuPageBytes : kGpuLineBytes;
  const auto count = static_cast<std::size_t>(chase.bytes / stride);
  // Small footprints are warmed up by the chase itself, which fills L1, too.
  constexpr std::int64_t kSelfWarmingBytes = std::int64_t{1} << 20;
  const bool is_small = by_page ? count <= 8192 : chase.bytes <= kSelfWarmingBytes;
  KernelJob job;
  job.device = device_.ordinal;
  job.ptx = ptx_;
  job.memory_bytes = static_cast<std::uint64_t>(chase.bytes);
  job.upload = OneCycle(count, random_);
  job.out_words = kSamples;
  const auto blocks = static_cast<unsigned>(device_.multiprocessors * 4);
  job.launches.push_back({.entry = "scatter",
                          .blocks = blocks,
                          .threads = 256,
                          .a = count,
                          .b = static_cast<std::uint64_t>(stride),
                          .c = by_page ? kPlacesInPage : 0});
  if (!is_small) {
    // Several times, each line by other multiprocessors: each part of L2 keeps what its own ones
    // read, so that the part near to the chase has it, too.
    constexpr unsigned kTimes = 8;
    for (unsigned i = 0; i < kTimes; ++i) {
      job.launches.push_back({.entry = "read_all",
                              .blocks = blocks,
                              .threads = 256,
                              .a = by_page ? 0 : job.memory_bytes,
                              .b = i * 37 % blocks});
    }
  }
  const std::uint64_t warm_steps = is_small ? 2 * count : kSteps;
  std::uniform_int_distribution<std::size_t> draw(0, count - 1);
  const std::uint64_t start = draw(random_);
  job.launches.push_back({.entry = "chase",
                          .threads = 1,
                          .shared_percent = 0,
                          .a = warm_steps / kLoadsPerLoop + 1,
                          .b = kSteps / kLoadsPerLoop,
                          .c = kSamples,
                          .d = start * static_cast<std::uint64_t>(stride) +
                               (by_page ? (start * 37 & kPlacesInPage) * kGpuLineBytes : 0)});
  const auto result = executor_.Run(job);
  if (!result) {
    failure_ = result.error();
    return Failed(result.error().message);
  }
  curves::ChaseVisit visit;
  const std::size_t first = result->out.size() - kSamples;
  for (std::size_t i = first; i < result->out.size(); ++i) {
    const auto cycles = static_cast<std::int64_t>(result->out[i]);
    constexpr std::int64_t kMaxCycles = std::int64_t{1} << 32;
    if (cycles <= 0 || cycles > kMaxCycles) continue;
    visit.cycles.push_back(static_cast<double>(cycles) / kSteps);
    visit.nanoseconds.push_back(visit.cycles.back() / ghz_);
  }
  return visit;
}

}  // namespace cyclescope::gpu

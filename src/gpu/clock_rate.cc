#include <vector>

#include "base/try.h"
#include "gpu/module_text.h"
#include "gpu/multiprocessors.h"
#include "statistics/statistics.h"

namespace cyclescope::gpu {

JobResult<Estimate> MeasureClock(Executor& executor, const DeviceFacts& device, double confidence) {
  ModuleText module(device);
  // Both ends lie where the timer steps: it steps seldom, once in a microsecond on some.
  module.AddEntry("ticks", 1,
                  "  .reg .b64 %wait, %before, %from, %to, %begin, %end, %took;\n"
                  "  .reg .pred %more;\n"
                  "  ld.param.u64 %wait, [a];\n"
                  "  mov.u64 %before, %globaltimer;\n"
                  "STEP:\n"
                  "  mov.u64 %from, %globaltimer;\n"
                  "  mov.u64 %begin, %clock64;\n"
                  "  setp.eq.u64 %more, %from, %before;\n"
                  "  @%more bra.uni STEP;\n"
                  "WAIT:\n"
                  "  mov.u64 %to, %globaltimer;\n"
                  "  mov.u64 %end, %clock64;\n"
                  "  sub.u64 %took, %to, %from;\n"
                  "  setp.lt.u64 %more, %took, %wait;\n"
                  "  @%more bra.uni WAIT;\n"
                  "  sub.u64 %end, %end, %begin;\n"
                  "  st.global.u64 [%out], %end;\n"
                  "  st.global.u64 [%out+8], %took;\n");
  KernelJob job;
  job.device = device.ordinal;
  job.ptx = module.Text();
  job.upload = module.Upload();
  job.out_words = 2;
  constexpr std::uint64_t kNanoseconds = 5'000'000;
  constexpr std::size_t kTimes = 6;
  for (std::size_t i = 0; i < kTimes; ++i)
    job.launches.push_back({.entry = "ticks", .threads = 1, .a = kNanoseconds});
  const auto result = TRY(executor.Run(job));
  std::vector<double> rates;
  int rejected = 0;
  // The first one is slower: the clock rises with the load.
  for (std::size_t i = 1; i < kTimes; ++i) {
    const std::size_t at = 2 * i;
    const auto cycles = static_cast<std::int64_t>(result.out[at]);
    const auto ns = static_cast<std::int64_t>(result.out[at + 1]);
    if (cycles > 0 && ns > 0) {
      rates.push_back(static_cast<double>(cycles) / static_cast<double>(ns));
    } else {
      ++rejected;
    }
  }
  if (rates.empty())
    return std::unexpected(
        JobFailure{FailureKind::kRefused, "the GPU's clock does not go forwards", ""});
  Estimate estimate = statistics::Summarize(rates, rejected, confidence);
  estimate.samples.clear();
  return estimate;
}

}  // namespace cyclescope::gpu

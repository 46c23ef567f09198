#include "library/window_check.h"

#include <algorithm>
#include <chrono>

#include "analysis/claims.h"
#include "anatomy/worker_overlap_source.h"
#include "arch/architecture.h"
#include "arch/window_code.h"
#include "library/code_session.h"
#include "measure/core_watch.h"
#include "measure/tick_clock.h"

namespace cyclescope::library {

Check JudgeWindow(const anatomy::WindowWatch& watch, int cpu) {
  Check check{.name = "window"};
  if (!watch.part) {
    check.claim = Claim{ClaimCode::kWindowWhole,
                        {{"cpu", static_cast<double>(cpu)},
                         {"loads_low", watch.whole.low},
                         {"loads_high", watch.whole.high}}};
    PutIntoWords(check);
    return check;
  }
  check.status = CheckStatus::kWarn;
  check.claim = Claim{ClaimCode::kWindowSplit,
                      {{"cpu", static_cast<double>(cpu)},
                       {"loads_low", watch.whole.low},
                       {"loads_high", watch.whole.high},
                       {"part_low", watch.part->low},
                       {"part_high", watch.part->high},
                       {"percent", 100 * watch.part_share}}};
  PutIntoWords(check);
  check.remedy = "measure longer, or on a quiet core; `cyclescope anatomy` shows both sizes";
  return check;
}

std::optional<Check> CheckWindow(const Host& host) {
  constexpr int kVisits = 8;
  constexpr std::uint64_t kChaseBytes = 32 << 20;
  const auto fillers = arch::WindowFillers();
  const auto loads = std::ranges::find(fillers, arch::Window::kLoads, &arch::WindowFiller::window);
  if (!arch::CoresMayHaveThreads() || loads == fillers.end() || host.cpus_allowed.empty())
    return std::nullopt;
  auto assembler = CodeSettings{}.MakeAssembler(host.features);
  if (!assembler) return std::nullopt;
  const int cpu = host.cpus_allowed.back();  // interrupts and other programs gather on the first
  measure::CoreWatches watches(ExpectedWidth(host));
  const sandbox::WorkerOptions options = {
      .cpu = cpu,
      .surroundings = {.chase_bytes = kChaseBytes, .time_limit = std::chrono::seconds(5)}};
  auto source = anatomy::WorkerOverlapSource::Create(
      options, measure::SystemTickClock(), watches.Of(cpu, host.topology), *assembler, {});
  if (!source) return std::nullopt;
  const auto watch = anatomy::WatchWindow(*loads, **source, kVisits);
  if (!watch || !*watch) return std::nullopt;
  return JudgeWindow(**watch, cpu);
}

}  // namespace cyclescope::library

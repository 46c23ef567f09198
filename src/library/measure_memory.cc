// MeasureMemory.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "arch/memory_loops.h"
#include "base/byte_size.h"
#include "base/try.h"
#include "cyclescope/measure.h"
#include "library/document_start.h"
#include "library/memory_run.h"
#include "library/request_checks.h"
#include "library/warnings.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"
#include "os/memory_area.h"

namespace cyclescope {
namespace {

Result<void> CheckNode(std::optional<int> node) {
  if (!node) return {};
  const std::vector<int> nodes = os::MemoryNodes();
  if (std::ranges::find(nodes, *node) != nodes.end()) return {};
  return BadInput(fmt::format("there is no memory of a NUMA node {}", *node),
                  nodes.empty() ? "this system does not say which nodes it has"
                                : fmt::format("there are {}", os::FormatCpuList(nodes)));
}

Result<std::vector<std::int64_t>> SizesOf(std::vector<std::int64_t> sizes) {
  std::ranges::sort(sizes);
  const auto [first, last] = std::ranges::unique(sizes);
  sizes.erase(first, last);
  const std::int64_t least = 2 * arch::CacheLineBytes();
  for (const std::int64_t size : sizes) {
    if (size >= least) continue;
    return BadInput(fmt::format("a footprint of {} bytes is too small", size),
                    fmt::format("it has two lines at least, {} bytes here", least));
  }
  return sizes;
}

Result<void> CheckMost(std::optional<std::int64_t> bytes) {
  constexpr std::int64_t kLeastBytes = 1 << 20;
  if (!bytes || *bytes >= kLeastBytes) return {};
  return BadInput(fmt::format("{} is too little memory to measure caches with",
                              FormatBytes(static_cast<double>(*bytes))),
                  "use 1M or more");
}

Result<library::MemoryRun> MemoryRunOf(const MemoryRequest& request, const Host& host) {
  library::MemoryRun run;
  run.cpus = TRY(library::SelectCpus(request.cpus, host.cpus_allowed));
  // Interrupts and other programs gather on the first.
  if (request.cpus.empty()) run.cpus.erase(run.cpus.begin(), run.cpus.end() - 1);
  run.sizes = TRY(SizesOf(request.sizes));
  TRY(library::CheckPatience(request.patience_s));
  TRY(CheckNode(request.node));
  TRY(CheckMost(request.most_bytes));
  TRY(library::CheckRange("budget", request.budget_s.value_or(1), 0.01, kLongestS));
  run.node = request.node;
  run.most_bytes = request.most_bytes;
  run.quick = request.quick;
  run.accesses = !request.quick && run.sizes.empty();
  // Below three seconds and below thirty, with what starting and writing take.
  run.most_time = std::chrono::milliseconds(request.quick ? 2'000 : 27'000);
  // A budget is for all CPUs. Some of it goes to what is not asked how long it takes.
  constexpr double kBudgetShareOfParts = 0.9;
  if (request.budget_s) {
    run.most_time =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(
            kBudgetShareOfParts * *request.budget_s / static_cast<double>(run.cpus.size())));
  }
  run.patience_s = request.patience_s;
  run.topology = request.topology;
  return run;
}

}  // namespace

Result<Document> MeasureMemory(const MemoryRequest& request, const OnProgress& on_progress) {
  auto document = TRY(library::StartDocument("memory", request.topology));
  const auto run = TRY(MemoryRunOf(request, document.host));
  library::Pulse pulse(on_progress, request.budget_s);
  const measure::TickClock clock = measure::SystemTickClock();
  TRY(library::MeasureMemoryRows(run, clock, pulse, document));
  library::WarnOfContention(document);
  return document;
}

}  // namespace cyclescope

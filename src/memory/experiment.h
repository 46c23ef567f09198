// All that `memory` measures from one CPU: the curves, and what they tell.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/work.h"
#include "curves/latency_source.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/host.h"
#include "cyclescope/result/memory.h"
#include "memory/gauge.h"
#include "os/cpus.h"
#include "os/topology.h"

namespace cyclescope::memory {

struct MemoryPlan {
  int cpu = 0;
  std::optional<int> node;          // whose memory; unset: whatever the system gives
  std::int64_t most_bytes = 0;      // the largest footprint
  std::int64_t limit_bytes = 0;     // of all memory at a time
  std::vector<std::int64_t> sizes;  // these footprints alone, where some are given
  bool quick = false;
  std::chrono::nanoseconds most_time{0};  // for all of it; what has no time left is left out
  std::uint64_t seed = 1;
  double confidence = 0.95;
  bool virtual_machine = false;
  std::vector<os::CacheClaim> claimed;
  os::CpuList all_cpus;  // for what needs several at once
  std::vector<std::string> features;
  std::vector<int> nodes;  // that have memory
  // From which CPUs memory of the nodes is looked at; `cpu` is one of them.
  std::vector<int> place_cpus;
  // Moves the calling thread to another CPU, and times there.
  std::function<Result<Gauge>(int cpu)> gauge_at;
};

// One CPU of each NUMA node, die and kind of core, by what the system says: `cpu`, and the first of
// each other.
std::vector<int> CpusThatDiffer(const std::vector<CpuPlace>& topology, const os::CpuList& allowed,
                                int cpu);

// Told after each part: how many are done, of how many. False ends the work with what there is.
using OnPart = std::function<bool(std::size_t done, std::size_t total)>;

// Told of a part beyond the curves that the system refused: the others are measured nevertheless.
using OnRefused = std::function<void(std::string_view part, const Error& why)>;

// `goes_on` is asked before each visit. The calling thread must be the gauge's.
Result<MemoryRow> MeasureMemory(Gauge& gauge, const MemoryPlan& plan, const GoesOn& goes_on,
                                const OnPart& on_part, const OnRefused& on_refused);

}  // namespace cyclescope::memory

// Caches and memory: a row for each CPU.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "library/pulse.h"
#include "measure/core_watch.h"
#include "measure/tick_clock.h"

namespace cyclescope::library {

// Everything a run needs, known before anything is measured.
struct MemoryRun {
  std::vector<int> cpus;
  std::optional<int> node;
  std::optional<std::int64_t> most_bytes;
  std::vector<std::int64_t> sizes;
  bool quick = false;
  bool accesses = false;                   // those that depend on where they lie, too
  std::chrono::milliseconds most_time{0};  // for each CPU
  // Accesses get this, and what the rest left of its time.
  std::chrono::milliseconds access_time{1'500};
  std::optional<double> patience_s;
  std::string topology;
  // What is known of the cores already, where it is.
  std::shared_ptr<measure::CoreWatches> watches = std::make_shared<measure::CoreWatches>();
};

// Adds a row for each CPU to the document; ends early, and says so in the document, when the pulse
// ends. The calling thread has its CPUs back afterwards.
Result<void> MeasureMemoryRows(const MemoryRun& run, const measure::TickClock& clock, Pulse& pulse,
                               Document& document);

}  // namespace cyclescope::library

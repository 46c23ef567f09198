// What must be said beside the numbers of a result: the clock, how much of the time the cores were
// shared, and warnings. Several parts of a run add to it.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "cyclescope/result/document.h"
#include "measure/core_watch.h"
#include "os/cpus.h"

namespace cyclescope::library {

// Adds those that the document does not have yet: every CPU may have the same.
void AddWarnings(const std::vector<Warning>& found, std::vector<Warning>& warnings);

// The clock that was used last, and what is to be said of it. Both replace those of an earlier part
// of the run, so that a document has one verdict of the self-check.
void DescribeClock(Clock clock, const std::vector<Warning>& warnings, Document& document);

// The same for a part of a run that visits several CPUs. A hybrid machine has one verdict for each
// kind of core: that of a kind which cannot be trusted is not hidden by another's.
class ClockVerdicts {
 public:
  // Replaces what the CPUs that share the watch said before.
  void Add(int cpu, const measure::CoreWatch& watch, Clock clock, std::vector<Warning> warnings);
  void Describe(Document& document) const;

 private:
  struct Verdict {
    const measure::CoreWatch* watch = nullptr;
    os::CpuList cpus;
    Clock clock;
    std::vector<Warning> warnings;
  };
  std::vector<Verdict> verdicts_;
};

// Replaces the entries of the CPUs that were watched. `waited` is added to what other parts and
// jobs of the run waited.
void DescribeContention(const measure::CoreWatch& watch, std::chrono::nanoseconds waited,
                        Document& document);

// Counts the values that were measured beside a neighbour, and warns if there are some. Called when
// all rows are in the document.
void WarnOfContention(Document& document);

// Of what the hypervisor withheld from these CPUs while they measured; none where that is little.
std::optional<Warning> StolenTimeWarning(double stolen_s, double elapsed_s, std::size_t cpus);

}  // namespace cyclescope::library

// `cyclescope sweep`: what became of the opcodes that LLVM lists for the architecture.
#pragma once

#include <cstdint>
#include <optional>

#include "cyclescope/result/describe.h"

namespace cyclescope {

struct SweepEffort {
  double seconds = 0;
  std::int64_t switches = 0;
  std::int64_t samples = 0;
};

void Describe(auto& visit, Of<SweepEffort> auto& effort) {
  visit.Struct("SweepEffort", "What it took to measure the rows of a sweep.");
  visit.Required("seconds", effort.seconds, "From the first row to the last.");
  visit.Required("switches", effort.switches,
                 "How often the tool handed over to a worker process, and got an answer.");
  visit.Required("samples", effort.samples, "That were taken, of all experiments.");
}

struct SweepSummary {
  int opcodes = 0;
  int pseudos = 0;
  int duplicates = 0;
  int left_out = 0;
  int not_reached = 0;
  std::optional<SweepEffort> effort;
};

void Describe(auto& visit, Of<SweepSummary> auto& sweep) {
  visit.Struct("SweepSummary",
               "What became of the opcodes that LLVM lists: each is counted once, either here or "
               "by its row in `instructions`.");
  visit.Required("opcodes", sweep.opcodes, "That LLVM lists.");
  visit.Required("pseudos", sweep.pseudos, "The compiler's own: no CPU has them.");
  visit.Required("duplicates", sweep.duplicates,
                 "Other names or other encodings of opcodes that have a row.");
  visit.Required("left_out", sweep.left_out, "Not asked for (`--filter`, `--isa`).");
  visit.Required("not_reached", sweep.not_reached, "Interrupted, or out of time.");
  visit.Optional("effort", sweep.effort, "What measuring took, this time.", {.since = "0.2"});
}

}  // namespace cyclescope

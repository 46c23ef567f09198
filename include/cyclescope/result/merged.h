// `cyclescope merge`: which runs a document was made of, and where they disagreed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/describe.h"

namespace cyclescope {

struct MergedRun {
  std::string file;
  std::string command;
  std::string started;
  std::string version;
  std::string commit;
  std::optional<double> shared_share;
};

void Describe(auto& visit, Of<MergedRun> auto& run) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("MergedRun", "One of the runs that a document was made of.");
  visit.Always("file", run.file, "Its name, without folders.", kNew);
  visit.Required("command", run.command, "frequency, cores, ...", kNew);
  visit.Optional("started", run.started, "UTC, ISO 8601.", kNew);
  visit.Optional("version", run.version, "Of cyclescope.", kNew);
  visit.Optional("commit", run.commit, "It was built from.", kNew);
  visit.Optional("shared_share", run.shared_share,
                 "Of the time, how much another thread shared the cores that were looked at; from "
                 "0 to 1, over all CPUs.",
                 kNew);
}

// What was not merged value by value.
struct MergedPart {
  std::string part;
  int run = 0;

  bool operator==(const MergedPart&) const = default;
};

void Describe(auto& visit, Of<MergedPart> auto& part) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("MergedPart", "A part that one run gave as a whole.");
  visit.Required("part", part.part, "port_map, memory of CPU 1: curves, cores: cas, ...", kNew);
  visit.Required("run", part.run, "Its place in `runs`, from 1.", kNew);
}

struct Merged {
  std::vector<MergedRun> runs;
  std::vector<MergedPart> parts;
  int combined = 0;
  int replaced = 0;
  int disagreed = 0;
  std::vector<Claim> claims;
};

void Describe(auto& visit, Of<Merged> auto& merged) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("Merged", "Which runs of one machine the document was made of.");
  visit.Required("runs", merged.runs, "In the order given.", kNew);
  visit.Optional("parts", merged.parts, "Parts that one run gave as a whole.", kNew);
  visit.Always("combined", merged.combined, "Values that several runs were combined for.", kNew);
  visit.Always("replaced", merged.replaced,
               "Values of a shared or disturbed core that a quiet run's replaced.", kNew);
  visit.Always("disagreed", merged.disagreed, "Values that runs disagree about.", kNew);
  visit.Optional("claims", merged.claims, "What they disagree about, the largest first.", kNew);
}

}  // namespace cyclescope

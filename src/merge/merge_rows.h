// The parts of documents that are merged row by row. Private to merge.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cyclescope/result/document.h"

namespace cyclescope::merge {

struct Runs {
  std::span<const Document> documents;
  double confidence = 0.95;
};

// From which run a part came, of all parts that one run gave as a whole.
class Provenance {
 public:
  void Add(std::string part, std::size_t run) { parts_.push_back({std::move(part), Number(run)}); }

  // One row of a part that has many.
  void AddRow(std::string_view part, std::size_t run) { ++rows_[{std::string(part), Number(run)}]; }

  std::vector<MergedPart> Take();

 private:
  static int Number(std::size_t run) { return static_cast<int>(run) + 1; }

  std::vector<MergedPart> parts_;
  std::map<std::pair<std::string, int>, int> rows_;
};

// How much a row that ended so has to say: less is better, and from 2 on it has no value.
constexpr int StatusRank(Status status) {
  if (status == Status::kMeasured) return 0;
  return status == Status::kDisturbed ? 1 : 2;
}

// Clocks, snippets, matrices between cores, memory, anatomy and GPUs.
void MergeRows(const Runs& runs, Provenance& provenance, Document& whole);

// Instructions, the summary of the sweep and the port map, value by value. Ports are names in one
// map: they all come from the run whose map is taken.
void MergeInstructions(const Runs& runs, Provenance& provenance, Document& whole);

}  // namespace cyclescope::merge

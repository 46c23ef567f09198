#include "report/site_loops.h"

#include <fmt/core.h>

#include <algorithm>

#include "document/json_text.h"

namespace cyclescope {
namespace {

std::string Number(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "null";
}

}  // namespace

void SiteLoops::Add(const Document& document) {
  const std::size_t machine = architectures_.size();
  architectures_.push_back(document.host.architecture);
  for (const BlockRow& row : document.blocks) {
    const bool has_prediction = row.predicted && row.predicted->cycles;
    if (row.text.empty() || (!row.cycles && !has_prediction)) continue;
    const auto [place, is_new] =
        places_.try_emplace({document.host.architecture, row.text}, loops_.size());
    if (is_new) loops_.push_back({document.host.architecture, row.text, row.name, {}});
    // Of one text that was measured in several ways, the first stands for all.
    Cell& cell = loops_[place->second].cells[machine];
    if (row.cycles && !cell.measured) {
      cell.measured = row.cycles->value;
      cell.contended = row.cycles->contended;
    }
    if (has_prediction && !cell.predicted) cell.predicted = row.predicted->cycles;
  }
}

std::vector<std::string> SiteLoops::TextsFor(std::size_t machine) const {
  std::vector<std::string> texts;
  for (const Loop& loop : loops_) {
    if (loop.architecture == architectures_[machine]) texts.push_back(loop.text);
  }
  return texts;
}

void SiteLoops::AddPredictions(std::size_t machine, const std::vector<BlockRow>& rows) {
  for (const BlockRow& row : rows) {
    const auto place = places_.find({architectures_[machine], row.text});
    if (place == places_.end() || !row.predicted || !row.predicted->cycles) continue;
    loops_[place->second].cells[machine].predicted = row.predicted->cycles;
  }
}

std::string SiteLoops::Json() const {
  std::string json = "[";
  for (const Loop& loop : loops_) {
    json += fmt::format("{}{{\"text\":{},\"name\":{},\"cells\":[", json.size() > 1 ? "," : "",
                        Dump(loop.text), Dump(loop.name));
    for (std::size_t machine = 0; machine < architectures_.size(); ++machine) {
      if (machine > 0) json += ',';
      const auto cell = loop.cells.find(machine);
      json += cell == loop.cells.end()
                  ? "null"
                  : fmt::format("[{},{},{}]", Number(cell->second.measured),
                                Number(cell->second.predicted), cell->second.contended);
    }
    json += "]}";
  }
  return json + "]";
}

}  // namespace cyclescope

// The loops and snippets that machines of a site were measured with, and what their models say.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cyclescope/result/document.h"

namespace cyclescope {

class SiteLoops {
 public:
  // What this machine measured, and what its result says of predictions.
  void Add(const Document& document);

  std::size_t size() const { return loops_.size(); }
  // All loops of the architecture of the machine at this place, also those that others measured.
  std::vector<std::string> TextsFor(std::size_t machine) const;
  // Its model's values of these texts, in their order: rows of MachineModel::Predict.
  void AddPredictions(std::size_t machine, const std::vector<BlockRow>& rows);

  // [{"text":…,"name":…,"cells":[[measured, predicted, contended], null, …]}, …], a cell for each
  // machine.
  std::string Json() const;

 private:
  struct Cell {
    std::optional<double> measured;
    std::optional<double> predicted;
    bool contended = false;
  };
  struct Loop {
    std::string architecture;
    std::string text;
    std::string name;  // what people call it; may be empty
    std::map<std::size_t, Cell> cells;
  };

  std::vector<std::string> architectures_;  // of the machines
  std::vector<Loop> loops_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

}  // namespace cyclescope

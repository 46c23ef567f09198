// The ports of a core, from the times of mixes alone. Pure: it is given what was measured so far,
// and answers with the map, or with the mixes that it needs next.
//
//   MixResults measured;
//   MapStep step = InferMap(forms, measured);
//   while (!step.wanted.empty()) {
//     for (const Mix& mix : step.wanted) measured[mix] = ...;  // unset if it cannot be had
//     step = InferMap(forms, measured);
//   }
//   step.map
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ports/port_model.h"
#include "ports/set_search.h"

namespace cyclescope::ports {

// Cycles of each mix; unset where it could not be measured, or not on a quiet core.
using MixResults = std::map<Mix, std::optional<double>>;

struct MapClass {
  PortClass ports;
  std::vector<std::size_t> forms;  // the first stands for all
  bool ambiguous = false;          // other ports explain the times as well
};

struct CoreMap {
  double dispatch = 0;  // slots in a cycle
  std::vector<MapClass> classes;
  int other_solutions = 0;  // that fit about as well, and that no mix of these forms tells apart
  double misfit = 0;        // per mix; 1 is 3 % too long
  std::map<std::size_t, std::string> left_out;  // forms that are in no class, and why

  int ports() const;
};

struct MapStep {
  std::vector<Mix> wanted;
  CoreMap map;  // complete when nothing is wanted
};

// Forms are numbered from 0. Form 0 does nothing but take a slot.
MapStep InferMap(std::size_t forms, const MixResults& measured);

// Slots that a form takes, from a mix with form 0; the mix that tells it comes first.
Mix SlotsMix(std::size_t form, double cycles, double dispatch);
double SlotsFrom(const Mix& mix, double cycles, double dispatch);

}  // namespace cyclescope::ports

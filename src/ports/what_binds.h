// What limits the throughput of a form, by its ports and by what copies of it took.
//
//   const FormTimes times = {.ports = 0.5, .dispatch = 0.17, .throughput = row.throughput->cycles};
//   WhatBinds(times);   // "ports", if copies took about half a cycle
#pragma once

#include <optional>
#include <string_view>

#include "cyclescope/result/estimate.h"

namespace cyclescope::ports {

// In cycles for each copy.
struct FormTimes {
  double ports = 0;     // what its µops need
  double dispatch = 0;  // what its slots need
  double own = 0;       // for which it keeps something busy that is no port; 0: nothing
  bool waits_for_itself = false;
  std::optional<double> own_chain;     // its slowest exact latency from an operand to itself
  std::optional<Estimate> throughput;  // measured by itself, with the best of several ways
};

// True if it was measured to take clearly less than all of that needs: then the ports are wrong.
bool AreContradicted(const FormTimes& times);

// "ports", "dispatch", "chain" or "other"; empty where none of them is what it takes.
std::string_view WhatBinds(const FormTimes& times);

}  // namespace cyclescope::ports

#include "ports/what_binds.h"

#include <algorithm>

namespace cyclescope::ports {
namespace {

double LeastCycles(const FormTimes& times) {
  return std::max({times.ports, times.dispatch, times.own});
}

// Its throughput may have been measured with other instructions that end the chain: then copies did
// not wait.
bool MayWait(const FormTimes& times) {
  constexpr double kShareOfChain = 0.9;
  return times.waits_for_itself && (!times.throughput || !times.own_chain ||
                                    times.throughput->value >= kShareOfChain * *times.own_chain);
}

}  // namespace

bool AreContradicted(const FormTimes& times) {
  // Mixes are known to some per cent.
  constexpr double kContradictedRatio = 1.15;
  return times.throughput && LeastCycles(times) > kContradictedRatio * times.throughput->high;
}

std::string_view WhatBinds(const FormTimes& times) {
  constexpr double kSlowedRatio = 1.08;
  const bool takes_longer =
      times.throughput && times.throughput->value > kSlowedRatio * LeastCycles(times);
  if (takes_longer || !times.throughput) {
    if (times.own == 0 && MayWait(times)) return "chain";
    if (takes_longer) return "";
  }
  if (times.own > 0) return "other";
  return times.ports >= times.dispatch ? "ports" : "dispatch";
}

}  // namespace cyclescope::ports

#include "cores/testing/floating_placement.h"

#include <algorithm>
#include <numeric>

namespace cyclescope::cores::testing {

FloatingPlacement::FloatingPlacement(int virtual_cpus, int hardware_threads, double residence_ns,
                                     std::uint64_t seed)
    : random_(seed), stay_(1 / residence_ns), stays_(virtual_cpus), taken_(hardware_threads) {
  std::vector<int> places(hardware_threads);
  std::iota(places.begin(), places.end(), 0);
  std::ranges::shuffle(places, random_);
  for (int cpu = 0; cpu < virtual_cpus; ++cpu) {
    stays_[cpu].push_back({0, places[cpu]});
    taken_[places[cpu]] = true;
    next_move_ns_.push_back(stay_(random_));
  }
  first_move_ns_ = std::ranges::min(next_move_ns_);
}

void FloatingPlacement::MoveNext() {
  const auto next = std::ranges::min_element(next_move_ns_);
  std::vector<Stay>& stays = stays_[next - next_move_ns_.begin()];
  std::uniform_int_distribution<std::size_t> any(0, taken_.size() - 1);
  std::size_t place = any(random_);
  while (taken_[place]) place = any(random_);
  taken_[stays.back().hardware] = false;
  taken_[place] = true;
  stays.push_back({*next, static_cast<int>(place)});
  *next += stay_(random_);
  first_move_ns_ = std::ranges::min(next_move_ns_);
}

int FloatingPlacement::HardwareOf(int virtual_cpu, double time_ns) {
  while (first_move_ns_ <= time_ns) MoveNext();
  const std::vector<Stay>& stays = stays_[virtual_cpu];
  const auto after = std::ranges::upper_bound(stays, time_ns, {}, &Stay::from_ns);
  return std::prev(after)->hardware;
}

SimulatedMachine TiledHost(int hardware_threads) {
  constexpr int kThreadsPerTile = 24;
  SimulatedMachine machine;
  for (int cpu = 0; cpu < hardware_threads; ++cpu) {
    machine.topology.push_back({.cpu = cpu, .core = cpu / 2});
  }
  machine.share_core = [](int first, int second) { return first / 2 == second / 2; };
  machine.nanoseconds = [](int first, int second) {
    if (first / 2 == second / 2) return 8.0;
    if (first / kThreadsPerTile == second / kThreadsPerTile) return 63.0;
    return first / kThreadsPerTile / 2 == second / kThreadsPerTile / 2 ? 80.0 : 102.0;
  };
  return machine;
}

}  // namespace cyclescope::cores::testing

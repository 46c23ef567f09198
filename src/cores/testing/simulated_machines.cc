#include "cores/testing/simulated_machines.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace cyclescope::cores::testing {
namespace {

bool Never(int /*first*/, int /*second*/) { return false; }

// A little more for CPUs that are farther apart, as on a ring or mesh: up to `most`.
double Along(int first, int second, int count, double most) {
  return most * std::abs(first - second) / count;
}

}  // namespace

os::CpuList SimulatedMachine::Cpus() const {
  os::CpuList cpus;
  for (const CpuPlace& place : topology) cpus.push_back(place.cpu);
  return cpus;
}

SimulatedMachine HybridDesktop() {
  constexpr int kThreads = 16;  // of performance cores
  constexpr int kCpus = 32;
  const auto cluster = [](int cpu) { return (cpu - kThreads) / 4; };
  SimulatedMachine machine;
  for (int cpu = 0; cpu < kCpus; ++cpu) {
    CpuPlace place = {.cpu = cpu, .l3 = 0, .package = 0, .numa = 0};
    const bool performance = cpu < kThreads;
    place.core = performance ? cpu / 2 : kThreads / 2 + cpu - kThreads;
    place.l2 = performance ? place.core : kThreads / 2 + cluster(cpu);
    place.kind = performance ? "performance" : "efficiency";
    machine.topology.push_back(place);
  }
  machine.share_core = [](int first, int second) {
    return first / 2 == second / 2 && std::max(first, second) < kThreads;
  };
  machine.nanoseconds = [cluster, share = machine.share_core](int first, int second) {
    if (share(first, second)) return 9.5;
    const bool both_performance = std::max(first, second) < kThreads;
    if (both_performance) return 88 + Along(first, second, kThreads, 10);
    if (std::min(first, second) < kThreads) return 81.0 + 5 * cluster(std::max(first, second));
    return 110.0 + 8 * (cluster(first) + cluster(second));
  };
  return machine;
}

SimulatedMachine TwoSocketServer() {
  constexpr int kCores = 32;
  const auto socket = [](int cpu) { return cpu % kCores / 16; };
  SimulatedMachine machine;
  for (int cpu = 0; cpu < 2 * kCores; ++cpu) {
    machine.topology.push_back({.cpu = cpu,
                                .core = cpu % kCores,
                                .l2 = cpu % kCores,
                                .l3 = socket(cpu),
                                .package = socket(cpu),
                                .numa = socket(cpu)});
  }
  machine.share_core = [](int first, int second) { return first % kCores == second % kCores; };
  machine.nanoseconds = [socket, share = machine.share_core](int first, int second) {
    if (share(first, second)) return 8.0;
    const double way = Along(first % kCores, second % kCores, kCores, 16);
    return way + (socket(first) == socket(second) ? 52 : 120);
  };
  return machine;
}

SimulatedMachine EightChiplets() {
  constexpr int kCpus = 64;
  SimulatedMachine machine;
  for (int cpu = 0; cpu < kCpus; ++cpu) {
    machine.topology.push_back(
        {.cpu = cpu, .core = cpu, .l2 = cpu, .l3 = cpu / 8, .package = 0, .numa = 0});
  }
  machine.share_core = Never;
  machine.nanoseconds = [](int first, int second) {
    if (first / 8 == second / 8) return 21 + Along(first, second, 8, 4);
    return 84 + Along(first, second, kCpus, 24);
  };
  return machine;
}

SimulatedMachine MachineThatHidesSmt() {
  constexpr int kCpus = 16;
  SimulatedMachine machine;
  for (int cpu = 0; cpu < kCpus; ++cpu) {
    machine.topology.push_back(
        {.cpu = cpu, .core = cpu, .l2 = cpu, .l3 = 0, .package = 0, .numa = 0});
  }
  machine.share_core = [](int first, int second) {
    return first + second == 12 && first * second == 0;
  };
  machine.nanoseconds = [share = machine.share_core](int first, int second) {
    if (share(first, second)) return 7.0;
    // The threads of one core are equally far from everything else.
    const auto place = [](int cpu) { return cpu == 12 ? 0 : cpu; };
    return 75 + Along(place(first), place(second), kCpus, 60);
  };
  return machine;
}

SimulatedMachine FlatMachine(int cpus) {
  SimulatedMachine machine;
  for (int cpu = 0; cpu < cpus; ++cpu) machine.topology.push_back({.cpu = cpu, .core = cpu});
  machine.share_core = Never;
  machine.nanoseconds = [](int /*first*/, int /*second*/) { return 100.0; };
  return machine;
}

SimulatedMachine LargestServer() {
  constexpr int kCores = 384;
  const auto chiplet = [](int cpu) { return cpu % kCores / 16; };
  const auto socket = [](int cpu) { return cpu % kCores / 192; };
  SimulatedMachine machine;
  for (int cpu = 0; cpu < 2 * kCores; ++cpu) {
    machine.topology.push_back({.cpu = cpu,
                                .core = cpu % kCores,
                                .l2 = cpu % kCores,
                                .l3 = chiplet(cpu),
                                .package = socket(cpu),
                                .numa = socket(cpu)});
  }
  machine.share_core = [](int first, int second) { return first % kCores == second % kCores; };
  machine.nanoseconds = [chiplet, socket, share = machine.share_core](int first, int second) {
    if (share(first, second)) return 8.0;
    if (chiplet(first) == chiplet(second)) return 24.0;
    const double way = Along(chiplet(first), chiplet(second), 24, 20);
    return way + (socket(first) == socket(second) ? 90 : 190);
  };
  return machine;
}

CoreMatrix MakeMatrix(const SimulatedMachine& machine, double noise, std::uint64_t seed) {
  CoreMatrix matrix;
  matrix.test = "cas";
  matrix.cpus = machine.Cpus();
  const std::size_t count = matrix.cpus.size();
  matrix.nanoseconds = matrix.low = matrix.high = PairMatrix(count);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> deviation;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j) continue;
      const double ns =
          machine.nanoseconds(matrix.cpus[i], matrix.cpus[j]) * std::exp(noise * deviation(random));
      matrix.nanoseconds.At(i, j) = ns;
      matrix.low.At(i, j) = ns * (1 - 2 * noise);
      matrix.high.At(i, j) = ns * (1 + 2 * noise);
    }
  }
  return matrix;
}

}  // namespace cyclescope::cores::testing

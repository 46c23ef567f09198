// Simulated machines: what their topology claims, how far their CPUs really are from
// each other, and which of them really share a core.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cyclescope/result/cores.h"
#include "cyclescope/result/host.h"
#include "os/cpus.h"

namespace cyclescope::cores::testing {

struct SimulatedMachine {
  std::vector<CpuPlace> topology;
  std::function<double(int, int)> nanoseconds;  // one way, without noise
  std::function<bool(int, int)> share_core;     // in truth, whatever the topology says

  os::CpuList Cpus() const;
};

// Eight performance cores of two threads and four clusters of four efficiency cores: CPUs 0 to 15
// and 16 to 31. Efficiency cores are farther from each other than from performance cores.
SimulatedMachine HybridDesktop();

// Two sockets of 16 cores; threads of a core are CPUs n and n + 32.
SimulatedMachine TwoSocketServer();

// Eight chiplets of eight cores, each with its own L3.
SimulatedMachine EightChiplets();

// 16 CPUs that claim to be cores of their own, while 0 and 12 share one.
SimulatedMachine MachineThatHidesSmt();

// CPUs that are all equally far from each other.
SimulatedMachine FlatMachine(int cpus);

// Two sockets of 12 chiplets of 16 cores of two threads: 768 CPUs.
SimulatedMachine LargestServer();

// Of one value, as a share of it, that a quiet machine shows.
inline constexpr double kUsualNoise = 0.01;

// What measuring would give: each value off by chance with a relative standard deviation of
// `noise`, and an interval that says so.
CoreMatrix MakeMatrix(const SimulatedMachine& machine, double noise, std::uint64_t seed);

}  // namespace cyclescope::cores::testing

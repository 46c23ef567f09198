// Where the virtual CPUs of a simulated machine are: a host that moves each of them now and then to
// another free hardware thread.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "cores/testing/simulated_machines.h"

namespace cyclescope::cores::testing {

class FloatingPlacement {
 public:
  // Virtual CPUs stay for `residence_ns` in the mean, each on its own, and start anywhere.
  FloatingPlacement(int virtual_cpus, int hardware_threads, double residence_ns,
                    std::uint64_t seed);

  // The hardware thread at that time. Any time may be asked for, in any order.
  int HardwareOf(int virtual_cpu, double time_ns);

 private:
  struct Stay {
    double from_ns = 0;
    int hardware = 0;
  };

  void MoveNext();

  std::mt19937_64 random_;
  std::exponential_distribution<double> stay_;
  std::vector<std::vector<Stay>> stays_;  // by virtual CPU, in order of time
  std::vector<double> next_move_ns_;      // by virtual CPU
  double first_move_ns_ = 0;              // the least of them
  std::vector<bool> taken_;               // by hardware thread
};

// A host of tiles of 12 cores with two threads, two tiles a die: the four levels of latency that
// its guests see are 8, 63, 80 and 102 ns. Threads of a core have neighbouring numbers.
SimulatedMachine TiledHost(int hardware_threads);

}  // namespace cyclescope::cores::testing

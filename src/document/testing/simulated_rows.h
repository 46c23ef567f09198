// What simulated machines are made of: noise, rows of instructions, matrices.
#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/result/document.h"

namespace cyclescope::testing {

// Noise around zero. The sum of uniform values, since the standard's normal distribution gives
// other values with every library.
class Noise {
 public:
  double operator()(double deviation) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<double>(random_()) / 4294967295.0 - 0.5;
    return sum * deviation * 1.7;
  }

 private:
  std::mt19937 random_{20261115};
};

Estimate Measured(double cycles, Noise& noise, int samples = 15);

struct SimulatedForm {
  std::string_view text;
  std::string_view opcode;
  std::string_view isa;
  double latency;
  double throughput;
  double model_latency;
  double model_throughput;
  std::string_view known_as = {};
};

std::span<const SimulatedForm> SimulatedForms();

InstructionRow SimulatedRow(const SimulatedForm& form, Noise& noise);
InstructionRow NotMeasured(std::string text, std::string opcode, Status status, std::string reason);

// The matrices of one test from a formula for the latency of a pair.
CoreMatrix SimulatedMatrices(std::string test, std::string instruction, std::size_t size,
                             const std::function<double(std::size_t, std::size_t)>& latency,
                             Noise& noise);

std::vector<int> CpuRange(int first, int end);

// A rented machine, of which nothing was measured.
Document RentedMachine(std::size_t cpus);

}  // namespace cyclescope::testing

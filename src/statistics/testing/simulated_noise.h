// Kinds of noise that visits to a core have, for tests of how often intervals hold the truth.
#pragma once

#include <array>
#include <cmath>
#include <random>
#include <string_view>

namespace cyclescope::statistics::testing {

struct Noise {
  std::string_view name;
  double (*draw)(std::mt19937& random, double place);  // of a visit; its median is 0
  double mean = 0;                                     // where that is another
};

inline double Normal(std::mt19937& random) { return std::normal_distribution<double>()(random); }

// Drift goes on from visit to visit, from place -0.5 to 0.5; its truth is the middle. Of two states
// the truth is the one seen four times as often.
inline constexpr auto kNoises = std::to_array<Noise>({
    {"symmetric", [](std::mt19937& random, double) { return Normal(random); }},
    {"skewed",
     [](std::mt19937& random, double) {
       return std::exponential_distribution<double>()(random) - std::log(2.0);
     },
     1 - 0.693147},
    {"drifting", [](std::mt19937& random, double place) { return Normal(random) + 4 * place; }},
    {"rare spikes",
     [](std::mt19937& random, double) {
       return Normal(random) + (std::bernoulli_distribution(0.1)(random) ? 20.0 : 0.0);
     }},
    {"two states",
     [](std::mt19937& random, double) {
       return 0.2 * Normal(random) + (std::bernoulli_distribution(0.2)(random) ? 20.0 : 0.0);
     }},
});

}  // namespace cyclescope::statistics::testing

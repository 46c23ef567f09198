#include "cores/residence.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "statistics/spectrum.h"
#include "statistics/statistics.h"

namespace cyclescope::cores {
namespace {

constexpr std::size_t kConfirming = 3;
// Of places on one die, few are closer to each other than this.
constexpr double kMinChangeRatio = 0.08;

// How much successive batches differ while nothing moves, as a logarithm: most of them follow one
// that was in the same place.
double NoiseOf(std::span<const FollowedBatch> batches) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < batches.size(); ++i) {
    const double step = std::abs(std::log(batches[i].ns / batches[i - 1].ns));
    if (std::isfinite(step)) steps.push_back(step);
  }
  return steps.empty() ? 0 : statistics::Median(steps);
}

std::optional<double> MeanMs(double time_ns, int ends) {
  if (ends == 0) return std::nullopt;
  return time_ns / ends / 1e6;
}

}  // namespace

Residence::Residence(const CoreSpectrum& spectrum)
    : spectrum_(spectrum), by_level_(spectrum.levels.size()) {}

void Residence::Record(double ns, double time_ns, bool ended) {
  for (Stays* stays : {&all_, &by_level_[statistics::LevelOf(spectrum_, ns)]}) {
    stays->time_ns += time_ns;
    stays->ends += ended ? 1 : 0;
  }
}

void Residence::Follow(std::span<const FollowedBatch> batches) {
  if (batches.size() < 2 * kConfirming) return;
  constexpr double kNoises = 4;
  const double change = std::max(kMinChangeRatio, kNoises * NoiseOf(batches));
  const auto differs = [change](double first, double second) {
    return !(std::abs(std::log(first / second)) <= change);
  };
  const auto middle_of = [&batches](std::size_t begin) {
    std::array<double, kConfirming> values{};
    for (std::size_t i = 0; i < kConfirming; ++i) values[i] = batches[begin + i].ns;
    std::ranges::sort(values);
    return values[kConfirming / 2];
  };

  double place = middle_of(0);
  double stay_ns = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (i + kConfirming <= batches.size() && differs(batches[i].ns, place)) {
      const double next = middle_of(i);
      bool agree = differs(next, place);
      for (std::size_t k = 0; k < kConfirming; ++k) {
        agree = agree && !differs(batches[i + k].ns, next) && differs(batches[i + k].ns, place);
      }
      if (agree) {
        Record(place, stay_ns, true);
        place = next;
        stay_ns = 0;
      }
    }
    stay_ns += batches[i].duration_ns;
  }
  Record(place, stay_ns, false);
}

double Residence::FollowedMs() const { return all_.time_ns / 1e6; }

std::optional<double> Residence::OverallMs() const { return MeanMs(all_.time_ns, all_.ends); }

std::optional<double> Residence::LevelMs(std::size_t level) const {
  return MeanMs(by_level_[level].time_ns, by_level_[level].ends);
}

}  // namespace cyclescope::cores

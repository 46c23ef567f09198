// A simulated memory system: caches of known size and latency, which fill as told, and noise. Which
// loads miss is found by putting lines into sets, not by the formulas that curves are read with.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "curves/latency_source.h"

namespace cyclescope::curves {

inline constexpr double kKb = 1024;
inline constexpr double kMb = 1024 * kKb;

enum class SimulatedFilling {
  kEven,       // neighbouring lines, the least recently used one is replaced
  kScattered,  // pages anywhere, likewise
  kRandom,     // any line is replaced
};

struct SimulatedCache {
  double bytes = 0;  // with all levels before it, where it holds what they don't
  double cycles = 0;
  int ways = 0;
  SimulatedFilling filling = SimulatedFilling::kEven;
  double noise = 0.003;   // of a visit's latency, as a share
  double size_noise = 0;  // what others leave of it changes from visit to visit, as a share
};

struct SimulatedTranslation {
  double pages = 0;
  double cycles = 0;  // more, beyond
};

// A neighbour that uses the core now and then, for some visits in a row: loads take longer, and
// caches hold less.
struct SimulatedNeighbour {
  double share = 0;         // of the time
  double visits = 6;        // in a row, on average
  double slows = 0.15;      // takes up to this share longer
  double leaves = 0.4;      // of a cache, at least
  double unnoticed = 0.03;  // of the visits that it disturbs, as many look quiet
};

struct SimulatedMemory {
  std::vector<SimulatedCache> caches;  // memory last; its size does not matter
  std::vector<SimulatedTranslation> translation;
  double page_bytes = 4096;
  double ghz = 3;
  double outliers = 0.02;  // share of visits that something slowed down by up to a half
  SimulatedNeighbour neighbour;
};

class SimulatedSource final : public LatencySource {
 public:
  SimulatedSource(SimulatedMemory memory, std::uint64_t seed)
      : memory_(std::move(memory)), random_(seed), state_(seed) {}

  Result<ChaseVisit> Visit(const Chase& chase) override;
  int visits() const { return visits_; }

 private:
  // Fast, since most of a test's time is spent here (Vigna's splitmix64, upper half).
  std::size_t Below(std::size_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::size_t>((mixed >> 33) * bound >> 31);
  }
  void MoveNeighbour();
  double MissedShare(const SimulatedCache& cache, double bytes);
  double Scattered(double pages, double colours, int ways);
  double RandomlyReplaced(double ratio);

  SimulatedMemory memory_;
  std::mt19937_64 random_;
  std::uint64_t state_;
  int visits_ = 0;
  bool is_shared_ = false;
  double left_ = 1;  // of a cache, by the neighbour
};

}  // namespace cyclescope::curves

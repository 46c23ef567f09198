#include "curves/testing/simulated_memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cyclescope::curves {

double SimulatedSource::Scattered(double pages, double colours, int ways) {
  // More pages than this change nothing.
  if (pages > 4 * colours * ways) return 1;
  std::vector<int> pages_of(static_cast<std::size_t>(std::max(colours, 1.0)));
  const int count = static_cast<int>(std::max(std::round(pages), 1.0));
  for (int i = 0; i < count; ++i) ++pages_of[Below(pages_of.size())];
  int missed = 0;
  for (const int each : pages_of) missed += each > ways ? each : 0;
  return static_cast<double>(missed) / count;
}

double SimulatedSource::RandomlyReplaced(double ratio) {
  if (ratio <= 1) return 0;
  if (ratio > 6) return 1;
  constexpr std::size_t kPlaces = 256;
  const auto lines = static_cast<std::size_t>(std::round(ratio * kPlaces));
  std::vector<std::size_t> line_at(kPlaces, lines);
  std::vector<bool> is_in(lines + 1, false);
  // Near the size of the cache it takes many rounds until it is full.
  constexpr int kWarmUp = 12;
  constexpr int kRounds = 16;
  int missed = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t line = 0; line < lines; ++line) {
      if (is_in[line]) continue;
      missed += round >= kWarmUp ? 1 : 0;
      const std::size_t place = Below(kPlaces);
      is_in[line_at[place]] = false;
      line_at[place] = line;
      is_in[line] = true;
    }
  }
  return static_cast<double>(missed) / static_cast<double>(lines) / (kRounds - kWarmUp);
}

void SimulatedSource::MoveNeighbour() {
  const SimulatedNeighbour& neighbour = memory_.neighbour;
  if (neighbour.share <= 0) return;
  // Comes and goes so that it is there for that share.
  const double leaves = 1 / neighbour.visits;
  const double comes = leaves * neighbour.share / std::max(1 - neighbour.share, 1e-9);
  const double changes = is_shared_ ? leaves : comes;
  if (std::bernoulli_distribution(std::min(changes, 1.0))(random_)) is_shared_ = !is_shared_;
  left_ = is_shared_ ? std::uniform_real_distribution<>(neighbour.leaves, 1)(random_) : 1;
}

double SimulatedSource::MissedShare(const SimulatedCache& cache, double bytes) {
  const double size =
      left_ * cache.bytes * std::exp(std::normal_distribution<>(0, 1)(random_) * cache.size_noise);
  switch (cache.filling) {
    case SimulatedFilling::kEven: {
      constexpr double kLine = 64;
      const double sets = std::round(size / kLine / cache.ways);
      const double lines = std::round(bytes / kLine);
      const double least = std::floor(lines / sets);
      const double fuller = lines - least * sets;  // sets with one line more
      double missed = 0;
      if (least + 1 > cache.ways) missed += fuller * (least + 1);
      if (least > cache.ways) missed += (sets - fuller) * least;
      return missed / lines;
    }
    case SimulatedFilling::kScattered:
      return Scattered(bytes / memory_.page_bytes, size / memory_.page_bytes / cache.ways,
                       cache.ways);
    case SimulatedFilling::kRandom:
      return RandomlyReplaced(bytes / size);
  }
  std::unreachable();
}

Result<ChaseVisit> SimulatedSource::Visit(const Chase& chase) {
  ++visits_;
  MoveNeighbour();
  const double pages = static_cast<double>(chase.bytes) / memory_.page_bytes;
  const double bytes =
      chase.order == ChaseOrder::kLinePerPage ? pages * 64 : static_cast<double>(chase.bytes);
  // Page by page, many loads share what a page takes.
  const double sharing =
      chase.order == ChaseOrder::kPageByPage ? std::min(memory_.page_bytes / 64, bytes / 64) : 1;
  // Something slows a whole visit down; how lines share sets differs from sample to sample.
  const double luck = std::normal_distribution<>(0, 1)(random_);
  const bool is_outlier = std::bernoulli_distribution(memory_.outliers)(random_);
  double slowed = is_outlier ? 1 + std::uniform_real_distribution<>(0, 0.5)(random_) : 1;
  ChaseVisit visit;
  if (is_shared_) {
    slowed *= 1 + std::uniform_real_distribution<>(0, memory_.neighbour.slows)(random_);
    visit.contended = !std::bernoulli_distribution(memory_.neighbour.unnoticed)(random_);
  }
  // As on a machine, where a large footprint keeps its pages for a visit.
  constexpr std::int64_t kMaxRedrawnBytes = std::int64_t{4} << 20;
  for (int i = 0; i < (chase.bytes > kMaxRedrawnBytes ? 1 : 3); ++i) {
    double cycles = memory_.caches[0].cycles;
    double noise = memory_.caches[0].noise;
    double missed = 1;
    for (std::size_t level = 0; level + 1 < memory_.caches.size(); ++level) {
      const SimulatedCache& next = memory_.caches[level + 1];
      missed = std::min(missed, MissedShare(memory_.caches[level], bytes));
      cycles += missed * (next.cycles - memory_.caches[level].cycles);
      noise = std::lerp(noise, next.noise, missed);
    }
    for (const SimulatedTranslation& store : memory_.translation) {
      if (pages > store.pages) cycles += store.cycles / sharing;
    }
    visit.cycles.push_back(cycles * std::exp(luck * noise) * slowed);
    visit.nanoseconds.push_back(visit.cycles.back() / memory_.ghz);
  }
  return visit;
}

}  // namespace cyclescope::curves

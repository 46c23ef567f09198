// A footprint: which lines are visited, and in which order. It knows numbers of lines, and no
// memory.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "cyclescope/result/memory.h"

namespace cyclescope::memory {

// An area that footprints are taken from, in lines.
struct AreaShape {
  std::uint32_t pages = 0;
  std::uint32_t lines_per_page = 0;
};

// The numbers below `count` in an order without pattern, each once. It keeps no list of them: that
// of a large footprint takes longer to shuffle than its lines take to be linked.
class ScatteredOrder {
 public:
  ScatteredOrder(std::uint32_t count, std::mt19937_64& random);

  std::uint32_t At(std::uint32_t index) const {
    // A Feistel network shuffles the numbers of some bits; those beyond the count are sent on until
    // they are below it, which every number is after some steps (J. Black, P. Rogaway, 2002).
    do {
      index = Mix(index);
    } while (index >= count_);
    return index;
  }

 private:
  static constexpr int kRounds = 3;

  std::uint32_t Mix(std::uint32_t value) const {
    std::uint32_t left = value >> right_bits_;
    std::uint32_t right = value & right_mask_;
    for (int round = 0; round < kRounds; ++round) {
      left ^= Hash(right, keys_[2 * round]) & left_mask_;
      right ^= Hash(left, keys_[2 * round + 1]) & right_mask_;
    }
    return left << right_bits_ | right;
  }
  static std::uint32_t Hash(std::uint32_t value, std::uint64_t key) {
    return static_cast<std::uint32_t>((value + key) * 0x9e3779b97f4a7c15 >> 32);
  }

  std::uint32_t count_;
  int right_bits_ = 1;
  std::uint32_t left_mask_ = 1;
  std::uint32_t right_mask_ = 1;
  std::uint64_t keys_[2 * kRounds];
};

class FootprintDrawer {
 public:
  FootprintDrawer(const AreaShape& area, std::uint64_t seed);

  // Gets the next lines of a footprint.
  using Take = std::function<void(std::span<const std::uint32_t>)>;

  // Hands out the lines of a footprint in the order of visits, each once; the first follows the
  // last. They lie on pages that are drawn anew each time. A footprint of less than a page is a
  // stretch of one page. `lines` is at least two (kLinePerPage: the pages), and fits into the area.
  void Draw(ChaseOrder order, std::uint32_t lines, const Take& take);

 private:
  // Below any bound, evenly enough for orders of lines, and faster than the standard library's
  // (D. Lemire, 2019: multiply, and keep the upper half).
  std::uint32_t Below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((random_() >> 32) * bound >> 32);
  }
  void Shuffle(std::span<std::uint32_t> values);
  // The first `count` of the area's pages, which are in another order from then on.
  std::span<const std::uint32_t> DrawPages(std::uint32_t count);
  void DrawScattered(std::span<const std::uint32_t> pages, std::uint32_t lines, const Take& take);
  void DrawByPage(std::span<const std::uint32_t> pages, std::uint32_t lines, const Take& take);

  AreaShape area_;
  std::mt19937_64 random_;
  std::vector<std::uint32_t> pages_;
};

}  // namespace cyclescope::memory

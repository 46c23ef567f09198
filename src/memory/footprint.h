// A footprint: which lines are visited, and in which order. It knows numbers of lines, and no
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "result/memory.h"

namespace cyclescope::memory {

// An area that footprints are taken from, in lines.
struct AreaShape {
  std::uint32_t pages = 0;
  std::uint32_t lines_per_page = 0;
};

class FootprintDrawer {
 public:
  FootprintDrawer(const AreaShape& area, std::uint64_t seed);

  // The lines of a footprint in the order of visits, each once; the first follows the last. They
  // lie on pages that are drawn anew each time. A footprint of less than a page is a stretch of one
  // page. `lines` is at least two (kLinePerPage: the pages), and fits into the area.
  std::vector<std::uint32_t> Draw(ChaseOrder order, std::uint32_t lines);

 private:
  // Below any bound, evenly enough for orders of lines, and faster than the standard library's
  // (D. Lemire, 2019: multiply, and keep the upper half).
  std::uint32_t Below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((random_() >> 32) * bound >> 32);
  }
  void Shuffle(std::span<std::uint32_t> values);
  // The first `count` of the area's pages, which are in another order from then on.
  std::span<const std::uint32_t> DrawPages(std::uint32_t count);

  AreaShape area_;
  std::mt19937_64 random_;
  std::vector<std::uint32_t> pages_;
};

}  // namespace cyclescope::memory

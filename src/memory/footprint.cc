#include "memory/footprint.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>
#include <utility>

namespace cyclescope::memory {

ScatteredOrder::ScatteredOrder(std::uint32_t count, std::mt19937_64& random) : count_(count) {
  assert(count >= 2);
  const int bits = std::max(static_cast<int>(std::bit_width(count - 1)), 2);
  right_bits_ = bits / 2;
  right_mask_ = (1u << right_bits_) - 1;
  left_mask_ = (1u << (bits - right_bits_)) - 1;
  std::ranges::generate(keys_, [&random] { return random(); });
}

FootprintDrawer::FootprintDrawer(const AreaShape& area, std::uint64_t seed)
    : area_(area), random_(seed), pages_(area.pages) {
  std::iota(pages_.begin(), pages_.end(), 0);
}

void FootprintDrawer::Shuffle(std::span<std::uint32_t> values) {
  for (auto left = static_cast<std::uint32_t>(values.size()); left > 1; --left) {
    std::swap(values[left - 1], values[Below(left)]);
  }
}

std::span<const std::uint32_t> FootprintDrawer::DrawPages(std::uint32_t count) {
  assert(count <= pages_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    std::swap(pages_[i], pages_[i + Below(static_cast<std::uint32_t>(pages_.size()) - i)]);
  }
  return std::span(pages_).first(count);
}

void FootprintDrawer::DrawScattered(std::span<const std::uint32_t> pages, std::uint32_t lines,
                                    const Take& take) {
  constexpr std::uint32_t kLinesAtOnce = 256;
  const std::uint32_t per_page = area_.lines_per_page;
  const ScatteredOrder order(lines, random_);
  // The last page may be used in part: from anywhere in it.
  const std::uint32_t last = lines / per_page;
  const std::uint32_t skipped = lines % per_page == 0 ? 0 : Below(per_page - lines % per_page + 1);
  std::uint32_t part[kLinesAtOnce];
  for (std::uint32_t done = 0; done < lines;) {
    const std::uint32_t now = std::min(kLinesAtOnce, lines - done);
    for (std::uint32_t i = 0; i < now; ++i) {
      const std::uint32_t line = order.At(done + i);
      const std::uint32_t page = line / per_page;
      part[i] = pages[page] * per_page + line % per_page + (page == last ? skipped : 0);
    }
    take(std::span(part).first(now));
    done += now;
  }
}

void FootprintDrawer::DrawByPage(std::span<const std::uint32_t> pages, std::uint32_t lines,
                                 const Take& take) {
  const std::uint32_t per_page = area_.lines_per_page;
  std::vector<std::uint32_t> part(per_page);
  for (const std::uint32_t page : pages) {
    const std::uint32_t now = std::min(lines, per_page);
    const auto used = std::span(part).first(now);
    std::iota(used.begin(), used.end(), page * per_page + Below(per_page - now + 1));
    Shuffle(used);
    take(used);
    lines -= now;
  }
}

void FootprintDrawer::Draw(ChaseOrder order, std::uint32_t lines, const Take& take) {
  assert(lines >= 2);
  const std::uint32_t per_page = area_.lines_per_page;
  switch (order) {
    case ChaseOrder::kRandom:
      DrawScattered(DrawPages((lines + per_page - 1) / per_page), lines, take);
      return;
    case ChaseOrder::kPageByPage:
      DrawByPage(DrawPages((lines + per_page - 1) / per_page), lines, take);
      return;
    case ChaseOrder::kLinePerPage: {
      // A different line of each page in turn, so that no set of a cache gets more than its share;
      // and a different 4 KB of a huge page, so that where its translation is split into small ones
      // no set of those gets more: on a Golden Cove that is a virtual machine's, 6 huge pages had
      // seemed to be all that fit, the ways of one set.
      constexpr std::uint32_t kLinesApart = 64 + 1;
      std::uint32_t done = 0;
      for (const std::uint32_t page : DrawPages(lines)) {
        const std::uint32_t line = page * per_page + done++ * kLinesApart % per_page;
        take(std::span(&line, 1));
      }
      return;
    }
  }
  std::unreachable();
}

}  // namespace cyclescope::memory

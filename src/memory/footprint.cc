#include "memory/footprint.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace cyclescope::memory {

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

std::vector<std::uint32_t> FootprintDrawer::Draw(ChaseOrder order, std::uint32_t lines) {
  assert(lines >= 2);
  const std::uint32_t per_page = area_.lines_per_page;
  std::vector<std::uint32_t> drawn;
  drawn.reserve(lines);
  if (order == ChaseOrder::kLinePerPage) {
    // A different line of each page in turn, so that no set of a cache gets more than its share.
    for (const std::uint32_t page : DrawPages(lines)) {
      drawn.push_back(page * per_page + static_cast<std::uint32_t>(drawn.size()) % per_page);
    }
    return drawn;
  }
  for (const std::uint32_t page : DrawPages((lines + per_page - 1) / per_page)) {
    const std::uint32_t rest = std::min(lines - static_cast<std::uint32_t>(drawn.size()), per_page);
    const std::uint32_t first = page * per_page + Below(per_page - rest + 1);
    const std::size_t begin = drawn.size();
    for (std::uint32_t i = 0; i < rest; ++i) drawn.push_back(first + i);
    if (order == ChaseOrder::kPageByPage) Shuffle(std::span(drawn).subspan(begin));
  }
  if (order == ChaseOrder::kRandom) Shuffle(drawn);
  return drawn;
}

}  // namespace cyclescope::memory

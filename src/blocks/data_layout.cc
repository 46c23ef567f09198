#include "blocks/data_layout.h"

#include <algorithm>
#include <map>
#include <optional>

namespace cyclescope::blocks {
namespace {

constexpr std::int64_t kLineBytes = 64;

std::int64_t LineOf(std::int64_t offset) {
  return (offset < 0 ? offset - kLineBytes + 1 : offset) / kLineBytes;
}

}  // namespace

std::int64_t LineBegin(std::span<const DataPlace> places) {
  const auto widest = std::ranges::max_element(places, {}, &DataPlace::bytes);
  return widest == places.end() ? 0 : widest->target;
}

std::vector<std::uint64_t> LayOutData(std::span<const DataPlace> places, std::uint64_t lines_before,
                                      std::uint64_t memory_bytes) {
  const std::int64_t begin = LineBegin(places);
  std::map<std::int64_t, std::uint64_t> lines;  // as the code has them: where they are laid
  for (const DataPlace& place : places) {
    const std::int64_t first = place.target - begin;
    lines[LineOf(first)];
    lines[LineOf(first + std::max<std::int64_t>(place.bytes, 1) - 1)];
  }
  std::uint64_t next = lines_before;
  std::optional<std::int64_t> last;
  for (auto& [line, laid] : lines) {
    if (last) next += line == *last + 1 ? 1 : 2;
    laid = next * kLineBytes % memory_bytes;
    last = line;
  }
  std::vector<std::uint64_t> offsets;
  for (const DataPlace& place : places) {
    const std::int64_t first = place.target - begin;
    const std::int64_t line = LineOf(first);
    offsets.push_back(lines.at(line) + static_cast<std::uint64_t>(first - line * kLineBytes));
  }
  return offsets;
}

}  // namespace cyclescope::blocks

#include "analysis/block_difference.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/printable.h"

namespace cyclescope {
namespace {

bool HasValue(const BlockRow& row) {
  return row.status == Status::kMeasured && row.cycles && !row.cycles->contended &&
         row.cycles->low > 0;
}

CycleRatio RatioOf(const Estimate& first, const Estimate& second) {
  return {second.value / first.value, second.low / first.high, second.high / first.low};
}

CycleRatio Scaled(const CycleRatio& ratio, double factor) {
  return {ratio.value * factor, ratio.low * factor, ratio.high * factor};
}

BlockDifference Between(const BlockRow& first, const BlockRow& second) {
  BlockDifference difference = {.first = &first, .second = &second};
  if (!HasValue(first) || !HasValue(second)) return difference;
  difference.per_iteration = RatioOf(*first.cycles, *second.cycles);
  const bool are_loops = first.trips > 0 && second.trips > 0;
  if (are_loops && first.bytes_per_trip > 0 && second.bytes_per_trip > 0 &&
      first.bytes_per_trip != second.bytes_per_trip) {
    difference.per_byte =
        Scaled(*difference.per_iteration, static_cast<double>(first.bytes_per_trip) /
                                              static_cast<double>(second.bytes_per_trip));
  }
  return difference;
}

using Rows = std::vector<const BlockRow*>;

std::vector<BlockDifference> InOrder(const Rows& first, const Rows& second) {
  std::vector<BlockDifference> differences;
  if (first.size() != second.size()) return differences;
  for (std::size_t i = 0; i < first.size(); ++i)
    differences.push_back(Between(*first[i], *second[i]));
  return differences;
}

std::map<std::string, Rows> ByFunction(const Rows& rows) {
  std::map<std::string, Rows> functions;
  for (const BlockRow* row : rows) functions[row->function].push_back(row);
  functions.erase("");
  return functions;
}

// "takes 0.25 times the cycles per trip of a.s"; no claim where the interval holds 1.
std::string RatioText(const CycleRatio& ratio, std::string_view unit, std::string_view of) {
  if (ratio.low <= 1 && ratio.high >= 1)
    return fmt::format("does not clearly differ from {} in cycles per {}", of, unit);
  return fmt::format("takes {:.2f} times the cycles per {} of {}", ratio.value, unit, of);
}

std::string NameOf(const BlockRow& row) {
  return row.function.empty() || row.function == row.side
             ? Printable(row.side)
             : fmt::format("{}, {}", Printable(row.side), Printable(row.function));
}

}  // namespace

std::vector<BlockDifference> FindDifferences(std::span<const BlockRow> rows) {
  std::vector<std::string> sides;
  for (const BlockRow& row : rows) {
    if (!row.side.empty() && std::ranges::find(sides, row.side) == sides.end())
      sides.push_back(row.side);
  }
  if (sides.size() != 2) return {};
  Rows first, second;
  for (const BlockRow& row : rows) {
    if (row.side == sides[0]) first.push_back(&row);
    if (row.side == sides[1]) second.push_back(&row);
  }
  std::vector<BlockDifference> differences;
  const auto functions = ByFunction(second);
  for (const auto& [function, of_first] : ByFunction(first)) {
    const auto of_second = functions.find(function);
    if (of_second == functions.end()) continue;
    for (BlockDifference& difference : InOrder(of_first, of_second->second))
      differences.push_back(difference);
  }
  return differences.empty() ? InOrder(first, second) : differences;
}

std::string DifferenceText(const BlockDifference& difference) {
  const BlockRow& first = *difference.first;
  const BlockRow& second = *difference.second;
  const std::string names = fmt::format("{} and {}", NameOf(first), NameOf(second));
  if (!difference.per_iteration)
    return names + ": not compared, since one of them has no value of a core of its own";
  const std::string_view unit = first.trips > 0 && second.trips > 0 ? "trip" : "iteration";
  std::string text = fmt::format("{} {} ({:.2f} and {:.2f})", NameOf(second),
                                 RatioText(*difference.per_iteration, unit, NameOf(first)),
                                 second.cycles->value, first.cycles->value);
  if (difference.per_byte) {
    text += fmt::format("; a trip goes on by {} and {} bytes, so it {}", second.bytes_per_trip,
                        first.bytes_per_trip, RatioText(*difference.per_byte, "byte", "that"));
  }
  return text;
}

}  // namespace cyclescope

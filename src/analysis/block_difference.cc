#include "analysis/block_difference.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/claims.h"

namespace cyclescope {
namespace {

bool HasValue(const BlockRow& row) {
  return row.status == Status::kMeasured && row.cycles && !row.cycles->contended &&
         row.cycles->low > 0;
}

bool HasPrediction(const BlockRow& row) {
  return row.predicted && row.predicted->cycles && *row.predicted->cycles > 0;
}

CycleRatio RatioOf(const Estimate& first, const Estimate& second) {
  return {second.value / first.value, second.low / first.high, second.high / first.low};
}

// Predictions have no interval; what is this near is not told apart.
CycleRatio RatioOf(double first, double second) {
  constexpr double kSameRatio = 1.02;
  const double ratio = second / first;
  return {ratio, ratio / kSameRatio, ratio * kSameRatio};
}

CycleRatio Scaled(const CycleRatio& ratio, double factor) {
  return {ratio.value * factor, ratio.low * factor, ratio.high * factor};
}

BlockDifference Between(const BlockRow& first, const BlockRow& second) {
  BlockDifference difference = {.first = &first, .second = &second};
  if (first.status == Status::kPredicted && second.status == Status::kPredicted) {
    difference.are_predictions = true;
    if (!HasPrediction(first) || !HasPrediction(second)) return difference;
    difference.per_iteration = RatioOf(*first.predicted->cycles, *second.predicted->cycles);
  } else {
    if (!HasValue(first) || !HasValue(second)) return difference;
    difference.per_iteration = RatioOf(*first.cycles, *second.cycles);
  }
  // What is predicted makes no trips; its bytes are known of loops alone.
  const bool are_loops = difference.are_predictions || (first.trips > 0 && second.trips > 0);
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

// No claim about which is faster where the interval holds 1.
bool AreAlike(const CycleRatio& ratio) { return ratio.low <= 1 && ratio.high >= 1; }

std::string NameOf(const BlockRow& row) {
  return row.function.empty() || row.function == row.side
             ? row.side
             : fmt::format("{}, {}", row.side, row.function);
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

std::vector<Claim> ClaimsOf(const BlockDifference& difference) {
  const BlockRow& first = *difference.first;
  const BlockRow& second = *difference.second;
  std::vector<ClaimFigure> names = {{"first", NameOf(first)}, {"second", NameOf(second)}};
  const bool are_predictions = difference.are_predictions;
  if (!difference.per_iteration) {
    if (!are_predictions) names.emplace_back("whose", "of a quiet core");
    return {{ClaimCode::kLoopsNotCompared, std::move(names)}};
  }
  Claim per_iteration{
      AreAlike(*difference.per_iteration) ? ClaimCode::kLoopsAlike : ClaimCode::kLoopsDiffer,
      std::move(names)};
  if (are_predictions) per_iteration.figures.emplace_back("basis", "the model");
  per_iteration.figures.emplace_back("unit",
                                     first.trips > 0 && second.trips > 0 ? "trip" : "iteration");
  per_iteration.figures.emplace_back("ratio", difference.per_iteration->value);
  per_iteration.figures.emplace_back(
      "first_cycles", are_predictions ? *first.predicted->cycles : first.cycles->value);
  per_iteration.figures.emplace_back(
      "second_cycles", are_predictions ? *second.predicted->cycles : second.cycles->value);
  std::vector<Claim> claims = {std::move(per_iteration)};
  if (difference.per_byte) {
    claims.push_back(
        {AreAlike(*difference.per_byte) ? ClaimCode::kBytesAlike : ClaimCode::kBytesDiffer,
         {{"second_bytes", static_cast<double>(second.bytes_per_trip)},
          {"first_bytes", static_cast<double>(first.bytes_per_trip)},
          {"ratio", difference.per_byte->value}}});
  }
  return claims;
}

std::string DifferenceText(const BlockDifference& difference) {
  return Sentences(ClaimsOf(difference));
}

}  // namespace cyclescope

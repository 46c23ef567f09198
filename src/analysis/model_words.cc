#include "analysis/model_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace cyclescope {
namespace {

constexpr std::string_view kWithMemory = ", memory";

// "on zmm registers with a memory operand", from "zmm, memory".
std::string OperandsText(std::string_view operands) {
  constexpr auto kNames =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"FP scalars", "FP"},
                                                                    {"masks", "mask"},
                                                                    {"mmx", "MMX"},
                                                                    {"predicates", "predicate"},
                                                                    {"tiles", "tile"},
                                                                    {"vectors", "vector"}});
  const bool has_memory = operands.ends_with(kWithMemory);
  if (has_memory) operands.remove_suffix(kWithMemory.size());
  const auto named =
      std::ranges::find(kNames, operands, &std::pair<std::string_view, std::string_view>::first);
  return fmt::format("on {} registers{}", named == kNames.end() ? operands : named->second,
                     has_memory ? " with a memory operand" : "");
}

std::string CyclesText(double cycles) {
  const bool is_whole = std::abs(cycles - std::round(cycles)) < 0.005;
  return is_whole ? fmt::format("{:.0f}", cycles) : fmt::format("{:.2f}", cycles);
}

// "twice the cycles", "1.5 times the cycles", "a third of the cycles"
std::string FactorText(double factor) {
  constexpr auto kNames =
      std::to_array<std::pair<double, std::string_view>>({{0.125, "an eighth of"},
                                                          {0.25, "a quarter of"},
                                                          {1 / 3., "a third of"},
                                                          {0.5, "half of"},
                                                          {2 / 3., "two thirds of"},
                                                          {2, "twice"},
                                                          {3, "three times"},
                                                          {4, "four times"},
                                                          {8, "eight times"}});
  const auto named = std::ranges::find_if(
      kNames, [factor](const auto& each) { return std::abs(each.first - factor) < 1e-6; });
  return named == kNames.end() ? fmt::format("{:.3g} times", factor) : std::string(named->second);
}

std::string OffsetText(double cycles) {
  const double size = std::abs(cycles);
  return fmt::format("{:.0f} cycle{} {} than in the model", size, size == 1 ? "" : "s",
                     cycles < 0 ? "shorter" : "longer");
}

// By how much they differ, the least and the most.
std::string RangeText(const ModelGroup& group) {
  const auto sizes = [](const ModelDifference* each) { return std::abs(each->difference()); };
  const auto [least, most] = std::ranges::minmax(group.differences, {}, sizes);
  const std::string low = CyclesText(sizes(least));
  const std::string high = CyclesText(sizes(most));
  return low == high ? low : low + " to " + high;
}

// "400 of 412 throughputs on zmm registers", "all 3 latencies of div"
std::string SubjectText(const ModelGroup& group) {
  const std::size_t count = group.differences.size();
  const bool is_one = group.compared == 1;
  const std::string_view quantity = group.quantity == ModelQuantity::kLatency
                                        ? (is_one ? "latency" : "latencies")
                                        : (is_one ? "throughput" : "throughputs");
  std::string text = count == group.compared
                         ? (is_one ? fmt::format("the one {}", quantity)
                                   : fmt::format("all {} {}", count, quantity))
                         : fmt::format("{} of {} {}", count, group.compared, quantity);
  if (!group.family.empty()) text += " of " + group.family;
  if (!group.operands.empty()) text += ' ' + OperandsText(group.operands);
  return text;
}

std::string PatternText(const ModelGroup& group) {
  const bool is_one = group.differences.size() == 1;
  const bool is_latency = group.quantity == ModelQuantity::kLatency;
  const bool is_longer = group.pattern == ModelPattern::kAllLonger;
  switch (group.pattern) {
    case ModelPattern::kOffset:
      return fmt::format("{} {}", is_one ? "is" : "are", OffsetText(group.amount));
    case ModelPattern::kFactor:
      return is_latency
                 ? fmt::format("{} {} the model's", is_one ? "is" : "are", FactorText(group.amount))
                 : fmt::format("{} {} the model's cycles", is_one ? "takes" : "take",
                               FactorText(group.amount));
    case ModelPattern::kAllLonger:
    case ModelPattern::kAllShorter:
      return is_latency
                 ? fmt::format("{} {} cycles {} than in the model", is_one ? "is" : "are",
                               RangeText(group), is_longer ? "longer" : "shorter")
                 : fmt::format("{} {} cycles {} than in the model", is_one ? "takes" : "take",
                               RangeText(group), is_longer ? "more" : "less");
    case ModelPattern::kNotInModel:
      return fmt::format("{} no time in the model", is_one ? "takes" : "take");
    case ModelPattern::kMixed:
      return fmt::format("{} from the model, not all in one way", is_one ? "differs" : "differ");
  }
  std::unreachable();
}

}  // namespace

std::string_view QuantityName(ModelQuantity quantity) {
  return quantity == ModelQuantity::kLatency ? "latency" : "throughput";
}

std::string GroupText(const ModelGroup& group) {
  const ModelDifference& example = *group.differences.front();
  const std::string pair = example.pair == nullptr
                               ? ""
                               : fmt::format(" ({} → {})", example.pair->from, example.pair->to);
  return fmt::format("{} {}: {}{} takes {}, the model has {}", SubjectText(group),
                     PatternText(group), example.row->text, pair,
                     CyclesText(example.measured_cycles), CyclesText(example.model_cycles));
}

}  // namespace cyclescope

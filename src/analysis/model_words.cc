#include "analysis/model_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/claims.h"

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

ClaimCode CodeOf(ModelPattern pattern) {
  switch (pattern) {
    case ModelPattern::kOffset:
      return ClaimCode::kModelOffset;
    case ModelPattern::kFactor:
      return ClaimCode::kModelFactor;
    case ModelPattern::kAllLonger:
    case ModelPattern::kAllShorter:
      return ClaimCode::kModelDiffers;
    case ModelPattern::kNotInModel:
      return ClaimCode::kNotInModel;
    case ModelPattern::kMixed:
      return ClaimCode::kModelMixed;
  }
  std::unreachable();
}

// By how much they differ, the least and the most; one of both where they are about the same.
void AddRange(const ModelGroup& group, Claim& claim) {
  constexpr double kSameCycles = 0.005;
  const auto sizes = [](const ModelDifference* each) { return std::abs(each->difference()); };
  const auto [least, most] = std::ranges::minmax(group.differences, {}, sizes);
  claim.figures.emplace_back("least", sizes(least));
  if (sizes(most) - sizes(least) >= kSameCycles) claim.figures.emplace_back("most", sizes(most));
}

void AddAgreement(std::string quantity, std::string values, const ModelCount& count,
                  std::vector<Claim>& claims) {
  if (count.compared == 0) return;
  claims.push_back({ClaimCode::kModelAgrees,
                    {{"quantity", std::move(quantity)},
                     {"agreeing", static_cast<double>(count.agreeing)},
                     {"compared", static_cast<double>(count.compared)},
                     {"values", std::move(values)},
                     {"percent", 100.0 * count.agreeing / count.compared}}});
}

}  // namespace

std::string_view QuantityName(ModelQuantity quantity) {
  return quantity == ModelQuantity::kLatency ? "latency" : "throughput";
}

Claim ClaimOf(const ModelGroup& group) {
  const ModelDifference& example = *group.differences.front();
  const std::string pair = example.pair == nullptr
                               ? ""
                               : fmt::format(" ({} → {})", example.pair->from, example.pair->to);
  Claim claim{CodeOf(group.pattern),
              {{"which", SubjectText(group)},
               {"different", static_cast<double>(group.differences.size())},
               {"compared", static_cast<double>(group.compared)},
               {"example", example.row->text + pair},
               {"measured", example.measured_cycles},
               {"model", example.model_cycles}}};
  switch (group.pattern) {
    case ModelPattern::kOffset:
      claim.figures.emplace_back("cycles", std::abs(group.amount));
      claim.figures.emplace_back("direction", group.amount < 0 ? "shorter" : "longer");
      break;
    case ModelPattern::kFactor:
      claim.figures.emplace_back("ratio", group.amount);
      claim.figures.emplace_back("factor", FactorText(group.amount));
      break;
    case ModelPattern::kAllLonger:
    case ModelPattern::kAllShorter:
      AddRange(group, claim);
      claim.figures.emplace_back("direction",
                                 group.pattern == ModelPattern::kAllShorter ? "shorter" : "longer");
      break;
    case ModelPattern::kNotInModel:
    case ModelPattern::kMixed:
      break;
  }
  return claim;
}

std::string GroupText(const ModelGroup& group) { return Sentence(ClaimOf(group)); }

std::vector<Claim> AgreementClaims(const ModelAgreement& agreement) {
  std::vector<Claim> claims;
  AddAgreement("latency", "pairs", agreement.latency, claims);
  AddAgreement("throughput", "rows", agreement.throughput, claims);
  if (agreement.contended > 0)
    claims.push_back(
        {ClaimCode::kModelNotCompared, {{"count", static_cast<double>(agreement.contended)}}});
  return claims;
}

std::vector<Claim> ModelClaims(std::span<const InstructionRow> rows) {
  constexpr std::size_t kMostGroups = 50;
  const ModelAgreement agreement = CompareWithModel(rows);
  std::vector<Claim> claims = AgreementClaims(agreement);
  const std::vector<ModelGroup> groups = GroupDifferences(agreement);
  for (const ModelGroup& group : std::span(groups).first(std::min(kMostGroups, groups.size())))
    claims.push_back(ClaimOf(group));
  return claims;
}

}  // namespace cyclescope

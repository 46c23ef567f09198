#include "result/names.h"

#include <array>
#include <utility>

namespace cyclescope {
namespace {

constexpr std::array<std::pair<CheckStatus, std::string_view>, 3> kCheckStatuses = {{
    {CheckStatus::kOk, "ok"},
    {CheckStatus::kNote, "note"},
    {CheckStatus::kWarn, "warn"},
}};

constexpr std::array<std::pair<FindingKind, std::string_view>, 8> kFindingKinds = {{
    {FindingKind::kSharedCore, "shared-core"},
    {FindingKind::kSplitCore, "split-core"},
    {FindingKind::kHiddenCluster, "hidden-cluster"},
    {FindingKind::kAsymmetry, "asymmetry"},
    {FindingKind::kOutlier, "outlier"},
    {FindingKind::kDrift, "drift"},
    {FindingKind::kParallelBias, "parallel-bias"},
    {FindingKind::kFloating, "floating"},
}};

constexpr std::array<std::pair<LatencyKind, std::string_view>, 3> kLatencyKinds = {{
    {LatencyKind::kExact, "exact"},
    {LatencyKind::kConnected, "connected"},
    {LatencyKind::kUpperBound, "upper-bound"},
}};

constexpr std::array<std::pair<Stability, std::string_view>, 3> kStabilities = {{
    {Stability::kStable, "stable"},
    {Stability::kDrifting, "drifting"},
    {Stability::kFloating, "floating"},
}};

constexpr std::array<std::pair<SamplingEnd, std::string_view>, 2> kSamplingEnds = {{
    {SamplingEnd::kPrecise, "precise"},
    {SamplingEnd::kBudget, "budget"},
}};

template <typename Table, typename Enum>
std::string_view NameIn(const Table& table, Enum wanted) {
  for (const auto& [value, name] : table) {
    if (value == wanted) return name;
  }
  std::unreachable();
}

template <typename Table>
auto ValueIn(const Table& table, std::string_view wanted)
    -> std::optional<typename Table::value_type::first_type> {
  for (const auto& [value, name] : table) {
    if (name == wanted) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view ToString(CheckStatus status) { return NameIn(kCheckStatuses, status); }
std::string_view ToString(FindingKind kind) { return NameIn(kFindingKinds, kind); }
std::string_view ToString(LatencyKind kind) { return NameIn(kLatencyKinds, kind); }
std::string_view ToString(Stability stability) { return NameIn(kStabilities, stability); }
std::string_view ToString(SamplingEnd end) { return NameIn(kSamplingEnds, end); }

template <>
std::optional<CheckStatus> ParseName(std::string_view name) {
  return ValueIn(kCheckStatuses, name);
}
template <>
std::optional<FindingKind> ParseName(std::string_view name) {
  return ValueIn(kFindingKinds, name);
}
template <>
std::optional<LatencyKind> ParseName(std::string_view name) {
  return ValueIn(kLatencyKinds, name);
}
template <>
std::optional<SamplingEnd> ParseName(std::string_view name) {
  return ValueIn(kSamplingEnds, name);
}
template <>
std::optional<Stability> ParseName(std::string_view name) {
  return ValueIn(kStabilities, name);
}
template <>
std::optional<Status> ParseName(std::string_view name) {
  return ParseStatus(name);
}

}  // namespace cyclescope

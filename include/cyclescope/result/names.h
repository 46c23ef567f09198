// The names that enumerators have in the result document and in text. (Status has its own file.)
//
//   ToString(LatencyKind::kUpperBound)         // "upper-bound"
//   ParseName<LatencyKind>("upper-bound")      // LatencyKind::kUpperBound
#pragma once

#include <optional>
#include <string_view>

#include "cyclescope/result/check.h"
#include "cyclescope/result/cores.h"
#include "cyclescope/result/estimate.h"
#include "cyclescope/result/instruction.h"

namespace cyclescope {

std::string_view ToString(CheckStatus status);
std::string_view ToString(FindingKind kind);
std::string_view ToString(LatencyKind kind);
std::string_view ToString(SamplingEnd end);
std::string_view ToString(Stability stability);

// The enumerator of that name, if there is one.
template <typename Enum>
std::optional<Enum> ParseName(std::string_view name);

template <>
std::optional<CheckStatus> ParseName(std::string_view name);
template <>
std::optional<FindingKind> ParseName(std::string_view name);
template <>
std::optional<LatencyKind> ParseName(std::string_view name);
template <>
std::optional<SamplingEnd> ParseName(std::string_view name);
template <>
std::optional<Stability> ParseName(std::string_view name);
template <>
std::optional<Status> ParseName(std::string_view name);

}  // namespace cyclescope

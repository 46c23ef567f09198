// The names that enumerators have in the result document and in text. Each enumeration lists them
// beside itself, in the order of its enumerators:
//
//   constexpr auto NamesOf(LatencyKind) { return Names("exact", "connected", "upper-bound"); }
//
//   ToString(LatencyKind::kUpperBound)         // "upper-bound"
//   ParseName<LatencyKind>("upper-bound")      // LatencyKind::kUpperBound
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace cyclescope {

template <typename... Name>
constexpr std::array<std::string_view, sizeof...(Name)> Names(Name... names) {
  return {names...};
}

template <typename Enum>
concept Named = std::is_enum_v<Enum> && requires { NamesOf(Enum{}); };

template <Named Enum>
constexpr std::string_view ToString(Enum value) {
  return NamesOf(value)[static_cast<std::size_t>(value)];
}

// The enumerator of that name, if there is one.
template <Named Enum>
constexpr std::optional<Enum> ParseName(std::string_view name) {
  constexpr auto kNames = NamesOf(Enum{});
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace cyclescope

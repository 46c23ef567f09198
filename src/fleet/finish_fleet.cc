#include <algorithm>
#include <cstddef>
#include <string_view>

#include "fleet/fleet_judge.h"

namespace cyclescope::fleet {
namespace {

// "n2" before "n10".
bool ComesBefore(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto take_number = [&](std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
  };
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view one = take_number(a);
      const std::string_view other = take_number(b);
      if (one.size() != other.size()) return one.size() < other.size();
      if (one != other) return one < other;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() != b.size() ? a.size() < b.size() : whole_a < whole_b;
}

int RankOf(NodeVerdict verdict) {
  switch (verdict) {
    case NodeVerdict::kSlow:
      return 0;
    case NodeVerdict::kDifferent:
      return 1;
    case NodeVerdict::kNotEnoughData:
      return 2;
    case NodeVerdict::kNormal:
      return 3;
  }
  return 3;
}

}  // namespace

void FinishFleet(Fleet& fleet) {
  fleet.normal = fleet.slow = fleet.different = fleet.not_enough_data = 0;
  for (const FleetNode& node : fleet.nodes) {
    switch (node.verdict) {
      case NodeVerdict::kNormal:
        ++fleet.normal;
        break;
      case NodeVerdict::kSlow:
        ++fleet.slow;
        break;
      case NodeVerdict::kDifferent:
        ++fleet.different;
        break;
      case NodeVerdict::kNotEnoughData:
        ++fleet.not_enough_data;
        break;
    }
  }
  std::ranges::stable_sort(fleet.nodes, [](const FleetNode& a, const FleetNode& b) {
    const int rank_a = RankOf(a.verdict);
    const int rank_b = RankOf(b.verdict);
    return rank_a != rank_b ? rank_a < rank_b : ComesBefore(a.name, b.name);
  });
}

}  // namespace cyclescope::fleet

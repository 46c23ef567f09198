#include "base/near_names.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cyclescope {

int EditDistance(std::string_view from, std::string_view to) {
  // Optimal string alignment: three rows of the usual table, since a swap looks two rows back.
  std::vector<int> before_last(to.size() + 1), last(to.size() + 1), current(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    current[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const int replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[to.size()];
}

std::vector<std::string> NearNames(std::string_view name, std::span<const std::string> known,
                                   int most) {
  const int farthest = std::max(1, static_cast<int>(name.size()) / 3);
  std::vector<std::pair<int, std::string>> near;
  for (const std::string& candidate : known) {
    const auto length_difference =
        std::max(candidate.size(), name.size()) - std::min(candidate.size(), name.size());
    if (static_cast<int>(length_difference) > farthest) continue;
    const int distance = EditDistance(name, candidate);
    if (distance <= farthest && distance < static_cast<int>(name.size()))
      near.emplace_back(distance, candidate);
  }
  std::ranges::sort(near);
  std::vector<std::string> names;
  for (auto& [distance, candidate] : near) {
    if (static_cast<int>(names.size()) == most) break;
    names.push_back(std::move(candidate));
  }
  return names;
}

std::string DidYouMean(std::span<const std::string> names) {
  if (names.empty()) return "";
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += fmt::format("'{}'", names[i]);
  }
  return text + "?";
}

}  // namespace cyclescope

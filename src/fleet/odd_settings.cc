#include "fleet/odd_settings.h"

#include <cstddef>

namespace cyclescope::fleet {

UsualSettings::UsualSettings(const Group& group) {
  std::map<std::string_view, std::map<std::string, std::size_t>> counts;
  for (const Node* node : group.nodes) {
    for (const Setting& setting : node->settings) ++counts[setting.name][setting.value];
  }
  for (const auto& [name, values] : counts) {
    for (const auto& [value, count] : values) {
      if (10 * count >= 9 * group.nodes.size()) usual_.emplace(name, value);
    }
  }
}

std::vector<OddSetting> UsualSettings::OddOf(const Node& node) const {
  std::vector<OddSetting> odd;
  for (const Setting& setting : node.settings) {
    const auto usual = usual_.find(setting.name);
    if (usual != usual_.end() && usual->second != setting.value)
      odd.push_back({std::string(setting.name), setting.value, usual->second});
  }
  return odd;
}

void AddOddKind(const NodeKind& own, const NodeKind& usual, std::vector<OddSetting>& odd) {
  if (own.microcode != usual.microcode)
    odd.push_back({"microcode", own.microcode, usual.microcode});
  if (own.kernel != usual.kernel) odd.push_back({"kernel", own.kernel, usual.kernel});
}

}  // namespace cyclescope::fleet

// What a node says of itself and others like it do not: another governor, another microcode.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/cause.h"
#include "fleet/node_groups.h"

namespace cyclescope::fleet {

// What at least nine of ten nodes of a group have set.
class UsualSettings {
 public:
  explicit UsualSettings(const Group& group);

  std::vector<OddSetting> OddOf(const Node& node) const;

 private:
  std::map<std::string_view, std::string> usual_;
};

// What differs between a node's kind and the one that it is compared with.
void AddOddKind(const NodeKind& own, const NodeKind& usual, std::vector<OddSetting>& odd);

}  // namespace cyclescope::fleet

// Lists of nodes as Slurm writes them: "n[1-3,7],login".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::fleet {

// In the list's order; unset for what is no such list, or names more nodes than any cluster has.
std::optional<std::vector<std::string>> ExpandNodeList(std::string_view list);

}  // namespace cyclescope::fleet

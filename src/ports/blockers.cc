#include "ports/blockers.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cyclescope::ports {
namespace {

Mix Together(const Mix& first, const Mix& second) {
  Mix both = first;
  both.insert(both.end(), second.begin(), second.end());
  std::ranges::sort(both);
  return both;
}

// Where two blockers have all ports of a third between them, they block them instead of it. A core
// spreads the instructions of its widest class badly: on an Emerald Rapids fifteen additions took
// 3.59 cycles with a store, six shifts and nine `andn` 3.11, where the ports need 3.
void DivideWide(std::vector<Blocker>& blockers) {
  const std::vector<Blocker> whole = blockers;
  for (Blocker& wide : blockers) {
    for (std::size_t a = 0; a < whole.size(); ++a) {
      for (std::size_t b = a + 1; b < whole.size(); ++b) {
        const bool apart = (whole[a].ports & whole[b].ports) == 0;
        if (apart && (whole[a].ports | whole[b].ports) == wide.ports)
          wide.a_cycle = Together(whole[a].a_cycle, whole[b].a_cycle);
      }
    }
  }
}

}  // namespace

bool IsBlocker(const MapClass& each, VectorKind form) {
  if (form != VectorKind::kWide) return each.vectors != VectorKind::kWide;
  return CanBeMixed(form, 1, each.vectors, each.ports.width);
}

std::vector<Blocker> BlockersOf(const CoreMap& map, VectorKind form) {
  std::vector<Blocker> blockers;
  const auto add = [&blockers](PortSet ports, Mix a_cycle) {
    if (std::ranges::find(blockers, ports, &Blocker::ports) == blockers.end())
      blockers.push_back({ports, std::move(a_cycle)});
  };
  for (const MapClass& each : map.classes) {
    if (!each.ports.limited && IsBlocker(each, form))
      add(each.ports.ports, {{each.forms.front(), each.ports.width}});
  }
  const std::size_t classes = blockers.size();
  for (std::size_t a = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b) {
      const PortSet both = blockers[a].ports | blockers[b].ports;
      // Dispatch must leave room to see it.
      if (std::popcount(both) + 1 > map.dispatch || (blockers[a].ports & blockers[b].ports) == 0)
        continue;
      const PortSet rest = blockers[b].ports & ~blockers[a].ports;
      if (rest == 0) continue;
      Mix mix = blockers[a].a_cycle;
      mix.emplace_back(blockers[b].a_cycle.front().first, std::popcount(rest));
      std::ranges::sort(mix);
      add(both, std::move(mix));
    }
  }
  DivideWide(blockers);
  return blockers;
}

bool IsMaximal(const Blocker& blocker, const std::vector<Blocker>& blockers) {
  return std::ranges::none_of(blockers, [&blocker](const Blocker& other) {
    return other.ports != blocker.ports && (blocker.ports & ~other.ports) == 0;
  });
}

}  // namespace cyclescope::ports

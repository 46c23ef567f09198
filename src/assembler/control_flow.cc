#include "assembler/control_flow.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace cyclescope::assembler {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// The immediate dominator of each block, by its place in reverse postorder (K. D. Cooper, T. J.
// Harvey and K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001).
class Dominators {
 public:
  Dominators(FlowGraph next, std::span<const std::size_t> order) : place_(next.size(), kNone) {
    for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
    std::vector<std::vector<std::size_t>> before(order.size());
    for (const std::size_t block : order) {
      for (const std::size_t follower : next[block])
        before[place_[follower]].push_back(place_[block]);
    }
    immediate_.assign(order.size(), kNone);
    immediate_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 1; i < order.size(); ++i) {
        std::size_t found = kNone;
        for (const std::size_t other : before[i]) {
          if (immediate_[other] == kNone) continue;
          found = found == kNone ? other : Common(other, found);
        }
        changed |= std::exchange(immediate_[i], found) != found;
      }
    }
  }

  bool Dominates(std::size_t first, std::size_t block) const {
    std::size_t at = place_[block];
    while (at > place_[first]) at = immediate_[at];
    return at == place_[first];
  }

 private:
  std::size_t Common(std::size_t a, std::size_t b) const {
    while (a != b) {
      while (a > b) a = immediate_[a];
      while (b > a) b = immediate_[b];
    }
    return a;
  }

  std::vector<std::size_t> place_;
  std::vector<std::size_t> immediate_;
};

// The blocks from which `from` can be reached without passing the header.
void AddBody(const std::vector<std::vector<std::size_t>>& before, std::size_t from,
             std::vector<bool>& in_body, NaturalLoop& loop) {
  std::vector<std::size_t> open = {from};
  while (!open.empty()) {
    const std::size_t block = open.back();
    open.pop_back();
    if (in_body[block]) continue;
    in_body[block] = true;
    loop.body.push_back(block);
    open.insert(open.end(), before[block].begin(), before[block].end());
  }
}

}  // namespace

std::vector<std::size_t> ReachableFrom(FlowGraph next, std::size_t entry) {
  std::vector<std::size_t> postorder;
  std::vector<bool> seen(next.size());
  std::vector<std::pair<std::size_t, std::size_t>> open = {{entry, 0}};  // and its next follower
  seen[entry] = true;
  while (!open.empty()) {
    auto& [block, follower] = open.back();
    if (follower == next[block].size()) {
      postorder.push_back(block);
      open.pop_back();
      continue;
    }
    const std::size_t to = next[block][follower++];
    if (seen[to]) continue;
    seen[to] = true;
    open.emplace_back(to, 0);
  }
  std::ranges::reverse(postorder);
  return postorder;
}

std::vector<NaturalLoop> NaturalLoops(FlowGraph next, std::size_t entry) {
  const std::vector<std::size_t> order = ReachableFrom(next, entry);
  const Dominators dominators(next, order);
  std::vector<std::vector<std::size_t>> before(next.size());
  std::map<std::size_t, std::vector<std::size_t>> edges_back;  // to a header, from where
  for (const std::size_t block : order) {
    for (const std::size_t follower : next[block]) {
      before[follower].push_back(block);
      if (dominators.Dominates(follower, block)) edges_back[follower].push_back(block);
    }
  }
  std::vector<NaturalLoop> loops;
  for (const auto& [header, sources] : edges_back) {
    NaturalLoop loop{header, {header}};
    std::vector<bool> in_body(next.size());
    in_body[header] = true;
    for (const std::size_t source : sources) AddBody(before, source, in_body, loop);
    std::ranges::sort(loop.body);
    loops.push_back(std::move(loop));
  }
  return loops;
}

std::vector<NaturalLoop> InnermostLoops(FlowGraph next, std::size_t entry) {
  std::vector<NaturalLoop> loops = NaturalLoops(next, entry);
  std::vector<std::size_t> headers;
  for (const NaturalLoop& loop : loops) headers.push_back(loop.header);
  std::erase_if(loops, [&headers](const NaturalLoop& loop) {
    return std::ranges::any_of(headers, [&loop](std::size_t header) {
      return header != loop.header && std::ranges::binary_search(loop.body, header);
    });
  });
  return loops;
}

}  // namespace cyclescope::assembler

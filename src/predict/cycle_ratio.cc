#include "predict/cycle_ratio.h"

#include <algorithm>
#include <limits>

namespace cyclescope::predict {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Which edge each node follows, and what that leads to.
class Policy {
 public:
  Policy(std::size_t nodes, std::span<const DependenceEdge> edges)
      : edges_(edges), leaving_(nodes), chosen_(nodes, kNone), ratio_(nodes), distance_(nodes) {
    for (std::size_t i = 0; i < edges.size(); ++i) leaving_[edges[i].from].push_back(i);
    LeaveOutDeadEnds();
    for (std::size_t node = 0; node < nodes; ++node) {
      if (!leaving_[node].empty()) chosen_[node] = leaving_[node].front();
    }
  }

  CriticalCycle Solve() {
    // Each step improves something; more than these only rounding makes.
    constexpr int kMostSteps = 1000;
    for (int step = 0; step < kMostSteps; ++step) {
      Evaluate();
      if (!Improve()) break;
    }
    return best_;
  }

 private:
  // Nodes that lead nowhere are on no cycle; nor are those that lead only to them.
  void LeaveOutDeadEnds() {
    std::vector<std::vector<std::size_t>> arriving(leaving_.size());
    std::vector<std::size_t> left(leaving_.size());  // edges to nodes that are still in
    std::vector<std::size_t> dead;
    for (const DependenceEdge& edge : edges_) arriving[edge.to].push_back(edge.from);
    for (std::size_t node = 0; node < leaving_.size(); ++node) {
      left[node] = leaving_[node].size();
      if (left[node] == 0) dead.push_back(node);
    }
    for (std::size_t done = 0; done < dead.size(); ++done) {
      for (const std::size_t from : arriving[dead[done]]) {
        if (--left[from] == 0) dead.push_back(from);
      }
    }
    for (std::vector<std::size_t>& edges : leaving_)
      std::erase_if(edges, [&](std::size_t edge) { return left[edges_[edge].to] == 0; });
  }

  // The cycle that each node is led to, and how far it is from there.
  void Evaluate() {
    best_ = {};
    bool found = false;
    std::vector<int> seen(chosen_.size());  // in which walk; 0: not yet
    std::vector<bool> done(chosen_.size());
    int walk = 0;
    for (std::size_t first = 0; first < chosen_.size(); ++first) {
      if (chosen_[first] == kNone || done[first]) continue;
      ++walk;
      std::vector<std::size_t> path;
      std::size_t node = first;
      while (!done[node] && seen[node] != walk) {
        seen[node] = walk;
        path.push_back(node);
        node = edges_[chosen_[node]].to;
      }
      if (!done[node]) {
        const CriticalCycle cycle = CycleFrom(node);
        ratio_[node] = cycle.cycles;
        distance_[node] = 0;
        done[node] = true;
        if (!found || cycle.cycles > best_.cycles) best_ = cycle;
        found = true;
        // The rest of the cycle and what leads to it, the last first.
      }
      for (std::size_t i = path.size(); i-- > 0;) {
        if (done[path[i]]) continue;
        const DependenceEdge& edge = edges_[chosen_[path[i]]];
        ratio_[path[i]] = ratio_[edge.to];
        distance_[path[i]] = edge.cycles - ratio_[edge.to] * edge.iterations + distance_[edge.to];
        done[path[i]] = true;
      }
    }
    if (best_.cycles <= 0) best_ = {};
  }

  CriticalCycle CycleFrom(std::size_t begin) const {
    CriticalCycle cycle;
    double cycles = 0;
    int iterations = 0;
    std::size_t node = begin;
    do {
      const DependenceEdge& edge = edges_[chosen_[node]];
      cycle.edges.push_back(chosen_[node]);
      cycles += edge.cycles;
      iterations += edge.iterations;
      node = edge.to;
    } while (node != begin);
    cycle.cycles = iterations > 0 ? cycles / iterations : 0;
    return cycle;
  }

  bool Improve() {
    constexpr double kRounding = 1e-9;
    bool improved = false;
    const auto consider = [&](auto gain) {
      for (std::size_t node = 0; node < chosen_.size(); ++node) {
        if (chosen_[node] == kNone) continue;
        double most = gain(node, edges_[chosen_[node]]) + kRounding;
        for (const std::size_t edge : leaving_[node]) {
          const double value = gain(node, edges_[edge]);
          if (value <= most) continue;
          most = value;
          chosen_[node] = edge;
          improved = true;
        }
      }
    };
    consider([this](std::size_t /*node*/, const DependenceEdge& edge) { return ratio_[edge.to]; });
    if (improved) return true;
    consider([this](std::size_t node, const DependenceEdge& edge) {
      if (ratio_[edge.to] < ratio_[node] - kRounding)
        return -std::numeric_limits<double>::infinity();
      return edge.cycles - ratio_[node] * edge.iterations + distance_[edge.to];
    });
    return improved;
  }

  std::span<const DependenceEdge> edges_;
  std::vector<std::vector<std::size_t>> leaving_;
  std::vector<std::size_t> chosen_;
  std::vector<double> ratio_;
  std::vector<double> distance_;
  CriticalCycle best_;
};

}  // namespace

CriticalCycle LongestCycle(std::size_t nodes, std::span<const DependenceEdge> edges) {
  return Policy(nodes, edges).Solve();
}

}  // namespace cyclescope::predict

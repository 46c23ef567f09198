// Which ports each class of instructions uses: sets are searched whose predicted times fit what was
// measured. Ports have no names here, so two solutions that differ by a renaming are one.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "ports/port_model.h"

namespace cyclescope::ports {

// Instructions of one µop and one slot that use the same ports.
struct PortClass {
  int width = 0;  // how many of them the core takes in a cycle
  PortSet ports = 0;
  // There are more ports than that: something else limits them, such as which ports may write
  // flags.
  bool limited = false;

  bool operator==(const PortClass&) const = default;
};

struct SetSolution {
  std::vector<PortClass> classes;
  double misfit = 0;
};

// Cycles of mixes; the numbers in a mix are those of classes.
using MixTimes = std::map<Mix, double>;

// Solutions that fit about as well as the best, which comes first. None where the times say so
// little that there are too many sets to try.
std::vector<SetSolution> SearchSets(const std::vector<int>& widths, const MixTimes& measured,
                                    double dispatch);

// Mixes that were not tried yet, and for which the first solution and another one predict clearly
// different times: the best for each of the others. Empty where no possible mix can tell them
// apart.
std::vector<Mix> SeparatingMixes(const std::vector<SetSolution>& solutions,
                                 const std::set<Mix>& tried,
                                 const std::function<bool(const Mix&)>& is_possible,
                                 double dispatch);

// For each class whether the solutions disagree about it. All others have the same ports in all
// solutions, up to the names.
std::vector<bool> AmbiguousClasses(const std::vector<SetSolution>& solutions);

// What one instruction of a class asks of the core.
Usage UsageOf(const PortClass& member);

}  // namespace cyclescope::ports

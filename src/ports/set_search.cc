#include "ports/set_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "ports/fit.h"

namespace cyclescope::ports {
namespace {

// Partial solutions that are followed at once.
constexpr std::size_t kBeam = 100;
// Solutions that are worse than the best by more are out of the question.
constexpr double kWorseMisfit = 12;
// Partial solutions that are worse by more don't become the best.
constexpr double kHopeless = 20;
// A limit that is no port explains much, so it must fit clearly better than ports of its own.
constexpr double kLimitPenalty = 8;
// The search gives up after as much work as this number of predictions: a second or two.
constexpr std::int64_t kMostPredictions = 10'000'000;
constexpr std::int64_t kPredictionsPerKey = 50;  // a key takes as long as that
// Two predictions that can be told apart.
constexpr double kApartShare = 0.06;

// Ports that the same classes use are alike: only their number matters.
struct Cell {
  std::uint64_t users = 0;  // bit n: class n
  PortSet ports = 0;
};

std::vector<Cell> CellsOf(const std::vector<PortClass>& classes) {
  std::map<std::uint64_t, PortSet> by_users;
  for (int port = 0; port < kMostPorts; ++port) {
    std::uint64_t users = 0;
    for (std::size_t i = 0; i < classes.size(); ++i)
      users |= std::uint64_t{classes[i].ports >> port & 1} << i;
    by_users[users] |= PortSet{1} << port;
  }
  std::vector<Cell> cells;
  for (const auto& [users, ports] : by_users) cells.push_back({users, ports});
  return cells;
}

PortSet Lowest(PortSet ports, int count) {
  PortSet lowest = 0;
  for (int i = 0; i < count; ++i) {
    const PortSet port = ports & -ports;
    lowest |= port;
    ports &= ~port;
  }
  return lowest;
}

// Every way to take `count` ports from the cells, up to renaming.
void Choices(const std::vector<Cell>& cells, std::size_t from, int count, PortSet chosen,
             std::vector<PortSet>& choices) {
  if (count == 0) {
    choices.push_back(chosen);
    return;
  }
  if (from == cells.size()) return;
  for (int taken = 0; taken <= std::min(count, std::popcount(cells[from].ports)); ++taken) {
    Choices(cells, from + 1, count - taken, chosen | Lowest(cells[from].ports, taken), choices);
  }
}

// The same for solutions that differ by a renaming.
using Key = std::vector<std::pair<std::uint64_t, int>>;
Key KeyOf(const std::vector<PortClass>& classes) {
  Key key;
  for (const Cell& cell : CellsOf(classes)) {
    if (cell.users != 0) key.emplace_back(cell.users, std::popcount(cell.ports));
  }
  std::uint64_t limited = 0;
  for (std::size_t i = 0; i < classes.size(); ++i)
    limited |= std::uint64_t{classes[i].limited} << i;
  key.emplace_back(limited, -1);
  return key;
}

// Without the classes of the mask.
Key KeyWithout(std::uint64_t left_out, std::vector<PortClass> classes) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if ((left_out >> i & 1) != 0) classes[i] = {};
  }
  return KeyOf(classes);
}

// The classes (bit n: class n) about which the two disagree: the others are the same in both. As
// few as that takes, of one or two; where several choices are as few, all of them.
std::uint64_t Disagreement(const std::vector<PortClass>& first,
                           const std::vector<PortClass>& second) {
  const auto without = [&](std::uint64_t left_out) {
    return KeyWithout(left_out, first) == KeyWithout(left_out, second);
  };
  if (without(0)) return 0;
  std::uint64_t one = 0;
  std::uint64_t two = 0;
  for (std::size_t a = 0; a < first.size(); ++a) {
    const std::uint64_t bit = std::uint64_t{1} << a;
    if (without(bit)) one |= bit;
  }
  if (one != 0) return one;
  for (std::size_t a = 0; a < first.size(); ++a) {
    for (std::size_t b = a + 1; b < first.size(); ++b) {
      const std::uint64_t bits = std::uint64_t{1} << a | std::uint64_t{1} << b;
      if (without(bits)) two |= bits;
    }
  }
  if (two != 0) return two;
  // More than two: every class that has a cell which the other solution does not have.
  std::uint64_t differing = 0;
  const Key of_first = KeyOf(first);
  const Key of_second = KeyOf(second);
  for (const auto& [key, others] :
       {std::pair(of_first, of_second), std::pair(of_second, of_first)}) {
    for (const auto& cell : key) {
      if (std::ranges::find(others, cell) == others.end()) differing |= cell.first;
    }
  }
  return differing;
}

// Cycles of a mix of few classes: as MixTime, which is too slow for millions of them.
double Predict(const Mix& mix, const std::vector<PortClass>& classes, double dispatch) {
  int slots = 0;
  double longest = 0;
  for (const auto& [number, count] : mix) {
    slots += count;
    if (classes[number].limited)
      longest = std::max(longest, static_cast<double>(count) / classes[number].width);
  }
  for (unsigned chosen = 1; chosen < 1U << mix.size(); ++chosen) {
    PortSet all = 0;
    for (std::size_t i = 0; i < mix.size(); ++i) {
      if ((chosen >> i & 1) != 0) all |= classes[mix[i].first].ports;
    }
    int confined = 0;
    for (const auto& [number, count] : mix) {
      if ((classes[number].ports & ~all) == 0) confined += count;
    }
    longest = std::max(longest, static_cast<double>(confined) / std::popcount(all));
  }
  return std::max(longest, slots / dispatch);
}

// How well the classes explain a mix. Time only gets lost, mostly little of it: the misfit of a mix
// that takes longer is what the share of such mixes tells (a logarithm, as all misfits are).
double MisfitOf(const Mix& mix, double cycles, const std::vector<PortClass>& classes,
                double dispatch) {
  // All slots of dispatch are seldom filled: five adds and two loads took 1.38 cycles on an Emerald
  // Rapids, where seven slots need 1.17. So where dispatch binds, four times as much may be lost.
  // What allows for more explains more, and each value is less likely in it: four times, too.
  // Without that price, "nothing but dispatch binds" explained adds that shared all their ports.
  constexpr double kMoreLost = 4;
  const double price = std::log(kMoreLost);
  // A few mixes take far longer than anything explains, as adds beside a move from vectors: 1.82
  // cycles instead of 1.2. They must not decide the rest.
  constexpr double kMaxMisfitOfMix = 10;
  const double predicted = Predict(mix, classes, dispatch);
  const double misfit = Misfit(cycles, predicted);
  if (cycles <= predicted) return misfit;
  int slots = 0;
  for (const auto& [number, count] : mix) slots += count;
  const bool dispatch_binds = slots / dispatch >= predicted;
  const double allowed = dispatch_binds ? std::min(misfit, misfit / kMoreLost + price) : misfit;
  return std::min(allowed, kMaxMisfitOfMix);
}

using Mixes = std::vector<std::pair<Mix, double>>;

// How well a choice of ports explains mixes that were measured; counts the work.
class Explanation {
 public:
  explicit Explanation(double dispatch) : dispatch_(dispatch) {}

  // The misfit with that of `mixes`, or what it was when it went above `most`.
  double Add(double misfit, const Mixes& mixes, const std::vector<PortClass>& classes,
             double most) {
    for (auto mix = mixes.begin(); mix != mixes.end() && misfit <= most; ++mix) {
      misfit += MisfitOf(mix->first, mix->second, classes, dispatch_);
      ++work_;
    }
    return misfit;
  }
  Key KeyOfSolution(const std::vector<PortClass>& classes) {
    work_ += kPredictionsPerKey;
    return KeyOf(classes);
  }
  bool HasGivenUp() const { return work_ > kMostPredictions; }

 private:
  double dispatch_;
  std::int64_t work_ = 0;
};

// The mixes whose last class is that one: with it they can be predicted.
Mixes MixesUpTo(std::size_t last, const MixTimes& measured) {
  Mixes mixes;
  for (const auto& [mix, cycles] : measured) {
    if (mix.size() > 1 && mix.back().first == last) mixes.emplace_back(mix, cycles);
  }
  return mixes;
}

// The solutions with one class more.
std::vector<SetSolution> Extend(const std::vector<SetSolution>& partial, int width,
                                const Mixes& mixes, Explanation& explanation) {
  std::vector<SetSolution> extended;
  double best = std::numeric_limits<double>::infinity();
  std::set<Key> seen;
  for (const SetSolution& solution : partial) {
    std::vector<PortSet> choices;
    Choices(CellsOf(solution.classes), 0, width, 0, choices);
    SetSolution next = solution;
    next.classes.push_back({.width = width});
    for (const PortSet ports : choices) {
      next.classes.back().ports = ports;
      next.misfit = explanation.Add(solution.misfit, mixes, next.classes, best + kHopeless);
      if (explanation.HasGivenUp()) return {};
      if (next.misfit > best + kHopeless) continue;
      if (!seen.insert(explanation.KeyOfSolution(next.classes)).second) continue;
      best = std::min(best, next.misfit);
      extended.push_back(next);
    }
  }
  std::ranges::sort(extended, {}, &SetSolution::misfit);
  std::erase_if(extended,
                [best](const SetSolution& each) { return each.misfit > best + kHopeless; });
  if (extended.size() > kBeam) extended.resize(kBeam);
  return extended;
}

double PenaltyOf(const PortClass& each) { return each.limited ? kLimitPenalty : 0; }

// The solution with other ports for one class: as many as its width, or those of a wider class with
// a limit. Only those that fit about as well.
std::vector<SetSolution> Variants(const SetSolution& solution, std::size_t changed,
                                  const MixTimes& measured, Explanation& explanation) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  Mixes mixes;
  for (const auto& [mix, cycles] : measured) {
    const bool has =
        std::ranges::any_of(mix, [changed](const auto& part) { return part.first == changed; });
    if (!has || mix.size() < 2) continue;
    mixes.emplace_back(mix, cycles);
  }
  // What does not depend on that class.
  const double rest = solution.misfit - PenaltyOf(solution.classes[changed]) -
                      explanation.Add(0, mixes, solution.classes, kNoLimit);
  std::vector<SetSolution> variants;
  SetSolution variant = solution;
  PortClass& member = variant.classes[changed];
  member.ports = 0;
  std::vector<PortSet> choices;
  Choices(CellsOf(variant.classes), 0, member.width, 0, choices);
  for (const PortClass& wider : variant.classes) {
    if (std::popcount(wider.ports) > member.width) choices.push_back(wider.ports);
  }
  for (const PortSet ports : choices) {
    member.ports = ports;
    member.limited = std::popcount(ports) > member.width;
    const double most = solution.misfit + kWorseMisfit;
    variant.misfit = explanation.Add(rest + PenaltyOf(member), mixes, variant.classes, most);
    if (explanation.HasGivenUp()) return {};
    if (variant.misfit <= most) variants.push_back(variant);
  }
  return variants;
}

// Changes one class at a time for as long as that helps, and adds what fits about as well. The
// narrow classes came first, and could not be seen to share a limit with the wide ones.
void Refine(const MixTimes& measured, Explanation& explanation,
            std::vector<SetSolution>& solutions) {
  SetSolution best = solutions.front();
  std::vector<SetSolution> close;
  for (bool better = true; better;) {
    better = false;
    close.clear();
    for (std::size_t i = 0; i < best.classes.size(); ++i) {
      for (SetSolution& variant : Variants(best, i, measured, explanation)) {
        if (variant.misfit < best.misfit - 1e-9) {
          best = variant;
          better = true;
        } else {
          close.push_back(std::move(variant));
        }
      }
    }
  }
  solutions.push_back(best);
  solutions.insert(solutions.end(), close.begin(), close.end());
  std::ranges::stable_sort(solutions, {}, &SetSolution::misfit);
  std::set<Key> seen;
  std::erase_if(solutions, [&seen](const SetSolution& each) {
    return !seen.insert(KeyOf(each.classes)).second;
  });
}

// Mixes of two and three classes, each as many as its ports take in a cycle, or three times that.
std::vector<Mix> PossibleMixes(const std::vector<PortClass>& classes) {
  constexpr std::array kCycles = {1, 3};
  std::vector<Mix> mixes;
  const std::size_t count = classes.size();
  const auto part = [&classes](std::size_t number, int cycles) {
    return std::pair(number, classes[number].width * cycles);
  };
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      for (const int first : kCycles) {
        for (const int second : kCycles) {
          mixes.push_back({part(a, first), part(b, second)});
          for (std::size_t c = b + 1; c < count; ++c) {
            for (const int third : kCycles)
              mixes.push_back({part(a, first), part(b, second), part(c, third)});
          }
        }
      }
    }
  }
  return mixes;
}

}  // namespace

Usage UsageOf(const PortClass& member) {
  return {.uops = {{member.ports, 1}},
          .slots = 1,
          .own_cycles = member.limited ? 1.0 / member.width : 0};
}

std::vector<bool> AmbiguousClasses(const std::vector<SetSolution>& solutions) {
  const SetSolution& best = solutions.front();
  std::uint64_t ambiguous = 0;
  for (auto other = solutions.begin() + 1; other != solutions.end(); ++other)
    ambiguous |= Disagreement(best.classes, other->classes);
  std::vector<bool> of_class;
  for (std::size_t i = 0; i < best.classes.size(); ++i)
    of_class.push_back((ambiguous >> i & 1) != 0);
  return of_class;
}

std::vector<SetSolution> SearchSets(const std::vector<int>& widths, const MixTimes& measured,
                                    double dispatch) {
  Explanation explanation(dispatch);
  std::vector<SetSolution> solutions(1);
  for (std::size_t i = 0; i < widths.size(); ++i)
    solutions = Extend(solutions, widths[i], MixesUpTo(i, measured), explanation);
  if (!solutions.empty()) Refine(measured, explanation, solutions);
  if (explanation.HasGivenUp() || solutions.empty()) return {};
  const double best = solutions.front().misfit;
  std::erase_if(solutions, [best](const SetSolution& solution) {
    return solution.misfit > best + kWorseMisfit;
  });
  return solutions;
}

std::vector<Mix> SeparatingMixes(const std::vector<SetSolution>& solutions,
                                 const std::set<Mix>& tried,
                                 const std::function<bool(const Mix&)>& is_possible,
                                 double dispatch) {
  constexpr std::size_t kMaxMixesAtOnce = 16;
  const std::vector<PortClass>& best = solutions.front().classes;
  std::vector<std::pair<Mix, double>> possible;  // with what the best predicts
  for (Mix& mix : PossibleMixes(best)) {
    if (tried.contains(mix) || !is_possible(mix)) continue;
    const double expected = Predict(mix, best, dispatch);
    possible.emplace_back(std::move(mix), expected);
  }
  std::set<Mix> separating;
  for (std::size_t i = 1; i < solutions.size() && separating.size() < kMaxMixesAtOnce; ++i) {
    const Mix* widest = nullptr;
    double most_apart = kApartShare;
    for (const auto& [mix, expected] : possible) {
      const double apart =
          std::abs(std::log(Predict(mix, solutions[i].classes, dispatch) / expected));
      if (apart <= most_apart) continue;
      most_apart = apart;
      widest = &mix;
    }
    if (widest != nullptr) separating.insert(*widest);
  }
  return {separating.begin(), separating.end()};
}

}  // namespace cyclescope::ports

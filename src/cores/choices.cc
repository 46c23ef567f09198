#include "cores/choices.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "base/near_names.h"
#include "base/try.h"

namespace cyclescope::cores {
namespace {

void AddOnce(std::string_view name, std::vector<std::string>& names) {
  if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

std::vector<std::string> KnownTests() {
  std::vector<std::string> names;
  for (const arch::PingPong& ping_pong : arch::PingPongs()) AddOnce(ping_pong.test, names);
  return names;
}

// The user's list, checked.
Result<std::vector<std::string>> ParseTests(std::string_view tests) {
  std::vector<std::string> known = KnownTests();
  if (tests == "all") return known;
  if (tests.empty()) {
    return BadInput("no test is named", fmt::format("there are {}, all", fmt::join(known, ", ")));
  }
  std::vector<std::string> names;
  for (const auto part : tests | std::views::split(',')) {
    const std::string name(part.begin(), part.end());
    if (std::ranges::find(known, name) == known.end()) {
      const auto near = NearNames(name, known);
      return BadInput(fmt::format("no such test: '{}'{}", name, DidYouMean(near)),
                      near.empty() ? fmt::format("there are {}, all", fmt::join(known, ", ")) : "");
    }
    if (std::ranges::find(names, name) != names.end()) {
      return BadInput(fmt::format("test '{}' is named twice", name));
    }
    names.push_back(name);
  }
  return names;
}

Result<arch::PingPong> Choose(std::string_view test, std::string_view instruction,
                              std::span<const std::string> features) {
  std::vector<std::string> usable;
  for (const arch::PingPong& ping_pong : arch::PingPongs()) {
    if (ping_pong.test != test) continue;
    const bool here = ping_pong.feature.empty() ||
                      std::ranges::find(features, ping_pong.feature) != features.end();
    if (here && (instruction.empty() || ping_pong.instruction == instruction)) return ping_pong;
    if (!here && ping_pong.instruction == instruction) {
      return BadInput(fmt::format("this CPU does not have '{}', which needs {}", instruction,
                                  ping_pong.feature));
    }
    if (here) usable.push_back(fmt::format("'{}'", ping_pong.instruction));
  }
  return BadInput(fmt::format("test '{}' cannot be done with '{}'", test, instruction),
                  fmt::format("it can be done with {}", fmt::join(usable, ", ")));
}

}  // namespace

Result<std::vector<arch::PingPong>> ChooseTests(std::string_view tests,
                                                std::string_view instruction,
                                                std::span<const std::string> features) {
  const auto names = TRY(ParseTests(tests));
  std::vector<arch::PingPong> chosen;
  for (const std::string& name : names) {
    chosen.push_back(TRY(Choose(name, instruction, features)));
  }
  return chosen;
}

os::CpuList OnePerCore(const os::CpuList& cpus, std::span<const CpuPlace> topology) {
  os::CpuList chosen;
  std::set<int> cores;
  for (const int cpu : cpus) {
    const std::optional<int> core = CpuPlaceOf(topology, cpu).core;
    if (!core || cores.insert(*core).second) chosen.push_back(cpu);
  }
  return chosen;
}

}  // namespace cyclescope::cores

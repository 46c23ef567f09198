#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/host_words.h"
#include "base/text.h"
#include "report/machine_text.h"
#include "report/table.h"

namespace cyclescope {
namespace {

using Fact = std::pair<std::string_view, std::string>;

std::string FactLines(std::string_view title, const std::vector<Fact>& facts,
                      const TextStyle& style) {
  constexpr std::size_t kIndent = 2;
  std::size_t name_width = 0;
  for (const auto& [name, value] : facts) {
    if (!value.empty()) name_width = std::max(name_width, DisplayWidth(name));
  }
  if (name_width == 0) return "";
  const std::size_t indent = kIndent + name_width + 2;
  const std::size_t width =
      std::max<std::size_t>(static_cast<std::size_t>(style.width), indent + 30) - indent;
  std::string text = Paint(title, Tint::kBold, style) + '\n';
  for (const auto& [name, value] : facts) {
    if (value.empty()) continue;
    text += fmt::format("  {}{}{}\n", name, std::string(indent - kIndent - DisplayWidth(name), ' '),
                        Wrap(value, width, indent));
  }
  return text;
}

std::string OnOff(const std::optional<bool>& value) {
  if (!value) return "";
  return *value ? "on" : "off";
}

// A virtual machine may claim one thread per core where there are two.
std::string SmtText(const Host& host) {
  const bool is_virtual = !host.hypervisor.empty() && host.hypervisor != "none";
  return is_virtual && host.smt == false ? "unknown (virtual machine)" : OnOff(host.smt);
}

std::string Gigahertz(double hz) { return hz > 0 ? fmt::format("{:.6g} GHz", hz / 1e9) : ""; }

std::vector<Fact> HostFacts(const Host& host) {
  return {{"name", host.name},
          {"CPU", host.cpu_model},
          {"LLVM's name", host.llvm_cpu},
          {"vendor", host.cpu_vendor},
          {"microcode", host.microcode},
          {"system", host.system},
          {"kernel", host.kernel},
          {"hypervisor", host.hypervisor == kUnnamedHypervisor ? "one that does not give its name"
                                                               : host.hypervisor},
          {"CPUs online", host.cpus_online ? fmt::format("{}", *host.cpus_online) : ""},
          {"CPUs allowed", FormatRanges(host.cpus_allowed)},
          {"CPUs isolated", FormatRanges(host.cpus_isolated)},
          {"SMT", SmtText(host)},
          {"turbo", OnOff(host.turbo)},
          {"governor", host.governor},
          {"huge pages", host.huge_pages},
          {"load", std::isnan(host.load_1min) ? "" : fmt::format("{:.2f}", host.load_1min)},
          {"features", fmt::format("{}", fmt::join(host.features, " "))}};
}

std::vector<Fact> ClockFacts(const Clock& clock, double confidence) {
  return {{"reason", clock.cycle_source_reason},
          {"tick rate", Gigahertz(clock.tick_hz)},
          {"as calibrated", Gigahertz(clock.calibrated_tick_hz)},
          {"at one rate", clock.tick_hz > 0 ? (clock.invariant ? "yes" : "no") : ""},
          {"self-check", clock.self_check ? clock.self_check->verdict : ""},
          {"confidence", clock.tick_hz > 0 ? fmt::format("{:.0f} %", 100 * confidence) : ""}};
}

// None of a matrix that another tool measured.
std::vector<Fact> RunFacts(const Document& document) {
  if (document.tool.version.empty()) return {};
  const Tool& tool = document.tool;
  return {{"command", CommandText(document.config)},
          {"started", document.config.started},
          {"cyclescope", tool.version + (tool.commit.empty() ? "" : ", commit " + tool.commit)},
          {"compiler", tool.compiler},
          {"LLVM", tool.llvm},
          {"document", document.schema}};
}

struct Level {
  std::string_view name;
  std::optional<int> CpuPlace::* number;
};

constexpr std::array<Level, 7> kLevels = {{{"package", &CpuPlace::package},
                                           {"NUMA node", &CpuPlace::numa},
                                           {"die", &CpuPlace::die},
                                           {"L3", &CpuPlace::l3},
                                           {"cluster", &CpuPlace::cluster},
                                           {"L2", &CpuPlace::l2},
                                           {"core", &CpuPlace::core}}};

// "0: 0-7; 1: 8-15"; empty where the level says nothing, or no more than the CPUs themselves.
std::string MembersText(const std::vector<CpuPlace>& places,
                        std::optional<int> CpuPlace::* number) {
  std::map<int, std::vector<int>> members;
  for (const CpuPlace& place : places) {
    if (place.*number) members[*(place.*number)].push_back(place.cpu);
  }
  const bool holds_several =
      std::ranges::any_of(members, [](const auto& group) { return group.second.size() > 1; });
  if (!holds_several) return "";
  std::string text;
  for (const auto& [index, cpus] : members) {
    if (!text.empty()) text += "; ";
    text += fmt::format("{}: {}", index, FormatRanges(cpus));
  }
  return text;
}

}  // namespace

std::string FactsText(const Document& document, const TextStyle& style) {
  std::string text;
  for (const std::string& section :
       {FactLines("host", HostFacts(document.host), style),
        FactLines("clock", ClockFacts(document.clock, document.config.confidence), style),
        FactLines("run", RunFacts(document), style)}) {
    if (!text.empty() && !section.empty()) text += '\n';
    text += section;
  }
  return text;
}

std::string TopologyText(const std::vector<CpuPlace>& places, const TextStyle& style) {
  std::vector<Fact> facts;
  for (const Level& level : kLevels)
    facts.emplace_back(level.name, MembersText(places, level.number));
  std::map<std::string, std::vector<int>> kinds;
  for (const CpuPlace& place : places) {
    if (!place.kind.empty()) kinds[place.kind].push_back(place.cpu);
  }
  std::string text;
  for (const auto& [kind, cpus] : kinds) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", kind, FormatRanges(cpus));
  }
  facts.emplace_back("kind", text);
  return FactLines("topology, as the system claims (number: CPUs)", facts, style);
}

}  // namespace cyclescope

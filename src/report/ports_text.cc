#include "report/ports_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/claims.h"
#include "analysis/document_claims.h"
#include "analysis/port_differences.h"
#include "report/table.h"

namespace cyclescope {
namespace {

// p0 and p1 are p01; names of other kinds stand apart.
std::string SetText(const std::vector<std::string>& ports) {
  const bool numbered = std::ranges::all_of(ports, [](const std::string& port) {
    return port.size() == 2 && port[0] == 'p' && port[1] >= '0' && port[1] <= '9';
  });
  const bool letters =
      std::ranges::all_of(ports, [](const std::string& port) { return port.size() == 1; });
  std::string text = numbered && !ports.empty() ? "p" : "";
  for (const std::string& port : ports) {
    if (!numbered && !letters && !text.empty()) text += '|';
    text += numbered ? port.substr(1) : port;
  }
  return text.empty() ? "-" : text;
}

// What the names of ports in a text mean, by one of the sets in it.
std::string NamesText(const std::vector<std::vector<std::string>>& sets) {
  const auto several = std::ranges::find_if(
      sets, [](const std::vector<std::string>& ports) { return ports.size() > 1; });
  const bool letters = std::ranges::any_of(sets, [](const std::vector<std::string>& ports) {
    return std::ranges::any_of(ports, [](const std::string& port) { return port.size() == 1; });
  });
  std::string text;
  if (several != sets.end()) {
    text += fmt::format("\n2*{}: two µops, each on any one of the ports {} and {}.\n",
                        SetText(*several), fmt::join(several->begin(), several->end() - 1, ", "),
                        several->back());
  }
  if (letters) text += "\nA, B, …: ports for which LLVM's model of this CPU has no name.\n";
  return text;
}

// By how much the mix did not take what was predicted; empty where that is noise.
std::string MissText(const PortMix& mix) {
  constexpr double kNoiseShare = 0.1;
  if (!mix.cycles || !mix.predicted || *mix.predicted <= 0) return "";
  const double off = *mix.cycles / *mix.predicted - 1;
  if (std::abs(off) <= kNoiseShare) return "";
  return fmt::format("{:.0f} % {} than predicted", 100 * std::abs(off), off > 0 ? "more" : "less");
}

std::string Example(const std::vector<std::string>& forms, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const std::string more =
        i + 1 < forms.size() ? fmt::format("; {} more", forms.size() - i) : std::string();
    const std::string next = (i == 0 ? "" : "; ") + forms[i];
    if (i > 0 && DisplayWidth(text) + DisplayWidth(next) + more.size() > width)
      return text + fmt::format("; {} more", forms.size() - i);
    text += next;
  }
  return text;
}

}  // namespace

std::string PortUseText(const std::vector<PortUse>& uops) {
  std::string text;
  for (const PortUse& use : uops)
    text += fmt::format("{}{}*{}{}", text.empty() ? "" : "+", use.uops, SetText(use.ports),
                        use.ambiguous ? "?" : "");
  return text.empty() ? "-" : text;
}

std::string PortMapText(const PortMap& map, const TextStyle& style) {
  std::string text =
      fmt::format("{} ports; {:.2f} slots dispatched a cycle; {} mixes in {:.1f} s\n\n",
                  map.ports.size(), map.dispatch, map.mixes, map.seconds);
  Table table({{"ports"}, {"a cycle", Align::kRight}, {"instructions"}});
  std::size_t widest = 5;
  for (const PortClassRow& row : map.classes)
    widest = std::max(widest, DisplayWidth(SetText(row.ports)) + 2);
  const auto width = static_cast<std::size_t>(std::max(style.width, 40));
  bool ambiguous = false;
  bool limited = false;
  for (const PortClassRow& row : map.classes) {
    const bool has_limit = static_cast<int>(row.ports.size()) > row.per_cycle;
    ambiguous = ambiguous || row.ambiguous;
    limited = limited || has_limit;
    table.AddRow({SetText(row.ports) + (row.ambiguous ? " ?" : ""),
                  fmt::format("{}{}", row.per_cycle, has_limit ? " !" : ""),
                  Example(row.forms, width - std::min(width - 10, widest + 12))});
  }
  text += table.ToString();
  std::vector<std::vector<std::string>> sets;
  for (const PortClassRow& row : map.classes) sets.push_back(row.ports);
  text += NamesText(sets);
  if (ambiguous) text += "\n? Other ports explain the times as well.\n";
  if (const auto claim = OtherMapsClaim(map)) text += '\n' + Sentence(*claim) + ".\n";
  if (limited) text += "\n! Something other than ports limits them.\n";
  if (!map.left_out.empty()) text += "\nIn no class:\n";
  for (const LeftOutForm& form : map.left_out)
    text += "  " + Wrap(fmt::format("{}: {}", form.text, form.reason), width - 4, 4) + '\n';
  return text;
}

std::string PortDifferencesText(const std::vector<InstructionRow>& rows, const TextStyle& style,
                                std::size_t most) {
  const auto claim = PortsClaim(rows);
  if (!claim) return "There is no instruction whose ports both sides know.\n";
  std::string text = Sentence(*claim) + '\n';
  const PortComparison comparison = ComparePorts(rows);
  if (comparison.differences.empty() || most == 0) return text;
  Table table({{"instruction"}, {"measured"}, {"LLVM"}});
  const std::size_t shown = std::min(most, comparison.differences.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const InstructionRow& row = *comparison.differences[i];
    table.AddRow({row.text, PortUseText(row.ports), PortUseText(row.port_finding->model)});
  }
  text += '\n' + table.ToString(style.width);
  if (shown < comparison.differences.size())
    text += fmt::format("and {} more\n", comparison.differences.size() - shown);
  return text;
}

std::string PortRowsText(const std::vector<InstructionRow>& rows, const TextStyle& style) {
  Table table({{"instruction"},
               {"ports"},
               {"slots", Align::kRight},
               {"cycles", Align::kRight},
               {"bound by"}});
  std::string below;
  bool ambiguous = false;
  bool waits = false;
  std::vector<std::vector<std::string>> sets;
  for (const InstructionRow& row : rows) {
    if (!row.port_finding) {
      below +=
          fmt::format("\n{}: {}\n", row.text,
                      row.reason.empty() ? "interrupted before its ports were found" : row.reason);
      continue;
    }
    const PortFinding& finding = *row.port_finding;
    table.AddRow({row.text, finding.reason.empty() ? PortUseText(row.ports) : "not explained",
                  row.slots ? fmt::format("{:.1f}", *row.slots) : "-",
                  row.throughput ? fmt::format("{:.2f}", row.throughput->cycles.value) : "-",
                  finding.binds});
    if (!finding.reason.empty())
      below +=
          '\n' + Paragraph(fmt::format("{}: {}", row.text, finding.reason), style.width) + '\n';
    ambiguous = ambiguous || std::ranges::any_of(row.ports, &PortUse::ambiguous);
    for (const PortUse& use : row.ports) sets.push_back(use.ports);
    waits = waits || finding.binds == "chain";
    if (finding.mixes.empty()) continue;
    Table mixes({{"mix"}, {"cycles", Align::kRight}, {"predicted", Align::kRight}, {""}});
    for (const PortMix& mix : finding.mixes) {
      mixes.AddRow({mix.mix, mix.cycles ? fmt::format("{:.2f}", *mix.cycles) : "-",
                    mix.predicted ? fmt::format("{:.2f}", *mix.predicted) : "-", MissText(mix)});
    }
    below += fmt::format("\n{}\n{}", row.text, mixes.ToString());
  }
  std::string text = table.ToString() + NamesText(sets);
  if (ambiguous) text += "\n? Other ports explain the times as well.\n";
  if (waits) text += "\nchain: each copy waits for the result of the one before.\n";
  return text + below;
}

}  // namespace cyclescope

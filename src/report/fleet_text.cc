#include "report/fleet_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "report/table.h"

namespace cyclescope {
namespace {

constexpr std::size_t kMostNodesListed = 50;
constexpr std::size_t kMostNamesListed = 20;

std::string Counted(int count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string SummaryText(const Fleet& fleet, const TextStyle& style) {
  std::vector<std::string> parts = {
      Paint(fmt::format("{} normal", fleet.normal), Tint::kGood, style)};
  const auto add = [&](int count, std::string_view what, Tint tint) {
    if (count > 0) parts.push_back(Paint(fmt::format("{} {}", count, what), tint, style));
  };
  add(fleet.slow, "slow", Tint::kWarn);
  add(fleet.different, "different", Tint::kNote);
  add(fleet.not_enough_data, "without enough data", Tint::kNote);
  return fmt::format("{}: {}\n", Counted(static_cast<int>(fleet.nodes.size()), "node", "nodes"),
                     fmt::join(parts, ", "));
}

std::string GroupText(const FleetGroup& group, int width) {
  std::string line = fmt::format("group {}: {}, {}", group.name,
                                 Counted(group.nodes, "node", "nodes"), group.cpu_model);
  if (!group.microcode.empty()) line += ", microcode " + group.microcode;
  if (!group.kernel.empty()) line += ", " + group.kernel;
  if (!group.topology.empty()) line += "; " + group.topology;
  if (!group.metrics.empty()) line += fmt::format("; compared by {} values", group.metrics.size());
  return Paragraph(Printable(line), width) + '\n';
}

std::string NameList(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kMostNamesListed);
  std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string JobText(const FleetJob& job, int width) {
  std::string line;
  if (!job.missing.empty()) {
    line = fmt::format("job {} left no result of {}: {}", job.job,
                       Counted(static_cast<int>(job.missing.size()), "node", "nodes"),
                       NameList(job.missing));
  } else if (job.results < job.ranks) {
    line =
        fmt::format("job {} had {} tasks, and {} left a result", job.job, job.ranks, job.results);
  }
  return line.empty() ? "" : Paragraph(Printable(line), width) + '\n';
}

Tint TintOf(NodeVerdict verdict) {
  switch (verdict) {
    case NodeVerdict::kNormal:
      return Tint::kGood;
    case NodeVerdict::kSlow:
      return Tint::kWarn;
    case NodeVerdict::kDifferent:
    case NodeVerdict::kNotEnoughData:
      return Tint::kNote;
  }
  return Tint::kNote;
}

std::string NodeText(const FleetNode& node, const TextStyle& style) {
  std::string head = fmt::format("{}: {}", node.name, VerdictText(node.verdict));
  if (node.passes > 1) head += fmt::format(", {} passes", node.passes);
  std::string text = Paint(Printable(head), TintOf(node.verdict), style) + '\n';
  const auto add = [&](std::string_view line) {
    text += "  " +
            Wrap(Printable(line), static_cast<std::size_t>(std::max(style.width, 20)) - 4, 4) +
            '\n';
  };
  constexpr std::size_t kMostListed = 3;
  for (std::size_t i = 0; i < std::min(kMostListed, node.deviations.size()); ++i)
    add(DeviationText(node.deviations[i]));
  if (node.deviations.size() > kMostListed)
    add(fmt::format("and {} more of those listed in the result",
                    node.deviations.size() - kMostListed));
  if (!node.cause.empty()) add(node.cause);
  for (const std::string& note : node.notes) add(note);
  return text;
}

}  // namespace

std::string VerdictText(NodeVerdict verdict) {
  std::string text(ToString(verdict));
  std::ranges::replace(text, '-', ' ');
  return text;
}

std::string FleetValueText(double value, std::string_view unit) {
  if (unit.empty()) return fmt::format("{:.1f} %", 100 * value);
  return fmt::format("{:.{}f} {}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2, unit);
}

std::string DeviationText(const FleetDeviation& deviation) {
  const std::string value = FleetValueText(deviation.value, deviation.unit);
  const std::string centre = FleetValueText(deviation.centre, deviation.unit);
  if (deviation.unit.empty())
    return fmt::format("{} {}, where {} is usual", deviation.metric, value, centre);
  return fmt::format("{} {}, {:.1f} % {} {}", deviation.metric, value,
                     100 * std::abs(deviation.difference),
                     deviation.difference < 0 ? "below" : "above", centre);
}

std::string FleetText(const Fleet& fleet, const TextStyle& style, const FleetTextOptions& options) {
  std::string text = SummaryText(fleet, style);
  for (const FleetGroup& group : fleet.groups) text += GroupText(group, style.width);
  for (const FleetJob& job : fleet.jobs)
    text += Paint(JobText(job, style.width), Tint::kWarn, style);
  if (!fleet.unread.empty()) {
    const std::string line =
        fmt::format("{} could not be read; the first: {}",
                    Counted(static_cast<int>(fleet.unread.size()), "file", "files"),
                    fleet.unread.front().reason);
    text += Paragraph(Printable(line), style.width) + '\n';
  }
  std::size_t listed = 0;
  std::size_t left_off = 0;
  std::string nodes;
  for (const FleetNode& node : fleet.nodes) {
    if (!options.all && node.verdict == NodeVerdict::kNormal) continue;
    if (!options.all && listed == kMostNodesListed) {
      ++left_off;
      continue;
    }
    ++listed;
    nodes += NodeText(node, style);
  }
  if (!nodes.empty()) text += '\n' + nodes;
  if (left_off > 0)
    text += fmt::format("\n{} more are not normal: --all lists every node\n", left_off);
  return text;
}

}  // namespace cyclescope

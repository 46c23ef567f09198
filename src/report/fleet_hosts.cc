#include "report/fleet_hosts.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "report/fleet_text.h"

namespace cyclescope {
namespace {

bool IsHostName(std::string_view name) {
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
  });
}

bool IsBad(const FleetNode& node) {
  switch (node.verdict) {
    case NodeVerdict::kNormal:
      return false;
    case NodeVerdict::kSlow:
    case NodeVerdict::kDifferent:
      return true;
    case NodeVerdict::kNotEnoughData:
      return node.passes == 0;
  }
  return false;
}

bool IsGood(const FleetNode& node) { return node.verdict == NodeVerdict::kNormal; }

// What reads these files takes more than names for commands: a name from a document is checked.
Result<std::string> Lines(const Fleet& fleet, bool (*is_wanted)(const FleetNode&),
                          std::string (*line)(const FleetNode&)) {
  std::string text;
  for (const FleetNode& node : fleet.nodes) {
    if (!is_wanted(node)) continue;
    if (!IsHostName(node.name)) {
      return BadInput("a node has a name that is not a host name, and cannot stand in a host file",
                      "'cyclescope fleet --json' shows the names");
    }
    text += line(node) + '\n';
  }
  return text;
}

// NHC runs the line as shell: nothing may be left of a text that a shell knows.
std::string Harmless(std::string_view text) {
  std::string harmless(text);
  std::ranges::replace_if(
      harmless,
      [](unsigned char c) {
        return std::isalnum(c) == 0 &&
               std::string_view(" .,:;%+-/()").find(static_cast<char>(c)) == std::string_view::npos;
      },
      '_');
  return harmless;
}

std::string NhcLine(const FleetNode& node) {
  const std::string reason =
      node.deviations.empty() ? node.cause : DeviationText(node.deviations.front());
  return fmt::format("{} || die 1 \"cyclescope: {}: {}\"", node.name, VerdictText(node.verdict),
                     Harmless(reason));
}

std::string NameOf(const FleetNode& node) { return node.name; }

// Nodes whose results were cut, are empty or may not be read: surveys are
// out/NODE/cyclescope.json.
std::vector<std::string> UnreadHosts(const Fleet& fleet) {
  std::vector<std::string> names;
  for (const UnreadResult& unread : fleet.unread) {
    const std::filesystem::path file = unread.source;
    // Of a folder that cannot be read, its own name.
    const bool is_result = file.filename() == "cyclescope.json";
    const bool is_folder = file.extension() != ".json" && file.extension() != ".gz";
    const std::string name = (is_folder ? file : file.parent_path()).filename().string();
    const bool is_known =
        std::ranges::find(fleet.nodes, name, &FleetNode::name) != fleet.nodes.end();
    if ((is_result || is_folder) && IsHostName(name) && !is_known) names.push_back(name);
  }
  return names;
}

}  // namespace

Result<std::string> GoodHosts(const Fleet& fleet) { return Lines(fleet, IsGood, NameOf); }

Result<std::string> BadHosts(const Fleet& fleet) {
  auto text = TRY(Lines(fleet, IsBad, NameOf));
  for (const std::string& name : UnreadHosts(fleet)) text += name + '\n';
  return text;
}

Result<std::string> NhcLines(const Fleet& fleet) { return Lines(fleet, IsBad, NhcLine); }

}  // namespace cyclescope

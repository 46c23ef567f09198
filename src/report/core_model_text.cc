#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "report/anatomy_text.h"
#include "report/sweep_text.h"
#include "report/table.h"

namespace cyclescope {
namespace {

std::string FormsFigure(const Document& document) {
  if (!document.sweep) return "none was measured";
  std::string text = fmt::format("{} with values", CountMeasured(document));
  if (document.sweep->not_reached > 0)
    text += fmt::format(", {} not reached", document.sweep->not_reached);
  return text;
}

std::string PortsFigure(const Document& document) {
  if (!document.port_map) return "none: the map of the core was not found";
  const auto looked_for =
      std::ranges::count_if(document.instructions,
                            [](const InstructionRow& row) { return row.port_finding.has_value(); });
  const auto explained = std::ranges::count_if(
      document.instructions,
      [](const InstructionRow& row) { return row.port_finding && !row.port_finding->claim; });
  return fmt::format("{} ports, {:.3g} slots a cycle; those of {} forms of {} are explained",
                     document.port_map->ports.size(), document.port_map->dispatch, explained,
                     looked_for);
}

// "reorder buffer 512, loads 192~": the first value of each quantity.
std::string CoreFigure(const Anatomy& anatomy, AnatomyPart part) {
  std::string text;
  std::string_view last;
  std::size_t missing = 0;
  for (const AnatomyRow& row : anatomy.rows) {
    if (row.part != part) continue;
    missing += row.value || row.status == Status::kUnsupported ? 0 : 1;
    if (!row.value || row.name == last) continue;
    last = row.name;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", row.name, AnatomyValueText(row),
                        row.contended ? "~" : "");
  }
  if (missing > 0) text += fmt::format("{}{} not found", text.empty() ? "" : "; ", missing);
  return text.empty() ? "nothing was measured" : text;
}

// "mov r64, r64; xor r32, r32": the code of which more than half does what the row's name says.
std::string SharesFigure(const Anatomy& anatomy, AnatomyPart part) {
  constexpr double kLeastSavedShare = 0.5;
  std::map<std::string, std::vector<std::string>> codes;  // by the row's name
  for (const AnatomyRow& row : anatomy.rows) {
    if (row.part == part && row.value && row.value->low > kLeastSavedShare)
      codes[row.name].push_back(row.filler);
  }
  std::string text;
  for (const auto& [name, of_name] : codes)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, fmt::join(of_name, ", "));
  return text.empty() ? "none" : text;
}

std::string ForwardingFigure(const Document& document) {
  const MemoryAccess* least = nullptr;
  std::size_t accesses = 0;
  for (const MemoryRow& row : document.memory) {
    for (const MemoryAccess& access : row.accesses) {
      if (!access.cycles || access.kind != AccessKind::kForwarding) continue;
      ++accesses;
      if (least == nullptr || access.cycles->value < least->cycles->value) least = &access;
    }
  }
  if (least == nullptr) return "not measured";
  return fmt::format("{} pairs of store and load; the fastest takes {:.3g} cycles: {}", accesses,
                     least->cycles->value, least->text);
}

}  // namespace

std::string CoreModelText(const Document& document, const TextStyle& style) {
  Table table({{"the model has"}, {""}});
  const auto add = [&table](std::string_view what, std::string figure) {
    table.AddRow({std::string(what), std::move(figure)});
  };
  add("forms", FormsFigure(document));
  add("ports", PortsFigure(document));
  constexpr std::pair<AnatomyPart, std::string_view> kParts[] = {
      {AnatomyPart::kWindows, "windows"},
      {AnatomyPart::kFrontEnd, "front end"},
      {AnatomyPart::kElimination, "elimination"},
      {AnatomyPart::kFusion, "fusion"},
      {AnatomyPart::kMemoryPipeline, "memory pipeline"}};
  for (const auto& [part, name] : kParts) {
    const bool is_share = part == AnatomyPart::kElimination || part == AnatomyPart::kFusion;
    add(name, !document.anatomy ? "nothing was measured"
              : is_share        ? SharesFigure(*document.anatomy, part)
                                : CoreFigure(*document.anatomy, part));
  }
  add("store forwarding", ForwardingFigure(document));
  std::string text = table.ToString(style.width);
  const auto is_marked = [](const AnatomyRow& row) { return row.value && row.contended; };
  if (document.anatomy && std::ranges::any_of(document.anatomy->rows, is_marked))
    text += "~ measured on a shared core\n";
  return text;
}

}  // namespace cyclescope

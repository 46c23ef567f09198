#include "report/anatomy_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "report/table.h"

namespace cyclescope {
namespace {

// Entries and other large numbers are whole; cycles have two digits behind the point.
std::string NumberText(double value) {
  const double magnitude = std::abs(value);
  if (magnitude < 0.005) return "0";
  if (magnitude >= 100 || value == std::round(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, magnitude >= 10 ? 1 : 2);
}

// Without what it is while the core is shared. Of a bound, the interval's lower end: "≥ 57 stores"
// stood there of a core that has 56, whose step was found between 53 and 57.
std::string MeasuredText(const AnatomyRow& row) {
  if (!row.value) return "-";
  std::string text =
      row.at_least ? "≥ " + NumberText(row.value->low) : NumberText(row.value->value);
  if (row.unit != "entries") text += ' ' + row.unit;
  return text;
}

std::string IntervalText(const AnatomyRow& row) {
  if (!row.value || row.at_least || row.value->low == row.value->high) return "";
  return fmt::format("{} - {}", NumberText(row.value->low), NumberText(row.value->high));
}

std::string_view TitleOf(AnatomyPart part) {
  switch (part) {
    case AnatomyPart::kWindows:
      return "Windows: what is in flight at once";
    case AnatomyPart::kFrontEnd:
      return "Front end";
    case AnatomyPart::kElimination:
      return "Elimination: what costs no port, or no slot";
    case AnatomyPart::kFusion:
      return "Fusion: pairs that go through the core as one";
    case AnatomyPart::kMemoryPipeline:
      return "Memory pipeline";
  }
  return "";
}

// What it was measured with, and what else is to be known.
std::string RemarkOf(const AnatomyRow& row) {
  std::string text = row.filler;
  const auto add = [&text](const std::string& more) {
    if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
  };
  if (row.shared) add(fmt::format("{} while the core is shared", NumberText(row.shared->value)));
  if (row.contended) add("the core was shared");
  add(row.reason);
  add(row.note);
  return text;
}

// Rows of one name that have no value for the same reason.
struct Unknown {
  std::string name;
  std::string reason;
  std::vector<const AnatomyRow*> rows;
};

// Those of a part, where there are several: each reason is told once for all of them.
std::vector<Unknown> UnknownOf(const Anatomy& anatomy, AnatomyPart part) {
  constexpr std::size_t kFewestRows = 3;
  std::vector<Unknown> all;
  for (const AnatomyRow& row : anatomy.rows) {
    if (row.part != part || row.value || row.reason.empty()) continue;
    auto same = std::ranges::find_if(all, [&row](const Unknown& each) {
      return each.name == row.name && each.reason == row.reason;
    });
    if (same == all.end()) same = all.insert(same, {row.name, row.reason, {}});
    same->rows.push_back(&row);
  }
  std::erase_if(all, [](const Unknown& each) { return each.rows.size() < kFewestRows; });
  return all;
}

std::string PartText(const Anatomy& anatomy, AnatomyPart part, const TextStyle& style) {
  Table table({{"what", Align::kLeft},
               {"measured", Align::kRight},
               {"interval", Align::kLeft},
               {"with", Align::kLeft}});
  const std::vector<Unknown> unknown = UnknownOf(anatomy, part);
  const auto is_told_below = [&unknown](const AnatomyRow& row) {
    return std::ranges::any_of(unknown, [&row](const Unknown& each) {
      return std::ranges::find(each.rows, &row) != each.rows.end();
    });
  };
  std::size_t listed = 0;
  for (const AnatomyRow& row : anatomy.rows) {
    if (row.part != part || is_told_below(row)) continue;
    ++listed;
    table.AddRow({row.name, MeasuredText(row), IntervalText(row), RemarkOf(row)});
  }
  if (listed == 0 && unknown.empty()) return "";
  std::string text = Paint(std::string(TitleOf(part)), Tint::kBold, style) + '\n';
  if (listed > 0) text += table.ToString(style.width);
  for (const auto& [name, reason, rows] : unknown) {
    std::vector<std::string_view> fillers;
    for (const AnatomyRow* row : rows) fillers.push_back(row->filler);
    text +=
        Paragraph(fmt::format("{}, not known of {}: {}", name, fmt::join(fillers, " / "), reason),
                  style.width) +
        '\n';
  }
  return text;
}

std::string WidthsText(const Anatomy& anatomy, const TextStyle& style) {
  if (anatomy.widths.empty()) return "";
  Table table({{"width", Align::kLeft}, {"per cycle", Align::kRight}, {"with", Align::kLeft}});
  for (const AnatomyWidth& width : anatomy.widths) {
    table.AddRow({width.name,
                  width.at_least ? "≥ " + NumberText(width.per_cycle.low)
                                 : NumberText(width.per_cycle.value),
                  width.pattern + (width.contended ? "; the core was shared" : "")});
  }
  return Paint("Widths", Tint::kBold, style) + '\n' + table.ToString(style.width);
}

std::string CurvesText(const Anatomy& anatomy) {
  std::string text;
  for (const AnatomyRow& row : anatomy.rows) {
    if (!row.curve) continue;
    text += fmt::format("\n{}, {}: {} by {}\n", row.name, row.filler, row.curve->value_unit,
                        row.curve->at_unit);
    for (const AnatomyPoint& point : row.curve->points) {
      text +=
          fmt::format("  {:g} {:.3f}{}\n", point.at, point.value, point.shared ? " (shared)" : "");
    }
  }
  return text;
}

// What was run, where it was asked for.
std::string CodeText(const Anatomy& anatomy) {
  std::string text;
  for (const AnatomyRow& row : anatomy.rows) {
    if (row.code.empty()) continue;
    text += fmt::format("\n{}, {}:\n", row.name, row.filler);
    for (const std::string& line : row.code) text += line + '\n';
  }
  return text;
}

}  // namespace

std::string AnatomyValueText(const AnatomyRow& row) {
  std::string text = MeasuredText(row);
  if (row.shared)
    text += fmt::format(", {} while the core is shared", NumberText(row.shared->value));
  return text;
}

std::string AnatomyText(const Anatomy& anatomy, const TextStyle& style, TextSize size) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  };
  for (std::size_t i = 0; i < NamesOf(AnatomyPart{}).size(); ++i)
    add(PartText(anatomy, static_cast<AnatomyPart>(i), style));
  add(WidthsText(anatomy, style));
  text += CodeText(anatomy);
  if (size == TextSize::kFull) text += CurvesText(anatomy);
  return text;
}

}  // namespace cyclescope

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/compare_output.h"
#include "report/table.h"

namespace cyclescope {
namespace {

// Three digits behind the point for cycles and GHz, one for nanoseconds, none for KB: what the
// instrument can resolve.
std::string Number(ValueKind kind, double value) {
  if (kind == ValueKind::kCapacity) return fmt::format("{:.0f}", value);
  return kind == ValueKind::kCores ? fmt::format("{:.1f}", value) : fmt::format("{:.3f}", value);
}

// What a value that changed became.
std::string_view ChangeName(ValueKind kind, bool worse) {
  if (kind == ValueKind::kFrequency) return worse ? "lower" : "higher";
  if (kind == ValueKind::kCapacity || kind == ValueKind::kWindow)
    return worse ? "smaller" : "larger";
  return worse ? "slower" : "faster";
}

std::string EstimateText(ValueKind kind, const std::optional<ComparedEstimate>& estimate) {
  if (!estimate) return "-";
  if (estimate->bound && std::isfinite(estimate->high)) return "≤ " + Number(kind, estimate->high);
  if (estimate->at_least) return "≥ " + Number(kind, estimate->low);
  const double half_width = (estimate->high - estimate->low) / 2;
  const std::string value = Number(kind, estimate->value);
  return std::isnan(half_width) ? value : fmt::format("{} ±{}", value, Number(kind, half_width));
}

std::string RelativeText(double relative) {
  if (!std::isfinite(relative)) return "";
  const double percent = 100 * relative;
  constexpr double kRoundsToNothing = 0.05;
  if (std::abs(percent) < kRoundsToNothing) return "0.0 %";
  return fmt::format("{:+.1f} %", percent);
}

// Why nothing can be told, said once for all rows that it holds for.
class Reasons {
 public:
  // "? (2)"
  std::string MarkOf(const std::string& reason) {
    auto place = std::ranges::find(reasons_, reason);
    if (place == reasons_.end()) place = reasons_.insert(place, reason);
    return fmt::format("? ({})", place - reasons_.begin() + 1);
  }

  std::string ToString(int width) const {
    std::string text;
    for (std::size_t i = 0; i < reasons_.size(); ++i) {
      text += Paragraph(fmt::format("? ({}) {}: {}", i + 1,
                                    cyclescope::ToString(Verdict::kCannotTell), reasons_[i]),
                        width, 6);
      text += '\n';
    }
    return text;
  }

 private:
  std::vector<std::string> reasons_;
};

std::string VerdictText(const Comparison& comparison, ValueKind kind, std::size_t other,
                        const Change& change, Reasons& reasons) {
  switch (change.verdict) {
    case Verdict::kChanged:
      return std::string(ChangeName(kind, change.worse));
    case Verdict::kOnlyInFirst:
      return "only in " + comparison.documents[0].label;
    case Verdict::kOnlyInOther:
      return "only in " + comparison.documents[other + 1].label;
    case Verdict::kInNeither:
      return "";
    case Verdict::kCannotTell:
      return reasons.MarkOf(change.reason);
    case Verdict::kSame:
      return std::string(ToString(change.verdict));
  }
  std::unreachable();
}

// "2026-11-16 11:58", without what does not tell results apart.
std::string Minute(std::string_view started) {
  std::string text = Printable(started.substr(0, 16));
  std::ranges::replace(text, 'T', ' ');
  return text;
}

std::string Documents(const Comparison& comparison, int width) {
  Table table({{"", Align::kLeft},
               {"file", Align::kLeft},
               {"host", Align::kLeft},
               {"started", Align::kLeft},
               {"cycles from", Align::kLeft},
               {"CPU", Align::kLeft}});
  for (const ComparedDocument& document : comparison.documents) {
    table.AddRow({document.label, Printable(document.source), Printable(document.host),
                  Minute(document.started), Printable(document.cycle_source),
                  Printable(document.cpu)});
  }
  return table.ToString(width);
}

// "B against A: 3 changed (2 slower), 120 same, 4 cannot tell; median change +0.1 %".
std::string Summary(const Comparison& comparison, const ComparedKind& kind, std::size_t other) {
  const ChangeCounts& counts = kind.counts[other];
  const std::string& first_label = comparison.documents[0].label;
  const std::string& other_label = comparison.documents[other + 1].label;
  std::vector<std::string> parts;
  const auto add = [&parts](std::size_t count, const std::string& what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(counts.changed, counts.worse == 0 ? std::string("changed")
                                        : fmt::format("changed ({} {})", counts.worse,
                                                      ChangeName(kind.kind, true)));
  add(counts.same, "same");
  add(counts.cannot_tell, "cannot tell");
  add(counts.only_in_first, "only in " + first_label);
  add(counts.only_in_other, "only in " + other_label);
  std::string text =
      fmt::format("  {} against {}: {}", other_label, first_label, fmt::join(parts, ", "));
  if (std::isfinite(counts.median_relative)) {
    text += "; median change " + RelativeText(counts.median_relative);
  }
  return text + '\n';
}

bool IsChanged(const Change& change) { return change.verdict == Verdict::kChanged; }

bool IsOnlyInOne(const Change& change) {
  return change.verdict == Verdict::kOnlyInFirst || change.verdict == Verdict::kOnlyInOther;
}

// What is listed without being asked for: what changed, and what only one document has, if that is
// not much. A survey has dozens of values that the result of one instruction has not: their number
// is in the line above.
class WorthListing {
 public:
  explicit WorthListing(const ComparedKind& kind) {
    constexpr std::ptrdiff_t kMostOnlyInOne = 5;
    lists_only_in_one_ = std::ranges::count_if(kind.values, [](const ComparedValue& value) {
                           return std::ranges::any_of(value.changes, IsOnlyInOne);
                         }) <= kMostOnlyInOne;
  }

  bool operator()(const ComparedValue& value) const {
    return std::ranges::any_of(value.changes, IsChanged) ||
           (lists_only_in_one_ && std::ranges::any_of(value.changes, IsOnlyInOne));
  }

 private:
  bool lists_only_in_one_ = false;
};

// What the other columns leave of a line; never so little that names could not be read.
std::size_t RoomForNames(const std::vector<std::vector<std::string>>& rows, int width) {
  constexpr std::size_t kLeastNameWidth = 24;
  constexpr std::size_t kColumnGap = 2;
  if (width <= 0) return std::string::npos;
  std::size_t others = 0;
  for (std::size_t column = 1; column < rows.front().size(); ++column) {
    std::size_t widest = std::string_view("change").size();
    for (const auto& cells : rows) widest = std::max(widest, DisplayWidth(cells[column]));
    others += kColumnGap + widest;
  }
  const auto all = static_cast<std::size_t>(width);
  return std::max(kLeastNameWidth, all > others ? all - others : 0);
}

// A name that is too long goes on below itself.
void AddRow(std::vector<std::string> cells, std::size_t room, Table& table) {
  constexpr std::size_t kIndent = 2;
  const std::string name = room == std::string::npos ? cells[0] : Wrap(cells[0], room, kIndent);
  const std::size_t columns = cells.size();
  std::string_view rest = name;
  for (bool first = true; first || !rest.empty(); first = false) {
    if (!first) cells.assign(columns, "");
    cells[0] = TakeLine(rest);
    table.AddRow(cells);
  }
}

std::string Rows(const Comparison& comparison, const ComparedKind& kind,
                 const CompareTextOptions& options) {
  std::vector<Column> columns = {{"", Align::kLeft},
                                 {comparison.documents[0].label, Align::kRight}};
  for (std::size_t i = 1; i < comparison.documents.size(); ++i) {
    columns.push_back({comparison.documents[i].label, Align::kRight});
    columns.push_back({"change", Align::kRight});
    columns.push_back({"", Align::kLeft});
  }
  const WorthListing is_worth_listing(kind);
  Reasons reasons;
  std::vector<std::vector<std::string>> rows;
  std::size_t left_off = 0;
  for (const ComparedValue& value : kind.values) {
    if (!options.all && !is_worth_listing(value)) continue;
    if (rows.size() == options.most_rows) {
      ++left_off;
      continue;
    }
    std::vector<std::string>& cells = rows.emplace_back();
    cells = {Printable(value.name), EstimateText(kind.kind, value.estimates[0])};
    for (std::size_t i = 0; i < value.changes.size(); ++i) {
      cells.push_back(EstimateText(kind.kind, value.estimates[i + 1]));
      cells.push_back(RelativeText(value.changes[i].relative));
      cells.push_back(VerdictText(comparison, kind.kind, i, value.changes[i], reasons));
    }
  }
  if (rows.empty()) return "";
  const std::size_t room = RoomForNames(rows, options.width);
  Table table(std::move(columns));
  for (std::vector<std::string>& cells : rows) AddRow(std::move(cells), room, table);
  std::string text = '\n' + table.ToString();
  if (left_off > 0) text += fmt::format("  and {} more\n", left_off);
  return text + reasons.ToString(options.width);
}

}  // namespace

std::string ToText(const Comparison& comparison, const CompareTextOptions& options) {
  std::string text = Documents(comparison, options.width);
  if (!comparison.notices.empty()) text += '\n';
  for (const std::string& notice : comparison.notices) {
    text += Paragraph("note: " + Printable(notice), options.width) + '\n';
  }
  for (const ComparedKind& kind : comparison.kinds) {
    fmt::format_to(std::back_inserter(text), "\n{}, in {} (threshold {:g} %)\n",
                   ToString(kind.kind), UnitOf(kind.kind), kind.threshold * 100);
    for (std::size_t i = 0; i < kind.counts.size(); ++i) text += Summary(comparison, kind, i);
    text += Rows(comparison, kind, options);
  }
  if (comparison.kinds.empty())
    text += "\nNothing to compare: no document holds a measured value.\n";
  return text;
}

}  // namespace cyclescope

#include "report/memory_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/memory_words.h"
#include "base/byte_size.h"
#include "base/printable.h"
#include "cyclescope/result/names.h"
#include "report/table.h"
#include "report/text_style.h"

namespace cyclescope {
namespace {

std::string RangeText(const MemoryValue& value) {
  return fmt::format("{:.3g} – {:.3g}", value.low, value.high);
}

std::string LevelsText(const MemoryRow& row) {
  if (row.levels.empty()) return "";
  Table table({{"level"},
               {"cycles", Align::kRight},
               {"interval", Align::kRight},
               {"ns", Align::kRight},
               {"holds", Align::kRight},
               {"interval", Align::kRight},
               {"system says", Align::kRight}});
  for (const MemoryLevel& level : row.levels) {
    LevelTexts texts = TextsOf(level);
    table.AddRow({Printable(level.name), std::move(texts.cycles), std::move(texts.cycles_interval),
                  std::move(texts.nanoseconds), std::move(texts.holds),
                  std::move(texts.holds_interval), std::move(texts.claimed)});
  }
  return table.ToString();
}

bool HasContended(const MemoryCurve& curve) {
  return std::ranges::any_of(curve.points, &MemoryPoint::contended);
}

// What the marks in the table and in the chart mean, and how often the core was shared.
std::string SharedText(const MemoryRow& row) {
  const bool any_level = std::ranges::any_of(row.levels, [](const MemoryLevel& level) {
    return level.contended || level.capacity_at_least;
  });
  const bool any_rate = std::ranges::any_of(row.bandwidth, &MemoryBandwidth::contended);
  const bool any_access = std::ranges::any_of(row.accesses, [](const MemoryAccess& access) {
    return access.cycles && access.cycles->contended;
  });
  if (!any_level && !any_rate && !any_access && std::ranges::none_of(row.curves, HasContended))
    return "";
  double share = 0;
  for (const MemoryCurve& curve : row.curves) share = std::max(share, curve.contended_share);
  std::string text = "~ not clear: ";
  if (share > 0)
    text += fmt::format("the core was shared in up to {:.0f} % of the visits", 100 * share);
  else if (std::ranges::any_of(row.curves, HasContended))
    text += "the self-check failed, and so it is not known when the core was shared";
  else
    text += "there was time for too few visits";
  text += "; loads may take less";
  if (any_rate) text += ", rates may be higher";
  if (any_level) text += ", and where ≥ stands, a level may hold more";
  return text;
}

std::string SingleLoadsText(const MemoryRow& row, const TextStyle& style) {
  std::string text;
  for (const MemoryLevel& level : row.levels) {
    if (!level.by_single_loads) continue;
    text += Paragraph(fmt::format("{}: the curve has no step for it, but the times of single loads "
                                  "tell it from the others",
                                  Printable(level.name)),
                      style.width) +
            '\n';
  }
  return text;
}

std::string TranslationText(const MemoryRow& row, const TextStyle& style) {
  std::string text;
  for (const TranslationLevel& level : row.translation) {
    text += Paragraph(
                fmt::format(
                    "translation, pages of {}: {:.0f} entries ({:.0f} – {:.0f}) reach {}; beyond, "
                    "a load takes "
                    "{:.3g} cycles more",
                    FormatBytes(static_cast<double>(level.page_bytes)), level.reach.value,
                    level.reach.low, level.reach.high,
                    FormatBytes(level.reach.value * static_cast<double>(level.page_bytes)),
                    level.cycles.value),
                style.width) +
            '\n';
  }
  return text;
}

// A curve as columns of a chart: the latency at evenly spaced logarithms of the footprint.
struct Chart {
  static constexpr int kRows = 12;

  double least_ns = 0;
  double most_ns = 0;
  double least_log = 0;
  double most_log = 0;

  int RowOf(double ns) const {
    if (most_ns <= least_ns) return 0;
    const double share = std::log(ns / least_ns) / std::log(most_ns / least_ns);
    return std::clamp(static_cast<int>(std::lround(share * (kRows - 1))), 0, kRows - 1);
  }
  double NsOf(int row) const {
    return least_ns * std::pow(most_ns / least_ns, static_cast<double>(row) / (kRows - 1));
  }
  int ColumnOf(double bytes, int columns) const {
    if (most_log <= least_log) return 0;
    const double share = (std::log2(bytes) - least_log) / (most_log - least_log);
    return std::clamp(static_cast<int>(std::lround(share * (columns - 1))), 0, columns - 1);
  }
};

char MarkOf(const MemoryCurve& curve) { return curve.pages == PageKind::kHuge ? 'o' : '*'; }

char MarkOf(const MemoryCurve& curve, const MemoryPoint& point) {
  return point.contended ? '~' : MarkOf(curve);
}

std::string AxisText(const Chart& chart, int columns, std::size_t indent) {
  std::string axis(indent + static_cast<std::size_t>(columns) + 8, ' ');
  std::size_t free_from = 0;
  for (double log = std::ceil(chart.least_log / 4) * 4; log <= chart.most_log; log += 4) {
    const std::string label = FormatBytes(std::exp2(log));
    const std::size_t at =
        indent + static_cast<std::size_t>(chart.ColumnOf(std::exp2(log), columns));
    if (at < free_from || at + label.size() > axis.size()) continue;
    axis.replace(at, label.size(), label);
    free_from = at + label.size() + 1;
  }
  axis.erase(axis.find_last_not_of(' ') + 1);
  return axis + '\n';
}

// Nanoseconds over footprints, both logarithmic. Curves in random order alone: the others would
// hide them.
std::string ChartText(const MemoryRow& row, const TextStyle& style) {
  std::vector<const MemoryCurve*> curves;
  for (const MemoryCurve& curve : row.curves) {
    if (curve.order == ChaseOrder::kRandom && curve.points.size() > 1) curves.push_back(&curve);
  }
  if (curves.empty()) return "";
  Chart chart = {.least_ns = 1e300, .most_ns = 0, .least_log = 1e300, .most_log = 0};
  for (const MemoryCurve* curve : curves) {
    for (const MemoryPoint& point : curve->points) {
      const double log = std::log2(static_cast<double>(std::max<std::int64_t>(point.bytes, 1)));
      chart.least_ns = std::min(chart.least_ns, std::max(point.nanoseconds.value, 1e-3));
      chart.most_ns = std::max(chart.most_ns, point.nanoseconds.value);
      chart.least_log = std::min(chart.least_log, log);
      chart.most_log = std::max(chart.most_log, log);
    }
  }
  constexpr std::size_t kLabel = 9;
  const int columns = std::clamp(style.width - static_cast<int>(kLabel) - 8, 20, 100);
  std::vector<std::string> rows(Chart::kRows, std::string(static_cast<std::size_t>(columns), ' '));
  for (const MemoryCurve* curve : curves) {
    for (const MemoryPoint& point : curve->points) {
      const auto column = static_cast<std::size_t>(
          chart.ColumnOf(static_cast<double>(std::max<std::int64_t>(point.bytes, 1)), columns));
      const auto at =
          static_cast<std::size_t>(chart.RowOf(std::max(point.nanoseconds.value, 1e-3)));
      char& cell = rows[at][column];
      // What is clear hides what is not.
      if (cell == ' ' || cell == '~') cell = MarkOf(*curve, point);
    }
  }
  std::string text = fmt::format("{:>{}}\n", "ns", kLabel - 2);
  for (int i = Chart::kRows - 1; i >= 0; --i) {
    const bool labelled = i % 3 == 0 || i == Chart::kRows - 1;
    std::string line = rows[static_cast<std::size_t>(i)];
    line.erase(line.find_last_not_of(' ') + 1);
    text += fmt::format("{:>{}} |{}\n", labelled ? fmt::format("{:.3g}", chart.NsOf(i)) : "",
                        kLabel - 2, line);
  }
  text += AxisText(chart, columns, kLabel);
  for (const MemoryCurve* curve : curves) {
    text += fmt::format("{:>{}} {} pages{}\n", MarkOf(*curve), kLabel - 1, ToString(curve->pages),
                        curve->pages == PageKind::kHuge && curve->huge_share < 0.995
                            ? fmt::format(" ({:.0f} % of them were had)", 100 * curve->huge_share)
                            : "");
  }
  return text;
}

std::string ParallelismText(const MemoryRow& row) {
  std::string text;
  for (const MemoryParallelism& each : row.parallelism) {
    if (each.points.empty()) continue;
    const auto most = std::ranges::max_element(each.points, {}, &ParallelPoint::in_flight);
    text += fmt::format("{}: up to {:.3g} loads at once, one every {:.3g} ns\n",
                        Printable(each.level), most->in_flight, most->nanoseconds.value);
  }
  return text;
}

std::string BandwidthText(const MemoryRow& row) {
  if (row.bandwidth.empty()) return "";
  // A line for each level and number of CPUs, a column for each kind.
  constexpr auto kNames = NamesOf(BandwidthKind{});
  std::vector<Column> columns = {{"GB/s"}, {"CPUs", Align::kRight}};
  for (const std::string_view name : kNames) columns.push_back({std::string(name), Align::kRight});
  Table table(std::move(columns));
  for (auto begin = row.bandwidth.begin(); begin != row.bandwidth.end();) {
    const auto end = std::find_if(begin, row.bandwidth.end(), [&](const MemoryBandwidth& each) {
      return each.level != begin->level || each.cpus != begin->cpus;
    });
    std::vector<std::string> cells = {Printable(begin->level), fmt::format("{}", begin->cpus)};
    for (std::size_t kind = 0; kind < kNames.size(); ++kind) {
      const auto found = std::find_if(begin, end, [kind](const MemoryBandwidth& each) {
        return static_cast<std::size_t>(each.kind) == kind;
      });
      cells.push_back(found == end ? ""
                                   : fmt::format("{:.3g}{}", found->gigabytes.value,
                                                 found->contended ? "~" : ""));
    }
    table.AddRow(std::move(cells));
    begin = end;
  }
  return table.ToString();
}

std::string LoadedText(const MemoryRow& row, const TextStyle& style) {
  if (row.loaded.size() < 2) return "";
  std::string text = "memory under load (GB/s that other CPUs read: ns of a load):";
  for (const LoadedLatency& each : row.loaded) {
    text += fmt::format("{} {:.3g}: {:.3g}", &each == row.loaded.data() ? "" : ",",
                        each.gigabytes.value, each.nanoseconds.value);
  }
  return Paragraph(text, style.width) + '\n';
}

std::string PlacesText(const MemoryRow& row) {
  std::string text;
  for (const MemoryPlace& place : row.places) {
    text += fmt::format("memory of node {} from CPU {}: {:.3g} ns ({}), {:.3g} GB/s\n", place.node,
                        place.cpu, place.nanoseconds.value, RangeText(place.nanoseconds),
                        place.gigabytes.value);
  }
  return text;
}

std::string CyclesText(const MemoryAccess& access) {
  if (!access.cycles) return std::string(ToString(access.status));
  const double cycles = access.cycles->value;
  return fmt::format("{:.{}f}{}", cycles, cycles < 9.995 ? 2 : 1,
                     access.cycles->contended ? "~" : "");
}

// A line for each pair of widths and distance; vectors are marked.
std::string ForwardingText(const MemoryRow& row) {
  Table table({{"stored", Align::kRight},
               {"loaded", Align::kRight},
               {"bytes on", Align::kRight},
               {"cycles", Align::kRight},
               {""}});
  bool any = false;
  for (const MemoryAccess& access : row.accesses) {
    if (access.kind != AccessKind::kForwarding || access.status == Status::kUnsupported) continue;
    any = true;
    table.AddRow({fmt::format("{}", access.store_bytes), fmt::format("{}", access.load_bytes),
                  fmt::format("{}", access.distance), CyclesText(access),
                  access.vector ? "vector" : ""});
  }
  return any ? "from a store through memory to a load, in bytes:\n" + table.ToString() : "";
}

std::string NameOfSplit(const MemoryAccess& access) {
  const char* what = access.store_bytes == 0  ? "load"
                     : access.load_bytes == 0 ? "store"
                                              : "store and load";
  return fmt::format("{}, {} bytes", what, std::max(access.store_bytes, access.load_bytes));
}

// A line for each access: plain, across a line's end, across a page's end.
std::string SplitsText(const MemoryRow& row) {
  Table table({{"cycles"},
               {"plain", Align::kRight},
               {"line split", Align::kRight},
               {"page split", Align::kRight}});
  bool any = false;
  for (const MemoryAccess& plain : row.accesses) {
    if (plain.kind != AccessKind::kLineSplit || plain.distance != 0 ||
        plain.status == Status::kUnsupported)
      continue;
    const auto split = [&](AccessKind kind) -> std::string {
      const auto found = std::ranges::find_if(row.accesses, [&](const MemoryAccess& each) {
        return each.kind == kind && each.distance != 0 && each.store_bytes == plain.store_bytes &&
               each.load_bytes == plain.load_bytes && each.vector == plain.vector;
      });
      return found == row.accesses.end() ? "" : CyclesText(*found);
    };
    any = true;
    table.AddRow({NameOfSplit(plain), CyclesText(plain), split(AccessKind::kLineSplit),
                  split(AccessKind::kPageSplit)});
  }
  return any ? table.ToString() : "";
}

std::string PointsText(const MemoryRow& row) {
  std::string text;
  for (const MemoryCurve& curve : row.curves) {
    text += fmt::format("\n{} order, {} pages\n", ToString(curve.order), ToString(curve.pages));
    Table table({{"footprint", Align::kRight},
                 {"cycles", Align::kRight},
                 {"interval", Align::kRight},
                 {"ns", Align::kRight},
                 {"10 % – 90 %", Align::kRight},
                 {"visits", Align::kRight},
                 {""}});
    for (const MemoryPoint& point : curve.points) {
      table.AddRow({FormatBytes(static_cast<double>(point.bytes)),
                    fmt::format("{:.4g}", point.cycles.value),
                    fmt::format("{:.4g} – {:.4g}", point.cycles.low, point.cycles.high),
                    fmt::format("{:.4g}", point.nanoseconds.value),
                    fmt::format("{:.4g} – {:.4g}", point.p10_ns, point.p90_ns),
                    fmt::format("{}", point.visits), point.contended ? "contended" : ""});
    }
    text += table.ToString();
  }
  return text;
}

}  // namespace

std::string MemoryText(const Document& document, const TextStyle& style, MemoryTextSize size) {
  std::string text;
  for (const MemoryRow& row : document.memory) {
    if (!text.empty()) text += '\n';
    text +=
        Paint(fmt::format("Memory from CPU {}{}, lines of {} bytes", row.cpu,
                          row.node ? fmt::format(" on node {}", *row.node) : "", row.line_bytes),
              Tint::kBold, style) +
        '\n';
    text += ChartText(row, style);
    const std::string levels = LevelsText(row);
    if (!levels.empty()) text += '\n' + levels;
    text += SingleLoadsText(row, style);
    const std::string shared = SharedText(row);
    if (!shared.empty()) text += Paint(Paragraph(shared, style.width) + '\n', Tint::kWarn, style);
    text += TranslationText(row, style);
    for (const MemoryFinding& finding : row.findings) {
      text += Paint(Paragraph(FindingText(finding), style.width) + '\n', Tint::kWarn, style);
    }
    for (const std::string& part :
         {ParallelismText(row), BandwidthText(row), LoadedText(row, style) + PlacesText(row),
          ForwardingText(row), SplitsText(row)}) {
      if (!part.empty()) text += '\n' + part;
    }
    if (row.swapped_bytes > 0) {
      text += Paint(Paragraph(fmt::format("{} of the visited memory were swapped out: large "
                                          "footprints took longer than they should",
                                          FormatBytes(static_cast<double>(row.swapped_bytes))),
                              style.width) +
                        '\n',
                    Tint::kWarn, style);
    }
    if (!row.left_out.empty()) {
      std::string names;
      for (const std::string& each : row.left_out)
        names += (names.empty() ? "" : ", ") + Printable(each);
      text += Paragraph("there was no time, or too little, for " + names +
                            "; cyclescope memory --budget 60 takes more",
                        style.width) +
              '\n';
    }
    if (size == MemoryTextSize::kFull) text += PointsText(row);
  }
  return text;
}

}  // namespace cyclescope

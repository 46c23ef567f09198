#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/claims.h"
#include "analysis/memory_words.h"
#include "base/byte_size.h"
#include "base/text.h"
#include "cyclescope/result/names.h"
#include "report/part_texts.h"
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

// True if something has the mark here. Curves in other orders than the random one are not drawn.
bool ShowsMark(const MemoryRow& row) {
  const auto is_drawn_unclear = [](const MemoryCurve& curve) {
    return curve.order == ChaseOrder::kRandom &&
           std::ranges::any_of(curve.points, &MemoryPoint::contended);
  };
  const auto is_unclear = [](const MemoryLevel& level) {
    return level.contended || level.capacity_at_least;
  };
  return std::ranges::any_of(row.levels, is_unclear) ||
         std::ranges::any_of(row.curves, is_drawn_unclear) ||
         std::ranges::any_of(row.bandwidth, &MemoryBandwidth::contended) ||
         std::ranges::any_of(row.accesses, [](const MemoryAccess& access) {
           return access.cycles && access.cycles->contended;
         });
}

// What is said of the row, a paragraph each; behind the table's mark why something is not clear.
std::string ClaimsText(const MemoryRow& row, const TextStyle& style) {
  std::string text;
  const std::optional<Claim> not_clear = WhyNotClear(row);
  for (const Claim& claim : ClaimsOf(row)) {
    const bool explains_mark = not_clear && claim.code == not_clear->code;
    if (explains_mark && !ShowsMark(row)) continue;
    const std::string line =
        Paragraph((explains_mark ? "~ not clear: " : "") + Sentence(claim), style.width) + '\n';
    const bool is_warning = explains_mark || claim.code == ClaimCode::kSwappedOut;
    text += is_warning ? Paint(line, Tint::kWarn, style) : line;
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
    text += fmt::format(
        "{:>{}} {} pages{}\n", MarkOf(*curve), kLabel - 1, ToString(curve->pages),
        curve->pages == PageKind::kHuge && curve->huge_share < 0.995
            ? fmt::format(" ({:.0f} % of the memory was on them)", 100 * curve->huge_share)
            : "");
  }
  return text;
}

std::string ParallelismText(const MemoryRow& row) {
  std::string text;
  for (const MemoryParallelism& each : row.parallelism) {
    if (each.points.empty()) continue;
    const auto most = std::ranges::max_element(each.points, {}, &ParallelPoint::in_flight);
    // A chain has one load under way: more is noise of the time of one chain. The core may take
    // more than our chains ask for.
    text += fmt::format("{}: at least {:.3g} loads at once, of {} chains, one every {:.3g} ns\n",
                        Printable(each.level),
                        std::min(most->in_flight, static_cast<double>(most->chains)), most->chains,
                        most->nanoseconds.value);
  }
  return text;
}

// Three digits, and all of a rate above a thousand: not 4.7e+03.
std::string RateText(double gigabytes) {
  return gigabytes < 999.5 ? fmt::format("{:.3g}", gigabytes) : fmt::format("{:.0f}", gigabytes);
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
      cells.push_back(
          found == end ? "" : RateText(found->gigabytes.value) + (found->contended ? "~" : ""));
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
    text += fmt::format("{} {}: {:.3g}", &each == row.loaded.data() ? "" : ",",
                        RateText(each.gigabytes.value), each.nanoseconds.value);
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

std::string MemoryText(const Document& document, const TextStyle& style, TextSize size) {
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
    text += ClaimsText(row, style);
    for (const MemoryFinding& finding : row.findings) {
      text += Paint(Paragraph(FindingText(finding), style.width) + '\n', Tint::kWarn, style);
    }
    for (const std::string& part :
         {ParallelismText(row), BandwidthText(row), LoadedText(row, style) + PlacesText(row),
          ForwardingText(row), SplitsText(row)}) {
      if (!part.empty()) text += '\n' + part;
    }
    if (!row.left_out.empty()) {
      std::string names;
      for (const std::string& each : row.left_out)
        names += (names.empty() ? "" : ", ") + Printable(each);
      text += Paragraph(row.partial ? "ended early, without " + names
                                    : "there was too little time for " + names +
                                          "; cyclescope memory --budget 60 takes more",
                        style.width) +
              '\n';
    }
    if (size == TextSize::kFull) text += PointsText(row);
  }
  return text;
}

}  // namespace cyclescope

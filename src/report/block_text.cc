#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/block_difference.h"
#include "analysis/block_words.h"
#include "analysis/claims.h"
#include "analysis/row_figures.h"
#include "base/text.h"
#include "report/instruction_text.h"
#include "report/prediction_text.h"
#include "report/row_text.h"
#include "report/table.h"

namespace cyclescope {
namespace {

// The snippet's first lines, and how many follow them.
std::string SnippetText(std::string_view snippet, const TextStyle& style) {
  constexpr int kMostLines = 12;
  snippet = Trimmed(snippet);
  std::string text;
  for (int lines = 0; !snippet.empty() && lines < kMostLines; ++lines) {
    std::string line(TakeLine(snippet));
    std::ranges::replace(line, '\t', ' ');
    text += Paint(Printable(line), Tint::kBold, style) + '\n';
  }
  if (snippet.empty()) return text;
  const auto more = 1 + std::ranges::count(snippet, '\n');
  return text + fmt::format("… and {} more line{}\n", more, more == 1 ? "" : "s");
}

// How busy the ports are, as bars.
std::string PressureText(const BlockPorts& ports, const TextStyle& style) {
  std::string text = PortBars(ports.pressure, ports.cycles, style);
  for (const LeftOutForm& form : ports.not_counted) {
    text += Paragraph(
                fmt::format("  ports not known, counted as a slot: {}: {}", form.text, form.reason),
                style.width, 4) +
            '\n';
  }
  return text;
}

// "bound by ports p0 p1; ports 2.00, dispatch 1.17"
std::string PortBinds(const BlockPorts& ports) {
  const auto claim = ClaimOf(ports);
  return fmt::format("{}ports {:.2f}, dispatch {:.2f}", claim ? Sentence(*claim) + "; " : "",
                     ports.ports, ports.dispatch);
}

// A line of the row's own, wrapped; empty for nothing.
std::string RowLine(const std::string& text, const TextStyle& style) {
  return text.empty() ? "" : Paragraph("  " + text, style.width, 4) + '\n';
}

// The measured value beside what is predicted and what it cannot be below.
std::string BoundsText(const BlockRow& row, const TextStyle& style) {
  if (!row.cycles || (!row.mca && !row.bounds && !row.predicted)) return "";
  Table table({{"  "}, {"cycles", Align::kRight}, {""}});
  const auto add = [&table](std::string_view name, double cycles, std::string text,
                            std::string_view mark = "") {
    table.AddRow(
        {fmt::format("  {}", name), fmt::format("{}{:.2f}", mark, cycles), std::move(text)});
  };
  const double measured = ShownCycles(row.cycles->contended, *row.cycles);
  const std::string_view mark = row.cycles->contended ? "≤ " : "";
  add("measured", measured, "", mark);
  if (row.predicted && row.predicted->cycles) {
    add("predicted", *row.predicted->cycles,
        fmt::format("by the model of {}: {}", row.predicted->machine, row.predicted->verdict));
  }
  if (row.mca) {
    add("llvm-mca", row.mca->cycles,
        fmt::format("{}: throughput {:.2f}, latency {:.2f}{}{}", row.mca->cpu,
                    row.mca->throughput_bound, row.mca->latency_bound,
                    row.mca->bottleneck.empty() ? "" : "; waits for ", row.mca->bottleneck));
  }
  if (row.ports) {
    add("from ports", row.ports->cycles, PortBinds(*row.ports));
    add("residual", measured - row.ports->cycles, "measured less what ports predict", mark);
  }
  if (row.bounds) {
    add("chain bound", row.bounds->chain, row.bounds->chain_text);
    if (row.bounds->width > 0)
      add("issue bound", row.bounds->issue, fmt::format("{:.0f} a cycle", row.bounds->width));
    if (row.bounds->resource > 0)
      add("resource bound", row.bounds->resource, row.bounds->resource_text);
  }
  std::string text = table.ToString(style.width);
  if (row.bounds && !row.bounds->verdict.empty())
    text += Paragraph("  " + row.bounds->verdict, style.width, 4) + '\n';
  if (row.ports) text += '\n' + PressureText(*row.ports, style);
  if (row.predicted && !row.predicted->cycles)
    text += RowLine(PredictionLine(*row.predicted), style);
  if (row.predicted && !row.predicted->timeline.empty())
    text += '\n' + TimelineText(row.predicted->timeline, style);
  if (row.mca && !row.mca->timeline.empty()) text += '\n' + row.mca->timeline;
  return text;
}

}  // namespace

std::string BlocksText(const std::vector<BlockRow>& rows, const TextStyle& style,
                       const InstructionTextOptions& options) {
  std::string text;
  for (const BlockRow& row : rows) {
    if (&row != &rows.front()) text += '\n';
    const std::string_view between = row.side.empty() || row.name.empty() ? "" : ": ";
    if (const std::string title = row.side + std::string(between) + row.name; !title.empty())
      text += Paint(Printable(title), Tint::kFaint, style) + '\n';
    if (const std::string first = FirstWords(row); !first.empty())
      text += Paint(RowLine(first, style), Tint::kWarn, style);
    text += SnippetText(row.text, style);
    if (!row.classic.empty()) text += ClassicText(row.classic, options.has_base);
    if (row.cycles) {
      const std::string size =
          fmt::format("{} instruction{}", row.instructions, row.instructions == 1 ? "" : "s");
      const std::string line =
          fmt::format("{}{} cycles per {} ({}; {} samples), {}", row.cycles->contended ? "≤ " : "",
                      ValueText(ShownCycles(row.cycles->contended, *row.cycles)),
                      row.trips > 0 ? "trip" : "iteration", IntervalText(*row.cycles),
                      SampleText(*row.cycles), WithRemarks(size, *row.cycles));
      text += "  " + Wrap(line, static_cast<std::size_t>(std::max(style.width, 40) - 2), 4) + '\n';
    }
    text += StatusLine(row.status, row.reason, style);
    text += NotesText(FurtherNotes(row), style);
    text += RowLine(DataText(row), style);
    if (row.cycles) text += RowLine(MemoryLayoutText(row), style);
    text += BoundsText(row, style);
    if (row.predicted && !row.cycles) text += PredictionText(*row.predicted, style);
    if (options.show_code) text += Indented(row.code);
  }
  const auto differences = FindDifferences(rows);
  if (!differences.empty()) text += '\n';
  for (const BlockDifference& difference : differences)
    text +=
        Wrap(DifferenceText(difference), static_cast<std::size_t>(std::max(style.width, 40)), 2) +
        '\n';
  return text;
}

}  // namespace cyclescope

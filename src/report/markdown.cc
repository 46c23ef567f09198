#include "report/markdown.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "analysis/block_difference.h"
#include "analysis/block_words.h"
#include "analysis/host_words.h"
#include "analysis/memory_words.h"
#include "analysis/row_figures.h"
#include "base/printable.h"
#include "report/anatomy_text.h"
#include "report/machine_text.h"

namespace cyclescope {
namespace {

// More CPUs than these make a table that nobody reads.
constexpr std::size_t kMostCpusInMarkdown = 32;

// What would end a cell or begin markup stands for itself.
std::string MarkdownCell(std::string_view text) {
  std::string cell;
  for (const char c : Printable(text)) {
    if (std::string_view("|<>`*_[]\\").find(c) != std::string_view::npos) cell += '\\';
    cell += c;
  }
  return cell;
}

// Within a code span nothing but the back quote and the bar means anything.
std::string MarkdownCode(std::string_view text) {
  std::string code;
  for (const char c : Printable(text)) {
    if (c == '|') code += '\\';
    code += c == '`' ? '\'' : c;
  }
  return '`' + code + '`';
}

std::string MarkdownRow(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string MarkdownFigure(bool bound, const Estimate& estimate) {
  const std::string figure =
      bound ? fmt::format("≤ {:.2f}", estimate.high)
            : fmt::format("{:.2f} ({:.4g} – {:.4g})", estimate.value, estimate.low, estimate.high);
  return figure + (estimate.contended ? " (contended)" : "");
}

std::string MarkdownWarnings(const std::vector<Warning>& warnings) {
  std::string text = warnings.empty() ? "" : "\n";
  for (const Warning& warning : warnings) {
    text += fmt::format("- Warning: {}{}\n", MarkdownCell(warning.message),
                        warning.hint.empty() ? "" : "; " + MarkdownCell(warning.hint));
  }
  return text;
}

std::string MarkdownFrequency(const std::vector<FrequencyRow>& rows) {
  if (rows.empty()) return "";
  if (rows.size() > kMostCpusInMarkdown) return '\n' + FrequencySummaryText(rows);
  std::string text = "\n" + MarkdownRow({"CPU", "core GHz", "status"}) + "|--:|--:|---|\n";
  for (const FrequencyRow& row : rows) {
    text += MarkdownRow({fmt::format("{}", row.cpu),
                         row.core_ghz.value > 0
                             ? fmt::format("{:.3f} ({:.3f} – {:.3f})", row.core_ghz.value,
                                           row.core_ghz.low, row.core_ghz.high)
                             : "",
                         FrequencyStatusText(row)});
  }
  return text;
}

std::string MarkdownMemory(const MemoryRow& row) {
  if (row.levels.empty()) return "";
  std::string text = fmt::format("\nCaches and memory from CPU {}:\n\n", row.cpu);
  text +=
      MarkdownRow({"level", "cycles", "ns", "holds", "system says"}) + "|---|--:|--:|--:|--:|\n";
  for (const MemoryLevel& level : row.levels) {
    const LevelTexts words = TextsOf(level);
    text += MarkdownRow({MarkdownCell(level.name),
                         fmt::format("{} ({})", words.cycles, words.cycles_interval),
                         words.nanoseconds, words.holds, words.claimed});
  }
  for (const MemoryFinding& finding : row.findings)
    text += fmt::format("\n{}\n", MarkdownCell(FindingText(finding)));
  return text;
}

std::string MarkdownAnatomy(const Anatomy& anatomy) {
  std::string text = "\n" + MarkdownRow({"part", "what", "measured", "interval", "with"}) +
                     "|---|---|--:|--:|---|\n";
  for (const AnatomyRow& row : anatomy.rows) {
    const bool has_interval = row.value && !row.at_least;
    text += MarkdownRow(
        {std::string(ToString(row.part)), MarkdownCell(row.name),
         MarkdownCell(AnatomyValueText(row)),
         has_interval ? fmt::format("{:g} – {:g}", row.value->low, row.value->high) : "",
         MarkdownCell(row.filler)});
  }
  for (const AnatomyWidth& width : anatomy.widths) {
    text += MarkdownRow({"width", MarkdownCell(width.name),
                         fmt::format("{:.3g} per cycle", width.per_cycle.value),
                         fmt::format("{:.3g} – {:.3g}", width.per_cycle.low, width.per_cycle.high),
                         MarkdownCell(width.pattern)});
  }
  return text;
}

std::string MarkdownInstructions(const std::vector<InstructionRow>& rows) {
  if (rows.empty()) return "";
  std::string text = "\n" + MarkdownRow({"instruction", "latency, cycles", "cycles per instruction",
                                         "LLVM's latency", "status"});
  text += "|---|--:|--:|--:|---|\n";
  for (const InstructionRow& row : rows) {
    const Latency* latency = ShownLatency(row);
    const bool has_model = row.model && row.model->latency;
    text += MarkdownRow(
        {MarkdownCode(row.text),
         latency == nullptr ? "" : MarkdownFigure(IsUpperBound(*latency), latency->cycles),
         row.throughput ? MarkdownFigure(IsUpperBound(*row.throughput), row.throughput->cycles)
                        : "",
         has_model ? fmt::format("{:.4g}", *row.model->latency) : "",
         row.status == Status::kMeasured ? "" : std::string(ToString(row.status))});
  }
  return text;
}

std::string MarkdownBlocks(const std::vector<BlockRow>& rows) {
  if (rows.empty()) return "";
  std::string text = "\n" + MarkdownRow({"snippet", "cycles per iteration", "remarks"});
  text += "|---|--:|---|\n";
  for (const BlockRow& row : rows) {
    std::vector<std::string> remarks;
    if (row.status != Status::kMeasured) remarks.emplace_back(ToString(row.status));
    for (std::string& words : std::array{LeftOutText(row), DataText(row)}) {
      if (!words.empty()) remarks.push_back(MarkdownCell(words));
    }
    text += MarkdownRow({MarkdownCode(row.text),
                         row.cycles ? MarkdownFigure(row.cycles->contended, *row.cycles) : "",
                         fmt::format("{}", fmt::join(remarks, "; "))});
  }
  for (const BlockDifference& difference : FindDifferences(rows))
    text += '\n' + MarkdownCell(DifferenceText(difference)) + '\n';
  return text;
}

std::string MarkdownCores(const CoreMatrix& cores) {
  std::string text =
      fmt::format("\nFrom core to core, one way, ns; test {}:\n\n", MarkdownCell(cores.test));
  if (cores.cpus.size() > kMostCpusInMarkdown)
    return text + fmt::format("{} CPUs, which is too many for a table.\n", cores.cpus.size());
  std::vector<std::string> titles = {""};
  for (const int cpu : cores.cpus) titles.push_back(fmt::format("{}", cpu));
  text += MarkdownRow(titles) + "|--:";
  for (std::size_t i = 0; i < cores.cpus.size(); ++i) text += "|--:";
  text += "|\n";
  for (std::size_t row = 0; row < cores.cpus.size(); ++row) {
    std::vector<std::string> cells = {fmt::format("{}", cores.cpus[row])};
    for (std::size_t column = 0; column < cores.cpus.size(); ++column) {
      cells.push_back(cores.nanoseconds.Has(row, column)
                          ? fmt::format("{:.1f}", cores.nanoseconds.At(row, column))
                          : "");
    }
    text += MarkdownRow(cells);
  }
  return text;
}

}  // namespace

std::string ToMarkdown(const Document& document) {
  std::string text = fmt::format("**{}**\n", MarkdownCell(HostText(document.host)));
  if (!document.clock.cycle_source.empty())
    text += fmt::format("\nCycles from {}.\n", MarkdownCell(document.clock.cycle_source));
  text += MarkdownWarnings(document.warnings);
  text += MarkdownFrequency(document.frequency);
  for (const MemoryRow& row : document.memory) text += MarkdownMemory(row);
  if (document.anatomy) text += MarkdownAnatomy(*document.anatomy);
  text += MarkdownInstructions(document.instructions);
  text += MarkdownBlocks(document.blocks);
  for (const CoreMatrix& cores : document.cores) text += MarkdownCores(cores);
  return text + fmt::format("\nMeasured by cyclescope {}.\n", MarkdownCell(document.tool.version));
}

}  // namespace cyclescope

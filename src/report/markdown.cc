#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/block_difference.h"
#include "analysis/block_words.h"
#include "analysis/host_words.h"
#include "analysis/memory_words.h"
#include "analysis/model_agreement.h"
#include "analysis/model_words.h"
#include "analysis/row_figures.h"
#include "base/text.h"
#include "report/anatomy_text.h"
#include "report/document_text.h"
#include "report/machine_text.h"
#include "report/prediction_text.h"

namespace cyclescope {
namespace {

// More CPUs than these make a table that is too large to read.
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

// In one line. Within a code span nothing but the back quote and the bar means anything.
std::string MarkdownCode(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? "; " : std::string(1, c);
  std::string code;
  for (const char c : Printable(line)) {
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

std::string MarkdownNumber(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "";
}

// "x1 → x0", "x1 → x0, slow"
std::string MarkdownPairName(const Latency& pair) {
  return MarkdownCell(
      fmt::format("{} → {}{}{}", pair.from, pair.to, pair.values.empty() ? "" : ", ", pair.values));
}

std::string MarkdownLatency(const Latency& pair) {
  std::string figure = MarkdownFigure(IsUpperBound(pair), pair.cycles);
  if (!pair.to_others) return figure;
  return fmt::format("{}; to other units {:.2f}", figure, pair.to_others->value);
}

// A line for each pair; what is about the whole instruction stands in its first.
std::string MarkdownPair(const InstructionRow& row, const Latency* pair) {
  const bool is_first = pair == nullptr || pair == row.latency.data();
  return MarkdownRow({MarkdownCode(row.text), pair != nullptr ? MarkdownPairName(*pair) : "",
                      pair != nullptr ? MarkdownLatency(*pair) : "",
                      pair != nullptr ? MarkdownNumber(ModelLatencyOf(row, *pair)) : "",
                      is_first && row.throughput
                          ? MarkdownFigure(IsUpperBound(*row.throughput), row.throughput->cycles)
                          : "",
                      is_first && row.model ? MarkdownNumber(row.model->throughput) : "",
                      row.status == Status::kMeasured ? "" : std::string(ToString(row.status))});
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
  std::string text = "\n" + MarkdownRow({"instruction", "pair", "latency, cycles", "LLVM's",
                                         "cycles per instruction", "LLVM's", "status"});
  text += "|---|---|--:|--:|--:|--:|---|\n";
  for (const InstructionRow& row : rows) {
    if (row.latency.empty()) text += MarkdownPair(row, nullptr);
    for (const Latency& pair : row.latency) text += MarkdownPair(row, &pair);
  }
  return text;
}

// Where LLVM's model is wrong, as the text report has it.
std::string MarkdownModel(const std::vector<InstructionRow>& rows) {
  constexpr std::size_t kMostGroups = 30;
  const ModelAgreement agreement = CompareWithModel(rows);
  const std::vector<ModelGroup> groups = GroupDifferences(agreement);
  if (groups.empty()) return "";
  std::string text =
      fmt::format("\nWhere LLVM's model of {} differs:\n\n", MarkdownCell(agreement.cpu));
  for (const ModelGroup& group : std::span(groups).first(std::min(kMostGroups, groups.size())))
    text += fmt::format("- {}\n", MarkdownCell(GroupText(group)));
  if (groups.size() > kMostGroups)
    text += fmt::format("- and {} smaller groups\n", groups.size() - kMostGroups);
  return text;
}

std::string MarkdownBlocks(const std::vector<BlockRow>& rows) {
  if (rows.empty()) return "";
  std::string text = "\n" + MarkdownRow({"snippet", "cycles per iteration", "remarks"});
  text += "|---|--:|---|\n";
  for (const BlockRow& row : rows) {
    std::vector<std::string> remarks;
    if (row.status != Status::kMeasured) remarks.emplace_back(ToString(row.status));
    if (row.predicted) remarks.push_back(MarkdownCell(PredictionLine(*row.predicted)));
    for (std::string& words : std::array{FirstWords(row), DataText(row)}) {
      if (!words.empty()) remarks.push_back(MarkdownCell(words));
    }
    for (const std::string& note : FurtherNotes(row)) remarks.push_back(MarkdownCell(note));
    std::string code(row.text, 0, row.text.find_last_not_of(" \n") + 1);
    std::ranges::replace(code, '\t', ' ');
    const std::string name = row.name.empty() ? "" : MarkdownCell(row.name) + ": ";
    text += MarkdownRow({name + MarkdownCode(code),
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
  text += MarkdownModel(document.instructions);
  text += MarkdownBlocks(document.blocks);
  for (const CoreMatrix& cores : document.cores) text += MarkdownCores(cores);
  return text + fmt::format("\nMeasured by cyclescope {}.\n", MarkdownCell(document.tool.version));
}

}  // namespace cyclescope

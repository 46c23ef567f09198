#include "report/markdown.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/machine_text.h"
#include "report/row_figures.h"
#include "report/text_style.h"

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
  const double half = (estimate.high - estimate.low) / 2;
  return fmt::format("{}{:.2f} ± {:.2g}{}", bound ? "≤ " : "", estimate.value, half,
                     estimate.contended ? " (contended)" : "");
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
  std::string text = "\n" + MarkdownRow({"snippet", "cycles per iteration", "status"});
  text += "|---|--:|---|\n";
  for (const BlockRow& row : rows) {
    text += MarkdownRow({MarkdownCode(row.text),
                         row.cycles ? MarkdownFigure(row.cycles->contended, *row.cycles) : "",
                         row.status == Status::kMeasured ? "" : std::string(ToString(row.status))});
  }
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
  text += MarkdownInstructions(document.instructions);
  text += MarkdownBlocks(document.blocks);
  for (const CoreMatrix& cores : document.cores) text += MarkdownCores(cores);
  return text + fmt::format("\nMeasured by cyclescope {}.\n", MarkdownCell(document.tool.version));
}

}  // namespace cyclescope

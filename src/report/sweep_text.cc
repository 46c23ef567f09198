#include "report/sweep_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "report/headline_text.h"
#include "report/model_agreement.h"
#include "report/table.h"

namespace cyclescope {
namespace {

constexpr std::string_view kNeeds = "needs ";

// What rows have in common: a reason up to its details.
std::string KindOf(std::string_view reason) {
  if (reason.starts_with(kNeeds)) return "needs a feature that this CPU does not have";
  if (reason.starts_with('\'')) return "its text means another opcode, or none";
  std::string_view kind = reason.substr(0, reason.find(':'));
  kind = kind.substr(0, kind.find(" ("));
  return std::string(kind.substr(0, kind.find(" to address")));
}

bool WasMeasured(const InstructionRow& row) {
  return row.status == Status::kMeasured || row.status == Status::kDisturbed;
}

// The first line of the table is the total, and the others add up to it.
std::string CountsText(std::span<const InstructionRow> rows, const SweepSummary& summary) {
  std::map<std::pair<Status, std::string>, int> kinds;
  for (const InstructionRow& row : rows) {
    ++kinds[{row.status, WasMeasured(row) ? "" : KindOf(row.reason)}];
  }
  Table table({{"opcodes", Align::kRight}, {""}, {""}});
  const auto add = [&table](int count, std::string_view status, std::string reason) {
    if (count > 0) table.AddRow({std::to_string(count), std::string(status), std::move(reason)});
  };
  add(summary.opcodes, "in all", "that LLVM lists for this architecture");
  add(summary.pseudos, "pseudo", "the compiler's own: no CPU has them");
  add(summary.duplicates, "duplicate", "another name, or another encoding, of one that is counted");
  add(summary.left_out, "left out", "not asked for");
  add(summary.not_reached, "not reached", "the sweep ended before");
  for (const auto& [kind, count] : kinds) add(count, ToString(kind.first), kind.second);
  return table.ToString();
}

// What was not reached is offered, too: a plan holds nothing else to be measured.
std::string CoverageText(std::span<const InstructionRow> rows, int not_reached) {
  const auto measured = std::ranges::count_if(rows, WasMeasured);
  const auto offered = not_reached + std::ranges::count_if(rows, [](const InstructionRow& row) {
                         return row.status != Status::kUnsupported;
                       });
  if (offered == 0) return "";
  return fmt::format("{} of {} opcodes that this machine offers were measured: {:.1f} %\n",
                     measured, offered,
                     100.0 * static_cast<double>(measured) / static_cast<double>(offered));
}

std::string ShareText(std::string_view what, const ModelCount& count) {
  if (count.compared == 0) return "";
  return fmt::format("  {} agrees for {} of {} rows ({:.1f} %)\n", what, count.agreeing,
                     count.compared, 100.0 * count.agreeing / count.compared);
}

std::string DifferencesText(const ModelAgreement& agreement, std::size_t most) {
  Table table({{"  off by", Align::kRight},
               {"measured", Align::kRight},
               {"model", Align::kRight},
               {""},
               {"instruction"},
               {"opcode"}});
  const std::size_t shown = std::min(most, agreement.differences.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ModelDifference& difference = agreement.differences[i];
    const bool latency = difference.quantity == ModelQuantity::kLatency;
    table.AddRow({fmt::format("{:+.2f}", difference.difference()),
                  fmt::format("{:.2f}", difference.measured_cycles),
                  fmt::format("{:.2f}", difference.model_cycles),
                  latency ? "latency" : "throughput", difference.row->text,
                  difference.row->opcode});
  }
  std::string text = table.ToString();
  if (shown < agreement.differences.size()) {
    text += fmt::format("  and {} more\n", agreement.differences.size() - shown);
  }
  return text;
}

std::string ModelText(std::span<const InstructionRow> rows, const TextStyle& style,
                      const SweepTextOptions& options) {
  const ModelAgreement agreement = CompareWithModel(rows);
  if (agreement.cpu.empty()) return "";
  std::string text = Paint(fmt::format("LLVM's model of {}\n", agreement.cpu), Tint::kBold, style);
  text += ShareText("latency", agreement.latency) + ShareText("throughput", agreement.throughput);
  if (!agreement.differences.empty() && options.most_differences > 0) {
    text += '\n' + DifferencesText(agreement, options.most_differences);
  }
  return text;
}

}  // namespace

std::string SweepText(const Document& document, const TextStyle& style,
                      const SweepTextOptions& options) {
  const std::vector<InstructionRow> rows = OtherRows(document);
  const SweepSummary summary =
      document.sweep.value_or(SweepSummary{.opcodes = static_cast<int>(rows.size())});
  std::string text = CountsText(rows, summary) + '\n' + CoverageText(rows, summary.not_reached);
  const std::string model = ModelText(rows, style, options);
  if (!model.empty()) text += '\n' + model;
  return text;
}

}  // namespace cyclescope

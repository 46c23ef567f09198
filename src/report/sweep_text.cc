#include "report/sweep_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/claims.h"
#include "analysis/model_agreement.h"
#include "analysis/model_words.h"
#include "analysis/row_figures.h"
#include "report/headline_text.h"
#include "report/ports_text.h"
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

// The first line of the table is the total, and the others add up to it.
std::string CountsText(std::span<const InstructionRow> rows, const SweepSummary& summary) {
  std::map<std::pair<Status, std::string>, int> kinds;
  for (const InstructionRow& row : rows) {
    ++kinds[{row.status, RanToItsEnd(row) ? "" : KindOf(row.reason)}];
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

// What was not reached is offered, too: a plan holds nothing else to be measured. What only the
// kernel may execute is not.
std::string CoverageText(std::span<const InstructionRow> rows, int not_reached) {
  const auto measured = std::ranges::count_if(rows, RanToItsEnd);
  const auto offered =
      not_reached + std::ranges::count_if(rows, [](const InstructionRow& row) {
        return row.status != Status::kUnsupported && row.status != Status::kPrivileged;
      });
  if (offered == 0) return "";
  return fmt::format(
      "{} of {} opcodes that this machine offers to programs were measured: {:.1f} %\n", measured,
      offered, 100.0 * static_cast<double>(measured) / static_cast<double>(offered));
}

std::string GroupsText(const ModelAgreement& agreement, std::size_t most, int width) {
  const std::vector<ModelGroup> groups = GroupDifferences(agreement);
  const std::size_t shown = std::min(most, groups.size());
  std::string text;
  for (const ModelGroup& group : std::span(groups).first(shown))
    text += Paragraph("  " + GroupText(group), width, 4) + '\n';
  std::size_t left = 0;
  for (const ModelGroup& group : std::span(groups).subspan(shown)) left += group.differences.size();
  if (left > 0)
    text += fmt::format("  and {} values in {} smaller groups\n", left, groups.size() - shown);
  return text;
}

std::string SystemText(const std::vector<ModelDifference>& system) {
  std::string text = "  system instructions, for which models have a stand-in:";
  std::vector<std::string_view> named;
  for (const ModelDifference& difference : system) {
    const std::string& mnemonic = difference.row->mnemonic;
    if (std::ranges::find(named, mnemonic) != named.end()) continue;
    named.emplace_back(mnemonic);
    text += fmt::format("{} {} ({:.0f}, model {:.0f})", named.size() == 1 ? "" : ",", mnemonic,
                        difference.measured_cycles, difference.model_cycles);
  }
  return text + '\n';
}

std::string ModelText(std::span<const InstructionRow> rows, const TextStyle& style,
                      const SweepTextOptions& options) {
  const ModelAgreement agreement = CompareWithModel(rows);
  if (agreement.cpu.empty()) return "";
  std::string text = Paint(fmt::format("LLVM's model of {}\n", agreement.cpu), Tint::kBold, style);
  for (const Claim& claim : AgreementClaims(agreement)) text += "  " + Sentence(claim) + '\n';
  if (options.most_differences == 0) return text;
  if (!agreement.differences.empty())
    text += '\n' + GroupsText(agreement, options.most_differences, style.width);
  if (!agreement.system.empty()) {
    text += '\n' + Paragraph(SystemText(agreement.system), style.width, 4);
  }
  return text;
}

// Why a row has no ports, in words that others of its kind share. Older documents have no claim.
std::string WithoutItsFigures(const PortFinding& finding) {
  if (finding.claim) {
    Claim claim = *finding.claim;
    std::erase_if(claim.figures,
                  [](const ClaimFigure& figure) { return figure.value.has_value(); });
    return Sentence(claim);
  }
  return finding.reason.substr(0, finding.reason.find(" ("));
}

// How many rows have ports, why others have none, and what LLVM says otherwise.
std::string PortsText(const std::vector<InstructionRow>& rows, const TextStyle& style,
                      const SweepTextOptions& options) {
  std::map<std::string, int> reasons;
  int explained = 0;
  for (const InstructionRow& row : rows) {
    if (!row.port_finding) continue;
    if (row.port_finding->reason.empty()) {
      ++explained;
    } else {
      ++reasons[WithoutItsFigures(*row.port_finding)];
    }
  }
  if (explained == 0 && reasons.empty()) return "";
  std::string text = Paint("Ports\n", Tint::kBold, style);
  text += fmt::format("  {} rows have them\n", explained);
  for (const auto& [reason, count] : reasons)
    text += Paragraph(fmt::format("  {} not explained: {}", count, reason), style.width, 4) + '\n';
  return text + "  " + PortDifferencesText(rows, style, options.most_differences);
}

// A line for each row that has values, where they are few.
std::string RowsText(const std::vector<InstructionRow>& rows, const TextStyle& style,
                     std::size_t most) {
  std::vector<InstructionRow> measured;
  std::ranges::copy_if(rows, std::back_inserter(measured), RanToItsEnd);
  return measured.size() > most ? "" : HeadlineText(measured, style);
}

}  // namespace

std::size_t CountMeasured(const Document& document) {
  return static_cast<std::size_t>(std::ranges::count_if(OtherRows(document), RanToItsEnd));
}

std::string SweepText(const Document& document, const TextStyle& style,
                      const SweepTextOptions& options) {
  const std::vector<InstructionRow> rows = OtherRows(document);
  const SweepSummary summary =
      document.sweep.value_or(SweepSummary{.opcodes = static_cast<int>(rows.size())});
  std::string text = CountsText(rows, summary) + '\n' + CoverageText(rows, summary.not_reached);
  for (const std::string& part :
       {RowsText(rows, style, options.most_rows), ModelText(rows, style, options),
        PortsText(rows, style, options)}) {
    if (!part.empty()) text += '\n' + part;
  }
  return text;
}

}  // namespace cyclescope

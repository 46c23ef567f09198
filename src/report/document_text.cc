#include "report/document_text.h"

#include <fmt/core.h>

#include <limits>
#include <span>
#include <vector>

#include "analysis/host_words.h"
#include "base/try.h"
#include "report/anatomy_text.h"
#include "report/cores_text.h"
#include "report/fleet_text.h"
#include "report/headline_text.h"
#include "report/instruction_text.h"
#include "report/machine_text.h"
#include "report/part_texts.h"
#include "report/ports_text.h"
#include "report/sweep_text.h"
#include "report/table.h"

namespace cyclescope {
namespace {

// More than these, in detail or a line each, are a wall.
constexpr std::size_t kMostRowsInDetail = 20;
constexpr std::size_t kMostRowsInLines = 200;
constexpr std::size_t kMostCpusListed = 64;

std::string HeadText(const Document& document, const TextStyle& style) {
  std::string text = MachineText(document, style);
  if (!document.failure.empty()) {
    text +=
        Paint(Paragraph("no result: " + document.failure, style.width) + '\n', Tint::kWarn, style);
  }
  text += PartialText(document.partial, style);
  for (const Warning& warning : document.warnings) {
    const std::string line = fmt::format("warning: {}{}{}", warning.message,
                                         warning.hint.empty() ? "" : "; ", warning.hint);
    text += Paint(Paragraph(line, style.width) + '\n', Tint::kWarn, style);
  }
  return text;
}

std::string FrequencyPart(const Document& document, const DocumentTextOptions& options,
                          const TextStyle& style) {
  const std::vector<FrequencyRow>& rows = document.frequency;
  if (rows.empty()) return "";
  if (options.full || rows.size() <= kMostCpusListed) return FrequencyText(document, style);
  return FrequencySummaryText(rows) + "--full lists every CPU\n";
}

// A line each, and under them what --full adds.
std::string RowLines(std::span<const InstructionRow> rows, const TextStyle& style) {
  return HeadlineText(rows, style) +
         "--full lists every pair of operands with its interval and the code measured\n";
}

std::string InstructionPart(const Document& document, const DocumentTextOptions& options,
                            const TextStyle& style) {
  const std::vector<InstructionRow> headline = HeadlineRows(document);
  const std::vector<InstructionRow> others = OtherRows(document);
  std::string text;
  if (options.full) {
    text = InstructionsText(document.instructions, style,
                            {.show_code = true, .has_base = TicksAtBaseClock(document.host)});
    if (document.sweep) {
      constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
      text += '\n' + SweepText(document, style, {.most_rows = 0, .most_differences = kAll});
    }
    return text;
  }
  if (!headline.empty()) text += RowLines(headline, style);
  if (others.empty() && !document.sweep) return text;
  if (!text.empty()) text += '\n';
  if (document.sweep || others.size() > kMostRowsInLines) {
    text += SweepText(document, style) + "--full lists every row, and all that differ\n";
  } else if (others.size() > kMostRowsInDetail) {
    text += RowLines(others, style);
  } else {
    text += InstructionsText(others, style, {.has_base = TicksAtBaseClock(document.host)});
  }
  return text;
}

}  // namespace

Result<std::string> DocumentText(const Document& document, const DocumentTextOptions& options,
                                 const TextStyle& style) {
  // The machine that judged is not what a fleet's document is about.
  if (document.config.command == "fleet" && document.fleet)
    return FleetText(*document.fleet, style, {.all = options.full});
  const auto cores = TRY(CoresText(document, {.full = options.full, .histogram = true}, style));
  std::string text = HeadText(document, style);
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += '\n' + part;
  };
  if (document.merged)
    add(MergeText(*document.merged, style, options.full ? TextSize::kFull : TextSize::kPage));
  add(FactsText(document, style));
  add(TopologyText(document.host.topology, style));
  if (!document.doctor.empty()) add(DoctorText(document.doctor, style));
  add(FrequencyPart(document, options, style));
  add(cores);
  add(MemoryText(document, style, options.full ? TextSize::kFull : TextSize::kPage));
  add(InstructionPart(document, options, style));
  add(GpuText(document.gpu, style, options.full ? TextSize::kFull : TextSize::kPage));
  if (document.port_map) add(PortMapText(*document.port_map, style));
  if (document.anatomy)
    add(AnatomyText(*document.anatomy, style, options.full ? TextSize::kFull : TextSize::kPage));
  add(BlocksText(document.blocks, style,
                 {.show_code = options.full, .has_base = TicksAtBaseClock(document.host)}));
  if (document.fleet) add(FleetText(*document.fleet, style, {.all = options.full}));
  if (document.hosts) add(HostsText(*document.hosts, style));
  return text;
}

}  // namespace cyclescope

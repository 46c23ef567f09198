#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "analysis/claims.h"
#include "report/part_texts.h"
#include "report/table.h"

namespace cyclescope {
namespace {

// Of what runs disagree about, without --full.
constexpr std::size_t kFirstDisagreements = 10;

std::string Count(int count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string RunsTable(const Merged& merged) {
  Table table({{"run", Align::kRight},
               {"file"},
               {"command"},
               {"started"},
               {"commit"},
               {"shared", Align::kRight}});
  int number = 0;
  for (const MergedRun& run : merged.runs) {
    table.AddRow({fmt::format("{}", ++number), run.file, run.command, run.started, run.commit,
                  run.shared_share ? fmt::format("{:.0f} %", 100 * *run.shared_share) : ""});
  }
  return table.ToString();
}

std::string PartsTable(const Merged& merged) {
  Table table({{"part"}, {"run", Align::kRight}});
  for (const MergedPart& part : merged.parts)
    table.AddRow({part.part, fmt::format("{}", part.run)});
  return table.ToString();
}

}  // namespace

std::string MergeText(const Merged& merged, const TextStyle& style, TextSize size) {
  std::string text = Paint("Runs", Tint::kBold, style) + '\n' + RunsTable(merged);
  text += Paragraph(fmt::format("{} combined, {} replaced by quiet ones, {} in disagreement",
                                Count(merged.combined, "value"), merged.replaced, merged.disagreed),
                    style.width) +
          '\n';
  if (size == TextSize::kFull && !merged.parts.empty()) text += '\n' + PartsTable(merged);
  if (merged.claims.empty()) return text;
  text += '\n' + Paint("Disagreements", Tint::kBold, style) + '\n';
  std::size_t listed = 0;
  for (const Claim& claim : merged.claims) {
    if (size == TextSize::kPage && listed == kFirstDisagreements) break;
    text += Paragraph("  " + Sentence(claim), style.width, 4) + '\n';
    ++listed;
  }
  const auto more = static_cast<std::size_t>(merged.disagreed) - listed;
  if (merged.disagreed > 0 && more > 0) text += fmt::format("  and {} more\n", more);
  return text;
}

}  // namespace cyclescope

#include "report/machine_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/host_words.h"
#include "base/text.h"
#include "report/table.h"

namespace cyclescope {
namespace {

// The method in one line; --verbose adds the rest.
std::string MethodLine(const Clock& clock) {
  std::string line;
  if (!clock.cycle_source.empty()) {
    line = "cycles from " + clock.cycle_source;
    if (clock.self_check)
      line += clock.self_check->trusted ? " (self-check passed)" : " (self-check failed)";
  }
  if (clock.tick_hz > 0) {
    line += fmt::format("{}time stamp {:.4g} GHz", line.empty() ? "" : ", ", clock.tick_hz / 1e9);
  }
  return line;
}

std::string VerboseLines(const Clock& clock, int width) {
  std::string text;
  if (clock.tick_hz > 0) {
    text += fmt::format("time stamp {}, resolution {:.3g} ns\n", clock.tick_source,
                        clock.resolution_ns);
  }
  if (!clock.cycle_source_reason.empty())
    text += Paragraph("reason: " + clock.cycle_source_reason, width) + '\n';
  if (clock.self_check && !clock.self_check->chains.empty()) {
    std::string line = "self-check:";
    for (const SelfCheckChain& chain : clock.self_check->chains) {
      line += fmt::format(" {} {:.3f},", chain.instruction.substr(0, chain.instruction.find(' ')),
                          chain.ratio);
    }
    line.pop_back();
    text += Paragraph(line, width) + '\n';
  }
  return text;
}

// "core shared while measuring: CPU 0 46 % of the time, CPU 1 3 %"; empty where
// none was. `doctor` looks for a shorter time, and may see something else.
std::string ContentionLine(std::vector<Contention> shared) {
  constexpr double kMinShownShare = 0.02;
  constexpr std::size_t kMostNamed = 8;
  std::erase_if(shared, [](const Contention& each) { return each.share <= kMinShownShare; });
  if (shared.empty()) return "";
  if (shared.size() > kMostNamed) {
    std::ranges::stable_sort(shared, std::ranges::greater(), &Contention::share);
  }
  std::string line = "core shared while measuring:";
  for (std::size_t i = 0; i < std::min(shared.size(), kMostNamed); ++i) {
    line += fmt::format("{} CPU {} {:.0f} %{}", i == 0 ? "" : ",", shared[i].cpu,
                        100 * shared[i].share, i == 0 ? " of the time" : "");
  }
  if (shared.size() > kMostNamed) {
    line += fmt::format(" and {} more CPUs, less often", shared.size() - kMostNamed);
  }
  return line;
}

// "measured", or what is wrong with it. `trusted` is the self-check's verdict for all CPUs.
std::string StatusOf(const FrequencyRow& row, bool trusted) {
  std::string status = FrequencyStatusText(row);
  if (row.status != Status::kMeasured) return status;
  if (row.self_check_passed == trusted) return status;
  return row.self_check_passed ? status + ", trusted" : "not trusted";
}

// A space that no line is broken at; it becomes one when lines are broken.
constexpr char kUnbroken = '\x1f';

// "2.50 GHz 40 %, 2.90 GHz 50 %, other 10 %".
std::string StepsText(const std::vector<FrequencyStep>& steps) {
  constexpr double kMinShownShare = 0.005;
  std::string text;
  double other = 1;
  for (const FrequencyStep& step : steps) {
    text += fmt::format("{}{:.2f}{}GHz{}{:.0f}{}%", text.empty() ? "" : ", ", step.ghz, kUnbroken,
                        kUnbroken, 100 * step.share, kUnbroken);
    other -= step.share;
  }
  if (other >= kMinShownShare)
    text += fmt::format(", other{}{:.0f}{}%", kUnbroken, 100 * other, kUnbroken);
  return text;
}

struct StatusLook {
  std::string_view word;
  Tint tint;
};

StatusLook Look(CheckStatus status) {
  switch (status) {
    case CheckStatus::kOk:
      return {"ok", Tint::kGood};
    case CheckStatus::kNote:
      return {"note", Tint::kNote};
    case CheckStatus::kWarn:
      return {"warn", Tint::kWarn};
  }
  std::unreachable();
}

std::size_t CountOf(const std::vector<Check>& checks, CheckStatus status) {
  return static_cast<std::size_t>(std::ranges::count(checks, status, &Check::status));
}

// As the page tells them apart (web/src/views/machine.ts).
bool IsCommand(std::string_view remedy) {
  return std::ranges::any_of(std::array{"sudo ", "echo ", "taskset ", "cyclescope "},
                             [remedy](const char* word) { return remedy.starts_with(word); });
}

std::string WarningCount(std::size_t warnings) {
  return fmt::format("{} warning{}", warnings, warnings == 1 ? "" : "s");
}

}  // namespace

std::string MachineText(const Document& document, const TextStyle& style) {
  std::string text = Paint(HostText(document.host), Tint::kBold, style) + '\n';
  const std::string method = MethodLine(document.clock);
  if (!method.empty()) text += method + '\n';
  if (style.verbose) text += VerboseLines(document.clock, style.width);
  if (document.published)
    text += Paragraph(Printable(document.published->text), style.width) + '\n';
  const std::string contention = ContentionLine(document.contention);
  if (!contention.empty())
    text += Paint(Paragraph(contention, style.width), Tint::kWarn, style) + '\n';
  return text;
}

std::string PartialText(bool partial, const TextStyle& style) {
  if (!partial) return "";
  return Paint("not complete: only a part was measured\n", Tint::kWarn, style);
}

std::string DoctorText(const std::vector<Check>& checks, const TextStyle& style,
                       ChecksShown shown) {
  constexpr std::size_t kStatusWidth = 6;
  std::size_t name_width = 0;
  for (const Check& check : checks) name_width = std::max(name_width, check.name.size());
  const std::size_t indent = kStatusWidth + name_width + 2;
  const std::size_t width =
      std::max<std::size_t>(static_cast<std::size_t>(style.width), indent + 30) - indent;

  std::string text;
  for (const Check& check : checks) {
    if (shown == ChecksShown::kFindings && check.status == CheckStatus::kOk) continue;
    const StatusLook look = Look(check.status);
    text += Paint(look.word, look.tint, style) + std::string(kStatusWidth - look.word.size(), ' ');
    text += check.name + std::string(name_width + 2 - check.name.size(), ' ');
    text += Wrap(check.finding, width, indent) + '\n';
    if (!check.effect.empty())
      text += std::string(indent, ' ') + Wrap(check.effect, width, indent) + '\n';
    if (!check.remedy.empty()) {
      constexpr std::string_view kLabel = "change: ";
      // A command is copied whole.
      const std::string remedy = IsCommand(check.remedy) ? check.remedy
                                                         : Wrap(check.remedy, width - kLabel.size(),
                                                                indent + kLabel.size());
      text += std::string(indent, ' ') + Paint(kLabel, Tint::kFaint, style) + remedy + '\n';
    }
  }
  const bool lists_all = shown != ChecksShown::kFindings || CountOf(checks, CheckStatus::kOk) == 0;
  text += fmt::format("\n{} checks: {} ok{}, {} to note, {}. Nothing was changed.\n", checks.size(),
                      CountOf(checks, CheckStatus::kOk), lists_all ? "" : " (not listed)",
                      CountOf(checks, CheckStatus::kNote),
                      WarningCount(CountOf(checks, CheckStatus::kWarn)));
  return text;
}

std::string FrequencyStatusText(const FrequencyRow& row) {
  const bool contended = row.core_ghz.contended && row.status == Status::kMeasured;
  return contended ? "contended" : std::string(ToString(row.status));
}

std::string FrequencyText(const Document& document, const TextStyle& style) {
  const std::vector<FrequencyRow>& rows = document.frequency;
  const bool trusted = !document.clock.self_check || document.clock.self_check->trusted;
  const bool has_base = TicksAtBaseClock(document.host);
  std::vector<Column> columns = {{"CPU", Align::kRight},
                                 {has_base ? "base GHz" : "time stamp GHz", Align::kRight}};
  if (has_base) columns.push_back({"boost", Align::kRight});
  columns.insert(
      columns.end(),
      {{"core GHz", Align::kRight}, {"interval", Align::kRight}, {"cycles from"}, {"status"}});
  Table table(std::move(columns));
  for (const FrequencyRow& row : rows) {
    const bool has_value = row.core_ghz.value > 0;
    std::vector<std::string> cells = {fmt::format("{}", row.cpu),
                                      fmt::format("{:.3f}", row.base_ghz)};
    if (has_base) cells.push_back(has_value ? fmt::format("x{:.3f}", row.boost) : "");
    cells.insert(
        cells.end(),
        {has_value ? fmt::format("{:.4f}", row.core_ghz.value) : "",
         has_value ? fmt::format("{:.4f} – {:.4f}", row.core_ghz.low, row.core_ghz.high) : "",
         row.cycle_source, StatusOf(row, trusted)});
    table.AddRow(std::move(cells));
  }
  std::string text = table.ToString();
  for (const FrequencyRow& row : rows) {
    const auto wrapped = [&](const std::string& what) {
      std::string lines = Paragraph(fmt::format("CPU {}: {}", row.cpu, what), style.width);
      std::ranges::replace(lines, kUnbroken, ' ');
      return lines;
    };
    if (!row.steps.empty()) text += wrapped(StepsText(row.steps)) + '\n';
    if (!row.reason.empty()) text += Paint(wrapped(row.reason), Tint::kWarn, style) + '\n';
  }
  return text;
}

std::string FrequencySummaryText(const std::vector<FrequencyRow>& rows) {
  std::vector<double> ghz;
  std::vector<int> missing;
  std::vector<int> contended;
  for (const FrequencyRow& row : rows) {
    if (row.core_ghz.contended) contended.push_back(row.cpu);
    if (row.core_ghz.value > 0) {
      ghz.push_back(row.core_ghz.value);
    } else {
      missing.push_back(row.cpu);
    }
  }
  if (ghz.empty()) return "the frequency of no CPU was measured\n";
  std::ranges::sort(ghz);
  std::string text =
      fmt::format("{} CPUs run at {:.3f} to {:.3f} GHz, median {:.3f}; base {:.3f} GHz\n",
                  ghz.size(), ghz.front(), ghz.back(), ghz[ghz.size() / 2], rows.front().base_ghz);
  if (!missing.empty()) text += fmt::format("not measured: CPU {}\n", FormatRanges(missing));
  if (!contended.empty()) text += fmt::format("contended: CPU {}\n", FormatRanges(contended));
  return text;
}

}  // namespace cyclescope

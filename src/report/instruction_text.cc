#include "report/instruction_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "report/printable.h"
#include "report/row_figures.h"
#include "report/table.h"

namespace cyclescope {
namespace {

// The old table counts in G, as it ran for seconds. Ours needs no more than milliseconds, so a
// column takes the prefix that keeps its digits.
std::string Scaled(double value, std::string_view unit) {
  struct Prefix {
    double factor;
    std::string_view name;
  };
  constexpr std::array<Prefix, 7> kPrefixes = {
      {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}}};
  if (value <= 0 || !std::isfinite(value)) return fmt::format("0 {}", unit);
  const auto prefix =
      std::ranges::find_if(kPrefixes, [value](const Prefix& p) { return value >= p.factor; });
  const Prefix& chosen = prefix == kPrefixes.end() ? kPrefixes.back() : *prefix;
  return fmt::format("{:.2f} {}{}", value / chosen.factor, chosen.name, unit);
}

std::string IntervalText(const Estimate& estimate) {
  return fmt::format("{:.3f} – {:.3f}", estimate.low, estimate.high);
}

std::string SampleText(const Estimate& estimate) {
  std::string text = fmt::format("{}", estimate.kept);
  if (estimate.rejected > 0) text += fmt::format(" (−{})", estimate.rejected);
  return text;
}

std::string KindText(const Latency& latency) {
  std::string text;
  switch (latency.kind) {
    case LatencyKind::kExact:
      text = "exact";
      break;
    case LatencyKind::kConnected:
      text = "through " + latency.connector;
      break;
    case LatencyKind::kUpperBound:
      text = "at most: with " + latency.connector;
      break;
  }
  if (!latency.values.empty()) text = fmt::format("{} values, {}", latency.values, text);
  return text;
}

// What keeps a throughput from being better.
std::string LimitText(const Throughput& throughput) {
  if (throughput.back_to_back) {
    return fmt::format("with fillers between; {:.2f} back to back, limited by: {}",
                       *throughput.back_to_back, throughput.limit);
  }
  if (!throughput.limit.empty()) return "limited by: " + throughput.limit;
  return throughput.upper_bound ? "at most" : "";
}

std::string KindText(const Throughput& throughput) {
  const std::string limit = LimitText(throughput);
  return fmt::format("{} values{}{}", throughput.values, limit.empty() ? "" : ", ", limit);
}

// `how` the value was come by, and what is odd about its samples.
std::string WithRemarks(std::string how, const Estimate& estimate) {
  const auto add = [&how](std::string_view remark) {
    if (!how.empty()) how += ", ";
    how += remark;
  };
  if (!estimate.like.empty()) add("agrees with " + estimate.like);
  if (estimate.contended) add("contended");
  if (estimate.two_modes) add("two modes");
  if (estimate.disturbed) add("disturbed");
  return how;
}

std::string Indented(std::string_view code) {
  std::string text;
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size());
    text += fmt::format("    {}\n", code.substr(0, end));
    code.remove_prefix(std::min(end + 1, code.size()));
  }
  return text;
}

std::string ValueTable(const InstructionRow& row) {
  Table table({{"  "},
               {"cycles", Align::kRight},
               {"interval", Align::kRight},
               {"samples", Align::kRight},
               {"visits", Align::kRight},
               {""}});
  const auto add = [&table](const std::string& name, bool bound, const Estimate& estimate,
                            std::string how) {
    table.AddRow({"  " + name, fmt::format("{}{:.2f}", bound ? "≤ " : "", estimate.value),
                  IntervalText(estimate), SampleText(estimate), fmt::format("{}", estimate.visits),
                  WithRemarks(std::move(how), estimate)});
  };
  for (const Latency& latency : row.latency) {
    add(fmt::format("{} → {}", latency.from, latency.to), IsUpperBound(latency), latency.cycles,
        KindText(latency));
  }
  if (row.throughput_by_values.size() > 1) {
    for (const Throughput& throughput : row.throughput_by_values) {
      add("throughput", IsUpperBound(throughput), throughput.cycles, KindText(throughput));
    }
  } else if (row.throughput) {
    add("throughput", IsUpperBound(*row.throughput), row.throughput->cycles,
        LimitText(*row.throughput));
  }
  return table.ToString();
}

std::string CodeText(const InstructionRow& row, const TextStyle& style) {
  std::string text;
  for (const Latency& latency : row.latency) {
    text += Paint(fmt::format("  {} → {}{}{}\n", latency.from, latency.to,
                              latency.values.empty() ? "" : ", ", latency.values),
                  Tint::kFaint, style) +
            Indented(latency.code);
  }
  if (row.throughput)
    text += Paint("  throughput\n", Tint::kFaint, style) + Indented(row.throughput->code);
  return text;
}

// The snippet's first line, and how many follow it.
std::string SnippetText(std::string_view snippet, const TextStyle& style) {
  constexpr std::string_view kSpace = " \t\r\n";
  snippet.remove_prefix(std::min(snippet.find_first_not_of(kSpace), snippet.size()));
  snippet = snippet.substr(0, snippet.find_last_not_of(kSpace) + 1);
  const auto more = std::ranges::count(snippet, '\n');
  std::string text = Paint(Printable(snippet.substr(0, snippet.find('\n'))), Tint::kBold, style);
  if (more > 0) text += fmt::format(" … and {} more line{}", more, more == 1 ? "" : "s");
  return text + '\n';
}

std::string StatusLine(Status status, const std::string& reason, const TextStyle& style) {
  if (status == Status::kMeasured) return "";
  return Paint(fmt::format("  {}: {}\n", ToString(status), reason), Tint::kWarn, style);
}

}  // namespace

std::string ClassicText(const std::vector<ClassicRow>& rows) {
  std::string text =
      "Test | VAL   | IPC  | Instr.  | Cycles  | TSCnt.  | ExecT.   | Boost | Base | Frequency\n";
  for (const ClassicRow& row : rows) {
    text += fmt::format(
        " {:<4}  {:>6.2f}  {:>5.2f}  {:>8}  {:>8}  {:>8}  {:>9}  {:>6}  {:>5.2f}  {:.2f} GHz\n",
        row.test, row.cycles_per_instruction, row.instructions_per_cycle,
        Scaled(row.instructions, ""), Scaled(row.core_cycles, ""), Scaled(row.ticks, ""),
        Scaled(row.seconds, "s"), fmt::format("x{:.2f}", row.boost), row.base_ghz, row.core_ghz);
  }
  return text;
}

std::string InstructionsText(std::span<const InstructionRow> rows, const TextStyle& style,
                             const InstructionTextOptions& options) {
  std::string text;
  for (const InstructionRow& row : rows) {
    if (!text.empty()) text += '\n';
    text += Paint(row.text, Tint::kBold, style) + '\n';
    if (!row.classic.empty()) text += ClassicText(row.classic);
    if (row.throughput) text += ValueTable(row);
    text += StatusLine(row.status, row.reason, style);
    for (const std::string& note : row.notes) text += fmt::format("  note: {}\n", note);
    if (row.model) {
      const auto number = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.4g}", *value) : "?";
      };
      text += Paint(fmt::format("  LLVM's model of {}: latency {}, throughput {}\n", row.model->cpu,
                                number(row.model->latency), number(row.model->throughput)),
                    Tint::kFaint, style);
    }
    if (options.show_code) text += CodeText(row, style);
  }
  return text;
}

std::string PlanText(const std::vector<InstructionRow>& rows, const TextStyle& style) {
  std::string text;
  for (const InstructionRow& row : rows) {
    if (!text.empty()) text += '\n';
    text += Paint(row.text, Tint::kBold, style) + '\n';
    const std::string code = CodeText(row, style);
    text += code.empty() ? StatusLine(row.status, row.reason, style) : code;
  }
  return text;
}

std::string BlocksText(const std::vector<BlockRow>& rows, const TextStyle& style,
                       const InstructionTextOptions& options) {
  std::string text;
  for (const BlockRow& row : rows) {
    text += SnippetText(row.text, style);
    if (!row.classic.empty()) text += ClassicText(row.classic);
    if (row.cycles) {
      const std::string size =
          fmt::format("{} instruction{}", row.instructions, row.instructions == 1 ? "" : "s");
      text += fmt::format("  {}{:.2f} cycles per iteration ({}; {} samples), {}\n",
                          row.cycles->contended ? "≤ " : "", row.cycles->value,
                          IntervalText(*row.cycles), SampleText(*row.cycles),
                          WithRemarks(size, *row.cycles));
    }
    text += StatusLine(row.status, row.reason, style);
    if (options.show_code) text += Indented(row.code);
  }
  return text;
}

}  // namespace cyclescope

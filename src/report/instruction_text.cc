#include "report/instruction_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "analysis/block_difference.h"
#include "analysis/block_words.h"
#include "analysis/claims.h"
#include "analysis/row_figures.h"
#include "base/text.h"
#include "report/prediction_text.h"
#include "report/table.h"
#include "report/text_style.h"

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

// Four digits, and two after the point at most.
std::string ValueText(double cycles) {
  const double size = std::abs(cycles);
  return fmt::format("{:.{}f}", cycles, size >= 1000 ? 0 : size >= 100 ? 1 : 2);
}

// With as many digits as it takes to tell both ends apart, and no more.
std::string IntervalText(const Estimate& estimate) {
  constexpr int kMostDigits = 3;
  const double width = estimate.high - estimate.low;
  const int digits =
      width > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(width))), 0, kMostDigits)
                : kMostDigits;
  return fmt::format("{:.{}f} – {:.{}f}", estimate.low, digits, estimate.high, digits);
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
      text = latency.connector.empty() ? "upper bound: copies start no sooner"
                                       : fmt::format("includes {}", latency.connector);
      break;
  }
  if (latency.to_others) text += fmt::format("; to other units {:.2f}", latency.to_others->value);
  return text;
}

// What keeps a throughput from being better.
std::string LimitText(const Throughput& throughput) {
  if (const auto claim = LimitClaim(throughput)) return Sentence(*claim);
  return throughput.upper_bound ? "upper bound" : "";
}

// `text` behind what operands it is about: "fast operands, exact".
std::string OfOperands(const std::string& values, const std::string& text) {
  if (values.empty()) return text;
  return fmt::format("{} operands{}{}", values, text.empty() ? "" : ", ", text);
}

// Values of which some may differ in nothing but the class of operands: those that follow one that
// has the same meaning, and may be equal, go into one line with it. The rest stay apart.
template <typename Value>
struct MergedGroup {
  const Value* value;
  std::string values;  // "fast", "fast and slow"
};

template <typename Value>
std::vector<MergedGroup<Value>> MergeValues(const std::vector<Value>& all,
                                            const auto& means_the_same) {
  std::vector<MergedGroup<Value>> merged;
  for (const Value& each : all) {
    const auto like = std::ranges::find_if(merged, [&](const MergedGroup<Value>& known) {
      return !each.values.empty() && means_the_same(*known.value, each) &&
             MayBeEqual(known.value->cycles, each.cycles);
    });
    if (like == merged.end()) {
      merged.push_back({&each, each.values});
    } else {
      like->values += " and " + each.values;
    }
  }
  return merged;
}

// "7.04 or 11.30 (60 : 40)"
std::string StatesText(const Estimate& estimate) {
  std::vector<std::string> values, shares;
  for (const ValueState& state : estimate.states) {
    values.push_back(fmt::format("{:.2f}", state.value));
    shares.push_back(fmt::format("{:.0f}", 100 * state.share));
  }
  return fmt::format("{} ({})", fmt::join(values, " or "), fmt::join(shares, " : "));
}

// `how` the value was found, and what is odd about its samples.
std::string WithRemarks(std::string how, const Estimate& estimate) {
  const auto add = [&how](std::string_view remark) {
    if (!how.empty()) how += ", ";
    how += remark;
  };
  if (!estimate.like.empty()) add("agrees with " + estimate.like);
  if (estimate.contended) add("contended");
  if (!estimate.states.empty()) {
    add(StatesText(estimate));
  } else if (estimate.two_modes) {
    add("two modes");
  }
  if (estimate.disturbed) add("disturbed");
  return how;
}

std::string Indented(std::string_view code) {
  std::string text;
  while (!code.empty()) text += fmt::format("    {}\n", TakeLine(code));
  return text;
}

std::string ValuesText(const InstructionRow& row, const TextStyle& style) {
  std::vector<Column> columns = {{"  "}, {"cycles", Align::kRight}, {"interval", Align::kRight}};
  if (style.verbose) {
    columns.push_back({"samples", Align::kRight});
    columns.push_back({"visits", Align::kRight});
  }
  columns.push_back({""});
  Table table(std::move(columns));
  const auto add = [&](const std::string& name, bool bound, const Estimate& estimate,
                       std::string how) {
    std::vector<std::string> cells = {"  " + name,
                                      (bound ? "≤ " : "") + ValueText(ShownCycles(bound, estimate)),
                                      IntervalText(estimate)};
    if (style.verbose) {
      cells.push_back(SampleText(estimate));
      cells.push_back(fmt::format("{}", estimate.visits));
    }
    cells.push_back(WithRemarks(std::move(how), estimate));
    table.AddRow(std::move(cells));
  };
  const auto same_pair = [](const Latency& one, const Latency& other) {
    return one.from == other.from && one.to == other.to && one.kind == other.kind &&
           one.values != other.values;
  };
  for (const auto& [latency, values] : MergeValues(row.latency, same_pair)) {
    add(fmt::format("{} → {}", latency->from, latency->to), IsUpperBound(*latency), latency->cycles,
        OfOperands(values, KindText(*latency)));
  }
  if (row.throughput_by_values.size() > 1) {
    const auto same_bound = [](const Throughput& one, const Throughput& other) {
      return IsUpperBound(one) == IsUpperBound(other);
    };
    for (const auto& [throughput, values] : MergeValues(row.throughput_by_values, same_bound)) {
      add("throughput", IsUpperBound(*throughput), throughput->cycles,
          OfOperands(values, LimitText(*throughput)));
    }
  } else if (row.throughput) {
    add("throughput", IsUpperBound(*row.throughput), row.throughput->cycles,
        LimitText(*row.throughput));
  }
  return table.ToString(style.width);
}

// A title, the code, and in a dry run what else would be tried.
std::string CodePart(const std::string& title, const std::string& code,
                     const std::vector<std::string>& alternatives, const TextStyle& style) {
  std::string text = Paint(fmt::format("  {}\n", title), Tint::kFaint, style) + Indented(code);
  for (const std::string& other : alternatives)
    text += Paint("   or\n", Tint::kFaint, style) + Indented(other);
  return text;
}

std::string CodeText(const InstructionRow& row, const TextStyle& style) {
  const auto class_of = [](const std::string& values) {
    return values.empty() ? "" : fmt::format(", {} values", values);
  };
  std::string text;
  for (const Latency& latency : row.latency) {
    const std::string beside =
        latency.beside.empty() ? "" : ", beside the chain: " + latency.beside;
    text += CodePart(
        fmt::format("{} → {}{}{}", latency.from, latency.to, class_of(latency.values), beside),
        latency.code, latency.alternatives, style);
  }
  const auto add = [&](const Throughput& throughput) {
    const std::size_t ways = 1 + throughput.alternatives.size();
    const std::string several =
        ways > 1 ? fmt::format(": the fastest of {} arrangements", ways) : "";
    text += CodePart("throughput" + class_of(throughput.values) + several, throughput.code,
                     throughput.alternatives, style);
  };
  if (!row.throughput_by_values.empty()) {
    std::ranges::for_each(row.throughput_by_values, add);
  } else if (row.throughput) {
    add(*row.throughput);
  }
  return text;
}

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

std::string NotesText(const std::vector<std::string>& notes, const TextStyle& style) {
  std::string text;
  for (const std::string& note : notes) text += Paragraph("  note: " + note, style.width, 4) + '\n';
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

std::string StatusLine(Status status, const std::string& reason, const TextStyle& style) {
  if (status == Status::kMeasured || status == Status::kPredicted) return "";
  const std::string line = fmt::format("  {}: {}", ToString(status), reason);
  return Paint(Paragraph(line, style.width, 4) + '\n', Tint::kWarn, style);
}

// A model without a throughput has no port for the form: the core is done with it before.
std::string ModelLine(const ModelFigures& model) {
  std::vector<std::string> parts;
  if (model.latency) parts.push_back(fmt::format("latency {:.4g}", *model.latency));
  parts.push_back(model.throughput ? fmt::format("throughput {:.4g}", *model.throughput)
                                   : std::string("no port"));
  return fmt::format("  LLVM's model of {}: {}\n", model.cpu, fmt::join(parts, ", "));
}

}  // namespace

std::string ClassicText(const std::vector<ClassicRow>& rows, bool has_base) {
  std::string text =
      "Test |   VAL|  IPC|  Instr.|  Cycles|  TSCnt.|   ExecT.|Boost| Base|Frequency\n";
  for (const ClassicRow& row : rows) {
    text +=
        fmt::format(" {:<4}{:>7} {:>5.2f} {:>8} {:>8} {:>8} {:>9} {:>5} {:>5}  {}\n", row.test,
                    (row.upper_bound ? "≤ " : "") + ValueText(row.cycles_per_instruction),
                    row.instructions_per_cycle, Scaled(row.instructions, ""),
                    Scaled(row.core_cycles, ""), Scaled(row.ticks, ""), Scaled(row.seconds, "s"),
                    has_base && row.boost > 0 ? fmt::format("x{:.2f}", row.boost) : "-",
                    has_base ? fmt::format("{:.2f}", row.base_ghz) : "-",
                    row.core_ghz > 0 ? fmt::format("{:.2f} GHz", row.core_ghz) : "       -");
  }
  return text;
}

std::string InstructionsText(std::span<const InstructionRow> rows, const TextStyle& style,
                             const InstructionTextOptions& options) {
  std::string text;
  for (const InstructionRow& row : rows) {
    if (!text.empty()) text += '\n';
    text += Paint(row.text, Tint::kBold, style) + '\n';
    if (!row.classic.empty()) text += ClassicText(row.classic, options.has_base);
    if (row.throughput || !row.latency.empty()) text += ValuesText(row, style);
    text += StatusLine(row.status, row.reason, style);
    text += NotesText(row.notes, style);
    if (row.model) text += Paint(ModelLine(*row.model), Tint::kFaint, style);
    if (options.show_code) text += CodeText(row, style);
  }
  return text;
}

std::string RoundLines(std::span<const InstructionRow> rows, double at_s) {
  std::string text;
  for (const InstructionRow& row : rows) {
    std::vector<std::string> values;
    if (const Latency* latency = ShownLatency(row)) {
      values.push_back(fmt::format("latency {}{}", IsUpperBound(*latency) ? "≤ " : "",
                                   ValueText(latency->cycles.value)));
    }
    if (row.throughput) {
      values.push_back(fmt::format("thr. {}{}", IsUpperBound(*row.throughput) ? "≤ " : "",
                                   ValueText(row.throughput->cycles.value)));
    }
    if (row.status != Status::kMeasured) values.emplace_back(ToString(row.status));
    text += fmt::format("{:6.1f} s  {}: {}\n", at_s, row.text, fmt::join(values, ", "));
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

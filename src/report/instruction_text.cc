#include "report/instruction_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "analysis/claims.h"
#include "analysis/row_figures.h"
#include "report/row_text.h"
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

}  // namespace cyclescope

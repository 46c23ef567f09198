#include "report/prediction_text.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/table.h"

namespace cyclescope {
namespace {

std::string BoundsTable(const BlockPrediction& prediction, const TextStyle& style) {
  Table table({{"  "}, {"cycles", Align::kRight}, {""}});
  const auto add = [&table](std::string_view name, double cycles, std::string text) {
    table.AddRow({fmt::format("  {}", name), fmt::format("{:.2f}", cycles), std::move(text)});
  };
  const PredictedBounds& bounds = prediction.bounds;
  if (prediction.cycles)
    add("predicted", *prediction.cycles, prediction.settled ? "" : "an average: it did not settle");
  add("dispatch bound", bounds.dispatch, "");
  if (bounds.branches > 0) add("branch bound", bounds.branches, "");
  add("port bound", bounds.ports, fmt::format("{}", fmt::join(prediction.binding_ports, " ")));
  add("chain bound", bounds.chain, bounds.chain_text);
  if (bounds.unit > 0) add("unit bound", bounds.unit, bounds.unit_text);
  return table.ToString(style.width);
}

// D dispatched, = waits for operands, . waits for a port, e executes, E in its last cycle, - waits
// for those before it, R retired: the letters that llvm-mca has.
std::string Lane(const PredictedTimes& times, std::int64_t first, std::int64_t last) {
  std::string lane;
  for (std::int64_t cycle = first; cycle <= last; ++cycle) {
    char letter = ' ';
    if (cycle == times.dispatched)
      letter = 'D';
    else if (cycle == times.retired)
      letter = 'R';
    else if (cycle > times.dispatched && cycle < times.ready)
      letter = '=';
    else if (cycle > times.dispatched && cycle < times.issued)
      letter = '.';
    else if (cycle >= times.issued && cycle < times.done - 1)
      letter = 'e';
    else if (cycle == times.done - 1 && cycle > times.dispatched)
      letter = 'E';
    else if (cycle >= times.done && cycle < times.retired)
      letter = '-';
    lane += letter;
  }
  lane.erase(lane.find_last_not_of(' ') + 1);
  return lane;
}

std::string WaitText(const PredictedTimes& times) {
  switch (times.cause) {
    case WaitCause::kNothing:
      return "";
    case WaitCause::kOperand:
      return times.producer.empty() ? "an operand" : times.producer;
    case WaitCause::kPort:
      return "a port";
    case WaitCause::kUnit:
      return "its unit";
  }
  return "";
}

// Ports that were found by time alone, and that none of LLVM's fits, have
// letters.
std::string UnnamedPorts(const std::vector<PortLoad>& loads, const TextStyle& style) {
  std::vector<std::string> letters;
  for (const PortLoad& load : loads) {
    if (load.port.size() == 1 && load.port.front() >= 'A' && load.port.front() <= 'Z')
      letters.push_back(load.port);
  }
  if (letters.empty()) return "";
  return Paragraph(fmt::format("  {}: ports for which LLVM's model of the CPU has no name",
                               fmt::join(letters, ", ")),
                   style.width, 4) +
         '\n';
}

}  // namespace

std::string TimelineText(const std::vector<PredictedTimes>& timeline, const TextStyle& style) {
  if (timeline.empty()) return "";
  // Wider lanes would not be read.
  constexpr std::int64_t kMostCycles = 60;
  std::int64_t last = 0;
  for (const PredictedTimes& times : timeline) last = std::max(last, times.retired);
  const bool has_lanes = last <= kMostCycles;
  std::vector<Column> columns = {{"  iter.", Align::kRight}, {"instruction"}};
  for (const char* name : {"dispatched", "ready", "issued", "done", "retired"})
    columns.push_back({name, Align::kRight});
  columns.push_back({"waits for"});
  Table table(columns);
  std::string lanes;
  for (const PredictedTimes& times : timeline) {
    table.AddRow({fmt::format("{}", times.iteration), times.text,
                  fmt::format("{}", times.dispatched), fmt::format("{}", times.ready),
                  fmt::format("{}", times.issued), fmt::format("{}", times.done),
                  fmt::format("{}", times.retired), WaitText(times)});
    if (has_lanes)
      lanes += fmt::format("  [{}] {}\n", times.iteration,
                           Lane(times, 0, last) + std::string(2, ' ') + times.text);
  }
  const std::string legend =
      "  D dispatched, = waits for operands, . waits for a port, e executes, E is done,\n"
      "  - waits for those before it, R retired\n";
  return table.ToString(style.width) + (has_lanes ? '\n' + lanes + legend : "");
}

std::string PortBars(const std::vector<PortLoad>& loads, double longest, const TextStyle& style) {
  constexpr double kBarWidth = 24;
  Table table({{"  port"}, {"cycles", Align::kRight}, {""}});
  for (const PortLoad& load : loads) {
    std::string bar;
    const double share = load.cycles / std::max(longest, 1e-9);
    const auto blocks = static_cast<int>(std::lround(kBarWidth * std::clamp(share, 0.0, 1.0)));
    for (int i = 0; i < blocks; ++i) bar += "█";
    table.AddRow({"  " + load.port, fmt::format("{:.2f}", load.cycles), bar});
  }
  return table.ToString(style.width);
}

std::string PredictionLine(const BlockPrediction& prediction) {
  if (!prediction.cycles)
    return fmt::format("not predicted for {}: {}", prediction.machine, prediction.reason);
  return fmt::format("{:.2f} cycles per iteration by the model of {}", *prediction.cycles,
                     prediction.machine);
}

std::string PredictionText(const BlockPrediction& prediction, const TextStyle& style) {
  const auto line = [&style](const std::string& text) {
    return Paragraph("  " + text, style.width, 4) + '\n';
  };
  std::string text = line(PredictionLine(prediction));
  if (!prediction.verdict.empty()) text += line(prediction.verdict);
  if (!prediction.unknown.empty())
    text += line(fmt::format("not in the model, LLVM's latencies taken: {}",
                             fmt::join(prediction.unknown, "; ")));
  if (!prediction.without_ports.empty()) {
    text += line(fmt::format("ports not in the model, slots and throughput counted: {}",
                             fmt::join(prediction.without_ports, "; ")));
  }
  if (!prediction.assumed.empty())
    text += line(fmt::format("assumed: {}", fmt::join(prediction.assumed, ", ")));
  text += BoundsTable(prediction, style);
  if (!prediction.pressure.empty()) {
    const double most = std::ranges::max(prediction.pressure, {}, &PortLoad::cycles).cycles;
    text += '\n' + PortBars(prediction.pressure, prediction.cycles.value_or(most), style);
    text += UnnamedPorts(prediction.pressure, style);
  }
  if (!prediction.timeline.empty()) text += '\n' + TimelineText(prediction.timeline, style);
  return text;
}

}  // namespace cyclescope

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "analysis/claims.h"
#include "analysis/document_claims.h"
#include "analysis/memory_words.h"
#include "base/byte_size.h"
#include "base/text.h"
#include "cyclescope/result/names.h"
#include "report/machine_text.h"
#include "report/part_texts.h"
#include "report/table.h"
#include "report/text_style.h"

namespace cyclescope {
namespace {

std::string GpuFigure(double value) {
  return value >= 100  ? fmt::format("{:.1f}", value)
         : value >= 10 ? fmt::format("{:.2f}", value)
                       : fmt::format("{:.3f}", value);
}

std::string GpuInterval(const Estimate& estimate) {
  return fmt::format("{} – {}", GpuFigure(estimate.low), GpuFigure(estimate.high));
}

std::string DeviceText(const GpuRow& row, const TextStyle& style) {
  std::string text =
      Paint(fmt::format("GPU {}: {}, compute capability {}, {} multiprocessors", row.device,
                        Printable(row.name), Printable(row.capability), row.sms),
            Tint::kBold, style) +
      '\n';
  text +=
      Paragraph(
          fmt::format("{} of memory, L2 {}, L1 and shared memory {}; driver {}{}",
                      FormatBytes(static_cast<double>(row.memory_bytes)),
                      FormatBytes(static_cast<double>(row.l2_bytes)),
                      row.l1_bytes > 0 ? FormatBytes(static_cast<double>(row.l1_bytes)) : "unknown",
                      Printable(row.driver), row.pci.empty() ? "" : "; PCI " + Printable(row.pci)),
          style.width) +
      '\n';
  if (row.ghz) {
    text += fmt::format("clock {:.3f} GHz ({:.3f} – {:.3f}) while measuring, {:.3f} claimed\n",
                        row.ghz->value, row.ghz->low, row.ghz->high, row.claimed_ghz);
  }
  return text + PartialText(row.partial, style);
}

// Latencies of the pairs: one figure where they agree, the least and the most where they don't.
std::string GpuLatencyCell(const GpuInstruction& row) {
  if (row.latency.empty()) return row.repeat ? GpuFigure(row.repeat->value) + " each" : "";
  const auto [least, most] = std::ranges::minmax(
      row.latency, {}, [](const GpuLatency& each) { return each.cycles.value; });
  std::string text = GpuFigure(least.cycles.value);
  if (most.cycles.value - least.cycles.value > 0.02 * least.cycles.value + 0.01)
    text += ".." + GpuFigure(most.cycles.value);
  const bool is_sum = std::ranges::any_of(
      row.latency, [](const GpuLatency& each) { return each.kind == GpuLatencyKind::kRoundTrip; });
  return is_sum ? text + " (*)" : text;
}

std::string GpuNote(const GpuInstruction& row) {
  if (row.folded) return "folded";
  if (row.status != Status::kMeasured)
    return fmt::format("{}: {}", ToString(row.status), Printable(row.reason));
  if (row.machine_instructions && *row.machine_instructions > 1.25)
    return fmt::format("{:.0f} machine instructions", *row.machine_instructions);
  return "";
}

std::string GpuOperationsCell(const GpuInstruction& row) {
  if (!row.throughput || !row.throughput->operations_per_sm) return "";
  return fmt::format("{:.0f}", *row.throughput->operations_per_sm);
}

std::string GpuInstructionTable(const GpuRow& row, const TextStyle& style) {
  if (row.instructions.empty()) return "";
  std::string text;
  bool has_sums = false;
  std::vector<std::string> groups;
  for (const GpuInstruction& each : row.instructions) {
    if (std::ranges::find(groups, each.group) == groups.end()) groups.push_back(each.group);
  }
  for (const std::string& group : groups) {
    if (!group.empty()) text += Paint(Printable(group), Tint::kBold, style) + '\n';
    const bool has_matrices =
        std::ranges::any_of(row.instructions, [&](const GpuInstruction& each) {
          return each.group == group && !GpuOperationsCell(each).empty();
        });
    std::vector<Column> columns = {{"instruction"},
                                   {"cycles", Align::kRight},
                                   {"per SM", Align::kRight},
                                   {"per GPU", Align::kRight}};
    if (has_matrices) columns.push_back({"FLOP", Align::kRight});
    columns.push_back({""});
    Table table(std::move(columns));
    for (const GpuInstruction& each : row.instructions) {
      if (each.group != group) continue;
      constexpr std::size_t kMaxTextWidth = 58;
      std::string name = Printable(each.text);
      if (name.size() > kMaxTextWidth) name = name.substr(0, name.find_first_of(" ;"));
      has_sums = has_sums || GpuLatencyCell(each).ends_with("(*)");
      const std::string mark = each.throughput && each.throughput->at_least ? "≥ " : "";
      std::vector<std::string> cells = {
          name, GpuLatencyCell(each),
          each.throughput ? mark + fmt::format("{:.4g}", each.throughput->per_sm.value) : "",
          each.throughput && each.throughput->per_gpu
              ? mark + fmt::format("{:.5g}", each.throughput->per_gpu->value)
              : ""};
      if (has_matrices) cells.push_back(GpuOperationsCell(each));
      cells.push_back(GpuNote(each));
      table.AddRow(std::move(cells));
    }
    text += table.ToString(style.width);
  }
  text += Paint("per SM and GPU: threads per cycle, a warp is 32; FLOP: per SM and cycle",
                Tint::kFaint, style) +
          '\n';
  if (has_sums) {
    text +=
        Paint("(*) with the instruction that leads back to the source", Tint::kFaint, style) + '\n';
  }
  return text;
}

std::string GpuPairsText(const GpuRow& row) {
  std::string text;
  for (const GpuInstruction& each : row.instructions) {
    text += '\n' + Printable(each.text) + '\n';
    if (each.status != Status::kMeasured)
      text += fmt::format("  {}: {}\n", ToString(each.status), Printable(each.reason));
    for (const GpuLatency& latency : each.latency) {
      text +=
          fmt::format("  {} -> {}: {} cycles ({})", Printable(latency.from), Printable(latency.to),
                      GpuFigure(latency.cycles.value), GpuInterval(latency.cycles));
      if (latency.kind == GpuLatencyKind::kConnected)
        text += fmt::format(", {} subtracted", Printable(latency.connector));
      if (latency.kind == GpuLatencyKind::kRoundTrip)
        text += fmt::format(", including {}", Printable(latency.connector));
      text += '\n';
    }
    if (each.repeat) {
      text += fmt::format("  one to the next: {} cycles ({})\n", GpuFigure(each.repeat->value),
                          GpuInterval(*each.repeat));
    }
    if (each.throughput) {
      text +=
          fmt::format("  per SM and cycle: {}{:.5g} ({:.5g} – {:.5g})\n",
                      each.throughput->at_least ? "at least " : "", each.throughput->per_sm.value,
                      each.throughput->per_sm.low, each.throughput->per_sm.high);
    }
    if (each.machine_instructions) {
      text += fmt::format("  machine instructions of a copy: {:.2g}; chain: {}\n",
                          *each.machine_instructions, ToString(each.chain));
    }
    for (const std::string& line : each.ptx) text += fmt::format("  | {}\n", Printable(line));
    for (const std::string& line : each.assembly) text += fmt::format("  > {}\n", Printable(line));
  }
  return text;
}

std::string GpuLadderText(const GpuRow& row, const TextStyle& style, TextSize size) {
  std::string text;
  if (!row.levels.empty()) {
    Table table({{"level"},
                 {"cycles", Align::kRight},
                 {"interval", Align::kRight},
                 {"ns", Align::kRight},
                 {"holds", Align::kRight},
                 {"claimed", Align::kRight}});
    for (const MemoryLevel& level : row.levels) {
      table.AddRow(
          {Printable(level.name), fmt::format("{:.4g}", level.cycles.value),
           fmt::format("{:.4g} – {:.4g}", level.cycles.low, level.cycles.high),
           fmt::format("{:.4g}", level.nanoseconds.value),
           level.capacity ? FormatBytes(level.capacity->value) : "",
           level.claimed_bytes ? FormatBytes(static_cast<double>(*level.claimed_bytes)) : ""});
    }
    text += table.ToString();
  }
  for (const TranslationLevel& level : row.translation) {
    text += Paragraph(Sentence(ClaimOf(level)), style.width) + '\n';
  }
  if (row.l2) {
    text += fmt::format("L2 lines: {:.4g} cycles", row.l2->near.value);
    if (row.l2->far) {
      text += fmt::format(" near, {:.4g} far", row.l2->far->value);
    }
    text += '\n';
  }
  if (size != TextSize::kFull) return text;
  for (const MemoryCurve& curve : row.curves) {
    text += fmt::format("\n{} order\n", ToString(curve.order));
    Table table({{"footprint", Align::kRight}, {"cycles", Align::kRight}, {"ns", Align::kRight}});
    for (const MemoryPoint& point : curve.points) {
      table.AddRow({FormatBytes(static_cast<double>(point.bytes)),
                    fmt::format("{:.4g}", point.cycles.value),
                    fmt::format("{:.4g}", point.nanoseconds.value)});
    }
    text += table.ToString();
  }
  return text;
}

std::string GpuMatrixText(const GpuRow& row) {
  if (!row.matrix) return "";
  const GpuMatrix& matrix = *row.matrix;
  std::vector<double> values;
  for (std::size_t i = 0; i < matrix.cycles.size(); ++i) {
    for (std::size_t j = 0; j < matrix.cycles.size(); ++j) {
      if (matrix.cycles.Has(i, j)) values.push_back(matrix.cycles.At(i, j));
    }
  }
  if (values.empty()) return "";
  std::ranges::sort(values);
  std::string text = fmt::format(
      "between {} multiprocessors, one way: {:.4g} cycles in the middle, {:.4g} to {:.4g}\n",
      matrix.sms.size(), values[values.size() / 2], values.front(), values.back());
  if (matrix.spectrum.levels.size() > 1) {
    text += "levels over all lines:";
    for (const CoreLevel& level : matrix.spectrum.levels) {
      text += fmt::format("{} {:.4g} cycles ({:.0f} %)",
                          &level == matrix.spectrum.levels.data() ? "" : ",", level.nanoseconds,
                          100 * level.share);
    }
    text += '\n';
  }
  for (const GpuGroup& group : matrix.groups) {
    text += fmt::format("{}: {} multiprocessors\n", Printable(group.name), group.sms.size());
  }
  for (const Claim& claim : ClusterClaims(matrix)) text += Sentence(claim) + '\n';
  return text;
}

std::string GpuTripsText(const GpuRow& row) {
  std::string text;
  if (!row.cpus.empty()) {
    const auto [least, most] = std::ranges::minmax(
        row.cpus, {}, [](const GpuCpuTrip& trip) { return trip.nanoseconds.value; });
    text += fmt::format("a CPU to the GPU and back: {:.4g} ns from CPU {}", least.nanoseconds.value,
                        least.cpu);
    if (row.cpus.size() > 1)
      text += fmt::format(", {:.4g} ns from CPU {}", most.nanoseconds.value, most.cpu);
    text += '\n';
  }
  for (const GpuPeerTrip& trip : row.peers) {
    text += fmt::format("GPU {} to GPU {} and back: {:.4g} ns ({:.4g} cycles)\n", row.device,
                        trip.device, trip.nanoseconds.value, trip.cycles.value);
  }
  return text;
}

}  // namespace

std::string GpuText(const std::vector<GpuRow>& rows, const TextStyle& style, TextSize size) {
  std::string text;
  for (const GpuRow& row : rows) {
    if (!text.empty()) text += '\n';
    text += DeviceText(row, style);
    for (const std::string& part :
         {GpuInstructionTable(row, style), size == TextSize::kFull ? GpuPairsText(row) : "",
          GpuLadderText(row, style, size), GpuMatrixText(row) + GpuTripsText(row)}) {
      if (!part.empty()) text += '\n' + part;
    }
  }
  return text;
}

}  // namespace cyclescope

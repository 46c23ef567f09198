#include "report/exegesis_yaml.h"

#include <fmt/core.h>

#include <string_view>

#include "analysis/row_figures.h"

namespace cyclescope {
namespace {

std::string YamlQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '\'';
}

std::string Record(std::string_view mode, double cycles, const ExegesisTarget& target,
                   const ExegesisInstruction& instruction, const InstructionRow& row) {
  return fmt::format(
      "---\n"
      "mode:            {0}\n"
      "key:\n"
      "  instructions:\n"
      "    - {1}\n"
      "  config:          ''\n"
      "  register_initial_values: []\n"
      "cpu_name:        {2}\n"
      "llvm_triple:     {3}\n"
      "min_instructions: 10000\n"
      "measurements:\n"
      "  - {{ key: {0}, value: {4:.4f}, per_snippet_value: {4:.4f}, validation_counters: {{}} }}\n"
      "error:           ''\n"
      "info:            {5}\n"
      "assembled_snippet: {6}\n"
      "...\n",
      mode, YamlQuoted(instruction.key), target.cpu, target.triple, cycles, YamlQuoted(row.text),
      instruction.bytes);
}

std::optional<double> CyclesOf(const InstructionRow& row, ExegesisMode mode) {
  if (row.status != Status::kMeasured) return std::nullopt;
  if (mode == ExegesisMode::kInverseThroughput) {
    if (!row.throughput || IsUpperBound(*row.throughput)) return std::nullopt;
    return row.throughput->cycles.value;
  }
  const Latency* latency = LongestLatency(row);
  if (latency == nullptr || IsUpperBound(*latency)) return std::nullopt;
  return latency->cycles.value;
}

}  // namespace

std::string ExegesisYaml(const std::vector<InstructionRow>& rows, ExegesisMode mode,
                         const ExegesisTarget& target, const DescribeInstruction& describe) {
  const std::string_view name = mode == ExegesisMode::kLatency ? "latency" : "inverse_throughput";
  std::string text;
  for (const InstructionRow& row : rows) {
    const auto cycles = CyclesOf(row, mode);
    if (!cycles) continue;
    if (const auto instruction = describe(row)) {
      text += Record(name, *cycles, target, *instruction, row);
    }
  }
  return text;
}

}  // namespace cyclescope

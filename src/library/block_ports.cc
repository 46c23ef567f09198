#include "library/block_ports.h"

#include <fmt/core.h>

#include <vector>

#include "analysis/dispatch_width.h"
#include "analysis/host_words.h"
#include "base/try.h"
#include "ports/block_pressure.h"
#include "predict/dependence.h"

namespace cyclescope::library {

Result<void> CheckKnownPorts(const Document& known, const Host& host) {
  if (!known.port_map) {
    return BadInput(fmt::format("there is no port map in '{}'", known.source),
                    "make one: cyclescope ports --export-json FILE");
  }
  if (!AreSameKindOfCpu(known.host, host)) {
    return BadInput(
        fmt::format("the ports in '{}' are those of another CPU: '{}', and this is '{}'",
                    known.source, CpuName(known.host), CpuName(host)));
  }
  return {};
}

Result<std::unique_ptr<BlockPredictor>> BlockPredictor::Make(CodeSession& session,
                                                             const std::optional<Document>& known) {
  std::unique_ptr<BlockPredictor> predictor(new BlockPredictor(session));
  if (!known) {
    predictor->ports_.FindMap();
    return predictor;
  }
  PortMap map = *known->port_map;
  map.dispatch = DispatchWidth(*known).value_or(map.dispatch);
  TRY(predictor->ports_.UseMap(map));
  for (const InstructionRow& row : known->instructions) {
    if (row.port_finding) predictor->known_.emplace(row.text, row);
  }
  return predictor;
}

void BlockPredictor::Predict(const blocks::BlockSubject& subject, BlockRow& row) {
  if (!row.cycles || !row.bounds || !ports_.map()) return;
  const std::vector<assembler::Instruction> instructions = blocks::IterationOf(subject);
  if (instructions.empty()) return;
  std::vector<PortTarget> targets;
  for (const assembler::Instruction& instruction : instructions) {
    const auto [place, is_new] = known_.try_emplace(instruction.text);
    if (!is_new) continue;
    place->second.text = instruction.text;
    place->second.opcode = instruction.opcode;
    targets.push_back({&instruction, &place->second});
  }
  ports_.AddTo(targets);
  if (ports_.was_cut_short()) return;
  std::vector<InstructionRow> parts;
  for (const assembler::Instruction& instruction : instructions)
    parts.push_back(known_.at(instruction.text));
  const int fused = static_cast<int>(instructions.size()) - predict::SlotsOf(instructions);
  row.ports = ports::PredictBlock(*ports_.map(), parts, fused, row.bounds->chain);
}

}  // namespace cyclescope::library

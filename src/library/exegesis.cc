// ToExegesis.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "arch/architecture.h"
#include "assembler/catalogue.h"
#include "base/try.h"
#include "cyclescope/measure.h"
#include "library/code_session.h"
#include "os/host.h"
#include "report/exegesis_yaml.h"

namespace cyclescope {

Result<std::string> ToExegesis(const Document& document, ExegesisQuantity quantity) {
  auto assembler = TRY(library::CodeSettings{}.MakeAssembler(document.host.features));
  const std::vector<assembler::CatalogueEntry> catalogue = assembler::Catalogue(assembler);
  std::unordered_map<std::string_view, const assembler::Instruction*> by_opcode;
  for (const assembler::CatalogueEntry& entry : catalogue) {
    if (entry.instruction && !entry.instruction->RefersToLabel())
      by_opcode.emplace(entry.opcode, &*entry.instruction);
  }
  const auto describe = [&](const InstructionRow& row) -> std::optional<ExegesisInstruction> {
    const auto found = by_opcode.find(row.opcode);
    if (found == by_opcode.end()) return std::nullopt;
    const assembler::Instruction& instruction = *found->second;
    return ExegesisInstruction{assembler.MachineText(instruction),
                               fmt::format("{:02x}", fmt::join(assembler.Encode(instruction), ""))};
  };
  const ExegesisMode mode = quantity == ExegesisQuantity::kLatency
                                ? ExegesisMode::kLatency
                                : ExegesisMode::kInverseThroughput;
  const ExegesisTarget target = {assembler.target().cpu,
                                 fmt::format("{}-{}", arch::Name(), os::TargetSystem())};
  return ExegesisYaml(document.instructions, mode, target, describe);
}

}  // namespace cyclescope

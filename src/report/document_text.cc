#include "report/document_text.h"

#include <fmt/core.h>

#include "report/cores_text.h"
#include "report/instruction_text.h"
#include "report/machine_text.h"

namespace cyclescope {

Result<std::string> DocumentText(const Document& document, const TextStyle& style) {
  std::string text = MachineText(document, style);
  if (document.partial)
    text += Paint("interrupted: only a part was measured\n", Tint::kWarn, style);
  for (const Warning& warning : document.warnings) {
    text += Paint(fmt::format("warning: {}\n", warning.message), Tint::kWarn, style);
  }
  if (!document.doctor.empty()) text += '\n' + DoctorText(document.doctor, style);
  if (!document.frequency.empty()) text += '\n' + FrequencyText(document.frequency, style);
  if (!document.cores.empty()) {
    const auto cores = CoresText(document, {}, style);
    if (!cores) return std::unexpected(cores.error());
    text += '\n' + *cores;
  }
  if (!document.instructions.empty()) text += '\n' + InstructionsText(document.instructions, style);
  if (!document.blocks.empty()) text += '\n' + BlocksText(document.blocks, style);
  return text;
}

}  // namespace cyclescope

// FindRows.
#include <algorithm>
#include <utility>

#include "assembler/target.h"
#include "cyclescope/measure.h"
#include "library/block_prediction.h"

namespace cyclescope {

Result<std::vector<std::optional<InstructionRow>>> FindRows(const InstructionRequest& request,
                                                            const Document& machine) {
  auto modelled = library::ModelledMachine::Make(machine);
  if (!modelled) return std::unexpected(modelled.error());
  auto reader = (*modelled)->MakeAssembler(request.code.att_syntax ? assembler::Syntax::kAtt
                                                                   : assembler::Syntax::kIntel);
  if (!reader) return std::unexpected(reader.error());
  std::vector<std::optional<InstructionRow>> rows;
  for (const std::string& text : request.texts) {
    std::optional<InstructionRow>& row = rows.emplace_back();
    const auto parsed = reader->Parse(text);
    if (!parsed || parsed->size() != 1) continue;
    const InstructionRow* found = (*modelled)->RowOf(parsed->front());
    if (found != nullptr) row = *found;
  }
  return rows;
}

}  // namespace cyclescope

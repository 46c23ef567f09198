// ListForms.
#include "assembler/catalogue.h"
#include "base/try.h"
#include "cyclescope/measure.h"
#include "library/code_session.h"
#include "library/document_start.h"
#include "library/pulse.h"

namespace cyclescope {

Result<std::vector<KnownForm>> ListForms(const OnProgress& on_progress) {
  auto assembler = TRY(library::CodeSettings{}.MakeAssembler(library::HostFeatures()));
  library::Pulse pulse(on_progress);
  std::vector<KnownForm> forms;
  for (const assembler::CatalogueEntry& entry : assembler::Catalogue(assembler, pulse.Question())) {
    if (entry.status == assembler::CatalogueStatus::kForm)
      forms.push_back({entry.instruction->text, entry.mnemonic, entry.opcode});
  }
  return forms;
}

}  // namespace cyclescope

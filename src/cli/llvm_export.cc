#include "cli/llvm_export.h"

#include "report/llvm_model.h"

namespace cyclescope::cli {

void AddLlvmExportOption(CLI::App& app, std::string& path) {
  app.add_option("--export-llvm", path,
                 "Write a scheduling model for LLVM (TableGen), named after the file")
      ->type_name("NAME.td");
}

Result<std::string> ToLlvm(const Document& document, const std::string& path) {
  return LlvmModel(document, LlvmModelName(path));
}

Result<void> AddLlvmExport(Outputs& outputs, const std::string& path) {
  return outputs.AddExport(path, [path](const Document& document) -> Result<std::string> {
    auto text = ToLlvm(document, path);
    // A core that was never quiet has no ports: that is not the user's bad input.
    if (!text) return Failed(text.error().message, text.error().hint);
    return text;
  });
}

}  // namespace cyclescope::cli

#include "cli/model_exports.h"

#include <fmt/core.h>

#include <utility>

#include "base/try.h"
#include "report/port_exports.h"

namespace cyclescope::cli {
namespace {

// Of what is measured first: a core that was never quiet has no ports, which is not the user's bad
// input.
Result<void> AddMeasured(Outputs& outputs, const std::string& path, Export render) {
  return outputs.AddExport(
      path, [render = std::move(render)](const Document& document) -> Result<std::string> {
        auto text = render(document);
        if (!text) return Failed(text.error().message, text.error().hint);
        return text;
      });
}

}  // namespace

void AddPortExportOption(CLI::App& app, std::string& path) {
  app.add_option("--export-ports", path,
                 "Write the ports for other programs; the end of the name says for which: .csv, "
                 ".td (LLVM's tables), .yml (OSACA) or .json (PMEvo)")
      ->type_name("FILE");
}

void AddLlvmExportOption(CLI::App& app, std::string& path) {
  app.add_option("--export-llvm", path,
                 "Write a scheduling model for LLVM (TableGen), named after the file")
      ->type_name("NAME.td");
}

Result<PortFormat> PortFormatOf(const std::string& path) {
  if (path.ends_with(".csv")) return PortFormat::kCsv;
  if (path.ends_with(".td")) return PortFormat::kTableGen;
  if (path.ends_with(".yml") || path.ends_with(".yaml")) return PortFormat::kOsaca;
  if (path.ends_with(".json")) return PortFormat::kPmevo;
  return BadInput(fmt::format("--export-ports: '{}' does not say in which format", path),
                  "let it end in .csv, .td (LLVM), .yml (OSACA) or .json (PMEvo)");
}

Result<std::string> ToLlvm(const Document& document, const std::string& path) {
  return LlvmModel(document, LlvmModelName(path));
}

Result<void> AddPortExport(Outputs& outputs, const std::string& path) {
  if (path.empty()) return {};
  const PortFormat format = TRY(PortFormatOf(path));
  return AddMeasured(outputs, path,
                     [format](const Document& document) { return ToPortFormat(document, format); });
}

Result<void> AddLlvmExport(Outputs& outputs, const std::string& path) {
  return AddMeasured(outputs, path,
                     [path](const Document& document) { return ToLlvm(document, path); });
}

}  // namespace cyclescope::cli

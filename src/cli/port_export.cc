#include "cli/port_export.h"

#include <fmt/core.h>

namespace cyclescope::cli {

void AddPortExportOption(CLI::App& app, std::string& path) {
  app.add_option("--export-ports", path,
                 "Write the ports for other programs; the end of the name says for which: .csv, "
                 ".td (LLVM's tables), "
                 ".yml (OSACA) or .json (PMEvo)")
      ->type_name("FILE");
}

Result<PortFormat> PortFormatOf(const std::string& path) {
  if (path.ends_with(".csv")) return PortFormat::kCsv;
  if (path.ends_with(".td")) return PortFormat::kTableGen;
  if (path.ends_with(".yml") || path.ends_with(".yaml")) return PortFormat::kOsaca;
  if (path.ends_with(".json")) return PortFormat::kPmevo;
  return BadInput(fmt::format("--export-ports: '{}' does not say in which format", path),
                  "let it end in .csv, .td (LLVM), .yml (OSACA) or .json (PMEvo)");
}

Result<void> AddPortExport(Outputs& outputs, const std::string& path) {
  if (path.empty()) return {};
  const auto format = PortFormatOf(path);
  if (!format) return std::unexpected(format.error());
  return outputs.AddExport(path,
                           [format = *format](const Document& document) -> Result<std::string> {
                             auto text = ToPortFormat(document, format);
                             // What was just measured has no ports on a core that was never quiet:
                             // that is not the user's bad input.
                             if (!text) return Failed(text.error().message, text.error().hint);
                             return text;
                           });
}

}  // namespace cyclescope::cli

#include "cli/document_start.h"

#include <filesystem>
#include <optional>

#include "library/document_start.h"

namespace cyclescope::cli {

Result<Document> StartDocument(const CLI::App& command, const TopologyOption& topology) {
  std::optional<std::filesystem::path> recorded;
  if (!topology.file.empty()) recorded = topology.file;
  auto document = library::StartDocument(command.get_name(), recorded);
  if (document) document->config.options = GivenOptions(command);
  return document;
}

}  // namespace cyclescope::cli

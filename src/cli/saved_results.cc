#include "cli/saved_results.h"

#include "base/input_text.h"
#include "cyclescope/measure.h"
#include "document/json_reader.h"

namespace cyclescope::cli {

Result<std::vector<Document>> ReadResults(const std::vector<std::string>& paths) {
  std::vector<Document> documents;
  for (const std::string& path : paths) {
    const auto text = ReadInput(path);
    if (!text) return std::unexpected(text.error());
    auto document = ParseDocument(*text, path);
    if (!document) return std::unexpected(document.error());
    InterpretCores(*document);
    documents.push_back(std::move(*document));
  }
  return documents;
}

}  // namespace cyclescope::cli

#include "cli/saved_results.h"

#include <algorithm>

#include "cli/input_text.h"
#include "cores/interpret.h"
#include "report/json_reader.h"

namespace cyclescope::cli {

Result<std::vector<Document>> ReadResults(const std::vector<std::string>& paths) {
  std::vector<Document> documents;
  for (const std::string& path : paths) {
    const auto text = ReadInput(path);
    if (!text) return std::unexpected(text.error());
    auto document = ParseDocument(*text, path);
    if (!document) return std::unexpected(document.error());
    // What another program measured has no levels and groups yet.
    for (CoreMatrix& matrix : document->cores) {
      const bool interpreted = !matrix.spectrum.counts.empty() || !matrix.groups.empty() ||
                               !matrix.findings.empty() || matrix.rounds > 0;
      if (!interpreted && std::ranges::is_sorted(matrix.cpus)) {
        cores::Interpret(matrix, document->host.topology);
      }
    }
    documents.push_back(std::move(*document));
  }
  return documents;
}

}  // namespace cyclescope::cli

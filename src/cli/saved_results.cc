#include "cli/saved_results.h"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <system_error>

#include "base/input_text.h"
#include "base/try.h"
#include "document/json_reader.h"

namespace cyclescope::cli {

Result<Document> ReadResult(const std::string& path) {
  const auto text = TRY(ReadInput(path));
  return ParseDocument(text, path);
}

Result<std::vector<std::string>> FindLastTwoResults(const std::string& folder) {
  struct Found {
    std::string started;
    std::string command;
    std::string path;
  };
  std::vector<Found> found;
  std::error_code error;
  for (const auto& each : std::filesystem::directory_iterator(folder, error)) {
    if (!IsResultName(each.path().string()) || !each.is_regular_file(error)) continue;
    const std::string path = each.path().lexically_normal().string();
    const auto document = ReadResult(path);
    // Other programs keep JSON here, too.
    if (!document || document->config.started.empty()) continue;
    found.push_back({document->config.started, document->config.command, path});
  }
  std::ranges::sort(found, std::ranges::greater(), &Found::started);
  if (!found.empty()) {
    const Found& last = found.front();
    for (const Found& before : found | std::views::drop(1)) {
      if (before.command == last.command) return std::vector{before.path, last.path};
    }
  }
  return BadInput("there are no two results of one command in this folder",
                  "name two result files, as in: cyclescope compare before.json after.json");
}

}  // namespace cyclescope::cli

// JudgeFleet.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/input_text.h"
#include "base/try.h"
#include "base/work.h"
#include "cyclescope/fleet.h"
#include "document/json_reader.h"
#include "fleet/collection.h"
#include "library/document_start.h"
#include "library/pulse.h"

namespace cyclescope {
namespace {

namespace fs = std::filesystem;

struct ResultFile {
  std::string path;
  bool found = false;       // in a folder; else it was named
  std::string unread = {};  // why it cannot be read, where that is known without trying
};

// What a folder holds, at any depth. One of its folders that cannot be read may be a node's.
std::error_code AddFilesOf(const fs::path& folder, std::vector<ResultFile>& files) {
  std::error_code error;
  fs::directory_iterator each(folder, error);
  for (; !error && each != fs::directory_iterator(); each.increment(error)) {
    std::error_code own;
    const fs::file_status status = each->status(own);
    if (fs::is_directory(status)) {
      if (each->is_symlink(own)) continue;
      own = AddFilesOf(each->path(), files);
      if (!own) continue;
      files.push_back(
          {each->path().string(), true,
           fmt::format("cannot read the folder '{}': {}", each->path().string(), own.message())});
    } else if (IsResultName(each->path().string()) && status.type() != fs::file_type::not_found) {
      std::string unread;
      // Reading a pipe would wait for someone to write.
      if (!fs::is_regular_file(status))
        unread = fmt::format("'{}' is not a file", each->path().string());
      files.push_back({each->path().string(), true, std::move(unread)});
    }
  }
  return error;
}

Result<void> AddFolder(const std::string& folder, std::vector<ResultFile>& files) {
  const std::size_t before = files.size();
  const std::error_code error = AddFilesOf(folder, files);
  if (error) return Failed(fmt::format("cannot read the folder '{}': {}", folder, error.message()));
  if (files.size() == before) {
    return BadInput(fmt::format("there is no result in the folder '{}'", folder),
                    "those of 'cyclescope survey' are called cyclescope.json");
  }
  std::ranges::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end(), {},
                    &ResultFile::path);
  return {};
}

Result<std::vector<ResultFile>> FindFiles(const std::vector<std::string>& results) {
  std::vector<ResultFile> files;
  for (const std::string& result : results) {
    std::error_code error;
    if (fs::is_directory(result, error)) {
      TRY(AddFolder(result, files));
    } else if (fs::exists(result, error)) {
      files.push_back({result, false});
    } else {
      return BadInput(fmt::format("there is no file or folder '{}'", result));
    }
  }
  return files;
}

// Reads the files in several threads, each one after the other: a document is large, and what is
// kept of it is small.
class FleetReading {
 public:
  FleetReading(const std::vector<ResultFile>& files, library::Pulse& pulse)
      : files_(files), pulse_(pulse) {}

  fleet::Collection Run() {
    const std::size_t most = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 16);
    RunOnThreads(std::min(most, files_.size()), [this] { ReadAll(); });
    return std::move(collection_);
  }

 private:
  void ReadAll() {
    while (pulse_.GoesOn()) {
      const std::size_t index = next_++;
      if (index >= files_.size()) return;
      ReadOne(files_[index]);
    }
  }

  void ReadOne(const ResultFile& file) {
    Result<Document> document = Failed(file.unread);
    if (!file.unread.empty()) {
      // Nothing to try.
    } else if (auto text = ReadInput(file.path)) {
      document = ParseFigures(*text, file.path);
    } else {
      document = std::unexpected(text.error());
    }
    const std::lock_guard lock(mutex_);
    if (!document) {
      collection_.AddUnread(file.path, document.error().ToString());
    } else if (!document->fleet) {
      collection_.Add(*document);
    } else if (!file.found) {  // an earlier verdict may lie in the folder that it is about
      collection_.AddUnread(file.path, "it is the verdict on a fleet, not the result of a node");
    }
    pulse_.Report({.done = ++done_, .total = files_.size(), .part = "fleet"});
  }

  const std::vector<ResultFile>& files_;
  library::Pulse& pulse_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // guards what is below
  std::size_t done_ = 0;
  fleet::Collection collection_;
};

}  // namespace

Result<Document> JudgeFleet(const FleetRequest& request, const OnProgress& on_progress) {
  if (request.results.empty()) return BadInput("no results given");
  if (!(request.false_alarms > 0 && request.false_alarms < 1))
    return BadInput("the share of false alarms is a number between 0 and 1");
  if (request.threshold && !(*request.threshold >= 0))
    return BadInput("the smallest difference that matters is 0 or more");
  const auto files = TRY(FindFiles(request.results));
  auto document = TRY(library::StartDocument("fleet"));
  library::Pulse pulse(on_progress);
  const fleet::Collection collection = FleetReading(files, pulse).Run();
  document.partial = pulse.has_ended();
  document.fleet =
      collection.Judge({.false_alarms = request.false_alarms, .threshold = request.threshold});
  if (document.fleet->nodes.empty() && !document.fleet->unread.empty()) {
    const UnreadResult& first = document.fleet->unread.front();
    return BadInput(fmt::format("none of {} files is a result; the first: {}",
                                document.fleet->unread.size(), first.reason));
  }
  return document;
}

}  // namespace cyclescope

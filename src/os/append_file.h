// A file that only ever grows, and that survives whatever happens to the program: each append is
// one write to the system, and what was appended is on the disk a second later at most.
//
//   auto file = AppendFile::Create("sweep.journal");
//   file->Append(line);
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "cyclescope/base/error.h"

namespace cyclescope::os {

class AppendFile {
 public:
  // A new file. One that holds something already is an error.
  static Result<AppendFile> Create(const std::string& path);
  // One that is there, as it is. No other process can have it meanwhile.
  static Result<AppendFile> Continue(const std::string& path);

  AppendFile(AppendFile&& other) noexcept
      : path_(std::move(other.path_)),
        descriptor_(std::exchange(other.descriptor_, -1)),
        synced_(other.synced_) {}
  AppendFile& operator=(AppendFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(synced_, other.synced_);
    return *this;
  }
  ~AppendFile();

  // Drops all but the first `size` bytes.
  Result<void> KeepFirst(std::uint64_t size);
  Result<void> Append(std::string_view text);

  const std::string& path() const { return path_; }

 private:
  AppendFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  static Result<AppendFile> Open(const std::string& path, bool may_be_new);

  std::string path_;
  int descriptor_ = -1;
  std::chrono::steady_clock::time_point synced_;
};

}  // namespace cyclescope::os

// The file that a sweep's rows go to as they come.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cyclescope/measure.h"
#include "os/append_file.h"
#include "result/document.h"

namespace cyclescope::library {

class SweepJournal {
 public:
  // A new one, an old one, or one that keeps nothing, as the request says. `document` says which
  // machine, build and settings its rows belong to; those of an old one must be the same.
  static Result<SweepJournal> Open(const JournalRequest& request, const Document& document);

  // Those that an old one held.
  std::vector<InstructionRow> TakeRows() { return std::exchange(rows_, {}); }

  Result<void> Append(const InstructionRow& row);

 private:
  SweepJournal() = default;
  explicit SweepJournal(os::AppendFile file) : file_(std::move(file)) {}

  static Result<SweepJournal> Start(const std::string& path, const Document& document);
  static Result<SweepJournal> Resume(const std::string& path, const Document& document);

  std::optional<os::AppendFile> file_;
  std::vector<InstructionRow> rows_;
};

}  // namespace cyclescope::library

// The file that the rows of a sweep or of many snippets go to as they come.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cyclescope/measure.h"
#include "os/append_file.h"
#include "report/journal.h"
#include "result/document.h"

namespace cyclescope::library {

class RowJournal {
 public:
  // A new one, an old one, or one that keeps nothing, as the request says. `document` says which
  // machine, build and settings its rows belong to; those of an old one must be the same.
  static Result<RowJournal> Open(const JournalRequest& request, const Document& document);

  // Those that an old one held.
  std::vector<InstructionRow> TakeRows() { return std::exchange(rows_, {}); }
  std::vector<BlockRow> TakeBlocks() { return std::exchange(blocks_, {}); }
  // The map that the ports of those rows rest on.
  const std::optional<PortMap>& port_map() const { return port_map_; }

  template <typename Row>
  Result<void> Append(const Row& row) {
    if (!file_) return {};
    return file_->Append(JournalLine(row));
  }

 private:
  RowJournal() = default;
  explicit RowJournal(os::AppendFile file) : file_(std::move(file)) {}

  static Result<RowJournal> Start(const std::string& path, const Document& document);
  static Result<RowJournal> Resume(const std::string& path, const Document& document);

  std::optional<os::AppendFile> file_;
  std::vector<InstructionRow> rows_;
  std::vector<BlockRow> blocks_;
  std::optional<PortMap> port_map_;
};

}  // namespace cyclescope::library

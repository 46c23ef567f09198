// The file that the rows of a sweep or of many snippets go to as they come.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/measure.h"
#include "cyclescope/result/document.h"
#include "document/journal.h"
#include "os/append_file.h"

namespace cyclescope::library {

class RowJournal {
 public:
  // A new one, an old one, or one that keeps nothing, as the request says. `document` says which
  // machine, build and settings its rows belong to; those of an old one must be the same.
  static Result<RowJournal> Open(const JournalRequest& request, const Document& document);

  // The rows that an old journal held.
  std::vector<InstructionRow> TakeRows() { return std::exchange(rows_, {}); }
  std::vector<BlockRow> TakeBlocks() { return std::exchange(blocks_, {}); }
  // The map that the ports of those rows rest on.
  const std::optional<PortMap>& port_map() const { return port_map_; }
  // The parts of a model: how the core is built, and its memory.
  const std::optional<Anatomy>& anatomy() const { return anatomy_; }
  const std::vector<MemoryRow>& memory() const { return memory_; }

  // Says that all that `document`'s options ask for is there. An old one whose own options ask for
  // something else is left as it is.
  Result<void> Complete(const Document& document);

  template <typename Row>
  Result<void> Append(const Row& row) {
    if (!file_) return {};
    return file_->Append(JournalLine(row));
  }

 private:
  RowJournal() = default;
  RowJournal(os::AppendFile file, std::vector<GivenOption> options)
      : file_(std::move(file)), options_(std::move(options)) {}

  static Result<RowJournal> Start(const std::string& path, const Document& document);
  static Result<RowJournal> Resume(const std::string& path, const Document& document);

  std::optional<os::AppendFile> file_;
  std::vector<GivenOption> options_;  // that it was begun with
  std::vector<InstructionRow> rows_;
  std::vector<BlockRow> blocks_;
  std::optional<PortMap> port_map_;
  std::optional<Anatomy> anatomy_;
  std::vector<MemoryRow> memory_;
};

// The newest journal of our own that a run with this head could take over: begun with the same
// options on this machine, with rows, not complete, and not in use.
std::optional<std::string> FindOpenJournal(const Document& head);

}  // namespace cyclescope::library

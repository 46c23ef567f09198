// The file that a sweep's rows go to as they come.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "os/append_file.h"
#include "result/document.h"

namespace cyclescope::cli {

class SweepJournal {
 public:
  // A new one; an empty path stands for a name of its own in the present folder.
  static Result<SweepJournal> Start(const std::string& path, const Document& document);
  // An old one, whose rows are taken over into `document`. It must be of this machine and build.
  static Result<SweepJournal> Resume(const std::string& path, Document& document);

  Result<void> Append(const InstructionRow& row);

  const std::string& path() const { return file_.path(); }

  // Takes the file away if it was named by us and the user has all of its rows elsewhere.
  void DropIfUnnamed();

 private:
  SweepJournal(os::AppendFile file, bool named) : file_(std::move(file)), named_(named) {}

  os::AppendFile file_;
  bool named_;  // by the user
};

}  // namespace cyclescope::cli

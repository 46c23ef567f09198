// The journal of a command that sweeps: chosen before, and explained or removed after.
//
//   JournalKeeper keeper(app, request);
//   auto document = MeasureSweep(request, keeper.Counting(Narrate(style)));
//   return keeper.Finish(std::move(document), outputs, text);
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"

namespace cyclescope::cli {

class JournalKeeper {
 public:
  // Where the user named no file, the request gets one in the user's state folder; where that
  // cannot be, a warning says so. `app` must outlive the keeper.
  template <typename Request>
  JournalKeeper(const CLI::App& app, Request& request) : app_(app) {
    if (Choose(request.journal)) earlier_ = FindOpenJournal(request);
  }

  // Counts the rows that go to the journal, and says where that is before the first. The keeper
  // must outlive the function.
  OnProgress Counting(OnProgress on_progress);

  // Says how to go on, or removes a journal that is of no use any more and that the user did not
  // name. `is_in_file`: the whole document is in a file.
  void Conclude(const Result<Document>& document, bool is_in_file) const;

  // Writes the document, prints `text` of it, and says how the command ended.
  Result<ExitCode> Finish(Result<Document> document, Outputs& outputs,
                          const TextOfDocument& text) const;

 private:
  // True if the user did not name the journal.
  bool Choose(JournalRequest& request);
  // Says where rows go, and which earlier ones the user may not know of.
  void SayWhere() const;
  // The command with what it takes to go on with a journal.
  std::string CommandToResume(const std::string& file) const;

  // True if the document has every row of the journal: one that was continued with a narrower
  // selection holds more.
  bool IsWithin(const Document& document) const;

  const CLI::App& app_;
  std::string file_;                    // empty for none
  std::optional<std::string> earlier_;  // of an earlier run of this command, which was ended
  bool is_own_ = false;
  bool is_old_ = false;
  bool was_there_ = false;  // a file of the name that a new one was to have
  bool has_new_rows_ = false;
  bool has_said_where_ = false;
};

}  // namespace cyclescope::cli

// The journal of a command that sweeps: chosen before, and explained or removed after.
//
//   JournalKeeper keeper("sweep", request.journal);
//   auto document = MeasureSweep(request, keeper.Counting(Narrate(style)));
//   ...
//   keeper.Conclude(app, document, outputs->has_document_file());
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "cyclescope/measure.h"

namespace cyclescope::cli {

class JournalKeeper {
 public:
  // Where the user named no file, the request gets one in the user's state folder; where that
  // cannot be, a warning says so.
  JournalKeeper(std::string_view command, JournalRequest& request);

  // Counts the rows that go to the journal. The keeper must outlive the function.
  OnProgress Counting(OnProgress on_progress);

  // Says how to go on, or removes a journal that is of no use any more and that nobody named.
  // `is_in_file`: the whole document is in a file.
  void Conclude(const CLI::App& app, const Result<Document>& document, bool is_in_file) const;

 private:
  // Whether the document has every row of the journal: one that was continued with a narrower
  // selection holds more.
  bool IsWithin(const Document& document) const;

  std::string file_;  // empty for none
  bool is_own_ = false;
  bool is_old_ = false;
  bool has_new_rows_ = false;
};

}  // namespace cyclescope::cli

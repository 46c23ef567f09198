#include "cli/journal_keeper.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/input_text.h"
#include "cli/narration.h"
#include "cli/options.h"
#include "document/journal.h"

namespace cyclescope::cli {
namespace {

// True if anything stands behind the first line of a new journal, its head. Rows that come after an
// interrupt are kept there, too, but not announced.
bool HoldsRows(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) && std::getline(file, line);
}

}  // namespace

bool JournalKeeper::Choose(JournalRequest& request) {
  if (!request.resume.empty()) {
    file_ = request.resume;
    is_own_ = IsOwnJournal(file_);
    is_old_ = true;
  } else if (!request.file.empty()) {
    file_ = request.file;
    std::error_code unknown;
    was_there_ = std::filesystem::exists(file_, unknown);
  } else if (auto file = NewJournalFile(app_.get_name())) {
    request.file = file_ = std::move(*file);
    is_own_ = true;
    return true;
  } else {
    PrintWarnings(
        {{"no-journal",
          "no journal is kept, so an interrupted run cannot be continued: " + file.error().message,
          file.error().hint}});
  }
  return false;
}

std::string JournalKeeper::CommandToResume(const std::string& file) const {
  // What says where results go, and for how long, is for the user to say again.
  return CommandAgain(
      app_,
      {"journal", "resume", "budget", "json", "color", "differences", "export-json", "export-csv",
       "export-markdown", "export-exegesis", "export-llvm", "export-ports", "output", "no-files"},
      {"--resume", file});
}

void JournalKeeper::SayWhere() const {
  if (file_.empty()) return;
  PrintLine(fmt::format("cyclescope: rows go to {}", file_));
  if (earlier_) {
    PrintLine(
        fmt::format("cyclescope: an earlier run of this was not finished; to go on with its "
                    "rows instead: {}",
                    CommandToResume(*earlier_)));
  }
}

OnProgress JournalKeeper::Counting(OnProgress on_progress) {
  return [this, on_progress = std::move(on_progress)](const Progress& progress) {
    const bool begins = app_.get_name() == "block"   ? progress.part == "snippets"
                        : app_.get_name() == "model" ? !progress.part.empty()
                                                     : progress.part == "sweep";
    if (begins && !std::exchange(has_said_where_, true)) SayWhere();
    has_new_rows_ =
        has_new_rows_ ||
        (progress.row != nullptr && (progress.part == "sweep" || progress.part == "ports")) ||
        (progress.done > 0 && progress.part == "snippets" && app_.get_name() == "block");
    return on_progress(progress);
  };
}

bool JournalKeeper::IsWithin(const Document& document) const {
  const auto text = ReadInput(file_);
  if (!text) return false;
  const auto journal = ParseJournal(*text, file_);
  return journal && HasAllRows(document, journal->document);
}

void JournalKeeper::Conclude(const Result<Document>& document, bool is_in_file) const {
  if (file_.empty()) return;
  const bool partial = !document || document->partial;
  // An old one may be no journal at all, so that only its own rows and a document count; and a file
  // that was there is not this run's.
  const bool has_rows =
      has_new_rows_ || (is_old_ ? document.has_value() : !was_there_ && HoldsRows(file_));
  const bool holds_more = is_old_ && document && !partial && !IsWithin(*document);
  const bool is_of_use = has_rows && (partial || !is_in_file || holds_more);
  if (is_own_ && !is_of_use && (document || !is_old_)) {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  if (!is_of_use) return;
  const std::string again = CommandToResume(file_);
  std::string text;
  if (partial) {
    text = fmt::format("some rows were not measured; continue with: {}", again);
  } else if (holds_more) {
    text = fmt::format("{} is kept: it has rows that this run did not ask for", file_);
  } else {
    text = fmt::format("all rows are in {}; --resume it to export them: {} --export-json FILE",
                       file_, again);
  }
  PrintLine("cyclescope: " + text);
}

Result<ExitCode> JournalKeeper::Finish(Result<Document> document, Outputs& outputs,
                                       const TextOfDocument& text) const {
  if (!document) {
    Conclude(document, /*is_in_file=*/false);
    return std::unexpected(document.error());
  }
  document->config.options = GivenOptions(app_);
  PrintWarnings(document->warnings);
  const auto written =
      outputs.Write(*document, [&](const TextStyle& style) { return text(*document, style); });
  Conclude(document, outputs.has_document_file());
  if (!written) return std::unexpected(written.error());
  return VerdictOnWhole(*document);
}

}  // namespace cyclescope::cli

// Where a command's results go: text or JSON to standard output, and files. Files are opened before
// anything is measured, so that a bad path fails first; what stood in them is replaced only when
// all of the new text is written, and a whole result is never replaced by part of one. The file `-`
// is standard output, which then has no other text.
//
//   Result<Outputs> outputs = Outputs::Open(options);
//   ... measure ...
//   return outputs->Write(document, [&](const TextStyle& style) { return FrequencyText(rows,
//   style); });
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "os/terminal.h"
#include "report/text_style.h"

namespace cyclescope::cli {

// True if a user looks at what is drawn there. An engine's task is one of many, whose outputs it
// brings together; OpenMPI gives its ranks a terminal all the same.
bool IsWatched(os::Stream stream);

// True if the file holds a result that was measured to its end.
bool HoldsWholeResult(const std::string& path);

struct OutputOptions {
  bool json = false;
  std::string export_json;
  std::string export_csv;       // only where the command offers it
  std::string export_markdown;  // the same
  bool pairs = false;           // in the CSV file, a line for each pair
  bool verbose = false;
  std::string color = "auto";

  void AddTo(CLI::App& app);
  // `--export-csv` and `--export-markdown`, for commands that measure instructions or snippets.
  void AddCsvTo(CLI::App& app);
};

// `--export-csv` alone: "Write WHAT to a CSV file".
CLI::Option* AddCsvOption(CLI::App& app, std::string& path, std::string_view what);

// `--pairs`, where the rows of the CSV file are instructions.
void AddPairsFlag(CLI::App& app, bool& pairs);

using TextReport = std::function<std::string(const TextStyle& style)>;
using TextOfDocument = std::function<std::string(const Document& document, const TextStyle& style)>;
using Verdict = std::function<ExitCode(const Document& document)>;
using Export = std::function<Result<std::string>(const Document& document)>;

// A file in a form of the command's own; none where the path is empty.
struct FileExport {
  std::string path;
  Export render;  // none: the whole document

  bool is_document() const { return render == nullptr; }
};

// Done where the document is whole.
inline ExitCode VerdictOnWhole(const Document& document) {
  return document.partial ? ExitCode::kPartial : ExitCode::kDone;
}

// Done where the document is whole and each of its rows was measured.
ExitCode VerdictOn(const auto& rows, const Document& document) {
  const bool all_measured =
      std::ranges::all_of(rows, [](const auto& row) { return row.status == Status::kMeasured; });
  return all_measured && !document.partial ? ExitCode::kDone : ExitCode::kPartial;
}

class Outputs {
 public:
  static Result<Outputs> Open(const OutputOptions& options,
                              const std::vector<FileExport>& exports = {});

  // Colour and width of the terminal that standard output goes to.
  const TextStyle& style() const { return style_; }
  // True if standard output shows text on a terminal: only then is anything redrawn in place.
  bool is_live() const;

  // One more file to write, in a form of the command's own; nothing when the path is empty. Fails
  // now when it cannot be written.
  Result<void> AddExport(const std::string& path, Export render);
  // The same for the whole result document.
  Result<void> AddDocument(const std::string& path);

  // Text that is out of date when the next comes: on a terminal it replaces the one before,
  // elsewhere it goes below. Nothing where standard output is not for text.
  Result<void> Redraw(const std::string& text);
  // Takes it from the terminal, where it can be.
  Result<void> EraseRedrawn();

  // What most commands do with a result: it gets the options given, its warnings are printed, it is
  // written, and `verdict` says how the command ended. Measured before the call, so that its
  // progress is gone.
  Result<ExitCode> Finish(const CLI::App& app, Result<Document> document,
                          const TextOfDocument& text, const Verdict& verdict = VerdictOnWhole);
  // Writes all files and the text, also when one of them cannot be written: that is the error then.
  Result<void> Write(const Document& document, const TextReport& text);
  // What was to go into `path` goes into another file.
  void Rename(const std::string& path, const std::string& other);
  // The files that it writes, or has written.
  std::vector<std::string> paths() const;
  // True if that left the whole document in a file.
  bool has_document_file() const { return has_document_file_; }

  // An error when the file cannot be opened for writing. What stands in it stays, and none is left
  // where there was none.
  static Result<void> CheckWritable(const std::string& path);
  // The same of a file for a table, a page or the like: also where it holds a result.
  static Result<void> CheckExport(const std::string& path);
  // An error where both are one file, of which one would be lost.
  static Result<void> CheckApart(const std::string& one, const std::string& other);
  // Writes to standard output for `-`.
  static Result<void> WriteFile(const std::string& path, std::string_view text);

  // Writes text to standard output at once; an error when it cannot be written, but not when
  // nothing reads it any more.
  static Result<void> Print(std::string_view text);
  // True if all of it could be written so far: an endless command ends where it could not.
  static bool IsRead();

 private:
  explicit Outputs(OutputOptions options) : options_(std::move(options)) {}

  bool PrintsText() const;
  // A run that ended early leaves whole results of other runs as they are: its files get names of
  // their own.
  void SpareWholeResults();

  static Result<void> WriteExport(const FileExport& file, const Document& document);
  static Result<void> WriteDocument(const std::string& path, const Document& document);
  using TakePiece = std::function<void(std::string_view)>;
  // What `give` hands over, piece by piece.
  static Result<void> WritePieces(const std::string& path,
                                  const std::function<void(const TakePiece&)>& give);

  OutputOptions options_;
  std::vector<FileExport> files_;
  TextStyle style_;
  bool has_document_file_ = false;
  std::size_t lines_drawn_ = 0;  // by Redraw, on a terminal
};

}  // namespace cyclescope::cli

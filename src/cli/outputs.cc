#include "cli/outputs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "cli/known_machines.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "document/json_writer.h"
#include "document/packed.h"
#include "os/engine.h"
#include "os/interrupt.h"
#include "os/terminal.h"
#include "report/csv.h"
#include "report/document_text.h"

namespace cyclescope::cli {
namespace {

constexpr std::string_view kStandardOutput = "-";

// The file that a path leads to, if there is one.
std::filesystem::path ReplacedFile(const std::string& path) {
  std::error_code error;
  auto found = std::filesystem::canonical(path, error);
  return error ? std::filesystem::path(path) : found;
}

// Where to write what is to stand in `path`: beside it, so that a full disk or a sudden end leaves
// what was there. A device, a pipe or a folder that takes no new files has to take it directly.
std::string PlaceFor(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return path;
  // One of another program that writes the same file now is left to it.
  std::filesystem::path beside;
  for (int number = 1; beside.empty() || std::filesystem::exists(beside, error); ++number) {
    beside = ReplacedFile(path);
    beside += number == 1 ? ".new" : fmt::format(".new{}", number);
    if (std::ofstream(beside, std::ios::noreplace)) break;
    if (!std::filesystem::exists(beside, error)) return path;
  }
  if (std::filesystem::exists(status))
    std::filesystem::permissions(beside, status.permissions(), error);
  return beside.string();
}

// "results/a.json" becomes "results/a.partial.json", and "a.json.gz" "a.partial.json.gz".
std::string PartialName(const std::string& path) {
  std::filesystem::path name = path;
  std::string extension = name.extension().string();
  if (extension == ".gz") {
    name.replace_extension();
    extension = name.extension().string() + extension;
  }
  return name.replace_extension(".partial" + extension).string();
}

// A terminal that takes no sequences, such as an editor's: nothing is drawn over there.
bool IsDumb() {
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) == "dumb";
}

bool WantsColor(std::string_view choice) {
  if (choice == "always") return true;
  if (choice == "never") return false;
  // https://no-color.org: any value but an empty one switches colour off.
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  return IsWatched(os::Stream::kOutput);
}

}  // namespace

bool HoldsWholeResult(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const auto document = ReadResult(path);
  return document && !document->partial && document->failure.empty();
}

bool IsWatched(os::Stream stream) {
  return os::IsTerminal(stream) && !IsDumb() && !os::FindEngine();
}

void OutputOptions::AddTo(CLI::App& app) {
  app.add_flag("--json", json, "Print the result document instead of text");
  app.add_option("--export-json", export_json,
                 "Write the result document to a file, packed where its name ends in .gz; - is "
                 "standard output")
      ->type_name("FILE");
  app.add_flag("--verbose", verbose, "Say more about how it was measured");
  OneOf(app.add_option("--color", color, "Colour: auto (default), always, never"),
        {"auto", "always", "never"})
      ->type_name("WHEN");
}

CLI::Option* AddCsvOption(CLI::App& app, std::string& path, std::string_view what) {
  return app
      .add_option("--export-csv", path,
                  fmt::format("Write {} to a CSV file; - is standard output", what))
      ->type_name("FILE");
}

void OutputOptions::AddCsvTo(CLI::App& app) {
  AddCsvOption(app, export_csv, "the rows");
  app.add_option("--export-markdown", export_markdown,
                 "Write the rows as a Markdown table; - is standard output")
      ->type_name("FILE");
}

void AddPairsFlag(CLI::App& app, bool& pairs) {
  app.add_flag("--pairs", pairs,
               "In the CSV file: a line for each operand pair, not for each instruction")
      ->needs("--export-csv");
}

Result<Outputs> Outputs::Open(const OutputOptions& options,
                              const std::vector<FileExport>& exports) {
  if (!os::IsOpen(os::Stream::kOutput)) return Failed("standard output is closed");
  Outputs outputs(options);
  const auto rows = [pairs = options.pairs](const Document& document) {
    if (!document.blocks.empty() && document.instructions.empty())
      return BlocksCsv(document.blocks);
    return pairs ? PairsCsv(document.instructions) : InstructionsCsv(document.instructions);
  };
  std::vector<FileExport> files = {
      {options.export_json, nullptr},
      {options.export_csv, rows},
      {options.export_markdown, [](const Document& document) { return ToMarkdown(document); }}};
  files.insert(files.end(), exports.begin(), exports.end());
  for (FileExport& file : files) TRY(outputs.AddExport(file.path, std::move(file.render)));
  outputs.style_.verbose = options.verbose;
  outputs.style_.color = WantsColor(options.color);
  outputs.style_.width = os::TerminalWidth(os::Stream::kOutput).value_or(80);
  return outputs;
}

bool Outputs::PrintsText() const {
  return !options_.json &&
         std::ranges::find(files_, kStandardOutput, &FileExport::path) == files_.end();
}

bool Outputs::is_live() const { return PrintsText() && IsWatched(os::Stream::kOutput); }

Result<void> Outputs::AddDocument(const std::string& path) { return AddExport(path, nullptr); }

Result<void> Outputs::AddExport(const std::string& path, Export render) {
  if (path.empty()) return {};
  if (path == kStandardOutput && !PrintsText())
    return BadInput("standard output can hold one result only", "give the others a file");
  TRY(render ? CheckExport(path) : CheckWritable(path));
  for (const FileExport& file : files_) TRY(CheckApart(file.path, path));
  files_.push_back({path, std::move(render)});
  return {};
}

Result<ExitCode> Outputs::Finish(const CLI::App& app, Result<Document> document,
                                 const TextOfDocument& text, const Verdict& verdict) {
  if (!document) return std::unexpected(document.error());
  document->config.options = GivenOptions(app);
  PrintWarnings(document->warnings);
  TRY(Write(*document, [&](const TextStyle& style) { return text(*document, style); }));
  return verdict(*document);
}

Result<void> Outputs::Write(const Document& document, const TextReport& text) {
  Result<void> all_written;
  const auto take = [&all_written](Result<void> written) {
    if (all_written) all_written = std::move(written);
  };
  if (document.partial && os::Interrupted())
    PrintLine("interrupted: the result has what was measured until then");
  if (document.partial) SpareWholeResults();
  for (const FileExport& file : files_) {
    auto written =
        file.is_document() ? WriteDocument(file.path, document) : WriteExport(file, document);
    // The reader of a pipe may have seen enough before the end, and a device keeps nothing.
    std::error_code ignored;
    has_document_file_ |= file.is_document() && written && file.path != kStandardOutput &&
                          std::filesystem::is_regular_file(file.path, ignored);
    take(std::move(written));
  }
  if (options_.json) {
    take(WriteDocument(std::string(kStandardOutput), document));
  } else if (PrintsText()) {
    take(Print(text(style_)));
  }
  return all_written;
}

std::vector<std::string> Outputs::paths() const {
  std::vector<std::string> paths;
  for (const FileExport& file : files_) paths.push_back(file.path);
  return paths;
}

void Outputs::Rename(const std::string& path, const std::string& other) {
  for (FileExport& file : files_) {
    if (file.path == path) file.path = other;
  }
}

void Outputs::SpareWholeResults() {
  const bool spares = std::ranges::any_of(files_, [](const FileExport& file) {
    return file.is_document() && HoldsWholeResult(file.path);
  });
  if (!spares) return;
  for (FileExport& file : files_) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file.path, ignored)) continue;
    const std::string partial = PartialName(file.path);
    PrintLine(fmt::format(
        "'{}' has a complete result and is kept; the partial one of this run is in '{}'", file.path,
        partial));
    file.path = partial;
  }
}

Result<void> Outputs::Redraw(const std::string& text) {
  if (!PrintsText()) return {};
  TRY(EraseRedrawn());
  if (is_live()) lines_drawn_ = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return Print(text);
}

Result<void> Outputs::EraseRedrawn() {
  if (lines_drawn_ == 0) return {};
  return Print(fmt::format("\x1b[{}A\x1b[J", std::exchange(lines_drawn_, 0)));
}

Result<void> Outputs::CheckWritable(const std::string& path) {
  if (path == kStandardOutput) return {};
  std::error_code ignored;
  const bool was_there = std::filesystem::exists(path, ignored);
  errno = 0;
  {
    const std::ofstream file(path, std::ios::app);
    if (!file) return BadInput(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  }
  if (!was_there) std::filesystem::remove(path, ignored);
  return {};
}

Result<void> Outputs::CheckExport(const std::string& path) {
  TRY(CheckWritable(path));
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  // A matrix of latencies is read as a result, too, and is such a table.
  const auto document = ReadResult(path);
  if (!document || document->config.started.empty()) return {};
  return BadInput(fmt::format("'{}' holds a result, which would be lost", path),
                  "name another file, or delete it first");
}

Result<void> Outputs::CheckApart(const std::string& one, const std::string& other) {
  std::error_code ignored;
  const std::filesystem::path file(one);
  const bool keeps_nothing =
      std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored);
  const bool is_same = file.lexically_normal() == std::filesystem::path(other).lexically_normal();
  if (!is_same || one == kStandardOutput || keeps_nothing) return {};
  return BadInput(fmt::format("'{}' can hold one of them only", one), "give the others a file");
}

Result<void> Outputs::WriteFile(const std::string& path, std::string_view text) {
  return WritePieces(path, [text](const TakePiece& take) { take(text); });
}

Result<void> Outputs::WriteExport(const FileExport& file, const Document& document) {
  const auto rendered = TRY(file.render(document));
  return WriteFile(file.path, rendered);
}

Result<void> Outputs::WriteDocument(const std::string& path, const Document& document) {
  if (path.ends_with(".gz")) return WriteFile(path, Gzipped(ToJson(document)));
  return WritePieces(path, [&document](const TakePiece& take) { WriteJson(document, take); });
}

Result<void> Outputs::WritePieces(const std::string& path,
                                  const std::function<void(const TakePiece&)>& give) {
  if (path == kStandardOutput) {
    Result<void> printed;
    give([&printed](std::string_view piece) {
      if (printed) printed = Print(piece);
    });
    return printed;
  }
  const std::string place = PlaceFor(path);
  const bool replaces = place != path;
  errno = 0;
  {
    std::ofstream file(place, std::ios::trunc);
    give([&file](std::string_view piece) { file << piece; });
    file.close();
    if (!file) {
      const int error = errno;
      std::error_code ignored;
      if (replaces) std::filesystem::remove(place, ignored);
      return SystemError(fmt::format("cannot write '{}'", path), error);
    }
  }
  if (!replaces) return {};
  std::error_code error;
  std::filesystem::rename(place, ReplacedFile(path), error);
  if (!error) return {};
  std::error_code ignored;
  std::filesystem::remove(place, ignored);
  return SystemError(fmt::format("cannot write '{}'", path), error.value());
}

Result<void> Outputs::Print(std::string_view text) {
  errno = 0;
  const std::size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written != text.size() || std::fflush(stdout) != 0) {
    if (errno == EPIPE) return {};  // the reader has seen enough, as `head` does
    return SystemError("cannot write to standard output", errno);
  }
  return {};
}

bool Outputs::IsRead() { return std::ferror(stdout) == 0; }

}  // namespace cyclescope::cli

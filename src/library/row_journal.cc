#include "library/row_journal.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <utility>

#include "base/input_text.h"
#include "base/try.h"
#include "document/journal.h"
#include "os/host.h"
#include "os/user_folders.h"

namespace cyclescope {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> JournalFolder() {
  const auto state = os::StateFolder();
  if (!state) return std::nullopt;
  return *state / "cyclescope";
}

// What the names of a command's journals on this host begin with: a home folder may be shared.
std::string NameBegin(std::string_view command, std::string_view host) {
  return fmt::format("{}-{}-", command, host);
}

bool IsOpenFor(const Document& head, const std::string& path) {
  // One that is in use is another process's.
  if (!os::AppendFile::Continue(path)) return false;
  const auto text = ReadInput(path);
  if (!text) return false;
  const auto skim = SkimJournal(*text, path);
  return skim && skim->has_rows && !skim->is_complete &&
         head.config.options == skim->head.config.options &&
         CheckContinues(head, skim->head, path).has_value();
}

}  // namespace

Result<std::string> NewJournalFile(std::string_view command) {
  constexpr char kHint[] = "name a file with --journal";
  const auto folder = JournalFolder();
  if (!folder)
    return Failed("there is no place for a journal: this user has no home folder", kHint);
  std::error_code error;
  fs::create_directories(*folder, error);
  if (error)
    return SystemError(fmt::format("cannot make '{}'", folder->string()), error.value(), kHint);
  // Two sweeps may begin in one second.
  const auto now = std::chrono::system_clock::now();
  const auto begun = std::chrono::time_point_cast<std::chrono::seconds>(now);
  const auto within = std::chrono::duration_cast<std::chrono::microseconds>(now - begun).count();
  return (*folder / fmt::format("{}{:%Y%m%dT%H%M%S}.{:06}Z.journal",
                                NameBegin(command, os::DescribeHost().name), fmt::gmtime(begun),
                                within))
      .string();
}

bool IsOwnJournal(std::string_view file) {
  const auto folder = JournalFolder();
  std::error_code ignored;
  return folder && fs::equivalent(fs::absolute(file, ignored).parent_path(), *folder, ignored);
}

namespace library {

Result<RowJournal> RowJournal::Open(const JournalRequest& request, const Document& document) {
  for (const std::string& file : {request.file, request.resume}) {
    if (file == "-") return BadInput("a journal is a file: it cannot be a standard stream");
  }
  if (!request.file.empty() && !request.resume.empty())
    return BadInput("a journal is either new or continued");
  if (!request.resume.empty()) return Resume(request.resume, document);
  if (!request.file.empty()) return Start(request.file, document);
  return RowJournal();
}

Result<RowJournal> RowJournal::Start(const std::string& path, const Document& document) {
  auto file = os::AppendFile::Create(path);
  if (!file) {
    Error error = file.error();
    error.hint =
        "choose another place with --journal FILE, or continue a journal with --resume FILE";
    return std::unexpected(error);
  }
  TRY(file->Append(JournalHeader(document)));
  return RowJournal(std::move(*file), document.config.options);
}

Result<RowJournal> RowJournal::Resume(const std::string& path, const Document& document) {
  // Before it is read: until then another program may append to it.
  auto file = os::AppendFile::Continue(path);
  const auto text = ReadInput(path);
  if (!text)
    return BadInput(text.error().message, "give the journal of a sweep or of many snippets");
  if (!file) return std::unexpected(file.error());
  auto journal = TRY(ParseJournal(*text, path));
  TRY(CheckContinues(document, journal.document, path));
  TRY(file->KeepFirst(journal.size));
  RowJournal continued(std::move(*file), std::move(journal.document.config.options));
  continued.rows_ = std::move(journal.document.instructions);
  continued.blocks_ = std::move(journal.document.blocks);
  continued.port_map_ = std::move(journal.document.port_map);
  continued.anatomy_ = std::move(journal.document.anatomy);
  continued.memory_ = std::move(journal.document.memory);
  return continued;
}

Result<void> RowJournal::Complete(const Document& document) {
  if (!file_ || options_ != document.config.options) return {};
  return file_->Append(JournalEnd());
}

std::optional<std::string> FindOpenJournal(const Document& head) {
  const auto folder = JournalFolder();
  if (!folder) return std::nullopt;
  std::vector<std::string> paths;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(NameBegin(head.config.command, head.host.name)))
      paths.push_back(entry.path().string());
  }
  // The time is in the name.
  std::ranges::sort(paths, std::greater{});
  const auto found = std::ranges::find_if(
      paths, [&head](const std::string& path) { return IsOpenFor(head, path); });
  return found == paths.end() ? std::nullopt : std::optional(*found);
}

}  // namespace library
}  // namespace cyclescope

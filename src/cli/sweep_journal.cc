#include "cli/sweep_journal.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "report/journal.h"

namespace cyclescope::cli {

Result<SweepJournal> SweepJournal::Start(const std::string& path, const Document& document) {
  std::string name = path;
  if (name.empty()) {
    std::string started = document.config.started;
    std::erase_if(started, [](char c) { return c == ':' || c == '-'; });
    name = fmt::format("sweep-{}-{}.journal", document.host.name, started);
  }
  auto file = os::AppendFile::Create(name);
  if (!file) {
    Error error = file.error();
    error.hint =
        "choose another place with --journal FILE, or continue a journal with --resume FILE";
    return std::unexpected(error);
  }
  SweepJournal journal(std::move(*file), !path.empty());
  if (auto written = journal.file_.Append(JournalHeader(document)); !written) {
    return std::unexpected(written.error());
  }
  return journal;
}

Result<SweepJournal> SweepJournal::Resume(const std::string& path, Document& document) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return BadInput(fmt::format("cannot read '{}'", path), "give the journal of a sweep");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  auto journal = ParseJournal(text, path);
  if (!journal) return std::unexpected(journal.error());
  if (auto fits = CheckContinues(document, journal->document, path); !fits)
    return std::unexpected(fits.error());
  auto appended = os::AppendFile::Continue(path, journal->size);
  if (!appended) return std::unexpected(appended.error());
  document.instructions = std::move(journal->document.instructions);
  return SweepJournal(std::move(*appended), /*named=*/true);
}

Result<void> SweepJournal::Append(const InstructionRow& row) {
  return file_.Append(JournalLine(row));
}

void SweepJournal::DropIfUnnamed() {
  std::error_code ignored;
  if (!named_) std::filesystem::remove(path(), ignored);
}

}  // namespace cyclescope::cli

#include "document/journal.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/try.h"
#include "document/json_reader.h"
#include "document/json_writer.h"

namespace cyclescope {
namespace {

// The value of an option, empty where it was not given.
std::string_view OptionOf(const Document& document, std::string_view name) {
  const auto& options = document.config.options;
  const auto found = std::ranges::find(options, name, &GivenOption::name);
  return found == options.end() ? std::string_view() : std::string_view(found->value);
}

std::string BuildOf(const Tool& tool) {
  return fmt::format("cyclescope {} (commit {}, {}, LLVM {})", tool.version, tool.commit,
                     tool.compiler, tool.llvm);
}

template <typename Row>
bool HasAll(const std::vector<Row>& rows, const std::vector<Row>& wanted) {
  std::unordered_set<std::string> keys;
  for (const Row& row : rows) keys.insert(JournalKey(row));
  return std::ranges::all_of(wanted,
                             [&keys](const Row& row) { return keys.contains(JournalKey(row)); });
}

std::string QuotedOrNothing(std::string_view value) {
  return value.empty() ? "nothing" : fmt::format("'{}'", value);
}

}  // namespace

std::string JournalKey(const InstructionRow& row) { return row.opcode; }
std::string JournalKey(const BlockRow& row) { return row.side + '\n' + row.name + '\n' + row.text; }

std::string JournalHeader(const Document& document) {
  Document header = document;
  header.instructions.clear();
  header.blocks.clear();
  header.sweep.reset();
  return ToJsonLine(header) + '\n';
}

std::string JournalLine(const Document& document) { return JournalHeader(document); }
std::string JournalLine(const InstructionRow& row) { return ToJsonLine(row) + '\n'; }
std::string JournalLine(const BlockRow& row) { return ToJsonLine(row) + '\n'; }

namespace {

constexpr std::string_view kEnd = R"({"complete":true})";

// The whole line at `begin`, without its break; empty where it is torn.
std::string_view LineAt(std::string_view text, std::size_t begin) {
  const std::size_t end = text.find('\n', begin);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin);
}

Result<Document> ReadHead(std::string_view text, std::string_view file_name) {
  if (text.find('\n') == std::string_view::npos) {
    return BadInput(fmt::format("cannot read '{}': it does not begin with a whole line", file_name),
                    "it is not a journal, or was cut off before the first row: start anew");
  }
  auto head = ParseJson(LineAt(text, 0), file_name);
  if (!head && ParseJson(text, file_name)) {
    return BadInput(fmt::format("'{}' is a result, and no journal", file_name),
                    "a journal is what --journal or a run that was ended has left");
  }
  return head;
}

// What a line without rows has is kept; what it lacks was there before, if at all.
void TakeParts(Document line, Document& parts) {
  if (line.port_map) parts.port_map = std::move(line.port_map);
  if (line.anatomy) parts.anatomy = std::move(line.anatomy);
  if (!line.memory.empty()) parts.memory = std::move(line.memory);
}

// Reads the lines behind the header.
template <typename Row>
Result<void> ReadRows(std::string_view text, std::string_view file_name,
                      Result<Row> (*parse)(std::string_view text, std::string_view file_name),
                      std::size_t& size, Document& parts, std::vector<Row>& rows) {
  std::unordered_map<std::string, std::size_t> places;
  int line_number = 1;
  for (std::size_t end = text.find('\n', size); end != std::string_view::npos;
       end = text.find('\n', size)) {
    const std::string_view line = text.substr(size, end - size);
    const std::string where = fmt::format("{}, line {}", file_name, ++line_number);
    if (line == kEnd) {
      size = end + 1;
      continue;
    }
    if (line.starts_with(R"({"schema")")) {
      auto document = TRY(ParseJson(line, where));
      TakeParts(std::move(document), parts);
      size = end + 1;
      continue;
    }
    auto row = TRY(parse(line, where));
    size = end + 1;
    const auto [place, is_new] = places.emplace(JournalKey(row), rows.size());
    if (is_new) {
      rows.push_back(std::move(row));
    } else {
      rows[place->second] = std::move(row);
    }
  }
  return {};
}

}  // namespace

Result<Journal> ParseJournal(std::string_view text, std::string_view file_name) {
  auto header = TRY(ReadHead(text, file_name));
  Journal journal{.document = std::move(header), .size = LineAt(text, 0).size() + 1};
  const std::string& command = journal.document.config.command;
  Result<void> read;
  // A full survey and a model sweep, too.
  if (command == "sweep" || command == "survey" || command == "model") {
    read = ReadRows<InstructionRow>(text, file_name, ParseInstructionRow, journal.size,
                                    journal.document, journal.document.instructions);
  } else if (command == "block") {
    read = ReadRows<BlockRow>(text, file_name, ParseBlockRow, journal.size, journal.document,
                              journal.document.blocks);
  } else {
    return BadInput(fmt::format("cannot read '{}': it is not the journal of a sweep or of snippets",
                                file_name));
  }
  if (!read) return std::unexpected(read.error());
  return journal;
}

std::string JournalEnd() { return std::string(kEnd) + '\n'; }

Result<JournalSkim> SkimJournal(std::string_view text, std::string_view file_name) {
  auto head = TRY(ReadHead(text, file_name));
  JournalSkim skim{.head = std::move(head)};
  for (std::size_t begin = LineAt(text, 0).size() + 1; begin < text.size();) {
    const std::string_view line = LineAt(text, begin);
    if (line.empty()) break;
    skim.is_complete = line == kEnd;
    skim.has_rows = skim.has_rows || !skim.is_complete;
    begin += line.size() + 1;
  }
  return skim;
}

Result<void> CheckContinues(const Document& now, const Document& journal,
                            std::string_view file_name) {
  struct Identity {
    std::string_view what;
    std::string then;
    std::string now;
  };
  const Identity identities[] = {
      {"the host", journal.host.name, now.host.name},
      {"the CPU", journal.host.cpu_model, now.host.cpu_model},
      {"the microcode", journal.host.microcode, now.host.microcode},
      {"the CPU's features", fmt::format("{}", fmt::join(journal.host.features, " ")),
       fmt::format("{}", fmt::join(now.host.features, " "))},
      {"the command", journal.config.command, now.config.command},
      {"the build", BuildOf(journal.tool), BuildOf(now.tool)},
      {"--only", std::string(OptionOf(journal, "only")), std::string(OptionOf(now, "only"))},
      {"--setup", std::string(OptionOf(journal, "setup")), std::string(OptionOf(now, "setup"))},
      {"--cycles", std::string(OptionOf(journal, "cycles")), std::string(OptionOf(now, "cycles"))},
  };
  for (const Identity& identity : identities) {
    if (identity.then == identity.now) continue;
    return BadInput(
        fmt::format("'{}' cannot be continued: {} was {}, and is {} now", file_name, identity.what,
                    QuotedOrNothing(identity.then), QuotedOrNothing(identity.now)),
        "rows of different machines, builds or settings do not belong in one document: "
        "start a new one");
  }
  return {};
}

bool HasAllRows(const Document& document, const Document& journal) {
  return HasAll(document.instructions, journal.instructions) &&
         HasAll(document.blocks, journal.blocks);
}

}  // namespace cyclescope

#include "report/journal.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "report/json_reader.h"
#include "report/json_writer.h"

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

std::string QuotedOrNothing(std::string_view value) {
  return value.empty() ? "nothing" : fmt::format("'{}'", value);
}

}  // namespace

std::string JournalHeader(const Document& document) {
  Document header = document;
  header.instructions.clear();
  header.sweep.reset();
  return ToJsonLine(header) + '\n';
}

std::string JournalLine(const InstructionRow& row) { return ToJsonLine(row) + '\n'; }

Result<Journal> ParseJournal(std::string_view text, std::string_view file_name) {
  const std::size_t header_end = text.find('\n');
  if (header_end == std::string_view::npos) {
    return BadInput(
        fmt::format("cannot read '{}': it does not begin with a whole line", file_name),
        "it is no journal of a sweep, or was cut off before the first row: start the sweep anew");
  }
  auto header = ParseJson(text.substr(0, header_end), file_name);
  if (!header) return std::unexpected(header.error());
  // A full survey sweeps, too.
  if (header->config.command != "sweep" && header->config.command != "survey") {
    return BadInput(fmt::format("cannot read '{}': it is no journal of a sweep", file_name));
  }

  Journal journal{.document = std::move(*header), .size = header_end + 1};
  std::vector<InstructionRow>& rows = journal.document.instructions;
  std::unordered_map<std::string, std::size_t> places;
  int line_number = 1;
  for (std::size_t end = text.find('\n', journal.size); end != std::string_view::npos;
       end = text.find('\n', journal.size)) {
    const std::string_view line = text.substr(journal.size, end - journal.size);
    auto row = ParseInstructionRow(line, fmt::format("{}, line {}", file_name, ++line_number));
    if (!row) return std::unexpected(row.error());
    journal.size = end + 1;
    const auto [place, is_new] = places.emplace(row->opcode, rows.size());
    if (is_new) {
      rows.push_back(std::move(*row));
    } else {
      rows[place->second] = std::move(*row);
    }
  }
  return journal;
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
      {"the build", BuildOf(journal.tool), BuildOf(now.tool)},
      {"--only", std::string(OptionOf(journal, "only")), std::string(OptionOf(now, "only"))},
      {"--cycles", std::string(OptionOf(journal, "cycles")), std::string(OptionOf(now, "cycles"))},
  };
  for (const Identity& identity : identities) {
    if (identity.then == identity.now) continue;
    return BadInput(
        fmt::format("'{}' cannot be continued: {} was {}, and is {} now", file_name, identity.what,
                    QuotedOrNothing(identity.then), QuotedOrNothing(identity.now)),
        "rows of different machines, builds or settings do not belong in one document: "
        "start a new sweep");
  }
  return {};
}

}  // namespace cyclescope

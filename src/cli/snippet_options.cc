#include "cli/snippet_options.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "base/input_text.h"
#include "base/text.h"
#include "base/try.h"

namespace cyclescope::cli {
namespace {

// No instruction is written like this, so that a mistyped file name is not explained as bad
// assembly: one word with a slash, or with a dot inside.
bool LooksLikeFile(const std::string& source) {
  return source.find_first_of(" \t\n;:") == std::string::npos &&
         (source.contains('/') || source.find('.', 1) != std::string::npos);
}

bool IsForACompiler(const std::string& file) {
  constexpr std::array<std::string_view, 4> kSourceEndings = {".c", ".cc", ".cpp", ".cxx"};
  return std::ranges::any_of(kSourceEndings,
                             [&file](std::string_view ending) { return file.ends_with(ending); });
}

// The argument is `-`, a file, or else the snippet itself.
Result<std::string> ReadSnippet(const std::string& source, std::string_view command) {
  constexpr std::size_t kLongestPath = 4096;
  std::error_code ignored;
  const bool is_file =
      source == "-" || LooksLikeFile(source) ||
      (source.size() < kLongestPath && std::filesystem::is_regular_file(source, ignored));
  if (is_file && IsForACompiler(source)) {
    return BadInput(fmt::format("'{}' is for a compiler: a snippet is assembly", source),
                    fmt::format("try: gcc -O2 -S -o - {} | cyclescope {} -", source, command));
  }
  if (is_file) return ReadSource(source);
  return source;
}

Result<std::vector<std::uint8_t>> ParseHex(std::string_view hex) {
  std::vector<std::uint8_t> bytes;
  int digits = 0;
  unsigned value = 0;
  for (const char c : hex) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',') continue;
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) {
      return BadInput(fmt::format("--bytes: '{}' is not a hexadecimal digit", c),
                      ForThisShell(ForThisMachine("as in --bytes '48 0f af c1'",
                                                  "as in --bytes '00 7c 01 9b'")));
    }
    const int lower = std::tolower(static_cast<unsigned char>(c));
    value = value * 16 + static_cast<unsigned>(lower <= '9' ? lower - '0' : lower - 'a' + 10);
    if (++digits % 2 == 0) {
      bytes.push_back(static_cast<std::uint8_t>(value));
      value = 0;
    }
  }
  if (digits % 2 != 0) return BadInput("--bytes: half a byte is left over");
  if (bytes.empty()) return BadInput("--bytes: no bytes");
  return bytes;
}

bool IsHex(std::string_view line) {
  return std::ranges::all_of(line, [](unsigned char c) {
    return std::isxdigit(c) != 0 || std::isspace(c) != 0 || c == ',';
  });
}

// One snippet a line, hexadecimal or text; empty lines and those that begin with # are none.
Result<std::vector<BlockSource>> ReadSources(const std::string& file) {
  auto text = TRY(ReadSource(file));
  std::vector<BlockSource> sources;
  std::string_view rest = text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string line(TakeLine(rest));
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.starts_with('#')) continue;
    BlockSource& source = sources.emplace_back();
    source.name = fmt::format("line {}", number);
    if (IsHex(line)) {
      auto bytes = ParseHex(line);
      if (!bytes) {
        Error error = bytes.error();
        error.message = fmt::format("{}, {}: {}", file, source.name, error.message);
        return std::unexpected(error);
      }
      source.bytes = std::move(*bytes);
    } else {
      source.text = line;
    }
  }
  if (sources.empty()) return BadInput(fmt::format("there is no snippet in '{}'", file));
  return sources;
}

// The loops that the user wants of those in a compiler's file.
Result<std::vector<BlockSource>> Chosen(const SnippetOptions& options,
                                        std::vector<BlockSource> sources) {
  std::set<std::string> functions;
  for (const BlockSource& source : sources) functions.insert(source.function);
  for (const std::string& function : options.functions) {
    if (!functions.contains(function)) {
      return BadInput(fmt::format("there is no loop in a function '{}'", function),
                      functions.empty()
                          ? ""
                          : fmt::format("there are loops in {}", fmt::join(functions, ", ")));
    }
  }
  if (!options.functions.empty()) {
    std::erase_if(sources, [&](const BlockSource& source) {
      return std::ranges::find(options.functions, source.function) == options.functions.end();
    });
  }
  if (options.line != 0) {
    const auto at = [&options](const BlockSource& source) {
      return source.source ? source.source->line == options.line : source.line == options.line;
    };
    std::erase_if(sources, [&at](const BlockSource& source) { return !at(source); });
    if (sources.empty()) {
      return BadInput(fmt::format("no loop begins at line {}", options.line),
                      "--list shows where they begin");
    }
  }
  return sources;
}

std::string LoopsText(const std::vector<BlockSource>& sources) {
  std::string text;
  for (const BlockSource& source : sources) {
    const auto lines = std::ranges::count(source.text, '\n');
    text += fmt::format("{}: {} line{}\n", source.name, lines, lines == 1 ? "" : "s");
  }
  return text;
}

// One file or text, or two that are compared.
Result<void> ReadSides(const SnippetOptions& options, std::string_view command,
                       std::string_view architecture, BlockRequest& request) {
  if (options.sources.size() > 2)
    return BadInput("one snippet is measured, or two are compared", "put the snippet in quotes");
  if (options.sources.size() == 2 && options.sources[0] == options.sources[1])
    return BadInput("both snippets are the same one");
  std::optional<bool> att_syntax;
  for (const std::string& given : options.sources) {
    auto text = TRY(ReadSnippet(given, command));
    if (text.empty()) return BadInput("there is no instruction in the snippet");
    auto listing = ReadListing(text, architecture);
    const bool is_alone = options.sources.size() == 1;
    if (!listing && is_alone) {
      request.text = std::move(text);
      return {};
    }
    std::vector<BlockSource> sources;
    if (!listing) {
      sources.push_back({.text = std::move(text)});
    } else if (listing->sources.empty()) {
      return BadInput("there is no loop in the file, and no mark that encloses anything",
                      "put '# LLVM-MCA-BEGIN' and '# LLVM-MCA-END' around what is to be measured");
    } else {
      if (att_syntax.value_or(listing->att_syntax) != listing->att_syntax)
        return BadInput("one file is in AT&T syntax, and the other is not");
      att_syntax = listing->att_syntax;
      sources = TRY(Chosen(options, std::move(listing->sources)));
      if (command == "block" && !options.list) FindCodeOffsets(text, listing->att_syntax, sources);
    }
    for (BlockSource& source : sources) {
      if (!is_alone) source.side = given;
      if (is_alone && options.functions.size() == 2) source.side = source.function;
      request.sources.push_back(std::move(source));
    }
  }
  request.code.att_syntax = att_syntax.value_or(request.code.att_syntax);
  return {};
}

}  // namespace

CLI::Option* SnippetOptions::AddTo(CLI::App& app) {
  app.add_option("snippet", sources,
                 "Assembly text, a file of it, or - for standard input; two are compared")
      ->type_name("TEXT|FILE|-");
  app.add_option("--bytes", bytes, "Machine code in hexadecimal instead of text")->type_name("HEX");
  CLI::Option* many =
      app.add_option("--file", file,
                     "Many snippets, one a line: text (; between instructions) or hexadecimal")
          ->type_name("FILE|-");
  app.add_option("--function", functions,
                 "Of a compiler's file: the loops of one function; two are compared")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME[,NAME]");
  app.add_option("--line", line,
                 "Of a compiler's file: the loop that begins there, in the source if it has line "
                 "numbers, else in the assembly")
      ->type_name("N");
  app.add_flag("--list", list, "Of a compiler's file: its loops, and nothing else");
  return many;
}

Result<void> ReadSnippets(const SnippetOptions& options, std::string_view command,
                          std::string_view architecture, BlockRequest& request) {
  const int given = static_cast<int>(!options.sources.empty()) +
                    static_cast<int>(!options.bytes.empty()) +
                    static_cast<int>(!options.file.empty());
  if (given != 1) {
    return BadInput("give either a snippet, a file of it, --bytes or --file",
                    ForThisShell(fmt::format("try: cyclescope {} 'TEXT'", command)));
  }
  if (!options.file.empty()) {
    request.sources = TRY(ReadSources(options.file));
    return {};
  }
  if (options.bytes.empty()) return ReadSides(options, command, architecture, request);
  request.bytes = TRY(ParseHex(options.bytes));
  return {};
}

Result<ExitCode> ListLoops(const BlockRequest& request) {
  if (request.sources.empty())
    return BadInput("--list is for a compiler's assembly, and this is a snippet");
  TRY(Outputs::Print(LoopsText(request.sources)));
  return ExitCode::kDone;
}

}  // namespace cyclescope::cli

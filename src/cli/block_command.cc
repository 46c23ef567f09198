// `cyclescope block`
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/host_words.h"
#include "base/byte_size.h"
#include "base/input_text.h"
#include "cli/command.h"
#include "cli/journal_keeper.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/saved_results.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/instruction_text.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct BlockOptions {
  BlockRequest request;
  std::vector<std::string> sources;  // two of them are compared
  std::string bytes;
  std::string file;
  std::string memory;
  std::string ports;
  bool loop = false;
  bool no_loop = false;
  bool show_asm = false;
  bool explain = false;
  bool list = false;
  std::vector<std::string> functions;
  int line = 0;
  std::string footprint;
  std::optional<double> budget_s;
  OutputOptions output;
};

// No instruction is written like this, so that a mistyped file name is not explained as bad
// assembly: one word with a slash, or with a dot inside.
bool LooksLikeFile(const std::string& source) {
  return source.find_first_of(" \t\n;:") == std::string::npos &&
         (source.contains('/') || source.find('.', 1) != std::string::npos);
}

bool IsForACompiler(const std::string& file) {
  constexpr std::array<std::string_view, 4> kEndings = {".c", ".cc", ".cpp", ".cxx"};
  return std::ranges::any_of(kEndings,
                             [&file](std::string_view ending) { return file.ends_with(ending); });
}

// The argument is `-`, a file, or else the snippet itself.
Result<std::string> ReadSnippet(const std::string& source) {
  constexpr std::size_t kLongestPath = 4096;
  std::error_code ignored;
  const bool is_file =
      source == "-" || LooksLikeFile(source) ||
      (source.size() < kLongestPath && std::filesystem::is_regular_file(source, ignored));
  if (is_file && IsForACompiler(source)) {
    return BadInput(fmt::format("'{}' is for a compiler: a snippet is assembly", source),
                    fmt::format("try: gcc -O2 -S -o - {} | cyclescope block -", source));
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
      return BadInput(fmt::format("--bytes: '{}' is no hexadecimal digit", c),
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
  auto text = ReadSource(file);
  if (!text) return std::unexpected(text.error());
  std::vector<BlockSource> sources;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text->size();) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    const std::string line = text->substr(begin, end - begin);
    begin = end + 1;
    ++number;
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

// What memory holds: a word for it, or a file whose bytes it holds.
Result<void> ReadMemory(const std::string& memory, BlockRequest& request) {
  constexpr std::array<std::string_view, 6> kWords = {"random", "constant", "pointers",
                                                      "floats", "zero",     "ones"};
  if (memory.empty() || std::ranges::find(kWords, memory) != kWords.end()) {
    request.memory = memory;
    return {};
  }
  const auto contents = ReadInput(memory);
  if (!contents) {
    return BadInput(
        contents.error().message,
        "--memory takes random, constant, pointers, floats, zero, ones, or the name of a file");
  }
  if (contents->empty()) return BadInput(fmt::format("there is nothing in '{}'", memory));
  request.memory_contents.assign(contents->begin(), contents->end());
  return {};
}

// Where ports come from: a result that has them, or this core.
Result<void> ReadPorts(const std::string& ports, BlockRequest& request) {
  if (ports.empty()) return {};
  request.ports = true;
  if (ports == "measure") return {};
  auto results = ReadResults({ports});
  if (!results) {
    Error error = results.error();
    if (error.hint.empty())
      error.hint = "--ports takes a result of 'ports' or 'sweep --ports', or measure";
    return std::unexpected(error);
  }
  request.known_ports = std::move(results->front());
  return {};
}

// The loops that the user wants of those in a compiler's file.
Result<std::vector<BlockSource>> Chosen(const BlockOptions& options,
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

// `--list`: the loops without measuring them.
std::string LoopsText(const std::vector<BlockSource>& sources) {
  std::string text;
  for (const BlockSource& source : sources) {
    const auto lines = std::ranges::count(source.text, '\n');
    text += fmt::format("{}: {} line{}\n", source.name, lines, lines == 1 ? "" : "s");
  }
  return text;
}

// One file or text, or two that are compared.
Result<void> ReadSides(const BlockOptions& options, BlockRequest& request) {
  if (options.sources.size() > 2)
    return BadInput("one snippet is measured, or two are compared", "put the snippet in quotes");
  if (options.sources.size() == 2 && options.sources[0] == options.sources[1])
    return BadInput("both snippets are the same one");
  std::optional<bool> att_syntax;
  for (const std::string& given : options.sources) {
    auto text = ReadSnippet(given);
    if (!text) return std::unexpected(text.error());
    if (text->empty()) return BadInput("there is no instruction in the snippet");
    auto listing = ReadListing(*text);
    const bool is_alone = options.sources.size() == 1;
    if (!listing && is_alone) {
      request.text = std::move(*text);
      return {};
    }
    std::vector<BlockSource> sources;
    if (!listing) {
      sources.push_back({.text = std::move(*text)});
    } else if (listing->sources.empty()) {
      return BadInput("there is no loop in the file, and no mark that encloses anything",
                      "put '# LLVM-MCA-BEGIN' and '# LLVM-MCA-END' around what is to be measured");
    } else {
      if (att_syntax.value_or(listing->att_syntax) != listing->att_syntax)
        return BadInput("one file is in AT&T syntax, and the other is not");
      att_syntax = listing->att_syntax;
      auto chosen = Chosen(options, std::move(listing->sources));
      if (!chosen) return std::unexpected(chosen.error());
      sources = std::move(*chosen);
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

Result<BlockRequest> RequestOf(const BlockOptions& options) {
  const int given = static_cast<int>(!options.sources.empty()) +
                    static_cast<int>(!options.bytes.empty()) +
                    static_cast<int>(!options.file.empty());
  if (given != 1) {
    return BadInput("give either a snippet, a file of it, --bytes or --file",
                    ForThisShell("try: cyclescope block 'TEXT'"));
  }
  BlockRequest request = options.request;
  if (auto read = ReadMemory(options.memory, request); !read) return std::unexpected(read.error());
  if (auto read = ReadPorts(options.ports, request); !read) return std::unexpected(read.error());
  if (!options.footprint.empty()) {
    const auto bytes = ParseBytes(options.footprint);
    if (!bytes) return std::unexpected(bytes.error());
    constexpr std::int64_t kLeastFootprintBytes = 64, kMostFootprintBytes = 64 << 20;
    if (*bytes < kLeastFootprintBytes || *bytes > kMostFootprintBytes)
      return BadInput("--footprint takes 64 bytes to 64 MB", "as in --footprint 256K");
    request.footprint = *bytes;
  }
  if (options.loop) request.loop = BlockLoop::kAsLoop;
  if (options.no_loop) request.loop = BlockLoop::kStraight;
  if (!options.file.empty()) {
    auto sources = ReadSources(options.file);
    if (!sources) return std::unexpected(sources.error());
    request.sources = std::move(*sources);
    request.explain = options.explain;
    return request;
  }
  if (options.bytes.empty()) {
    if (auto read = ReadSides(options, request); !read) return std::unexpected(read.error());
    return request;
  }
  auto bytes = ParseHex(options.bytes);
  if (!bytes) return std::unexpected(bytes.error());
  request.bytes = std::move(*bytes);
  return request;
}

// Ends measuring after that time, with what there is.
OnProgress WithBudget(OnProgress on_progress, const std::optional<double>& seconds) {
  if (!seconds) return on_progress;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(*seconds);
  return [on_progress = std::move(on_progress), end](const Progress& progress) {
    return on_progress(progress) && std::chrono::steady_clock::now() < end;
  };
}

Result<ExitCode> RunBlock(const CLI::App& app, const BlockOptions& options) {
  auto request = RequestOf(options);
  if (!request) return std::unexpected(request.error());
  if (options.list) {
    if (request->sources.empty())
      return BadInput("--list is for a compiler's assembly, and this is a snippet");
    fmt::print("{}", LoopsText(request->sources));
    return ExitCode::kDone;
  }
  const auto problems = CheckTexts(*request);
  if (!problems) return std::unexpected(problems.error());
  if (!problems->empty()) {
    for (const TextProblem& problem : *problems) PrintProblem(problem);
    return ExitCode::kBadInput;
  }
  auto outputs = Outputs::Open(options.output);
  if (!outputs) return std::unexpected(outputs.error());
  const os::InterruptGuard guard;
  std::optional<JournalKeeper> keeper;
  if (!options.file.empty()) keeper.emplace(app, *request);
  OnProgress on_progress = WithBudget(Narrate(outputs->style()), options.budget_s);
  auto document =
      MeasureBlock(*request, keeper ? keeper->Counting(std::move(on_progress)) : on_progress);
  if (!document) {
    if (keeper) keeper->Conclude(document, /*is_in_file=*/false);
    return std::unexpected(document.error());
  }
  document->config.options = GivenOptions(app);
  PrintWarnings(document->warnings);
  const auto written = outputs->Write(*document, [&](const TextStyle& style) {
    return MachineText(*document, style) + '\n' +
           BlocksText(document->blocks, style,
                      {options.show_asm, TicksAtBaseClock(document->host)}) +
           (!options.file.empty() && !options.explain
                ? "\n--explain adds what binds each; --export-json and --export-csv keep it\n"
                : "");
  });
  if (keeper) keeper->Conclude(document, outputs->has_document_file());
  if (!written) return std::unexpected(written.error());
  const bool measured =
      !document->partial && std::ranges::all_of(document->blocks, [](const BlockRow& row) {
        return row.status == Status::kMeasured;
      });
  return measured ? ExitCode::kDone : ExitCode::kPartial;
}

}  // namespace

Command AddBlockCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "block", "Cycles per iteration of a snippet or loop, and what binds it",
      ForThisMachine(
          "  cyclescope block 'imul rax, rcx; add rax, rdx'\n"
          "  cyclescope block snippet.s --init 'mov rax, 7'  from a file, after something\n"
          "  cyclescope block --bytes '480fafc1'             machine code\n",
          "  cyclescope block 'mul x0, x0, x1; add x0, x0, x2'\n"
          "  cyclescope block snippet.s --init 'mov x0, #7'  from a file, after something\n"
          "  cyclescope block --bytes '007c019b'             machine code\n") +
          "  gcc -O2 -S -o - sum.c | cyclescope block -      the innermost loops of a file\n"
          "  cyclescope block old.s new.s                    two versions, compared\n"
          "  cyclescope block 'TEXT' --ports measure         and which ports it keeps busy\n"
          "  cyclescope block --file blocks.txt --export-csv out.csv     many, one a line\n\n"
          "A loop finds memory as in a program: each array has its own, in the first-level\n"
          "cache, with random data. Other code gets what makes it run.");
  auto options = std::make_shared<BlockOptions>();
  app->add_option("snippet", options->sources,
                  "Assembly text, a file of it, or - for standard input; two are compared")
      ->type_name("TEXT|FILE|-");
  app->add_option("--bytes", options->bytes, "Machine code in hexadecimal instead of text")
      ->type_name("HEX");
  auto* file =
      app->add_option("--file", options->file,
                      "Many snippets, one a line: text (; between instructions) or hexadecimal")
          ->type_name("FILE|-");
  app->add_option("--init", options->request.init, "Assembly text that runs once before")
      ->type_name("TEXT");
  app->add_option("--set", options->request.set,
                  ForThisMachine("What registers hold at first, as in rcx=64,xmm0=1.0",
                                 "What registers hold at first, as in x1=64,v0=1.0"))
      ->type_name("REG=VALUE,...");
  app->add_option(
         "--memory", options->memory,
         "What memory holds at first: random, constant, pointers, floats, zero, ones, or a "
         "file's bytes")
      ->type_name("WHAT|FILE");
  app->add_option("--footprint", options->footprint,
                  "Memory that a loop walks over; half of the first-level cache when not given")
      ->type_name("SIZE");
  app->add_option("--function", options->functions,
                  "Of a compiler's file: the loops of one function; two are compared")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME[,NAME]");
  app->add_option("--line", options->line,
                  "Of a compiler's file: the loop that begins there, in the source if it has line "
                  "numbers, else in the assembly")
      ->type_name("N");
  AsSeconds(
      app->add_option("--budget", options->budget_s, "End after this time with what there is"),
      0.001);
  app->add_flag("--list", options->list, "Of a compiler's file: its loops, without measuring them");
  app->add_flag("--strict", options->request.strict,
                "No memory appears by itself: there are 64 KiB, whose address is in every general "
                "register, and in every eight bytes of them");
  app->add_option(
         "--trips", options->request.trips,
         "Trips of a loop that has a branch of its own; twice as many are compared with it")
      ->type_name("N");
  app->add_option("--unroll", options->request.unroll, "Copies of the snippet in a row")
      ->type_name("N");
  for (const char* name : {"--trips", "--unroll"}) InRange(app->get_option(name), 1, kMostCopies);
  auto* loop = app->add_flag("--loop", options->loop,
                             "The snippet is a loop's body: count the loop's end too");
  auto* no_loop =
      app->add_flag("--no-loop", options->no_loop, "Copies without any loop around them")
          ->excludes(loop);
  app->get_option("--trips")->excludes(loop)->excludes(no_loop);
  app->add_flag(
         "--explain", options->explain,
         "With --file: what binds each snippet, too, as for a single one. Each instruction in "
         "them is measured")
      ->needs(file);
  app->add_flag("--timeline", options->request.timeline,
                "Show how llvm-mca sees the first iterations go")
      ->excludes(file);
  app->add_option("--ports", options->ports,
                  "Predict it from the ports of its instructions: those in a result of ports or "
                  "sweep --ports, or measure to find them now")
      ->type_name("FILE|measure");
  app->add_flag("--show-asm", options->show_asm, "Show the exact code measured");
  AddJournalOptions(*app, options->request.journal);
  AddCodeOptions(*app, options->request.code,
                 "5 (30 with --ports, longer for 100 snippets or more)");
  options->output.AddTo(*app);
  options->output.AddCsvTo(*app);
  return {app, [app, options] { return RunBlock(*app, *options); }};
}

}  // namespace cyclescope::cli

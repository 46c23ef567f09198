// `cyclescope block`
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/host_words.h"
#include "base/byte_size.h"
#include "base/input_text.h"
#include "base/try.h"
#include "cli/command.h"
#include "cli/journal_keeper.h"
#include "cli/known_machines.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/snippet_options.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/instruction_text.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct BlockOptions {
  BlockRequest request;
  SnippetOptions snippets;
  std::string memory;
  std::string ports;
  std::string machine;
  std::string timeline;  // whose; "true": that of the model where there is one, else llvm-mca's
  bool loop = false;
  bool no_loop = false;
  bool show_asm = false;
  bool explain = false;
  std::string footprint;
  std::optional<double> budget_s;
  OutputOptions output;
};

// What memory holds: a word for it, or a file whose bytes it holds.
Result<void> ReadMemory(const std::string& memory, BlockRequest& request) {
  const std::vector<std::string_view> words = MemoryWords();
  if (memory.empty() || std::ranges::find(words, memory) != words.end()) {
    request.memory = memory;
    return {};
  }
  const auto contents = ReadInput(memory);
  if (!contents) {
    return BadInput(
        contents.error().message,
        fmt::format("--memory takes {}, or the name of a file", fmt::join(words, ", ")));
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

// Whose timeline is shown.
Result<void> ReadTimeline(const std::string& timeline, BlockRequest& request) {
  if (timeline.empty()) return {};
  if (timeline != "true" && timeline != "mca") {
    return BadInput(fmt::format("--timeline takes 'mca' or nothing, not '{}'", timeline),
                    "--timeline alone uses --machine's model, or llvm-mca without --machine; "
                    "--timeline=mca uses llvm-mca");
  }
  if (request.machine && timeline != "mca") {
    request.machine_iterations = kTimelineIterations;
  } else {
    request.timeline = true;
  }
  return {};
}

Result<BlockRequest> RequestOf(const BlockOptions& options) {
  BlockRequest request = options.request;
  TRY(ReadSnippets(options.snippets, "block", {}, request));
  TRY(ReadMemory(options.memory, request));
  TRY(ReadPorts(options.ports, request));
  if (!options.machine.empty()) {
    request.machine = TRY(ReadMachine(options.machine));
  }
  TRY(ReadTimeline(options.timeline, request));
  if (!options.footprint.empty()) {
    const auto bytes = TRY(ParseBytes(options.footprint));
    constexpr std::int64_t kLeastFootprintBytes = 64, kMostFootprintBytes = 64 << 20;
    if (bytes < kLeastFootprintBytes || bytes > kMostFootprintBytes)
      return BadInput("--footprint takes 64 bytes to 64 MB", "as in --footprint 256K");
    request.footprint = bytes;
  }
  if (options.loop) request.loop = BlockLoop::kAsLoop;
  if (options.no_loop) request.loop = BlockLoop::kStraight;
  if (!options.snippets.file.empty()) request.explain = options.explain;
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
  auto request = TRY(RequestOf(options));
  if (options.snippets.list) return ListLoops(request);
  const auto problems = TRY(CheckTexts(request));
  if (!problems.empty()) {
    for (const TextProblem& problem : problems) PrintProblem(problem);
    return ExitCode::kBadInput;
  }
  auto outputs = TRY(Outputs::Open(options.output));
  const os::InterruptGuard guard;
  std::optional<JournalKeeper> keeper;
  if (!options.snippets.file.empty()) keeper.emplace(app, request);
  OnProgress on_progress = WithBudget(Narrate(outputs.style()), options.budget_s);
  auto document =
      MeasureBlock(request, keeper ? keeper->Counting(std::move(on_progress)) : on_progress);
  if (!document) {
    if (keeper) keeper->Conclude(document, /*is_in_file=*/false);
    return std::unexpected(document.error());
  }
  document->config.options = GivenOptions(app);
  PrintWarnings(document->warnings);
  const auto written = outputs.Write(*document, [&](const TextStyle& style) {
    return MachineText(*document, style) + PartialText(document->partial, style) + '\n' +
           BlocksText(document->blocks, style,
                      {options.show_asm, TicksAtBaseClock(document->host)}) +
           (!options.snippets.file.empty() && !options.explain
                ? "\n--explain adds what binds each; --export-json and --export-csv keep it\n"
                : "");
  });
  if (keeper) keeper->Conclude(document, outputs.has_document_file());
  if (!written) return std::unexpected(written.error());
  return VerdictOn(document->blocks, *document);
}

}  // namespace

Command AddBlockCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "block", "Cycles per iteration of a snippet or loop, and what binds it",
      ForThisMachine(
          "  cyclescope block 'imul rax, rcx; add rax, rdx'\n"
          "  cyclescope block snippet.s --init 'mov rax, 7'  from a file, with a set-up\n"
          "  cyclescope block --bytes '480fafc1'             machine code\n",
          "  cyclescope block 'mul x0, x0, x1; add x0, x0, x2'\n"
          "  cyclescope block snippet.s --init 'mov x0, #7'  from a file, with a set-up\n"
          "  cyclescope block --bytes '007c019b'             machine code\n") +
          "  gcc -O2 -S -o - sum.c | cyclescope block -      the innermost loops of a file\n"
          "  cyclescope block old.s new.s                    two versions, compared\n"
          "  cyclescope block 'TEXT' --ports measure         and which ports it keeps busy\n"
          "  cyclescope block --file blocks.txt --export-csv out.csv     many, one a line\n\n"
          "A loop finds memory as in a program: each array has its own, in the first-level\n"
          "cache, with random data. Other code gets what makes it run.");
  auto options = std::make_shared<BlockOptions>();
  CLI::Option* file = options->snippets.AddTo(*app);
  app->add_option("--init", options->request.init, "Assembly text that runs once before")
      ->type_name("TEXT");
  app->add_option("--set", options->request.set,
                  ForThisMachine("Initial values of registers, as in rcx=64,xmm0=1.0",
                                 "Initial values of registers, as in x1=64,v0=1.0"))
      ->type_name("REG=VALUE,...");
  app->add_option("--memory", options->memory,
                  fmt::format("Initial contents of memory: {}, or a file's bytes",
                              fmt::join(MemoryWords(), ", ")))
      ->type_name("WHAT|FILE");
  app->add_option("--footprint", options->footprint,
                  "Memory that a loop walks over (default: half of the first-level cache)")
      ->type_name("SIZE");
  AddBudgetOption(*app, options->budget_s, 0.001);
  app->add_flag(
      "--strict", options->request.strict,
      "Map no memory on demand: the snippet gets 64 KiB, whose address is in every general "
      "register and in every eight bytes of that memory");
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
  app->add_flag("--explain", options->explain,
                "With --file: also show what binds each snippet. Each of their instructions is "
                "measured for that")
      ->needs(file);
  app->add_flag(
         "--timeline", options->timeline,
         "Show the first iterations as --machine's model predicts them; without --machine, or as "
         "--timeline=mca, as llvm-mca does")
      ->excludes(file);
  app->add_option(
         "--ports", options->ports,
         "Also predict it from the ports of its instructions: those in a result of ports or "
         "sweep --ports, or measure to find them now")
      ->type_name("NAME|FILE|measure");
  app->add_option("--machine", options->machine,
                  "Also show what the model of a machine predicts: its name or a result, as "
                  "for predict")
      ->type_name("NAME|FILE");
  app->add_flag("--show-asm", options->show_asm, "Show the exact code measured");
  AddJournalOptions(*app, options->request.journal);
  AddCodeOptions(*app, options->request.code,
                 "5, 30 with --ports, longer for 100 snippets or more");
  options->output.AddTo(*app);
  options->output.AddCsvTo(*app);
  return {app, [app, options] { return RunBlock(*app, *options); }};
}

}  // namespace cyclescope::cli

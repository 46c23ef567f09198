// `cyclescope block`
#include <fmt/core.h>

#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/input_text.h"
#include "cli/command.h"
#include "cli/narration.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/instruction_text.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct BlockOptions {
  BlockRequest request;
  std::string source;
  std::string bytes;
  bool loop = false;
  bool no_loop = false;
  bool show_asm = false;
  OutputOptions output;
};

// No instruction is written like this, so that a mistyped file name is not explained as bad
// assembly.
bool LooksLikeFile(const std::string& source) {
  return source.find_first_of(" \t\n;") == std::string::npos &&
         (source.find('/') != std::string::npos || source.ends_with(".s") ||
          source.ends_with(".S"));
}

// The argument is `-`, a file, or else the snippet itself.
Result<std::string> ReadSnippet(const std::string& source) {
  constexpr std::size_t kLongestPath = 4096;
  std::error_code ignored;
  const bool is_file =
      source == "-" || LooksLikeFile(source) ||
      (source.size() < kLongestPath && std::filesystem::is_regular_file(source, ignored));
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
                      "as in --bytes '1f 20 03 d5'");
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

Result<BlockRequest> RequestOf(const BlockOptions& options) {
  if (options.source.empty() == options.bytes.empty()) {
    return BadInput("give either a snippet, a file or --bytes", "try: cyclescope block 'TEXT'");
  }
  BlockRequest request = options.request;
  if (options.loop) request.loop = BlockLoop::kAsLoop;
  if (options.no_loop) request.loop = BlockLoop::kStraight;
  if (options.bytes.empty()) {
    auto text = ReadSnippet(options.source);
    if (!text) return std::unexpected(text.error());
    if (text->empty()) return BadInput("there is no instruction in the snippet");
    request.text = std::move(*text);
    return request;
  }
  auto bytes = ParseHex(options.bytes);
  if (!bytes) return std::unexpected(bytes.error());
  request.bytes = std::move(*bytes);
  return request;
}

Result<ExitCode> RunBlock(const CLI::App& app, const BlockOptions& options) {
  const auto request = RequestOf(options);
  if (!request) return std::unexpected(request.error());
  const auto problems = CheckTexts(*request);
  if (!problems) return std::unexpected(problems.error());
  if (!problems->empty()) {
    for (const TextProblem& problem : *problems) PrintProblem(problem);
    return ExitCode::kBadInput;
  }
  auto outputs = Outputs::Open(options.output);
  if (!outputs) return std::unexpected(outputs.error());
  const os::InterruptGuard guard;
  auto document = MeasureBlock(*request, Narrate(outputs->style()));
  if (!document) return std::unexpected(document.error());
  document->config.options = GivenOptions(app);
  PrintWarnings(document->warnings);
  const auto written = outputs->Write(*document, [&](const TextStyle& style) {
    return MachineText(*document, style) + '\n' +
           BlocksText(document->blocks, style, {options.show_asm});
  });
  if (!written) return std::unexpected(written.error());
  const bool measured = !document->partial && document->blocks.front().status == Status::kMeasured;
  return measured ? ExitCode::kDone : ExitCode::kPartial;
}

}  // namespace

Command AddBlockCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "block", "Cycles per iteration of a snippet exactly as written",
      "  cyclescope block 'mul x0, x0, x1; add x0, x0, x2'     (AArch64)\n"
      "  cyclescope block 'imul rax, rcx; add rax, rdx'        (x86-64)\n"
      "  cyclescope block snippet.s --init 'mov x0, #7'        from a file, something run once "
      "before\n"
      "  cyclescope block --bytes '1f2003d5'                   machine code\n\n"
      "General registers hold the address of 64 KiB of memory that is full of that address.");
  auto options = std::make_shared<BlockOptions>();
  app->add_option("snippet", options->source,
                  "Assembly text, a file of it, or - for standard input")
      ->type_name("TEXT|FILE|-");
  app->add_option("--bytes", options->bytes, "Machine code in hexadecimal instead of text")
      ->type_name("HEX");
  app->add_option("--init", options->request.init, "Assembly text that runs once before")
      ->type_name("TEXT");
  app->add_option("--unroll", options->request.unroll, "Copies of the snippet in a row")
      ->type_name("N")
      ->check(CLI::Range(1, kMostCopies));
  auto* loop = app->add_flag("--loop", options->loop,
                             "The snippet is a loop's body: count the loop's end too");
  app->add_flag("--no-loop", options->no_loop, "Copies without any loop around them")
      ->excludes(loop);
  app->add_flag("--show-asm", options->show_asm, "Show the exact code measured");
  AddCodeOptions(*app, options->request.code);
  options->output.AddTo(*app);
  return {app, [app, options] { return RunBlock(*app, *options); }};
}

}  // namespace cyclescope::cli

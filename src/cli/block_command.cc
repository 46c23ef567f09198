// `cyclescope block`
#include <fmt/core.h>

#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "cli/assembly_options.h"
#include "cli/command.h"
#include "cli/document_start.h"
#include "cli/input_text.h"
#include "cli/narration.h"
#include "cli/outputs.h"
#include "instructions/block.h"
#include "library/block_assembly.h"
#include "report/instruction_text.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct BlockOptions {
  std::string source;
  std::string bytes;
  std::string init;
  std::optional<int> unroll;
  bool loop = false;
  bool no_loop = false;
  bool show_asm = false;
  AssemblyOptions assembly;
  OutputOptions output;
};

constexpr int kMostCopies = 100'000;

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
  if (is_file) return ReadInput(source);
  return source;
}

Result<assembler::Bytes> ParseHex(std::string_view hex) {
  assembler::Bytes bytes;
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

// What was asked for, without the assembly: that comes when there is an assembler.
Result<instructions::Block> ReadBlock(const BlockOptions& options) {
  if (options.source.empty() == options.bytes.empty()) {
    return BadInput("give either a snippet, a file or --bytes", "try: cyclescope block 'TEXT'");
  }
  instructions::Block block;
  block.init_text = options.init;
  block.unroll = options.unroll;
  if (options.loop) block.loop = BlockLoop::kAsLoop;
  if (options.no_loop) block.loop = BlockLoop::kStraight;
  if (options.bytes.empty()) {
    auto text = ReadSnippet(options.source);
    if (!text) return std::unexpected(text.error());
    block.text = std::move(*text);
    return block;
  }
  auto bytes = ParseHex(options.bytes);
  if (!bytes) return std::unexpected(bytes.error());
  block.text = options.bytes;
  block.bytes = std::move(*bytes);
  block.raw = true;
  return block;
}

Result<BlockRow> Measure(const instructions::Block& block, const BlockOptions& options,
                         Document& document) {
  auto lab = options.assembly.OpenLab(document);
  if (!lab) return std::unexpected(lab.error());
  PrintWarnings(document.warnings);
  return instructions::MeasureBlock(**lab, block);
}

Result<ExitCode> RunBlock(const CLI::App& app, const BlockOptions& options) {
  const auto block = ReadBlock(options);
  if (!block) return std::unexpected(block.error());
  auto outputs = Outputs::Open(options.output);
  if (!outputs) return std::unexpected(outputs.error());
  auto document = StartDocument(app, {});
  if (!document) return std::unexpected(document.error());
  auto assembler = options.assembly.MakeAssembler(document->host);
  if (!assembler) return std::unexpected(assembler.error());
  const auto assembled = library::AssembleBlock(*assembler, *block);
  if (assembled) {
    if (assembled->bytes.empty()) return BadInput("there is no instruction in the snippet");
    auto row = Measure(*assembled, options, *document);
    if (!row) return std::unexpected(row.error());
    document->blocks.push_back(std::move(*row));
  } else if (assembled.error().kind == assembler::TextErrorKind::kNeedsFeature) {
    document->blocks.push_back(library::UnsupportedBlock(*block, assembled.error()));
  } else {
    PrintTextError(assembled.error());
    return ExitCode::kBadInput;
  }
  const auto written = outputs->Write(*document, [&](const TextStyle& style) {
    return MachineText(*document, style) + '\n' +
           BlocksText(document->blocks, style, {options.show_asm});
  });
  if (!written) return std::unexpected(written.error());
  return document->blocks.front().status == Status::kMeasured ? ExitCode::kDone
                                                              : ExitCode::kPartial;
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
  app->add_option("--init", options->init, "Assembly text that runs once before")
      ->type_name("TEXT");
  app->add_option("--unroll", options->unroll, "Copies of the snippet in a row")
      ->type_name("N")
      ->check(CLI::Range(1, kMostCopies));
  auto* loop = app->add_flag("--loop", options->loop,
                             "The snippet is a loop's body: count the loop's end too");
  app->add_flag("--no-loop", options->no_loop, "Copies without any loop around them")
      ->excludes(loop);
  app->add_flag("--show-asm", options->show_asm, "Show the exact code measured");
  options->assembly.AddTo(*app);
  options->output.AddTo(*app);
  return {app, [app, options] { return RunBlock(*app, *options); }};
}

}  // namespace cyclescope::cli

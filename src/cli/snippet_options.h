// Which snippets a command is about: text, a compiler's file, machine code, or many of them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cyclescope/base/error.h"
#include "cyclescope/measure.h"

namespace cyclescope::cli {

// How many iterations a model's timeline shows: a screen has room for them.
inline constexpr int kTimelineIterations = 4;

struct SnippetOptions {
  std::vector<std::string> sources;  // two of them are compared
  std::string bytes;
  std::string file;
  bool list = false;
  std::vector<std::string> functions;
  int line = 0;

  // Returns the option --file.
  CLI::Option* AddTo(CLI::App& app);
};

// Puts the snippets into the request. Assembly is that of this machine's architecture where none is
// named.
Result<void> ReadSnippets(const SnippetOptions& options, std::string_view command,
                          std::string_view architecture, BlockRequest& request);

// `--list`: the loops without measuring them.
Result<ExitCode> ListLoops(const BlockRequest& request);

}  // namespace cyclescope::cli

// A text of the editor, from source to loops that can be measured.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/measure.h"
#include "serve/compilers.h"
#include "serve/questions.h"
#include "serve/shown_assembly.h"

namespace cyclescope::serve {

struct PreparedLoop {
  BlockSource source;
  std::vector<int> lines;  // of the editor's text, sorted
};

struct PreparedCode {
  std::vector<ShownLine> shown;  // what the compiler made of it; empty for assembly
  std::vector<PreparedLoop> loops;
  bool att_syntax = false;
  std::vector<Message> messages;
  std::string trouble;  // why there is nothing to measure
};

struct Preparation {
  const Compilers* compilers = nullptr;
  RunProgram run;
  std::string architecture;  // of the code
};

PreparedCode Prepare(const Code& code, const Preparation& preparation,
                     const std::function<bool()>& goes_on);

// Of the file that it was taken from, sorted, each once.
std::vector<int> LinesOf(const BlockSource& loop);

// What is wrong with one of the loops, as messages at lines of the editor's text.
void AddProblems(const std::vector<TextProblem>& problems, PreparedCode& prepared);

// The loop that is asked for, or the one at the cursor, or else the last before it, or the first.
std::optional<std::size_t> ChooseLoop(const PreparedCode& prepared, const Code& code);

}  // namespace cyclescope::serve

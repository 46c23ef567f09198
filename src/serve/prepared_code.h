// A text of the editor, from source to loops that can be measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/work.h"
#include "cyclescope/measure.h"
#include "serve/compilers.h"
#include "serve/questions.h"

namespace cyclescope::serve {

// A compiler's assembly as people read it: instructions, and the labels that something refers to,
// each with the line of the source that it comes from.
struct ShownLine {
  int line = 0;    // of the whole assembly, from 1
  int source = 0;  // of the source, from 1; 0: not known
  bool is_label = false;
  std::string text;
};
std::vector<ShownLine> ShownLines(std::string_view assembly);

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

PreparedCode Prepare(const Code& code, const Preparation& preparation, const GoesOn& goes_on);

// Of the file that it was taken from, sorted, each once.
std::vector<int> LinesOf(const BlockSource& loop);

// What is wrong with one of the loops, as messages at lines of the editor's text.
void AddProblems(const std::vector<TextProblem>& problems, PreparedCode& prepared);

// The loop that is asked for, or the one at the cursor, or else the last before it, or the first.
std::optional<std::size_t> ChooseLoop(const PreparedCode& prepared, const Code& code);

}  // namespace cyclescope::serve

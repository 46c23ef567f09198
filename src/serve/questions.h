// What the page asks, as JSON, and as values that were checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cyclescope/base/error.h"
#include "serve/compilers.h"

namespace cyclescope::serve {

// One text of the editor.
struct Code {
  std::string side;  // what the page calls it: "A", "B"
  Language language = Language::kAssembly;
  bool att_syntax = false;
  std::string text;
  std::string compiler;  // Compiler::id
  std::vector<std::string> flags;
  int line = 0;             // where the cursor is, from 1: the loop there is meant
  std::optional<int> loop;  // or this one, by its number

  bool operator==(const Code&) const = default;
};

// What does this code take? Or these two, side by side?
struct CodeQuestion {
  std::vector<Code> codes;
};

// What does this instruction take?
struct InstructionQuestion {
  std::string text;
  bool att_syntax = false;
};

// And which ports does it use?
struct PortsQuestion {
  InstructionQuestion instruction;
};

// Which instructions are there whose text or opcode holds these words? Or of this mnemonic, where
// one is given.
struct FormsQuestion {
  std::string search;
  std::string mnemonic;
};

// What is the machine, which compilers are there?
struct HostQuestion {};

// What the tab asked before is not wanted any more.
struct CancelQuestion {};

struct Question {
  std::string tab;  // newer questions of the same tab take the place of older ones
  std::variant<CodeQuestion, InstructionQuestion, PortsQuestion, FormsQuestion, HostQuestion,
               CancelQuestion>
      what;
};

// By the path that it is sent to: /api/code, /api/instruction, /api/ports, /api/forms, /api/host,
// /api/cancel.
// Unset where there is no such path.
std::optional<Result<Question>> ParseQuestion(std::string_view path, std::string_view body);

}  // namespace cyclescope::serve

// The compilers on this machine, and what one says of a source text.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/work.h"
#include "cyclescope/base/error.h"
#include "sandbox/confined_program.h"

namespace cyclescope::serve {

struct Compiler {
  std::string id;    // "gcc-12": how a question names it
  std::string name;  // what it says it is: "gcc-12 (Debian 12.2.0-14) 12.2.0"
  std::string path;
  std::string architecture = {};        // of the code that it makes
  std::vector<std::string> words = {};  // that it needs to make it
};

struct Compilers {
  std::vector<Compiler> found;
  std::string why_none;  // where there is none, or none may be run
};

// As sandbox::RunConfined, which tests replace.
using RunProgram = std::function<Result<sandbox::ConfinedResult>(
    const sandbox::ConfinedProgram& program, const GoesOn& goes_on)>;

// gcc and clang, of any version, in these folders, which make code of an architecture ("x86_64",
// "aarch64"): that of this machine, or, for one that is predicted, another. Each is run once,
// confined: where that cannot be, none is found, and why_none says so.
Compilers FindCompilers(const std::vector<std::string>& folders, const std::string& architecture,
                        const RunProgram& run);

enum class Language { kAssembly, kC, kCpp };

// About a line of the source, from 1; 0: about all of it.
struct Message {
  int line = 0;
  int column = 0;
  std::string severity;  // "error", "warning", "note"
  std::string text;
};

struct CompilerInput {
  Language language = Language::kC;
  std::vector<std::string> flags;
  bool att_syntax = false;  // of x86-64 assembly
  std::string text;
};

struct CompilerAnswer {
  std::string assembly;  // empty where there is an error
  std::vector<Message> messages;
};

// An error where the compiler was ended, or says nothing about any line.
Result<CompilerAnswer> Compile(const Compiler& compiler, const CompilerInput& input,
                               const RunProgram& run, const GoesOn& goes_on);

// "<stdin>:3:5: error: expected ';'", line by line; what is no such line is left out.
std::vector<Message> ReadMessages(std::string_view text);

// Which flags the page may give a compiler: those that say how to compile, and none that name
// files, programs or other parts to run. The compiler is confined anyway; this gives a clear answer
// instead of a strange one.
Result<void> CheckFlags(const std::vector<std::string>& flags);

}  // namespace cyclescope::serve

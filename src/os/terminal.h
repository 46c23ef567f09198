// The program as a terminal's user has it: its streams, with a terminal behind them or without.
#pragma once

#include <optional>

namespace cyclescope::os {

enum class Stream { kInput = 0, kOutput = 1, kError = 2 };

// False when the stream was closed before the program began (`>&-`), or is one that cannot be used.
bool IsOpen(Stream stream);
bool IsTerminal(Stream stream);

// Columns and lines of the terminal behind a stream; unset when there is none or it does not say.
std::optional<int> TerminalWidth(Stream stream);
std::optional<int> TerminalHeight(Stream stream);

// What a program does with its process at the start of `main`, while it has one thread. A library
// must not.
//
// Writing to a closed pipe becomes an error that the writer sees; libraries say nothing on standard
// error; and text goes out as it is, in UTF-8.
void PrepareProgram();

// What people put around an argument with spaces in it, in the shells that they have here.
char ShellQuote();

}  // namespace cyclescope::os

// The terminal, if there is one.
#pragma once

#include <optional>

namespace cyclescope::os {

enum class Stream { kInput = 0, kOutput = 1, kError = 2 };

// False when the stream was closed before the program began (`>&-`).
bool IsOpen(Stream stream);
bool IsTerminal(Stream stream);

// Columns and lines of the terminal behind a stream; unset when there is none or it does not say.
std::optional<int> TerminalWidth(Stream stream);
std::optional<int> TerminalHeight(Stream stream);

}  // namespace cyclescope::os

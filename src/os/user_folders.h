// Folders that belong to the user who runs the program.
#pragma once

#include <filesystem>
#include <optional>

namespace cyclescope::os {

// Where programs keep what should survive them and is worth no backup: $XDG_STATE_HOME, or
// ~/.local/state (XDG Base Directory Specification 0.8). Unset where the environment names neither.
// It need not exist.
std::optional<std::filesystem::path> StateFolder();

// Where users keep a program's data: $XDG_DATA_HOME, or ~/.local/share. On Windows as above.
std::optional<std::filesystem::path> DataFolder();

}  // namespace cyclescope::os

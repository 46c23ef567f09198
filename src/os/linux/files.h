// Small files of /proc and /sys. A file that is not there, or may not be read, is nothing unusual:
// kernels, containers and virtual machines all leave some out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cyclescope::os {

// The text of a file without blanks and zero bytes at its end; unset where it cannot be read.
std::optional<std::string> ReadText(const std::filesystem::path& path);

// The same, empty where it cannot be read.
std::string ReadTextOrEmpty(const std::filesystem::path& path);

std::optional<int> ReadInteger(const std::filesystem::path& path);

}  // namespace cyclescope::os

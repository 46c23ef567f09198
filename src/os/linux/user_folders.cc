#include "os/user_folders.h"

#include <cstdlib>

namespace cyclescope::os {
namespace {

// The specification has relative paths ignored.
std::optional<std::filesystem::path> AbsolutePath(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  std::filesystem::path path = value;
  if (!path.is_absolute()) return std::nullopt;
  return path;
}

}  // namespace

std::optional<std::filesystem::path> StateFolder() {
  if (auto state = AbsolutePath("XDG_STATE_HOME")) return state;
  if (const auto home = AbsolutePath("HOME")) return *home / ".local" / "state";
  return std::nullopt;
}

std::optional<std::filesystem::path> DataFolder() {
  if (auto data = AbsolutePath("XDG_DATA_HOME")) return data;
  if (const auto home = AbsolutePath("HOME")) return *home / ".local" / "share";
  return std::nullopt;
}

}  // namespace cyclescope::os

#include "os/user_folders.h"

#include <windows.h>

#include <array>
#include <string>

namespace cyclescope::os {

std::optional<std::filesystem::path> StateFolder() {
  std::array<wchar_t, 32768> value{};
  const DWORD length =
      GetEnvironmentVariableW(L"LOCALAPPDATA", value.data(), static_cast<DWORD>(value.size()));
  if (length == 0 || length >= value.size()) return std::nullopt;
  std::filesystem::path folder(std::wstring(value.data(), length));
  if (!folder.is_absolute()) return std::nullopt;
  return folder;
}

std::optional<std::filesystem::path> DataFolder() { return StateFolder(); }

}  // namespace cyclescope::os

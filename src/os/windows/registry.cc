#include "os/windows/registry.h"

#include <windows.h>

#include <array>

#include "base/text.h"
#include "os/windows/wide_text.h"

namespace cyclescope::os {

std::string RegistryText(const wchar_t* key, const wchar_t* name) {
  std::array<wchar_t, 256> value{};
  DWORD bytes = sizeof(value);
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, nullptr, value.data(), &bytes) !=
      ERROR_SUCCESS) {
    return "";
  }
  return std::string(Trimmed(ToUtf8({value.data(), bytes / sizeof(wchar_t)})));
}

std::vector<std::uint8_t> RegistryBytes(const wchar_t* key, const wchar_t* name) {
  std::vector<std::uint8_t> value(64);
  auto bytes = static_cast<DWORD>(value.size());
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_BINARY, nullptr, value.data(),
                   &bytes) != ERROR_SUCCESS) {
    return {};
  }
  value.resize(bytes);
  return value;
}

}  // namespace cyclescope::os

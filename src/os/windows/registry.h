// Values of the registry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cyclescope::os {

// Below HKEY_LOCAL_MACHINE; empty or unset where there is no such value.
std::string RegistryText(const wchar_t* key, const wchar_t* name);
std::optional<std::uint32_t> RegistryNumber(const wchar_t* key, const wchar_t* name);
std::vector<std::uint8_t> RegistryBytes(const wchar_t* key, const wchar_t* name);

}  // namespace cyclescope::os

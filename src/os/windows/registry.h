// Values of the registry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cyclescope::os {

// Below HKEY_LOCAL_MACHINE; empty where there is no such value.
std::string RegistryText(const wchar_t* key, const wchar_t* name);
std::vector<std::uint8_t> RegistryBytes(const wchar_t* key, const wchar_t* name);

}  // namespace cyclescope::os

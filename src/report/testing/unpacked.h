// What a page holds, as its browser reads it.
#pragma once

#include <string>
#include <string_view>

namespace cyclescope::testing {

// The opposite of Packed (document/packed.h).
std::string Unpacked(std::string_view base64);

// The data in a page, as JSON.
std::string DataInPage(std::string_view page);

// The data in a script of a site's folder, as JSON.
std::string DataInScript(std::string_view script);

}  // namespace cyclescope::testing

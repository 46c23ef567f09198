#include "published/published.h"

#include <cctype>

namespace cyclescope::published {

std::string NameOf(const Host& host) {
  std::string name;
  for (const char c : host.microarchitecture.substr(0, host.microarchitecture.find(" ("))) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    name += is_word ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '-';
  }
  return name;
}

}  // namespace cyclescope::published

#include "published/published.h"

#include <cctype>

#include "document/json_reader.h"
#include "document/packed.h"

namespace cyclescope::published {

std::string NameOf(const Host& host) {
  std::string name;
  for (const char c : host.microarchitecture.substr(0, host.microarchitecture.find(" ("))) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    name += is_word ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '-';
  }
  return name;
}

Result<Document> ReadFigures(std::string_view bytes, std::string_view file_name) {
  if (!IsGzipped(bytes)) return ParseFigures(bytes, file_name);
  const auto text = Gunzipped(bytes, file_name);
  if (!text) return std::unexpected(text.error());
  return ParseFigures(*text, file_name);
}

}  // namespace cyclescope::published
